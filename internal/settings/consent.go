package settings

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/policy"
)

// consent is a setting that lets something in once the user said so twice.
type consent struct {
	name, title string
	word        map[bool]string
	warning     string // before it is allowed
	of          func(*Stored) *bool
}

var (
	material = consent{"external material", "Transactions that other programs built",
		map[bool]string{false: "not taken", true: "taken, read and built anew"},
		"Not saved yet. A program with a token may then send transactions here. Only payments and swaps that this program " +
			"understands whole become reviews, which you read and sign, or do not.",
		func(s *Stored) *bool { return &s.Material }}
	overHTTP = consent{"http", "AI clients over HTTP", map[bool]string{false: "refused", true: "served, with a token"},
		"Not saved yet. A program on this computer that has a token for an AI client can then use every tool, as an AI client that " +
			"starts Say Ur Intent does. It cannot sign or change settings.",
		func(s *Stored) *bool { return &s.HTTP }}
)

// Material reports whether transactions that other programs built may be sent here.
func (s *Service) Material(ctx context.Context) (bool, error) {
	stored, err := s.c.Store.Settings(ctx)
	return stored.Material, err
}

// SetMaterial stores whether programs may send transactions. To allow it, the user must confirm
// again: confirm comes from the Outcome of the first call. The rights are checked in the
// transaction.
func (s *Service) SetMaterial(ctx context.Context, allow bool, confirm string, rights ...Right) (Outcome, error) {
	return s.consent(ctx, material, allow, confirm, rights)
}

// HTTP reports whether AI clients may connect over HTTP.
func (s *Service) HTTP(ctx context.Context) (bool, error) {
	stored, err := s.c.Store.Settings(ctx)
	return err == nil && (s.c.HTTP || stored.HTTP), err
}

// SetHTTP stores whether they may, as SetMaterial.
func (s *Service) SetHTTP(ctx context.Context, allow bool, confirm string, rights ...Right) (Outcome, error) {
	return s.consent(ctx, overHTTP, allow, confirm, rights)
}

func (s *Service) consent(ctx context.Context, to consent, allow bool, confirm string,
	rights []Right) (Outcome, error) {
	present, err := s.c.Store.Settings(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if *to.of(&present) == allow {
		return Outcome{Done: true, Says: "That is what is stored already. Nothing changed."}, nil
	}
	out := Outcome{Changes: []policy.Change{{Name: to.title, Old: to.word[!allow], New: to.word[allow], Looser: allow}}}
	if out.Confirm, err = Confirmation(to.name, !allow, allow); err != nil {
		return Outcome{}, err
	}
	//mutant:never ./internal/settings TestMaterial
	if allow && confirm != out.Confirm {
		out.Says = to.warning
		return out, nil
	}
	err = s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if err := CheckRights(ctx, rights); err != nil {
			return err
		}
		if *to.of(stored) == allow {
			return Outdated()
		}
		*to.of(stored) = allow
		return nil
	})
	out.Confirm, out.Done, out.Says = "", err == nil, "Saved. It holds at once."
	return out, err
}
