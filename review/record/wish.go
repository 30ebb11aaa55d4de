package record

import (
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// Wish is what a person asked for, reduced to what makes doing it twice harmful.
// Slippage, the fee mode, the venue and the way an amount was written are left out:
// two requests that differ only in these are the same wish.
type Wish struct {
	Action string       // of every step
	What   string       // what is promised, as far as the intent says it, and what else distinguishes it
	Object sui.ObjectID // the object that the person named; zero: not named, so it may be any

	Read bool // adapters understood the intent
}

// Same reports whether two wishes of one account are the same. A wish that no adapter
// understands any more may be any wish of its action.
func (w Wish) Same(o Wish) bool {
	if w.Action != o.Action {
		return false
	}
	//mutant:never ./review/handoff TestLawBesideOpenReleases
	if !w.Read || !o.Read {
		return true
	}
	if w.Object.IsZero() || o.Object.IsZero() {
		w.Object, o.Object = sui.ObjectID{}, sui.ObjectID{}
	}
	return w == o
}

// WishReader reads the wish of a review. Facts name the object that holds coins where
// the intent does not; they may be nil.
type WishReader func(protocol, action string, in plan.Intent, f *plan.Facts) Wish

// Wishes returns the reader that uses the adapters' plans alone and queries no node.
func Wishes(adapters []plan.Adapter, now func() time.Time) WishReader {
	return func(protocol, action string, in plan.Intent, f *plan.Facts) Wish {
		return wishOf(adapters, protocol, action, in, f, now())
	}
}

// wishOf reads the wish of an intent through its adapters.
func wishOf(all []plan.Adapter, protocol, action string, in plan.Intent, f *plan.Facts, now time.Time) Wish {
	if len(in.Steps) == 0 {
		in.Protocol, in.Type = protocol, action
	}
	w := Wish{Action: action}
	adapters := plan.AdaptersOf(all, in)
	if adapters == nil {
		return w
	}
	var what []string
	for i, step := range in.Each() {
		planned, err := plan.PlanStep(adapters[i], step, now)
		if err != nil {
			return Wish{Action: action}
		}
		line := step.Type + step.From.Share
		for _, b := range planned.Promise.Bounds() {
			if b.Role != plan.RoleHolding && b.Role != plan.RoleOffer {
				line += fmt.Sprintf(" %s %s %s %s..%s", b.Role, b.Party.ID, b.Coin.CoinType, b.Least, b.Most)
			}
		}
		what = append(what, line+" "+planned.Same)
		if w.Object.IsZero() {
			w.Object = planned.Subject
		}
	}
	w.Read, w.What = true, strings.Join(what, "; ")
	if f != nil && w.Object.IsZero() {
		w.Object = f.Holder()
	}
	return w
}

// Shortest writes a plain decimal number without redundant zeros.
func Shortest(decimal string) string {
	whole, fraction, _ := strings.Cut(decimal, ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}
