package web

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// receiptView is what happened on chain, beside what was promised.
type receiptView struct {
	Happened []words.Line // what the chain made of it besides amounts
	Promises []promiseLine
	Agreed   string       // that the terms are as agreed
	Changes  []words.Line // of the account
	Inside   []words.Line // of the object InsideOf, which holds coins for it
	InsideOf string
	Holds    []words.Line // from now on
	Lines    []words.Line
	Proof    proofView
}

// promiseLine is a promise beside what happened. Class is kept where it is proved, told
// where a node tells so, and broken.
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

// proofView says whether validators signed the result, or a node told it.
type proofView struct {
	State record.ProofState
	Text  string
	Note  string // about amounts, which nobody signs
	Save  bool   // there is a proof that can be saved as a file
}

func proofOf(x *record.Execution) proofView {
	p := x.Proof()
	v := proofView{State: p.State, Text: p.Sentence(), Save: p.State == record.Proved}
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

// termPromise begins the id of a promise about an agreed term.
const termPromise = "term_"

func (l look) receipt(x *record.Execution) *receiptView {
	r := x.Receipt
	out := &receiptView{Proof: proofOf(x)}
	agreed := 0
	for _, p := range r.Promises {
		// A term that is as agreed is no news, and may be over: an order that is gone
		// ends no more. One that is not as agreed is shown.
		if strings.HasPrefix(p.ID, termPromise) && p.Kept {
			agreed++
			continue
		}
		p.Label, p.Promised, p.Actual = words.Whole(p.Label), words.Figure(words.Whole(p.Promised)), words.Figure(words.Whole(p.Actual))
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
	known := amounts.Assets(l.Session)
	for _, c := range r.BalanceChanges {
		asset, ok := known[c.Coin]
		if !ok {
			// Without known decimals only the raw number is a fact.
			asset = plan.Asset{Symbol: "raw units of " + amounts.Tail(string(c.Coin)), CoinType: c.Coin, Foreign: true}
		}
		one := words.Line{Name: words.Whole(asset.Symbol), Value: amounts.Delta(c.Amount, asset), Note: whichCoin(asset)}
		if c.Coin == amounts.SUI.CoinType {
			one.Note = gasNote(c.Amount, r.GasNet)
		}
		out.Changes = append(out.Changes, one)
	}
	if f := l.Session.Facts; f != nil {
		out.InsideOf = words.Whole(f.HolderName())
	}
	for _, m := range done.Moved {
		out.Inside = append(out.Inside, words.Line{Name: words.Whole(m.Symbol), Value: amounts.Delta(m.Change, m.Asset),
			Note: movedWords[m.Why]})
	}
	out.Lines = append(gasLines(r), words.Line{Name: "Sender", Address: r.Sender.String()})
	if f := l.Session.Facts; f != nil && !f.Promise().Payee().IsZero() {
		out.Lines = append(out.Lines, words.Line{Name: "Paid to", Address: f.Promise().Payee().String()})
	}
	if r.FailureKind != "" {
		out.Lines = append(out.Lines, words.Line{Name: "The chain says", Value: words.Whole(r.FailureKind)})
	}
	if r.Checkpoint != nil {
		out.Lines = append(out.Lines, words.Line{Name: "Checkpoint", Value: words.Spaced(fmt.Sprint(*r.Checkpoint)),
			Note: words.At(r.Timestamp)})
	}
	return out
}

// gasNote says what part gas has in a change of the account's SUI.
func gasNote(change, gas sui.Delta) string {
	switch {
	case gas.Amount == 0:
		return ""
	case amounts.WithoutGas(change, gas).Amount == 0:
		return "the gas, and nothing else"
	}
	return "gas included"
}

// movedWords say why coins of an object changed, where that needs a word.
var movedWords = map[plan.Why]string{
	plan.ForFee: "for the fee", plan.ForRelease: "free again",
}

// gasLines say what gas cost, and what came back for storage that was freed.
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

// agreed fills what was agreed, what is tied up, and what it costs: before a
// signature, and while nothing is known to be over.
func (v *view) agreed(l look, f *plan.Facts) {
	s := l.Session
	v.Terms, v.TermTitle = l.terms(f), "What is agreed"
	switch {
	case s.Status == record.Success && s.Execution != nil && s.Execution.Receipt != nil &&
		s.Execution.Receipt.Result != nil:
		v.Terms = nil // the receipt says what holds of them
	case s.Status.Terminal():
		v.TermTitle, v.Locks = "What was agreed", l.locks()
	default:
		v.Locks, v.About = l.locks(), l.subjects(f)
		v.Details, v.DetailTitle = l.details(f), "Costs"
	}
}
