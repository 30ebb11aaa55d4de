package review

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A build that waits is held against its bytes whenever it is shown and once
// more where it is handed out: what is stored may have been changed by another
// program, or by a failing disk. The bytes decide; what differs from them is
// taken back.

// kept reads a review as it is to be shown. A build whose bytes do not say what
// is stored about them is taken back by this call.
func (s *Service) kept(ctx context.Context, id ID) (Row, error) {
	row, err := s.c.Store.ReviewRow(ctx, id)
	if err != nil || row.Session.Status != Ready || row.Session.Current() != nil {
		return row, err // of what was handed out nothing can be taken back; withhold says so
	}
	if lapsed(row.Session, s.now()) != "" || s.differs(&row) == "" {
		return row, nil
	}
	if _, err := s.c.Store.Change(ctx, id, "stored bytes differ", func(r *Row) error { return s.takeBack(r) }); err != nil {
		return Row{}, err
	}
	return s.c.Store.ReviewRow(ctx, id)
}

// takeBack is the law of a build that is not what was reviewed.
func (s *Service) takeBack(r *Row) error {
	what := s.differs(r)
	if what == "" || r.Session.Status != Ready || r.Session.Current() != nil {
		return nil
	}
	return r.stop(WalletReviewContractEmitMissing, alteredCheck(what,
		"Refresh to build it again. If this comes back, something changes the data on this computer: run say-ur-intent doctor."), s.now())
}

// unaltered refuses to hand out a build that is not what was reviewed.
func (s *Service) unaltered(r *Row) error {
	if r.Session.Status != Ready || r.Session.Current() != nil {
		return nil // the law of the handoff says what is wrong
	}
	//mutant:never ./review TestStoredBytesAreReadAgain
	if what := s.differs(r); what != "" {
		return fault.New(fault.HandoffCommitmentMismatch,
			"The stored transaction is not the one that was reviewed: %s. Nothing was handed out. Refresh the review.", what)
	}
	return nil
}

// withhold keeps a page from showing, as the transaction that was handed out,
// bytes that are not it.
func (s *Service) withhold(row *Row, v *View) {
	what := s.differs(row)
	if what == "" {
		return
	}
	v.Transaction, v.CanHandOff, v.CanSubmit = nil, false, false
	v.Session.State.Checks = worstFirst(append([]Check{alteredCheck(what, "Do not sign again. Look into the wallet: what it signed "+
		"is what it showed. Run say-ur-intent doctor to see what is damaged here.")}, v.Session.State.Checks...))
}

func alteredCheck(what, do string) Check {
	return Fail(SourceAdapter, "stored_transaction_altered", "Stored transaction",
		"The stored transaction is not the one that was reviewed: "+what+". It is not shown and not handed out.", do)
}

// altered says in which way the present build differs from what is stored about
// it, "" where it does not or where there is none.
func (s *Service) altered(r *Row) string {
	session, m := &r.Session, r.present()
	if m == nil {
		if session.Status == Ready && session.Current() == nil {
			return "it is missing, or its bytes were changed"
		}
		return "" // none is kept of a review that is over, or whose result alone is awaited
	}
	facts := session.Facts
	if rel := session.Current(); rel != nil {
		if facts == nil || !sameJSON(*facts, rel.Facts) {
			return "what is stored of it differs from what was handed out"
		}
		facts = &rel.Facts
	}
	adapter := s.adapterOf(*session)
	switch {
	case facts == nil:
		return "what it says was not stored"
	case adapter == nil:
		return "no part of this version can read it"
	}
	// The request is read at the time at which it was taken, so that a time that it
	// names and that has come is no difference.
	plan, err := adapter.Plan(session.Intent, session.CreatedAt)
	if err != nil {
		return "it is not what was asked for"
	}
	read, what := readStored(adapter, plan, *session, m)
	if what != "" {
		return what
	}
	//mutant:never ./review TestStoredBytesAreReadAgain
	if what := sameFacts(read, *facts); what != "" {
		return what
	}
	if session.Status != Ready {
		return ""
	}
	if !session.BuiltAt.Equal(m.CreatedAt) {
		return "it was built at another time"
	}
	if what := sameWords(session, facts); what != "" {
		return what
	}
	return asAsked(plan, session, facts)
}

// readStored decodes the bytes as the gates did when they were built.
func readStored(a Adapter, plan Plan, session Session, m *Material) (Facts, string) {
	raw := m.Bytes.Bytes()
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		return Facts{}, "its bytes are no transaction"
	}
	if again, err := tx.Encode(); err != nil || !bytes.Equal(again, raw) || sui.TransactionDigest(raw) != m.Digest {
		return Facts{}, "its bytes are not those of its digest"
	}
	f, err := a.Read(tx)
	if err != nil {
		return Facts{}, "its bytes do something else"
	}
	f.Sender = tx.Sender
	f.Gas = GasFacts{Budget: sui.Raw(tx.Gas.Budget), Price: sui.Raw(tx.Gas.Price), Owner: tx.Gas.Owner, Payment: tx.Gas.Payment}
	if e, ok := tx.Expiration.(sui.EpochExpiration); ok {
		f.LastEpoch = e.Epoch
	}
	if f.Sender != session.Account || f.Gas.Owner != session.Account {
		return Facts{}, "it is sent or paid for by another account"
	}
	// Coins that are not pinned are named as the request named them.
	r := &run{adapter: a, meta: a.Meta(), session: session, tx: tx, draft: &Draft{Plan: plan}}
	r.units(&f)
	return f, ""
}

// sameFacts compares what bytes say with what is stored about them. What a
// provider reported is not in the bytes.
func sameFacts(read, stored Facts) string {
	read.Expected = stored.Expected
	for _, c := range []struct {
		same bool
		what string
	}{
		{read.Sender == stored.Sender, "it has another sender"},
		{read.Recipient == stored.Recipient, "it pays another recipient"},
		{slices.Equal(read.Spends, stored.Spends) && slices.Equal(read.Offers, stored.Offers), "another amount leaves"},
		{read.Minimum == stored.Minimum, "another amount is guaranteed"},
		{read.Package == stored.Package && read.Function == stored.Function && read.RouteID == stored.RouteID, "it calls something else"},
		{slices.Equal(read.TypeArgs, stored.TypeArgs), "it is about other coins"},
		{slices.Equal(read.Terms, stored.Terms), "its terms are others"},
		{sameGas(read.Gas, stored.Gas), "it pays for gas in another way"},
		{read.LastEpoch == stored.LastEpoch, "it expires at another time"},
		{slices.Equal(read.Commands, stored.Commands) && sameJSON(read, stored), "its commands are described in another way"},
	} {
		if !c.same {
			return c.what
		}
	}
	return ""
}

func sameGas(a, b GasFacts) bool {
	return a.Budget == b.Budget && a.Price == b.Price && a.Owner == b.Owner && slices.Equal(a.Payment, b.Payment)
}

// sameJSON compares two values as they are stored: a list that is absent and an
// empty one are the same there.
func sameJSON[T any](a, b T) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// sameWords compares what a page says in words, and the contract of a ready
// review, with facts that are the bytes'.
func sameWords(session *Session, f *Facts) string {
	const differ = "the words of the review say something else than it does"
	c, h := session.State.Contract, session.State.HumanReview
	if c == nil || h == nil || len(f.Gas.Payment) != 1 {
		return "the review lacks what it was shown with"
	}
	switch {
	case c.Validate() != "", c.TransactionMaterialCommitment != session.Commitment, h.BoundToCommitment != session.Commitment:
		return "the review is bound to another transaction"
	case c.Network != session.Network, c.ChainID != session.ChainID, !c.Expiry.BuildExpiresAt.Equal(session.BuildExpiresAt):
		return "the review is of another network, or of another time"
	case c.Call.Package != f.Package, c.Call.Function != f.Function, c.Call.RouteID != f.RouteID, c.Call.Recipient != f.Recipient,
		c.Gas.Budget != f.Gas.Budget, c.Gas.Price != f.Gas.Price, c.Gas.Owner != f.Gas.Owner, c.Expiry.LastEpoch != f.LastEpoch,
		!slices.Equal(c.Terms, f.Terms), !slices.Equal(h.Terms, f.Terms):
		return differ
	case len(h.Recipients) != 2, h.Recipients[0].Address != session.Account, h.Recipients[1].Address != f.Recipient:
		return differ
	case h.AssetFlow.Outgoing != nil && (len(f.Spends) == 0 || h.AssetFlow.Outgoing.Amount != f.Spends[0]),
		h.AssetFlow.MinimumIncoming != nil && h.AssetFlow.MinimumIncoming.Amount != f.Minimum,
		h.AssetFlow.Outgoing == nil && len(f.Spends) > 0, h.AssetFlow.MinimumIncoming == nil && f.Minimum != Amount{}:
		return differ
	}
	for _, a := range c.Amounts {
		switch a.Role {
		case "input":
			if len(f.Spends) == 0 || a.Amount != f.Spends[0] {
				return differ
			}
		case "minimum_output":
			if a.Amount != f.Minimum {
				return differ
			}
		}
	}
	if q := session.State.Quote; q != nil && (len(f.Spends) == 0 || q.Input != f.Spends[0] || q.Minimum != f.Minimum || q.Expected != f.Expected) {
		return differ
	}
	return ""
}

// asAsked compares the request, which pages show too, with facts that are the
// bytes'.
func asAsked(plan Plan, session *Session, f *Facts) string {
	const other = "it is not what was asked for"
	to := plan.Recipient
	if to.IsZero() {
		to = session.Account
	}
	switch {
	case f.Recipient != to:
		return other
	case plan.Gives() && (len(f.Spends) == 0 || f.Spends[0].CoinType != plan.From.CoinType || f.Spends[0].Raw != plan.Input.Raw),
		!plan.Gives() && len(f.Spends) > 0:
		return other
	case plan.Gets() && f.Minimum.CoinType != plan.To.CoinType, !plan.Gets() && f.Minimum != Amount{}:
		return other
	case session.State.HumanReview.ProposedAction.Title != plan.Title, session.State.HumanReview.ProposedAction.Summary != plan.Summary:
		return "the words of the review say something else than was asked for"
	}
	return ""
}
