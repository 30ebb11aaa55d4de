package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// words fills in the headline.
func (v *bundlePage) words(b request.Request) {
	defer func() {
		if b.State == request.Asked {
			v.Title = strings.TrimSpace(v.Title + " " + bundleSends(b))
		}
	}()
	if b.Mode == request.Atomic && v.wholeWords(b) {
		return
	}
	n := len(b.Steps)
	place, last := 0, request.Step{}
	for i, s := range b.Steps {
		if s.State != request.Waiting {
			place, last = i+1, s
		}
	}
	of := fmt.Sprintf("Step %d of %d", max(place, 1), n)
	switch b.State {
	case request.Asked:
		v.Title = fmt.Sprintf("Approve %d transactions, one after another?", n)
		v.Text = "Nothing is built or signed yet. Each step is built, checked and shown to you when its turn comes, and " +
			"only your wallet signs it. The first one that fails ends the rest."
		if n == 1 {
			v.Title = "Approve this transaction?"
			v.Text = "Nothing is built or signed yet. It is built, checked and shown to you next, and only your wallet signs it."
		}
	case request.Running:
		v.Title, v.Text = of+" is being prepared", "It appears here by itself."
		switch {
		case b.Stopping != "":
			v.Title, v.Tone, v.Text = of+" is the last one", "warn", "It is with your wallet or on its way, so it cannot be "+
				"called back. Nothing else is begun."
		case last.State == request.Open:
			v.Title, v.Text = of+" is ready for you", "Open it, read what it says, and sign or decline there. This page goes "+
				"on by itself."
		case last.State == request.Submitted:
			v.Title, v.Text = of+" is signed", "Its result on the chain is awaited. Then the next step is prepared."
		}
	case request.Completed:
		v.Title, v.Tone, v.Text = allSteps(n)+" done", "good", "You can close this page."
		if slices.ContainsFunc(b.Steps, func(s request.Step) bool { return s.State == request.Pending }) {
			v.Title, v.Tone, v.Text = allSteps(n)+" signed", "", "Not every result is known yet; this page shows them as they "+
				"come."
		}
	case request.Rejected:
		v.Title, v.Text = "You rejected it", "Nothing was built, and nothing was signed."
		if b.Reason == request.ApprovedLater {
			v.Title, v.Text = "Approved for later", "If your AI client sends exactly these steps again within 10 minutes, "+
				"they begin without this page. Every step is still yours to read and sign."
		}
	case request.Expired:
		v.Title, v.Text = "The time to answer is over", "Nothing was built, and nothing was signed. Ask your AI client for "+
			"it again."
	case request.Stopped:
		stays := "Nothing was done."
		if slices.ContainsFunc(b.Steps, func(s request.Step) bool {
			return s.State == request.Confirmed ||
				s.State == request.Pending
		}) {
			stays = "What was confirmed stays."
		}
		stays += " Later steps were not begun. Your AI client is told; ask it if you want the rest."
		v.Title, v.Tone, v.Text = fmt.Sprintf("Stopped at step %d of %d", max(place, 1), n), "bad", stays
		if last.State == request.TimedOut {
			v.Tone, v.Text = "warn", "Whether this step happens is not known yet; this page shows it when it is. Later steps "+
				"were not begun. Do not ask for it again before."
		}
		if place == 0 || last.State == request.Confirmed {
			v.Title, v.Tone, v.Text = "Stopped", "warn", stays
		}
	}
}

// bundleSends says how much a bundle sends to whom in all, "" if it pays nobody. What
// an earlier step results in is named without an amount.
func bundleSends(b request.Request) string {
	var what []string
	var totals []plan.Amount
	var to []string
	for _, s := range b.Steps {
		if s.Intent.Recipient == "" {
			continue
		}
		if short := words.InShort(s.Intent.Recipient); !slices.Contains(to, short) {
			to = append(to, short)
		}
		if from := s.Intent.From.ResultOf; from > 0 {
			what = append(what, fmt.Sprintf("%s of step %d", words.Whole(b.Steps[from-1].Result.Symbol), from))
			continue
		}
		for _, a := range s.Most {
			n := slices.IndexFunc(totals, func(t plan.Amount) bool { return t.Asset == a.Asset })
			if n < 0 {
				n, totals = len(totals), append(totals, a.Of(0))
			}
			totals[n] = a.Of(sui.Raw(plan.AddSaturating(uint64(totals[n].Raw), uint64(a.Raw))))
		}
	}
	if len(to) == 0 {
		return ""
	}
	for i, t := range totals {
		what = slices.Insert(what, i, amounts.Of(t).String())
	}
	return "In all, " + listed(what) + " to " + listed(to) + "."
}

// wholeWords fills in the headline of steps that are one transaction, where it differs.
func (v *bundlePage) wholeWords(b request.Request) bool {
	n, step := len(b.Steps), b.Steps[0]
	switch {
	case b.State == request.Asked:
		v.Title = fmt.Sprintf("Prepare one transaction of %d steps?", n)
		v.Text = "Nothing is built or signed yet. All steps are built into one transaction, which is checked and shown to " +
			"you next, and which your wallet signs once. Either all of it happens, or none."
	case b.State == request.Running && b.Stopping != "":
		v.Title, v.Tone, v.Text = "The transaction cannot be called back", "warn", "It is with your wallet or on its way. "+
			"Its result is awaited."
	case b.State == request.Running && step.State == request.Open:
		v.Title, v.Text = "The transaction is ready for you", "Open it, read what it says, and sign or decline there. This "+
			"page goes on by itself."
	case b.State == request.Running && step.State == request.Submitted:
		v.Title, v.Text = "The transaction is signed", "Its result on the chain is awaited."
	case b.State == request.Running:
		v.Title, v.Text = "The transaction is being prepared", "It appears here by itself."
	case b.State == request.Stopped && step.State == request.TimedOut:
		v.Title, v.Tone, v.Text = "Not known whether it happens", "warn", "Either all steps happen, or none; this page "+
			"shows it when it is known. Do not ask for it again before."
	case b.State == request.Stopped && step.State == request.Failed:
		v.Title, v.Tone, v.Text = "None of it happened", "bad", "All steps were one transaction, so none of them happened."
	default:
		return false
	}
	return true
}

func allSteps(n int) string {
	switch n {
	case 1:
		return "It is"
	case 2:
		return "Both steps are"
	}
	return fmt.Sprintf("All %d steps are", n)
}

// bundleLines words the steps. Equal ones that follow each other are one line before the
// approval, but for those that need a tick each.
func bundleLines(b request.Request, twins map[int][]twinLine) (list []bundleLine) {
	for i, s := range b.Steps {
		l := bundleLine{Place: i + 1, Times: 1, ID: s.ID, Asked: words.UpperFirst(listing.Asked(s.Intent)), Label: s.Label,
			Payee:  s.Intent.Recipient,
			Digest: s.TxHash, Twins: twins[i]}
		if from := s.Intent.From.ResultOf; from > 0 && s.State == request.Waiting {
			l.Fed = fedWords(b, from)
		}
		l.State, l.Tone, l.Why = stepWords(b, s)
		l.Key = keyWords(s.Key)
		l.Places = strconv.Itoa(i + 1)
		l.Done = s.State == request.Confirmed
		if n := len(list); n > 0 && b.State == request.Asked && l.Fed == "" && list[n-1].Fed == "" &&
			list[n-1].Asked == l.Asked && list[n-1].Payee == l.Payee && list[n-1].Key == l.Key &&
			s.Given == "" && slices.Equal(list[n-1].Twins, l.Twins) {
			list[n-1].Times++
			list[n-1].Places = fmt.Sprintf("%d–%d", list[n-1].Place, i+1)
			continue
		}
		list = append(list, l)
	}
	return list
}

// keyWords says which key was named for a signature, "" for none.
func keyWords(k actions.Key) string {
	var named []string
	if k.Path != "" {
		named = append(named, "the derivation path “"+screen.Line(k.Path, screen.MostName)+"”")
	}
	if k.Scheme != "" {
		named = append(named, "the signature scheme “"+screen.Line(k.Scheme, screen.MostName)+"”")
	}
	if named == nil {
		return ""
	}
	return "The request names " + strings.Join(named, " and ") + ". Your wallet signs with the key of your account."
}

// fedWords says when it is known how much a step takes of the result of another.
func fedWords(b request.Request, from int) string {
	if b.Mode == request.Atomic {
		return fmt.Sprintf("It goes from step %d to this one inside the transaction. The review says how much it is at "+
			"least.", from)
	}
	return fmt.Sprintf("How much that is, is known when step %d is confirmed. Until then this step cannot be simulated.",
		from)
}

// stepWords says where a step stands.
func stepWords(b request.Request, s request.Step) (words, tone, why string) {
	switch s.State {
	case request.Open:
		if s.Handed {
			return "Handed to your wallet", "warn", ""
		}
		return "Ready for you", "now", ""
	case request.Submitted:
		return "Signed; its result is awaited", "now", ""
	case request.Confirmed:
		return "Confirmed", "good", ""
	case request.Pending:
		return "Signed; its result is not known yet", "warn", ""
	case request.TimedOut:
		return "Not known whether it happens", "warn", ""
	case request.Failed:
		return "Did not happen", "bad", reasonWords(s.Error)
	}
	if b.State.Over() {
		return "Not begun", "", ""
	}
	return "", "", ""
}

// reasonWords words why a step failed.
func reasonWords(why string) string {
	code, more, _ := strings.Cut(why, ": ")
	known := map[string]string{
		request.UserRejected: "You declined, here or in your wallet.",
		request.Outside:      "It would have gone beyond what you approved, so nothing was handed out.",
		request.Duplicate:    "The same was open elsewhere, or had just been done, and you had not said “Yes, again”.",
		request.TimeOver:     "It was not signed in time.",
		request.Cancelled:    "The bundle was stopped before it was signed.",
		request.NotSubmitted: "It was never executed, and never can be.",
		request.NoResult:     "The step before it brought nothing to go on with.",
		request.OtherAccount: "Another account was in use.",
		request.EntryChanged: "The address-book entry that it pays was deleted or changed since you approved it.",

		string(record.FailureChainExecution): "The chain executed it, and it failed. Only gas was spent.",
	}
	if text, ok := known[code]; ok {
		if more != "" {
			text += " (" + screen.Line(more, screen.MostName) + ")"
		}
		return text
	}
	if record.StatusOf(plan.Reason(code)) != "" {
		return record.ReasonTitle(plan.Reason(code)) + "."
	}
	return words.UpperFirst(screen.Line(strings.ReplaceAll(why, "_", " "), screen.MostDescription)) + "."
}

func outflowLines(b request.Request) (list []outflowLine) {
	for _, o := range b.Limits() {
		l := outflowLine{Symbol: o.Symbol}
		if o.Raw != "0" {
			l.Amount = o.Display()
		}
		for _, from := range o.Besides {
			l.Besides = strings.TrimPrefix(l.Besides+" and ", " and ") + fmt.Sprintf("all %s that step %d brings", o.Symbol,
				from)
		}
		list = append(list, l)
	}
	return list
}
