package request_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// errKilled ends a process during its work.
var errKilled = errors.New("killed")

// fake is a store, reviews, wallets and a chain in memory, small enough for thousands of histories.
// A transition is stored completely or not at all, as in the real store.
type fake struct {
	rnd     *rand.Rand
	now     time.Time
	bundles map[request.ID]request.Request
	reviews map[record.ID]record.Session
	signed  map[record.ID]bool // a wallet signed the last release, whether or not this was reported
	ran     map[record.ID]int  // successful executions of the review's transaction
	ends    map[request.ID]int // number of times the task ended
	told    map[request.ID]int // results reported later
	kill    int                // changes until the process dies; 0 means never
	after   bool               // it dies after the change is stored
	active  sui.Address
	drafts  int
	payee   string // current target of the recipient's name
	broken  bool   // the node does not answer
	faults  []string
	seen    map[string]int // counts of the histories' outcomes
}

func newFake(seed uint64) *fake {
	return &fake{rnd: rand.New(rand.NewPCG(seed, 18)), now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
		bundles: map[request.ID]request.Request{},
		reviews: map[record.ID]record.Session{}, signed: map[record.ID]bool{}, ran: map[record.ID]int{},
		ends: map[request.ID]int{},
		told: map[request.ID]int{}, active: owner, payee: alice}
}

var owner = sui.MustAddress("0xa11ce")

// service returns a new process over the same store.
func (f *fake) service() *request.Service {
	f.kill = 0
	return request.New(request.Config{Store: f, Make: f, Hub: &events.Hub{}, Now: func() time.Time { return f.now },
		Rand: counting{f},
		Active: func(context.Context) (record.Account, bool, error) {
			return record.Account{Address: f.active}, true, nil
		}})
}

// counting returns ids that differ and are the same in each run of a history.
type counting struct{ f *fake }

func (c counting) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(c.f.rnd.Uint32())
	}
	return len(b), nil
}

func (f *fake) wrong(format string, args ...any) {
	f.faults = append(f.faults, fmt.Sprintf(format, args...))
}

// dies reports whether the process dies here.
func (f *fake) dies(after bool) bool {
	if f.kill == 0 || f.after != after {
		return false
	}
	f.kill--
	return f.kill == 0
}

func copied(b request.Request) request.Request {
	b.Steps = slices.Clone(b.Steps)
	return b
}

func (f *fake) CreateRequest(_ context.Context, d request.Drafted) (request.Request, error) {
	b := d.Request
	b.Task = "task_" + string(b.ID)
	f.bundles[b.ID] = copied(b)
	return b, nil
}

func (f *fake) Request(_ context.Context, id request.ID) (request.Request, error) {
	return copied(f.bundles[id]), nil
}

func (f *fake) LookSteps(context.Context, []record.LookedStep) ([]record.StepBlocker, bool) {
	return nil, true
}

func (f *fake) ReplaceReview(context.Context, record.ID, record.Session, func(*record.Row, string) error) error {
	panic("no review of the model is replaced")
}

func (f *fake) PartRequest(context.Context, request.ID, func(*request.Request) error) (request.Request, error) {
	panic("the model begins no request as a review")
}

func (f *fake) ChangeRequest(_ context.Context, id request.ID, _ string, law func(*request.Request) (*record.Session,
	error)) (request.Request, error) {
	if f.dies(false) {
		return request.Request{}, errKilled
	}
	before, after := copied(f.bundles[id]), copied(f.bundles[id])
	s, err := law(&after)
	if err != nil {
		return before, err
	}
	if after.Revision == before.Revision {
		return before, nil
	}
	step, ok, err := after.TaskSince(before)
	if err != nil {
		return before, err
	}
	if ok && step.End.Ended() {
		f.ends[id]++
	}
	told, err := after.OtherEvents(before)
	if err != nil {
		return before, err
	}
	f.told[id] += len(told)
	f.judge(before, after)
	f.bundles[id] = copied(after)
	if s != nil {
		f.reviews[s.ID] = *s
	}
	if f.dies(true) {
		return request.Request{}, errKilled
	}
	return after, nil
}

// judge checks a transition against the invariants.
func (f *fake) judge(before, after request.Request) {
	for i, s := range after.Steps {
		was := before.Steps[i]
		if was.Review != "" && was.Review != s.Review {
			f.wrong("step %d got a second review", i)
		}
		if after.Mode == request.Atomic && (s.State != after.Steps[0].State || s.Review != after.Steps[0].Review ||
			s.TxHash != after.Steps[0].TxHash) {
			f.wrong("step %d of one transaction is %s, and step 0 is %s", i, s.State, after.Steps[0].State)
		}
		if s.State != request.Waiting && was.State == request.Waiting && s.State != request.Failed &&
			after.Mode != request.Atomic {
			for j, o := range after.Steps[:i] {
				if o.State != request.Confirmed && o.State != request.Pending {
					f.wrong("step %d began while step %d was %s", i, j, o.State)
				}
			}
		}
		r := f.reviews[s.Review]
		if s.State != was.State {
			f.seen[string(s.State)]++
		}
		switch {
		case s.State == was.State:
		case s.State == request.Confirmed && f.ran[s.Review] != 1:
			f.wrong("step %d is confirmed, and ran %d times", i, f.ran[s.Review])
		case s.State == request.Failed && s.Error != request.UserRejected && len(r.Outstanding()) > 0 && !r.Status.Terminal():
			f.wrong("step %d is called failed (%s) while it can still happen", i, s.Error)
		case s.State == request.TimedOut && len(r.Releases) == 0:
			f.wrong("step %d is not known, and was never handed out", i)
		}
	}
}

func (f *fake) LiveRequests(context.Context) (list []request.ID, err error) {
	for id, b := range f.bundles {
		if b.Live(f.now) {
			list = append(list, id)
		}
	}
	return list, nil
}

func (f *fake) RequestOf(_ context.Context, id record.ID) (request.Request, bool, error) {
	for _, b := range f.bundles {
		if b.Place(id) >= 0 {
			return copied(b), true, nil
		}
	}
	return request.Request{}, false, nil
}

func (f *fake) KeepApproval(context.Context, request.ID, string, func(*request.Request) (time.Time, error)) error {
	return nil
}

func (f *fake) Review(_ context.Context, id record.ID) (record.Session, error) {
	r, ok := f.reviews[id]
	if !ok {
		return r, fault.New(fault.SessionNotFound, "There is no such review.")
	}
	r.Releases = slices.Clone(r.Releases)
	return r, nil
}

// Draft reads a payment of SUI, one of many that differ in amount.
func (f *fake) Draft(_ context.Context, in plan.Intent) (record.Draft, error) {
	if f.broken {
		return record.Draft{}, fault.New(fault.ProviderUnavailable, "The node does not answer.")
	}
	if len(in.Steps) > 0 {
		return f.draftWhole(in)
	}
	f.drafts++
	n, err := sui.Decimal(in.From.Amount).Raw(9)
	if err != nil {
		return record.Draft{}, err
	}
	if in.RecipientName != "" {
		in.Recipient = f.payee
	}
	in.Asked = "send " + in.From.Amount + " SUI"
	amount := plan.SUI.Of(n)
	s := record.Session{ID: record.ID("r" + strconv.Itoa(f.drafts)), Account: f.active, Protocol: "wallet",
		Action: in.Type, Intent: in,
		Status: record.Proposed, Revision: 1, CreatedAt: f.now, UpdatedAt: f.now, ExpiresAt: f.now.Add(30 * time.Minute)}
	p := plan.Promise{Outcomes: []plan.Outcome{{Bounds: []plan.Bound{plan.Leaves(plan.RoleInput, amount)}}}}
	return record.Draft{Session: s, Promise: p}, nil
}

// draftWhole reads several payments as one transaction.
func (f *fake) draftWhole(in plan.Intent) (record.Draft, error) {
	in.Steps = slices.Clone(in.Steps)
	var d record.Draft
	for i, step := range in.Steps {
		one, err := f.Draft(context.Background(), step)
		if err != nil {
			return one, err
		}
		in.Steps[i], d = one.Session.Intent, one
		in.Steps[i].Protocol = "wallet"
	}
	d.Session.Intent, d.Session.Action, d.Promise = in, plan.Bundle, plan.Promise{}
	return d, nil
}

func (f *fake) Promises(record.Session) (plan.Promise, error) { return plan.Promise{}, nil }

func (f *fake) Try(context.Context, record.Session) error { return nil }

func (f *fake) Fee(context.Context, record.Session) (plan.Amount, bool) { return plan.Amount{}, true }

func (f *fake) Twins(context.Context, sui.Address, string, plan.Intent) ([]record.Related, error) {
	return nil, nil
}

// Get returns the current review; it expires one that is out of time and was never released.
func (f *fake) Get(ctx context.Context, id record.ID) (record.Session, error) {
	r, err := f.Review(ctx, id)
	if err == nil && !r.Status.Terminal() && len(r.Releases) == 0 && !f.now.Before(r.ExpiresAt) {
		r.Status = record.Expired
		f.reviews[id] = r
	}
	return r, err
}

// one performs one action of a user, a wallet, a node or the chain on a review.
func (f *fake) one(svc *request.Service, id record.ID) {
	ctx := context.Background()
	r, err := f.Get(ctx, id)
	if err != nil || r.Status.Terminal() {
		return
	}
	defer func() { f.reviews[id] = r }()
	n := len(r.Releases)
	switch act := f.rnd.IntN(12); {
	case r.Status == record.SignedPendingResult:
		f.execute(&r, act)
	case n > 0 && f.signed[id] && act < 3: // executed, though no page reported the signature
		f.execute(&r, act)
	case n > 0 && f.signed[id] && act < 6: // a late report
		r.Status, r.Execution = record.SignedPendingResult, &record.Execution{TxDigest: "D" + string(id)}
	case act == 0:
		r.Status, r.Reason = record.Blocked, plan.InsufficientBalance
	case act == 1:
		r.Status = record.RefreshRequired
	case act == 2 && n == 0:
		r.Status = record.Failure // declined on the page
		r.Execution = &record.Execution{FailureReason: record.FailureWalletRejected}
	case act == 3 && n > 0 && !f.signed[id]: // proof that it can never execute
		r.Releases[n-1].Dead = true
		r.Status, r.Execution = record.Failure, &record.Execution{FailureReason: record.FailureCannotExecute}
	case act == 4 && n > 0 && f.rnd.IntN(4) > 0: // the wallet declines, and usually really did
		r.Releases[n-1].Outcome = record.OutcomeDeclined
		r.Status = record.RefreshRequired
	case act == 5 && n > 0 && !f.signed[id]: // it returned other bytes, such as another step's, or its tab was closed
		r.Releases[n-1].Outcome = record.OutcomeChanged
		if f.rnd.IntN(2) == 0 {
			r.Releases[n-1].Outcome = record.OutcomeDisconnected
		}
		f.seen[r.Releases[n-1].Outcome]++
		r.Status = record.RefreshRequired
	case n == 0 && act < 10:
		r.Status = record.Ready
		f.hand(svc, &r)
	case n > 0 && act < 10 && r.Releases[n-1].Outcome == "":
		f.signed[id] = true
		if act < 8 { // otherwise it is not reported
			r.Status, r.Execution = record.SignedPendingResult, &record.Execution{TxDigest: "D" + string(id)}
		}
	}
}

// hand releases the transaction if its request allows it.
func (f *fake) hand(svc *request.Service, r *record.Session) {
	f.reviews[r.ID] = *r
	if svc.Handing(context.Background(), r.ID) != nil {
		return
	}
	b, _, _ := f.RequestOf(context.Background(), r.ID)
	place := b.Place(r.ID)
	if b.State != request.Running || b.Stopping != "" || b.Steps[place].State != request.Open {
		f.wrong("step %d of a bundle that is %s was handed out", place, b.State)
	}
	for _, in := range r.Intent.Each() {
		if in.Recipient != alice { // the approved recipients of every request
			f.wrong("step %d was handed out, and pays %q", place, in.Recipient)
		}
	}
	for i, s := range b.Steps[:place] {
		if s.State != request.Confirmed && s.State != request.Pending {
			f.wrong("step %d was handed out while step %d was %s", place, i, s.State)
		}
	}
	r.Releases = append(r.Releases, record.Release{Digest: sui.Digest{byte(len(r.Releases) + 1)}, At: f.now})
}

// execute makes the chain execute the signed transaction, fail it, or delay it.
func (f *fake) execute(r *record.Session, act int) {
	switch {
	case act < 2:
		f.ran[r.ID]++
		r.Status = record.Success
		r.Execution = &record.Execution{TxDigest: "D" + string(r.ID), FinalAt: f.now, Receipt: &record.Receipt{OK: true,
			BalanceChanges: []sui.BalanceChange{{Coin: sui.SUI, Amount: sui.Delta{Amount: 1_000_000_000}}}}}
	case act == 2:
		r.Status = record.Failure
		r.Execution = &record.Execution{TxDigest: "D" + string(r.ID), FailureReason: record.FailureChainExecution,
			Receipt: &record.Receipt{FailureKind: "MoveAbort"}}
	}
}

// wishes returns payment steps with different amounts.
func (f *fake) wishes() (list []request.Wanted) {
	for i := range 1 + f.rnd.IntN(4) {
		in := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: strconv.Itoa(i + 1)},
			Recipient: alice}
		if f.rnd.IntN(4) == 0 {
			in.Recipient, in.RecipientName = "", "alice.sui"
		}
		list = append(list, request.Wanted{ID: strings.Repeat("s", i+1), Sequence: int64(i), Chain: "Sui", Intent: in,
			Wait:    f.rnd.IntN(3) > 0,
			Timeout: time.Minute})
	}
	return list
}
