package ledger

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Gas limits, as on chain.
const (
	minGasUnits   = 1000
	maxGasBudget  = 50_000_000_000
	maxGasPrice   = 50_000_000_000 / minGasUnits
	maxGasCoins   = 256
	maxInputs     = 2048
	maxCommands   = 1024
	maxPureLength = 16 * 1024
)

// checkInputs rejects a transaction that a validator would reject: wrong object versions, owners or
// shared versions, expiry, or insufficient gas. With checks off, it checks only what execution needs.
func checkInputs(l *Ledger, tx *sui.Transaction, checks bool, now time.Time) error {
	if len(tx.Inputs) > maxInputs || len(tx.Commands) > maxCommands || len(tx.Commands) == 0 {
		return Refuse("the transaction has %d inputs and %d commands; the limits are %d and 1 to %d",
			len(tx.Inputs), len(tx.Commands), maxInputs, maxCommands)
	}
	seen := map[sui.ObjectID]bool{}
	for i, in := range tx.Inputs {
		id, err := checkInput(l, in, tx.Sender, checks)
		if err != nil {
			return err
		}
		if !id.IsZero() && seen[id] {
			return Refuse("the object %s is used twice as an input (input %d)", id, i)
		}
		seen[id] = true
	}
	if err := checkWithdrawals(tx); err != nil {
		return err
	}
	if err := checkAllowances(l, tx); err != nil {
		return err
	}
	if !checks {
		return checkPayment(l, tx, seen)
	}
	if err := checkExpiration(l, tx.Expiration, now); err != nil {
		return err
	}
	return checkGas(l, tx, seen)
}

// checkInput returns the id of an object input, or zero for other inputs.
func checkInput(l *Ledger, in sui.Input, sender sui.Address, checks bool) (sui.ObjectID, error) {
	switch in := in.(type) {
	case sui.PureInput:
		if len(in.Bytes) > maxPureLength {
			return sui.ObjectID{}, Refuse("a pure input has %d bytes", len(in.Bytes))
		}
		return sui.ObjectID{}, nil
	case sui.OwnedInput:
		if in.Ref.Reservation() {
			return in.Ref.ID, Unsupported("take a reservation of an address balance in the shape of a coin")
		}
		o, err := usableObject(l, in.Ref)
		if err == nil && checks && o.Owner.Kind == sui.OwnerAddress && o.Owner.Address != sender {
			err = Refuse("the object %s is owned by %s, not by the sender %s", in.Ref.ID, o.Owner.Address, sender)
		}
		return in.Ref.ID, err
	case sui.SharedInput:
		return in.ID, checkShared(l, in)
	case sui.ReceivingInput:
		return in.Ref.ID, Unsupported("receive objects (input %s)", in.Ref.ID)
	}
	return sui.ObjectID{}, nil // see checkWithdrawals
}

// checkShared rejects an object that is not shared, or not since the given version.
func checkShared(l *Ledger, in sui.SharedInput) error {
	o := l.objects[in.ID]
	switch {
	case o == nil:
		return NotFound("object %s not found", in.ID)
	case o.Owner.Kind != sui.OwnerShared:
		return Refuse("the object %s is not a shared object", in.ID)
	case o.Owner.InitialVersion != in.InitialVersion:
		return Refuse("the shared object %s started at version %d, not %d", in.ID, o.Owner.InitialVersion, in.InitialVersion)
	case in.ID == clockID && in.Mutable:
		return Refuse("the clock cannot be taken mutably")
	}
	return nil
}

// usableObject returns the object at exactly the given version and digest.
func usableObject(l *Ledger, ref sui.ObjectRef) (*Object, error) {
	o := l.objects[ref.ID]
	switch {
	case o == nil:
		return nil, NotFound("object %s not found", ref.ID)
	case o.Owner.Kind != sui.OwnerAddress && o.Owner.Kind != sui.OwnerImmutable:
		return nil, Refuse("the object %s is not owned by an address", ref.ID)
	case o.Version != ref.Version:
		return nil, Refuse("object %s version %d is unavailable for consumption, current version: %d",
			ref.ID, ref.Version, o.Version)
	case o.Digest != ref.Digest:
		return nil, Refuse("the object %s has digest %s at version %d, not %s", ref.ID, o.Digest, o.Version, ref.Digest)
	}
	return o, nil
}

// checkExpiration refuses a transaction that is not valid now.
func checkExpiration(l *Ledger, e sui.Expiration, now time.Time) error {
	present := l.epoch(now).Number
	switch e := e.(type) {
	case nil, sui.NoExpiration:
		return nil
	case sui.EpochExpiration:
		if e.Epoch < present {
			return Refuse("the transaction expired: it was valid up to epoch %d, the current epoch is %d", e.Epoch, present)
		}
		return nil
	case sui.ValidDuring:
		return checkValidity(l, e, present)
	case sui.Validity:
		if e.Proposers != nil {
			return Unsupported("restrict proposers")
		}
		return checkValidity(l, e.ValidDuring, present)
	}
	return Unsupported("know this kind of expiration")
}

// checkValidity checks the chain and epochs; unset bounds are ignored. It rejects times, as the chain
// does.
func checkValidity(l *Ledger, v sui.ValidDuring, present uint64) error {
	switch {
	//mutant:never ./internal/sandbox TestWithdrawalsRefused/timestamps
	case v.MinTimestamp != nil || v.MaxTimestamp != nil:
		return Refuse("Timestamp-based transaction expiration is not yet supported")
	case v.Chain != l.genesis:
		return Refuse("the transaction is for the chain %s, this is %s", v.Chain, l.genesis)
	case v.MinEpoch != nil && *v.MinEpoch > present:
		return Refuse("the transaction is not valid before epoch %d, the current epoch is %d", *v.MinEpoch, present)
	case v.MaxEpoch != nil && *v.MaxEpoch < present:
		return Refuse("the transaction expired: it was valid up to epoch %d, the current epoch is %d", *v.MaxEpoch, present)
	}
	return nil
}

// checkGas refuses a gas price, budget or payment that the chain refuses.
func checkGas(l *Ledger, tx *sui.Transaction, inputs map[sui.ObjectID]bool) error {
	g := tx.Gas
	if gasless(tx) {
		return checkGasless(l, tx)
	}
	if g.Price < ReferenceGasPrice {
		return Refuse("the gas price %d is below the reference gas price %d", g.Price, ReferenceGasPrice)
	}
	if least := minGasUnits * g.Price; g.Price > maxGasPrice || g.Budget > maxGasBudget || g.Budget < least {
		return Refuse("the gas budget %d is not between %d and %d", g.Budget, least, uint64(maxGasBudget))
	}
	return checkPayment(l, tx, inputs)
}

// checkPayment rejects gas coins that are not the gas owner's SUI coins or do not cover the budget. The
// caller decides whether gas coins may be missing.
func checkPayment(l *Ledger, tx *sui.Transaction, inputs map[sui.ObjectID]bool) error {
	if len(tx.Gas.Payment) > maxGasCoins {
		return Refuse("%d gas coins; at most %d", len(tx.Gas.Payment), maxGasCoins)
	}
	total := uint64(0)
	for _, ref := range tx.Gas.Payment {
		if inputs[ref.ID] {
			return Refuse("the gas coin %s is used twice", ref.ID)
		}
		inputs[ref.ID] = true
		o, err := usableObject(l, ref)
		if err != nil {
			return err
		}
		if o.Coin != sui.SUI || !o.ownedBy(tx.Gas.Owner) {
			return Refuse("the gas object %s is not a SUI coin of %s", ref.ID, tx.Gas.Owner)
		}
		total += o.Balance
	}
	if len(tx.Gas.Payment) > 0 && total < tx.Gas.Budget {
		return Refuse("the balance of the gas coins, %d, is lower than the gas budget %d", total, tx.Gas.Budget)
	}
	return nil
}
