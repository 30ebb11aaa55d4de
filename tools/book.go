package tools

import (
	"context"
	"slices"

	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// What the tools of the address book share. Their members have the names of the seed.

const (
	toolsetActions = "actions"
	toolBook       = "agent.get_address_book"
)

// addressBook keeps names for addresses.
type addressBook interface {
	Add(ctx context.Context, source names.Source, asked []names.Target, rights ...names.Right) ([]names.Outcome, error)
	Delete(ctx context.Context, asked []names.Target, rights ...names.Right) ([]names.Outcome, error)
	Readable(ctx context.Context) error
	Naming(ctx context.Context, addresses ...string) (names.Naming, error)
	Find(ctx context.Context, q names.Query) (names.Page, error)
	Restore(ctx context.Context, ids ...string) error
	Recipient(ctx context.Context, id string) (names.Entry, error)
}

// bookText is a text of an entry; whether it is one is the book's question.
type bookText string

// Shape bounds it.
func (bookText) Shape() tool.Shape {
	return tool.Shape{Rule: "the text as the person gave it", MinLength: 1, MaxLength: 400}
}

// bookResult is what became of one entry of a call.
type bookResult struct {
	ID      string  `json:"id" about:"id of the entry; empty where there is none"`
	Title   string  `json:"title" about:"its name"`
	Address string  `json:"address" about:"its whole address"`
	Chain   string  `json:"chain" about:"its chain"`
	Success bool    `json:"success" about:"whether it was done"`
	Error   *string `json:"error" null:"" about:"why not"`
	Alike   string  `json:"possible_lookalike_of,omitempty" about:"id of an entry whose address only looks like this one: have the person compare whole addresses"`
}

type bookOut struct {
	Network string       `json:"network" about:"network of this server"`
	Results []bookResult `json:"results" about:"one for each entry, in their order"`
}

func resultsOf(network string, list []names.Outcome) bookOut {
	out := bookOut{Network: network, Results: []bookResult{}}
	for _, o := range list {
		e := o.Entry
		r := bookResult{ID: e.ID, Title: e.Title, Address: e.Address, Chain: e.Chain, Success: o.Refused == "", Alike: o.Alike.ID}
		if !r.Success {
			refused := string(o.Refused)
			r.Error = &refused
		}
		out.Results = append(out.Results, r)
	}
	return out
}

// done returns the ids of the entries that a call changed.
func (o bookOut) done() (ids []string) {
	for _, r := range o.Results {
		if r.Success {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// fewEnough refuses a call of no entry, or of too many.
func fewEnough(n int) error {
	//mutant:never ./tools TestAddressBook
	if n < 1 || n > names.MostAtOnce {
		return fault.New(fault.InputInvalid, "One call has 1 to %d entries.", names.MostAtOnce).With("field", "entries")
	}
	return nil
}

// payees returns what the book says of the recipients of payments. It says nothing where
// the person keeps the book to themselves, or where it cannot be read: the whole
// addresses are in the answer in any case.
func payees(ctx context.Context, b addressBook, recipients ...string) func(recipient string) string {
	nothing := func(string) string { return "" }
	recipients = slices.DeleteFunc(recipients, func(r string) bool { return r == "" })
	if len(recipients) == 0 || b.Readable(ctx) != nil {
		return nothing
	}
	naming, err := b.Naming(ctx, recipients...)
	if err != nil {
		return nothing
	}
	return func(recipient string) string {
		if recipient == "" {
			return ""
		}
		return naming.Of(recipient).Words()
	}
}

func bookUse(fields ...string) evidence.Use {
	return evidence.Use{Can: evidence.Claims{evidence.AddressBook}, Cannot: evidence.Claims{evidence.SigningData}, Answer: fields}
}
