package settings

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
)

// Outcome is the result of a requested change. If Done is false, the change waits for the user: the
// same request with Confirm applies exactly what Changes describes.
type Outcome struct {
	Done    bool            `json:"done"`
	Confirm string          `json:"confirm,omitempty"`
	Says    string          `json:"says"`
	Changes []policy.Change `json:"changes"`
}

// Right checks again whether the page may make changes. It runs inside the write transaction of the
// change. It may read committed data, and must not write.
type Right func(ctx context.Context) error

// CheckRights calls every right and returns the first error.
func CheckRights(ctx context.Context, rights []Right) error {
	for _, right := range rights {
		if err := right(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Outdated returns the error for a change whose old value is no longer current.
func Outdated() error {
	return fault.New(fault.InvalidSessionTransition,
		"The settings were changed elsewhere in the meantime; nothing was saved. Look at them again, then decide.")
}

// Confirmation identifies one change from old to new values.
func Confirmation[F, T any](what string, from F, to T) (string, error) {
	text, err := json.Marshal([]any{what, from, to})
	if err != nil {
		return "", fault.Wrap(err, fault.InternalError, "The change could not be encoded.")
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// SetEndpoint stores the address of a service; "" restores the default. It asks the node at a new
// address for its chain before it returns the change for confirmation, and again before it stores
// it. confirm comes from the Outcome of the first call. If there is an error, nothing changes. The
// rights are checked in the transaction.
func (s *Service) SetEndpoint(ctx context.Context, w Which, text, confirm string, rights ...Right) (Outcome, error) {
	to, note := "", ""
	if text != "" {
		e, chain, err := s.Examine(ctx, w, text)
		if err != nil {
			return Outcome{}, err
		}
		to, note = e.URL, " It answered, and serves the chain "+chain+"."
		if chain == "" {
			note = " Only the address was checked; nothing was asked there."
		}
	}
	present, err := s.c.Store.Settings(ctx)
	if err != nil {
		return Outcome{}, err
	}
	from := present.Addresses[w]
	if from == to {
		return Outcome{Done: true, Says: "That is what is stored already. Nothing changed."}, nil
	}
	present.Addresses[w] = to
	if err := s.Distinct(w, present); err != nil {
		return Outcome{}, err
	}
	words := func(url string) string {
		if url == "" {
			return s.c.Defaults[w] + " (default)"
		}
		return url
	}
	out := Outcome{Changes: []policy.Change{{Name: w.Info().Label(), Old: words(from), New: words(to), Looser: to != ""}}}
	if out.Confirm, err = Confirmation("endpoint "+w.String(), from, to); err != nil {
		return Outcome{}, err
	}
	if confirm != out.Confirm {
		out.Says = "Not saved yet." + note + " Whoever runs it can show you wrong figures: use one you trust."
		if to == "" {
			out.Says = "Not saved yet. The default takes effect when the server restarts."
		}
		return out, nil
	}
	err = s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if err := CheckRights(ctx, rights); err != nil {
			return err
		}
		if stored.Addresses[w] != from {
			return Outdated()
		}
		stored.Addresses[w] = to
		return s.Distinct(w, *stored)
	})
	out.Confirm, out.Done = "", err == nil
	out.Says = "Saved. It takes effect when the server restarts."
	if force := s.c.InForce[w]; force.Source == FromFlag || force.Source == FromEnvironment {
		out.Says = "Saved. It has no effect while a flag or an environment variable names another address."
	}
	return out, err
}

// Distinct returns an error if the change would make the first and the second node the same,
// because their answers would always agree.
func (s *Service) Distinct(w Which, after Stored) error {
	first, second := s.c.InForce[GRPC], after.Addresses[Second]
	url := first.URL
	if first.Source != FromFlag && first.Source != FromEnvironment {
		url = cmp.Or(after.Addresses[GRPC], s.c.Defaults[GRPC])
	}
	//mutant:always ./review/web TestSettingsEndpoints
	if w != GRPC && w != Second || second == "" || !Same(url, second) {
		return nil
	}
	return fault.New(fault.InputInvalid,
		"The Sui node and the second Sui node would be the same. Use different ones; nothing was saved.").
		With("field", w.String())
}

// SetAllowance stores the limits on amounts, protocols and recipients. Changes that only tighten
// apply immediately; others wait for confirm. The rights are checked in the transaction.
func (s *Service) SetAllowance(ctx context.Context, text policy.AllowanceText, confirm string,
	rights ...Right) (Outcome, error) {
	present, err := s.c.Store.Settings(ctx)
	if err != nil {
		return Outcome{}, err
	}
	from := present.Allowance
	to, err := text.Read(s.c.Protocols, from)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Changes: policy.Differences(from, to)}
	if s.c.Released != nil {
		released, now, err := s.c.Released(ctx)
		if err != nil {
			return Outcome{}, err
		}
		out.Changes = policy.DifferencesSince(from, to, released, now)
	}
	if len(out.Changes) == 0 {
		out.Done, out.Says = true, "That is what is stored already. Nothing changed."
		return out, nil
	}
	if out.Confirm, err = Confirmation("allowance", from, to); err != nil {
		return Outcome{}, err
	}
	if policy.Looser(out.Changes) && confirm != out.Confirm {
		out.Says = "Not saved yet. This allows more than before. Read old and new, then confirm."
		return out, nil
	}
	err = s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if err := CheckRights(ctx, rights); err != nil {
			return err
		}
		if !reflect.DeepEqual(stored.Allowance, from) {
			return Outdated()
		}
		stored.Allowance = to
		return nil
	})
	out.Confirm, out.Done = "", err == nil
	out.Says = "Saved. It applies from now on, including to open reviews."
	return out, err
}
