package worker

import (
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
)

type refreshIn struct {
	Session string `json:"review_session_id"`
}

type refreshOut struct {
	Session string        `json:"review_session_id"`
	Status  record.Status `json:"status"` // status before the computation
}

// reviewRefresh starts the computation of a review of this conversation, as the review's page does.
// It does not sign or release anything.
func (s Sources) reviewRefresh(ctx context.Context, session string, payload json.RawMessage) (any, error) {
	in, err := read[refreshIn](payload)
	if err != nil {
		return nil, err
	}
	id := record.ID(in.Session)
	if err := s.own(ctx, session, id); err != nil {
		return nil, err
	}
	r, err := s.Review(ctx, id)
	if err == nil {
		err = s.Compute(ctx, id, r.Revision)
	}
	return refreshOut{in.Session, r.Status}, err
}

// own returns an error if a review does not belong to the conversation.
func (s Sources) own(ctx context.Context, session string, id record.ID) error {
	t, ok, err := s.TaskOf(ctx, record.Subject(id))
	//mutant:never `!ok || t.Session != session` ./internal/worker TestKinds
	if err == nil && (!ok || t.Session != session) {
		err = fault.New(fault.SessionNotFound, "This conversation has no such review.")
	}
	return err
}
