package settings

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
)

// Outcome is what became of a wish to change something. Without Done it waits
// for the person: the same wish with Confirm does exactly what Changes say.
type Outcome struct {
	Done    bool            `json:"done"`
	Confirm string          `json:"confirm,omitempty"`
	Says    string          `json:"says"`
	Changes []policy.Change `json:"changes"`
}

// Right judges once more whether the page that asks may still change anything. It
// is asked inside the write transaction of the change, so it may read what is
// committed and must write nothing.
type Right func(ctx context.Context) error

// CheckRights asks every right.
func CheckRights(ctx context.Context, rights []Right) error {
	for _, right := range rights {
		if err := right(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Outdated is the refusal of a change whose "old" is not the present any more.
func Outdated() error {
	return fault.New(fault.InvalidSessionTransition,
		"The settings were changed elsewhere in the meantime; nothing was saved. Look at them again, then decide.")
}

// Confirmation names one change exactly: what it is of, from what to what.
func Confirmation[F, T any](what string, from F, to T) (string, error) {
	text, err := json.Marshal([]any{what, from, to})
	if err != nil {
		return "", fault.Wrap(err, fault.InternalError, "The change could not be written down.")
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// SetEndpoint stores the address of a service, or with "" forgets it so that
// the default holds again. The node behind a new address is asked which chain
// it serves before anything is shown, and again before it is stored. confirm
// comes from the Outcome of the first call. Refusals leave everything as it was.
// The rights are judged where the change is stored.
func (s *Service) SetEndpoint(ctx context.Context, w Which, text, confirm string, rights ...Right) (Outcome, error) {
	if w != GRPC && w != GraphQL {
		return Outcome{}, fault.New(fault.InputInvalid, "There are two addresses: grpc and graphql.")
	}
	to, told, standard := "", "", s.c.DefaultGRPC
	if w == GraphQL {
		standard = s.c.DefaultGraphQL
	}
	if text != "" {
		e, chain, err := s.Examine(ctx, w, text)
		if err != nil {
			return Outcome{}, err
		}
		to, told = e.URL, " It answered, and serves the chain "+chain+"."
	}
	present, err := s.c.Store.Settings(ctx)
	if err != nil {
		return Outcome{}, err
	}
	from := *present.Address(w)
	if from == to {
		return Outcome{Done: true, Says: "That is what is stored already. Nothing changed."}, nil
	}
	words := func(url string) string {
		if url == "" {
			return standard + " (default)"
		}
		return url
	}
	out := Outcome{Changes: []policy.Change{{Name: w.Name(), Old: words(from), New: words(to), Looser: to != ""}}}
	if out.Confirm, err = Confirmation("endpoint "+string(w), from, to); err != nil {
		return Outcome{}, err
	}
	if confirm != out.Confirm {
		out.Says = "Not saved yet." + told + " Whoever runs a node can show you wrong figures: use one you trust."
		if to == "" {
			out.Says = "Not saved yet. The default takes effect when Say Ur Intent is started again."
		}
		return out, nil
	}
	err = s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if err := CheckRights(ctx, rights); err != nil {
			return err
		}
		if *stored.Address(w) != from {
			return Outdated()
		}
		*stored.Address(w) = to
		return nil
	})
	out.Confirm, out.Done = "", err == nil
	out.Says = "Saved. It takes effect when Say Ur Intent is started again: restart your AI client."
	if force := s.inForce(w); force.Source == FromFlag || force.Source == FromEnvironment {
		out.Says = "Saved. It has no effect while a flag or an environment variable names another address."
	}
	return out, err
}

func (s *Service) inForce(w Which) InForce {
	if w == GraphQL {
		return s.c.GraphQL
	}
	return s.c.GRPC
}

// SetAllowance stores what may be spent, on which protocols and to whom. What
// only tightens is done at once; what loosens anything waits for confirm. The
// rights are judged where the change is stored.
func (s *Service) SetAllowance(ctx context.Context, text policy.AllowanceText, confirm string, rights ...Right) (Outcome, error) {
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
	out.Says = "Saved. It holds from now on, also for reviews that are open."
	return out, err
}
