package worker

import (
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// decodeIn names the transaction. Exactly one of its fields must be set.
type decodeIn struct {
	Data   string    `json:"data"` // hexadecimal or base64
	Review record.ID `json:"review_session_id"`
}

type decodeOut struct {
	Sender    sui.Address `json:"sender"`
	GasOwner  sui.Address `json:"gas_owner"`
	GasBudget sui.Raw     `json:"gas_budget"`
	GasPrice  sui.Raw     `json:"gas_price"`
	Words     words       `json:"words"`
}

// words is a sui.Description without bytes, because events must not contain any.
type words struct {
	Summary    []string `json:"summary,omitempty"` // effect of the whole transaction, if known
	Gas        string   `json:"gas"`
	Expiration string   `json:"expiration"`
	Inputs     []string `json:"inputs"`
	Commands   []string `json:"commands"`
	Warnings   []string `json:"warnings"`
}

// decodeCalldata describes a transaction, which is either data in the request or that of a review
// of this conversation. It does not store the data or return it.
func (s Sources) decodeCalldata(ctx context.Context, session string, payload json.RawMessage) (any, error) {
	in, err := read[decodeIn](payload)
	if err != nil {
		return nil, err
	}
	var tx *sui.Transaction
	switch {
	case (in.Data == "") == (in.Review == ""):
		err = bad("Pass either data or review_session_id.")
	case in.Review != "":
		tx, err = s.transactionOf(ctx, session, in.Review)
	default:
		tx, err = decode(in.Data)
	}
	if err != nil {
		return nil, err
	}
	d := floor.Describe(tx)
	out := decodeOut{tx.Sender, tx.Gas.Owner, sui.Raw(tx.Gas.Budget), sui.Raw(tx.Gas.Price),
		words{d.Summary, d.Gas, d.Expiration, []string{}, []string{}, d.Warnings}}
	for _, i := range d.Inputs {
		out.Words.Inputs = append(out.Words.Inputs, i.Text)
	}
	for _, c := range d.Commands {
		out.Words.Commands = append(out.Words.Commands, c.Text)
	}
	return out, nil
}

func decode(text string) (*sui.Transaction, error) {
	_, tx, err := sui.ReadTransactionText(text)
	switch {
	case err == nil:
	case fault.Is(err, fault.InputInvalid):
		err = fault.Wrap(err, fault.InputInvalid, "This is not a readable Sui transaction.")
	default:
		err = bad("data must be transaction data in base64 or hexadecimal.")
	}
	return tx, err
}

// transactionOf returns the current transaction of a review, which must belong to the conversation.
func (s Sources) transactionOf(ctx context.Context, session string, id record.ID) (*sui.Transaction, error) {
	if err := s.own(ctx, session, id); err != nil {
		return nil, err
	}
	tx, err := s.Transaction(ctx, id)
	if err == nil && tx == nil {
		err = bad("This review has no transaction now.")
	}
	return tx, err
}

func bad(text string) error { return fault.New(fault.InputInvalid, "%s", text) }
