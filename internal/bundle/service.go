package bundle

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// Store keeps bundles durably. Every method that changes something is one write
// transaction, and appends the events of the change in it.
type Store interface {
	// CreateBundle stores a new bundle with its task, and returns it with both ids. An equal
	// one that waits for its answer, and one of the account that runs, are refused. Where
	// prior, a stored approval of its hash that holds now is used up and the bundle runs at
	// once; without one it waits, and NotHonoured says why.
	CreateBundle(ctx context.Context, b Bundle, prior bool) (Bundle, error)
	// Bundle returns a bundle, or fault.SessionNotFound.
	Bundle(ctx context.Context, id ID) (Bundle, error)
	// ChangeBundle applies a transition. A transition that leaves Revision as it was changes
	// nothing. A review that it returns is stored with the bundle. Of one account at most
	// one bundle runs: another is refused.
	ChangeBundle(ctx context.Context, id ID, what string, law func(*Bundle) (*record.Session, error)) (Bundle, error)
	// LiveBundles lists bundles that are not over, and those with results that may still
	// come.
	LiveBundles(ctx context.Context) ([]ID, error)
	// BundleOf returns the latest bundle that a review is a step of, false where there is none.
	BundleOf(ctx context.Context, id record.ID) (Bundle, bool, error)
	// KeepApproval ends a bundle by its transition and stores that exactly such a one is
	// approved until a time, once.
	KeepApproval(ctx context.Context, id ID, page string, law func(*Bundle) (time.Time, error)) error
	Reviews
}

// Reviews is what is read of stored reviews.
type Reviews interface {
	Review(ctx context.Context, id record.ID) (record.Session, error)
	record.Releases
}

// Maker reads intents, and reviews as they stand now.
type Maker interface {
	Draft(ctx context.Context, in plan.Intent) (review.Draft, error)
	Promises(s record.Session) (plan.Promise, error)
	Combines(ctx context.Context, in plan.Intent) bool
	Wish(s record.Session) record.Wish
	Get(ctx context.Context, id record.ID) (record.Session, error)
}

// Config is what a Service works with. All of it is required but Booked.
type Config struct {
	// Booked returns the address of an address-book entry, false for one that is not there
	// any more. Without it, entries are not looked at again.
	Booked func(ctx context.Context, entry string) (address string, ok bool, err error)
	Store  Store
	Make   Maker
	Active func(ctx context.Context) (record.Account, bool, error)
	Hub    *events.Hub
	Now    func() time.Time
	Rand   io.Reader
}

// Service makes bundles, takes the person's answers, and runs them.
type Service struct{ c Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// Wanted is one step as it is asked for: an intent, or the id of a review.
type Wanted struct {
	ID       string
	Sequence int64
	Chain    string
	Label    string
	Intent   plan.Intent // From.ResultOf is the place of an earlier step, from 1
	Review   record.ID
	Entry    string // the address-book entry of the recipient, "" for none
	Wait     bool
	Timeout  time.Duration
}

// Ask makes a bundle of ordered steps that waits for the person's approval. Everything is
// judged before anything is shown: every intent is planned by its adapters, and the first
// one that cannot be is the error, with the place of its step. Skip asks to go without
// the approval page, which only a stored approval of exactly this bundle allows.
func (s *Service) Ask(ctx context.Context, label string, skip bool, steps []Wanted) (Bundle, error) {
	return s.ask(ctx, label, skip, steps, "")
}

func (s *Service) ask(ctx context.Context, label string, skip bool, steps []Wanted, instead record.ID) (Bundle, error) {
	if err := screened(label, steps); err != nil {
		return Bundle{}, err
	}
	account, ok, err := s.c.Active(ctx)
	if err != nil {
		return Bundle{}, err
	}
	if !ok {
		return Bundle{}, fault.New(fault.ActiveAccountNotSet, "Connect a wallet account first: a bundle is made for one account.").
			With("action", "connect_wallet_identity")
	}
	now := s.now()
	b := Bundle{Account: account.Address, Label: screen.Line(label, mostLabel), Mode: OneByOne, State: Asked, Revision: 1, CreatedAt: now, UpdatedAt: now,
		ApproveBy: now.Add(ApprovalLife), Instead: instead}
	for i, w := range steps {
		step, err := s.read(ctx, &b, w)
		if err != nil {
			return Bundle{}, at(i, w, err)
		}
		b.Steps = append(b.Steps, step)
	}
	if b.Hash, err = HashOf(b); err != nil {
		return Bundle{}, err
	}
	id, err := record.Secret(s.c.Rand, 18)
	if err != nil {
		return Bundle{}, err
	}
	b.ID = ID(id)
	twins, err := s.Twins(ctx, b)
	if err != nil {
		return Bundle{}, err
	}
	for _, t := range twins {
		b.Warnings = append(b.Warnings, fmt.Sprintf("%s: step %s asks for what %s. Only the person can say “Yes, again”, on the approval page.",
			Duplicate, b.Steps[t.Place].ID, t.Why))
	}
	prior := skip && len(twins) == 0
	if skip && !prior {
		b.NotHonoured = Duplicate
	}
	return s.c.Store.CreateBundle(ctx, b, prior)
}

// screened refuses words of a client that hold a secret. Its intents are searched where they
// are read.
func screened(label string, steps []Wanted) error {
	texts := []string{label}
	for _, w := range steps {
		texts = append(texts, w.ID, w.Label, w.Chain, string(w.Review))
	}
	text, err := encode(texts)
	if err != nil {
		return err
	}
	return actions.Screen(text)
}

// Atomic reports whether steps could be one transaction as well. Steps whose reading asks a
// node are not tried.
func (s *Service) Atomic(ctx context.Context, steps []Wanted) bool {
	if len(steps) < 2 || len(steps) > MostAtomic {
		return false
	}
	in := plan.Intent{Type: plan.Bundle}
	for _, w := range steps {
		if w.Review != "" || w.Intent.RecipientName != "" || w.Intent.From.Share != "" {
			return false
		}
		in.Steps = append(in.Steps, w.Intent)
	}
	return s.c.Make.Combines(ctx, in)
}

// at says which step an error is about.
func at(i int, w Wanted, err error) error {
	f := *fault.As(err)
	f.Text = fmt.Sprintf("Step %d (%s): %s", i+1, plan.Clip(screen.Line(w.ID, mostLabel)), f.Text)
	return (&f).With("step", w.ID)
}

// read judges one step.
func (s *Service) read(ctx context.Context, b *Bundle, w Wanted) (Step, error) {
	step := Step{ID: w.ID, Sequence: w.Sequence, Chain: w.Chain, Label: screen.Line(w.Label, mostLabel), Given: w.Review, Entry: w.Entry, Wait: w.Wait,
		Timeout: w.Timeout, State: Waiting, Review: w.Review}
	if w.Review != "" {
		return step, s.adopt(ctx, b, &step)
	}
	from, in := w.Intent.From.ResultOf, w.Intent
	if from > 0 {
		if in.From.Amount != "" || in.From.Raw {
			return step, fault.New(fault.InputInvalid, "A step that takes a result takes all of it, or a share. Leave the amount out.").
				With("field", "intent.from")
		}
		if _, ok := plan.ReadShare(cmp.Or(in.From.Share, wholeShare)); !ok {
			return step, fault.New(fault.InputInvalid, "%s", plan.ShareForm).With("field", "share")
		}
		in.From.ResultOf, in.From.Share, in.From.Amount = 0, "", "1" // one coin stands for what is not known yet
	}
	d, err := s.c.Make.Draft(ctx, in)
	if err != nil {
		return step, err
	}
	if d.Session.Account != b.Account {
		return step, fault.New(fault.InvalidSessionTransition, "Another account was put in use meanwhile. Ask again.").With("reason", OtherAccount)
	}
	b.Network = d.Session.Network
	if err := step.adopt(d.Session, d.Promise); err != nil {
		return step, err
	}
	if from > 0 {
		return step, step.feed(b, from, w.Intent.From.Share, d.Promise)
	}
	return step, nil
}

// adopt takes a review that exists as the step.
func (s *Service) adopt(ctx context.Context, b *Bundle, step *Step) error {
	r, err := s.c.Make.Get(ctx, step.Given)
	if err != nil {
		return err
	}
	switch {
	case r.Proposal != nil || len(r.Intent.Steps) > 0:
		return fault.New(fault.UnsupportedAction, "A step is a review of one action. Proposals of others and bundles are none.")
	case r.Account != b.Account:
		return fault.New(fault.InvalidSessionTransition, "This review is of another account than the one in use.").With("reason", OtherAccount)
	case r.Status.Terminal() || len(r.Releases) > 0:
		return fault.New(fault.InvalidSessionTransition, "This review is over, or was handed to a wallet already.").With("reason", string(r.Status))
	}
	if o, ok, err := s.c.Store.BundleOf(ctx, r.ID); err != nil || ok && !o.State.Over() || slices.ContainsFunc(b.Steps, func(x Step) bool { return x.Review == r.ID }) {
		if err == nil {
			err = fault.New(fault.InvalidSessionTransition, "This review is a step of a bundle already.").With("reason", "bundle_in_progress")
		}
		return err
	}
	b.Network = r.Network
	p, err := s.c.Make.Promises(r)
	if err != nil {
		return err
	}
	return step.adopt(r, p)
}

// otherCoinFee is the fee mode of a step whose fee is taken in a coin of its own. How much
// that is, its quote says.
const otherCoinFee = "deep"

// adopt fills in what a step means by its review.
func (s *Step) adopt(r record.Session, p plan.Promise) (err error) {
	s.Intent, s.Protocol = r.Intent, r.Protocol
	//mutant:never ./internal/bundle TestAsk
	if r.Intent.FeeMode == otherCoinFee {
		return unboundedFee("of DEEP for the fee")
	}
	if out := p.Of(plan.RoleOutput); len(out) == 1 && out[0].Party.IsAccount() {
		s.Result = out[0].Coin
	}
	s.Most, err = MostOf(p)
	return err
}

// wholeShare is the share that is all of a result, as it is also written by leaving it out.
const wholeShare = "all"

// feed makes a step take the result of an earlier one, or a share of it. Several steps may
// take shares that are at most all of it together.
func (s *Step) feed(b *Bundle, from int, share string, p plan.Promise) error {
	pays := p.Of(plan.RoleInput)
	//mutant:never `pays[0].Coin.CoinType != b.Steps[from-1].Result.CoinType` ./internal/bundle TestAsk
	if from > len(b.Steps) || len(pays) != 1 || len(s.Most) != 1 || pays[0].Coin.CoinType != b.Steps[from-1].Result.CoinType {
		return fault.New(fault.InputInvalid, "Step %d does not result in the coin that this one takes.", from).With("field", "resultOf")
	}
	taken, _ := plan.ReadShare(cmp.Or(share, wholeShare))
	for _, o := range b.Steps {
		if o.Intent.From.ResultOf == from {
			other, _ := plan.ReadShare(cmp.Or(o.Intent.From.Share, wholeShare))
			taken = new(big.Rat).Add(taken, other)
		}
	}
	//mutant:never ./internal/bundle TestAsk
	if taken.Cmp(big.NewRat(1, 1)) > 0 {
		return fault.New(fault.InputInvalid, "The steps that take the result of step %d take more than all of it together.", from).
			With("field", "share")
	}
	if share == wholeShare {
		share = ""
	}
	fed := plan.Fed{Step: from, Least: s.Most[0], Share: share}
	s.Intent.Asked = strings.ReplaceAll(s.Intent.Asked, fed.Least.String(), fed.Phrase())
	s.Intent.From.ResultOf, s.Intent.From.Share, s.Intent.From.Amount = from, share, ""
	s.Most = nil
	return nil
}

// Get returns a bundle as it stands.
func (s *Service) Get(ctx context.Context, id ID) (Bundle, error) {
	b, err := s.c.Store.Bundle(ctx, id)
	if err == nil && b.State == Asked && !s.now().Before(b.ApproveBy) {
		return s.change(ctx, id, "lapsed", func(b *Bundle) error { b.Lapse(s.now()); return nil })
	}
	return b, err
}

func (s *Service) change(ctx context.Context, id ID, what string, law func(*Bundle) error) (Bundle, error) {
	return s.c.Store.ChangeBundle(ctx, id, what, func(b *Bundle) (*record.Session, error) { return nil, law(b) })
}

// Answer is what a page shows as it answers, and its right to act, which is judged once
// more inside the transaction.
type Answer struct {
	Revision int64
	Right    func(ctx context.Context) error
}

// to applies an answer to the bundle that the page showed.
func (a Answer) to(ctx context.Context, b *Bundle) error {
	if err := a.Right(ctx); err != nil {
		return err
	}
	//mutant:never ./internal/bundle TestAnswers
	if b.Revision != a.Revision {
		return fault.New(fault.InvalidSessionTransition, "The bundle changed since this page showed it. Look at it again first.")
	}
	return nil
}

// Approve takes the person's yes, with the ids of the steps that they said "Yes, again" to.
func (s *Service) Approve(ctx context.Context, id ID, a Answer, repeats []string) (Bundle, error) {
	return s.change(ctx, id, "approved", func(b *Bundle) error {
		if err := a.to(ctx, b); err != nil {
			return err
		}
		twins, err := s.Twins(ctx, *b)
		if err != nil {
			return err
		}
		var places []int
		for _, t := range twins {
			places = append(places, t.Place)
		}
		return b.Approve(repeats, places, s.now())
	})
}

// Reject takes the person's no.
func (s *Service) Reject(ctx context.Context, id ID, a Answer) (Bundle, error) {
	return s.change(ctx, id, "rejected", func(b *Bundle) error {
		if err := a.to(ctx, b); err != nil {
			return err
		}
		return b.Reject(s.now())
	})
}

// Later takes the person's yes to exactly such a bundle when it is asked for again within
// ApprovalLife, and ends this one. page names the page on which it was said.
func (s *Service) Later(ctx context.Context, id ID, a Answer, page string) error {
	return s.c.Store.KeepApproval(ctx, id, page, func(b *Bundle) (time.Time, error) {
		if err := a.to(ctx, b); err != nil {
			return time.Time{}, err
		}
		//mutant:never ./internal/bundle TestMode
		if b.Mode == Atomic {
			return time.Time{}, fault.New(fault.InvalidSessionTransition, "One transaction is approved by signing it. Choose one signature per step first.")
		}
		twins, err := s.Twins(ctx, *b)
		if err == nil && len(twins) > 0 {
			err = fault.New(fault.Blocked, "A step asks for what is open elsewhere, or was done just now. That is approved only at once.").
				With("reason", Duplicate)
		}
		if err != nil {
			return time.Time{}, err
		}
		return s.now().Add(ApprovalLife), b.Keep(s.now())
	})
}

// Stop ends a bundle that runs, or after the present step where that is with a wallet. It
// is for whatever has come meanwhile, so it names no revision.
func (s *Service) Stop(ctx context.Context, id ID, right func(context.Context) error) (Bundle, error) {
	return s.change(ctx, id, "stopped", func(b *Bundle) error {
		if err := right(ctx); err != nil {
			return err
		}
		return s.stop(ctx, b, Cancelled)
	})
}

// stop ends a bundle by what its present review says in this transaction.
func (s *Service) stop(ctx context.Context, b *Bundle, why string) error {
	var now *record.Session
	if step := b.Present(); step != nil && step.Review != "" && step.State != Waiting {
		r, err := s.c.Store.Review(ctx, step.Review)
		if err != nil {
			return err
		}
		now = &r
	}
	b.Stop(why, now, s.now())
	return nil
}

// Of returns the bundle that a review is a step of, false where there is none.
func (s *Service) Of(ctx context.Context, id record.ID) (Bundle, bool, error) {
	return s.c.Store.BundleOf(ctx, id)
}
