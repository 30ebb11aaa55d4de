package tool

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// askID is the key of the only question of a call that asks by its result.
const askID = "open"

// elicitation returns a question in MCP's format. A plain question has a form without fields;
// accepting it means yes.
func elicitation(q Question) mcp.ElicitationParams {
	if q.form() {
		return mcp.ElicitationParams{Message: q.Message,
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}}
	}
	return mcp.ElicitationParams{Mode: mcp.ElicitationModeURL, Message: q.Message, URL: q.URL, ElicitationID: rand.Text()}
}

// elicitor asks through a client that accepts requests from the server.
type elicitor struct{ session server.SessionWithElicitation }

// Ask implements Asker.
func (e elicitor) Ask(ctx context.Context, q Question) (Reply, error) {
	result, err := e.session.RequestElicitation(ctx, mcp.ElicitationRequest{Params: elicitation(q)})
	if err != nil {
		return Unanswered, err
	}
	return replied(result, tookOf(e.session)), nil
}

// timed is a transport's session that measures how long the client had a question.
type timed interface{ Asked() time.Duration }

// tookOf returns how long the client took to answer the question, or a plausible time if the
// session does not measure it.
func tookOf(session any) time.Duration {
	if s, ok := session.(timed); ok {
		return s.Asked()
	}
	return mostAsk
}

// replied reads an answer that took some time. Declining and closing the question are treated
// alike.
func replied(r *mcp.ElicitationResult, took time.Duration) Reply {
	if r == nil {
		return Unanswered
	}
	switch r.Action {
	case mcp.ElicitationResponseActionAccept:
		return Accepted
	case mcp.ElicitationResponseActionDecline, mcp.ElicitationResponseActionCancel:
		//mutant:never ./tools TestOpeningDeclinedByTheClient
		if took < soonestNo {
			return Unavailable
		}
		return Declined
	}
	return Unanswered
}

// replyOf reads the reply in a call, or returns nil if there is none. A call with a question's
// state but no valid reply counts as unanswered.
func replyOf(ctx context.Context, request mcp.CallToolRequest) *resumed {
	if request.Params.RequestState == "" {
		return nil
	}
	return &resumed{state: []byte(request.Params.RequestState),
		reply: replied(server.ElicitationResponse(request.Params.InputResponses, askID),
			tookOf(server.ClientSessionFromContext(ctx)))}
}
