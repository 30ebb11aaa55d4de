package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// These functions choose coins while other releases of the account are open. A repeated request
// uses the gas coin of the open release, so that only one of the two can execute. Other requests
// use coins that no open release uses, if these suffice.

// readOpen reads the account's other requests: open releases of other reviews that could execute on
// this chain, and requests that are compared only by their steps. It omits releases that are
// believed dead, because they reserve no coins.
func (r *funded) readOpen(ctx context.Context) error {
	open, err := r.c.Store.Open(ctx, r.session.Account)
	if err == nil {
		r.asked, err = r.c.Store.Asked(ctx, r.session.Account)
	}
	if err == nil {
		r.approval, err = r.c.Store.Approval(ctx, r.session.ID)
	}
	if err != nil {
		return &plan.Stop{Reason: plan.ProviderUnavailable,
			Check: plan.Fail(plan.SourceAdapter, "open_releases_unreadable", "Other transactions",
				"What else was handed to a wallet could not be read here, so nothing can be built now.",
				"Check again in a moment.")}
	}
	for _, o := range open {
		//mutant:always `!o.Release.BelievedDead()` ./review TestBelievedDead
		if o.Review != r.session.ID && !o.Release.BelievedDead() && (o.ChainID == "" || o.ChainID == r.chainID) {
			r.open = append(r.open, o)
		}
	}
	return nil
}

// related compares the built review with the account's other requests.
func (r *built) related() []record.Related {
	c := r.candidate()
	c.Coinless, c.Digest, c.Inputs = r.chosen.coinless(), sui.TransactionDigest(r.bytes), r.inputs()
	return record.Newest(c.Among(r.open, r.asked, r.wish))
}

// candidate returns the review for comparison before coins are chosen.
func (r *funded) candidate() record.Candidate {
	return record.Candidate{Review: r.session.ID, Bundle: r.approval.Bundle, ChainID: r.chainID, Coinless: true,
		Wishes: r.wish(r.session.Protocol, r.session.Action, r.session.Intent, r.session.Facts)}
}

// same reports whether the request of an open release conflicts with this review.
func (r *funded) same(o record.OpenRelease) bool {
	return slices.ContainsFunc(r.candidate().Among([]record.OpenRelease{o}, nil, r.wish), record.Related.Same)
}

// both reports whether the user wants this review executed in addition to an open release,
// according to the choice for this build or the approval of its bundle.
func (r *funded) both(o record.OpenRelease) bool {
	return r.session.Again || slices.Contains(r.approval.Accepted, record.AcceptAgain+string(o.Review))
}

// exclude finds the gas coin of an open release of the same request, unless the user wants both to
// execute. It prefers signed releases, then newer ones.
func (r *funded) exclude(ctx context.Context, p *coinSets) error {
	var sameWish []record.OpenRelease
	for _, o := range r.open {
		//mutant:never ./review TestSameWishWhileOneIsOpen
		if r.same(o) && !r.both(o) && !o.Release.Coinless() {
			sameWish = append(sameWish, o)
		}
	}
	if len(sameWish) == 0 {
		return nil
	}
	first := slices.MinFunc(sameWish, func(a, b record.OpenRelease) int {
		if a.Release.Signed() != b.Release.Signed() {
			return cmp.Compare(b.Release.SignedAt.Unix(), a.Release.SignedAt.Unix())
		}
		return b.Release.At.Compare(a.Release.At)
	})
	var err error
	if p.guard, err = r.ownCoinOf(ctx, *p, first.Release.GasCoin); err != nil || p.guard != nil {
		return err
	}
	return &plan.Stop{Reason: plan.ObjectResolutionFailed,
		Check: plan.Fail(plan.SourceWallet, "open_release_may_have_executed", "Another transaction",
			"The same was handed to a wallet by another review, and the coin that would make a new transaction exclude it "+
				"has changed since: it may have happened already.",
			"Look into the wallet, or wait for the other review's result. To have it done a second time whatever became "+
				"of that, choose “I want both”.")}
}

// ownCoinOf returns the account's SUI coin at exactly the version of ref, or nil.
func (r *funded) ownCoinOf(ctx context.Context, p coinSets, ref sui.ObjectRef) (*sui.Coin, error) {
	for _, c := range p.sui.coins {
		if c.Ref == ref {
			return &c, nil
		}
	}
	objects, err := r.c.Chain.Objects(ctx, []sui.ObjectID{ref.ID})
	if err != nil && plan.ReasonOf(fault.As(err).Code) == plan.ProviderUnavailable {
		return nil, err
	}
	if err == nil && len(objects) == 1 && objects[0].Ref == ref && objects[0].Balance != nil &&
		objects[0].Owner == (sui.Owner{Kind: sui.OwnerAddress, Address: r.session.Account}) {
		return &sui.Coin{Ref: ref, Type: sui.SUI, Balance: *objects[0].Balance}, nil
	}
	return nil, nil
}

// fit chooses the coins and returns the gas budget. It removes coins that the build must not use
// from the coin sets.
func (r *funded) fit(ctx context.Context, p *coinSets) (uint64, error) {
	if p.free = r.free(ctx, *p); p.free {
		return 0, nil
	}
	spare, must := r.reserved(*p)
	apart := p.without(spare)
	budget, err := r.estimate(ctx, apart)
	if noGas(err) {
		if _, p.free = r.freeOfCoins(ctx, *p); p.free {
			return 0, nil
		}
	}
	if err == nil || !short(err) || len(spare) == 0 {
		*p = apart
		return budget, err
	}
	*p = p.without(must)
	if budget, err = r.estimate(ctx, *p); len(must) > 0 && short(err) {
		return 0, &plan.Stop{Reason: plan.InsufficientBalance,
			Check: plan.Fail(plan.SourceWallet, "open_release_uses_coins", "Balance",
				"What no other open transaction uses is not enough for both: the coins that it would need are in one that "+
					"was handed to a wallet.",
				"Wait until the other one's result is known, or update for a transaction that replaces it.")}
	}
	return budget, err
}

// reserved returns the coins of open releases that a build should avoid, and those that it must
// avoid. It must avoid the coins of a release of the same request if the user wants both to
// execute. If the gas coin excludes an open release, the other coins of that release may be used.
func (r *funded) reserved(p coinSets) (spare, must []sui.ObjectRef) {
	for _, o := range r.open {
		if p.guard != nil && o.Release.Excludes([]sui.ObjectRef{p.guard.Ref}) {
			continue
		}
		spare = append(spare, o.Release.Uses()...)
		if r.both(o) && r.same(o) {
			must = append(must, o.Release.Uses()...)
		}
	}
	return spare, must
}

// without returns the coin sets without the given coins.
func (p coinSets) without(refs []sui.ObjectRef) coinSets {
	type version struct {
		id sui.ObjectID
		n  uint64
	}
	used := map[version]bool{}
	for _, ref := range refs {
		used[version{ref.ID, ref.Version}] = true
	}
	free := func(coins []sui.Coin) (out []sui.Coin) {
		for _, c := range coins {
			if !used[version{c.Ref.ID, c.Ref.Version}] {
				out = append(out, c)
			}
		}
		return out
	}
	all := len(p.sui.coins)
	p.sui.coins, p.other = free(p.sui.coins), maps.Clone(p.other)
	p.spares = p.spares || len(p.sui.coins) < all
	for coin, set := range p.other {
		set.coins = free(set.coins)
		p.other[coin] = set
	}
	return p
}

// short reports whether a build stopped for lack of coins.
func short(err error) bool {
	var stop *plan.Stop
	return errors.As(err, &stop) && (stop.Reason == plan.InsufficientBalance || stop.Reason == plan.InsufficientGas)
}

// noGas reports whether a build failed because nothing covers its gas.
func noGas(err error) bool {
	var stop *plan.Stop
	return errors.As(err, &stop) && stop.Reason == plan.InsufficientGas
}

// openInputs counts the coins that open releases use. As many additional coins are listed, so that
// enough unused ones remain.
func (r *funded) openInputs() int {
	n := 0
	for _, o := range r.open {
		n += len(o.Release.Uses())
	}
	return min(n, mostReserved)
}

// mostReserved limits how many additional coins are listed because of open releases.
const mostReserved = 256

// repeats reports whether the bytes equal those of an earlier release of the account.
func (r *built) repeats(ctx context.Context) (bool, error) {
	d := sui.TransactionDigest(r.bytes)
	if r.session.Released(d) != nil {
		return true, nil
	}
	of, err := r.c.Store.ReleasedBy(ctx, d)
	return len(of) > 0, err
}

// tellOpen adds a check for each other request that matters to the build.
func (r *built) tellOpen() {
	for _, b := range r.related() {
		if r.approval.Lifts(b) {
			continue
		}
		what, at := "Another transaction of this account was handed to a wallet",
			b.At.UTC().Format("15:04 UTC on 2 January 2006")
		switch {
		case b.State != record.RelatedOpen:
			r.check(plan.Warn(plan.SourceWallet, "open_release", "Asked for twice", fmt.Sprintf("%s asks for the same%s; %s.",
				b.Named(), b.Where(len(r.steps)), b.Known()), "Choose “Yes, again” on the page only if you want it "+
				"a second time."))
			continue
		case b.Same():
			what = b.Named() + " asks for the same" + b.Where(len(r.steps)) + ". It was handed to a wallet"
		}
		message := fmt.Sprintf("%s at %s; %s. ", what, at, b.Known())
		do := "Press “Replace it” on the page, or wait for its result."
		switch {
		case !b.Excludes:
			message += "This transaction does not replace it, so both can execute."
			do = "Choose “Yes, again” on the page only if you want both."
		default:
			message += "Both transactions use the same coin, so only one of them can execute."
			if b.Refused {
				do = ""
			}
		}
		r.check(plan.Warn(plan.SourceWallet, "open_release", "Another transaction", message, do))
	}
}

// inputs lists the owned inputs of the built bytes.
func (r *built) inputs() []sui.ObjectRef {
	tx, err := sui.DecodeTransaction(r.bytes)
	if err != nil {
		return nil
	}
	return record.OwnedInputs(tx)
}
