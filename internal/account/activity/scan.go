package activity

import (
	"context"
	"errors"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const millisecond = time.Millisecond

// InspectTool is the tool that returns a digest's full detail.
const InspectTool = "read.inspect_sui_transaction"

// Lookup is the tool call that returns a transaction's full detail.
type Lookup struct {
	Tool   string     `json:"tool"`
	Digest sui.Digest `json:"digest"`
}

// Row is one transaction in a scan. Context is nil if the provider reported no detail.
type Row struct {
	Transaction
	Effect  Effect   `json:"requestedAccountEffect"`
	Context *Context `json:"transactionContext,omitempty"`
	Lookup  Lookup   `json:"detailLookup"`
	// Other is the counterparty, or nil if there is not exactly one.
	Other *sui.Address `json:"-"`
}

// Fact is the part of a row that concerns the account.
type Fact struct {
	Digest        sui.Digest      `json:"digest"`
	Status        sui.PastStatus  `json:"status"`
	Checkpoint    *uint64         `json:"checkpoint,omitempty,string"`
	At            *time.Time      `json:"timestamp,omitempty"`
	Role          Role            `json:"role"`
	Evidence      BalanceEvidence `json:"accountBalanceChangeEvidence"`
	Completeness  Completeness    `json:"balanceChangeCompleteness"`
	AbsenceProven bool            `json:"accountBalanceChangeAbsenceProven"`
	Inference     Inference       `json:"accountBalanceChangeInferencePolicy"`
	Balances      []Balance       `json:"accountBalanceChanges"`
	Effect        Effect          `json:"requestedAccountEffect"`
	Context       *Context        `json:"transactionContext,omitempty"`
	Lookup        Lookup          `json:"detailLookup"`
}

// Requested summarizes what an answer's rows prove about the account.
type Requested struct {
	Account      sui.Address  `json:"account"`
	Flows        []Flow       `json:"coinFlows"`
	Completeness Completeness `json:"balanceChangeCompleteness"`
	Sent         int          `json:"sentCount"`
	Affected     int          `json:"affectedOnlyCount"`
	Incomplete   int          `json:"incompleteBalanceRowCount"`
	Fees         Fees         `json:"-"`
}

// Fees adds up the reported fees that the account paid. Unknown counts its transactions without
// reported gas or events.
type Fees struct {
	Unknown int

	gas, market tally
}

// FeesOf returns the fees that the account paid for one transaction.
func FeesOf(e Effect) (f Fees) {
	f.count(e)
	return f
}

// Gas returns the net cost of gas, in at most one flow.
func (f *Fees) Gas() []Flow { return f.gas.flows() }

// Market returns the fees that venues charged, according to their events. They are in Increase.
func (f *Fees) Market() []Flow { return f.market.flows() }

func (f *Fees) count(e Effect) {
	if e.GasPaid != nil {
		f.gas.add(sui.SUI, *e.GasPaid)
	}
	if e.Role != RoleSender {
		return
	}
	if !e.GasKnown || !e.FeesKnown {
		f.Unknown++
	}
	for _, fee := range e.Report.Fees {
		f.market.add(fee.Coin, sui.Delta{Amount: fee.Amount})
	}
}

// Availability counts rows with and without details.
type Availability struct {
	Rows    int  `json:"returnedTransactionCount"`
	With    int  `json:"withDetailsCount"`
	Without int  `json:"withoutDetailsCount"`
	All     bool `json:"allReturnedTransactionsHaveDetails"`
}

// Window is the scanned range of checkpoints, after times were converted.
type Window struct {
	From *uint64 `json:"fromCheckpoint,omitempty,string"`
	To   *uint64 `json:"toCheckpoint,omitempty,string"`
}

// Persistence reports how much was stored.
type Persistence struct {
	Stored  bool   `json:"stored"`
	Count   int    `json:"storedCount"`
	Skipped int    `json:"skippedCount"`
	Reason  string `json:"reason,omitempty"`
}

// Reasons why nothing was stored.
const (
	ReasonUnknownAccount = "account_not_known_here"
	ReasonNoRelation     = "no_known_wallet_relation"
	ReasonNotFound       = "transaction_not_found"
	ReasonStoreFailed    = "local_store_failed"
	ReasonOtherChain     = "provider_is_another_chain_than_the_node"
)

// Scan is a bounded list of past transactions, newest first. Window is empty if the query has no
// bounds. Complete reports whether the window is covered; it is nil without a lower bound.
type Scan struct {
	Query     Query
	Window    Window
	Has       *sui.PastRange // the provider's range; nil if unknown
	Rows      []Row
	Facts     []Fact
	Requested Requested
	Available Availability
	Analysis  Analysis
	HasMore   bool
	Cursor    string
	Complete  *bool
	Ordered   bool
	Reason    string
	Dropped   int // rows that another account sent
	Pages     int
	At        time.Time
	Kept      Persistence
}

// Scan requests one bounded page of an account's transactions. It stores them if the account was
// connected here.
func (s *Service) Scan(ctx context.Context, q Query) (Scan, error) {
	if err := q.check(); err != nil {
		return Scan{}, err
	}
	begin, err := q.place()
	if err != nil {
		return Scan{}, err
	}
	w := &walk{q: q, source: s.c.Source, begin: begin, from: begin.from, to: begin.to, seen: map[sui.Digest]bool{}}
	bounded, cancel := context.WithTimeout(ctx, ScanTime)
	defer cancel()
	empty, err := w.narrow(bounded)
	if err != nil {
		return Scan{}, s.cancelled(ctx, err)
	}
	if !empty {
		if err := w.run(bounded); err != nil {
			return Scan{}, s.cancelled(ctx, err)
		}
	}
	return s.finish(ctx, w)
}

// cancelled replaces err if the scan took too long, rather than the caller having left.
func (s *Service) cancelled(ctx context.Context, err error) error {
	if ctx.Err() == nil && (errors.Is(err, context.DeadlineExceeded) || fault.Is(err, fault.RequestAborted)) {
		return fault.Wrap(err, fault.ProviderUnavailable,
			"The provider did not answer within %d s. Try again, or with a smaller limit.",
			int(ScanTime.Seconds()))
	}
	return err
}

// finish evaluates the rows of a walk, stores them, and returns the result.
func (s *Service) finish(ctx context.Context, w *walk) (Scan, error) {
	out := Scan{Query: w.q, Window: Window{w.from, w.to}, Has: w.has, Rows: []Row{}, Facts: []Fact{}, Ordered: w.ordered(),
		Dropped: w.foreign,
		Pages:   w.pages, At: s.c.Now().UTC()}
	out.Complete, out.Reason = w.judge()
	var err error
	if out.Kept, err = s.keep(ctx, w, out.Reason); err != nil {
		return Scan{}, err
	}
	out.Cursor = w.after(out.Kept.Stored)
	out.HasMore = out.Cursor != ""
	out.Requested = Requested{Account: w.q.Account, Completeness: Complete}
	var all []Transaction
	var flows tally
	for _, r := range w.rows {
		t := s.labels.normalise(r.past, scanCaps)
		r.effect.report(t.Detail)
		all = append(all, t)
		row := Row{Transaction: t, Effect: r.effect, Context: s.contextOf(t.Detail), Lookup: Lookup{InspectTool, t.Digest},
			Other: t.Counterparty(w.q.Account)}
		row.Detail = nil
		out.Rows = append(out.Rows, row)
		out.Facts = append(out.Facts, factOf(row))
		out.Available.count(row.Context != nil)
		out.Requested.count(r.effect, &flows)
	}
	out.Requested.Flows = flows.flows()
	out.Analysis = s.analyse(all, len(all), out.limits()...)
	return out, nil
}

// limits returns the limitations for the analysis of a scan.
func (s Scan) limits() []string {
	var words []string
	if s.Complete == nil {
		words = append(words, LimitLatest)
	} else if !*s.Complete {
		words = append(words, LimitWindow)
	}
	if !s.Ordered {
		words = append(words, LimitOrdering)
	}
	return words
}

func factOf(r Row) Fact {
	return Fact{Digest: r.Digest, Status: r.Status, Checkpoint: r.Checkpoint, At: r.At, Role: r.Effect.Role,
		Evidence:     r.Effect.Evidence,
		Completeness: r.Effect.Completeness, AbsenceProven: r.Effect.AbsenceProven, Inference: r.Effect.Inference,
		Balances: r.Effect.Balances, Effect: r.Effect, Context: r.Context, Lookup: r.Lookup}
}

func (a *Availability) count(detailed bool) {
	a.Rows++
	if detailed {
		a.With++
	} else {
		a.Without++
	}
	a.All = a.Without == 0
}

// count adds one row. The total is as complete as its least complete row.
func (r *Requested) count(e Effect, flows *tally) {
	switch e.Role {
	case RoleSender:
		r.Sent++
	case RoleAffected:
		r.Affected++
	}
	if e.Completeness != Complete {
		r.Incomplete++
	}
	if e.Completeness == Unavailable || (e.Completeness == Truncated && r.Completeness == Complete) {
		r.Completeness = e.Completeness
	}
	r.Fees.count(e)
	for _, b := range e.Balances {
		flows.add(b.Coin, b.Amount)
	}
}
