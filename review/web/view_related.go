package web

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// relatedView describes other requests of the account that may still execute, and recent ones for
// the same thing.
type relatedView struct {
	Title string
	Open  []relatedLine
	Both  bool // the page offers to execute the request twice
	One   bool // the page offers to return to a transaction that excludes the other
}

// relatedLine describes one of these requests, and what the user must accept before this transaction
// is released.
type relatedLine struct {
	ID, Kind, Asked, At, Known, Text, Note string
	Accept                                 string // what the user must accept, "" for nothing
	Twice                                  bool   // accepts that both execute; else that one replaces the other
}

// related describes the other requests that affect this one. It returns nil if there are none, or if
// this review can no longer be signed.
func (l look) related() *relatedView {
	stage := l.stage()
	if len(l.Related) == 0 || stage != stageReady && stage != stageRefresh && stage != stageBlocked {
		return nil
	}
	v, open := &relatedView{Title: "Another transaction of this account is still open"}, 0
	for _, b := range l.Related {
		if b.State == record.RelatedOpen {
			open++
		}
		v.Open = append(v.Open, relatedLineOf(l, b, stage == stageReady))
		v.Both = v.Both || b.State == record.RelatedOpen && b.Same() && !b.Bars && !l.Session.Again && (b.Excludes ||
			stage != stageReady)
	}
	v.One = l.Session.Again
	switch {
	case open == 0:
		v.Title = "You asked for the same before"
	case len(v.Open) > 1:
		v.Title = "Other transactions of this account are still open"
	}
	return v
}

func relatedLineOf(l look, b record.Related, ready bool) relatedLine {
	line := relatedLine{ID: string(b.Review), Asked: words.UpperFirst(listing.Asked(b.Intent)),
		At:    "Handed to your wallet " + words.At(b.At) + ".",
		Known: words.UpperFirst(b.Known()) + ".", Kind: "review"}
	same := ""
	if b.Same() {
		same = "You asked for the same there" + b.Where(len(l.Session.Intent.Each())) + ". "
	}
	if b.State != record.RelatedOpen {
		line.At, line.Text = "", same+"If you continue, both execute."
		if b.State == record.RelatedApproved {
			line.Kind, line.Text = "bundle", same+"If you continue, both execute."
		}
		if ready {
			line.Accept, line.Twice = b.Need(), true
		}
		return line
	}
	switch {
	case b.Bars:
		line.Text = same + record.BarsWhy
		line.Note = "Answer the other one in your wallet, or wait for its result."
	case !ready:
		line.Text = same + "Until its result is known, a new transaction is built so that only one of the two can happen."
		if l.Session.Again {
			line.Text = same + "You asked for both, so a new transaction is built on other coins."
		}
	case b.Repeats:
		line.Text = "It is exactly this transaction. Get fresh figures for one of its own."
	case b.Excludes:
		line.Text = same + "Both use the same coin, so only one of them can execute."
		line.Note = "Replacing takes nothing back: whichever reaches the chain first happens, and the other never can."
		if b.Signed {
			line.Note = "It is signed already, so it will most likely be the one that happens. Then this one never can."
		}
		line.Accept = b.Need()
	default:
		line.Text = same + "They use different coins, so both can execute, and you would pay twice."
		line.Accept, line.Twice = b.Need(), strings.HasPrefix(b.Need(), "again:")
	}
	return line
}

// repeated reports whether the build equals a transaction that was already released, so there is
// nothing to sign.
func repeated(list []record.Related) bool {
	return slices.ContainsFunc(list, func(b record.Related) bool { return b.Repeats })
}

// barred reports whether another transaction must end before this one can be signed.
func barred(list []record.Related) bool {
	return slices.ContainsFunc(list, func(b record.Related) bool { return b.Bars })
}
