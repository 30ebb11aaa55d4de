package gate

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A transaction that pays gas from the address balance, or pays none, uses no gas coin, so no later
// transaction can exclude it by using the same coin. It is valid in only one epoch, and while it is
// open, the account releases no other transaction.

// coinless reports whether no coin pays for gas.
func (p chosen) coinless() bool { return p.gas == nil }

// payment returns the gas coins of the transaction.
func (p chosen) payment() []sui.ObjectRef {
	if p.coinless() {
		return nil
	}
	return []sui.ObjectRef{p.gas.Ref}
}

// lastEpoch returns the last epoch in which the transaction can execute.
func (r *built) lastEpoch() uint64 {
	if r.chosen.coinless() {
		return r.epoch.Number
	}
	return r.epoch.Number + 1
}

// expiration returns when the transaction expires. Without a gas coin, the chain requires epochs,
// its own identifier and a nonce. The nonce is derived from the review's ID, so the same payment in
// another review, or on another machine, is a different transaction.
func (r *built) expiration(again uint64) (sui.Expiration, error) {
	epoch := r.lastEpoch()
	if !r.chosen.coinless() {
		return sui.EpochExpiration{Epoch: epoch}, nil
	}
	chain, err := sui.ParseDigest(r.chainID)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The identifier of the chain cannot be read back.")
	}
	of := sha256.Sum256([]byte(r.session.ID))
	return sui.ValidDuring{MinEpoch: &epoch, MaxEpoch: &epoch, Chain: chain,
		Nonce: binary.LittleEndian.Uint32(of[:]) + uint32(again)}, nil
}

// expires reports whether the bytes expire as they should.
func (r *decoded) expires() bool {
	if !r.chosen.coinless() {
		return r.tx.Expiration == sui.Expiration(sui.EpochExpiration{Epoch: r.lastEpoch()})
	}
	v, ok := r.tx.Expiration.(sui.ValidDuring)
	want, err := r.expiration(0)
	if !ok || err != nil {
		return false
	}
	w := want.(sui.ValidDuring)
	v.Nonce = w.Nonce
	return reflect.DeepEqual(v, w)
}

// gasless describes payments of one coin without gas, according to a node's protocol configuration.
type gasless struct {
	listed bool
	least  sui.Raw // minimum amount of a payment without gas
}

// free reports whether the chain executes a build without gas: a payment of one step, in a listed
// coin, entirely from the address balance. Such a transaction must be the only open one. If another
// is open, the build uses a gas coin instead.
func (r *funded) free(ctx context.Context, p coinSets) bool {
	n := r.freeStep(p)
	return n != nil && p.of(n.Amount.CoinType).held.Address >= n.Amount.Raw && r.movesFree(ctx, n.Amount)
}

// movesFree reports whether the chain moves an amount without gas in the current epoch. If that is
// unknown, it returns false and adds a note, because the transaction then pays gas.
func (r *funded) movesFree(ctx context.Context, a plan.Amount) bool {
	if r.gasless == nil {
		r.gasless = &gasless{}
		list, err := r.c.Chain.GaslessCoins(ctx)
		if err != nil {
			r.check(plan.Warn(plan.SourceNetwork, "gasless_unknown", "Gas",
				"Your node does not report which coins move without gas, so this payment pays for gas.", "").AsNote())
		}
		r.gasless.least, r.gasless.listed = list[a.CoinType]
	}
	//mutant:always ./review/gate TestGaslessCoins
	return r.gasless.listed && a.Raw >= r.gasless.least
}

// freeStep returns the coin request of a payment that can be made without gas if the chain lists
// its coin, or nil.
func (r *funded) freeStep(p coinSets) *plan.CoinRequest {
	if len(r.steps) != 1 || r.steps[0].Gasless == nil || len(r.steps[0].Needs) != 1 || r.steps[0].Passes ||
		p.guard != nil {
		return nil
	}
	//mutant:never ./review/gate TestGasless
	if slices.ContainsFunc(r.open, func(o record.OpenRelease) bool { return !o.Release.Refused() }) {
		return nil
	}
	return &r.steps[0].Needs[0]
}

// freeOfCoins chooses coins for a payment without gas. It uses up every coin that it takes, because
// the chain writes no object without gas. What is left of the coins goes into the account's address
// balance and must be at least the minimum that the chain moves. If the address balance covers the
// payment, no coins are taken, because some older wallets do not show address balances.
func (r *funded) freeOfCoins(ctx context.Context, p coinSets) (s plan.Selection, ok bool) {
	n := r.freeStep(p)
	if n == nil || !r.movesFree(ctx, n.Amount) {
		return s, false
	}
	return r.usedUp(p, n.Amount)
}

// usedUp chooses the coins for freeOfCoins.
func (r *funded) usedUp(p coinSets, a plan.Amount) (s plan.Selection, ok bool) {
	sum, held := plan.AddSaturating(uint64(a.Raw), uint64(r.gasless.least)), p.of(a.CoinType)
	s.Coin = a.CoinType
	var have uint64
	if s.Coins, have = r.gather(held.coins, sum, 0); have < sum {
		s.Withdraw = sui.Raw(sum - have)
	}
	return s, len(s.Coins) > 0 && s.Withdraw <= held.held.Address
}

// sayGathered notes that a payment without gas moves the rest of its coins into the address
// balance.
func (r *built) sayGathered() {
	if !r.chosen.free || len(r.chosen.coins()) == 0 {
		return
	}
	a := r.steps[0].Needs[0].Amount
	r.check(plan.Warn(plan.SourceAdapter, "gasless_rest", "The rest",
		"No SUI of this account covers gas, so this is built as a payment that the chain "+
			"carries out without gas. Such a payment uses up the coins that it takes: what they hold beyond "+a.String()+
			" stays yours, and lies in your address balance afterwards. A wallet that does not know address balances may not show it.", "").AsNote())
}

// price returns the gas price of the transaction.
func (r *built) price() uint64 {
	if r.chosen.free {
		return 0
	}
	return r.epoch.GasPrice
}

// target returns the call of a step as it was built.
func (r *built) target(s *plan.Step) plan.Target {
	switch {
	case r.chosen.plain:
		return *s.Plain
	case !r.chosen.free:
		return s.Target
	case len(r.chosen.coins()) > 0:
		return s.Gasless.Coins
	}
	return s.Gasless.Funds
}

// alone stops a build if another transaction is open and one of the two must be the account's only
// open transaction.
func (r *built) alone() *plan.Stop {
	for _, b := range r.related() {
		if b.Bars {
			return &plan.Stop{Reason: plan.ObjectResolutionFailed,
				Check: plan.Fail(plan.SourceWallet, "open_release_bars", "Another transaction",
					fmt.Sprintf("Another transaction of this account was handed to a wallet at %s; %s. %s",
						b.At.UTC().Format("15:04 UTC on 2 January 2006"), b.Known(), record.BarsWhy),
					"Answer it in the wallet, or wait for its result; then check again.")}
		}
	}
	return nil
}

// lastOf returns the last epoch in which any of the releases can execute.
func lastOf(outstanding []record.Release) (last uint64) {
	for _, rel := range outstanding {
		last = max(last, rel.LastEpoch)
	}
	return last
}

// afterCoinless stops a build if no new transaction can exclude an open release, unless the wallet
// never received that release. A review has one result, so repeating the request needs another
// review and the user's "Yes, again".
func afterCoinless(outstanding []record.Release) error {
	asked := slices.DeleteFunc(slices.Clone(outstanding), func(rel record.Release) bool {
		return !rel.Coinless() || rel.Outcome == record.OutcomeWithheld
	})
	//mutant:always ./review/gate TestCoinless
	if len(asked) == 0 {
		return nil
	}
	return &plan.Stop{Reason: plan.ObjectResolutionFailed,
		Check: plan.Fail(plan.SourceWallet, "released_transaction_may_execute", "Earlier transaction",
			fmt.Sprintf("A transaction of this review was handed to the wallet and can still execute until epoch %d ends, also if the wallet "+
				"answered that it was declined. It uses no coin, so no new one would exclude it.", lastOf(asked)),
			"Wait until that epoch is over, then check again. If you want it now all the same, ask your AI client for a new review: it asks for “Yes, again”.")}
}
