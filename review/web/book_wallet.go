package web

import (
	"context"
	"net/http"

	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/review/record"
)

// PaidNames are the names of SuiNS that were paid from this machine. A *store.DB is one.
type PaidNames interface {
	PaidNames(ctx context.Context) ([]record.PaidName, error)
	// ForgetName lets a name be paid as if it never had been. judge is asked in the
	// transaction.
	ForgetName(ctx context.Context, name string, judge func(context.Context) error) error
}

// paidLine is one of them on the page.
type paidLine struct{ Name, Address, At string }

func (s *Server) paidLines(ctx context.Context) (out []paidLine, err error) {
	if s.PaidNames == nil {
		return nil, nil
	}
	list, err := s.PaidNames.PaidNames(ctx)
	for _, n := range list {
		out = append(out, paidLine{n.Name, n.Target, at(n.At)})
	}
	return out, err
}

type forgetIn struct {
	Name string `json:"name"`
}

func (s *Server) bookForget(c *call) error {
	in, err := body[forgetIn](c)
	if err != nil {
		return err
	}
	paid, err := s.paidLines(c.ctx())
	if err != nil {
		return err
	}
	o := names.Outcome{Refused: names.NotFound}
	for _, p := range paid {
		if p.Name == in.Name {
			o.Refused, err = "", s.PaidNames.ForgetName(c.ctx(), in.Name, c.right)
		}
	}
	return saidOf(c, o, err, "Forgotten. The next payment to "+whole(in.Name)+" is compared with nothing.")
}

type challengeIn struct {
	IDs []string `json:"ids"`
}

// bookChallenge gives the message by which the wallet of the account in use confirms
// entries.
func (s *Server) bookChallenge(c *call) error {
	in, err := body[challengeIn](c)
	if err != nil {
		return err
	}
	used, ok, err := s.Accounts.Active(c.ctx())
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.ActiveAccountNotSet, "Connect a wallet account first: it confirms the names.")
	}
	asked, err := s.Names.AskWallet(c.ctx(), used.Account, in.IDs)
	if err == nil {
		writeJSON(c.w, http.StatusOK, asked)
	}
	return err
}

type confirmIn struct {
	Message   string `json:"message"`
	Signature string `json:"signature"`
}

func (s *Server) bookConfirm(c *call) error {
	in, err := body[confirmIn](c)
	if err != nil {
		return err
	}
	n, err := s.Names.Confirm(c.ctx(), in.Message, in.Signature, c.right)
	return saidOf(c, names.Outcome{}, err, "Confirmed: "+plural(n, "name", "names")+".")
}
