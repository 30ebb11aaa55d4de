package ledger

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Execute verifies a transaction's signatures, runs it and adds it to the chain. Repeating the same
// bytes returns the same outcome.
func (l *Ledger) Execute(raw []byte, signatures [][]byte) (*Outcome, error) {
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		return nil, Refuse("invalid transaction bcs: %v", err)
	}
	if err := checkSigners(tx, raw, signatures); err != nil {
		return nil, err
	}
	digest := sui.TransactionDigest(raw)
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if done := l.executed[digest]; done != nil {
		return done, nil
	}
	if err := checkReplay(tx); err != nil {
		return nil, err
	}
	if err := checkInputs(l, tx, true, now); err != nil {
		return nil, err
	}
	o, err := computeEffects(l, tx, raw, digest, now, true, true)
	if err != nil {
		return nil, err
	}
	o.Signatures = signatures
	l.commit(o, now)
	return o, nil
}

// checkSigners requires one valid signature of the sender and, if somebody else pays, one of the
// gas owner.
func checkSigners(tx *sui.Transaction, raw []byte, signatures [][]byte) error {
	needed := []sui.Address{tx.Sender}
	if tx.Gas.Owner != tx.Sender {
		needed = append(needed, tx.Gas.Owner)
	}
	if len(signatures) != len(needed) {
		return Refuse("%d signatures; this transaction needs %d", len(signatures), len(needed))
	}
	for _, s := range signatures {
		signer, err := sui.VerifyTransactionSignature(raw, s)
		if err != nil {
			return Refuse("invalid user signature: %v", err)
		}
		i := slices.Index(needed, signer)
		if i < 0 {
			return Refuse("the signature is by %s, which is neither sender nor gas owner", signer)
		}
		needed = slices.Delete(needed, i, i+1)
	}
	return nil
}

// Simulate runs a transaction without changing the chain. resolve creates it from objects that find
// returns. A zero budget becomes the maximum if openBudget is set.
func (l *Ledger) Simulate(resolve func(find func(sui.ObjectID) *Object) (*sui.Transaction, error), checks, selectGas,
	openBudget bool) (*Outcome, error) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	tx, err := resolve(func(id sui.ObjectID) *Object { return l.objects[id] })
	if err != nil {
		return nil, err
	}
	free := checks && gasless(tx)
	if selectGas && !free {
		if err := chooseGas(l, tx, now); err != nil {
			return nil, err
		}
	}
	if tx.Gas.Budget == 0 && openBudget && !free {
		tx.Gas.Budget = maxGasBudget
	}
	return dryRun(l, tx, now, checks, selectGas)
}

// dryRun checks and executes a complete transaction without storing it. If it names no gas coin, gas
// comes from the address balance or, without purse, from a fake coin.
func dryRun(l *Ledger, tx *sui.Transaction, now time.Time, checks, purse bool) (*Outcome, error) {
	if err := checkInputs(l, tx, checks, now); err != nil {
		return nil, err
	}
	raw, err := tx.Encode()
	if err != nil {
		return nil, Refuse("invalid transaction: %v", err)
	}
	return computeEffects(l, tx, raw, sui.TransactionDigest(raw), now, checks, purse)
}

// chooseGas sets the budget from a trial run and chooses the payment: the address balance if it
// suffices and no command uses the gas coin, otherwise as many coins as needed, largest first, or
// all if the commands use the gas coin.
func chooseGas(l *Ledger, tx *sui.Transaction, now time.Time) error {
	if tx.Gas.Budget == 0 {
		trial := *tx
		trial.Gas.Budget, trial.Gas.Payment = maxGasBudget, nil
		o, err := dryRun(l, &trial, now, true, false)
		if err != nil {
			return err
		}
		overhead := minGasUnits * int64(tx.Gas.Price)
		tx.Gas.Budget = uint64(overhead + max(int64(o.Gas.Computation), o.Gas.Net()))
	}
	if len(tx.Gas.Payment) > 0 {
		return nil
	}
	used := map[sui.ObjectID]bool{}
	for _, in := range tx.Inputs {
		if owned, ok := in.(sui.OwnedInput); ok {
			used[owned.Ref.ID] = true
		}
	}
	total, all := uint64(0), usesGasCoin(tx.Commands)
	if !all && pursePays(l, tx) {
		boundTo(l, tx, now)
		return nil
	}
	for _, c := range l.coins(tx.Gas.Owner, sui.SUI) {
		if used[c.ID] || len(tx.Gas.Payment) == maxGasCoins || (total >= tx.Gas.Budget && !all) {
			continue
		}
		tx.Gas.Payment = append(tx.Gas.Payment, c.Ref())
		total += c.Balance
	}
	if total < tx.Gas.Budget {
		return Refuse("Unable to perform gas selection due to insufficient SUI balance for account %s to satisfy "+
			"required budget %d.",
			tx.Gas.Owner, tx.Gas.Budget)
	}
	return nil
}

// usesGasCoin reports whether a command uses the gas coin. Then every SUI coin must pay, because
// the commands may need all of it.
func usesGasCoin(commands []sui.Command) bool {
	return slices.ContainsFunc(commands, func(c sui.Command) bool {
		var list []sui.Argument
		switch c := c.(type) {
		case sui.MoveCall:
			list = c.Arguments
		case sui.TransferObjects:
			list = c.Objects
		case sui.SplitCoins:
			list = []sui.Argument{c.Coin}
		case sui.MergeCoins:
			list = append([]sui.Argument{c.Into}, c.Sources...)
		}
		return slices.Contains(list, sui.GasCoin)
	})
}

// pursePays reports whether the payer's address balance covers the budget in addition to the
// transaction's withdrawals.
func pursePays(l *Ledger, tx *sui.Transaction) bool {
	r := &run{ledger: l, tx: tx, gasPayment: gasPayment{fromPurse: true}}
	return r.covered()
}

// boundTo adds the epochs and unique nonce that a transaction without owned objects needs, as nodes
// do when they choose the address balance.
func boundTo(l *Ledger, tx *sui.Transaction, now time.Time) {
	if _, open := tx.Expiration.(sui.NoExpiration); !open || checkReplay(tx) == nil {
		return
	}
	l.made++
	first := l.epoch(now).Number
	last := first + 1
	tx.Expiration = sui.ValidDuring{MinEpoch: &first, MaxEpoch: &last, Chain: l.genesis, Nonce: uint32(l.made)}
}
