package actions

import (
	"context"
	"encoding/json"
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
	// Read checks one and returns the review of what it does, which keep stores. client is
	// as Caller.Client. What is not taken is a *Refusal.
	Read(ctx context.Context, client string, m Material) (keep func(ctx context.Context) (review string, err error),
		err error)
	// Ended reports how a review ended, false while it has not.
	Ended(ctx context.Context, review string) (Ending, bool, error)
}

// Ending is the end of a review: a status of a transaction, the error where it is none of
// success, and the digest where it was submitted.
type Ending struct{ Status, Error, Digest string }

// Refusal is why a transaction is not taken: a word, and a text that says what to do. Step
// is the id of the transaction, "" for all of the bundle.
type Refusal struct{ Word, Text, Step string }

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// MaterialOff is the error of transactions that others built where the person takes none.
const MaterialOff = "external_material_disabled"

// reviewing is what is kept of an action while its review, or its bundle of several, is
// not over.
type reviewing struct {
	Review string     `json:"review,omitempty"`
	Bundle string     `json:"bundle,omitempty"`
	Step   StepResult `json:"step,omitzero"` // of Review
	Skip   *bool      `json:"skip,omitempty"`
}

func (r *reviewing) Error() string { return "its review is not over" }

// data is the data of a bundle of one transaction.
func (r *reviewing) data() BundleData {
	return BundleData{Transactions: []StepResult{r.Step}, Success: r.Step.Error == nil, Skipped: r.Skip}
}

// one prepares the review of the one transaction of a bundle that somebody else built.
func (e *Executor) one(ctx context.Context, c Caller, s step, r *reviewing) (keep func(context.Context) error,
	err error) {
	store, err := e.c.Materials.Read(ctx, c.Client, s.material())
	if err != nil {
		return nil, err
	}
	r.Step = s.result()
	return func(ctx context.Context) (err error) {
		r.Review, err = store(ctx)
		return err
	}, nil
}

// result is the beginning of a result.
func (s step) result() StepResult {
	return StepResult{ID: *s.ID, Sequence: *s.Sequence, Chain: *s.Chain}
}

// material is what the step asks to sign, and what it says of that.
func (s step) material() (m Material) {
	m.Hex, m.Payload = said(s.Hex), said(s.Payload)
	if c := s.Context; c != nil {
		m.ChainID, m.Kind = said(c.ChainID), said(c.Type) == "transaction_kind"
	}
	if d := s.Details; d != nil {
		m.From, m.To, m.Value, m.Symbol, m.Amount = said(d.From), said(d.To), said(d.Value), said(d.TokenSymbol),
			strings.TrimSpace(said(d.Amount))
	}
	return m
}

// settle stores the results of a caller's actions whose reviews and bundles are over.
func (e *Executor) settle(ctx context.Context, caller string) error {
	rows, err := e.c.Store.ReviewedActions(ctx, caller)
	if err != nil {
		return err
	}
	for _, row := range rows {
		var r reviewing
		if err := json.Unmarshal(row.Review, &r); err != nil {
			continue
		}
		done, end, err := e.done(ctx, Result{Action: row.Type, ActionID: row.ID}, r)
		if err != nil {
			return err
		}
		if !end.Over {
			continue
		}
		if err := e.settled(ctx, row, done, end.Final); err != nil {
			return err
		}
	}
	return nil
}

// done completes the result of an action whose review or bundle is over.
func (e *Executor) done(ctx context.Context, result Result, r reviewing) (Result, BundleEnd, error) {
	if r.Bundle != "" && e.c.Bundles == nil || r.Bundle == "" && e.c.Materials == nil {
		return result, BundleEnd{}, nil // of an executor that has them
	}
	if r.Bundle != "" {
		end, err := e.c.Bundles.Over(ctx, r.Bundle)
		if err != nil || !end.Over {
			return result, BundleEnd{}, err
		}
		var failed error
		if end.Why != "" {
			failed = &failure{end.Why, end.Data}
		}
		return result.with(end.Data, failed), end, nil
	}
	end, over, err := e.c.Materials.Ended(ctx, r.Review)
	if err != nil || !over {
		return result, BundleEnd{}, err
	}
	final := BundleEnd{Over: true, Final: true}
	r.Step.Status = end.Status
	if end.Digest != "" {
		r.Step.TxHash = &end.Digest
	}
	if end.Error == "" {
		return result.with(r.data(), nil), final, nil
	}
	r.Step.Error = &end.Error
	return result.with(nil, &failure{end.Error, r.data()}), final, nil
}

// settled stores one result, unless another process did. One that is not final is stored
// beside what it is of, and replaced by what is learned later: the stream then has it anew.
func (e *Executor) settled(ctx context.Context, row Row, done Result, final bool) error {
	text, err := json.Marshal(done)
	if err != nil {
		return err
	}
	return e.c.Store.Act(ctx, row.Caller, row.ID, func(_ context.Context, before *Row) (*Row, error) {
		if before == nil || before.Review == nil || !final && string(before.Result) == string(text) {
			return nil, nil
		}
		after := *before
		after.Result = text
		if final {
			after.Review = nil
		}
		return &after, nil
	})
}

// Reviewing reports whether reviews of a caller's actions are not over.
func (e *Executor) Reviewing(ctx context.Context, caller string) (bool, error) {
	rows, err := e.c.Store.ReviewedActions(ctx, caller)
	return len(rows) > 0, err
}
