package actions

import (
	"context"
	"encoding/json"
	"strings"
)

// Material is a transaction that another program built, with the caller's description of it. It is
// kept only during one call.
type Material struct {
	Hex, ChainID string
	Kind         bool
	Payload      string

	From, To, Value, Symbol, Amount string
}

// Refusal explains why a transaction is rejected, with a code and a text that says what to do. Step
// is the ID of the transaction, or "" for the whole bundle. Protocols lists the choices if several
// protocols can execute the intent.
type Refusal struct {
	Word, Text, Step string
	Protocols        []string
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// MaterialOff is the error code for transactions built by other programs if the user has not
// allowed them.
const MaterialOff = "external_material_disabled"

// requested is stored with an action until its request ends.
type requested struct {
	Request string `json:"request"`
}

func (r *requested) Error() string { return "its request is not over" }

// result returns the step's result before anything has happened.
func (s step) result() StepResult {
	return StepResult{ID: *s.ID, Sequence: *s.Sequence, Chain: *s.Chain}
}

// material returns the step's transaction with its description.
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

// settle stores the results of a caller's actions whose requests have ended.
func (e *Executor) settle(ctx context.Context, caller string) error {
	rows, err := e.c.Store.ReviewedActions(ctx, caller)
	if err != nil {
		return err
	}
	for _, row := range rows {
		var r requested
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

// done returns the completed result of an action if its request has ended.
func (e *Executor) done(ctx context.Context, result Result, r requested) (Result, End, error) {
	if e.c.Requests == nil {
		return result, End{}, nil // an executor with requests will store it
	}
	end, err := e.c.Requests.Over(ctx, r.Request)
	if err != nil || !end.Over {
		return result, End{}, err
	}
	var failed error
	if end.Why != "" {
		failed = &failure{end.Why, end.Data}
	}
	return result.with(end.Data, failed), end, nil
}

// settled stores a result unless another process already has. A result that is not final is stored
// together with its request and replaced later; the stream then delivers the new one.
func (e *Executor) settled(ctx context.Context, row Row, done Result, final bool) error {
	text, err := json.Marshal(done)
	if err != nil {
		return err
	}
	return e.c.Store.Act(ctx, row.Caller, row.ID, func(_ Tx, before *Row) (*Row, error) {
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
