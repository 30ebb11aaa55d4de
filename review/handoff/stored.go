package handoff

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A waiting build is compared with its bytes whenever it is shown and again when it is released,
// because another program or a failing disk may have changed the stored data. The bytes are
// authoritative; a build that differs from them is withdrawn.

// Kept reads a review for display. It withdraws a build whose bytes differ from what is stored
// about them.
func (s *Service) Kept(ctx context.Context, id record.ID) (record.Row, error) {
	row, err := s.c.Store.ReviewRow(ctx, id)
	if err != nil || row.Session.Status != record.Ready || row.Session.Current() != nil {
		return row, err // a released transaction cannot be withdrawn; View withholds it
	}
	if Expired(row.Session, s.now()) != "" || s.Differs(&row) == "" {
		return row, nil
	}
	if _, err := s.c.Store.Change(ctx, id, "stored bytes differ",
		func(r *record.Row) error { return s.takeBack(r) }); err != nil {
		return record.Row{}, err
	}
	return s.c.Store.ReviewRow(ctx, id)
}

// takeBack is the transition that withdraws a build that differs from what was reviewed.
func (s *Service) takeBack(r *record.Row) error {
	what := s.Differs(r)
	if what == "" || r.Session.Status != record.Ready || r.Session.Current() != nil {
		return nil
	}
	return r.Stop(plan.WalletReviewContractEmitMissing, AlteredCheck(what,
		"Update to build it again. If this comes back, something changes the data on this computer: run "+
			"say-ur-intent doctor."), s.now())
}

// unaltered returns an error for a build that differs from what was reviewed.
func (s *Service) unaltered(r *record.Row) error {
	if r.Session.Status != record.Ready || r.Session.Current() != nil {
		return nil // the handoff transition returns the error
	}
	//mutant:never ./review TestStoredBytesAreReadAgain
	if what := s.Differs(r); what != "" {
		return fault.New(fault.HandoffCommitmentMismatch,
			"The stored transaction is not the one that was reviewed: %s. Nothing was sent to your wallet. Update the review.", what)
	}
	return nil
}

// AlteredCheck returns the failed check for a stored build that differs from its bytes.
func AlteredCheck(what, do string) plan.Check {
	return plan.Fail(plan.SourceAdapter, "stored_transaction_altered", "Stored transaction",
		"The stored transaction is not the one that was reviewed: "+what+". It is not shown and not handed out.", do)
}

// altered describes how the current build differs from what is stored about it, or returns "".
func (s *Service) altered(r *record.Row) string {
	session, m := &r.Session, r.Present()
	if m == nil {
		if session.Status == record.Ready && session.Current() == nil {
			return "it is missing, or its bytes were changed"
		}
		return "" // not stored after a review ends or while only its result is awaited
	}
	facts := session.Facts
	if rel := session.Current(); rel != nil {
		if facts == nil || !record.SameJSON(*facts, rel.Facts) {
			return "the stored transaction differs from the released one"
		}
		facts = &rel.Facts
	}
	adapters := plan.AdaptersOf(s.c.Adapters, session.Wanted())
	switch {
	case facts == nil:
		return "what it says was not stored"
	case adapters == nil:
		return "no part of this version can read it"
	}
	// The request is planned as of the time when it was prepared, so that a deadline that has
	// passed since does not matter.
	var plans []plan.Plan
	for i, in := range session.Intent.Each() {
		p, err := plan.PlanStep(adapters[i], in, session.CreatedAt)
		if err != nil {
			return "it is not what was asked for"
		}
		plans = append(plans, p)
	}
	if plan.Wire(session.Intent, plans) != nil {
		return "it is not what was asked for"
	}
	read, what := readStored(adapters, plans, *session, m)
	if what != "" {
		return what
	}
	//mutant:never ./review TestStoredBytesAreReadAgain
	if what := sameFacts(read, *facts); what != "" {
		return what
	}
	if session.Status != record.Ready {
		return ""
	}
	if !session.BuiltAt.Equal(m.CreatedAt) {
		return "it was built at another time"
	}
	if what := sameWords(session, facts); what != "" {
		return what
	}
	return asAsked(plans, session, facts)
}

// readStored decodes the bytes with the decoder that the gates used for the build.
func readStored(adapters []plan.Adapter, plans []plan.Plan, session record.Session, m *record.Material) (plan.Facts,
	string) {
	raw := m.Bytes.Bytes()
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		return plan.Facts{}, "its bytes are not a transaction"
	}
	if again, err := tx.Encode(); err != nil || !bytes.Equal(again, raw) || sui.TransactionDigest(raw) != m.Digest {
		return plan.Facts{}, "its bytes are not those of its digest"
	}
	f, err := plan.ReadFacts(tx, adapters)
	if err != nil {
		return plan.Facts{}, "its bytes do something else"
	}
	if f.Sender != session.Account || f.Gas.Owner != session.Account {
		return plan.Facts{}, "it is sent or paid for by another account"
	}
	// Name unlisted coins as the stored request does.
	var coins []plan.Asset
	for _, p := range plans {
		for _, b := range p.Promise.Bounds() {
			coins = append(coins, b.Coin)
		}
	}
	plan.Units(&f, coins)
	return f, ""
}

// sameFacts compares facts decoded from the bytes with the stored ones. It ignores values that a
// provider reported, because they are not in the bytes.
func sameFacts(read, stored plan.Facts) string {
	if len(read.Steps) != len(stored.Steps) {
		return "it has more steps, or fewer"
	}
	for _, c := range []struct {
		same bool
		what string
	}{
		{read.Sender == stored.Sender, "it has another sender"},
		{sameGas(read.Gas, stored.Gas), "it pays for gas in another way"},
		{read.LastEpoch == stored.LastEpoch, "it expires at another time"},
	} {
		if !c.same {
			return c.what
		}
	}
	for i := range read.Steps {
		if what := sameStep(read.Steps[i], stored.Steps[i], stored.Earlier); what != "" {
			return what
		}
	}
	return ""
}

// sameStep compares one step. Facts stored by older versions lack some texts.
func sameStep(read, stored plan.StepFacts, earlier bool) string {
	read.Expected = stored.Expected
	for _, c := range []struct {
		same bool
		what string
	}{
		{read.Sends == stored.Sends, "it pays another recipient"},
		{slices.EqualFunc(read.Promise.Of(plan.RoleInput, plan.RoleFee, plan.RoleOffer, plan.RolePayment),
			stored.Promise.Of(plan.RoleInput, plan.RoleFee, plan.RoleOffer, plan.RolePayment), plan.Bound.Equal),
			"another amount leaves"},
		{read.Promise.Equal(stored.Promise), "another amount is guaranteed"},
		{read.Package == stored.Package && read.Function == stored.Function && read.RouteID == stored.RouteID,
			"it calls something else"},
		{slices.Equal(read.TypeArgs, stored.TypeArgs), "it is about other coins"},
		{slices.Equal(read.Terms, stored.Terms), "its terms are others"},
		{slices.Equal(read.Commands, stored.Commands) && (earlier || record.SameJSON(read, stored)),
			"its commands are described in another way"},
	} {
		if !c.same {
			return c.what
		}
	}
	return ""
}

func sameGas(a, b plan.GasFacts) bool {
	return a.Budget == b.Budget && a.Price == b.Price && a.Owner == b.Owner && slices.Equal(a.Payment, b.Payment)
}

// sameWords compares the texts on the page, and the contract of a ready review, with facts decoded
// from the bytes.
func sameWords(session *record.Session, f *plan.Facts) string {
	const differ = "the words of the review say something else than it does"
	c, h := session.State.Contract, session.State.HumanReview
	if c == nil || h == nil || len(f.Gas.Payment) > 1 {
		return "the review lacks what it was shown with"
	}
	switch {
	case c.Validate() != "", c.TransactionMaterialCommitment != session.Commitment,
		h.BoundToCommitment != session.Commitment:
		return "the review is bound to another transaction"
	case c.Network != session.Network, c.ChainID != session.ChainID,
		!c.Expiry.BuildExpiresAt.Equal(session.BuildExpiresAt):
		return "the review is of another network, or of another time"
	case c.Call.Package != f.Steps[0].Package, c.Call.Function != f.Steps[0].Function,
		c.Call.RouteID != f.Steps[0].RouteID, c.Call.Recipient != f.Recipient(),
		c.Gas.Budget != f.Gas.Budget, c.Gas.Price != f.Gas.Price, c.Gas.Owner != f.Gas.Owner,
		c.Expiry.LastEpoch != f.LastEpoch,
		!slices.Equal(c.Terms, f.Terms()), !slices.Equal(h.Terms, f.Terms()):
		return differ
	case len(h.Recipients) != 2, h.Recipients[0].Address != session.Account, h.Recipients[1].Address != f.Recipient():
		return differ
	}
	p := f.Promise()
	for _, part := range []struct {
		shown *record.FlowAmount
		role  plan.Role
	}{{h.AssetFlow.Outgoing, plan.RoleInput}, {h.AssetFlow.MinimumIncoming, plan.RoleOutput}} {
		if (part.shown != nil) != (len(p.Of(part.role)) > 0) ||
			part.shown != nil && part.shown.Amount != p.Amount(part.role) {
			return differ
		}
	}
	for role, of := range map[string]plan.Role{"input": plan.RoleInput, "minimum_output": plan.RoleOutput} {
		var stated []plan.Amount
		for _, a := range c.Amounts {
			if a.Role == role {
				stated = append(stated, a.Amount)
			}
		}
		var read []plan.Amount
		for _, s := range f.Steps {
			if of == plan.RoleOutput {
				read = append(read, s.Promise.Wholes()...)
				continue
			}
			read = append(read, s.Promise.Amounts(of)...)
		}
		if !slices.Equal(stated, read) {
			return differ
		}
	}
	if q := session.State.Quote; q != nil && !slices.ContainsFunc(f.Steps, func(s plan.StepFacts) bool {
		return q.Input == s.Promise.Amount(plan.RoleInput) && q.Minimum == s.Promise.Whole() &&
			q.Expected == s.Expected
	}) {
		return differ
	}
	return ""
}

// asAsked compares the request, which pages also show, with facts decoded from the bytes.
func asAsked(plans []plan.Plan, session *record.Session, f *plan.Facts) string {
	const other = "it is not what was asked for"
	var titles, summaries []string
	for i, plan := range plans {
		step := f.Steps[i]
		to := plan.Promise.Payee()
		if to.IsZero() {
			to = session.Account
		}
		if !step.Sends.IsZero() && step.Sends != to || !step.Promise.Refines(plan.Promise) {
			return other
		}
		titles, summaries = append(titles, plan.Title), append(summaries, plan.Summary)
	}
	if a := session.State.HumanReview.ProposedAction; a.Title != strings.Join(titles, "; ") ||
		a.Summary != strings.Join(summaries, " ") {
		return "the words of the review say something else than was asked for"
	}
	return ""
}
