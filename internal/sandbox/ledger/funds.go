package ledger

import (
	"bytes"
	"cmp"
	"math/big"
	"math/bits"
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// maxWithdrawals is the maximum number of withdrawals in a transaction, as on chain.
const maxWithdrawals = 10

// accumulatorRoot is the parent object of all address balances on chain.
var accumulatorRoot = sui.MustAddress("0xacc")

// insufficientFunds is a status that the generated messages do not have yet.
const insufficientFunds = pb.ExecutionError_ExecutionErrorKind(41)

// purse is an address balance: money of one coin type without a coin object.
type purse struct {
	owner sui.Address
	coin  sui.CoinType
}

// fund is money outside coin objects during execution: a Balance<T>, or a withdrawal, which is the
// right to take up to an amount from the sender's address balance.
type fund struct {
	typ    sui.CoinType
	amount uint64
	right  bool // it is a withdrawal
	gone   bool

	funder    sui.Address  // owner of the money, for a withdrawal by an allowance
	allowance sui.ObjectID // zero for other withdrawals
}

// Accumulated is the net change of an address balance in a transaction.
type Accumulated struct {
	ID     sui.ObjectID // the dynamic field that holds the balance
	Owner  sui.Address
	Coin   sui.CoinType
	Split  bool // taken rather than added
	Amount uint64
}

// Type returns the type of the balance.
func (a Accumulated) Type() sui.TypeTag { return balanceType(a.Coin) }

func balanceType(coin sui.CoinType) sui.TypeTag {
	return sui.MustTypeTag("0x2::balance::Balance<" + coin.Tag().String() + ">")
}

// id returns the dynamic field of an address balance.
func (p purse) id() sui.ObjectID {
	key := sui.MustTypeTag("0x2::accumulator::Key<" + balanceType(p.coin).String() + ">")
	id, err := sui.DynamicFieldID(accumulatorRoot, key, p.owner[:])
	if err != nil {
		panic("a coin's type cannot be written: " + err.Error())
	}
	return id
}

// checkWithdrawals refuses withdrawals that a validator would refuse.
func checkWithdrawals(tx *sui.Transaction) error {
	sums, count := map[sui.CoinType]uint64{}, 0
	for _, in := range tx.Inputs {
		w, ok := in.(sui.WithdrawalInput)
		if !ok {
			continue
		}
		coin := sui.CoinType(w.Coin.String())
		sum, carry := bits.Add64(sums[coin], uint64(w.MaxAmount), 0)
		sums[coin] = sum
		count++
		switch {
		case w.From == sui.WithdrawSponsor:
			return Unsupported("withdraw from the address balance of anybody except the sender")
		//mutant:never ./internal/sandbox TestWithdrawalsRefused/a withdrawal of nothing
		case w.MaxAmount == 0:
			return Refuse("Balance withdraw reservation amount must be non-zero")
		//mutant:never ./internal/sandbox TestWithdrawalsRefused/more than ten
		case count > maxWithdrawals:
			return Refuse("Maximum number of balance withdraw reservations is %d", maxWithdrawals)
		//mutant:never ./internal/sandbox TestWithdrawalsRefused/a sum that overflows
		case carry != 0:
			return Refuse("Balance withdraw reservation amount overflow")
		}
	}
	return nil
}

// checkReplay refuses a transaction that could execute twice: without an owned object, its epochs
// must limit it.
func checkReplay(tx *sui.Transaction) error {
	owned := slices.ContainsFunc(tx.Inputs, func(in sui.Input) bool { _, ok := in.(sui.OwnedInput); return ok })
	//mutant:always ./internal/sandbox TestWithdrawalsRefused/no expiration
	if len(tx.Gas.Payment) > 0 || owned {
		return nil
	}
	var v sui.ValidDuring
	switch e := tx.Expiration.(type) {
	case sui.ValidDuring:
		v = e
	case sui.Validity:
		v = e.ValidDuring
	default:
		return Refuse("Transactions must either have address-owned inputs, or a ValidDuring expiration")
	}
	//mutant:never ./internal/sandbox TestWithdrawalsRefused/epochs that are too far apart
	if v.MinEpoch == nil || v.MaxEpoch == nil || *v.MaxEpoch < *v.MinEpoch || *v.MaxEpoch-*v.MinEpoch > 1 {
		return Refuse("Both min_epoch and max_epoch must be specified, and span at most one epoch")
	}
	return nil
}

// covered reports whether the address balances cover the transaction's withdrawals and, if gas
// comes from the address balance, its budget.
func (r *run) covered() bool {
	need := map[purse]uint64{}
	reserve := func(p purse, amount uint64) bool {
		sum, carry := bits.Add64(need[p], amount, 0)
		need[p] = sum
		return carry == 0 && sum <= r.ledger.reserves[p.owner][p.coin]
	}
	//mutant:never ./internal/sandbox TestWithdrawals/gas that the address balance does not hold
	if r.fromPurse && !reserve(purse{r.tx.Gas.Owner, sui.SUI}, r.tx.Gas.Budget) {
		r.gasMissing = true
		return false
	}
	for _, in := range r.tx.Inputs {
		w, ok := in.(sui.WithdrawalInput)
		from := r.tx.Sender
		if ok && w.From == sui.WithdrawSenderAllowance {
			from = w.Funder
		}
		//mutant:never ./internal/sandbox TestWithdrawals/a balance that shrank before the transaction executed
		if ok && !reserve(purse{from, sui.CoinType(w.Coin.String())}, uint64(w.MaxAmount)) {
			return false
		}
	}
	return true
}

// accumulate sums the changes to each address balance. It fails on overflow. gas is the amount
// that the payer's address balance loses, negative if it gains.
func (r *run) accumulate(failed bool, gas int64) ([]Accumulated, *Failure) {
	sums := map[purse]*big.Int{}
	add := func(p purse, n *big.Int) {
		if sums[p] == nil {
			sums[p] = new(big.Int)
		}
		sums[p].Add(sums[p], n)
	}
	if !failed {
		for _, m := range r.moved {
			add(m.purse, m.delta)
		}
	}
	if gas != 0 {
		add(purse{r.tx.Gas.Owner, sui.SUI}, big.NewInt(-gas))
	}
	var list []Accumulated
	for p, n := range sums {
		held := new(big.Int).SetUint64(r.ledger.reserves[p.owner][p.coin])
		if !held.Add(held, n).IsUint64() || !new(big.Int).Abs(n).IsUint64() {
			return nil, Fail(pb.ExecutionError_COIN_BALANCE_OVERFLOW, "the address balance of %s would overflow", p.owner)
		}
		if n.Sign() != 0 {
			list = append(list, Accumulated{p.id(), p.owner, p.coin, n.Sign() < 0, new(big.Int).Abs(n).Uint64()})
		}
	}
	slices.SortFunc(list, func(a, b Accumulated) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return list, nil
}

// applyFunds changes the address balance. accumulate has checked the sum.
func applyFunds(l *Ledger, a Accumulated) {
	if l.reserves[a.Owner] == nil {
		l.reserves[a.Owner] = map[sui.CoinType]uint64{}
	}
	if a.Split {
		l.reserves[a.Owner][a.Coin] -= a.Amount
	} else {
		l.reserves[a.Owner][a.Coin] += a.Amount
	}
}

// encode writes the entry in the effects: an object that did not exist before, and a number that
// was added or taken.
func (a Accumulated) encode(b bcs.Bytes) bcs.Bytes {
	b = append(b.Raw(a.ID[:]), 0, 3).Raw(a.Owner[:]).TypeTag(a.Type())
	return append(append(b.Bool(a.Split), 0).U64(a.Amount), 0)
}

// movement is money that a command added to an address balance or took from it.
type movement struct {
	purse
	delta *big.Int
}

func (r *run) move(p purse, amount uint64, out bool) {
	n := new(big.Int).SetUint64(amount)
	if out {
		n.Neg(n)
	}
	r.moved = append(r.moved, movement{p, n})
}

// move returns the Move type.
func (f *fund) move() string {
	held := balanceType(f.typ).String()
	switch {
	case !f.right:
		return held
	case f.allowance.IsZero():
		return framework + "funds_accumulator::Withdrawal<" + held + ">"
	}
	return framework + "allowance::AllowanceWithdrawal<" + held + ">"
}

// fund adds a Balance, or a withdrawal, to the results.
func (k *call) fund(coin sui.CoinType, amount uint64, right bool) *Failure {
	s := &slot{fund: &fund{typ: coin, amount: amount, right: right}, typ: balanceType(coin).String()}
	k.out = append(k.out, s)
	return nil
}

// redeem converts the call's withdrawal to money and returns the amount.
func (k *call) redeem() uint64 {
	w := k.values[0].fund
	k.run.move(purse{k.run.tx.Sender, w.typ}, w.amount, true)
	return w.amount
}

// fundFunctions returns the functions of package 0x2 for balances and address balances.
func fundFunctions() []Function {
	withdrawal := Param(framework + "funds_accumulator::Withdrawal<" + balanceValue + ">")
	coin, balance := []Param{coinBase}, []Param{balanceValue}
	// pay sends a coin or Balance to an address balance.
	pay := func(k *call) *Failure {
		k.run.move(purse{k.Address(1), k.types[0]}, k.Amount(0), false)
		return nil
	}
	giveCoin := func(amount func(*call) uint64) func(*call) *Failure {
		return func(k *call) *Failure { k.Give(k.types[0], amount(k)); return nil }
	}
	giveBalance := func(amount func(*call) uint64) func(*call) *Failure {
		return func(k *call) *Failure { return k.fund(k.types[0], amount(k), false) }
	}
	whole := func(k *call) uint64 { return k.Amount(0) }
	return []Function{
		NewFunction("coin", "redeem_funds", 1, []Param{withdrawal, Context}, coin, giveCoin((*call).redeem)),
		NewFunction("balance", "redeem_funds", 1, []Param{withdrawal}, balance, giveBalance((*call).redeem)),
		NewFunction("coin", "send_funds", 1, []Param{coinBase, "address"}, nil, pay),
		NewFunction("balance", "send_funds", 1, []Param{balanceValue, "address"}, nil, pay),
		NewFunction("coin", "into_balance", 1, coin, balance, giveBalance(whole)),
		NewFunction("coin", "from_balance", 1, []Param{balanceValue, Context}, coin, giveCoin(whole)),
		NewFunction("coin", "put", 1, []Param{"&mut " + balanceValue, coinBase}, nil, func(k *call) *Failure {
			sum, carry := bits.Add64(k.Amount(0), k.Amount(1), 0)
			if carry != 0 {
				return k.Broken("balance", "join")
			}
			k.SetAmount(0, sum)
			return nil
		}),
		NewFunction("balance", "zero", 1, nil, balance, giveBalance(func(*call) uint64 { return 0 })),
		NewFunction("balance", "destroy_zero", 1, balance, nil, destroyZero),
		NewFunction("balance", "split", 1, []Param{"&mut " + balanceValue, "u64"}, balance, func(k *call) *Failure {
			if f := k.part(); f != nil {
				return f
			}
			return k.fund(k.types[0], k.U64(1), false)
		}),
		NewFunction("funds_accumulator", "withdrawal_split", 1,
			[]Param{"&mut " + framework + "funds_accumulator::Withdrawal<$0>", "u256"}, []Param{withdrawal},
			func(k *call) *Failure {
				n, w := k.Wide(1), k.values[0].fund
				if !n.IsUint64() || n.Uint64() > w.amount {
					return MoveAbort(k.pkg, "funds_accumulator", "withdrawal_split", abortInvalidSubLimit)
				}
				w.amount -= n.Uint64()
				return k.fund(w.typ, n.Uint64(), true)
			}),
	}
}

// part takes the second argument's amount from the coin or Balance behind the first.
func (k *call) part() *Failure {
	if k.U64(1) > k.Amount(0) {
		return MoveAbort(k.pkg, "balance", "split", abortNotEnough)
	}
	k.SetAmount(0, k.Amount(0)-k.U64(1))
	return nil
}

// Abort codes of balance::split and withdrawal_split.
const (
	abortNotEnough       = 2
	abortInvalidSubLimit = 0
)

// effectsEntry is a changed entry of the effects: an object or an address balance.
type effectsEntry struct {
	id     sui.ObjectID
	encode func(bcs.Bytes) bcs.Bytes
}

// entries lists the changed entries by id, as in the effects.
func (o *Outcome) entries() (list []effectsEntry) {
	for _, c := range o.Changes {
		list = append(list, effectsEntry{c.ID, c.encode})
	}
	for _, a := range o.Accumulated {
		list = append(list, effectsEntry{a.ID, a.encode})
	}
	slices.SortFunc(list, func(a, b effectsEntry) int { return cmp.Compare(string(a.id[:]), string(b.id[:])) })
	return list
}
