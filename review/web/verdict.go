package web

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// verdict is the page's summary of a review, shown below the headline.
type verdict struct {
	Tone, Text string
	Says       []string
}

// Icon returns the name of the icon for the tone.
func (v verdict) Icon() string {
	switch v.Tone {
	case "good":
		return "check"
	case "warn":
		return "warn"
	case "bad":
		return "stop"
	}
	return "clock"
}

// checkLine is one check as text. Accept is the ID that the user must accept before signing, and
// AcceptText the sentence to accept.
type checkLine struct {
	Class, Label, Message, Do, Accept, AcceptText string
	Typed                                         bool // the user types an amount instead of ticking
}

// openReleaseCheck is the check for other transactions that can still execute. The page describes these
// transactions next to the user's choices.
const openReleaseCheck = "open_release"

// check sorts the checks by class and sets the verdict. It does not repeat what the page shows
// elsewhere.
func (v *view) check(l look) {
	s := l.Session
	switch v.Stage {
	case stageOpening, stageWork, stageSuccess, stageFailure, stageExpired:
		return
	}
	things := 0
	for i, c := range s.State.Checks {
		one := l.checkLine(c)
		switch c.Class() {
		case plan.ClassStop:
			if i > 0 || !v.stopped() {
				v.Open = append(v.Open, one)
			}
		case plan.ClassCaution:
			if c.ID == openReleaseCheck && v.Related != nil {
				continue
			}
			things++
			v.Open = append(v.Open, one)
		default:
			v.Folded = append(v.Folded, one)
		}
	}
	v.Passed = passed(v.Folded)
	if v.Stage == stageReady {
		v.Verdict = v.judged(l, things)
	}
}

// passed describes the number of passed checks in a fold.
func passed(list []checkLine) string {
	notes := 0
	for _, c := range list {
		if c.Class == string(plan.ClassNote) {
			notes++
		}
	}
	return words.Plural(len(list)-notes, "check passed", "checks passed")
}

// changedBefore is the advice after a wallet has signed a different transaction.
const changedBefore = "Look at the wallet’s own history, and do not use this wallet until you know why."

// stopped reports whether the page itself explains why nothing can be signed.
func (v *view) stopped() bool { return v.Stage == stageBlocked || v.Stage == stageRefresh }

// judged returns the verdict of a ready review with the given number of cautions.
func (v *view) judged(l look, things int) *verdict {
	if v.OpenedTwice {
		things++
	}
	if v.Apart != nil {
		things++
	}
	if v.Related != nil {
		things += len(v.Related.Open)
	}
	say := func(tone, text string, more ...string) *verdict { return &verdict{tone, text, more} }
	switch {
	case v.Frozen:
		return say("bad", "Everything is stopped.", "You can lift it in Settings. Your AI cannot.")
	case v.Changed != "":
		return say("bad", v.Changed, "That was an earlier answer in this review. "+changedBefore)
	case repeated(l.Related):
		return say("bad", "Do not sign. This exact transaction was already sent to your wallet.")
	case barred(l.Related):
		return say("warn", "Not yet: another transaction has to be over first.")
	}
	if typed := v.typed(); typed != "" {
		return say("bad", typed)
	}
	order := orderNow(l)
	switch {
	case things > 0:
		text := "Look at " + words.Plural(things, "thing", "things")
		if order != nil && order.Fills.Raw > 0 && order.Rests.Raw > 0 {
			return say("warn", text+". Part of this order fills now.", fate(order))
		}
		return say("warn", text)
	case order != nil && order.Fills.Raw > 0:
		return say("warn", "This order fills now", fate(order))
	}
	//mutant:never ./review/web TestVerdictOfThePrice
	if slices.ContainsFunc(l.Session.State.Checks, func(c plan.Check) bool {
		return c.ID == plan.CheckCompared &&
			c.Status != plan.CheckPass
	}) {
		return say("warn", "Price not compared: no other market found")
	}
	if order != nil {
		return say("info", "This order waits", l.waits(order))
	}
	return say("good", "No problems found", underMarket(l)...)
}

// typed returns the verdict if the user must type an amount, or "".
func (v *view) typed() string {
	for _, c := range v.Open {
		switch kind, _, _ := strings.Cut(c.Accept, ":"); {
		case !c.Typed:
		case kind+":" == plan.AcceptPrice:
			return "Do not sign. You would get " + c.Accept[len(plan.AcceptPrice):] + "% less than the market."
		default:
			return "Read this before you sign."
		}
	}
	return ""
}

// orderNow returns the estimate of the review's order, or nil if it places none.
func orderNow(l look) *plan.OrderOutlook {
	for _, o := range l.Session.State.Outlook {
		if o.Order != nil {
			return o.Order
		}
	}
	return nil
}

// waits describes when an order would fill.
func (l look) waits(order *plan.OrderOutlook) string {
	text := ""
	for _, o := range l.Session.State.Outlook {
		if o.Order == order && o.Market != nil && o.Market.Middle != "" {
			text = "The market is at " + words.Spaced(words.Whole(string(o.Market.Middle))) + "."
		}
	}
	if text == "" {
		return fate(order)
	}
	return text
}

// underMarket compares the guaranteed price with the market in a sentence. It uses the compared
// price that it is furthest below.
func underMarket(l look) []string {
	if len(l.Session.State.Outlook) != 1 || l.Session.State.Outlook[0].Trade == nil {
		return nil
	}
	bps := l.Session.State.Outlook[0].Trade.Guaranteed.Bps
	for _, c := range l.Session.State.Checks {
		before, _, less := strings.Cut(c.Message, " less than at ")
		if worst := before[strings.LastIndexByte(before, ' ')+1:]; less && c.ID == checkMarket &&
			strings.HasSuffix(worst, "%") {
			return []string{"The guaranteed price is " + words.Whole(worst) + " under the market."}
		}
	}
	switch {
	case bps > 0:
		return []string{"The guaranteed price is " + percent(bps) + " under the market."}
	case bps < 0:
		return []string{"Even the guaranteed price is " + percent(-bps) + " over the market."}
	}
	return []string{"The guaranteed price is the market price."}
}

func (l look) checkLine(c plan.Check) checkLine {
	line := checkLine{Class: string(c.Class()), Label: words.Whole(c.Label), Message: l.brieflyOf(c.Message),
		Do: l.brieflyOf(c.Do)}
	if l.stage() == stageReady && !repeated(l.Related) && !barred(l.Related) {
		line.Accept, line.AcceptText, line.Typed = c.Accept, l.brieflyOf(c.AcceptText), c.Typed() != ""
	}
	return line
}

// brieflyOf returns text for display. It shortens addresses that the page shows in full.
func (l look) brieflyOf(text string) string {
	full := []sui.Address{}
	if f := l.facts(); f != nil {
		full = append(full, l.Session.Account, f.Promise().Payee())
		for _, s := range f.Steps {
			if s.Holder != nil && !s.Holder.New() {
				full = append(full, s.Holder.ID)
			}
		}
	}
	return shortened(words.Whole(text), full...)
}

// helped reports whether it can help to compute a blocked review again, because coins, limits,
// prices or accounts blocked it, which can have changed since.
func (l look) helped() bool {
	cause := listing.FirstCheck(l.Session.State.Checks)
	switch l.Session.Reason {
	case plan.InsufficientBalance, plan.InsufficientGas, plan.NetworkMismatch, plan.ObjectResolutionFailed,
		plan.EffectsMismatch:
		return true
	case plan.AllowlistViolation:
		return listing.Limited(cause)
	case plan.AmountMismatch:
		return cause.Rule == rulePrice
	case plan.WalletMismatch:
		return cause.ID == checkAccount
	}
	return false
}

// rulePrice is the rule that compares a price with the market's. checkAccount is the check that the
// review's account is the account in use.
const (
	rulePrice    = plan.RuleID("C04")
	checkAccount = "wallet_account"
	// checkMarket is the check whose text describes the worst comparison of a price.
	checkMarket = "price_against_middle"
)
