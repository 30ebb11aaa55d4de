package gate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// coinSet is the account's balance of one coin, as reported by a node.
type coinSet struct {
	asset plan.Asset
	coins []sui.Coin // largest first
	held  sui.Balance
}

// coinSets has the account's balances that a build may use.
type coinSets struct {
	sui    coinSet
	other  map[sui.CoinType]coinSet
	guard  *sui.Coin // gas coin that a rebuild after a release must keep
	spares bool      // SUI coins of open releases are omitted
	free   bool      // the build pays no gas
}

// of returns the account's holding of a coin.
func (p coinSets) of(coin sui.CoinType) coinSet {
	if coin == sui.SUI {
		return p.sui
	}
	return p.other[coin]
}

// chosen has the coins of a build. If gas is nil, the address balance pays for gas.
type chosen struct {
	gas        *sui.Coin
	free       bool // no gas is paid at all
	plain      bool // in the form that hardware wallets display
	selections []plan.Selection
	budget     uint64 // gas budget in MIST
}

// coins lists every coin except the gas coin, in the order of the transaction.
func (p chosen) coins() (refs []sui.ObjectRef) {
	for _, s := range p.selections {
		refs = append(refs, s.Coins...)
	}
	return refs
}

// same reports whether two choices have the same coins.
func (p chosen) same(o chosen) bool {
	return slices.Equal(p.payment(), o.payment()) && slices.Equal(p.coins(), o.coins()) &&
		slices.EqualFunc(p.withdrawals(), o.withdrawals(), sameWithdrawal)
}

// withdrawals lists the withdrawals from the address balance, in the order of the transaction.
func (p chosen) withdrawals() (list []sui.WithdrawalInput) {
	for _, s := range p.selections {
		if s.Withdraw > 0 {
			list = append(list, sui.WithdrawalInput{MaxAmount: s.Withdraw, Coin: s.Coin.Tag(), From: sui.WithdrawSender})
		}
	}
	return list
}

// withdrawalsOf lists the withdrawals of a transaction.
func withdrawalsOf(tx *sui.Transaction) (list []sui.WithdrawalInput) {
	for _, in := range tx.Inputs {
		if w, ok := in.(sui.WithdrawalInput); ok {
			list = append(list, w)
		}
	}
	return list
}

func sameWithdrawal(a, b sui.WithdrawalInput) bool {
	return a.MaxAmount == b.MaxAmount && a.From == b.From && a.Coin.String() == b.Coin.String() && a.Funder == b.Funder &&
		a.Allowance == b.Allowance
}

// collect reads the epoch and the account's coins and balances for every coin of the promise.
func (r *funded) collect(ctx context.Context) (coinSets, error) {
	most := r.c.Limits.MostMerges + 1 + r.openInputs()
	p := coinSets{sui: coinSet{asset: plan.SUI}, other: map[sui.CoinType]coinSet{}}
	assets := shown(r.promise)
	sets := make([]coinSet, len(assets))
	reads := []func() error{
		func() (err error) { r.epoch, err = r.c.Epochs.Present(ctx, r.c.Now()); return err },
		func() error { return r.readKeys(ctx) },
	}
	for i, asset := range assets {
		reads = append(reads, func() (err error) {
			sets[i].asset = asset
			sets[i].coins, sets[i].held, err = r.held(ctx, asset, most)
			return err
		})
	}
	if err := r.c.Together(reads...); err != nil {
		return coinSets{}, err
	}
	r.holdings = nil
	for _, set := range sets {
		if set.asset.CoinType == sui.SUI {
			p.sui = set
		} else {
			p.other[set.asset.CoinType] = set
		}
		r.holdings = append(r.holdings, record.Holding{Asset: set.asset, Before: set.held.Total, After: set.held.Total})
	}
	return p, r.findGuard(ctx, &p)
}

// shown lists the coins whose balances the page shows: outgoing coins, arriving ones, SUI for gas,
// and the coins of fees.
func shown(p plan.Promise) (assets []plan.Asset) {
	add := func(list []plan.Bound) {
		for _, b := range list {
			if b.Party.IsAccount() && !slices.ContainsFunc(assets,
				func(a plan.Asset) bool { return a.CoinType == b.Coin.CoinType }) {
				assets = append(assets, b.Coin)
			}
		}
	}
	add(p.Of(plan.RoleInput, plan.RoleNet))
	add(p.Of(plan.RoleOutput))
	add([]plan.Bound{{Coin: plan.SUI}})
	add(p.Of(plan.RoleFee))
	return assets
}

// held reads the balance of a coin and up to most of its coins. If the two reads do not agree, it
// repeats both once. If they still differ, the balance is unknown.
func (r *input) held(ctx context.Context, of plan.Asset, most int) (coins []sui.Coin, b sui.Balance, err error) {
	for range 2 {
		err := r.c.Together(
			func() (err error) {
				coins, err = r.c.Chain.Coins(ctx, r.session.Account, of.CoinType, most)
				return err
			},
			func() (err error) { b, err = r.c.Chain.Balance(ctx, r.session.Account, of.CoinType); return err },
		)
		if err != nil {
			return nil, b, err
		}
		if b.Fits(coins, most) {
			return ordered(coins, of.CoinType), b, nil
		}
	}
	return nil, b, &plan.Stop{Reason: plan.ProviderUnavailable,
		Check: plan.Fail(plan.SourceNetwork, r.meta.CheckPrefix+"_balance_unsettled", "Balance",
			"The node lists coins of "+of.Named()+
				" that do not add up to the balance that it reports, twice in a row. What the account holds is not known.",
			"Check again in a moment; if it stays, use another node.")}
}

// ordered returns the spendable coins of the right type, largest first and equal ones by ID, so
// that the same coins always produce the same bytes.
func ordered(coins []sui.Coin, of sui.CoinType) []sui.Coin {
	var out []sui.Coin
	for _, c := range coins {
		if c.Type == of && !c.Consensus {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b sui.Coin) int {
		return cmp.Or(cmp.Compare(b.Balance, a.Balance), bytes.Compare(a.Ref.ID[:], b.Ref.ID[:]))
	})
	return out
}

// findGuard finds the gas coin of the releases that can still execute. Two transactions that use
// the same version of a coin exclude each other; with another gas coin, a new transaction could
// execute in addition to the old one.
func (r *funded) findGuard(ctx context.Context, p *coinSets) error {
	outstanding := r.session.Outstanding()
	if len(outstanding) == 0 {
		return r.exclude(ctx, p)
	}
	if err := afterCoinless(outstanding); err != nil {
		return err
	}
	if outstanding = slices.DeleteFunc(outstanding, record.Release.Coinless); len(outstanding) == 0 {
		return r.exclude(ctx, p)
	}
	var err error
	if p.guard, err = r.ownCoinOf(ctx, *p, outstanding[0].GasCoin); err != nil || p.guard != nil {
		return err
	}
	last := lastOf(outstanding)
	message, do := fmt.Sprintf("A transaction of this review was handed to the wallet and can still execute until "+
		"epoch %d ends. "+
		"The coin that would make a new one exclude it has changed since.", last),
		"Look into the wallet whether it was sent. Otherwise wait until that epoch is over; then check again."
	if r.epoch.Number > last {
		message = "A transaction of this review was sent to the wallet. Its last epoch is over, but it is not " +
			"proved yet that " +
			"it never executed, and the coin that would make a new one exclude it has changed since."
		do = "Look into the wallet whether it was sent. If this stays, the node keeps too little history: set another one."
	}
	return &plan.Stop{Reason: plan.ObjectResolutionFailed,
		Check: plan.Fail(plan.SourceWallet, "released_transaction_may_execute", "Earlier transaction", message, do)}
}

// need is the total of one coin that all steps need.
type need struct {
	plan.CoinRequest
	sum uint64
}

// needs sums the requests of all steps by coin, in their order.
func (r *planned) needs() (list []need) {
	for _, s := range r.steps {
		for _, q := range s.Needs {
			i := slices.IndexFunc(list, func(n need) bool { return n.Amount.CoinType == q.Amount.CoinType })
			if i < 0 {
				i, list = len(list), append(list, need{CoinRequest: q})
			}
			list[i].sum = plan.AddSaturating(list[i].sum, uint64(q.Amount.Raw))
			if q.Role == plan.RoleInput {
				list[i].Role = plan.RoleInput
			}
		}
	}
	for i := range list {
		list[i].Amount = list[i].Amount.Of(sui.Raw(list[i].sum))
	}
	return list
}

// choose selects the gas coin and the coins for every need, for a gas budget.
func (r *funded) choose(p coinSets, budget uint64) (chosen, error) {
	needs := r.needs()
	if p.free {
		pays := needs[0].Amount
		s := plan.Selection{Coin: pays.CoinType, Withdraw: pays.Raw}
		if p.of(pays.CoinType).held.Address < pays.Raw {
			s, _ = r.usedUp(p, pays)
		}
		return chosen{free: true, selections: []plan.Selection{s}}, nil
	}
	gas, rest, stop := r.gasCoin(p, budget)
	fromGas := slices.IndexFunc(needs, func(n need) bool { return n.Amount.CoinType == sui.SUI })
	switch {
	case stop != nil && fromGas >= 0 && uint64(p.sui.held.Total) < needs[fromGas].sum:
		return chosen{}, r.tooLittle(p, needs[fromGas], 0, budget)
	case stop != nil:
		return chosen{}, stop
	case fromGas < 0 && gas != nil && uint64(gas.Balance) < budget:
		return chosen{}, r.noGas(p, budget)
	}
	out := chosen{gas: gas, budget: budget}
	for _, n := range needs {
		s, stop := r.selectCoins(p, n, out, rest)
		if stop != nil {
			return chosen{}, stop
		}
		out.selections = append(out.selections, s)
	}
	out.plain = r.plain(out)
	return out, nil
}

// plain reports whether a hardware wallet can display the amount. It can for one payment of SUI
// that is split from the gas coin, if the wallet can read all merged coins.
func (r *planned) plain(c chosen) bool {
	return len(r.steps) == 1 && r.steps[0].Plain != nil && len(c.selections) == 1 && c.selections[0].Gas &&
		c.selections[0].Withdraw == 0 && len(c.selections[0].Coins) <= sui.MaxDeviceArguments
}

// selectCoins selects coins for one need and takes what is missing from the address balance. rest
// lists the SUI coins other than the gas coin.
func (r *funded) selectCoins(p coinSets, n need, c chosen, rest []sui.Coin) (plan.Selection, *plan.Stop) {
	isSUI := n.Amount.CoinType == sui.SUI
	s := plan.Selection{Coin: n.Amount.CoinType, Gas: isSUI && c.gas != nil}
	sum, coins, have := n.sum, p.of(s.Coin).coins, uint64(0)
	free, kept := uint64(p.of(s.Coin).held.Address), uint64(0)
	switch {
	case s.Gas:
		sum, coins, have = plan.AddSaturating(sum, c.budget), rest, uint64(c.gas.Balance)
	case isSUI: // the chain reserves the budget in addition to what is withdrawn
		coins, free, kept = rest, free-c.budget, c.budget
	}
	s.Coins, have = r.gather(coins, sum, have)
	if have < sum && sum-have <= free {
		s.Withdraw, have = sui.Raw(sum-have), sum
	} else if have < sum {
		return s, r.tooLittle(p, n, plan.AddSaturating(have, free+kept), c.budget)
	}
	// The chain takes gas before it merges anything.
	//mutant:never ./review/gate TestAddressBalance
	if s.Gas && s.Withdraw > 0 && uint64(c.gas.Balance) < c.budget {
		return s, r.noGas(p, c.budget)
	}
	return s, nil
}

// gather takes coins, largest first, until they cover the need together with what is available, or
// the maximum number of merged coins is reached.
func (r *input) gather(coins []sui.Coin, need, have uint64) (refs []sui.ObjectRef, sum uint64) {
	for _, c := range coins {
		if have >= need || len(refs) == r.c.Limits.MostMerges {
			break
		}
		refs, have = append(refs, c.Ref), plan.AddSaturating(have, uint64(c.Balance))
	}
	return refs, have
}

// gasCoin selects the coin that pays for gas and returns the other SUI coins. It selects none if
// the largest does not cover the budget but the address balance does. A coin is preferred because
// it excludes a second transaction.
func (r *input) gasCoin(p coinSets, budget uint64) (gas *sui.Coin, rest []sui.Coin, stop *plan.Stop) {
	switch {
	case p.guard != nil:
		gas = p.guard
	case len(p.sui.coins) > 0 && (uint64(p.sui.coins[0].Balance) >= budget || uint64(p.sui.held.Address) < budget ||
		p.spares):
		gas = &p.sui.coins[0]
	case uint64(p.sui.held.Address) < budget || p.spares:
		return nil, nil, r.noGas(p, budget)
	}
	for _, c := range p.sui.coins {
		if gas == nil || c.Ref.ID != gas.Ref.ID {
			rest = append(rest, c)
		}
	}
	return gas, rest, nil
}

func (r *input) noGas(p coinSets, budget uint64) *plan.Stop {
	message := fmt.Sprintf("Gas is paid from one SUI coin of at least %s, or from as much in the address balance, and the account has neither.",
		plan.SUI.Of(sui.Raw(budget)))
	do := "Send SUI to the account, or merge its SUI coins in the wallet, then check again."
	if p.sui.held.Total == 0 {
		message = fmt.Sprintf("The account has no SUI, and gas needs at least %s.", plan.SUI.Of(sui.Raw(budget)))
		do = "Send SUI to the account, or connect an account that has some, then check again."
	}
	if p.guard != nil {
		message = fmt.Sprintf("Gas has to be paid from the SUI coin that an open transaction uses, so that only one of the two can happen, "+
			"and that coin holds less than the %s that this one may cost.", plan.SUI.Of(sui.Raw(budget)))
	}
	return &plan.Stop{Reason: plan.InsufficientGas,
		Check: plan.Fail(plan.SourceWallet, r.meta.CheckPrefix+"_insufficient_gas", "Gas", message+wordOfNode, do)}
}

// wordOfNode ends sentences about the account's holdings and names their source.
const wordOfNode = " The node says so."

// tooLittle returns the stop that states exactly what the account lacks.
func (r *input) tooLittle(p coinSets, n need, have, budget uint64) *plan.Stop {
	held := p.of(n.Amount.CoinType).held
	id, label := "_insufficient_balance", "Balance"
	total := n.Amount.Of(held.Total).String()
	lacks, holds, do := "This needs "+n.Amount.String(), "The account holds "+total,
		"Choose a smaller amount in a new review, or send "+n.Amount.Symbol+" to the account and check again."
	if held.Total == 0 {
		do = "Send " + n.Amount.Symbol + " to the account, or connect an account that has some, then check again."
	}
	if n.Role == plan.RoleFee {
		id, label, lacks = "_insufficient_fee_balance", "Fee", "The fee needs up to "+n.Amount.String()
		holds = lacks + "; the account holds " + total
	}
	stop := func(reason plan.Reason, message, do string) *plan.Stop {
		if n.Role == plan.RoleFee {
			do = n.Otherwise
		}
		return &plan.Stop{Reason: reason,
			Check: plan.Fail(plan.SourceWallet, r.meta.CheckPrefix+id, label, message+wordOfNode, do)}
	}
	switch {
	case n.Amount.CoinType == sui.SUI && have >= n.sum:
		id, label = "_insufficient_gas", "Gas"
		return stop(plan.InsufficientGas, fmt.Sprintf("%s and besides up to %s for gas; what one transaction can use of "+
			"the account’s SUI is %s.", lacks, plan.SUI.Of(sui.Raw(budget)), plan.SUI.Of(sui.Raw(have))),
			"Choose a little less, or send SUI to the account, then check again.")
	case held.Total < n.Amount.Raw:
		return stop(plan.InsufficientBalance, fmt.Sprintf("%s; the account holds %s.", lacks, total), do)
	}
	return stop(plan.InsufficientBalance, fmt.Sprintf("%s in so many small coins that the %d largest do not make up %s.",
		holds, r.c.Limits.MostMerges, n.Amount), "Merge the coins in your wallet, then check again.")
}
