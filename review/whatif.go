package review

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/review/gate"
)

// Change is a change that the user wants in a request. A field with its zero value changes nothing.
type Change struct {
	Amount      string // amount to pay, as plain decimal text
	SlippageBps int    // in basis points
	Venue       string // slug
	Price       string // price of an order, as plain decimal text
}

// The fields of a Change.
const (
	ChangeAmount   = "amount"
	ChangeSlippage = "slippage"
	ChangeVenue    = "venue"
	ChangePrice    = "price"
)

// Changeable lists what the user can change in the request of a review. It returns nil if a wallet
// may have its transaction, or if the review has several steps.
func Changeable(s record.Session) (fields []string) {
	in := s.Intent
	if s.Proposal != nil || len(in.Steps) > 0 || len(s.Releases) > 0 || !s.Status.Computable() {
		return nil
	}
	if in.From.Amount != "" && !in.From.Raw {
		fields = append(fields, ChangeAmount)
	}
	if in.MaxSlippageBps > 0 {
		fields = append(fields, ChangeSlippage, ChangeVenue)
	}
	if in.Order != nil && in.Order.Price != "" {
		fields = append(fields, ChangePrice)
	}
	return fields
}

// Changed returns the intent of a review with a change applied.
func Changed(s record.Session, c Change) (plan.Intent, error) {
	in, can := s.Wanted(), Changeable(s)
	for field, set := range map[string]bool{ChangeAmount: c.Amount != "", ChangeSlippage: c.SlippageBps != 0,
		ChangeVenue: c.Venue != "", ChangePrice: c.Price != ""} {
		if set && !slices.Contains(can, field) {
			return in, fault.New(fault.UnsupportedAction, "The %s of this review cannot be changed here.", field).With("field",
				field)
		}
	}
	if c.Amount != "" {
		in.From.Amount = c.Amount
	}
	if c.SlippageBps != 0 {
		in.MaxSlippageBps = c.SlippageBps
	}
	if c.Venue != "" && c.Venue != in.Protocol {
		in.Protocol, in.FeeMode = c.Venue, ""
	}
	if c.Price != "" {
		o := *in.Order
		o.Price, in.Order = c.Price, &o
	}
	if in.RecipientName != "" {
		in.Recipient = "" // the name is resolved again
	}
	return in, nil
}

// WhatIf runs the preflight of a review with a change applied. It builds and stores nothing.
func (s *Service) WhatIf(ctx context.Context, of record.Session, c Change) (record.Session, record.Looked, error) {
	in, err := Changed(of, c)
	if err != nil {
		return record.Session{}, record.Looked{}, err
	}
	draft, err := s.prepared(ctx, in)
	if err != nil {
		return record.Session{}, record.Looked{}, err
	}
	looked := gate.Look(ctx, s.gates, draft)
	return draft, looked, ctx.Err()
}
