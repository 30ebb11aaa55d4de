package plan

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A step may pay with an earlier step's result, or with a part of it. The full amount is known only
// at execution. Before that there is a minimum; a part is a fixed amount, a share of that minimum.
// Coins passed between steps never go through the account, so no more or less of them can leave the
// account.

// KindResult is the party between two steps: what the later one takes from the earlier one's
// result. Its ID contains the numbers of the step and the part. It appears in the promises of both
// steps and cancels out in their sum.
const KindResult PartyKind = "result"

// RoleReturn is the unused part of a result, which the account receives.
const RoleReturn Role = "return"

// RolePart is a fixed part of a result, which continues to a later step.
const RolePart Role = "part"

// ResultParty returns what a step takes from another step's result: a part, or everything that the
// parts leave if part is 0. Both count from 1.
func ResultParty(step, part int) Party {
	p := Party{Kind: KindResult}
	p.ID[len(p.ID)-1], p.ID[len(p.ID)-2] = byte(step), byte(part)
	return p
}

// IsResult reports whether the party is the result of a step.
func (p Party) IsResult() bool { return p.Kind == KindResult }

// Step returns the number of the step that produces the result.
func (p Party) Step() int { return int(p.ID[len(p.ID)-1]) }

// Part returns the number of the part of that result; 0 for all that the parts leave.
func (p Party) Part() int { return int(p.ID[len(p.ID)-2]) }

// Fed is a result, or a part of one, that a step takes from an earlier step. Exact means that Least
// is the exact amount.
type Fed struct {
	Step  int    // counted from 1; 0 for none
	Part  int    // counted from 1; 0: all, or all that the parts leave
	Taker int    // the step that takes it, counted from 1
	Share string // as requested; "" for all
	Rest  bool   // other steps take parts of the same result
	Least Amount
	Exact bool
}

// Party returns the result as a party of promises.
func (f Fed) Party() Party { return ResultParty(f.Step, f.Part) }

// Phrase names the result in a sentence, as in "all USDC that step 1 results in".
func (f Fed) Phrase() string {
	of := f.Least.Symbol + " that step " + strconv.Itoa(f.Step) + " results in"
	switch {
	case f.Share != "":
		return f.Share + " of the " + of
	case f.Part > 0:
		return "a part of the " + of
	case f.Rest:
		return "all that is left of the " + of
	}
	return "all " + of
}

// said returns the amount of a result as text.
func (f Fed) said() string {
	if f.Exact {
		return f.Least.String()
	}
	return "at least " + f.Least.String()
}

// PlanStep plans one step. If the step takes an earlier result, the amounts that depend on that
// result are unbounded.
func PlanStep(a Adapter, in Intent, now time.Time) (Plan, error) {
	step := in.From.ResultOf
	if step == 0 {
		return a.Plan(in, now)
	}
	p, err := a.Plan(in.Paying("1"), now) // the adapter reads one coin in place of the unknown amount
	if err != nil {
		return p, err
	}
	if p.Input().Raw == 0 {
		return p, fault.New(fault.InputInvalid, "A step of type %q takes no result of another step.", Clip(in.Type)).
			With("field", "intent.from.resultOf")
	}
	f := Fed{Step: step, Least: p.Input(), Share: in.From.share()}
	p.Promise = p.Promise.takes(f).open(f)
	p.Title, p.Asked, p.Summary = f.reword(p.Title), f.reword(p.Asked), f.reword(p.Summary)
	return p, nil
}

// PlanFed plans a step that takes a result, with the result's minimum.
func PlanFed(a Adapter, in Intent, f Fed, now time.Time) (Plan, Intent, error) {
	with := in.Paying(string(f.Least.Display))
	p, err := a.Plan(with, now)
	if err == nil && p.Input() != f.Least {
		err = fault.New(fault.InputInvalid, "Step %d does not result in what the step after it takes.", f.Step)
	}
	with.From.ResultOf, with.From.Share = in.From.ResultOf, in.From.Share
	p.Title, p.Asked, p.Summary = f.reword(p.Title), f.reword(p.Asked), f.reword(p.Summary)
	return p, with, err
}

// Paying returns the intent with an amount in place of a result.
func (i Intent) Paying(amount string) Intent {
	i.From.ResultOf, i.From.Share, i.From.Amount = 0, "", amount
	return i
}

// reword replaces the amount in a text with the result.
func (f Fed) reword(text string) string {
	return strings.ReplaceAll(text, f.Least.String(), f.Phrase())
}

// Takes turns a step that pays an amount into one that takes a result of at least that amount. It
// is called after the step's stages.
func (s *Step) Takes(f Fed) {
	s.Fed = f
	s.Promise, s.Plan.Promise = s.Promise.takes(f), s.Plan.Promise.takes(f)
	s.Terms = f.terms(s.Terms)
	s.Needs = slices.DeleteFunc(slices.Clone(s.Needs), func(n CoinRequest) bool { return n.Role == RoleInput })
	exactly := "Exactly " + f.Least.String()
	all := "All that step " + strconv.Itoa(f.Step) + " results in, " + f.said() + ","
	switch {
	case f.Part > 0:
		all = exactly + ", a part of what step " + strconv.Itoa(f.Step) + " results in,"
	case f.Rest:
		all = "All that is left of what step " + strconv.Itoa(f.Step) + " results in, " + f.said() + ","
	}
	s.Guarantee = f.loosen(strings.ReplaceAll(s.Guarantee, exactly, all))
	s.Locks = slices.Clone(s.Locks)
	for i := range s.Locks {
		s.Locks[i] = strings.Replace(f.loosen(s.Locks[i]), "at least", "At least", 1)
	}
}

// loosen writes "at least" before the amount of a result that is not exact.
func (f Fed) loosen(text string) string {
	if f.Exact {
		return text
	}
	text = strings.ReplaceAll(text, f.Least.String(), f.said())
	return strings.ReplaceAll(text, "at least at least", "at least")
}

// Gives passes a step's result to the later steps that take it, as returned by Divide.
func (s *Step) Gives(step int, feeds []Fed) {
	s.Feeds, s.Passes = feeds, passesOn(feeds)
	parts := partsOf(feeds)
	s.Promise, s.Plan.Promise = s.Promise.divided(step, parts), s.Plan.Promise.divided(step, parts)
	if s.Passes {
		s.Promise, s.Plan.Promise = s.Promise.gives(step), s.Plan.Promise.gives(step)
	}
}

// Result returns the amount that a step results in and whether it is exact. ok is false if the
// result is not a single coin.
func (s *Step) Result() (amount Amount, exact, ok bool) {
	out := s.Promise.Of(RoleOutput)
	if len(out) != 1 || !out[0].Party.IsAccount() || out[0].Least == nil || out[0].Least.Sign() <= 0 {
		return Amount{}, false, false
	}
	return out[0].Amount(), out[0].Exact(), true
}

// terms returns the list with the terms that depend on a result marked as open.
func (f Fed) terms(list []Term) []Term {
	if f.Exact {
		return list
	}
	list = slices.Clone(list)
	for i, t := range list {
		if t.Value == f.Least.String() {
			list[i] = Term{Name: t.Name, Value: f.said(), Open: true}
		}
	}
	return list
}

// takes replaces the account's coin with the result. An amount that is passed on completely becomes
// a minimum. If the coin is traded, the unused part comes back.
func (p Promise) takes(f Fed) Promise {
	n := BigInt(f.Least.Raw)
	minus := new(big.Int).Neg(n)
	mostOf := func(n *big.Int) *big.Int {
		if f.Exact {
			return n
		}
		return nil
	}
	pays := func(b Bound) bool {
		return b.Role == RoleInput && b.Party.IsAccount() && b.Coin.CoinType == f.Least.CoinType
	}
	moves := slices.ContainsFunc(p.Bounds(), func(b Bound) bool { return pays(b) && b.Exact() })
	var out Promise
	for _, o := range p.Outcomes {
		rows := []Bound{}
		for _, b := range o.Bounds {
			switch {
			case pays(b):
				rows = append(rows, Bound{Role: RoleInput, Party: f.Party(), Coin: b.Coin, Least: mostOf(minus), Most: minus})
				if moves {
					break
				}
				back := Bound{Role: RoleReturn, Coin: b.Coin, Least: new(big.Int), Most: mostOf(n)}
				if b.Exact() && b.Least.Sign() == 0 {
					back.Least = n
				}
				rows = append(rows, back)
			case moves && b.Coin.CoinType == f.Least.CoinType && b.Exact():
				b.Most = mostOf(b.Most)
				rows = append(rows, b)
			default:
				rows = append(rows, b)
			}
		}
		o.Bounds = rows
		out.Outcomes = append(out.Outcomes, o)
	}
	if moves && !f.Exact {
		none := Outcome{Name: "nothing is passed on"}
		for _, b := range out.Bounds() {
			none.Bounds = append(none.Bounds, Exact(b.Role, b.Party, b.Coin, new(big.Int)))
		}
		out.Outcomes = append(out.Outcomes, none)
	}
	return out
}

// open removes the bounds that depend on a result.
func (p Promise) open(f Fed) Promise {
	for _, o := range p.Outcomes {
		for i, b := range o.Bounds {
			if b.Coin.CoinType == f.Least.CoinType {
				o.Bounds[i].Least, o.Bounds[i].Most = nil, nil
			}
		}
	}
	return p
}

// gives turns what arrives in the account into the result of a step.
func (p Promise) gives(step int) Promise {
	out := Promise{Outcomes: slices.Clone(p.Outcomes)}
	for i := range out.Outcomes {
		o := &out.Outcomes[i]
		o.Bounds = slices.Clone(o.Bounds)
		for n, b := range o.Bounds {
			if b.Role == RoleOutput && b.Party.IsAccount() {
				o.Bounds[n].Party = ResultParty(step, 0)
			}
		}
	}
	return out
}

// passes reports whether the later step takes exactly what the earlier one results in.
func passes(from, to Bound) bool {
	opposite := func(a, b *big.Int) bool {
		return (a == nil) == (b == nil) && (a == nil || new(big.Int).Neg(a).Cmp(b) == 0)
	}
	return opposite(from.Least, to.Most) && opposite(from.Most, to.Least)
}

// ResultCoin is a coin that one step hands to another.
type ResultCoin struct {
	Coin  sui.CoinType
	Value sui.Argument
}
