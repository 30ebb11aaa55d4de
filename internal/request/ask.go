package request

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Wanted is a requested step: an intent, or the ID of a review.
type Wanted struct {
	ID       string
	Sequence int64
	Chain    string
	Label    string
	Intent   plan.Intent // From.ResultOf is the position of an earlier step, from 1
	Review   record.ID
	Entry    string // recipient's entry in the address book, or ""
	Key      actions.Key
	Wait     bool
	Timeout  time.Duration
}

// Ask creates a request whose ordered steps wait for the user's approval. Adapters plan every
// intent first; if one is invalid, Ask returns an error that identifies its step. If skip is set,
// the client asks to run without approval, which requires a stored approval of exactly this
// request.
func (s *Service) Ask(ctx context.Context, label string, skip bool, steps []Wanted) (Request, error) {
	d, err := s.Draft(ctx, label, skip, steps)
	if err != nil {
		return Request{}, err
	}
	return s.Create(ctx, d)
}

// Draft returns the request that Ask would create, without storing it.
func (s *Service) Draft(ctx context.Context, label string, skip bool, steps []Wanted) (d Drafted, err error) {
	req, err := s.begin(ctx, label, steps)
	if err != nil {
		return d, err
	}
	for i, w := range steps {
		step, err := s.read(ctx, &req, w)
		if err != nil {
			return d, AtStep(i, w.ID, err)
		}
		req.Steps = append(req.Steps, step)
	}
	if req.Hash, err = HashOf(req); err != nil {
		return d, err
	}
	id, err := record.Secret(s.c.Rand, 18)
	if err != nil {
		return d, err
	}
	req.ID = ID(id)
	if req.twins, err = s.Twins(ctx, req); err != nil {
		return d, err
	}
	for _, b := range req.repeats() {
		req.Warnings = append(req.Warnings, fmt.Sprintf("%s: step %s: %s %s", Duplicate, req.Steps[b.Step-1].ID, b.Message,
			b.Do))
	}
	twice := len(req.twins) > 0
	if skip && twice {
		req.NotHonoured = Duplicate
	}
	return Drafted{Request: req, Prior: skip && !twice}, nil
}

// repeats returns a blocker for each step that requests the same as another request.
func (req *Request) repeats() (list []record.StepBlocker) {
	for _, t := range req.twins {
		for _, p := range t.Equal {
			list = append(list, record.StepBlocker{Step: p.Own, Blocker: plan.Blocker{Check: record.CheckRelated,
				Message: fmt.Sprintf("It requests the same as step %d of %s: %s.", p.Other, t.Review, t.Known()),
				Do:      "Only the user can confirm “Yes, again”, on the approval page."}})
		}
	}
	return list
}

// Create stores a draft, for which the user is then asked. A request with a single transaction is
// stored as its review.
func (s *Service) Create(ctx context.Context, d Drafted) (Request, error) {
	return s.c.Store.CreateRequest(ctx, d)
}

// Judge checks each step independently and stores nothing. It returns the account and, for each
// step, its error or nil.
func (s *Service) Judge(ctx context.Context, label string, steps []Wanted) (sui.Address, []error, error) {
	req, err := s.begin(ctx, label, steps)
	if err != nil {
		return sui.Address{}, nil, err
	}
	wrong := make([]error, len(steps))
	for i, w := range steps {
		var step Step
		if from := w.Intent.From.ResultOf; from > 0 && wrong[from-1] != nil {
			wrong[i] = fault.New(fault.InputInvalid, "It takes the result of step %d, which is invalid.", from)
		} else {
			step, wrong[i] = s.read(ctx, &req, w)
		}
		req.Steps = append(req.Steps, step)
	}
	return req.Account, wrong, nil
}

// begin returns a new request for the active account, without steps.
func (s *Service) begin(ctx context.Context, label string, steps []Wanted) (Request, error) {
	if err := screened(label, steps); err != nil {
		return Request{}, err
	}
	account, ok, err := s.c.Active(ctx)
	if err != nil {
		return Request{}, err
	}
	if !ok {
		return Request{}, fault.New(fault.ActiveAccountNotSet,
			"Connect a wallet account first. A bundle belongs to one account.").
			With("action", "connect_wallet_identity")
	}
	now := s.now()
	return Request{Account: account.Address, Label: screen.Line(label, mostLabel), Mode: OneByOne, State: Asked,
		Revision: 1, CreatedAt: now, UpdatedAt: now,
		ApproveBy: now.Add(ApprovalLife)}, nil
}

// screened rejects texts from the client that contain a secret or this program's name. Intents are
// screened later, when they are read.
func screened(label string, steps []Wanted) error {
	texts := []string{label}
	for _, w := range steps {
		texts = append(texts, w.ID, w.Label, w.Chain, string(w.Review), w.Key.Path)
	}
	//mutant:never ./internal/request TestAsk
	if slices.ContainsFunc(texts, screen.NamesUs) {
		return fault.New(fault.InputInvalid,
			"A label contains the name of this program, so people could take it for this program's own words. "+
				"Use another label.").With("field", "bundle_label").With("reason", "product_name")
	}
	text, err := strictjson.Encode(texts)
	if err != nil {
		return err
	}
	return actions.Screen(text)
}

// Atomic reports whether a request could also be executed as one transaction. It runs the trial
// that the page runs before it switches the mode. If a source does not answer in time, Atomic
// returns false.
func (s *Service) Atomic(ctx context.Context, req Request) bool {
	ctx, stop := context.WithTimeout(ctx, adviceTime)
	defer stop()
	err := s.together(ctx, req)
	if err != nil && lasting(err) {
		s.apart.put(req.ID, fault.As(err).Text)
	}
	return err == nil
}

// Look returns the problems of a new request, beginning with repetitions of other requests. whole
// reports whether all checks finished in time.
func (s *Service) Look(ctx context.Context, req Request) (blockers []record.StepBlocker, whole bool) {
	var steps []record.LookedStep
	for _, step := range req.Steps {
		steps = append(steps, record.LookedStep{Promise: step.promise, Most: step.Most, Result: step.Result.CoinType,
			Session: record.Session{ID: record.ID(step.ID), Account: req.Account, Protocol: step.Protocol, Intent: step.Intent}})
	}
	blockers, whole = s.c.Make.LookSteps(ctx, steps)
	return append(req.repeats(), blockers...), whole
}

// lasting reports whether a trial failed because of the steps, rather than because a source failed
// or coins are missing that may still arrive.
func lasting(err error) bool {
	why := plan.Reason(fault.As(err).Detail.Get("reason"))
	short := why == plan.InsufficientBalance || why == plan.InsufficientGas
	return fault.Is(err, fault.Blocked) && !short && record.StatusOf(why) == record.Blocked
}

// Apart returns the reason why the steps of a request cannot be one transaction, according to the
// trial when it was created. It returns "" if they can, or if no trial was run. Switching the
// mode on the page runs a new trial.
func (s *Service) Apart(id ID) string { return s.apart.get(id) }

// trials contains the reasons why requests cannot be one transaction. It is safe for concurrent
// use.
type trials struct {
	mu   sync.Mutex
	why  map[ID]string
	list []ID // oldest first
}

// mostTrials is the maximum number of stored reasons.
const mostTrials = 200

func (t *trials) put(id ID, why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why == nil {
		t.why = map[ID]string{}
	}
	if _, known := t.why[id]; !known {
		t.list = append(t.list, id)
	}
	if t.why[id] = why; len(t.list) > mostTrials {
		delete(t.why, t.list[0])
		t.list = t.list[1:]
	}
}

func (t *trials) get(id ID) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why[id]
}

// AtStep adds a step's position and ID to an error. place counts from 0. The error gets the ID as
// its detail "step".
func AtStep(place int, id string, err error) error {
	f := *fault.As(err)
	f.Text = fmt.Sprintf("Step %d (%s): %s", place+1, plan.Clip(screen.Line(id, mostLabel)), f.Text)
	return (&f).With("step", id)
}

// read reads and checks one step.
func (s *Service) read(ctx context.Context, req *Request, w Wanted) (Step, error) {
	step := Step{ID: w.ID, Sequence: w.Sequence, Chain: w.Chain, Label: screen.Line(w.Label, mostLabel), Given: w.Review,
		Entry: w.Entry, Key: w.Key,
		Wait: w.Wait, Timeout: w.Timeout, State: Waiting, Review: w.Review}
	if w.Review != "" {
		return step, s.adopt(ctx, req, &step)
	}
	from, in := w.Intent.From.ResultOf, w.Intent
	if err := step.uses(req, &in); err != nil {
		return step, err
	}
	if from > 0 {
		if in.From.Amount != "" || in.From.Raw {
			return step, fault.New(fault.InputInvalid,
				"A step that takes a result takes all of it, or a share. Omit the amount.").
				With("field", "intent.from")
		}
		if _, ok := plan.ReadShare(cmp.Or(in.From.Share, wholeShare)); !ok {
			return step, fault.New(fault.InputInvalid, "%s", plan.ShareForm).With("field", "share")
		}
		in.From.ResultOf, in.From.Share, in.From.Amount = 0, "", "1" // the amount is unknown, so check with 1
	}
	d, err := s.c.Make.Draft(ctx, in)
	if err != nil {
		return step, err
	}
	if d.Session.Account != req.Account {
		return step, fault.New(fault.InvalidSessionTransition,
			"The active account changed in the meantime. Ask again.").With("reason", OtherAccount)
	}
	req.Network, step.Makes = d.Session.Network, d.Makes
	if err := s.mean(ctx, &step, d.Session, d.Promise); err != nil {
		return step, err
	}
	step.Intent.Manager, step.Intent.ManagerOf = w.Intent.Manager, w.Intent.ManagerOf
	if from > 0 {
		return step, step.feed(req, from, w.Intent.From.Share, d.Promise)
	}
	return step, nil
}

// adopt turns an existing review into the step.
func (s *Service) adopt(ctx context.Context, req *Request, step *Step) error {
	r, err := s.c.Make.Get(ctx, step.Given)
	if err != nil {
		return err
	}
	switch {
	case r.Proposal != nil || len(r.Intent.Steps) > 0:
		return fault.New(fault.UnsupportedAction,
			"A step must be a review of one action, not a proposal or a bundle.")
	case r.Account != req.Account:
		return fault.New(fault.InvalidSessionTransition,
			"This review belongs to another account than the active one.").With("reason", OtherAccount)
	case r.Status.Terminal() || len(r.Releases) > 0:
		return fault.New(fault.InvalidSessionTransition,
			"This review has ended, or was already released to a wallet.").With("reason", string(r.Status))
	}
	if o, ok, err := s.c.Store.RequestOf(ctx, r.ID); err != nil || ok && (o.State == Asked || o.State == Running) ||
		slices.ContainsFunc(req.Steps, func(x Step) bool { return x.Review == r.ID }) {
		if err == nil {
			err = fault.New(fault.InvalidSessionTransition, "This review is already a step of a bundle.").With("reason",
				"bundle_in_progress")
		}
		return err
	}
	req.Network = r.Network
	p, err := s.c.Make.Promises(r)
	if err != nil {
		return err
	}
	return s.mean(ctx, step, r, p)
}

// otherCoinFee is the fee mode in which the fee is paid in another coin. The quote contains its
// amount.
const otherCoinFee = "deep"

// mean sets the step's fields that derive from its review and promise.
func (s *Service) mean(ctx context.Context, step *Step, r record.Session, p plan.Promise) (err error) {
	step.Intent, step.Protocol, step.promise = r.Intent, r.Protocol, p
	if out := p.Of(plan.RoleOutput); len(out) == 1 && out[0].Party.IsAccount() {
		step.Result = out[0].Coin
	}
	if step.Most, err = MostOf(p); err != nil || r.Intent.FeeMode != otherCoinFee {
		return err
	}
	fee, known := s.c.Make.Fee(ctx, r)
	//mutant:never ./internal/request TestFeeOfItsOwn
	if !known {
		return unboundedFee("DEEP for the fee")
	}
	if fee.Raw > 0 {
		step.Most = append(step.Most, feeMost(fee))
	}
	return nil
}

// feeMost returns the maximum to approve for a quoted fee. It is a quarter higher, because the step
// will be quoted again. Any unused part is returned.
func feeMost(quoted plan.Amount) plan.Amount {
	most := plan.BigInt(quoted.Raw)
	most.Add(most, new(big.Int).Add(new(big.Int).Quo(most, big.NewInt(4)), big.NewInt(1)))
	if !most.IsUint64() {
		return quoted
	}
	return quoted.Of(sui.Raw(most.Uint64()))
}

// wholeShare is the share of the whole result. An omitted share means the same.
const wholeShare = "all"

// feed makes a step take the result of an earlier step, or a share of it. Several steps may take
// shares of one result; together, they must not exceed it.
func (s *Step) feed(req *Request, from int, share string, p plan.Promise) error {
	//mutant:never ./internal/request TestFeeOfItsOwn
	if s.Intent.FeeMode == otherCoinFee {
		return unboundedFee("DEEP for the fee") // the fee's amount is unknown
	}
	pays := p.Of(plan.RoleInput)
	//mutant:never `pays[0].Coin.CoinType != req.Steps[from-1].Result.CoinType` ./internal/request TestAsk
	if from > len(req.Steps) || len(pays) != 1 || len(s.Most) != 1 ||
		pays[0].Coin.CoinType != req.Steps[from-1].Result.CoinType {
		return fault.New(fault.InputInvalid, "Step %d does not return the coin that this one takes.", from).With("field",
			"resultOf")
	}
	taken, _ := plan.ReadShare(cmp.Or(share, wholeShare))
	for _, o := range req.Steps {
		if o.Intent.From.ResultOf == from {
			other, _ := plan.ReadShare(cmp.Or(o.Intent.From.Share, wholeShare))
			taken = new(big.Rat).Add(taken, other)
		}
	}
	//mutant:never ./internal/request TestAsk
	if taken.Cmp(big.NewRat(1, 1)) > 0 {
		return fault.New(fault.InputInvalid, "The steps that take the result of step %d together take more than all of it.",
			from).
			With("field", "share")
	}
	if share == wholeShare {
		share = ""
	}
	fed := plan.Fed{Step: from, Least: s.Most[0], Share: share}
	s.Intent.Asked = strings.ReplaceAll(s.Intent.Asked, fed.Least.String(), fed.Phrase())
	s.Intent.From.ResultOf, s.Intent.From.Share, s.Intent.From.Amount = from, share, ""
	s.Most, s.promise = nil, plan.Promise{}
	return nil
}
