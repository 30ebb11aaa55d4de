package record

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// OpenRelease is a release that neither executed nor is proved unable to execute, with the parts of
// its review that other releases are compared with.
type OpenRelease struct {
	Review   ID
	Protocol string
	Action   string
	ChainID  string
	Intent   plan.Intent
	Bundle   string // running bundle that has the review as a step; "" if none
	Reported bool   // a node reports its execution, which is not proved yet
	Release  Release
}

// Asked is another request of the account without an open release: an approved step that was not
// released yet, or a request that was done within Recent.
type Asked struct {
	Review   ID     // "" for an approved step
	Bundle   string // running bundle that it is a step of; "" if none
	Place    int    // number of the step in Bundle, from 1, if Intent is only that step; otherwise 0
	At       time.Time
	Protocol string
	Action   string
	ChainID  string
	Intent   plan.Intent
	Facts    *plan.Facts
}

// Recent is how long after its confirmation a request can be repeated only with the user's consent.
const Recent = 10 * time.Minute

// Approval is the approved bundle that a review is a step of. It is the zero value for a separate
// review.
type Approval struct {
	Bundle   string
	Accepted []string // again:<id> for each box that the user ticked when approving
}

// OwnedInputs lists the objects that a transaction uses up, each at one version, gas coins first.
// The chain executes at most one of two transactions that use the same object.
func OwnedInputs(tx *sui.Transaction) []sui.ObjectRef {
	inputs := slices.Clone(tx.Gas.Payment)
	for _, in := range tx.Inputs {
		if owned, ok := in.(sui.OwnedInput); ok {
			inputs = append(inputs, owned.Ref)
		}
	}
	return inputs
}

// Coinless reports whether the release uses no gas coin, because it pays for gas from the address
// balance or pays none. No other transaction can be built that excludes it.
func (r Release) Coinless() bool { return r.GasCoin.ID.IsZero() }

// Uses lists the owned inputs of a release. For one recorded by an older version whose bytes are
// gone, only the gas coin is known.
func (r Release) Uses() []sui.ObjectRef {
	if len(r.Inputs) == 0 && !r.Coinless() {
		return []sui.ObjectRef{r.GasCoin}
	}
	return r.Inputs
}

// Excludes reports whether the chain can execute at most one of the release and a transaction with
// these owned inputs. It compares only ids and versions, because a node could misreport an object's
// digest.
func (r Release) Excludes(inputs []sui.ObjectRef) bool {
	return slices.ContainsFunc(r.Uses(), func(a sui.ObjectRef) bool {
		return slices.ContainsFunc(inputs, func(b sui.ObjectRef) bool { return a.ID == b.ID && a.Version == b.Version })
	})
}

// Refused reports whether the wallet declined to sign or never received the transaction, and no
// late signature arrived.
func (r Release) Refused() bool {
	return !r.Signed() && (r.Outcome == OutcomeDeclined || r.Outcome == OutcomeRejected || r.Outcome == OutcomeWithheld)
}

// Lifts reports whether the user ticked "Yes, again" for another request when they approved this
// one.
func (r Approval) Lifts(b Related) bool {
	need := b.Need()
	//mutant:always `slices.Contains(r.Accepted, need)` ./internal/request TestPaidTwice
	return strings.HasPrefix(need, AcceptAgain) && slices.Contains(r.Accepted, need) && !b.Repeats && !b.Bars
}

// CheckRelated is the id of the check that lists other relevant requests.
const CheckRelated = "open_releases"

// Related relates another request of the account to a review: some of their steps are equal, or one
// transaction would exclude or repeat the other.
type Related struct {
	Review   ID // id of the bundle if the other is an approved step
	State    RelatedState
	Intent   plan.Intent
	At       time.Time // time of its release, or of the event in State
	Signed   bool
	Refused  bool   // the wallet answered that it will not sign, or never received it
	Equal    []Pair // equal steps
	Excludes bool   // the chain executes at most one of the two
	Repeats  bool   // it is the same transaction
	Bars     bool   // one of the two uses no gas coin, so only waiting prevents both
	Believed bool   // considered dead on one node's report
}

// RelatedState is the progress of another request.
type RelatedState string

// The states of another request. RelatedOpen means that a wallet has its transaction.
const (
	RelatedOpen     RelatedState = ""
	RelatedApproved RelatedState = "approved"
	RelatedDone     RelatedState = "done"
)

// Same reports whether the two requests have equal steps.
func (b Related) Same() bool { return len(b.Equal) > 0 }

// Prefixes of what a user can accept about another request. The ID of its review follows, or that
// of its bundle if the step has no transaction yet.
const (
	AcceptReplace = "replace:"
	AcceptAgain   = "again:"
)

// Need returns what the user must accept before releasing this review's transaction despite the
// other request: replace:<review>, again:<review>, or "" for nothing.
func (b Related) Need() string {
	switch {
	//mutant:never ./review/handoff TestLawOfOpenReleases
	case b.Excludes && !b.Refused:
		return AcceptReplace + string(b.Review)
	//mutant:never ./review/handoff TestLawOfOpenReleases
	case b.Same() && !b.Excludes:
		return AcceptAgain + string(b.Review)
	}
	return ""
}

// Candidate is the part of a request that is compared with the account's other requests. Before its
// transaction is built it has no digest and no inputs.
type Candidate struct {
	Review  ID
	Bundle  string // bundle that it is a part of; "" for a separate review
	ChainID string
	Wishes  []StepWish
	Digest  sui.Digest
	Inputs  []sui.ObjectRef
	// Coinless reports that it uses no gas coin.
	Coinless bool
}

// Among returns the account's other requests that matter to the candidate. It omits transactions of
// another chain, which cannot execute on this one, and equal steps of the same approved bundle,
// which are intended.
func (c Candidate) Among(open []OpenRelease, asked []Asked, read WishReader) []Related {
	var out []Related
	elsewhere := func(chain string) bool { return c.ChainID != "" && chain != "" && chain != c.ChainID }
	for _, o := range open {
		if o.Review == c.Review || elsewhere(o.ChainID) {
			continue
		}
		b := Related{
			Review: o.Review, Intent: o.Intent, At: o.Release.At, Signed: o.Release.Signed(), Refused: o.Release.Refused(),
			Believed: o.Release.BelievedDead(), Repeats: !c.Digest.IsZero() && o.Release.Digest == c.Digest,
		}
		if !c.with(o.Bundle) {
			b.Equal = Collide(c.Wishes, read(o.Protocol, o.Action, o.Intent, &o.Release.Facts))
		}
		//mutant:always ./review/handoff TestBelievedDeadBarsNothing
		if !b.Believed {
			b.Excludes = o.Release.Excludes(c.Inputs)
			b.Bars = (c.Coinless || o.Release.Coinless()) && !b.Refused
		}
		if b.Same() || b.Excludes || b.Repeats || b.Bars {
			out = append(out, b)
		}
	}
	for _, a := range asked {
		if a.Review != "" && a.Review == c.Review || c.with(a.Bundle) || elsewhere(a.ChainID) {
			continue
		}
		b := Related{Review: a.Review, State: RelatedDone, Intent: a.Intent, At: a.At,
			Equal: Collide(c.Wishes, read(a.Protocol, a.Action, a.Intent, a.Facts))}
		if a.Place > 0 {
			b.Review, b.State = ID(a.Bundle), RelatedApproved
			for i := range b.Equal {
				b.Equal[i].Other = a.Place
			}
		}
		if b.Same() {
			out = append(out, b)
		}
	}
	return out
}

// with reports whether something belongs to the candidate's own bundle.
func (c Candidate) with(bundle string) bool {
	//mutant:never ./internal/request TestEqualStepsAreMeant
	return c.Bundle != "" && bundle == c.Bundle
}

// BarsWhy explains why nothing is released while a transaction without a gas coin is open.
const BarsWhy = "One of the two uses no coin for gas, so no coin keeps both from happening: " +
	"only one transaction at a time is handed out then."

// Barred returns the error for a release while another is open, if one of the two must be the only
// open release. The user cannot override it.
func (b Related) Barred() error {
	return fault.New(fault.OtherReleaseOpen,
		"Another transaction of this account was handed to a wallet and can still happen. %s Nothing was "+
			"handed out. Answer the other one in the wallet, or wait for its result.", BarsWhy).
		With("reviewSessionId", string(b.Review)).With("reason", "wait")
}

// Refusal states what the user must accept first.
func (b Related) Refusal(need string) error {
	text, reason := "Another transaction of this account was handed to a wallet and can still happen; it uses a "+
		"coin that "+
		"this one uses, so only one of the two can. Nothing was sent to your wallet. The page names it: press “Replace it” there, "+
		"or wait for its result.", "replace"
	if strings.HasPrefix(need, AcceptAgain) {
		text, reason = "Another request asks for the same: "+b.Known()+". It would be done twice. "+
			"Nothing was sent to your wallet. The page names it: say “Yes, again” there only if both are meant.", "again"
	}
	of := "reviewSessionId"
	if b.State == RelatedApproved {
		of = "bundle_id"
	}
	return fault.New(fault.OtherReleaseOpen, "%s", text).With(of, string(b.Review)).With("reason", reason)
}

// Newest sorts the list, newest first, and keeps only one of several releases of a review that need
// the same acceptance.
func Newest(list []Related) []Related {
	slices.SortStableFunc(list, func(a, b Related) int { return b.At.Compare(a.At) })
	var out []Related
	for _, b := range list {
		same := func(o Related) bool { return o.Review == b.Review && o.Need() == b.Need() && o.Repeats == b.Repeats }
		if !slices.ContainsFunc(out, same) {
			out = append(out, b)
		}
	}
	return out
}

// Handed is a transaction that has been released and not proved dead, with the parts of its review
// that the daily totals need.
type Handed struct {
	Review  ID
	Release Release
	// Settled is the digest of the review's transaction if the chain reported its effects, or "".
	// Moved reports success; a failed transaction cost only gas.
	Settled string
	Moved   bool
}

// Known summarizes what is known about the other request, as part of a sentence.
func (b Related) Known() string {
	switch {
	case b.State == RelatedApproved:
		return "it is approved, and not with a wallet yet"
	case b.State == RelatedDone:
		return "it was done less than 10 minutes ago"
	case b.Believed:
		return "one node's answers say that it can never happen, which is not proved"
	case b.Signed:
		return "it is signed and its result is awaited"
	case b.Refused:
		return "the wallet answered that it was declined"
	}
	return "it is not known whether it was signed"
}

// Named names the other request, as in "Review x (pay 1 SUI to 0x…)".
func (b Related) Named() string {
	what := "Review "
	if b.State == RelatedApproved {
		what = "Bundle "
	}
	return what + string(b.Review) + " (" + strings.TrimSuffix(b.Intent.Asked, ".") + ")"
}

// Where names the equal steps, as in ": step 1 there is step 2 here", or "" if both requests have
// one step. steps is the number of steps in this request.
func (b Related) Where(steps int) string {
	if steps <= 1 && len(b.Intent.Steps) == 0 && b.State != RelatedApproved {
		return ""
	}
	var list []string
	for _, p := range b.Equal {
		there, here := fmt.Sprintf("step %d there", p.Other), fmt.Sprintf("step %d here", p.Own)
		if len(b.Intent.Steps) == 0 && b.State != RelatedApproved {
			there = "it"
		}
		if steps <= 1 {
			here = "this"
		}
		list = append(list, there+" is "+here)
	}
	return ": " + strings.Join(list, ", ")
}
