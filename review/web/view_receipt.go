package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// receiptView compares the result on chain with the promises.
type receiptView struct {
	Happened []words.Line // results other than amounts
	Promises []promiseLine
	Agreed   string  // states that the terms are as agreed
	Moves    []entry // changes of the account's coins
	Payee    *payee
	When     string
	Inside   []words.Line // changes of the coins that the object InsideOf holds for the account
	InsideOf string
	Holds    []words.Line // effects that last
	Lines    []words.Line
	Proof    proofView
}

// promiseLine is a promise with its result. Class is "kept" if validators signed the result, "told"
// if a node reported it, and "broken" if the promise was not kept.
type promiseLine struct {
	record.PromiseResult
	Mark, Class string
}

func promised(p record.PromiseResult, rests record.ProofState) promiseLine {
	out := promiseLine{p, "Kept", "told"}
	switch {
	case rests == record.Mismatched:
		out.Mark = "Not known"
	case !p.Kept:
		out.Mark, out.Class = "Not kept", "broken"
	case rests == record.Proved:
		out.Class = "kept"
	}
	return out
}

// proofView reports whether validators signed the result or one node reported it.
type proofView struct {
	State record.ProofState
	Title string
	Text  string
	Note  string // about amounts, which validators do not sign
	Save  bool   // the proof can be saved as a file
}

func proofOf(x *record.Execution) proofView {
	p := x.Proof()
	v := proofView{State: p.State, Text: p.Sentence(), Save: p.State == record.Proved,
		Title: "Reported by one node, not proved"}
	switch p.State {
	case record.Proved:
		v.Title = fmt.Sprintf("Proved by %d of %d validators", p.Signers, p.Members)
	case record.Mismatched:
		v.Title = "Not as the validators signed it"
	}
	if p.State == record.Proved && p.Amounts {
		v.Note = "Signed are whether it succeeded, its gas, its events, and its objects: the coins before and after show " +
			"how much " +
			"each changed. Signing stops at two thirds of the voting power: it says nothing against it that others did not sign."
	} else if p.State == record.Proved {
		v.Note = "Signed are whether it succeeded, its gas, its objects and its events. How much each coin changed is a " +
			"sum that " +
			"the node made. Signing stops at two thirds of the voting power: it says nothing against it that others did not " +
			"sign."
	}
	return v
}

// termPromise is the prefix of the id of a promise about a term.
const termPromise = "term_"

func (l look) receipt(x *record.Execution) *receiptView {
	r := x.Receipt
	out := &receiptView{Proof: proofOf(x)}
	agreed := 0
	for _, p := range r.Promises {
		// A term that is as agreed is omitted, because it may no longer apply: the order may be
		// gone. Other terms are shown.
		if strings.HasPrefix(p.ID, termPromise) && p.Kept {
			agreed++
			continue
		}
		p.Label, p.Promised, p.Actual = words.Whole(p.Label), words.Figure(words.Whole(p.Promised)),
			words.Figure(words.Whole(p.Actual))
		out.Promises = append(out.Promises, promised(p, out.Proof.State))
	}
	if agreed > 0 {
		out.Agreed = "What the chain recorded of it has the same terms that you agreed to."
	}
	done := l.Session.Result()
	for _, t := range r.Outcome {
		if !done.Whole {
			out.Happened = append(out.Happened, termLine(t))
		}
	}
	for _, t := range done.Holds {
		out.Holds = append(out.Holds, termLine(t))
	}
	out.Moves = l.moves(r)
	if f := l.Session.Facts; f != nil {
		out.InsideOf = words.Whole(f.HolderName())
	}
	for _, m := range done.Moved {
		out.Inside = append(out.Inside, words.Line{Name: words.Whole(m.Symbol), Value: amounts.Delta(m.Change, m.Asset),
			Note: movedWords[m.Why]})
	}
	out.Lines = append(gasLines(r), words.Line{Name: "Sender", Address: r.Sender.String()})
	if f := l.Session.Facts; f != nil && r.OK && !f.Promise().Payee().IsZero() {
		out.Payee = &payee{Address: f.Promise().Payee().String()}
	}
	if r.FailureKind != "" {
		out.Lines = append(out.Lines, words.Line{Name: "The chain says", Value: words.Whole(r.FailureKind)})
	}
	out.When = words.At(r.Timestamp)
	if r.Checkpoint != nil {
		out.Lines = append(out.Lines, words.Line{Name: "Checkpoint", Value: words.Spaced(fmt.Sprint(*r.Checkpoint)),
			Note: words.At(r.Timestamp)})
	}
	return out
}

// moves lists the changes of the account's coins, those that left first.
func (l look) moves(r *record.Receipt) (list []entry) {
	known := amounts.Assets(l.Session)
	for _, c := range r.BalanceChanges {
		asset, ok := known[c.Coin]
		if !ok {
			// If the decimals are unknown, only the raw number is reliable.
			asset = plan.Asset{Symbol: "raw units of " + amounts.Tail(string(c.Coin)), CoinType: c.Coin, Foreign: true}
		}
		e := entryOf("Arrived in your account", "", asset.Of(c.Amount.Amount))
		e.Sign, e.Hero, e.Tone = "+", true, "good"
		if c.Amount.Negative || c.Amount.Amount == 0 {
			e.Label, e.Sign, e.Hero, e.Tone = "Left your account", "−", false, ""
		}
		if l.Session.Execution.Proof().State != record.Proved {
			e.Tone = ""
		}
		if c.Coin == amounts.SUI.CoinType {
			e.note(gasNote(c.Amount, r.GasNet), "")
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b entry) int { return strings.Compare(b.Sign, a.Sign) })
	return list
}

// succeeded fills in the headline of an executed transaction.
func (v *view) succeeded(l look) {
	h := l.Session.Headline()
	switch p := l.Session.Execution.Proof(); {
	case p.State == record.Mismatched:
		v.state(h)
		v.Verdict.Text = "The node contradicts the validators. Do not trust its result."
		return
	case h.Tone == record.ToneBad:
		v.Verdict = &verdict{Tone: "bad", Text: "The result does not match the review.",
			Says: []string{"The receipt says what."}}
	}
	v.Title, v.Text, v.Do = words.Grouped(words.Whole(h.Title)), words.Grouped(words.Whole(h.Text)),
		words.Grouped(words.Whole(h.Do))
	v.Tone, v.Seal = string(h.Tone), h.Tone == record.ToneGood
	if title, more := l.swapped(h.Title); title != "" {
		if where, ok := strings.CutSuffix(v.Text, " arrived in your own account."); ok && !strings.Contains(where, ". ") {
			v.Text = "" // the amounts below show it
		}
		v.Title, v.Text = title, strings.TrimSpace(more+" "+v.Text)
	}
}

// swapped returns the headline of an executed swap, rounded against the user, and how much more
// arrived than was guaranteed. It returns "" for other transactions.
func (l look) swapped(title string) (headline, more string) {
	f, r := l.Session.Facts, l.Session.Execution.Receipt
	if f == nil || r == nil || len(f.Steps) != 1 || !strings.HasPrefix(title, "Swapped ") {
		return "", ""
	}
	gives, gets := f.Promise().Amounts(plan.RoleInput), f.Promise().Amounts(plan.RoleOutput)
	if len(gives) != 1 || len(gets) != 1 {
		return "", ""
	}
	paid, got := change(r, gives[0]), change(r, gets[0])
	if paid.Amount == 0 || !paid.Negative || got.Negative || got.Amount < gets[0].Raw {
		return "", ""
	}
	headline = "Swapped " + amounts.Rounded(gives[0].Of(paid.Amount), true) + " for " +
		amounts.Rounded(gets[0].Of(got.Amount), false)
	more = "That is exactly what was guaranteed."
	if over := got.Amount - gets[0].Raw; over > 0 {
		more = amounts.Rounded(gets[0].Of(over), false) + " more than guaranteed."
	}
	return headline, more
}

// change returns how much of a coin moved, without gas.
func change(r *record.Receipt, of plan.Amount) (d sui.Delta) {
	for _, c := range r.BalanceChanges {
		if c.Coin == of.CoinType {
			d = c.Amount
		}
	}
	if of.CoinType == amounts.SUI.CoinType {
		d = amounts.WithoutGas(d, r.GasNet)
	}
	return d
}

// gasNote describes how much of a change of the account's SUI is gas.
func gasNote(change, gas sui.Delta) string {
	switch {
	case gas.Amount == 0:
		return ""
	case amounts.WithoutGas(change, gas).Amount == 0:
		return "the gas, and nothing else"
	}
	return "gas included"
}

// movedWords explain why coins of an object changed, if that is not obvious.
var movedWords = map[plan.Why]string{
	plan.ForFee: "for the fee", plan.ForRelease: "free again",
}

// gasLines list the cost of gas, and the rebate for freed storage.
func gasLines(r *record.Receipt) []words.Line {
	paid := words.Line{Name: "Gas paid", Value: amounts.Of(amounts.SUI.Of(r.GasNet.Amount)).String()}
	if r.GasNet.Negative {
		paid.Name, paid.Note = "Gas came back", "more storage was freed than the transaction cost"
	} else if r.Gas.Rebate > 0 {
		paid.Note = fmt.Sprintf("%s was charged, and %s came back for freed storage",
			amounts.Of(amounts.SUI.Of(r.Gas.Computation+r.Gas.Storage)), amounts.Of(amounts.SUI.Of(r.Gas.Rebate)))
	}
	return []words.Line{paid}
}

// agreed fills in what was agreed, what is tied up, and what it costs. It applies before a
// signature, and as long as the result is unknown.
func (v *view) agreed(l look, f *plan.Facts) {
	s := l.Session
	v.Terms, v.TermTitle = l.terms(f), "What is agreed"
	switch {
	case s.Status == record.Success && s.Execution != nil && s.Execution.Receipt != nil &&
		s.Execution.Receipt.Result != nil:
		v.Terms = nil // the receipt lists those that still apply
	case s.Status.Terminal():
		v.TermTitle, v.Locks = "What was agreed", l.locks()
	default:
		v.Locks, v.About, v.Details = l.locks(), l.subjects(f), l.details(f)
		v.Ends = s.Intent.Permission != ""
		if len(v.Terms) == 0 {
			v.TermTitle = "Costs"
		}
	}
}
