package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Tone is the tone of a headline; "" is neutral.
type Tone string

// The tones of a headline.
const (
	ToneGood Tone = "good"
	ToneWarn Tone = "warn"
	ToneBad  Tone = "bad"
)

// Headline describes the state of a review to the user: the situation, its consequences, and what
// to do. Pages, tools and the demo use only these texts.
type Headline struct {
	Tone  Tone   `json:"tone,omitempty"`
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Do    string `json:"do,omitempty"`
}

// Sentences returns the headline as one text.
func (h Headline) Sentences() string {
	text := strings.TrimSuffix(h.Title, ".") + "."
	for _, more := range []string{h.Text, h.Do} {
		if more != "" {
			text += " " + more
		}
	}
	return text
}

// Ids of checks that explain why a build was withdrawn after a release.
const (
	CheckRefused   = "wallet_refused"            // the user stated that the wallet did not sign
	CheckNotSigned = "not_signed_recorded"       // a page recorded that the wallet did not sign
	CheckDeclined  = "declined_here"             // the user declined on the page
	CheckDead      = "released_transaction_dead" // proved
	checkSigner    = "wallet_signer_mismatch"    // another account signed
	excludes       = " and a new transaction can never both happen."
	tryAgain       = "To try again, get fresh figures. Otherwise close this page."
)

// Headline returns the text for the current state. It depends only on stored data, so it is the
// same after an event and after every reload.
func (s Session) Headline() Headline {
	switch s.Status {
	case Proposed, AwaitingWallet:
		return Headline{Title: "Not opened yet", Text: "The link of this review was not opened. Nothing has been signed."}
	case WalletConnected:
		return Headline{Title: "Preparing your review",
			Text: "The transaction is built, decoded again and tried out. Nothing is signed by this."}
	case Ready:
		if rel := s.Current(); rel != nil {
			return s.handedOut(*rel)
		}
		return Headline{Title: "Ready to be read", Text: "Nothing happens until you sign in your wallet."}
	case RefreshRequired, Blocked:
		return s.stopped()
	case SignedPendingResult:
		return s.pending()
	case Success:
		return s.succeeded()
	case Failure:
		return s.failed()
	}
	return Headline{Tone: ToneWarn, Title: "This review has expired",
		Text: "Nothing was signed and nothing was sent.", Do: "To do it after all, ask your AI client to prepare it again."}
}

// Changed reports whether a wallet returned other bytes for any transaction of the
// review.
func (s Session) Changed() bool {
	return slices.ContainsFunc(s.Releases, func(r Release) bool { return r.Outcome == OutcomeChanged })
}

// ChangedHeadline returns the headline that takes precedence once a wallet returned other bytes
// than those reviewed.
func ChangedHeadline() Headline {
	return Headline{ToneBad,
		"Your wallet signed something else. This program sent nothing; what the wallet did is not known.",
		"It gave back another transaction than the one that you reviewed.",
		"Look at the wallet’s own history, and do not use this wallet until you know why."}
}

// handedOut describes a transaction that a wallet received and that was not withdrawn.
func (s Session) handedOut(rel Release) Headline {
	const unknown = "ot known whether it was signed"
	h := Headline{Tone: ToneWarn, Title: "N" + unknown,
		Text: "The transaction was sent to your wallet, and no signature has come back yet. A late signature is still accepted.",
		Do: "Answer in your wallet. If it shows nothing, say that you did not sign, or get fresh figures: the new " +
			"transaction and this one can never both happen."}
	const coinless = "It uses no coin, so nothing new is built before it is answered or its epoch is over."
	if rel.Coinless() {
		h.Do = "Answer in your wallet. If it shows nothing, say that you did not sign. " + coinless
	}
	if rel.MultiSig != nil && rel.Outcome == "" {
		return rel.collecting()
	}
	switch rel.Outcome {
	case OutcomeChanged:
		return ChangedHeadline()
	case OutcomeSignerMismatch:
		h = Headline{ToneBad, "Another account signed. This program sent nothing.",
			"The signature is not by the account of this review.",
			"Choose the account of this review in your wallet. Then sign again, or build the transaction again: the two can never both happen."}
		if i := slices.IndexFunc(s.State.Checks, func(c plan.Check) bool { return c.ID == checkSigner }); i >= 0 {
			h.Text = s.State.Checks[i].Message // names the account that signed
		}
		if rel.Coinless() {
			h.Do = "Choose the account of this review in your wallet and sign again. " + coinless
		}
	case OutcomeProviderError:
		h.Title = "Your wallet reported an error. N" + unknown
	case OutcomeDisconnected:
		h.Title = "Your wallet gave no answer. N" + unknown
	}
	return h
}

// collecting describes a transaction that waits for members' signatures.
func (r Release) collecting() Headline {
	return Headline{Title: fmt.Sprintf("Collecting signatures: %d of %d", r.Collected, r.MultiSig.Threshold),
		Text: "Nothing is sent until enough members have signed.",
		Do:   "Send the file to the members, and add the signatures that come back. The last one sends the transaction."}
}

// refusals are the headlines of a build that was withdrawn because somebody declined, by the id of
// the check that records it.
var refusals = map[string]Headline{
	CheckRefused: {Title: "Your wallet reports that you declined. This program sent nothing.",
		Text: "What your wallet was shown" + excludes, Do: tryAgain},
	CheckNotSigned: {Title: "Recorded as not signed. This program sent nothing.",
		Text: "Should your wallet have signed after all: that transaction" + excludes, Do: tryAgain},
	CheckDeclined: {Title: "You declined. This program sent nothing.",
		Text: "The transaction that you were shown was taken back.", Do: tryAgain},
}

// RefusedCheck returns the check that records why a build was withdrawn. id is CheckRefused,
// CheckNotSigned or CheckDeclined.
func RefusedCheck(id string) plan.Check {
	h := refusals[id]
	return plan.Fail(plan.SourceWallet, id, "Wallet answer", h.Title+" "+h.Text, h.Do)
}

// refusal returns the headline of a build that was withdrawn because somebody declined. Older
// versions recorded every such case as CheckRefused.
func (s Session) refusal() (Headline, bool) {
	if s.Status != RefreshRequired || len(s.State.Checks) == 0 {
		return Headline{}, false
	}
	id := s.State.Checks[0].ID
	h, ok := refusals[id]
	if last := len(s.Releases) - 1; ok && id == CheckRefused && last >= 0 && s.Releases[last].Outcome == OutcomeDeclined {
		h = refusals[CheckNotSigned]
	}
	if last := len(s.Releases) - 1; ok && id != CheckDeclined && last >= 0 && s.Releases[last].Coinless() {
		h.Text = "It uses no coin: should your wallet have signed after all, a new transaction would not exclude it."
	}
	return h, ok
}

// StopTitle explains in one line why nothing can be signed now.
func (s Session) StopTitle() string {
	title := ""
	if len(s.State.Checks) > 0 && s.State.Checks[0].Status != plan.CheckPass {
		first := s.State.Checks[0]
		title = cmp.Or(checkTitles[string(first.Rule)], checkTitles[first.ID])
	}
	return cmp.Or(title, ReasonTitle(s.Reason), "There is nothing to sign now")
}

// stopped describes a review in which nothing can be signed now.
func (s Session) stopped() Headline {
	h := Headline{Tone: ToneWarn, Title: s.StopTitle(),
		Text: "Nothing can be signed in this state, and nothing was sent."}
	if s.Status == Blocked {
		h.Tone = ToneBad
	}
	if len(s.State.Checks) > 0 && s.State.Checks[0].Status != plan.CheckPass {
		first := s.State.Checks[0]
		h.Text, h.Do = first.Message, first.Do
	}
	if answer, ok := s.Answered(); ok {
		return answer
	}
	if s.withWallet() {
		h.Text += s.StillThere()
	}
	return h
}

// Answered returns the headline of a review whose build was withdrawn after an answer from a wallet
// or the user.
func (s Session) Answered() (Headline, bool) {
	last := len(s.Releases) - 1
	//mutant:never ./internal/record TestHeadline/changed comes first
	if s.Status == RefreshRequired && last >= 0 && s.Releases[last].Outcome == OutcomeChanged {
		return ChangedHeadline(), true
	}
	h, ok := s.refusal()
	if ok && h.Title == refusals[CheckDeclined].Title && s.withWallet() {
		h.Text += s.StillThere()
	}
	return h, ok
}

// StillThere describes how an earlier released transaction relates to a new one.
func (s Session) StillThere() string {
	const text = " An earlier transaction of this review is still with your wallet; "
	if slices.ContainsFunc(s.Outstanding(), Release.Coinless) {
		return text + "it uses no coin, so nothing new is built before it is answered or over."
	}
	return text + "it and a new one can never both happen."
}

// withWallet reports whether a wallet received a transaction that can still execute.
func (s Session) withWallet() bool {
	return slices.ContainsFunc(s.Outstanding(), func(r Release) bool { return r.Outcome != OutcomeWithheld })
}

func (s Session) pending() Headline {
	h := Headline{Title: "Signed, waiting for the chain",
		Text: "Your wallet signed. This page shows the result as soon as the chain has it; you may close it."}
	x := s.Execution
	if x == nil {
		return h
	}
	const again = "You can send the same signed transaction again: it cannot be executed twice."
	switch x.Submission {
	case SubmissionUnknown:
		h = Headline{ToneWarn, "Signed, and not known whether it arrived",
			"It was sent, but the node did not answer. It may have been executed. The chain is being watched.", again}
	case SubmissionRefused:
		h = Headline{ToneWarn, "Signed, and a node refused it",
			"A node refused the signed transaction for now. It can still be executed until it expires.", again}
	}
	if x.Reported {
		h = Headline{Title: "Executed, as one node reports", Text: "The validators' signatures are waited for."}
	}
	h.Text = cmp.Or(x.Note, h.Text)
	return h
}

func (s Session) succeeded() Headline {
	r := s.Result()
	h := Headline{ToneGood, r.Title, r.Where, r.Next}
	if x := s.Execution; x != nil && x.Receipt != nil &&
		slices.ContainsFunc(x.Receipt.Promises, func(p PromiseResult) bool { return !p.Kept }) {
		h.Tone, h.Text = ToneBad, "Not everything that was promised was kept; the receipt says what. "+h.Text
	}
	//mutant:never ./internal/record TestHeadlineRestsOnTheProof
	if h.Tone == ToneGood && s.Execution.Proof().State != Proved {
		h.Tone = "" // one node's report does not confirm success
	}
	if p := s.Execution.Proof(); p.State == Mismatched {
		h = Headline{ToneBad, "A node reported a false result", p.Sentence(), ""}
	}
	return h
}

// PriceFell explains a failure because the market gave less than the guaranteed minimum.
const PriceFell = "The price fell below your minimum before the transaction ran."

func (s Session) failed() Headline {
	h := Headline{Tone: ToneBad, Title: "It did not happen", Text: "This review ended without success."}
	x := s.Execution
	if x == nil {
		return h
	}
	h.Title, h.Text = cmp.Or(FailureTitle(x.FailureReason, len(s.Releases) > 0), h.Title), cmp.Or(x.Note, h.Text)
	switch {
	case s.GoesOnInSteps():
		return Headline{Title: "You chose one signature per step",
			Text: "Nothing was handed to a wallet. It goes on on the page of all steps."}
	case s.ReplacedBy() != "":
		return Headline{Title: "You changed this request",
			Text: "Your wallet received nothing. Another review has the new figures."}
	case x.FailureReason == FailureWalletRejected && len(s.Releases) == 0:
		h = Headline{Title: h.Title, Text: "Nothing was handed to a wallet."}
	case x.FailureReason == FailureWalletRejected:
		h.Tone = ""
	case x.FailureReason == FailureChainExecution:
		s.failedOnChain(&h)
	}
	h.Do = "To do it after all, ask your AI client to prepare it again."
	if p := x.Proof(); p.State == Mismatched {
		h.Tone, h.Text, h.Do = ToneBad, p.Sentence(), ""
	}
	return h
}

// failedOnChain explains why the chain reverted the transaction, and what that cost.
func (s Session) failedOnChain(h *Headline) {
	h.Text = "Everything was undone: you have the same coins as before, minus gas."
	free := s.Facts != nil && s.Facts.Gas.Free()
	if free {
		h.Title, h.Text = "The chain ran it, and it failed. Nothing was spent.", "Everything was undone, and no gas was paid."
	}
	r := s.Execution.Receipt
	if r == nil || r.Why == "" {
		return
	}
	undone := "Nothing was done; "
	if s.Facts != nil && len(s.Facts.Promise().Of(plan.RoleInput)) > 0 && len(s.Facts.Promise().Of(plan.RoleOutput)) > 0 {
		undone = "Nothing was swapped; "
	}
	switch {
	case free:
		undone += "no gas was paid."
	case r.GasNet.Negative:
		undone += "gas was paid, and more came back for freed storage."
	default:
		undone += "gas of " + plan.SUI.Of(r.GasNet.Amount).String() + " was paid."
	}
	h.Text = r.Why + " " + undone
	if r.Why == PriceFell {
		h.Title = "Failed: the price moved. Only gas was spent."
	}
}

// Result describes the executed transaction. Receipts of older versions have no text, so it is
// derived from their amounts.
func (s Session) Result() plan.Result {
	x := s.Execution
	if x == nil || x.Receipt == nil || s.Facts == nil {
		return plan.Result{Title: "The chain executed it"}
	}
	r := x.Receipt
	if r.Result != nil {
		return *r.Result
	}
	e := sui.Effects{Gas: r.Gas, Balances: slices.Clone(r.BalanceChanges)}
	p := s.Facts.Promise()
	// For others' coins, an older receipt states only that the promise was kept.
	for _, b := range p.Of(plan.RolePayment) {
		if slices.ContainsFunc(r.Promises, func(p PromiseResult) bool { return p.ID == "recipient_gained" && p.Kept }) {
			e.Balances = append(e.Balances,
				sui.BalanceChange{Owner: b.Party.ID, Coin: b.Coin.CoinType, Amount: sui.Delta{Amount: b.Amount().Raw}})
		}
	}
	return plan.ResultOf(*s.Facts, p.Happened(plan.Observe(s.Account, e)), nil, nil)
}
