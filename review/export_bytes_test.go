package review

import (
	"bytes"
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Judged is a computation that went through, whose bytes can be judged anew.
type Judged struct{ r *run }

// Judge computes a session to its end; the stop is nil when it became ready.
func (s *Service) Judge(ctx context.Context, session Session) (*Judged, *Stop) {
	r := &run{c: s.c, now: s.now, session: session, adapters: s.adaptersOf(session), wish: s.wish}
	return &Judged{r}, r.pipeline(ctx, func(StageID, string) {})
}

// Bytes gives a copy of what was built.
func (j *Judged) Bytes() []byte { return bytes.Clone(j.r.bytes) }

// Alone runs the gates that read nothing but bytes over other bytes, with a
// digest and commitment that fit them: no node is asked.
func (j *Judged) Alone(ctx context.Context, raw []byte) *Stop {
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
func (s *Service) Tampered(ctx context.Context, session Session, edit func([]byte) []byte) State {
	r := &run{c: s.c, now: s.now, session: session, adapters: s.adaptersOf(session), wish: s.wish}
	stop := r.pipeline(ctx, func(id StageID, status string) {
		if id == StageMaterial && status == StageDone {
			r.bytes = edit(bytes.Clone(r.bytes))
		}
	})
	return r.finding(stop).state
}

// Hand runs the law of the handoff over a ready review that shows the commitment
// of shown while its material holds the bytes of held. It gives what would be
// handed out.
func Hand(shown sui.Digest, held []byte, now time.Time) (sui.Digest, error) {
	account := sui.MustAddress("0xacc")
	commitment := sui.Commitment(shown)
	row := alone(Row{
		Session: Session{
			ID: "bytes", Account: account, Status: Ready, Revision: 3, ExpiresAt: now.Add(time.Hour), BuildExpiresAt: now.Add(time.Minute),
			Commitment: commitment, Facts: &Facts{Gas: GasFacts{Payment: []sui.ObjectRef{{}}}},
			State: State{Status: Ready, Contract: &Contract{TransactionMaterialCommitment: commitment}},
		},
		Materials: []Material{{Digest: shown, Bytes: sui.NewMaterial(held), CreatedAt: now}},
	})
	rel, err := hand(&row, handing{revision: 3, commitment: commitment, active: &Account{Address: account}, wish: lawWish}, now)
	if err != nil && len(row.Session.Releases) > 0 {
		panic("a refused handoff left a release")
	}
	return rel.Digest, err
}
