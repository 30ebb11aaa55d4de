package review

import (
	"context"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// crossBytes compares what the bytes say with what was agreed. The two were
// made by different code: the builder made the bytes, Read decoded them.
func (r *run) crossBytes(context.Context) error {
	f, t, least := r.facts, r.draft.Target, r.draft.least()
	account := r.session.Account
	gas := f.Gas
	tags := make([]string, len(t.TypeArgs))
	for i, tag := range t.TypeArgs {
		tags[i] = tag.String()
	}
	if stop := r.strange(f.Recipient); stop != nil {
		return stop
	}
	switch {
	//mutant:never ./review TestCrossBytes/sender
	case f.Sender != account:
		return foreign(WalletMismatch, "C08", "it is not sent by your account")
	//mutant:never ./review TestCrossBytes/gas owner
	case gas.Owner != account:
		return foreign(WalletMismatch, "C08", "somebody else pays for gas")
	//mutant:never ./review TestCrossBytes/package
	case f.Package != t.Package:
		return foreign(AllowlistViolation, "C05", "it calls another package")
	//mutant:never `f.RouteID != t.RouteID` ./review TestCrossBytes/pool
	case f.Function != t.Function || f.RouteID != t.RouteID:
		return foreign(AllowlistViolation, "C07", "it calls another function or pool")
	case !r.sharedAsRead():
		return foreign(AllowlistViolation, "C07", "it names the pool at another version than the one at which it was shared")
	//mutant:never ./review TestCrossBytes/type arguments
	case !slices.Equal(f.TypeArgs, tags):
		return foreign(AssetMismatch, "C02", "it is about other coins")
	//mutant:never ./review TestCrossBytes/amount
	case !slices.Equal(f.Spends, r.agreedSpends()):
		return foreign(AmountMismatch, "", "another amount leaves")
	case f.Minimum.Asset != least.Asset:
		return foreign(AssetMismatch, "C02", "another coin is guaranteed")
	//mutant:never ./review TestCrossBytes/minimum
	case f.Minimum != least:
		return foreign(AmountMismatch, "C03", "another minimum is guaranteed")
	case !slices.Equal(f.Terms, r.draft.Terms):
		return foreign(AmountMismatch, "C07", "its terms are others")
	//mutant:never ./review TestCrossBytes/a payment that stays with the account
	case f.Recipient != r.recipient():
		return foreign(WalletMismatch, "C01", "it does not go where it was asked to go")
	//mutant:never ./review TestCrossBytes/gas coin
	case len(gas.Payment) != 1 || gas.Payment[0] != r.picked.gas.Ref:
		return foreign(AllowlistViolation, "C09", "gas is paid with another coin")
	//mutant:never `uint64(gas.Budget) != r.picked.budget` ./review TestCrossBytes/a smaller gas budget
	case uint64(gas.Price) != r.epoch.GasPrice || uint64(gas.Budget) != r.picked.budget ||
		uint64(gas.Budget) > r.c.Limits.MostGasBudget:
		return foreign(AllowlistViolation, "C10", "gas is priced or bounded in another way")
	//mutant:never ./review TestCrossBytes/a later expiration
	case f.LastEpoch != r.epoch.Number+1:
		return foreign(AllowlistViolation, "C12", "it does not expire when it should")
	//mutant:never ./review TestCrossBytes/a coin that was not chosen
	case !r.onlyChosenCoins():
		return foreign(AllowlistViolation, "", "it uses a coin that was not chosen")
	}
	r.draft.Check(Pass(SourceAdapter, checkBytes, "Built bytes",
		"The built bytes say what the review says: amounts, terms, recipient, what is called, gas and expiry."))
	return nil
}

// agreedSpends is what may leave: the input and, where the draft has one, the
// coin that pays the fee.
func (r *run) agreedSpends() []Amount {
	var out []Amount
	switch q := r.draft.Quote; {
	case q != nil:
		out = append(out, q.Input)
	case r.draft.Plan.Gives():
		out = append(out, r.draft.Plan.Input)
	}
	if f := r.draft.Fee; f != nil {
		out = append(out, f.Amount)
	}
	return out
}

// recipient is who gets what leaves: the account, but for a payment.
func (r *run) recipient() sui.Address {
	if to := r.draft.Plan.Recipient; !to.IsZero() {
		return to
	}
	return r.session.Account
}

// sharedAsRead reports whether the bytes name the target's objects at the
// versions that were read or pinned for them.
func (r *run) sharedAsRead() bool {
	for _, input := range r.tx.Inputs {
		in, ok := input.(sui.SharedInput)
		if !ok {
			continue
		}
		for _, s := range r.draft.Target.shares() {
			if in.ID == s.ID && in.InitialVersion != s.Initial {
				return false
			}
		}
	}
	return true
}

// onlyChosenCoins reports whether the bytes name exactly the coins that were
// chosen, each at its version, in their order.
func (r *run) onlyChosenCoins() bool {
	var named []sui.ObjectRef
	for _, input := range r.tx.Inputs {
		if in, ok := input.(sui.OwnedInput); ok {
			named = append(named, in.Ref)
		}
	}
	return slices.Equal(named, r.picked.selected.all())
}

// crossEffects compares simulated balance changes with the bytes: the account
// loses at most what was stated and gas, gains at least the minimum, and nobody
// gains anything but the recipient of a payment, who gains exactly that. The
// protocol's own events must tell the terms that were agreed.
func (r *run) crossEffects(context.Context) error {
	v := judgeEffects(r.session.Account, *r.facts, r.simulated.Effects)
	fail := func(reason Reason, message, do string) error {
		return &Stop{reason, Fail(SourceSimulation, checkEffects, "Simulated effects", message, do).under("C19")}
	}
	const doubt = "Do not sign. Refresh; if it stays, use another node or prepare a new review."
	switch {
	//mutant:never ./review TestLyingNode/tells no balance changes
	case !v.told:
		return fail(EffectsMismatch, "The node told no balance changes of your account, although gas always changes one.", doubt)
	//mutant:never ./review TestLyingNode/somebody else gains besides
	case v.otherGain:
		return fail(EffectsMismatch, "In the simulation somebody else gains something that the review does not name.", doubt)
	case r.facts.pays() && v.paid.Cmp(number(r.facts.Spends[0].Raw)) != 0:
		return fail(EffectsMismatch, "In the simulation the recipient does not gain exactly what was stated.", doubt)
	case !r.draft.Plan.Gets():
	//mutant:never ./review TestLyingNode/nothing arrives
	case v.gained.Sign() <= 0 && r.draft.Quote != nil:
		return fail(AmountMismatch, "In the simulation nothing is swapped: the pool returned all coins, and only gas would be spent. "+
			"The amount is probably below the pool's least size.", "Choose a larger amount in a new review.")
	//mutant:never ./review TestLyingNode/less than the minimum
	case v.gained.Cmp(number(r.facts.Minimum.Raw)) < 0:
		return fail(EffectsMismatch, "In the simulation less than the guaranteed minimum arrives.", doubt)
	}
	switch {
	//mutant:never ./review TestLyingNode/more leaves
	case len(r.facts.Spends) > 0 && v.spent.Cmp(number(r.facts.Spends[0].Raw)) > 0:
		return fail(EffectsMismatch, "In the simulation more leaves your account than was stated.", doubt)
	case len(r.facts.Spends) > 1 && v.fee.Cmp(number(r.facts.Spends[1].Raw)) > 0:
		return fail(EffectsMismatch, "In the simulation more "+r.facts.Spends[1].Symbol+" leaves for the fee than was stated.", doubt)
	//mutant:never ./review TestExactEffects
	case r.draft.Quote == nil && !v.exact(*r.facts):
		return fail(EffectsMismatch, "In the simulation not exactly what was stated leaves or arrives.", doubt)
	//mutant:never ./review TestLyingNode/another coin leaves
	case v.otherLoss != "":
		return fail(EffectsMismatch, "In the simulation your account also loses "+string(v.otherLoss)+".", doubt)
	//mutant:never ./review TestLyingNode/gas above its budget
	case v.gas.Cmp(number(r.facts.Gas.Budget)) > 0:
		return fail(EffectsMismatch, "In the simulation gas costs more than its budget.", doubt)
	}
	if wrong := r.unlike(r.simulated.Events); wrong != "" {
		return fail(EffectsMismatch, "In the simulation "+r.meta.Protocol+" itself tells something else than was agreed. "+wrong, doubt)
	}
	if of := r.hold(); of != "" {
		return fail(EffectsMismatch, "By the simulation your account would hold an impossible amount of "+of+" afterwards.", doubt)
	}
	if c := r.deviation(v.gained); c != nil {
		r.draft.Check(*c)
	}
	said := "In the simulation your account loses at most what is stated, gains at least the minimum, and nobody else gains anything."
	switch {
	case r.facts.pays():
		said = "In the simulation your account loses what is stated, the recipient gains exactly that, and nobody else gains anything."
	case !r.draft.Plan.Gets():
		said = "In the simulation your account loses at most what is stated, and no other address gains anything."
	}
	if len(r.meta.told(r.draft.Terms)) > 0 {
		said += " " + r.meta.Protocol + "’s own events tell what was agreed."
	}
	r.draft.Check(Pass(SourceSimulation, checkEffects, "Simulated effects", said))
	return nil
}

// deviation warns when simulation and quote disagree by more than a hundredth:
// one of the two is not true, or the market moved between them.
func (r *run) deviation(gained *big.Int) *Check {
	if r.draft.Quote == nil {
		return nil
	}
	quoted := number(r.draft.Quote.Expected.Raw)
	far := new(big.Int).Sub(gained, quoted)
	if far.Abs(far).Mul(far, big.NewInt(100)).Cmp(quoted) <= 0 {
		return nil
	}
	c := Warn(SourceSimulation, "cross_check_quote_and_simulation", "Quote and simulation",
		"The simulation brings "+shown(gained.String(), r.draft.Plan.To)+", the quote said "+r.draft.Quote.Expected.String()+
			": they disagree by more than one percent.", "Trust neither as a forecast; only the minimum is guaranteed. Refresh to ask again.")
	return &c
}

// hold fills in the balances after the simulated transaction, and names the coin
// of one that cannot be.
func (r *run) hold() (impossible string) {
	for i := range r.holdings {
		after := number(r.holdings[i].Before)
		for _, c := range r.simulated.Balances {
			if c.Owner == r.session.Account && c.Coin == r.holdings[i].CoinType {
				after.Add(after, c.Amount.Big())
			}
		}
		if !after.IsUint64() {
			return r.holdings[i].named()
		}
		r.holdings[i].After = sui.Raw(after.Uint64())
	}
	return ""
}

// pays reports whether an address besides the sender gets what leaves.
func (f Facts) pays() bool { return f.Recipient != f.Sender && len(f.Spends) > 0 }

// verdict is what effects mean for an account that made one transaction.
type verdict struct {
	spent     *big.Int // of the coin that was stated, gas left out
	paid      *big.Int // gained by the recipient of a payment, in the coin that was stated
	gained    *big.Int // of the coin with the minimum, gas left out
	fee       *big.Int // of the second coin that was stated; 0 where there is none
	gas       *big.Int // net; negative when the rebate is larger
	otherLoss sui.CoinType
	otherGain bool
	told      bool // the account is among the balance changes
}

// exact reports whether exactly what was stated left and arrived, as it does
// where no price is involved.
func (v verdict) exact(f Facts) bool {
	left, arrived := new(big.Int), number(f.Minimum.Raw)
	if len(f.Spends) > 0 {
		left = number(f.Spends[0].Raw)
	}
	return v.spent.Cmp(left) == 0 && v.gained.Cmp(arrived) == 0
}

// judgeEffects reads balance changes against decoded facts. Gas is taken out of
// the SUI change first.
func judgeEffects(account sui.Address, f Facts, e sui.Effects) verdict {
	v := verdict{spent: new(big.Int), paid: new(big.Int), gained: new(big.Int), fee: new(big.Int), gas: e.Gas.Net().Big()}
	changes := map[sui.CoinType]*big.Int{sui.SUI: new(big.Int).Set(v.gas)}
	for _, c := range e.Balances {
		if f.pays() && c.Owner == f.Recipient && c.Coin == f.Spends[0].CoinType {
			v.paid.Add(v.paid, c.Amount.Big())
			continue
		}
		if c.Owner != account {
			v.otherGain = v.otherGain || c.Amount.Big().Sign() > 0
			continue
		}
		v.told = true
		if changes[c.Coin] == nil {
			changes[c.Coin] = new(big.Int)
		}
		changes[c.Coin].Add(changes[c.Coin], c.Amount.Big())
	}
	for coin, change := range changes {
		switch {
		case f.Minimum.CoinType != "" && coin == f.Minimum.CoinType:
			v.gained.Set(change)
		case len(f.Spends) > 0 && coin == f.Spends[0].CoinType:
			v.spent.Neg(change)
		case len(f.Spends) > 1 && coin == f.Spends[1].CoinType:
			v.fee.Neg(change)
		case change.Sign() < 0 && (v.otherLoss == "" || coin < v.otherLoss):
			v.otherLoss = coin
		}
	}
	return v
}

func number(r sui.Raw) *big.Int { return new(big.Int).SetUint64(uint64(r)) }
