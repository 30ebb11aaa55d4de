package web

import (
	"context"

	names "github.com/sayurintent/sayurintent/internal/book"
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
