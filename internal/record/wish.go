package record

import (
	"fmt"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// StepWish is a step of a request, reduced to what makes a repetition harmful. It omits slippage,
// fee mode, venue, the notation of amounts, the requester and the other steps.
type StepWish struct {
	Action string
	What   string       // coins, parties and whatever else distinguishes the step, as far as the intent has it
	Amount string       // raw units of every coin in What; "" if another step's result is the amount
	Object sui.ObjectID // object that the user named; zero may be any object

	Read     bool // an adapter understood the step
	Harmless bool // it only cancels, revokes, or withdraws to the account itself
}

// Equal reports whether two steps of one account request the same. A step that no adapter
// understands anymore equals any step with its action. A harmless step equals none.
func (w StepWish) Equal(o StepWish) bool {
	if w.Action != o.Action {
		return false
	}
	//mutant:never ./review/handoff TestLawOfOpenReleases
	if !w.Read || !o.Read {
		return true
	}
	//mutant:never ./review TestWishes
	if w.Harmless || o.Harmless {
		return false
	}
	//mutant:never `w.Amount == ""` ./review TestWishes
	if w.Amount == "" || o.Amount == "" {
		w.Amount, o.Amount = "", ""
	}
	if w.Object.IsZero() || o.Object.IsZero() {
		w.Object, o.Object = sui.ObjectID{}, sui.ObjectID{}
	}
	return w == o
}

// Pair names two equal steps by their numbers, which count from 1.
type Pair struct{ Own, Other int }

// Collide returns, for each step of one request, the first equal step of another. Any pair means
// that the requests collide. Only this function decides what counts as a repetition.
func Collide(own, other []StepWish) (pairs []Pair) {
	for i, w := range own {
		//mutant:never ./internal/request TestPaidTwice
		if j := slices.IndexFunc(other, w.Equal); j >= 0 {
			pairs = append(pairs, Pair{i + 1, j + 1})
		}
	}
	return pairs
}

// WishReader reads the wishes of all steps of an intent. f names objects that hold coins if the
// intent does not; it may be nil.
type WishReader func(protocol, action string, in plan.Intent, f *plan.Facts) []StepWish

// Wishes returns the reader that uses the adapters' plans and queries no node.
func Wishes(adapters []plan.Adapter, now func() time.Time) WishReader {
	return func(protocol, action string, in plan.Intent, f *plan.Facts) (list []StepWish) {
		if len(in.Steps) == 0 {
			in.Protocol, in.Type = protocol, action
		}
		for i, step := range in.Each() {
			w := wishOf(adapters, step, now())
			// An object that the transaction creates may be any object, because the bytes do not
			// contain its id.
			//mutant:always `!f.Steps[i].Holder.New()` ./internal/request TestFirstOrderAgain
			if f != nil && w.Object.IsZero() && i < len(f.Steps) && f.Steps[i].Holder != nil && !f.Steps[i].Holder.New() {
				w.Object = f.Steps[i].Holder.ID
			}
			list = append(list, w)
		}
		return list
	}
}

// wishOf reads the wish of one step through its adapter.
func wishOf(all []plan.Adapter, in plan.Intent, now time.Time) StepWish {
	w := StepWish{Action: in.Type}
	adapters := plan.AdaptersOf(all, in)
	if adapters == nil {
		return w
	}
	result := in.From.ResultOf > 0
	if result {
		in = in.Paying("1") // the adapter reads one coin in place of the unknown amount
	}
	planned, err := adapters[0].Plan(in, now)
	if err != nil {
		return w
	}
	w.Read, w.Harmless, w.Object, w.What = true, adapters[0].Meta().Harmless, planned.Subject, planned.Same
	for _, b := range planned.Promise.Bounds() {
		if b.Role != plan.RoleHolding && b.Role != plan.RoleOffer {
			w.What += fmt.Sprintf("; %s %s %s", b.Role, b.Party.ID, b.Coin.CoinType)
			w.Amount += fmt.Sprintf("%s..%s ", b.Least, b.Most)
		}
	}
	if result {
		w.Amount = ""
	} else if w.Amount == "" {
		w.Amount = "none"
	}
	return w
}
