package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/actions"
	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type addBookEntry struct {
	Title   bookText `json:"title" brief:"" description:"name, such as Alice"`
	Address bookText `json:"address" brief:"" description:"full address"`
	Chain   bookText `json:"chain" description:"such as Sui or Ethereum"`
}

type addBookIn struct {
	Entries []addBookEntry `json:"entries" description:"1 to 32"`
}

// agentAddAddressBook adds entries to the address book.
func agentAddAddressBook(e executor, b addressBook, network string) tool.Tool {
	return tool.Declare(tool.Spec[addBookIn, bookOut]{
		Name:      "agent.add_address_book",
		Title:     "Add to address book",
		Summary:   "Saves names for complete addresses on any known chain. A name does not make an address trusted.",
		Untrusted: []tool.Origin{tool.FromPerson},
		Effect:    tool.AddsLocal,
		Toolset:   toolsetActions,
		Cases:     []tool.Case[bookOut]{{Name: "results", Use: bookUse("results")}},
		Examples: []tool.Example{
			{Name: "no chain", Given: givenNothing, In: `{"entries":[{"title":"Alice","address":"0xabc","chain":"Moon"}]}`,
				Case: "results"},
		},
		Run: func(c tool.Call, in addBookIn) (bookOut, error) {
			if err := fewEnough(len(in.Entries)); err != nil {
				return bookOut{}, err
			}
			data, id, err := act[actions.BookResults](c.Context(), e, actions.AddBook, in)
			return resultsOf(network, id, data.Results), err
		},
		Undo: func(ctx context.Context, out *bookOut) {
			var asked []names.Target
			for _, id := range out.done() {
				asked = append(asked, names.Target{ID: id})
			}
			if len(asked) > 0 {
				_, _ = b.Delete(ctx, asked) // an entry that remains can be deleted by the user
			}
		},
	})
}
