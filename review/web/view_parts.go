package web

import (
	"html/template"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// view is the data of the review page's template. It contains no bytes and no signatures, because
// these must never be shown.
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

// standing is the state of the review, and what this tab may do.
type standing struct {
	Stage, Status string
	Revision      int64
	Access        pagetoken.Access
	ReadOnly      bool
	OpenedTwice   bool
	Changed       string // a wallet returned different bytes earlier
	Computing     bool
	Next          string // what the page does on its own: "compute" or nothing
	Frozen        bool   // the user paused signing
}

// headline is the top of the page: the action or its result, and what blocks it.
type headline struct {
	Progress        []progressStep
	Asker           *asker
	Tone            string
	Title, Text, Do string
	Within          string // which step of a bundle it is, on the bundle's page
	Place           int    // number of the step, from 1; 0 if the transaction contains all steps
	Stopping        string // what remains done if the user stops here
	Short           string // the guarantee, next to the button
	Seal            bool   // it was executed, and validators signed the result
	Verdict         *verdict
	Way             string // how to change the limit that stopped the review
	Nth             string // how many requests came in ten minutes
	Stale           bool   // the quote has expired, but is still shown
	Alike           *alike
}

// asker describes who asked for the review, and when.
type asker struct{ Who, When string }

// relations are the other accounts, releases and bundles that affect the review.
type relations struct {
	Apart   *elsewhere // another account is in use
	Related *relatedView
	Again   bool         // built in addition to an open release of the same request
	Bundle  *bundledStep // the step of a bundle that the review is
	Key     string       // the key named for the signature
	Parts   bool         // its steps can be signed one by one
}

// checklist has the stages of the computation and the results of the checks.
type checklist struct {
	Stages []workLine
	Open   []checkLine // failed checks and cautions, the worst first
	Folded []checkLine // passed checks and notes
	Passed string      // number of folded checks, in words
}

// contents are the effects of the transaction: amounts, terms and costs.
type contents struct {
	Deal      *deal
	Strip     *strip     // the prices of a swap to scale
	Ladder    string     // path of the offers around an order
	Stepped   *stepsView // only for several steps
	Markets   []marketView
	Holders   []holderView
	Ends      bool         // it revokes a permission
	About     []words.Line // what a node reports about the object of the transaction
	Terms     []words.Line
	TermTitle string
	Locks     []string
	Order     *orderTerms
	TrialNote string
	Details   []words.Line
	Balances  []balanceLine
}

// orderTerms are the terms of an order, folded below the offers of its market.
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

// device describes what a hardware wallet shows of the transaction.
type device struct {
	Marked bool     // the user marked the account as being on a hardware wallet
	Shows  string   // in one sentence
	Code   string   // the hash in the device's format
	Groups []string // the digits of Code in groups of four
}

// alternatives are changes of the request by the user, made or possible.
type alternatives struct {
	Before    string // text of the request that the user changed to this one
	Successor string // ID of the review that replaced this one
	WhatIf    *whatIf
}

// panel has the buttons and the progress of the signature.
type panel struct {
	WalletName  string
	Network     string
	Sign        *signPanel
	AcceptTwice bool   // the user must confirm that they opened the link themselves
	Resign      string // label of the button that asks the wallet again, in the tab with the bytes
	Digest      string
	SentBy      string // who submitted it, if that was not this program
	Explorer    string // its page in a public explorer, only on mainnet
	HasReceipt  bool   // the receipt page can show more about the digest
	Commitment  string
	Buttons     []button
	Halted      bool          // nothing can be signed, so the buttons are alternatives
	Collect     *collectPanel // the signers of a multisig account; nil for other accounts
}

// signPanel is the data that the page needs to ask the recorded wallet and to check the bytes that
// it receives. Commitment is the one displayed to the user. The script compares WalletName. Named
// is for people.
type signPanel struct {
	Commitment, Substance, WalletID, WalletName, Account, Network, Clock string
	Named, Ends                                                          string // of the account
	ExpiresIn, Holds                                                     int64  // in ms: the time left, and the total
}

type workLine struct{ ID, Label, State, Note string }

type balanceLine struct{ Symbol, Before, After, Change string }

type button struct{ Action, Label, Class, Note string }

// deviceShows describes what a hardware wallet shows.
var deviceShows = map[sui.OnDevice]string{
	sui.DeviceShowsAmounts: "Your device will show amounts.",
	sui.DeviceKnowsCoin:    "Your device will show the amount if it knows the coin, or else only this code.",
	sui.DeviceShowsHash:    "Your device will show only this code.",
}

// device describes what a hardware wallet shows of the current transaction.
func (l look) device() *device {
	return &device{Marked: l.marked, Shows: deviceShows[l.Transaction.OnDevice()], Code: "0x" + l.SigningHash.String(),
		Groups: l.SigningHash.Groups()}
}
