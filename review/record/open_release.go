package record

import (
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// OpenRelease is a release with neither effects nor a proof that it can never execute,
// with the parts of its review that another release is checked against.
type OpenRelease struct {
	Review   ID
	Protocol string
	Action   string
	ChainID  string
	Intent   plan.Intent
	Told     bool // a node reports that it executed, and its proof is waited for
	Release  Release
}

// OwnedInputs lists the objects that a transaction uses up, each at one version, gas
// coins first. Of two transactions that use the same one, the chain executes at most
// one.
func OwnedInputs(tx *sui.Transaction) []sui.ObjectRef {
	inputs := slices.Clone(tx.Gas.Payment)
	for _, in := range tx.Inputs {
		if owned, ok := in.(sui.OwnedInput); ok {
			inputs = append(inputs, owned.Ref)
		}
	}
	return inputs
}

// Coinless reports whether the release pays for gas out of the address balance, or pays
// none. No other transaction can be built that excludes it.
func (r Release) Coinless() bool { return r.GasCoin.ID.IsZero() }

// Uses lists the owned inputs of a release. For one recorded by an older version whose
// bytes are gone, only the gas coin is known.
func (r Release) Uses() []sui.ObjectRef {
	if len(r.Inputs) == 0 && !r.Coinless() {
		return []sui.ObjectRef{r.GasCoin}
	}
	return r.Inputs
}

// Excludes reports whether the chain can execute at most one of the release and a
// transaction with these owned inputs. It compares ids and versions; an object's
// digest is only a node's statement.
func (r Release) Excludes(inputs []sui.ObjectRef) bool {
	return slices.ContainsFunc(r.Uses(), func(a sui.ObjectRef) bool {
		return slices.ContainsFunc(inputs, func(b sui.ObjectRef) bool { return a.ID == b.ID && a.Version == b.Version })
	})
}

// Refused reports whether the wallet declined to sign, or never got the transaction, and
// did not sign late after all.
func (r Release) Refused() bool {
	return !r.Signed() && (r.Outcome == OutcomeDeclined || r.Outcome == OutcomeRejected || r.Outcome == OutcomeWithheld)
}

// Beside is an open release of another review of the account that matters to this
// review: it has the same wish, or one transaction would exclude or repeat the other.
type Beside struct {
	Review   ID
	Intent   plan.Intent
	At       time.Time // when it was handed out
	Signed   bool
	Refused  bool // the wallet answered that it will not sign, or was never asked
	SameWish bool
	Excludes bool // the chain executes at most one of the two
	Repeats  bool // it is the very transaction
	Bars     bool // one of the two uses up no gas coin, so nothing but waiting keeps both from happening
	Believed bool // it is believed dead, on one node's word
}

// What a person can accept about another open release. The id of its review follows.
const (
	AcceptReplace = "replace:"
	AcceptAgain   = "again:"
)

// Need returns what the person must accept before this review's transaction is
// released while the other release is open: replace:<review>, again:<review>, or ""
// for nothing.
func (b Beside) Need() string {
	switch {
	//mutant:never ./review/handoff TestLawBesideOpenReleases
	case b.Excludes && !b.Refused:
		return AcceptReplace + string(b.Review)
	//mutant:never ./review/handoff TestLawBesideOpenReleases
	case b.SameWish && !b.Excludes:
		return AcceptAgain + string(b.Review)
	}
	return ""
}

// Candidate is the part of a review that is compared with open releases. Before the
// review is built it has no digest and no inputs.
type Candidate struct {
	Review  ID
	ChainID string
	Wish    Wish
	Digest  sui.Digest
	Inputs  []sui.ObjectRef
	// Coinless reports that it uses no gas coin.
	Coinless bool
}

// Among returns the open releases of other reviews that matter to the candidate. A
// release on another chain can never execute on this one.
func (c Candidate) Among(open []OpenRelease, read WishReader) []Beside {
	var out []Beside
	for _, o := range open {
		if o.Review == c.Review || c.ChainID != "" && o.ChainID != "" && o.ChainID != c.ChainID {
			continue
		}
		b := Beside{
			Review: o.Review, Intent: o.Intent, At: o.Release.At, Signed: o.Release.Signed(), Refused: o.Release.Refused(),
			SameWish: c.Wish.Same(read(o.Protocol, o.Action, o.Intent, &o.Release.Facts)),
			Believed: o.Release.BelievedDead(), Repeats: !c.Digest.IsZero() && o.Release.Digest == c.Digest,
		}
		//mutant:always ./review/handoff TestBelievedDeadBarsNothing
		if !b.Believed {
			b.Excludes = o.Release.Excludes(c.Inputs)
			b.Bars = (c.Coinless || o.Release.Coinless()) && !b.Refused
		}
		if b.SameWish || b.Excludes || b.Repeats || b.Bars {
			out = append(out, b)
		}
	}
	return out
}

// BarsWhy is why nothing is handed out beside a transaction that uses up no gas coin.
const BarsWhy = "One of the two uses no coin for gas, so no coin keeps both from happening: " +
	"only one transaction at a time is handed out then."

// Barred is the refusal of a release beside one that has to be alone, or the other way
// round. Nothing that a person accepts lifts it.
func (b Beside) Barred() error {
	return fault.New(fault.OtherReleaseOpen, "Another transaction of this account was handed to a wallet and can still happen. %s Nothing was "+
		"handed out. Answer the other one in the wallet, or wait for its result.", BarsWhy).
		With("reviewSessionId", string(b.Review)).With("reason", "wait")
}

// Refusal states what the person has to accept first.
func (b Beside) Refusal(need string) error {
	text, reason := "Another transaction of this account was handed to a wallet and can still happen; it uses a "+
		"coin that "+
		"this one uses, so only one of the two can. Nothing was handed out. The page names it: press “Replace it” there, "+
		"or wait for its result.", "replace"
	if strings.HasPrefix(need, AcceptAgain) {
		text, reason = "The same was handed to a wallet by another review and can still happen, so it could happen twice. "+
			"Nothing was handed out. The page names it: say “Yes, again” there, or wait for its result.", "again"
	}
	return fault.New(fault.OtherReleaseOpen, "%s", text).
		With("reviewSessionId", string(b.Review)).With("reason", reason)
}

// Newest sorts the newest first and keeps one of several releases of a review that
// need the same acceptance.
func Newest(list []Beside) []Beside {
	slices.SortStableFunc(list, func(a, b Beside) int { return b.At.Compare(a.At) })
	var out []Beside
	for _, b := range list {
		same := func(o Beside) bool { return o.Review == b.Review && o.Need() == b.Need() && o.Repeats == b.Repeats }
		if !slices.ContainsFunc(out, same) {
			out = append(out, b)
		}
	}
	return out
}

// Handed is one transaction that was released and not proved dead, with the parts of
// its review that the daily sums need.
type Handed struct {
	Review  ID
	Release Release
	// Settled is the digest of the review's transaction whose effects the chain
	// reported, or "". Moved reports that it succeeded; one that failed on chain cost
	// gas alone.
	Settled string
	Moved   bool
}

// Known states in half a sentence what is known of an open release.
func (b Beside) Known() string {
	switch {
	case b.Believed:
		return "one node's answers say that it can never happen, which is not proved"
	case b.Signed:
		return "it is signed and its result is awaited"
	case b.Refused:
		return "the wallet answered that it was declined"
	}
	return "it is not known whether it was signed"
}
