package tools

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/sayurintent/sayurintent/internal/actions"
	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Shared code of the address-book tools. The specification defines the names of members.

const (
	toolsetActions = "actions"
	toolBook       = "agent.get_address_book"
)

// addressBook stores the user's names for addresses.
type addressBook interface {
	Delete(ctx context.Context, asked []names.Target, rights ...names.Right) ([]names.Outcome, error)
	Readable(ctx context.Context) error
	Naming(ctx context.Context, addresses ...string) (names.Naming, error)
	Restore(ctx context.Context, ids ...string) error
	Recipient(ctx context.Context, id string) (names.Entry, error)
	Called(ctx context.Context, title string) (names.Entry, error)
}

// executor executes actions that tools, pages and programs request.
type executor interface {
	Do(ctx context.Context, kind string, params json.RawMessage) (actions.Result, error)
}

// act executes an action. It returns the data of the result, and the id of the execution.
func act[T, In any](ctx context.Context, e executor, kind string, in In) (data T, id string, err error) {
	params, err := json.Marshal(in)
	if err != nil {
		return data, "", err
	}
	r, err := e.Do(ctx, kind, params)
	if err == nil && !r.Success {
		err = fault.New(fault.InputInvalid, "Nothing was changed: %s.", r.Error).With("reason", r.Error)
	}
	if err == nil {
		err = json.Unmarshal(r.Data, &data)
	}
	return data, r.ActionID, err
}

// bookText is a text in an address-book entry. The book checks its content.
type bookText string

// Shape implements tool.Shaped.
func (bookText) Shape() tool.Shape {
	return tool.Shape{Rule: "the text in the user's words", MinLength: 1, MaxLength: 400}
}

// bookResult is the result for one entry in a call.
type bookResult struct {
	ID      string  `json:"id" description:"ID of the entry; empty if none"`
	Title   string  `json:"title" description:"its name"`
	Address string  `json:"address" description:"its full address"`
	Chain   string  `json:"chain" description:"its chain"`
	Success bool    `json:"success" description:"whether it was done"`
	Error   *string `json:"error" null:"" description:"why not"`
	Alike   string  `json:"possible_lookalike_of,omitempty" description:"ID of an entry with a look-alike address; ask the user to compare full addresses"`
}

type bookOut struct {
	Network string       `json:"network" description:"network of this server"`
	Action  string       `json:"action_id" description:"id of this call among actions"`
	Results []bookResult `json:"results" description:"one per entry, in the same order"`
}

func resultsOf(network, id string, list []actions.BookResult) bookOut {
	out := bookOut{Network: network, Action: id, Results: []bookResult{}}
	for _, r := range list {
		out.Results = append(out.Results, bookResult(r))
	}
	return out
}

// done returns the ids of the entries that were changed.
func (o bookOut) done() (ids []string) {
	for _, r := range o.Results {
		if r.Success {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// fewEnough returns an error if a call has no entries or too many.
func fewEnough(n int) error {
	if n < 1 || n > names.MostAtOnce {
		return fault.New(fault.InputInvalid, "A call takes 1 to %d entries.", names.MostAtOnce).With("field", "entries")
	}
	return nil
}

// payees returns a function for the names of recipients in the address book. If AI clients may not
// read the book, or reading it fails, the function returns "". The answer contains the full
// addresses in any case.
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
	return evidence.Use{Can: evidence.Claims{evidence.AddressBook}, Cannot: evidence.Claims{evidence.SigningData},
		Answer: fields}
}
