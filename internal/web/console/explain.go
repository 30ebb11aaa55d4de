package console

import (
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// explainIn is a transaction that the user pasted.
type explainIn struct {
	Data string `json:"data"`
}

// explained is what the bytes of the transaction say.
type explained struct {
	Announce, Problem        string
	Says, Warnings, Commands []string
	Sender, Gas, Expiration  string
}

// explain describes a transaction as the page of a review does. It stores nothing.
func (p *page) explain(c *web.Call, in explainIn) error {
	_, tx, err := sui.ReadTransactionText(in.Data)
	if err != nil {
		v := explained{Problem: "Paste the bytes of a transaction as base64 or hexadecimal digits."}
		if fault.Is(err, fault.InputInvalid) {
			v.Problem = "This is not a Sui transaction: " + words.Sentence(words.Whole(fault.As(err).Text))
		}
		v.Announce = v.Problem
		return web.Fragment(c, "explained", v)
	}
	d := floor.Describe(tx)
	v := explained{Announce: "Here is what it does.", Sender: tx.Sender.String(), Gas: words.Whole(d.Gas),
		Expiration: words.Whole(d.Expiration)}
	for _, line := range d.Summary {
		v.Says = append(v.Says, words.Whole(line))
	}
	for _, w := range d.Warnings {
		v.Warnings = append(v.Warnings, words.Whole(w))
	}
	for _, one := range d.Commands {
		v.Commands = append(v.Commands, words.Whole(one.Text))
	}
	return web.Fragment(c, "explained", v)
}
