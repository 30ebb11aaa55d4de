package gate

import (
	"bytes"
	"context"

	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// Judged is a computation that went through, whose bytes can be judged anew.
type Judged struct{ r *run }

// Judge computes a session to its end; the stop is nil when it became ready.
func Judge(ctx context.Context, c Config, session record.Session) (*Judged, *plan.Stop) {
	r := newRun(c, session)
	return &Judged{r}, r.pipeline(ctx, func(plan.StageID, string) {})
}

// Bytes returns a copy of what was built.
func (j *Judged) Bytes() []byte { return bytes.Clone(j.r.bytes) }

// Alone runs the gates that read nothing but bytes over other bytes, with a
// digest and commitment that fit them: no node is asked.
func (j *Judged) Alone(ctx context.Context, raw []byte) *plan.Stop {
	r := *j.r
	r.bytes = raw
	for _, gate := range []func(*run, context.Context) error{(*run).commit, (*run).describe, (*run).crossBytes} {
		if err := gate(&r, ctx); err != nil {
			return r.stopped("", err)
		}
	}
	return nil
}

// Tampered computes a session whose bytes are edited right after they were
// built: digest and commitment are those of the edited bytes.
func Tampered(ctx context.Context, c Config, session record.Session, edit func([]byte) []byte) record.State {
	r := newRun(c, session)
	stop := r.pipeline(ctx, func(id plan.StageID, status string) {
		if id == plan.StageMaterial && status == StageDone {
			r.bytes = edit(bytes.Clone(r.bytes))
		}
	})
	return r.finding(stop).State
}
