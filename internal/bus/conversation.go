package bus

import "context"

// conversationKey is the key under which a context carries a conversation.
type conversationKey struct{}

// WithConversation returns a context for work that the client of a conversation asked for.
// What the work stores, and the events it causes, belong to that conversation.
func WithConversation(ctx context.Context, conversation string) context.Context {
	return context.WithValue(ctx, conversationKey{}, conversation)
}

// ConversationOf returns the conversation that a context's work belongs to, or "" if no
// client asked for it, as for what a person does on a page.
func ConversationOf(ctx context.Context) string {
	conversation, _ := ctx.Value(conversationKey{}).(string)
	return conversation
}
