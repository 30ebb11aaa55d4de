package plan

import (
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Result describes an executed transaction for somebody who does not know the protocol.
type Result struct {
	Title string   `json:"title"`           // what happened, as in "Swapped 9.9 SUI for 12.797 USDC"
	Where string   `json:"where,omitempty"` // where the money is now, in sentences
	Next  string   `json:"next,omitempty"`  // what the user can do next, in one sentence
	Holds []Term   `json:"holds,omitempty"` // terms that apply from now on, replacing the agreed ones
	Steps []string `json:"steps,omitempty"` // what each step did, if there are several
	// Whole reports that the adapters wrote the text, and that it includes everything else they
	// report.
	Whole bool    `json:"whole,omitempty"`
	Moved []Moved `json:"moved,omitempty"` // coins of objects, as the protocol's events report them
	// Fees lists fees that venues' events report and that are not balance changes of their own.
	Fees []Amount `json:"fees,omitempty"`
	// Each describes every step of a transaction with several steps; empty if the transaction did
	// not do what was requested.
	Each []StepResult `json:"each,omitempty"`
}

// MarketFees lists the fees of venues: those that appear as changes in an object's coins, and those
// that only events report.
func MarketFees(moved []Moved, fees []Amount) (list []Amount) {
	for _, m := range moved {
		if m.Why == ForFee {
			list = append(list, m.Of(m.Change.Amount))
		}
	}
	return append(list, fees...)
}

// Moved is one change of an object's coins.
type Moved struct {
	Holder Party `json:"holder"`
	Asset
	Change sui.Delta `json:"changeRaw"`
	Why    Why       `json:"why"`
}

// Text describes the change, as in "5 SUI free again in your balance manager"; holder names the
// object.
func (m Moved) Text(holder string) string {
	amount := m.Of(m.Change.Amount).String()
	switch {
	case m.Why == ForFee:
		return amount + " paid as the market's fee"
	case m.Why == ForRelease:
		return amount + " free again in " + holder
	case m.Change.Negative:
		return amount + " left " + holder
	}
	return amount + " arrived in " + holder
}

// Why is the cause of a change in an object's coins.
type Why string

// Causes of a change.
const (
	ForTrade   Why = "trade"   // paid or received in a trade
	ForFee     Why = "fee"     // paid as its fee
	ForRelease Why = "release" // an order had set it aside
	ForMove    Why = "move"    // deposited or withdrawn
)

// ResultReporter is an adapter that describes the result of a step itself, because the account's
// balance changes do not show it. If the title is empty, the promise's rows are described instead.
type ResultReporter interface {
	ReportResult(e sui.Executed, s StepFacts) Result
}

// ResultOf describes an executed transaction. happened is the observed outcome of its promise. told
// holds each step's description by its adapter, and reports the adapter's other terms. A step
// without a description is described by its own promise, never by another step's text.
func ResultOf(f Facts, happened Compared, results []Result, reports [][]Term) Result {
	if len(results) != len(f.Steps) {
		results = make([]Result, len(f.Steps))
	}
	sum := Result{Whole: !slices.ContainsFunc(results, func(r Result) bool { return r.Title == "" }),
		Steps: f.StepResults(happened)}
	if several := len(sum.Steps) > 0; !several && !sum.Whole {
		sum = f.resultByTable(happened)
		for _, r := range results {
			sum.Fees = append(sum.Fees, r.Fees...)
		}
		return sum
	}
	for i, r := range results {
		if r.Title == "" {
			fees := r.Fees
			r = f.stepByTable(i, happened)
			r.Fees = fees
		} else {
			r.Title = f.arrived(i, r.Title, happened)
		}
		sum.Title = joined(sum.Title, r.Title, "; ")
		sum.Where = joined(sum.Where, r.Where, " ")
		sum.Next = joined(sum.Next, r.Next, " ")
		for _, t := range r.Holds {
			if sum.Whole || !slices.Contains(sum.Holds, t) {
				sum.Holds = append(sum.Holds, t)
			}
		}
		sum.Moved, sum.Fees = append(sum.Moved, r.Moved...), append(sum.Fees, r.Fees...)
		if len(sum.Steps) > 0 {
			one := StepResult{Title: r.Title, Where: r.Where, Amounts: f.amounts(i, happened), Moved: r.Moved, Fees: r.Fees,
				Out: f.out(i, happened)}
			if i < len(reports) {
				one.Reports = reports[i]
			}
			sum.Each = append(sum.Each, one)
		}
	}
	return sum
}

// joined appends a text to a text that may be empty.
func joined(a, b, between string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}

// resultByTable describes the result from the rows of the promise.
func (f Facts) resultByTable(happened Compared) Result {
	p := f.Promise()
	switch {
	//mutant:never ./internal/plan TestResult/not as promised
	case slices.ContainsFunc(happened.Lines, func(l Line) bool { return !l.Within }):
		return Result{Title: "Executed, and not as it was promised",
			Where: "Compare what happened with what was promised before you go on."}
	case len(p.Outcomes) > 0 && happened.Outcome.Name != p.Outcomes[0].Name:
		return Result{Title: "Executed, and " + happened.Outcome.Name, Where: "Nothing but gas left your account."}
	}
	var out, in, fees, paid []string // of the account; paid: to others
	r := Result{Holds: f.holderTerms()}
	for _, l := range happened.Lines {
		amount := amountText(l.Change, l.Coin)
		switch {
		case !l.Observed || l.Change.Sign() == 0:
		case l.Party.IsObject():
			if d, err := sui.ParseDelta(l.Change.String()); err == nil {
				r.Moved = append(r.Moved, Moved{l.Party, l.Coin, d, ForMove})
			}
		case !l.Party.IsAccount():
			if l.Role == RolePayment {
				paid = append(paid, amount)
			}
		case l.Role == RoleFee:
			fees = append(fees, amount)
		case l.Change.Sign() < 0:
			out = append(out, amount)
		default:
			in = append(in, amount)
		}
	}
	f.resultWords(&r, p, list(out), list(in), list(fees), paid)
	return r
}

// resultWords sets the description of what left the account and what arrived.
func (f Facts) resultWords(r *Result, p Promise, out, in, fees string, paid []string) {
	const own = "It is in your own account."
	holder := f.HolderName()
	switch {
	case len(p.Of(RolePayment)) > 0 && in != "" && out != "":
		r.Title = out + " left your account, " + in + " arrived, and " + list(paid) + " was sent"
		r.Where = "What arrived is in your own account. What was sent is at the address " + p.Payee().String() +
			" now, which is not yours. Only its owner can send it back."
	case len(p.Of(RolePayment)) > 0:
		r.Title = "Sent " + list(paid)
		r.Where = "It is at the address " + p.Payee().String() + " now, which is not yours. Only its owner can send it back."
	case out != "" && in != "":
		r.Title, r.Where = "Swapped "+out+" for "+in, "The "+in+" arrived in your own account."
		if fees != "" {
			r.Where += " The fee took " + fees + "."
		}
	case len(p.Of(RoleHolding)) > 0 && out != "":
		r.Title = "Put " + out + " into " + holder
		r.Where = "It is in " + holder + " now, not in your account."
		r.Next = "To have it back, ask your AI client to withdraw it from " + holder + "."
	case len(p.Of(RoleHolding)) > 0 && in != "":
		r.Title, r.Where = "Took "+in+" out of "+holder, own
	case out != "" && f.Recipient() != f.Sender:
		r.Title = "Swapped " + out
		r.Where = "What came out is at the address " + f.Recipient().String() + ", which is not your account."
	case out != "":
		r.Title = out + " left your account"
	case in != "":
		r.Title, r.Where = in+" arrived", own
	default:
		r.Title = "The chain executed it"
		if !f.Holder().IsZero() {
			r.Where = "What changed in " + holder + " was not reported. Look there before you go on."
		}
	}
}

// holderTerms returns the terms that name participating objects, which apply to any outcome.
func (f Facts) holderTerms() (terms []Term) {
	for _, s := range f.Steps {
		for _, t := range s.Terms {
			if s.Holder != nil && t.Name == s.Holder.Term && !slices.Contains(terms, t) {
				terms = append(terms, t)
			}
		}
	}
	return terms
}

// HolderName returns the name of the participating object in a sentence, as in "your balance
// manager".
func (f Facts) HolderName() string {
	for _, s := range f.Steps {
		if s.Holder != nil && s.Holder.Term != "" {
			return s.Holder.Called()
		}
	}
	return (*Holder)(nil).Called()
}

// amountText formats a change without its sign.
func amountText(change *big.Int, coin Asset) string {
	return SignedText(new(big.Int).Abs(change).String(), coin)
}

// AmountsText lists amounts in a sentence, as in "5 SUI and 3 USDC".
func AmountsText(all []Amount) string {
	var texts []string
	for _, a := range all {
		texts = append(texts, a.String())
	}
	return list(texts)
}

// list joins texts for a sentence, as in "a", "a and b", "a, b and c".
func list(texts []string) string {
	switch n := len(texts); n {
	case 0:
		return ""
	case 1:
		return texts[0]
	default:
		return strings.Join(texts[:n-1], ", ") + " and " + texts[n-1]
	}
}

// promised returns the promised amount of a row.
func promised(b Bound) string {
	switch {
	case b.Exact():
		return b.Amount().String()
	case b.Party.IsAccount() && b.Least != nil && b.Least.Sign() < 0:
		return "at most " + b.Amount().String()
	}
	return "at least " + b.Amount().String()
}

// Promised returns the amount of a row as shown on the page: exactly, at most or at least.
func (b Bound) Promised() string {
	if b.Exact() {
		return "exactly " + promised(b)
	}
	return promised(b)
}
