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

// A step of a transaction may pay with all that an earlier step results in. How much
// that is, is known when the transaction is executed; until then there is a least amount.
// The result goes from step to step and never through the account, so that neither more
// nor less of the coin can leave the account.

// KindResult is the party between two steps: what the earlier one results in. Its ID is
// the number of that step. It is in the promises of the two steps, and cancels out in
// their sum.
const KindResult PartyKind = "result"

// RoleReturn is what a step does not use of a result, which the account receives.
const RoleReturn Role = "return"

// ResultParty is the result of a step, counted from 1.
func ResultParty(step int) Party {
	p := Party{Kind: KindResult}
	p.ID[len(p.ID)-1] = byte(step)
	return p
}

// IsResult reports whether it is the result of a step.
func (p Party) IsResult() bool { return p.Kind == KindResult }

// Step is the number of the step whose result the party is.
func (p Party) Step() int { return int(p.ID[len(p.ID)-1]) }

// Fed is what a step takes of an earlier one. Exact means that Least is the amount.
type Fed struct {
	Step  int // counted from 1; 0: nothing
	Least Amount
	Exact bool
}

// Phrase names the result in a sentence, as in "all USDC that step 1 results in".
func (f Fed) Phrase() string {
	return "all " + f.Least.Symbol + " that step " + strconv.Itoa(f.Step) + " results in"
}

// said is the amount of a result as a text.
func (f Fed) said() string {
	if f.Exact {
		return f.Least.String()
	}
	return "at least " + f.Least.String()
}

// PlanStep plans one step. Of a step that takes a result, the amounts that depend on it
// are unbounded.
func PlanStep(a Adapter, in Intent, now time.Time) (Plan, error) {
	step := in.From.ResultOf
	if step == 0 {
		return a.Plan(in, now)
	}
	p, err := a.Plan(in.paying("1"), now) // the adapter reads one coin in place of the unknown amount
	if err != nil {
		return p, err
	}
	if p.Input().Raw == 0 {
		return p, fault.New(fault.InputInvalid, "A step of type %q takes no result of another step.", Clip(in.Type)).
			With("field", "intent.from.resultOf")
	}
	f := Fed{Step: step, Least: p.Input()}
	p.Promise = p.Promise.takes(f).open(f)
	p.Title, p.Asked, p.Summary = f.reword(p.Title), f.reword(p.Asked), f.reword(p.Summary)
	return p, nil
}

// PlanFed plans a step that takes a result with the least amount of it.
func PlanFed(a Adapter, in Intent, f Fed, now time.Time) (Plan, Intent, error) {
	with := in.paying(string(f.Least.Display))
	p, err := a.Plan(with, now)
	if err == nil && p.Input() != f.Least {
		err = fault.New(fault.InputInvalid, "Step %d does not result in what the step after it takes.", f.Step)
	}
	with.From.ResultOf = in.From.ResultOf
	p.Title, p.Asked, p.Summary = f.reword(p.Title), f.reword(p.Asked), f.reword(p.Summary)
	return p, with, err
}

// paying returns the intent with an amount in place of a result.
func (i Intent) paying(amount string) Intent {
	i.From.ResultOf, i.From.Amount = 0, amount
	return i
}

// reword puts the result in the place of its amount.
func (f Fed) reword(text string) string {
	return strings.ReplaceAll(text, f.Least.String(), f.Phrase())
}

// Takes makes of a step that pays an amount one that takes a result of at least that
// amount. Its stages are over.
func (s *Step) Takes(f Fed) {
	s.Fed = f
	s.Promise, s.Plan.Promise = s.Promise.takes(f), s.Plan.Promise.takes(f)
	s.Terms = f.terms(s.Terms)
	s.Needs = slices.DeleteFunc(slices.Clone(s.Needs), func(n CoinRequest) bool { return n.Role == RoleInput })
	exactly := "Exactly " + f.Least.String()
	s.Guarantee = f.loosen(strings.ReplaceAll(s.Guarantee, exactly, "All that step "+strconv.Itoa(f.Step)+" results in, "+f.said()+","))
	s.Locks = slices.Clone(s.Locks)
	for i := range s.Locks {
		s.Locks[i] = strings.Replace(f.loosen(s.Locks[i]), "at least", "At least", 1)
	}
}

// loosen says "at least" before the amount of a result that is not exact.
func (f Fed) loosen(text string) string {
	if f.Exact {
		return text
	}
	text = strings.ReplaceAll(text, f.Least.String(), f.said())
	return strings.ReplaceAll(text, "at least at least", "at least")
}

// Gives makes the result of a step go to a later one.
func (s *Step) Gives(step int) {
	s.Passes = true
	s.Promise, s.Plan.Promise = s.Promise.gives(step), s.Plan.Promise.gives(step)
}

// Result returns what a step results in, false where it is no single coin.
func (s *Step) Result() (amount Amount, exact, ok bool) {
	out := s.Promise.Of(RoleOutput)
	if len(out) != 1 || !out[0].Party.IsAccount() || out[0].Least == nil || out[0].Least.Sign() <= 0 {
		return Amount{}, false, false
	}
	return out[0].Amount(), out[0].Exact(), true
}

// terms marks what depends on a result.
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

// takes puts the result in the place of the account's coin. An amount that moves on as a
// whole becomes a least amount; of a coin that is traded, what is not used comes back.
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
				rows = append(rows, Bound{Role: RoleInput, Party: ResultParty(f.Step), Coin: b.Coin, Least: mostOf(minus), Most: minus})
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

// gives makes what arrives in the account the result of a step.
func (p Promise) gives(step int) Promise {
	out := Promise{Outcomes: slices.Clone(p.Outcomes)}
	for i := range out.Outcomes {
		o := &out.Outcomes[i]
		o.Bounds = slices.Clone(o.Bounds)
		for n, b := range o.Bounds {
			if b.Role == RoleOutput && b.Party.IsAccount() {
				o.Bounds[n].Party = ResultParty(step)
			}
		}
	}
	return out
}

// passes reports whether a step takes exactly what another results in.
func passes(from, to Bound) bool {
	opposite := func(a, b *big.Int) bool {
		return (a == nil) == (b == nil) && (a == nil || new(big.Int).Neg(a).Cmp(b) == 0)
	}
	return opposite(from.Least, to.Most) && opposite(from.Most, to.Least)
}

// Wire makes results of the plans of steps go to the steps that take them. Of a step that
// results in another coin, or in none, it returns fault.InputInvalid.
func Wire(in Intent, plans []Plan) error {
	for i, step := range in.Steps {
		from := step.From.ResultOf
		if from == 0 {
			continue
		}
		var pays Asset
		for _, b := range plans[i].Promise.Of(RoleInput) {
			pays = b.Coin
		}
		//mutant:never `gets[0].Coin.CoinType != pays.CoinType` ./review/gate TestFedSteps
		if gets := plans[from-1].Promise.Of(RoleOutput); len(gets) != 1 || gets[0].Coin.CoinType != pays.CoinType {
			return fault.New(fault.InputInvalid, "Step %d does not result in the coin that step %d takes.", from, i+1).
				With("field", "intent.from.resultOf")
		}
		plans[from-1].Promise = plans[from-1].Promise.gives(from)
	}
	return nil
}

// TakenBy returns the number of the step that takes the result of a step, both counted
// from 1; 0 where none does.
func (i Intent) TakenBy(step int) int {
	return 1 + slices.IndexFunc(i.Steps, func(s Intent) bool { return s.From.ResultOf == step })
}

// fed returns what is wrong with the results that steps take, or nil.
func (i Intent) fed() error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.InputInvalid, format, args...).With("field", "intent.from.resultOf")
	}
	taken := map[int]bool{}
	for n, s := range i.Each() {
		from := s.From.ResultOf
		switch {
		case from == 0:
		case from < 0 || from > n:
			return bad("A step takes the result of a step before it.")
		//mutant:never ./review/gate TestFedSteps
		case taken[from]:
			return bad("Two steps take the result of step %d. Each result goes to one step.", from)
		case s.From.Amount != "" || s.From.Share != "" || s.From.Raw:
			return bad("A step that takes a result takes all of it. Leave amount and share out.")
		}
		taken[from] = from != 0
	}
	return nil
}

// ResultCoin is a coin that one step hands to another.
type ResultCoin struct {
	Coin  sui.CoinType
	Value sui.Argument
}
