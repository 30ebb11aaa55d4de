package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// words fills in the headline. called returns the name of a recipient.
func (v *bundlePage) words(b request.Request, called func(address string) string) {
	v.Title = bundleHeadline(b, called)
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
	switch b.State {
	case request.Asked:
		v.Text = "Nothing is signed yet. Each step is shown here first. If one fails, the rest stops."
		if n == 1 {
			v.Text = "Nothing is signed yet. It is checked and shown here next."
		}
	case request.Running:
		v.Text = v.runs(place, n, last, b.Stopping != "")
	case request.Completed:
		v.Title, v.Tone, v.Text = allSteps(n)+" done", "good", "You can close this page."
		if slices.ContainsFunc(b.Steps, func(s request.Step) bool { return s.State == request.Pending }) {
			v.Title, v.Tone, v.Text = allSteps(n)+" signed", "", "Not every result is known yet. This page shows them as they "+
				"come."
		}
	case request.Rejected:
		v.Title, v.Text = "You rejected it", "Nothing was built, and nothing was signed."
		if b.Reason == request.ApprovedLater {
			v.Title, v.Text = "Approved for later", "If your AI client sends exactly these steps again within 10 minutes, "+
				"they begin without this page. You still read and sign every step."
		}
	case request.Expired:
		v.Title, v.Text = "The time to answer is over", "Nothing was built, and nothing was signed. Ask your AI client for "+
			"it again."
	case request.Stopped:
		v.stopped(b, place, last)
	}
}

// runs describes a running bundle whose latest step is at place.
func (v *bundlePage) runs(place, n int, last request.Step, stopping bool) string {
	const law = " Each step has its own signature. If one fails, the rest stops."
	of := fmt.Sprintf("Step %d of %d", max(place, 1), n)
	switch {
	case stopping:
		v.Tone = "warn"
		return of +
			" is the last one. Your wallet has it or it is on its way, so it cannot be called back. Nothing else begins."
	case last.State == request.Open:
		return of + " needs you." + law
	case last.State == request.Submitted:
		return of + " is signed. The next step is prepared when its result is known."
	case place > 0:
		return fmt.Sprintf("Step %d of %d is being prepared.", min(place+1, n), n) + law
	}
	return of + " is being prepared." + law
}

// stopped describes a bundle that stopped at the step at place.
func (v *bundlePage) stopped(b request.Request, place int, last request.Step) {
	stays := "Nothing was done."
	if slices.ContainsFunc(b.Steps, func(s request.Step) bool {
		return s.State == request.Confirmed ||
			s.State == request.Pending
	}) {
		stays = "Confirmed steps stay."
	}
	stays += " Later steps were not begun. Your AI client knows. Ask it if you want the rest."
	v.Title, v.Tone, v.Text = fmt.Sprintf("Stopped at step %d of %d", max(place, 1), len(b.Steps)), "bad", stays
	if declined(last) {
		v.Tone = ""
	}
	if last.State == request.TimedOut {
		v.Tone, v.Text = "warn", "It is not known yet whether this step executes. This page updates when it is "+
			"known. Do not ask "+
			"for it again before. Later steps were not begun."
	}
	if place == 0 || last.State == request.Confirmed {
		v.Title, v.Tone, v.Text = "Stopped", "warn", stays
	}
}

// declined reports whether the user declined a step.
func declined(s request.Step) bool {
	return s.State == request.Failed && (s.Error == request.UserRejected || s.Error == request.Cancelled)
}

// bundleHeadline describes what the steps of a bundle spend in total and whom they pay. Results of
// earlier steps have no amounts.
func bundleHeadline(b request.Request, called func(address string) string) string {
	var spent []plan.Amount
	var pays []string
	var to []string
	paid := map[string][]plan.Amount{}
	brought := map[string][]string{}
	for _, s := range b.Steps {
		who := s.Intent.Recipient
		if who != "" && !slices.Contains(to, who) {
			to = append(to, who)
		}
		switch from := s.Intent.From.ResultOf; {
		case from > 0 && who != "":
			brought[who] = append(brought[who], fmt.Sprintf("the %s of step %d", words.Whole(b.Steps[from-1].Result.Symbol),
				from))
		case from > 0:
		case who != "":
			paid[who] = plus(paid[who], s.Most)
		default:
			spent = plus(spent, s.Most)
		}
	}
	for _, who := range to {
		pays = append(pays, called(who)+" "+listed(append(amountsOf(paid[who]), brought[who]...)))
	}
	var parts []string
	if len(spent) > 0 {
		parts = append(parts, "spend up to "+listed(amountsOf(spent)))
	}
	if len(pays) > 0 {
		parts = append(parts, "pay "+listed(pays))
	}
	if n := len(b.Steps); len(parts) == 0 || n == 1 {
		parts = []string{words.Grouped(listing.Asked(b.Steps[0].Intent))}
		if n > 1 {
			parts[0] += fmt.Sprintf(", and %d more", n-1)
		}
	}
	text := words.UpperFirst(strings.Join(parts, " and "))
	if n := len(b.Steps); b.Mode == request.Atomic {
		text += fmt.Sprintf(", in one transaction of %d steps", n)
	} else if n > 1 {
		text += fmt.Sprintf(", in %d steps", n)
	}
	return text
}

// plus adds amounts by coin.
func plus(sums, more []plan.Amount) []plan.Amount {
	for _, a := range more {
		n := slices.IndexFunc(sums, func(t plan.Amount) bool { return t.Asset == a.Asset })
		if n < 0 {
			n, sums = len(sums), append(sums, a.Of(0))
		}
		sums[n] = a.Of(sui.Raw(plan.AddSaturating(uint64(sums[n].Raw), uint64(a.Raw))))
	}
	return sums
}

func amountsOf(list []plan.Amount) (out []string) {
	for _, a := range list {
		out = append(out, amounts.Of(a).String())
	}
	return out
}

// wholeWords describes steps that are one transaction. It reports whether it set the texts;
// otherwise those for separate steps apply.
func (v *bundlePage) wholeWords(b request.Request) bool {
	step := b.Steps[0]
	switch {
	case b.State == request.Asked:
		v.Text = "Nothing is signed yet. You see the transaction first. Either all of it happens, or none."
	case b.State == request.Running && b.Stopping != "":
		v.Tone, v.Text = "warn", "The transaction cannot be called back. Your wallet has it, or it is on its way."
	case b.State == request.Running && step.State == request.Open:
		v.Text = "The transaction needs you. Either all of it happens, or none."
	case b.State == request.Running && step.State == request.Submitted:
		v.Text = "The transaction is signed. Its result is awaited."
	case b.State == request.Running:
		v.Text = "The transaction is being prepared."
	case b.State == request.Stopped && step.State == request.TimedOut:
		v.Title, v.Tone, v.Text = "Not known whether it happens", "warn", "Either all steps happen, or none. This page "+
			"updates when it is known. Do not ask for it again before."
	case b.State == request.Stopped && step.State == request.Failed:
		v.Title, v.Tone, v.Text = "None of it happened", "bad", "All steps were one transaction, so none of them happened."
		if declined(step) {
			v.Tone = ""
		}
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

// bundleLines describes the steps. Before the approval, it combines consecutive equal steps, except
// those that each need a confirmation.
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

// keyWords describes the key that was named for a signature, or returns "".
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

// fedWords describes when the amount of a step that uses another's result will be known.
func fedWords(b request.Request, from int) string {
	if b.Mode == request.Atomic {
		return fmt.Sprintf("Moves from step %d inside the transaction. You see the minimum before you sign.", from)
	}
	return fmt.Sprintf("How much that is, is known when step %d is confirmed. Until then this step cannot be simulated.",
		from)
}

// stepWords describes the state of a step.
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
		if declined(s) {
			return "Did not happen", "ended", reasonWords(s.Error)
		}
		return "Did not happen", "bad", reasonWords(s.Error)
	}
	if b.State.Over() {
		return "Not begun", "", ""
	}
	return "", "", ""
}

// reasonWords describes why a step failed.
func reasonWords(why string) string {
	code, more, _ := strings.Cut(why, ": ")
	known := map[string]string{
		request.UserRejected: "You declined, here or in your wallet.",
		request.Outside:      "It would have gone beyond what you approved, so nothing was sent to your wallet.",
		request.Duplicate:    "The same was open elsewhere, or had just been done, and you had not said “Yes, again”.",
		request.TimeOver:     "It was not signed in time.",
		request.Cancelled:    "The bundle ended before you signed this step.",
		request.NotSubmitted: "It was never executed, and never can be.",
		request.NoResult:     "The previous step produced nothing to use.",
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
