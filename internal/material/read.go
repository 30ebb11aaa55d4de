package material

import (
	"math/big"
	"strings"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// meant is a decoded transaction.
type meant struct {
	protocol string // slug of a swap's protocol; "" for a payment
	pays     plan.Amount
	to       sui.Address // recipient of a payment
	promise  plan.Promise
	called   []sui.Address // addresses that the caller's details may name in "to"
}

// read decodes the intent with the adapters' decoders, which account for every byte. For payments
// it also accepts the plain form that other programs build.
func (r *Reader) read(tx *sui.Transaction, held map[sui.ObjectID]sui.Object) (meant, error) {
	for _, a := range r.c.Adapters {
		f, err := plan.ReadFacts(tx, []plan.Adapter{a})
		if err != nil {
			continue
		}
		s := f.Steps[0]
		if to := s.Promise.Payee(); !to.IsZero() {
			return paid(s.Promise.Amount(plan.RoleInput), to)
		}
		//mutant:never ./internal/material TestOnlyWhatIsUnderstood
		if s.Sends != tx.Sender {
			return meant{}, refuse(Unsupported,
				"It sends the swap's output to someone else. Swap first, then send in a separate transaction.")
		}
		if len(s.Promise.Of(plan.RoleFee)) > 0 {
			return meant{}, refuse(Unsupported, "It pays the fee in another coin, which is not accepted.")
		}
		return meant{protocol: a.Meta().Slug, pays: s.Promise.Amount(plan.RoleInput), promise: s.Promise,
			called: []sui.Address{tx.Sender, s.Package, s.RouteID}}, nil
	}
	return payment(tx, held)
}

// paid returns a payment of a known coin to an address.
func paid(a plan.Amount, to sui.Address) (meant, error) {
	c, known := coins.ByType(a.CoinType)
	if !known {
		return meant{}, refuse(Unsupported,
			"It sends the coin "+string(a.CoinType)+", which is unknown here.")
	}
	a = plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}.Of(a.Raw)
	return meant{pays: a, to: to, called: []sui.Address{to},
		promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "sent", Bounds: []plan.Bound{
			plan.Moves(plan.RoleInput, plan.Party{}, a, true), plan.Moves(plan.RolePayment, plan.AddressParty(to), a,
				false)}}}}}, nil
}

// payment decodes a plain payment: one amount is split from a coin, possibly after other coins were
// merged into it, and sent to one address. Nothing else is transferred.
func payment(tx *sui.Transaction, held map[sui.ObjectID]sui.Object) (m meant, err error) {
	other := refuse(Unsupported,
		"It is neither a plain payment nor a supported swap. Describe it as an intent."+does(tx))
	last := len(tx.Commands) - 1
	if last != 1 && last != 2 {
		return m, other
	}
	split, splits := tx.Commands[last-1].(sui.SplitCoins)
	send, sends := tx.Commands[last].(sui.TransferObjects)
	at := last - 1
	if !splits || !sends || len(split.Amounts) != 1 || len(send.Objects) != 1 ||
		send.Objects[0] != sui.NestedArg(at, 0) && send.Objects[0] != sui.ResultArg(at) {
		return m, other
	}
	used := map[sui.Argument]bool{split.Amounts[0]: true, send.Recipient: true}
	from := []sui.Argument{split.Coin}
	if last == 2 {
		merge, merges := tx.Commands[0].(sui.MergeCoins)
		if !merges || merge.Into != split.Coin {
			return m, other
		}
		from = append(from, merge.Sources...)
	}
	of, ok := coinOf(tx, held, from, used)
	if !ok {
		return m, other
	}
	amount, isAmount := input(tx, split.Amounts[0]).(sui.PureInput)
	to, isTo := input(tx, send.Recipient).(sui.PureInput)
	if !isAmount || !isTo || len(used) != len(tx.Inputs) {
		return m, other
	}
	n, isNumber := amount.U64()
	payee, isTo := to.Address()
	if !isNumber || !isTo || n == 0 {
		return m, other
	}
	return paid(plan.UnreadCoin(of).Of(sui.Raw(n)), payee)
}

// coinOf returns the type of a list of coins, and marks the coins as used. The first coin may be
// the gas coin; all others must be inputs owned by the account. It returns false if the coins have
// different types.
func coinOf(tx *sui.Transaction, held map[sui.ObjectID]sui.Object, list []sui.Argument,
	used map[sui.Argument]bool) (sui.CoinType, bool) {
	of := sui.SUI
	for i, coin := range list {
		if i == 0 && coin == sui.GasCoin {
			continue
		}
		in, ok := input(tx, coin).(sui.OwnedInput)
		t, is := coinIn(held[in.Ref.ID].Type)
		if !ok || !is || used[coin] || i > 0 && t != of {
			return "", false
		}
		used[coin], of = true, t
	}
	return of, true
}

func input(tx *sui.Transaction, a sui.Argument) sui.Input {
	if a.Kind != sui.ArgInput || int(a.Index) >= len(tx.Inputs) {
		return nil
	}
	return tx.Inputs[a.Index]
}

// coinIn returns the type of the coin that an object of the given type contains, or false.
func coinIn(object string) (sui.CoinType, bool) {
	for _, c := range coins.All() {
		if c.Type.Object() == object {
			return c.Type, true
		}
	}
	inner, ok := strings.CutPrefix(object, strings.SplitN(sui.SUI.Object(), "<", 2)[0]+"<")
	if !ok {
		return "", false
	}
	t, err := sui.ParseCoinType(strings.TrimSuffix(inner, ">"))
	return t, err == nil
}

// intent returns the decoded intent of the account. It returns a Refused if the simulated changes
// contradict it.
func (m meant) intent(account sui.Address, sim sui.Simulation) (plan.Intent, error) {
	from := plan.IntentSource{Symbol: m.pays.Symbol, Amount: string(m.pays.Display)}
	seen := plan.Observe(account, sim.Effects)
	//mutant:never ./internal/material TestWhatElseItChanges
	if len(m.promise.Outcomes) == 0 || !m.promise.Outcomes[0].Compare(seen).Holds() {
		return plan.Intent{}, refuse(Effects, "Its simulated effects differ from its decoded intent.")
	}
	if m.protocol == "" {
		return plan.Intent{Type: "transfer", From: from, Recipient: m.to.String()}, nil
	}
	least, got := m.promise.Of(plan.RoleOutput)[0], new(big.Int)
	for _, b := range sim.Balances {
		if b.Owner == account && b.Coin == least.Coin.CoinType {
			got.Add(got, b.Amount.Big())
		}
	}
	if least.Coin.CoinType == sui.SUI {
		got.Add(got, sim.Gas.Net().Big())
	}
	bps := new(big.Int).Sub(got, least.Least)
	bps.Mul(bps, big.NewInt(10000)).Quo(bps, got)
	//mutant:never ./internal/material TestOnlyWhatIsUnderstood
	if n := bps.Int64(); n < plan.LeastSlippageBps || n > plan.MostSlippageBps {
		return plan.Intent{}, refuse(Unsupported,
			"Its minimum is not between 0.01 and 10 percent below what the market pays now. Build it again with a minimum "+
				"in that range.")
	}
	return plan.Intent{Type: "swap", Protocol: m.protocol, From: from, To: plan.IntentTarget{Symbol: least.Coin.Symbol},
		MaxSlippageBps: int(bps.Int64())}, nil
}

// agrees returns a Refused if the caller's details contradict the decoded intent.
func (m meant) agrees(account sui.Address, d Details) error {
	differ := func(field, is string) error {
		return refuse(OtherDetails, "tx_details."+field+" disagrees with the transaction, which says "+is+".")
	}
	if d.To != "" {
		to, err := sui.ParseAccount(d.To)
		named := false
		for _, a := range m.called {
			named = named || err == nil && a == to
		}
		//mutant:never ./internal/material TestDetails
		if !named {
			return differ("to", m.called[0].String())
		}
	}
	if n, ok := new(big.Int).SetString(d.Value, 10); d.Value != "" && (!ok || n.Cmp(plan.BigInt(m.pays.Raw)) != 0) {
		return differ("value", plan.BigInt(m.pays.Raw).String()+" smallest units")
	}
	if d.Symbol != "" && d.Symbol != m.pays.Symbol {
		return differ("token_symbol", m.pays.Symbol)
	}
	if d.Amount != "" {
		amount, symbol, named := strings.Cut(strings.TrimSpace(d.Amount), " ")
		if !m.pays.Says(amount, m.pays.Raw) || named && symbol != m.pays.Symbol {
			return differ("amount_human", m.pays.String())
		}
	}
	return nil
}
