package settings

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/policy"
)

// Material reports whether transactions that other programs built may be sent here.
func (s *Service) Material(ctx context.Context) (bool, error) {
	stored, err := s.c.Store.Settings(ctx)
	return stored.Material, err
}

// SetMaterial stores whether they may. To allow it needs the person's word once more:
// confirm comes from the Outcome of the first call. The rights are judged where the
// change is stored.
func (s *Service) SetMaterial(ctx context.Context, allow bool, confirm string, rights ...Right) (Outcome, error) {
	present, err := s.c.Store.Settings(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if present.Material == allow {
		return Outcome{Done: true, Says: "That is what is stored already. Nothing changed."}, nil
	}
	word := map[bool]string{false: "not taken", true: "taken, read and built anew"}
	out := Outcome{Changes: []policy.Change{{Name: "Transactions that other programs built", Old: word[!allow], New: word[allow], Looser: allow}}}
	if out.Confirm, err = Confirmation("external material", !allow, allow); err != nil {
		return Outcome{}, err
	}
	//mutant:never ./internal/settings TestMaterial
	if allow && confirm != out.Confirm {
		out.Says = "Not saved yet. A program with a token may then send transactions here. Only payments and swaps that this program " +
			"understands whole become reviews, which you read and sign, or do not."
		return out, nil
	}
	err = s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if err := CheckRights(ctx, rights); err != nil {
			return err
		}
		if stored.Material == allow {
			return Outdated()
		}
		stored.Material = allow
		return nil
	})
	out.Confirm, out.Done, out.Says = "", err == nil, "Saved. It holds at once."
	return out, err
}
