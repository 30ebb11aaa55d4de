package plan

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Result says what an executed transaction did, in words for somebody who does not
// know the protocol.
type Result struct {
	Title string   `json:"title"`           // what happened, as in "Swapped 9.9 SUI for 12.797 USDC"
	Where string   `json:"where,omitempty"` // where the money lies now, in sentences
	Next  string   `json:"next,omitempty"`  // what the person can do next, in a sentence
	Holds []Term   `json:"holds,omitempty"` // what holds from now on, in place of the agreed terms
	Steps []string `json:"steps,omitempty"` // of a transaction of several steps, what each did
	// Whole reports that the adapters worded it: what they report of the execution
	// besides is said by it too.
	Whole bool    `json:"whole,omitempty"`
	Moved []Moved `json:"moved,omitempty"` // coins of objects, as the protocol's events report them
}

// Moved is one change of the coins that an object holds.
type Moved struct {
	Holder Party `json:"holder"`
	Asset
	Change sui.Delta `json:"changeRaw"`
	Why    Why       `json:"why"`
}

// Why says why the coins of an object changed.
type Why string

// The reasons of a change.
const (
	ForTrade   Why = "trade"   // paid or received in a trade
	ForFee     Why = "fee"     // paid for it
	ForRelease Why = "release" // an order had set it aside
	ForMove    Why = "move"    // put in or taken out
)

// ResultReporter is an adapter that words the result of a step itself, because the
// coins of the account do not say it. An empty title leaves it to the promise.
type ResultReporter interface {
	ReportResult(e sui.Executed, s StepFacts) Result
}

// ResultOf words what an executed transaction did. happened is the outcome of its
// promise that was observed; told holds what the adapter of each step says of it.
func ResultOf(f Facts, happened Compared, told []Result) Result {
	spoken := len(told) == len(f.Steps) && !slices.ContainsFunc(told, func(r Result) bool { return r.Title == "" })
	if !spoken {
		r := f.resultByTable(happened)
		r.Steps = f.StepResults(happened)
		return r
	}
	sum := Result{Whole: true, Steps: f.StepResults(happened)}
	for _, r := range told {
		sum.Title = joined(sum.Title, r.Title, "; ")
		sum.Where = joined(sum.Where, r.Where, " ")
		sum.Next = joined(sum.Next, r.Next, " ")
		sum.Holds, sum.Moved = append(sum.Holds, r.Holds...), append(sum.Moved, r.Moved...)
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

// resultByTable words the result by the rows of the promise.
func (f Facts) resultByTable(happened Compared) Result {
	p := f.Promise()
	switch {
	//mutant:never ./review/plan TestResult/not as promised
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

// resultWords picks the words for what left the account and what arrived.
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

// holderTerms are the terms that name the objects that take part: they hold whatever
// happened.
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

// HolderName is what the object that takes part is called in a sentence, as in "your
// balance manager".
func (f Facts) HolderName() string {
	for _, s := range f.Steps {
		if s.Holder != nil && s.Holder.Term != "" {
			return "your " + strings.ToLower(s.Holder.Term)
		}
	}
	return "the object that holds it"
}

// amountText writes a change without its sign.
func amountText(change *big.Int, coin Asset) string {
	return SignedText(new(big.Int).Abs(change).String(), coin)
}

// list writes texts as people do: "a", "a and b", "a, b and c".
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

// StepResults says of every step of an executed transaction what it did, where the
// transaction did what was asked for. An amount is the one that was observed where no
// other step changed the same coin of the same holder; otherwise it is the promised one.
func (f Facts) StepResults(happened Compared) (out []string) {
	p := f.Promise()
	whole := len(f.Steps) > 1 && len(p.Outcomes) > 0 && happened.Outcome.Name == p.Outcomes[0].Name
	if !whole || slices.ContainsFunc(happened.Lines, func(l Line) bool { return !l.Within }) {
		return nil
	}
	for i, s := range f.Steps {
		var did []string
		for _, b := range s.Promise.Bounds() {
			if text := f.did(i+1, b, happened); text != "" {
				did = append(did, text)
			}
		}
		if len(did) == 0 {
			did = []string{"carried out"}
		}
		out = append(out, fmt.Sprintf("Step %d: %s.", i+1, strings.Join(did, "; ")))
	}
	return out
}

// did words one row of a step that was carried out.
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
		return amount + " went into " + f.HolderName()
	}
	return ""
}

// TakerOf is the number of the step that takes a result, 0 for none.
func (f Facts) TakerOf(result Party) int {
	return 1 + slices.IndexFunc(f.Steps, func(s StepFacts) bool { return s.ResultOf == result.Step() && s.Part == result.Part() })
}

// TakenOf names in a sentence what a step takes of the result of another one, as in "all
// USDC that step 1 results in". symbol may be "".
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

// observed is the amount of a row: as observed where the row is the only one of its coin
// and holder, else as promised.
func (f Facts) observed(b Bound, happened Compared) string {
	if b.Party.IsResult() {
		// What moves on as a whole arrives where its taker says.
		for _, t := range f.Steps[f.TakerOf(b.Party)-1].Promise.Bounds() {
			moved := t.Role == RolePayment || t.Role == RoleHolding
			if moved && t.Coin.CoinType == b.Coin.CoinType {
				return f.observed(t, happened)
			}
		}
		return promised(b)
	}
	rows := 0
	for _, s := range f.Steps {
		for _, o := range s.Promise.Bounds() {
			if o.Party == b.Party && o.Coin.CoinType == b.Coin.CoinType {
				rows++
			}
		}
	}
	i := slices.IndexFunc(happened.Lines, func(l Line) bool { return l.Party == b.Party && l.Coin.CoinType == b.Coin.CoinType })
	if rows != 1 || i < 0 || !happened.Lines[i].Observed {
		return promised(b)
	}
	return amountText(happened.Lines[i].Change, b.Coin)
}

// promised is the amount of a row as it was promised.
func promised(b Bound) string {
	switch {
	case b.Exact():
		return b.Amount().String()
	case b.Party.IsAccount() && b.Least != nil && b.Least.Sign() < 0:
		return "at most " + b.Amount().String()
	}
	return "at least " + b.Amount().String()
}

// Promised is the amount of a row as the page says it: exactly, at most or at least.
func (b Bound) Promised() string {
	if b.Exact() {
		return "exactly " + promised(b)
	}
	return promised(b)
}
