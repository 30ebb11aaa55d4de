package sandbox

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Bounds on gas, as on the chain.
const (
	minGasUnits   = 1000
	maxGasBudget  = 50_000_000_000
	maxGasPrice   = 50_000_000_000 / minGasUnits
	maxGasCoins   = 256
	maxInputs     = 2048
	maxCommands   = 1024
	maxPureLength = 16 * 1024
)

// checkInputs refuses a transaction that a validator would not take: wrong
// object versions, owners, shared versions, an expired transaction, gas that
// does not reach. With checks off only what execution itself needs is checked.
func (l *ledger) checkInputs(tx *sui.Transaction, checks bool, now time.Time) error {
	if len(tx.Inputs) > maxInputs || len(tx.Commands) > maxCommands || len(tx.Commands) == 0 {
		return refuse("the transaction has %d inputs and %d commands; the limits are %d and 1 to %d",
			len(tx.Inputs), len(tx.Commands), maxInputs, maxCommands)
	}
	seen := map[sui.ObjectID]bool{}
	for i, in := range tx.Inputs {
		id, err := l.checkInput(in, tx.Sender, checks)
		if err != nil {
			return err
		}
		if !id.IsZero() && seen[id] {
			return refuse("the object %s is used twice as an input (input %d)", id, i)
		}
		seen[id] = true
	}
	if !checks {
		return l.checkPayment(tx, seen)
	}
	if err := l.checkExpiration(tx.Expiration, now); err != nil {
		return err
	}
	return l.checkGas(tx, seen)
}

// checkInput gives the object id of an object input, zero for others.
func (l *ledger) checkInput(in sui.Input, sender sui.Address, checks bool) (sui.ObjectID, error) {
	switch in := in.(type) {
	case sui.PureInput:
		if len(in.Bytes) > maxPureLength {
			return sui.ObjectID{}, refuse("a pure input has %d bytes", len(in.Bytes))
		}
		return sui.ObjectID{}, nil
	case sui.OwnedInput:
		o, err := l.usable(in.Ref)
		if err == nil && o.coin == "" {
			err = unsupported("use an object that is no coin (input %s)", in.Ref.ID)
		}
		if err == nil && checks && o.owner.Kind == sui.OwnerAddress && o.owner.Address != sender {
			err = refuse("the object %s is owned by %s, not by the sender %s", in.Ref.ID, o.owner.Address, sender)
		}
		return in.Ref.ID, err
	case sui.SharedInput:
		return in.ID, l.checkShared(in)
	case sui.ReceivingInput:
		return in.Ref.ID, unsupported("receive objects (input %s)", in.Ref.ID)
	}
	return sui.ObjectID{}, unsupported("withdraw from address balances")
}

func (l *ledger) checkShared(in sui.SharedInput) error {
	o := l.objects[in.ID]
	switch {
	case o == nil:
		return notFound("object %s not found", in.ID)
	case o.owner.Kind != sui.OwnerShared:
		return refuse("the object %s is not a shared object", in.ID)
	case o.owner.InitialVersion != in.InitialVersion:
		return refuse("the shared object %s started at version %d, not %d", in.ID, o.owner.InitialVersion, in.InitialVersion)
	case in.ID == clockID && in.Mutable:
		return refuse("the clock cannot be taken mutably")
	}
	return nil
}

// usable gives the object at exactly the named version and digest.
func (l *ledger) usable(ref sui.ObjectRef) (*object, error) {
	o := l.objects[ref.ID]
	switch {
	case o == nil:
		return nil, notFound("object %s not found", ref.ID)
	case o.owner.Kind != sui.OwnerAddress && o.owner.Kind != sui.OwnerImmutable:
		return nil, refuse("the object %s is not owned by an address", ref.ID)
	case o.version != ref.Version:
		return nil, refuse("object %s version %d is unavailable for consumption, current version: %d",
			ref.ID, ref.Version, o.version)
	case o.digest != ref.Digest:
		return nil, refuse("the object %s has digest %s at version %d, not %s", ref.ID, o.digest, o.version, ref.Digest)
	}
	return o, nil
}

func (l *ledger) checkExpiration(e sui.Expiration, now time.Time) error {
	present := l.epoch(now).number
	switch e := e.(type) {
	case nil, sui.NoExpiration:
		return nil
	case sui.EpochExpiration:
		if e.Epoch < present {
			return refuse("the transaction expired: it was valid up to epoch %d, the present epoch is %d", e.Epoch, present)
		}
		return nil
	case sui.ValidDuring:
		return l.checkValidity(e, present, now)
	case sui.Validity:
		if e.Proposers != nil {
			return unsupported("restrict proposers")
		}
		return l.checkValidity(e.ValidDuring, present, now)
	}
	return unsupported("know this kind of expiration")
}

func (l *ledger) checkValidity(v sui.ValidDuring, present uint64, now time.Time) error {
	ms := uint64(now.UnixMilli())
	switch {
	case v.Chain != l.genesis:
		return refuse("the transaction is for the chain %s, this is %s", v.Chain, l.genesis)
	case v.MinEpoch != nil && *v.MinEpoch > present:
		return refuse("the transaction is not valid before epoch %d, the present epoch is %d", *v.MinEpoch, present)
	case v.MaxEpoch != nil && *v.MaxEpoch < present:
		return refuse("the transaction expired: it was valid up to epoch %d, the present epoch is %d", *v.MaxEpoch, present)
	case v.MinTimestamp != nil && *v.MinTimestamp > ms:
		return refuse("the transaction is not valid yet")
	case v.MaxTimestamp != nil && *v.MaxTimestamp < ms:
		return refuse("the transaction expired: its time is over")
	}
	return nil
}

// checkGas refuses a price, budget or payment that the chain does not take.
func (l *ledger) checkGas(tx *sui.Transaction, inputs map[sui.ObjectID]bool) error {
	g := tx.Gas
	if g.Price < referenceGasPrice {
		return refuse("the gas price %d is below the reference gas price %d", g.Price, referenceGasPrice)
	}
	if least := minGasUnits * g.Price; g.Price > maxGasPrice || g.Budget > maxGasBudget || g.Budget < least {
		return refuse("the gas budget %d is not between %d and %d", g.Budget, least, uint64(maxGasBudget))
	}
	return l.checkPayment(tx, inputs)
}

// checkPayment refuses gas coins that are not SUI coins of the gas owner or
// that do not cover the budget. No coins at all is for the caller to judge.
func (l *ledger) checkPayment(tx *sui.Transaction, inputs map[sui.ObjectID]bool) error {
	if len(tx.Gas.Payment) > maxGasCoins {
		return refuse("%d gas coins; at most %d", len(tx.Gas.Payment), maxGasCoins)
	}
	total := uint64(0)
	for _, ref := range tx.Gas.Payment {
		if inputs[ref.ID] {
			return refuse("the gas coin %s is used twice", ref.ID)
		}
		inputs[ref.ID] = true
		o, err := l.usable(ref)
		if err != nil {
			return err
		}
		if o.coin != sui.SUI || !o.ownedBy(tx.Gas.Owner) {
			return refuse("the gas object %s is not a SUI coin of %s", ref.ID, tx.Gas.Owner)
		}
		total += o.balance
	}
	if len(tx.Gas.Payment) > 0 && total < tx.Gas.Budget {
		return refuse("the balance of the gas coins, %d, is lower than the gas budget %d", total, tx.Gas.Budget)
	}
	return nil
}
