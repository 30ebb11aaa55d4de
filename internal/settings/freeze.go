package settings

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/policy"
)

// Frozen reports whether the user paused all releases.
func (s *Service) Frozen(ctx context.Context) (bool, error) { return s.c.Store.Frozen(ctx) }

// Freeze pauses the releases of every process until Lift. It needs no confirmation, because it
// allows nothing.
func (s *Service) Freeze(ctx context.Context, rights ...Right) (Outcome, error) {
	err := s.c.Store.SetFrozen(ctx, true, rights...)
	return Outcome{Done: err == nil,
		Says: "Everything is stopped. What a wallet already has can still be signed and sent there."}, err
}

// Lift resumes releases. It waits for confirm, because it allows more than before.
func (s *Service) Lift(ctx context.Context, confirm string, rights ...Right) (Outcome, error) {
	out := Outcome{Changes: []policy.Change{{Name: "Handing transactions to wallets", Old: "stopped", New: "allowed",
		Looser: true}}}
	var err error
	if out.Confirm, err = Confirmation("freeze", true, false); err != nil {
		return Outcome{}, err
	}
	//mutant:never ./internal/settings TestFreeze
	if confirm != out.Confirm {
		out.Says = "Not lifted yet. Afterwards every review that is ready can be signed again."
		return out, nil
	}
	err = s.c.Store.SetFrozen(ctx, false, rights...)
	return Outcome{Done: err == nil, Says: "The stop is lifted. Reviews can be signed again."}, err
}
