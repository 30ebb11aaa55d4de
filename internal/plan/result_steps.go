package plan

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// StepResult is what one step of a transaction with several steps did.
type StepResult struct {
	Title   string   `json:"title"`
	Where   string   `json:"where,omitempty"`
	Amounts []string `json:"amounts,omitempty"` // as in "10 SUI left your account"
	Reports []Term   `json:"reports,omitempty"` // other facts from the adapter, such as the order number
	Moved   []Moved  `json:"moved,omitempty"`
	Fees    []Amount `json:"fees,omitempty"`
	Out     *Amount  `json:"out,omitempty"` // what arrived in the account, if that is one known coin
}

// out returns what a step brought to the account, or nil if that is unknown or not a single coin.
func (f Facts) out(i int, happened Compared) *Amount {
	rows := f.Steps[i].Promise.Of(RoleOutput)
	if len(rows) != 1 || !rows[0].Party.IsAccount() {
		return nil
	}
	n := f.change(rows[0], happened)
	if n == nil || n.Sign() <= 0 || !n.IsUint64() {
		return nil
	}
	out := rows[0].Coin.Of(rawOf(n))
	return &out
}

// stepByTable describes one of several steps from the rows of its own promise.
func (f Facts) stepByTable(i int, happened Compared) Result {
	one := Facts{Sender: f.Sender, Steps: f.Steps[i : i+1]}
	r, p := Result{Holds: one.holderTerms()}, f.Steps[i].Promise
	var out, in, fees, paid []string
	onward := ""
	for _, b := range p.Bounds() {
		if b.Exact() && b.Least.Sign() == 0 || b.Role == RoleReturn {
			continue
		}
		amount := f.observed(b, happened)
		switch {
		case b.Party.IsResult() && b.Role == RoleInput:
			out = append(out, amount)
		case b.Party.IsResult():
			in = append(in, amount)
			onward = joined(onward, fmt.Sprintf("%s went on to step %d.", upperFirst(amount), f.TakerOf(b.Party)), " ")
		case b.Party.IsObject():
			change := f.change(b, happened)
			if change == nil && b.Exact() {
				change = b.Least
			}
			if change == nil {
				continue
			}
			if d, err := sui.ParseDelta(change.String()); err == nil {
				r.Moved = append(r.Moved, Moved{b.Party, b.Coin, d, ForMove})
			}
		case b.Role == RolePayment:
			paid = append(paid, amount)
		case !b.Party.IsAccount():
		case b.Role == RoleFee:
			fees = append(fees, amount)
		case b.Role == RoleOutput:
			in = append(in, amount)
		default:
			out = append(out, amount)
		}
	}
	if len(p.Of(RolePart)) > 0 && len(in) > 1 {
		rest := in[len(in)-1]
		in = []string{f.whole(p, happened)}
		one.resultWords(&r, p, list(out), list(in), list(fees), paid)
		r.Where = onward + " The rest, " + rest + ", arrived in your own account."
		return r
	}
	one.resultWords(&r, p, list(out), list(in), list(fees), paid)
	if onward != "" {
		r.Where = onward
	}
	return r
}

// arrived replaces promised minimums in a title with observed amounts, which adapters do not know.
func (f Facts) arrived(i int, title string, happened Compared) string {
	for _, b := range f.Steps[i].Promise.Of(RoleOutput) {
		if n := f.change(b, happened); n != nil && !b.Exact() {
			title = strings.ReplaceAll(title, promised(b), amountText(n, b.Coin))
		}
	}
	return title
}

// whole returns the complete result of a step whose parts went to later steps while the rest
// arrived in the account.
func (f Facts) whole(p Promise, happened Compared) string {
	sum, least := new(big.Int), ""
	var coin Asset
	for _, b := range p.Of(RolePart, RoleOutput) {
		coin = b.Coin
		n := f.change(b, happened)
		switch {
		case n != nil:
		case b.Exact():
			n = b.Least
		default:
			n, least = b.Least, "at least "
		}
		if n != nil {
			sum.Add(sum, n)
		}
	}
	return least + amountText(sum, coin)
}

func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// StepResults describes every step of an executed transaction that did what was requested. An
// amount is the observed one if no other step changed the same coin of the same holder; otherwise
// it is the promised one.
func (f Facts) StepResults(happened Compared) (out []string) {
	p := f.Promise()
	whole := len(f.Steps) > 1 && len(p.Outcomes) > 0 && happened.Outcome.Name == p.Outcomes[0].Name
	if !whole || slices.ContainsFunc(happened.Lines, func(l Line) bool { return !l.Within }) {
		return nil
	}
	for i := range f.Steps {
		did := f.amounts(i, happened)
		if len(did) == 0 {
			did = []string{"carried out"}
		}
		out = append(out, fmt.Sprintf("Step %d: %s.", i+1, strings.Join(did, "; ")))
	}
	return out
}

// amounts states how much a step moved, row by row.
func (f Facts) amounts(i int, happened Compared) (did []string) {
	for _, b := range f.Steps[i].Promise.Bounds() {
		if text := f.did(i+1, b, happened); text != "" {
			did = append(did, text)
		}
	}
	return did
}

// did describes one row of an executed step.
func (f Facts) did(step int, b Bound, happened Compared) string {
	amount := f.observed(b, happened)
	switch {
	case b.Party.IsResult() && b.Role == RoleInput:
		return fmt.Sprintf("took %s, %s", f.TakenOf(b.Party, "", "resulted"), amount)
	case b.Party.IsResult():
		return fmt.Sprintf("%s went on to step %d", amount, f.TakerOf(b.Party))
	case b.Role == RoleInput:
		return amount + " left your account"
	case b.Role == RoleOutput:
		return amount + " arrived in your account"
	case b.Role == RolePayment:
		return amount + " went to " + b.Party.ID.String()
	case b.Role == RoleHolding && b.Least != nil && b.Least.Sign() > 0:
		return amount + " went into " + f.Steps[step-1].Holder.Called()
	}
	return ""
}

// TakerOf returns the number of the step that takes a result, 0 for none.
func (f Facts) TakerOf(result Party) int {
	return 1 + slices.IndexFunc(f.Steps, func(s StepFacts) bool {
		return s.ResultOf == result.Step() &&
			s.Part == result.Part()
	})
}

// TakenOf describes what a step takes from another step's result, as in "all USDC that step 1
// results in". symbol may be "".
func (f Facts) TakenOf(result Party, symbol, verb string) string {
	step := result.Step()
	of := strings.TrimPrefix(fmt.Sprintf("%s that step %d %s in", symbol, step, verb), " ")
	switch {
	case result.Part() > 0:
		return strings.Replace("a part of the "+of, "the that", "what", 1)
	case step <= len(f.Steps) && len(f.Steps[step-1].Promise.Of(RolePart)) > 0:
		return strings.Replace("all that is left of the "+of, "the that", "what", 1)
	}
	return "all " + of
}

// observed returns the amount of a row: the observed one if no other row has the same coin and
// holder, otherwise the promised one.
func (f Facts) observed(b Bound, happened Compared) string {
	if b.Party.IsResult() {
		// An amount that is passed on completely appears in the row where the taking step puts it.
		for _, t := range f.Steps[f.TakerOf(b.Party)-1].Promise.Bounds() {
			moved := t.Role == RolePayment || t.Role == RoleHolding
			if moved && t.Coin.CoinType == b.Coin.CoinType {
				return f.observed(t, happened)
			}
		}
		return promised(b)
	}
	if change := f.change(b, happened); change != nil {
		return amountText(change, b.Coin)
	}
	return promised(b)
}

// change returns the observed change of a row, or nil if it is unknown or another row has the same
// coin and holder.
func (f Facts) change(b Bound, happened Compared) *big.Int {
	rows := 0
	for _, s := range f.Steps {
		for _, o := range s.Promise.Bounds() {
			if o.Party == b.Party && o.Coin.CoinType == b.Coin.CoinType {
				rows++
			}
		}
	}
	i := slices.IndexFunc(happened.Lines, func(l Line) bool {
		return l.Party == b.Party &&
			l.Coin.CoinType == b.Coin.CoinType
	})
	if rows != 1 || i < 0 || !happened.Lines[i].Observed {
		return nil
	}
	return happened.Lines[i].Change
}
