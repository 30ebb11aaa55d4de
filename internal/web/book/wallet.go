package book

import (
	"context"

	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// PaidNames stores the SuiNS names that were paid from this machine. *store.DB implements it.
type PaidNames interface {
	PaidNames(ctx context.Context) ([]record.PaidName, error)
	// ForgetName deletes the record of a name, so that its next payment counts as the first. judge
	// is checked in the same transaction.
	ForgetName(ctx context.Context, name string, judge func(context.Context) error) error
	// Payments returns how often addresses were paid from this machine.
	Payments(ctx context.Context, addresses []string) (map[string]record.Payments, error)
}

// paidLine is a paid name on the page.
type paidLine struct{ Name, Address, At string }

func (p *page) paidLines(ctx context.Context) (out []paidLine, err error) {
	list, err := p.PaidNames.PaidNames(ctx)
	for _, n := range list {
		out = append(out, paidLine{n.Name, n.Target, words.At(n.At)})
	}
	return out, err
}

type forgetIn struct {
	Name string `json:"name"`
}

func (p *page) forget(c *web.Call, in forgetIn) error {
	paid, err := p.paidLines(c.Ctx())
	if err != nil {
		return err
	}
	o := names.Outcome{Refused: names.NotFound}
	for _, one := range paid {
		if one.Name == in.Name {
			o.Refused, err = "", p.PaidNames.ForgetName(c.Ctx(), in.Name, c.Right)
		}
	}
	return saidOf(c, o, err, "Forgotten. The next payment to "+words.Whole(in.Name)+" is compared with nothing.")
}

type challengeIn struct {
	IDs []string `json:"ids"`
}

// challenge responds with the message that the wallet of the account in use signs to confirm
// entries.
func (p *page) challenge(c *web.Call, in challengeIn) error {
	used, ok, err := p.Lists.Accounts.Active(c.Ctx())
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.ActiveAccountNotSet, "Connect a wallet account first: it confirms the names.")
	}
	asked, err := p.Names.AskWallet(c.Ctx(), used.Account, in.IDs)
	return web.Result(c, asked, err)
}

type confirmIn struct {
	Message   string `json:"message"`
	Signature string `json:"signature"`
}

func (p *page) confirm(c *web.Call, in confirmIn) error {
	n, err := p.Names.Confirm(c.Ctx(), in.Message, in.Signature, c.Right)
	return saidOf(c, names.Outcome{}, err, "Confirmed: "+words.Plural(n, "name", "names")+".")
}
