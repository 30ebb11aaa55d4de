package review

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Wish is what a person asked for, as far as having it done twice would do harm.
// Slippage, the mode of a fee, the venue and how an amount was written are no
// part of it: a wish that differs in these alone is the same one.
type Wish struct {
	Action    string
	From, To  sui.CoinType
	Gives     sui.Raw // what leaves
	Gets      sui.Raw // what arrives, where the person named it
	Recipient sui.Address
	Manager   sui.ObjectID // zero: not named, so it may be any
	Pool      string       // of an order
	Side      string
	Price     string
	Quantity  string
	Order     string // the order that is taken back

	read bool // an adapter understood the intent
}

// Same reports whether two wishes of one account are the same. A wish that no
// adapter understands any more may be any of its action.
func (w Wish) Same(o Wish) bool {
	if w.Action != o.Action {
		return false
	}
	//mutant:never ./review TestLawBesideOpenReleases
	if !w.read || !o.read {
		return true
	}
	if w.Manager.IsZero() || o.Manager.IsZero() {
		w.Manager, o.Manager = sui.ObjectID{}, sui.ObjectID{}
	}
	return w == o
}

// wishReader reads the wish of a review. Facts name the balance manager where
// the intent does not; they may be nil.
type wishReader func(protocol, action string, in Intent, f *Facts) Wish

// wish reads the wish of a review by the adapter's own plan, which asks nobody.
func (s *Service) wish(protocol, action string, in Intent, f *Facts) Wish {
	w := Wish{Action: action}
	adapter := s.adapterOf(Session{Protocol: protocol, Action: action})
	if adapter == nil {
		return w
	}
	plan, err := adapter.Plan(in, s.now())
	if err != nil {
		return w
	}
	w.read, w.From, w.To = true, plan.From.CoinType, plan.To.CoinType
	w.Gives, w.Gets, w.Recipient, w.Manager = plan.Input.Raw, plan.Output, plan.Recipient, plan.Subject
	if o := in.Order; o != nil {
		w.Pool, w.Side, w.Price, w.Quantity = plan.Route, o.Side, shortest(o.Price), shortest(o.Quantity)
		w.Order = strings.TrimLeft(in.OrderID, "0")
	}
	if f != nil && w.Manager.IsZero() {
		w.Manager = managerOf(*f)
	}
	return w
}

// managerOf returns the balance manager that facts name, zero where there is none.
func managerOf(f Facts) sui.ObjectID {
	for _, t := range f.Terms {
		if t.Name == TermManager {
			if id, err := sui.ParseAddress(t.Value); err == nil {
				return id
			}
		}
	}
	return sui.ObjectID{}
}

// shortest writes a plain decimal number without the zeros that change nothing.
func shortest(decimal string) string {
	whole, fraction, _ := strings.Cut(decimal, ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}
