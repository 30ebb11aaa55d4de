package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type deleteBookEntry struct {
	ID      bookText `json:"id,omitempty" description:"without other members"`
	Title   bookText `json:"title,omitempty" description:"with chain, or if unique"`
	Address bookText `json:"address,omitempty" description:"with chain"`
	Chain   bookText `json:"chain,omitempty" description:"such as Sui"`
}

type deleteBookIn struct {
	Entries []deleteBookEntry `json:"entries" description:"1 to 32"`
}

// agentDeleteAddressBook deletes entries of the address book. Deleted entries are kept for 30 days.
func agentDeleteAddressBook(e executor, b addressBook, network string) tool.Tool {
	return tool.Declare(tool.Spec[deleteBookIn, bookOut]{
		Name:      "agent.delete_address_book",
		Title:     "Delete from address book",
		Summary:   "Deletes saved names. If several entries match, none is deleted.",
		Untrusted: []tool.Origin{tool.FromPerson},
		Effect:    tool.ClearsLocal,
		Errors:    []fault.Code{fault.Blocked},
		Toolset:   toolsetActions,
		Cases:     []tool.Case[bookOut]{{Name: "results", Use: bookUse("results")}},
		Examples: []tool.Example{
			{Name: "not there", Given: givenNothing, In: `{"entries":[{"title":"Alice","chain":"Sui"}]}`, Case: "results"},
			{Name: "kept by the person", Given: givenBookClosed, In: `{"entries":[{"title":"Alice","chain":"Sui"}]}`,
				Fault: fault.Blocked},
		},
		Run: func(c tool.Call, in deleteBookIn) (bookOut, error) {
			if err := fewEnough(len(in.Entries)); err != nil {
				return bookOut{}, err
			}
			// The answer contains the titles of deleted entries, so nothing is deleted if AI
			// clients may not read the book.
			if err := b.Readable(c.Context()); err != nil {
				return bookOut{}, err
			}
			data, id, err := act[actions.BookResults](c.Context(), e, actions.DeleteBook, in)
			return resultsOf(network, id, data.Results), err
		},
		Undo: func(ctx context.Context, out *bookOut) {
			if ids := out.done(); len(ids) > 0 {
				_ = b.Restore(ctx, ids...) // on failure the user can still restore it for 30 days
			}
		},
	})
}
