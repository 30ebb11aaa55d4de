package review

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// purse is what the account has for a build, as a node told it.
type purse struct {
	sui     []sui.Coin  // largest first
	source  []sui.Coin  // coins of the wanted type where that is not SUI
	held    sui.Balance // of the wanted type
	fee     []sui.Coin  // coins of the second type, where the draft wants one
	feeHeld sui.Balance
	suiHeld sui.Balance
	anchor  *sui.Coin // the gas coin that a rebuild after a release must keep
}

// pick is what was chosen of a purse.
type pick struct {
	gas      sui.Coin
	selected Selected
	budget   uint64 // MIST, of the build that uses it
}

// same reports whether two choices are the same coins.
func (p pick) same(o pick) bool {
	return p.gas.Ref == o.gas.Ref && slices.Equal(p.selected.all(), o.selected.all())
}

// together runs independent reads at once and gives the first error. A panic of
// one is its error.
func (c *Config) together(reads ...func() error) error {
	errs := make([]error, len(reads))
	var wg sync.WaitGroup
	for i, read := range reads {
		wg.Go(func() { errs[i] = c.guarded(read) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// collect reads the epoch, the coins and the balances.
func (r *run) collect(ctx context.Context) (purse, error) {
	var p purse
	want, most := r.draft.Want.Coin, r.c.Limits.MostMerges+1+r.openInputs()
	plan := r.draft.Plan
	var received sui.Balance
	held := func(of Asset, coins *[]sui.Coin, balance *sui.Balance) func() error {
		return func() (err error) { *coins, *balance, err = r.held(ctx, of, most); return err }
	}
	reads := []func() error{
		func() (err error) { r.epoch, err = r.c.epoch(ctx, r.now()); return err },
		held(suiAsset, &p.sui, &p.suiHeld),
	}
	if plan.Gets() {
		var listed []sui.Coin // only to hold the balance against
		reads = append(reads, held(plan.To, &listed, &received))
	}
	if plan.Gives() && want != sui.SUI {
		reads = append(reads, held(plan.From, &p.source, &p.held))
	}
	if fee := r.draft.Fee; fee != nil {
		reads = append(reads, held(fee.Amount.Asset, &p.fee, &p.feeHeld))
	}
	if err := r.c.together(reads...); err != nil {
		return purse{}, err
	}
	if want == sui.SUI {
		p.held = p.suiHeld
	}
	r.holdings = holdings(r.draft, p, received)
	return p, r.findAnchor(ctx, &p)
}

// held reads at most most coins and the balance of a coin. The two are read apart,
// so where they do not fit each other both are read once more; then what is true
// is not known, and nothing is said of it.
func (r *run) held(ctx context.Context, of Asset, most int) (coins []sui.Coin, b sui.Balance, err error) {
	for range 2 {
		err := r.c.together(
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
	return nil, b, &Stop{ProviderUnavailable, Fail(SourceNetwork, r.meta.CheckPrefix+"_balance_unsettled", "Balance",
		"The node lists coins of "+of.named()+" that do not add up to the balance that it tells, twice in a row. What the account holds is not known.",
		"Refresh in a moment; if it stays, use another node.")}
}

func holdings(d *Draft, p purse, received sui.Balance) []Holding {
	plan := d.Plan
	var list []Holding
	if plan.Gives() {
		list = append(list, Holding{Asset: plan.From, Before: p.held.Total})
	}
	if plan.Gets() {
		list = append(list, Holding{Asset: plan.To, Before: received.Total})
	}
	if plan.From.CoinType != sui.SUI && plan.To.CoinType != sui.SUI {
		list = append(list, Holding{Asset: Asset{Symbol: "SUI", CoinType: sui.SUI, Decimals: 9}, Before: p.suiHeld.Total})
	}
	if d.Fee != nil {
		list = append(list, Holding{Asset: d.Fee.Amount.Asset, Before: p.feeHeld.Total})
	}
	for i := range list {
		list[i].After = list[i].Before
	}
	return list
}

// ordered keeps coins of the right type that can be spent, the largest first, ties by id, so that
// the same coins always give the same bytes.
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

// findAnchor looks for the gas coin of the releases that can still execute.
// Two transactions that use one version of a coin exclude each other; without
// that coin a new transaction could execute besides the old one.
func (r *run) findAnchor(ctx context.Context, p *purse) error {
	outstanding := r.session.Outstanding()
	if len(outstanding) == 0 {
		return r.exclude(ctx, p)
	}
	var err error
	if p.anchor, err = r.ownCoinOf(ctx, *p, outstanding[0].GasCoin); err != nil || p.anchor != nil {
		return err
	}
	var last uint64
	for _, rel := range outstanding {
		last = max(last, rel.LastEpoch)
	}
	message, do := fmt.Sprintf("A transaction of this review was handed to the wallet and can still execute until epoch %d ends. "+
		"The coin that would make a new one exclude it has changed since.", last),
		"Look into the wallet whether it was sent. Otherwise wait until that epoch is over; then refresh."
	if r.epoch.Number > last {
		message = "A transaction of this review was handed to the wallet. Its last epoch is over, but it is not proved yet that " +
			"it never executed, and the coin that would make a new one exclude it has changed since."
		do = "Look into the wallet whether it was sent. If this stays, the node keeps too little history: set another one."
	}
	return &Stop{ObjectResolutionFailed, Fail(SourceWallet, "released_transaction_may_execute", "Earlier transaction", message, do)}
}

// choose picks the gas coin and the coins of the source for a budget.
func (r *run) choose(p purse, budget uint64) (pick, error) {
	w := r.draft.Want
	gas, rest, stop := r.gasCoin(p)
	switch {
	case stop != nil && w.Coin == sui.SUI:
		return pick{}, r.tooLittle(p, 0, budget)
	case stop != nil:
		return pick{}, stop
	}
	sel := Selected{Account: r.session.Account, Amount: w.Amount, Gas: w.Coin == sui.SUI}
	need, coins, have := uint64(w.Amount), p.source, uint64(0)
	switch {
	case w.Coin == "":
		if uint64(gas.Balance) < budget {
			return pick{}, r.noGas(p, budget)
		}
		return pick{gas: gas, selected: sel, budget: budget}, nil
	case sel.Gas:
		need, coins, have = plus(need, budget), rest, uint64(gas.Balance)
	case uint64(gas.Balance) < budget:
		return pick{}, r.noGas(p, budget)
	}
	if sel.Coins, have = r.gather(coins, need, have); have < need {
		return pick{}, r.tooLittle(p, have, budget)
	}
	if sel.Fee, stop = r.chooseFee(p); stop != nil {
		return pick{}, stop
	}
	return pick{gas: gas, selected: sel, budget: budget}, nil
}

// gather takes coins, the largest first, until what they hold and what there is
// make up the need or no more may be merged.
func (r *run) gather(coins []sui.Coin, need, have uint64) (refs []sui.ObjectRef, sum uint64) {
	for _, c := range coins {
		if have >= need || len(refs) == r.c.Limits.MostMerges {
			break
		}
		refs, have = append(refs, c.Ref), plus(have, uint64(c.Balance))
	}
	return refs, have
}

// chooseFee picks the coins of the second type; nil where none is wanted.
func (r *run) chooseFee(p purse) (*Selected, *Stop) {
	f := r.draft.Fee
	if f == nil {
		return nil, nil
	}
	refs, have := r.gather(p.fee, uint64(f.Amount.Raw), 0)
	if have >= uint64(f.Amount.Raw) {
		return &Selected{Account: r.session.Account, Amount: f.Amount.Raw, Coins: refs}, nil
	}
	message := fmt.Sprintf("The fee needs up to %s; the account holds %s.", f.Amount, f.Amount.Of(p.feeHeld.Total))
	switch {
	case p.feeHeld.Total < f.Amount.Raw:
	case p.feeHeld.Coins < f.Amount.Raw:
		message = fmt.Sprintf("The fee needs up to %s; the account holds %s, but %s of it as an address balance rather than as coins, "+
			"which cannot be spent here.", f.Amount, f.Amount.Of(p.feeHeld.Total), f.Amount.Of(p.feeHeld.Address))
	default:
		message = fmt.Sprintf("The fee needs up to %s; the account holds %s in so many small coins that the %d largest do not make it up.",
			f.Amount, f.Amount.Of(p.feeHeld.Total), r.c.Limits.MostMerges)
	}
	return nil, &Stop{InsufficientBalance, Fail(SourceWallet, r.meta.CheckPrefix+"_insufficient_fee_balance", "Fee", message+wordOfNode, f.Otherwise)}
}

func (r *run) gasCoin(p purse) (gas sui.Coin, rest []sui.Coin, stop *Stop) {
	if p.anchor != nil {
		gas = *p.anchor
	} else if len(p.sui) > 0 {
		gas = p.sui[0]
	} else {
		return gas, nil, r.noGas(p, r.c.Limits.LeastGasBudget)
	}
	for _, c := range p.sui {
		if c.Ref.ID != gas.Ref.ID {
			rest = append(rest, c)
		}
	}
	return gas, rest, nil
}

// suiAsset is the coin of gas.
var suiAsset = Asset{Symbol: "SUI", CoinType: sui.SUI, Decimals: 9}

func (r *run) noGas(p purse, budget uint64) *Stop {
	message := fmt.Sprintf("Gas is paid from one SUI coin of at least %s, and the account has none that large.",
		suiAsset.Of(sui.Raw(budget)))
	if p.suiHeld.Address > 0 && uint64(p.suiHeld.Address) >= budget {
		message += " It has " + suiAsset.Of(p.suiHeld.Address).String() +
			" as an address balance, which is not used here for gas."
	}
	return &Stop{InsufficientGas, Fail(SourceWallet, r.meta.CheckPrefix+"_insufficient_gas", "Gas", message+wordOfNode,
		"Send SUI to the account as a coin, or merge its SUI coins in the wallet, then refresh.")}
}

// wordOfNode names the source of every sentence about what an account holds.
const wordOfNode = " So the node tells."

// tooLittle says exactly what the account lacks.
func (r *run) tooLittle(p purse, have, budget uint64) *Stop {
	from, want := r.draft.Plan.From, r.draft.Want
	id, label := r.meta.CheckPrefix+"_insufficient_balance", "Balance"
	stop := func(reason Reason, message, do string) *Stop {
		return &Stop{reason, Fail(SourceWallet, id, label, message+wordOfNode, do)}
	}
	needed, held := from.Of(want.Amount).String(), from.Of(p.held.Total).String()
	switch {
	case want.Coin == sui.SUI && have >= uint64(want.Amount):
		id, label = r.meta.CheckPrefix+"_insufficient_gas", "Gas"
		return stop(InsufficientGas, fmt.Sprintf("This needs %s and besides up to %s for gas; the SUI coins that one transaction "+
			"can use hold %s.", needed, suiAsset.Of(sui.Raw(budget)), suiAsset.Of(sui.Raw(have))),
			"Choose a little less, or send SUI to the account, then refresh.")
	case p.held.Total < want.Amount:
		return stop(InsufficientBalance, fmt.Sprintf("This needs %s; the account holds %s.", needed, held),
			"Choose a smaller amount in a new review, or send "+from.Symbol+" to the account and refresh.")
	case p.held.Coins < want.Amount:
		return stop(InsufficientBalance, fmt.Sprintf("The account holds %s, but %s of it as an address balance rather than as coins, "+
			"which cannot be spent here.", held, from.Of(p.held.Address)),
			"Turn the address balance into a coin in your wallet, for example by sending it to yourself, then refresh.")
	}
	return stop(InsufficientBalance, fmt.Sprintf("The account holds %s in so many small coins that the %d largest do not make up %s.",
		held, r.c.Limits.MostMerges, needed), "Merge the coins in your wallet, then refresh.")
}
