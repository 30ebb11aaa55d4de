package bus

import "context"

// conversationKey is the context key of the conversation.
type conversationKey struct{}

// WithConversation returns a context for work that the client of a conversation requested. Data and
// events that the work stores belong to that conversation.
func WithConversation(ctx context.Context, conversation string) context.Context {
	return context.WithValue(ctx, conversationKey{}, conversation)
}

// ConversationOf returns the conversation whose client requested the work of ctx. It returns "" if
// no client did, as for the user's actions on a page.
func ConversationOf(ctx context.Context) string {
	conversation, _ := ctx.Value(conversationKey{}).(string)
	return conversation
}

// Conversations maps clients to conversations.
type Conversations interface {
	// Conversation returns the newest conversation of a client.
	Conversation(ctx context.Context, client string) (session string, ok bool, err error)
	// Following returns the newest conversation of a session's client, and the client's name. If
	// the session is unknown, it returns session itself and "".
	Following(ctx context.Context, session string) (newest, client string, err error)
	KnowsConversation(ctx context.Context, session string) (bool, error)
	// Clients lists the known clients.
	Clients(ctx context.Context) ([]string, error)
}

// SameClient reports whether session belongs to the client whose newest conversation is newest.
func SameClient(ctx context.Context, c Conversations, newest, session string) (bool, error) {
	if session == newest {
		return true, nil
	}
	following, _, err := c.Following(ctx, session)
	return following == newest, err
}
