package actions

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/screen"
)

// Asked is a request with one or more steps. A single step that another program built is signed
// directly. Any other request is a bundle, which the user must approve first.
type Asked struct {
	Client string // see Caller.Client
	Label  string
	Skip   bool
	Steps  []Wish // in execution order
}

// Wish is one step, in the JSON form of the tool for AI clients. Material takes the place of an
// intent.
type Wish struct {
	ID       string          `json:"id"`
	Sequence int64           `json:"sequence"`
	Chain    string          `json:"chain"`
	Action   string          `json:"action,omitempty"`
	Intent   json.RawMessage `json:"intent,omitempty"`
	Review   string          `json:"reviewSessionId,omitempty"`
	ResultOf string          `json:"resultOf,omitempty"`
	Manager  string          `json:"managerOf,omitempty"`
	Share    string          `json:"share,omitempty"`
	Coin     string          `json:"coin,omitempty"`
	Wait     *bool           `json:"wait_for_receipt,omitempty"`
	Timeout  *int64          `json:"receipt_timeout_seconds,omitempty"`
	Material *Material       `json:"-"`
	Key      Key             `json:"-"`
}

// Key describes the key with which the requester wants the step signed. It is only displayed; the
// wallet signs with the account's key.
type Key struct {
	Path   string `json:"path,omitempty"`   // derivation path
	Scheme string `json:"scheme,omitempty"` // signature scheme
}

// Requests creates requests and reports their results.
type Requests interface {
	// TakesMaterial reports whether the user accepts transactions built by other programs.
	TakesMaterial(ctx context.Context) (bool, error)
	// Judge validates a request and returns a function that stores it. Both return Refusals if the
	// request is rejected.
	Judge(ctx context.Context, b Asked) (keep func(ctx context.Context, tx Tx) (request string, err error), err error)
	// Over returns the result of a request so far.
	Over(ctx context.Context, request string) (End, error)
}

// End is the result of a request: its data and an error code, or "" if it succeeded. Both are empty
// until Over is set. Until Final is set, the chain may still contradict the result of a step, so
// the data can change.
type End struct {
	Data        any
	Why         string
	Over, Final bool
}

// Refusals contains the reasons why a bundle is rejected, in the order of its steps.
type Refusals []*Refusal

// Error returns the texts of all refusals.
func (r Refusals) Error() string {
	var texts []string
	for _, one := range r {
		texts = append(texts, one.Text)
	}
	return strings.Join(texts, " ")
}

// NotBegun is the error code of a valid step if another step caused the bundle to be rejected.
const NotBegun = "not_begun"

// refusalsIn returns the Refusals in an error's chain, or nil.
func refusalsIn(err error) Refusals {
	var all Refusals
	if errors.As(err, &all) {
		return all
	}
	if one := (*Refusal)(nil); errors.As(err, &one) {
		return Refusals{one}
	}
	return nil
}

// refused returns the result of a rejected bundle, in which every step has an error. The error of
// the bundle is that of the first rejected step.
func (in bundle) refused(steps []step, why Refusals) error {
	data := BundleData{}
	if in.Skip != nil && *in.Skip {
		data.Skipped = new(bool)
	}
	for _, s := range steps {
		one, said := s.result(), &Refusal{Word: NotBegun,
			Text: "Another step was rejected, so the user was not shown the bundle."}
		for _, w := range why {
			if w.Step == "" || w.Step == one.ID {
				said = w
			}
		}
		one.Status, one.Error, one.Message, one.Protocols = "failed", &said.Word, said.Text, said.Protocols
		data.Transactions = append(data.Transactions, one)
	}
	return &failure{why[0].Word, data}
}

// carried returns the work for a bundle whose transactions are all on Sui.
func carried(in bundle, steps []step) (w work) {
	w.caller = new(Caller)
	var keep func(context.Context, Tx) (string, error)
	var refused error
	w.prepare = func(ctx context.Context, e *Executor) (err error) {
		if err = e.allowed(ctx, *w.caller, steps); err == nil {
			keep, err = e.c.Requests.Judge(ctx, in.asked(*w.caller, steps))
		}
		if why := refusalsIn(err); why != nil {
			refused, err = in.refused(steps, why), nil
		}
		return err
	}
	w.do = func(ctx context.Context, _ *Executor, tx Tx) (any, error) {
		if refused != nil {
			return nil, refused
		}
		id, err := keep(ctx, tx)
		if why := refusalsIn(err); why != nil {
			return nil, in.refused(steps, why)
		}
		if err != nil {
			return nil, err
		}
		return nil, &requested{id}
	}
	return w
}

// allowed rejects requests that the caller may not make, and transactions built by other programs
// if the user has not allowed them.
func (e *Executor) allowed(ctx context.Context, c Caller, steps []step) error {
	if slices.ContainsFunc(steps, step.foreign) {
		on := false
		if e.c.Requests != nil && c.ID != "" {
			var err error
			if on, err = e.c.Requests.TakesMaterial(ctx); err != nil {
				return err
			}
		}
		//mutant:never ./internal/actions TestMaterial
		if !on {
			return &Refusal{Word: MaterialOff,
				Text: "Transactions built by other programs are not accepted. The user can allow them on the settings page."}
		}
	}
	switch {
	case c.ID == "":
		return &Refusal{Word: NotAllowed,
			Text: "AI clients request bundles with the tool agent.sign_transaction_bundle."}
	case e.c.Requests == nil:
		return &Refusal{Word: NotAllowed, Text: "Bundles cannot be executed here."}
	}
	return nil
}

// tooMany reports whether a caller has reached the limit of requests that wait for the user.
func (e *Executor) tooMany(ctx context.Context, caller string) (bool, error) {
	if err := e.settle(ctx, caller); err != nil {
		return false, err
	}
	rows, err := e.c.Store.ReviewedActions(ctx, caller)
	waiting := 0
	for _, row := range rows {
		if row.Result == nil {
			waiting++
		}
	}
	return waiting >= MostWaiting, err
}

// asked converts the bundle to a request.
func (in bundle) asked(c Caller, steps []step) Asked {
	b := Asked{Client: c.Client, Label: said(in.Label), Skip: in.Skip != nil && *in.Skip}
	for _, s := range steps {
		w := Wish{ID: *s.ID, Sequence: *s.Sequence, Chain: *s.Chain, Action: screen.Line(said(s.Action), mostTitle),
			Review: said(s.Review) + said(s.Session), ResultOf: said(s.ResultOf), Manager: said(s.Manager), Share: said(s.Share),
			Coin: said(s.Coin),
			Wait: s.Wait, Timeout: s.Timeout, Key: Key{Scheme: said(s.Mode)}}
		if s.Context != nil {
			w.Key.Path = screen.Line(said(s.Context.Path), mostTitle)
		}
		if s.wishes() {
			w.Intent = s.Intent
		}
		if s.foreign() {
			m := s.material()
			w.Material = &m
		}
		b.Steps = append(b.Steps, w)
	}
	return b
}

// said returns the text that s points to, or "" if s is nil.
func said(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
