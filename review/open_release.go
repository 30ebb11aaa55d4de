package review

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// OpenRelease is a release with neither effects nor proof that it can never
// execute, with what the release of another transaction asks of its review.
type OpenRelease struct {
	Review   ID
	Protocol string
	Action   string
	ChainID  string
	Intent   Intent
	Release  Release
}

// OwnedInputs lists the objects that a transaction uses up, each at one version:
// the gas coins first. Of two transactions that use one of them, the chain
// executes at most one.
func OwnedInputs(tx *sui.Transaction) []sui.ObjectRef {
	inputs := slices.Clone(tx.Gas.Payment)
	for _, in := range tx.Inputs {
		if owned, ok := in.(sui.OwnedInput); ok {
			inputs = append(inputs, owned.Ref)
		}
	}
	return inputs
}

// uses lists the owned inputs of a release. Of one that an older version
// recorded, whose bytes are gone, the gas coin alone is known.
func (r Release) uses() []sui.ObjectRef {
	if len(r.Inputs) == 0 {
		return []sui.ObjectRef{r.GasCoin}
	}
	return r.Inputs
}

// excludes reports whether the chain can execute at most one of the release and
// a transaction with these owned inputs. The digest of an object is what a node
// says; its id and version decide.
func (r Release) excludes(inputs []sui.ObjectRef) bool {
	return slices.ContainsFunc(r.uses(), func(a sui.ObjectRef) bool {
		return slices.ContainsFunc(inputs, func(b sui.ObjectRef) bool { return a.ID == b.ID && a.Version == b.Version })
	})
}

// refused reports whether the wallet answered that it will not sign, or was never
// asked.
func (r Release) refused() bool {
	return r.Outcome == OutcomeDeclined || r.Outcome == OutcomeRejected || r.Outcome == OutcomeWithheld
}

// Beside is an open release of another review of the account that matters to a
// review: the same wish, or a transaction that its own would exclude or repeat.
type Beside struct {
	Review   ID
	Intent   Intent
	At       time.Time // when it was handed out
	Signed   bool
	Refused  bool // the wallet answered that it will not sign, or was never asked
	SameWish bool
	Excludes bool // the chain executes at most one of the two
	Repeats  bool // it is the very transaction
}

// What a person can accept beside an open release; the id of its review follows.
const (
	acceptReplace = "replace:"
	acceptAgain   = "again:"
)

// Need returns what the person must accept before the transaction is handed out
// beside the open one, "" where nothing: replace:<review> or again:<review>.
func (b Beside) Need() string {
	switch {
	//mutant:never ./review TestLawBesideOpenReleases
	case b.Excludes && !b.Refused:
		return acceptReplace + string(b.Review)
	//mutant:never ./review TestLawBesideOpenReleases
	case b.SameWish && !b.Excludes:
		return acceptAgain + string(b.Review)
	}
	return ""
}

// candidate is a transaction that may be handed out, as far as open releases
// matter to it. Of a review that is not built there is no digest and no input.
type candidate struct {
	review  ID
	chainID string
	wish    Wish
	digest  sui.Digest
	inputs  []sui.ObjectRef
}

// among picks the open releases of other reviews that matter to the candidate.
// A release on another chain can never execute on this one.
func (c candidate) among(open []OpenRelease, read wishReader) []Beside {
	var out []Beside
	for _, o := range open {
		if o.Review == c.review || c.chainID != "" && o.ChainID != "" && o.ChainID != c.chainID {
			continue
		}
		b := Beside{
			Review: o.Review, Intent: o.Intent, At: o.Release.At, Signed: o.Release.Signed(), Refused: o.Release.refused(),
			SameWish: c.wish.Same(read(o.Protocol, o.Action, o.Intent, &o.Release.Facts)),
			Excludes: o.Release.excludes(c.inputs), Repeats: !c.digest.IsZero() && o.Release.Digest == c.digest,
		}
		if b.SameWish || b.Excludes || b.Repeats {
			out = append(out, b)
		}
	}
	return out
}

// beside judges a release by all other releases of the account, as they stand in
// this very transaction. It gives the owned inputs of what is handed out.
func (h handing) beside(r *Row, m *Material) ([]sui.ObjectRef, error) {
	tx, err := m.Bytes.Transaction()
	if err != nil {
		return nil, fault.Wrap(err, fault.HandoffUnavailable,
			"The built transaction cannot be read back. Refresh the review.")
	}
	s, inputs := &r.Session, OwnedInputs(tx)
	of, err := r.ReleasedBy(m.Digest)
	if err != nil {
		return nil, err
	}
	//mutant:never ./review TestLawBesideOpenReleases
	if i := slices.IndexFunc(of, func(id ID) bool { return id != s.ID }); i >= 0 {
		return nil, fault.New(fault.OtherReleaseOpen, "Exactly this transaction was handed to a wallet by another review. "+
			"Nothing was handed out. Refresh this review for a transaction of its own.").
			With("reviewSessionId", string(of[i])).With("reason", "same_transaction")
	}
	open, err := r.Open()
	if err != nil {
		return nil, err
	}
	c := candidate{s.ID, s.ChainID, h.wish(s.Protocol, s.Action, s.Intent, s.Facts), m.Digest, inputs}
	for _, b := range c.among(open, h.wish) {
		//mutant:never ./review TestLawBesideOpenReleases
		if need := b.Need(); need != "" && !slices.Contains(h.accepted, need) {
			return nil, b.refusal(need)
		}
	}
	return inputs, nil
}

// refusal says what the person has to accept first.
func (b Beside) refusal(need string) error {
	text, reason := "Another transaction of this account was handed to a wallet and can still happen; it uses a coin that "+
		"this one uses, so only one of the two can. Nothing was handed out. The page names it: press “Replace it” there, "+
		"or wait for its result.", "replace"
	if strings.HasPrefix(need, acceptAgain) {
		text, reason = "The same was handed to a wallet by another review and can still happen, so it could happen twice. "+
			"Nothing was handed out. The page names it: say “Yes, again” there, or wait for its result.", "again"
	}
	return fault.New(fault.OtherReleaseOpen, "%s", text).
		With("reviewSessionId", string(b.Review)).With("reason", reason)
}

// Beside lists the open releases of other reviews of the account that matter to
// a review as it stands, the newest first. It is what pages and answers say; the
// law of the handoff judges anew.
func (s *Service) Beside(ctx context.Context, session Session) ([]Beside, error) {
	var m *Material
	if session.Status == Ready && session.Current() == nil {
		row, err := s.c.Store.ReviewRow(ctx, session.ID)
		if err != nil {
			return nil, err
		}
		m = row.present()
	}
	return s.besides(ctx, session, m)
}

// besides lists them for what is built, nil where nothing is.
func (s *Service) besides(ctx context.Context, session Session, m *Material) ([]Beside, error) {
	if session.Proposal != nil || session.Status.Terminal() {
		return nil, nil
	}
	open, err := s.c.Store.Open(ctx, session.Account)
	if err != nil {
		return nil, err
	}
	c := candidate{review: session.ID, chainID: session.ChainID,
		wish: s.wish(session.Protocol, session.Action, session.Intent, session.Facts)}
	if m != nil {
		if tx, err := m.Bytes.Transaction(); err == nil {
			c.digest, c.inputs = m.Digest, OwnedInputs(tx)
		}
	}
	return newest(c.among(open, s.wish)), nil
}

// newest puts the newest first, and keeps one of those of a review that ask for
// the same.
func newest(list []Beside) []Beside {
	slices.SortStableFunc(list, func(a, b Beside) int { return b.At.Compare(a.At) })
	var out []Beside
	for _, b := range list {
		told := func(o Beside) bool { return o.Review == b.Review && o.Need() == b.Need() && o.Repeats == b.Repeats }
		if !slices.ContainsFunc(out, told) {
			out = append(out, b)
		}
	}
	return out
}
