package bus

import "context"

// conversationKey is the context key of the conversation.
type conversationKey struct{}

// WithConversation returns a context for work requested by the client of a conversation. What the
// work stores, and the events it causes, belong to that conversation.
func WithConversation(ctx context.Context, conversation string) context.Context {
	return context.WithValue(ctx, conversationKey{}, conversation)
}

// ConversationOf returns the conversation that a context's work belongs to, or "" if no client
// requested it, as for user actions on a page.
func ConversationOf(ctx context.Context) string {
	conversation, _ := ctx.Value(conversationKey{}).(string)
	return conversation
}

// Conversations maps clients to conversations.
type Conversations interface {
	// Conversation returns the newest conversation of a client.
	Conversation(ctx context.Context, client string) (session string, ok bool, err error)
	// Following returns the newest conversation of the client of a session, and the client's
	// name, or "" if it is unknown.
	Following(ctx context.Context, session string) (newest, client string, err error)
	KnowsConversation(ctx context.Context, session string) (bool, error)
	// Clients lists the known clients.
	Clients(ctx context.Context) ([]string, error)
}

// SameClient reports whether a conversation belongs to the client with the given newest one.
func SameClient(ctx context.Context, c Conversations, newest, session string) (bool, error) {
	if session == newest {
		return true, nil
	}
	following, _, err := c.Following(ctx, session)
	return following == newest, err
}
