package web

import (
	"html/template"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// view is the review page in words, ready to be printed. It holds nothing that
// may not be shown: no bytes, no signature.
type view struct {
	standing
	headline
	relations
	checklist
	contents
	technicals
	panel
	alternatives
	Receipt  *receiptView
	Proposal *proposalView
}

// standing is the state of the review and the rights of this tab.
type standing struct {
	Stage, Status string
	Revision      int64
	Access        pagetoken.Access
	ReadOnly      bool
	OpenedTwice   bool
	Changed       string // a wallet returned other bytes earlier
	Computing     bool
	Next          string // what the page does by itself: compute, or nothing
	Frozen        bool   // the person stopped all releases
}

// headline is the top of the page: the action or its result, and what blocks it.
type headline struct {
	Progress        []progressStep
	Asker           *asker
	Tone            string
	Title, Text, Do string
	Within          string // the step of a bundle that it is, on the page of the bundle
	Place           int    // of the step, from 1; 0 if all steps are this transaction
	Stopping        string // what stopping at the step leaves
	Short           string // what is guaranteed, next to the button
	Seal            bool   // it happened, and validators signed that
	Verdict         *verdict
	Way             string // how to reach what stopped the review
	Nth             string // which request in ten minutes it is
	Stale           bool   // the figures are too old, and stay to be read
	Alike           *alike
}

// asker is who asked for the review, and how long ago.
type asker struct{ Who, When string }

// relations are the other accounts, releases and bundles that affect the review.
type relations struct {
	Apart  *elsewhere // another account is in use
	Beside *besideView
	Again  bool         // built besides an open release of the same wish
	Bundle *bundledStep // it is a step of a bundle
	Key    string       // that was named for the signature
	Parts  bool         // its steps can be signed one by one
}

// checklist has the stages of the computation and the results of checks.
type checklist struct {
	Stages []workLine
	Open   []checkLine // stops and cautions, the worst first
	Folded []checkLine // what passed, and notes
	Passed string      // how many are folded, in words
}

// contents are the effects of the transaction: amounts, terms, costs.
type contents struct {
	Deal      *deal
	Strip     *strip     // where the prices of a swap lie
	Ladder    string     // path of the offers around an order
	Stepped   *stepsView // of a transaction of several steps
	Markets   []marketView
	Holders   []holderView
	Ends      bool         // it ends a permission
	About     []words.Line // what a node reports of what the transaction is about
	Terms     []words.Line
	TermTitle string
	Locks     []string
	Order     *orderTerms
	TrialNote string
	Details   []words.Line
	Balances  []balanceLine
}

// orderTerms are what is agreed of an order, folded below the offers of its market.
type orderTerms struct {
	Guarantee string
	Manager   *manager
	Terms     []words.Line
}

// technicals describe the transaction in detail.
type technicals struct {
	Commands  []string
	Graph     template.HTML
	Picture   string // path of the drawing of the market
	Technical []words.Line
	Device    *device
}

// device is what a hardware wallet shows of the transaction.
type device struct {
	Marked bool     // the user marked the account as one of a hardware wallet
	Shows  string   // in one sentence
	Code   string   // the hash as the device shows it
	Groups []string // its digits in groups of four
}

// alternatives are what the user changed the request from or to, and can change.
type alternatives struct {
	Before    string // the request before the user changed it to this one
	Successor string // the review of the request that the user changed it to
	WhatIf    *whatIf
}

// panel has the buttons and the progress of the signature.
type panel struct {
	WalletName  string
	Network     string
	Sign        *signPanel
	AcceptTwice bool   // the person has to say that they opened the link themselves
	Resign      string // what asking the wallet again is called, in the tab that holds the bytes
	Digest      string
	SentBy      string // who sent it to the network, if it was not this program
	Explorer    string // where a public explorer shows it, on mainnet alone
	Told        bool   // the receipt page can tell more of the digest
	Commitment  string
	Buttons     []button
	Halted      bool          // nothing can be signed: the buttons are what can be done instead
	Collect     *collectPanel // who signs for a multisig account; nil: a wallet does
}

// signPanel is the data that the page needs to ask the recorded wallet and to check the bytes that
// it receives. Commitment is the one that the user sees. The script compares WalletName; people
// read Named.
type signPanel struct {
	Commitment, Substance, WalletID, WalletName, Account, Network, Clock string
	Named, Ends                                                          string // of the account
	ExpiresIn, Holds                                                     int64  // milliseconds left, and of all
}

type workLine struct{ ID, Label, State, Note string }

type balanceLine struct{ Symbol, Before, After, Change string }

type button struct{ Action, Label, Class, Note string }

// deviceShows says what a hardware wallet shows.
var deviceShows = map[sui.OnDevice]string{
	sui.DeviceShowsAmounts: "Your device will show amounts.",
	sui.DeviceKnowsCoin:    "Your device will show the amount if it knows the coin, or else only this code.",
	sui.DeviceShowsHash:    "Your device will show only this code.",
}

// device returns what a hardware wallet shows of the transaction at hand.
func (l look) device() *device {
	return &device{Marked: l.marked, Shows: deviceShows[l.Transaction.OnDevice()], Code: "0x" + l.SigningHash.String(),
		Groups: l.SigningHash.Groups()}
}
