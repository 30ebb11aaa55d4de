package web

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

const (
	ownAccount = "in your own account"
	// checkPayee is the check that meets the address that is paid.
	checkPayee = "payment_recipient"
)

// deal is what leaves and what arrives, or what is done instead.
type deal struct {
	Gives, Least, Expected *amount
	Alone                  bool     // it leaves, and nothing arrives for it
	Payee                  *payee   // somebody else who gets it
	Also                   []amount // what leaves besides, at most
	GivesNote, Price, Law  string
	Where                  string // where it arrives
	Doing                  *doing
	Manager                *manager
}

// payee is the address that is paid, and what is known of it here.
type payee struct {
	Address, Note, Do string
	Known             bool // it was paid from here before
}

// doing is an action that is not the coming and going of coins of the account.
type doing struct {
	Label, Fact string // Fact names Label among what can change, where it does
	What        amount
	WhatFact    string
	Price       string
	Big         bool
}

// manager is the balance manager that takes part, and its part.
type manager struct{ Role, Address string }

// plainDeal prints what leaves and what arrives where no price is involved.
func (l look) plainDeal(f *review.Facts) *deal {
	d := &deal{Where: ownAccount}
	h := l.Session.State.HumanReview
	if h != nil {
		d.Law = whole(h.Guarantee)
	}
	if len(f.Spends) > 0 {
		gives := amountOf(f.Spends[0])
		d.Gives, d.Alone, d.GivesNote = &gives, f.Minimum.CoinType == "", whichCoin(f.Spends[0].Asset)
		if f.Recipient != l.Session.Account {
			d.Payee = l.payee(f.Recipient)
		}
	}
	if f.Minimum.CoinType != "" {
		least := amountOf(f.Minimum)
		d.Least = &least
	}
	if d.Gives == nil && d.Least == nil {
		d.Doing = doingOf(f)
		if d.Doing == nil && h != nil {
			d.Doing = &doing{Label: "This is all it does", What: amount{Number: whole(h.ProposedAction.Title)}}
		}
	}
	if id := termOf(f, review.TermManager); id != "" {
		d.Manager = &manager{Role: "in your own balance manager", Address: id}
		switch {
		case d.Gives != nil:
			d.Manager.Role = "into your own balance manager"
		case d.Least != nil:
			d.Manager.Role = "out of your own balance manager"
		case termOf(f, review.TermOrder) != "":
			d.Manager.Role = "It is paid out of your own balance manager"
		default:
			d.Manager.Role = "What it tied up comes free in your own balance manager"
		}
	}
	return d
}

// whichCoin says which coin it is that is not known here: its whole type does, and
// its name does not. It is empty for every other coin.
func whichCoin(a review.Asset) string {
	if !a.Foreign {
		return ""
	}
	return "The coin is " + whole(string(a.CoinType)) + ". Its type says which coin it is; nobody vouches for what it calls itself."
}

// payee says what is known of an address that is paid: whatever the check of it
// says, word by word.
func (l look) payee(to sui.Address) *payee {
	p := &payee{Address: to.String()}
	for _, c := range l.Session.State.Checks {
		if c.ID == checkPayee {
			p.Note, p.Do, p.Known = whole(c.Message), whole(c.Do), c.Status == review.CheckPass
		}
	}
	return p
}

// doingOf reads an order that is placed or taken back out of what is agreed, nil
// where there is none.
func doingOf(f *review.Facts) *doing {
	side, quantity, price := termOf(f, review.TermOrder), termOf(f, review.TermQuantity), termOf(f, review.TermPrice)
	if number, unit, ok := cutFigure(whole(quantity)); ok && side != "" && price != "" {
		return &doing{Label: whole(side), Fact: review.TermOrder, What: amount{number, unit}, WhatFact: review.TermQuantity,
			Price: "at " + figure(whole(price)) + " or better", Big: true}
	}
	if side = termOf(f, review.TermCanceled); side != "" && price != "" {
		return &doing{Label: "Takes your order out of the book", What: amount{Number: whole(side)}, WhatFact: review.TermCanceled,
			Price: "at " + figure(whole(price))}
	}
	return nil
}

func termOf(f *review.Facts, name string) string {
	for _, t := range f.Terms {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// terms prints what was agreed besides amounts, as the bytes say it, without what
// stands in front already.
func (l look) terms(f *review.Facts) []line {
	inFront := []string{}
	if l.Session.State.Quote == nil && !l.ended() {
		inFront = append(inFront, review.TermManager)
		if len(f.Spends) == 0 && f.Minimum.CoinType == "" && doingOf(f) != nil {
			inFront = append(inFront, review.TermOrder, review.TermCanceled, review.TermQuantity, review.TermPrice)
		}
	}
	var out []line
	for _, t := range f.Terms {
		if !slices.Contains(inFront, t.Name) {
			out = append(out, termLine(t))
		}
	}
	return out
}

func (l look) ended() bool { return l.Session.Status.Terminal() }

func termLine(t review.Term) line {
	one := line{Name: whole(t.Name), Fact: whole(t.Name)}
	switch _, err := sui.ParseAddress(t.Value); {
	case err == nil:
		one.Address = t.Value
	default:
		one.Value, one.Mono = figure(whole(t.Value)), len(t.Value) > 16 && strings.Trim(t.Value, "0123456789") == ""
	}
	return one
}

// locks prints what is tied up, and how to undo it: before a signature, and after
// the transaction that these words are about was executed.
func (l look) locks() []string {
	h := l.Session.State.HumanReview
	if h == nil || l.ended() && (l.Session.Status != review.Success || h.BoundToCommitment != l.Session.Commitment) {
		return nil
	}
	var out []string
	for _, text := range h.Locks {
		out = append(out, whole(text))
	}
	return out
}

// mistaken sets the address that was asked for beside the one that it was made
// to be taken for, nil where that is not what stopped the review.
func mistaken(s review.Session) *alike {
	for _, c := range s.State.Checks {
		if c.ID == checkPayee && c.Status == review.CheckFail {
			return compare(c.Message, s.Intent.Recipient)
		}
	}
	return nil
}

// trialNote says how far the result on chain can be from the trial run.
func trialNote(priced bool) string {
	const trial = "A Sui node’s answer to a trial run of exactly this transaction. "
	if priced {
		return trial + "The result on chain can differ, but not below the guarantee."
	}
	return trial + "On chain the gas can differ, within its limit."
}
