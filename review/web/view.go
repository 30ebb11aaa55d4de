package web

import (
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/draw"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review"
)

// The stages of the review page. Every status of a review has one stage, except that a ready review
// has two: before and after its bytes were released.
const (
	stageOpening  = "opening"
	stageWork     = "work"
	stageReady    = "ready"
	stageReleased = "released"
	stageRefresh  = "refresh"
	stageBlocked  = "blocked"
	stagePending  = "pending"
	stageSuccess  = "success"
	stageFailure  = "failure"
	stageExpired  = "expired"
)

// look is the data from which a view is made.
type look struct {
	review.View
	access pagetoken.Access
	twice  bool
	nth    string // how many requests came in ten minutes; "" for few
	used   web.InUse

	marked   bool         // the user marked the account as being on a hardware wallet
	settable bool         // this tab can open the settings
	nodes    []words.Line // full nodes in use
	client   string       // name that the requesting client gives itself; "" if unknown
	now      time.Time
	named    map[string]string // names of addresses in the address book
	command  string            // command that prints a link to the home page, or ""
	source   source            // finds functions in the user's projects; nil if there are none
}

// source returns the location of a function in the user's projects, or "" if none contains it.
type source func(pkg sui.Address, module, function string) string

// stage returns the stage of the page. During a computation, the previous quote can no longer be
// signed.
func (l look) stage() string {
	s := l.Session
	if l.Computing && s.Status.Computable() {
		return stageWork
	}
	switch s.Status {
	case record.WalletConnected:
		return stageWork
	case record.Ready:
		if l.Released {
			return stageReleased
		}
		return stageReady
	case record.RefreshRequired:
		return stageRefresh
	case record.Blocked:
		return stageBlocked
	case record.SignedPendingResult:
		return stagePending
	case record.Success:
		return stageSuccess
	case record.Failure:
		return stageFailure
	case record.Expired:
		return stageExpired
	}
	return stageOpening
}

// render returns the view of the review.
func (l look) render() *view {
	s := l.Session
	v := &view{
		standing: standing{Stage: l.stage(), Status: string(s.Status), Revision: s.Revision, Access: l.access,
			ReadOnly: l.access != pagetoken.Active, OpenedTwice: l.twice || s.OpenedTwice, Computing: l.Computing},
		headline: headline{Stale: l.stale(), Progress: l.progress(), Asker: l.asked()},
		panel:    panel{WalletName: words.Whole(s.WalletName), Network: s.Network},
	}
	v.Apart, v.Related, v.Again = l.apart(), l.related(), s.Again
	v.Frozen = l.used.Frozen && !s.Status.Terminal()
	v.lead(l)
	if changed := record.ChangedHeadline().Title; s.Changed() && (v.Verdict == nil || v.Verdict.Text != changed) {
		v.Changed = changed
	}
	if v.Stage == stageWork {
		v.Stages = l.work()
		if !l.Computing {
			v.Next = "compute"
		}
	}
	if f := l.facts(); f != nil {
		v.show(l, f)
	}
	v.check(l)
	if v.Verdict != nil && v.Verdict.Text == v.Changed {
		v.Changed = "" // the verdict has the same text
	}
	if v.Proposal = l.proposal(); v.Proposal != nil {
		v.leadProposal()
	}
	v.act(l)
	v.AcceptTwice = v.OpenedTwice && v.Sign != nil && !v.ReadOnly && v.Apart == nil
	v.Explorer = words.Explorer(v.Network, v.Digest)
	if x := s.Execution; x != nil && x.Submission == record.SubmissionWallet {
		v.SentBy = "by your wallet"
	}
	if x := s.Execution; x != nil && x.Receipt != nil {
		v.Receipt = l.receipt(x)
		v.Technical = append(v.Receipt.Lines, v.Technical...)
	}
	return v
}

// show fills in what was decoded from the transaction.
func (v *view) show(l look, f *plan.Facts) {
	s := l.Session
	if !s.Status.Terminal() {
		v.Deal = l.deal(f)
	}
	v.Stepped = l.stepped(f)
	v.agreed(l, f)
	v.Balances, v.TrialNote = l.balances(), trialNote(s.State.Quote != nil, s.Facts != nil && s.Facts.Gas.Free())
	if v.Stage == stageReady || v.Stale {
		v.Markets, v.Holders = l.markets(f), l.holders(f)
		v.Strip = l.strip(f)
	}
	v.Commands = l.steps(f.Commands())
	v.Technical = append(v.Technical, l.technical(f)...)
	v.Picture, v.Ladder = picturePath(l), ladderPath(l)
	v.foldOrder()
	if l.Transaction != nil {
		v.Graph = draw.Transaction(l.Transaction, l.names(f), true)
		v.Device = l.device()
	}
}

// facts returns the facts decoded from the transaction that is offered or was signed. It returns
// nil for a withdrawn build, because there is nothing to sign.
func (l look) facts() *plan.Facts {
	switch l.stage() {
	case stageReady, stageReleased, stagePending, stageSuccess, stageFailure:
		return l.Session.Facts
	}
	if l.stale() {
		return l.Session.Facts
	}
	return nil
}

// stale reports whether the quote on the page has expired. It is still shown, but cannot be signed.
func (l look) stale() bool {
	s := l.Session
	return l.stage() == stageRefresh && s.Reason == plan.QuoteStale && s.Facts != nil && s.State.HumanReview != nil
}

// asked describes who asked for the review and when. It returns nil once the headline is the
// result.
func (l look) asked() *asker {
	if l.stage() == stageSuccess {
		return nil
	}
	return askerOf(l.client, l.now, l.Session.CreatedAt)
}

// askerOf describes who asked and when. client is the name that the client gives itself, "" if
// unknown.
func askerOf(client string, now, asked time.Time) *asker {
	who := words.Whole(client)
	if who == "" {
		who = "Your AI client"
	}
	return &asker{who, words.Since(now, asked)}
}

// lead fills in the headline, which describes the review's action. The verdict describes its state.
func (v *view) lead(l look) {
	s := l.Session
	v.Title, v.Short = l.headline(), l.short()
	switch v.Stage {
	case stageOpening:
		v.Verdict = &verdict{"", "Opening the review", []string{"Nothing is signed by this."}}
	case stageWork:
		v.Verdict = &verdict{"", "Preparing your review",
			[]string{"The transaction is built, decoded again and tried out. " +
				"Nothing is signed by this."}}
	case stageReady:
		v.Text = l.orders()
	case stageRefresh, stageBlocked:
		if h, ok := s.Answered(); ok {
			v.state(h)
			return
		}
		v.stoppedLead(l)
	case stageSuccess:
		v.succeeded(l)
	default:
		v.state(s.Headline())
	}
}

// stoppedLead describes why nothing can be signed, and what helps.
func (v *view) stoppedLead(l look) {
	s := l.Session
	reason, say, do := s.StopTitle(), "Nothing can be signed, and nothing was sent.", ""
	if len(s.State.Checks) > 0 && s.State.Checks[0].Class() == plan.ClassStop {
		first := s.State.Checks[0]
		say, do = l.brieflyOf(first.Message), l.brieflyOf(first.Do)
		if first.Rule == rulePrice {
			reason = "The price is far from the market"
		}
		if listing.Limited(first) {
			reason = "Over your limit (" + words.LowerFirst(words.Whole(first.Label)) + ")"
			v.waysToSettings(l)
		}
	}
	if v.Alike = mistaken(s); v.Alike != nil {
		reason = "This address resembles one you know"
		if v.Alike.Called = l.named[v.Alike.Other]; v.Alike.Called != "" {
			reason = "This address imitates " + v.Alike.Called
		}
		say = "Scammers make addresses like this to fool you. Nothing can be signed here."
	}
	if outstanding(s) {
		say += s.StillThere()
	}
	v.Short, v.Halted = "Signing is blocked", true
	v.Verdict = &verdict{"bad", "Do not sign. " + words.Sentence(reason), []string{say}}
	if listing.Harmless(s) || v.Stage == stageRefresh {
		v.Verdict.Tone, v.Verdict.Text = "warn", words.Sentence(reason)
	}
	if do != "" {
		v.Verdict.Says = append(v.Verdict.Says, do)
	}
}

// ends returns the shortest form of the user's own account. The page also shows the account in
// full.
func ends(a sui.Address) string {
	const head, tail = len("0x") + 4, 4
	text := a.String()
	return text[:head] + "…" + text[len(text)-tail:]
}

// waysToSettings describes how to reach the limits from a tab that cannot open the settings.
func (v *view) waysToSettings(l look) {
	if !v.ReadOnly && l.settable {
		return
	}
	v.Way = "Ask your AI client for a link to the settings page."
	if l.command != "" {
		v.Way += " Or run " + l.command + " in a terminal: it prints a link to a list, and the settings open from there."
	}
}

func outstanding(s record.Session) bool {
	for _, r := range s.Outstanding() {
		if r.Outcome != record.OutcomeWithheld && (r.Commitment != s.Commitment || s.Status != record.Ready) {
			return true
		}
	}
	return false
}

// work lists the stages of the current or next computation.
func (l look) work() []workLine {
	var out []workLine
	for _, p := range l.Progress {
		out = append(out, workLine{ID: string(p.ID), Label: words.Whole(p.Words), State: p.Status})
	}
	return out
}

// steps describes the commands, up to a maximum, and states if there are more. It writes "your
// account" for the user's address, which the page shows in full elsewhere.
func (l look) steps(commands []string) []string {
	const most = 40
	out := make([]string, 0, min(len(commands), most+1))
	for i, c := range commands {
		if i == most {
			out = append(out, fmt.Sprintf("… and %d more steps", len(commands)-most))
			break
		}
		out = append(out, l.brieflyOf(strings.ReplaceAll(c, l.Session.Account.String(), "your own account")))
	}
	return out
}

// declines is the label of the button that declines. At a step of a bundle it is stopsHere.
const (
	declines  = "Decline"
	stopsHere = "Stop here"
)

// act fills in the panel in which the user acts, or reads why that is not possible.
func (v *view) act(l look) {
	s := l.Session
	again := button{Action: "refresh", Label: "Get a new price", Class: "second"}
	if s.State.Quote == nil {
		again.Label = "Update"
	}
	decline := button{Action: "decline", Label: declines, Class: "second"}
	if v.Proposal != nil {
		if !s.Status.Terminal() && s.Status != record.Proposed {
			decline.Label = "Put this proposal aside"
			v.Buttons = []button{decline}
		}
		return
	}
	v.Nth = l.nth
	switch v.Stage {
	case stageReady:
		v.actReady(l, again, decline)
	case stageReleased:
		v.actReleased(l, again, decline)
	case stageRefresh:
		again.Class = "main"
		v.Buttons = []button{again, decline}
	case stageBlocked:
		v.actBlocked(l, again, decline)
	case stagePending:
		v.Commitment = s.Commitment
		if x := s.Execution; x != nil {
			v.Digest = x.TxDigest
			if x.Submission == record.SubmissionUnknown || x.Submission == record.SubmissionRefused {
				v.Buttons = []button{{Action: "submit", Label: "Send the same transaction again", Class: "main",
					Note: "Only the tab that signed it can send it again."}}
			}
		}
	case stageSuccess, stageFailure:
		if x := s.Execution; x != nil && x.TxDigest != "" {
			v.Digest, v.HasReceipt = x.TxDigest, x.Receipt != nil
		}
	}
}

// actReady fills in the panel of a transaction that can be signed.
func (v *view) actReady(l look, again, decline button) {
	s := l.Session
	//mutant:never ./review/web TestFreeze
	if v.Frozen {
		v.Buttons = []button{again, decline}
		if l.settable {
			v.Buttons = append([]button{{Action: "settings", Label: "Open the settings", Class: "main"}},
				v.Buttons...)
		}
		return
	}
	if repeated(l.Related) || barred(l.Related) {
		again.Class = "main"
		v.Buttons = []button{again, decline}
		return
	}
	left := l.BuildRemaining
	v.Sign = &signPanel{
		Commitment: s.Commitment, Substance: substance(s.Facts), WalletID: s.WalletID, WalletName: s.WalletName,
		Named: words.Whole(s.WalletName), Account: s.Account.String(), Ends: ends(s.Account), Network: s.Network,
		Clock:     words.Clock(left),
		ExpiresIn: left.Milliseconds(),
		Holds:     max(left, s.BuildExpiresAt.Sub(s.BuiltAt)).Milliseconds(),
	}
	v.Commitment, v.Collect = s.Commitment, l.collected()
	again.Class = "quiet"
	v.Buttons = []button{again}
	if v.Apart != nil {
		v.Buttons = []button{again, decline}
	}
}

// actBlocked fills in the panel of a blocked review. Declining is the main button if signing would
// do harm.
func (v *view) actBlocked(l look, again, decline button) {
	again.Class, again.Label = "main", "Check again"
	v.Buttons = []button{decline}
	if !listing.Harmless(l.Session) {
		v.Buttons[0].Class = "main"
	}
	if l.helped() {
		v.Buttons = []button{again, decline}
	}
	if l.settable && listing.Limited(listing.FirstCheck(l.Session.State.Checks)) {
		again.Class = "second"
		v.Buttons = []button{{Action: "settings", Label: "Open the settings", Class: "main"}, again, decline}
	}
}
