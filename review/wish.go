package review

import (
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Wish is what a person asked for, as far as having it done twice would do harm.
// Slippage, the mode of a fee, the venue and how an amount was written are no
// part of it: a wish that differs in these alone is the same one.
type Wish struct {
	Action string       // of every step
	What   string       // what is promised, as far as the intent says it, and what else distinguishes it
	Object sui.ObjectID // the object that the person named; zero: not named, so it may be any

	read bool // adapters understood the intent
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
	if w.Object.IsZero() || o.Object.IsZero() {
		w.Object, o.Object = sui.ObjectID{}, sui.ObjectID{}
	}
	return w == o
}

// wishReader reads the wish of a review. Facts name the object that holds coins
// where the intent does not; they may be nil.
type wishReader func(protocol, action string, in Intent, f *Facts) Wish

// wishes returns the reader that asks the adapters' own plans, and nobody else.
func wishes(adapters []Adapter, now func() time.Time) wishReader {
	return func(protocol, action string, in Intent, f *Facts) Wish {
		return wishOf(adapters, protocol, action, in, f, now())
	}
}

// wishOf reads the wish of an intent by its adapters.
func wishOf(all []Adapter, protocol, action string, in Intent, f *Facts, now time.Time) Wish {
	if len(in.Steps) == 0 {
		in.Protocol, in.Type = protocol, action
	}
	w := Wish{Action: action}
	adapters := AdaptersOf(all, in)
	if adapters == nil {
		return w
	}
	var what []string
	for i, step := range in.steps() {
		plan, err := adapters[i].Plan(step, now)
		if err != nil {
			return Wish{Action: action}
		}
		line := step.Type
		for _, b := range plan.Promise.Bounds() {
			if b.Role != RoleHolding && b.Role != RoleOffer {
				line += fmt.Sprintf(" %s %s %s %s..%s", b.Role, b.Party.ID, b.Coin.CoinType, b.Least, b.Most)
			}
		}
		what = append(what, line+" "+plan.Same)
		if w.Object.IsZero() {
			w.Object = plan.Subject
		}
	}
	w.read, w.What = true, strings.Join(what, "; ")
	if f != nil && w.Object.IsZero() {
		w.Object = f.holder()
	}
	return w
}

// Shortest writes a plain decimal number without the zeros that change nothing.
func Shortest(decimal string) string {
	whole, fraction, _ := strings.Cut(decimal, ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}
