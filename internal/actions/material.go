package actions

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// Material is a transaction that somebody else built, with what the caller says of it. It
// lives as long as one call.
type Material struct {
	Hex, ChainID string
	Kind         bool
	Payload      string

	From, To, Value, Symbol, Amount string
}

// Materials takes the meaning of such transactions.
type Materials interface {
	// Allowed reports whether the person takes any.
	Allowed(ctx context.Context) (bool, error)
	// Read checks one and returns the review of what it does, which keep stores. What is
	// not taken is a *Refusal.
	Read(ctx context.Context, m Material) (keep func(ctx context.Context) (review string, err error), err error)
	// Ended reports how a review ended, false while it has not.
	Ended(ctx context.Context, review string) (Ending, bool, error)
}

// Ending is the end of a review: a status of a transaction, the error where it is none of
// success, and the digest where it was submitted.
type Ending struct{ Status, Error, Digest string }

// Refusal is why a transaction is not taken: a word, and a text that says what to do.
type Refusal struct{ Word, Text string }

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// The errors of transactions that others built.
const (
	MaterialOff = "external_material_disabled"
	OneAtATime  = "one_external_transaction_at_a_time"
)

// reviewing is what is kept of an action while its review is not over.
type reviewing struct {
	Review string     `json:"review"`
	Step   StepResult `json:"step"`
	Skip   *bool      `json:"skip,omitempty"`
}

func (r *reviewing) Error() string { return "its review is not over" }

// data is the data of a bundle of one transaction.
func (r *reviewing) data() BundleData {
	return BundleData{Transactions: []StepResult{r.Step}, Success: r.Step.Error == nil, Skipped: r.Skip}
}

// foreign is the work of a bundle of transactions on Sui that somebody else built.
func foreign(in bundle, steps []step) (w work) {
	var keep func(context.Context) (string, error)
	w.local = new(bool)
	r := &reviewing{Step: steps[0].result()}
	if in.Skip != nil && *in.Skip {
		r.Skip = new(bool) // the person reads every one
	}
	all := func(why, text string) error {
		data := BundleData{Skipped: r.Skip}
		for _, s := range steps {
			one := s.result()
			one.Status, one.Error, one.Message = "failed", &why, text
			data.Transactions = append(data.Transactions, one)
		}
		return &failure{why, data}
	}
	var refused error
	w.prepare = func(ctx context.Context, e *Executor) error {
		on := false
		if e.c.Materials != nil && !*w.local {
			var err error
			if on, err = e.c.Materials.Allowed(ctx); err != nil {
				return err
			}
		}
		switch {
		//mutant:never ./internal/actions TestMaterial
		case !on:
			refused = all(MaterialOff,
				"Transactions that other programs built are not taken. The person can allow them on the settings page.")
			return nil
		case len(steps) > 1:
			refused = all(OneAtATime, "Send one transaction, wait for its result on the stream, then send the next.")
			return nil
		}
		var err error
		keep, err = e.c.Materials.Read(ctx, steps[0].material())
		if f := (*Refusal)(nil); errors.As(err, &f) {
			refused = all(f.Word, f.Text)
			return nil
		}
		return err
	}
	w.do = func(ctx context.Context, _ *Executor) (any, error) {
		if refused != nil {
			return nil, refused
		}
		id, err := keep(ctx)
		if err != nil {
			return nil, err
		}
		r.Review = id
		return nil, r
	}
	return w
}

// result is the beginning of a result.
func (s step) result() StepResult {
	return StepResult{ID: *s.ID, Sequence: *s.Sequence, Chain: *s.Chain}
}

// material is what the step asks to sign, and what it says of that.
func (s step) material() (m Material) {
	take := func(from *string) string {
		if from == nil {
			return ""
		}
		return *from
	}
	m.Hex, m.Payload = take(s.Hex), take(s.Payload)
	if c := s.Context; c != nil {
		m.ChainID, m.Kind = take(c.ChainID), take(c.Type) == "transaction_kind"
	}
	if d := s.Details; d != nil {
		m.From, m.To, m.Value, m.Symbol, m.Amount = take(d.From), take(d.To), take(d.Value), take(d.TokenSymbol),
			strings.TrimSpace(take(d.Amount))
	}
	return m
}

// settle stores the results of a caller's actions whose reviews are over.
func (e *Executor) settle(ctx context.Context, caller string) error {
	rows, err := e.c.Store.ReviewedActions(ctx, caller)
	if err != nil || e.c.Materials == nil {
		return err
	}
	for _, row := range rows {
		var r reviewing
		if err := json.Unmarshal(row.Review, &r); err != nil {
			continue
		}
		end, over, err := e.c.Materials.Ended(ctx, r.Review)
		if err != nil {
			return err
		}
		if !over {
			continue
		}
		if err := e.settled(ctx, row, r, end); err != nil {
			return err
		}
	}
	return nil
}

// settled stores one result, unless another process did.
func (e *Executor) settled(ctx context.Context, row Row, r reviewing, end Ending) error {
	r.Step.Status = end.Status
	if end.Digest != "" {
		r.Step.TxHash = &end.Digest
	}
	var failed error
	if end.Error != "" {
		r.Step.Error = &end.Error
		failed = &failure{end.Error, r.data()}
	}
	done := Result{Action: row.Type, ActionID: row.ID}.with(r.data(), failed)
	return e.c.Store.Act(ctx, row.Caller, row.ID, func(_ context.Context, before *Row) (*Row, error) {
		if before == nil || before.Result != nil {
			return nil, nil
		}
		b, err := json.Marshal(done)
		row.Review, row.Result = nil, b
		return &row, err
	})
}

// Reviewing reports whether reviews of a caller's actions are not over.
func (e *Executor) Reviewing(ctx context.Context, caller string) (bool, error) {
	rows, err := e.c.Store.ReviewedActions(ctx, caller)
	return len(rows) > 0, err
}
