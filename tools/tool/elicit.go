package tool

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// askID is the key of the question that a call returns as its result. A call has at most one.
const askID = "open"

// elicitation returns a question in MCP's format. A yes-or-no question is a form without fields,
// and accepting it means yes.
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

// timed is implemented by sessions that measure how long the client took to answer.
type timed interface{ Asked() time.Duration }

// tookOf returns how long the client took to answer the question. If the session does not measure
// it, tookOf returns a time long enough for a user.
func tookOf(session any) time.Duration {
	if s, ok := session.(timed); ok {
		return s.Asked()
	}
	return mostAsk
}

// replied returns the reply in a client's answer. Declining and closing a question count the same.
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

// replyOf returns the reply contained in a call, or nil if the call does not continue an earlier one.
// A call with a state but without a valid reply counts as unanswered.
func replyOf(ctx context.Context, request mcp.CallToolRequest) *resumed {
	if request.Params.RequestState == "" {
		return nil
	}
	return &resumed{state: []byte(request.Params.RequestState),
		reply: replied(server.ElicitationResponse(request.Params.InputResponses, askID),
			tookOf(server.ClientSessionFromContext(ctx)))}
}
