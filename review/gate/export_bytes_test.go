package gate

import (
	"bytes"
	"context"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Judged is a completed computation whose bytes can be judged again.
type Judged struct{ r *judged }

// Judge computes a session to its end; the stop is nil when it became ready.
func Judge(ctx context.Context, c Config, session record.Session) (*Judged, *plan.Stop) {
	e := newExamination(c, session, func(plan.StageID, string) {})
	if stop := e.run(ctx); stop != nil {
		return nil, stop
	}
	return &Judged{e.at.(*judged)}, nil
}

// Bytes returns a copy of the built bytes.
func (j *Judged) Bytes() []byte { return bytes.Clone(j.r.bytes) }

// Alone runs the gates that read only bytes on other bytes, with a matching digest and commitment.
// It asks no node.
func (j *Judged) Alone(ctx context.Context, raw []byte) *plan.Stop {
	other := *j.r.built
	other.bytes = raw
	tx, err := decode(ctx, &other)
	if err != nil {
		return tx.stopped("", err)
	}
	objects := *j.r.owned
	objects.decoded = tx
	words, err := describe(ctx, &objects)
	if err == nil {
		err = crossBytes(ctx, words)
	}
	if err != nil {
		return tx.stopped("", err)
	}
	return nil
}

// Tampered computes a session whose bytes are edited right after the build; digest and commitment
// are those of the edited bytes.
func Tampered(ctx context.Context, c Config, session record.Session, edit func([]byte) []byte) record.State {
	var e *examination
	e = newExamination(c, session, func(id plan.StageID, status string) {
		if id == plan.StageMaterial && status == StageDone {
			r := e.at.(*built)
			r.bytes = edit(bytes.Clone(r.bytes))
		}
	})
	stop := e.run(ctx)
	return finding(e.at, stop).State
}
