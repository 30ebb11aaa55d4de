package rpc

import (
	"strconv"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// maxGas limits each part of a gas cost so that sums cannot overflow. The total supply of SUI is 10^19
// MIST.
const maxGas = uint64(1) << 61

// maxVersion is the chain's maximum object version.
const maxVersion = uint64(1)<<63 - 1

// objectOf reads an object. The type of a package is "package".
func objectOf(o *pb.Object) (sui.Object, error) {
	if o == nil {
		return sui.Object{}, mismatch("an object is missing")
	}
	id, err := sui.ParseAddress(o.GetObjectId())
	if err != nil {
		return sui.Object{}, mismatch("an object has no id")
	}
	digest, err := sui.ParseDigest(o.GetDigest())
	if err != nil || o.Version == nil || o.GetVersion() == 0 || o.GetVersion() > maxVersion {
		return sui.Object{}, mismatch("an object has no version or digest")
	}
	read := sui.Object{Ref: sui.ObjectRef{ID: id, Version: o.GetVersion(), Digest: digest}}
	if read.Type, err = typeText(o.GetObjectType()); err != nil {
		return sui.Object{}, err
	}
	if read.Owner, err = ownerOf(o.GetOwner()); err != nil {
		return sui.Object{}, err
	}
	if read.Owner.InitialVersion > o.GetVersion() {
		return sui.Object{}, mismatch("an object was shared after its current version")
	}
	if o.Balance != nil {
		read.Balance = ptr(sui.Raw(o.GetBalance()))
	}
	if o.PreviousTransaction != nil {
		if read.Previous, err = sui.ParseDigest(o.GetPreviousTransaction()); err != nil {
			return sui.Object{}, mismatch("an object's previous transaction is not a digest")
		}
	}
	read.Contents = o.GetContents().GetValue()
	return read, nil
}

func typeText(s string) (string, error) {
	if s == "package" {
		return s, nil
	}
	t, err := sui.ParseTypeTag(s)
	if err != nil || t.Kind != sui.TypeStruct {
		return "", mismatch("an object has no type")
	}
	return t.String(), nil
}

func ownerOf(o *pb.Owner) (sui.Owner, error) {
	kinds := map[pb.Owner_OwnerKind]sui.OwnerKind{
		pb.Owner_ADDRESS: sui.OwnerAddress, pb.Owner_OBJECT: sui.OwnerObject, pb.Owner_SHARED: sui.OwnerShared,
		pb.Owner_IMMUTABLE: sui.OwnerImmutable, pb.Owner_CONSENSUS_ADDRESS: sui.OwnerConsensusAddress,
	}
	read := sui.Owner{Kind: kinds[o.GetKind()]}
	switch read.Kind {
	case sui.OwnerUnknown:
		return sui.Owner{}, mismatch("an object has no known owner")
	case sui.OwnerShared:
		if o.GetVersion() == 0 {
			return sui.Owner{}, mismatch("a shared object has no initial version")
		}
		read.InitialVersion = o.GetVersion()
	case sui.OwnerAddress, sui.OwnerObject, sui.OwnerConsensusAddress:
		address, err := sui.ParseAddress(o.GetAddress())
		if err != nil {
			return sui.Owner{}, mismatch("an owner is not an address")
		}
		read.Address = address
	}
	return read, nil
}

// effectsOf reads the effects of a transaction or simulation.
func effectsOf(t *pb.ExecutedTransaction) (sui.Effects, error) {
	reported := t.GetEffects()
	if reported == nil || reported.GetGasUsed() == nil || reported.Epoch == nil {
		return sui.Effects{}, mismatch("effects, gas cost or epoch are missing")
	}
	digest, err := sui.ParseDigest(reported.GetTransactionDigest())
	if err != nil {
		return sui.Effects{}, mismatch("the effects name no transaction")
	}
	e := sui.Effects{Digest: digest, Epoch: reported.GetEpoch()}
	if e.Status, err = statusOf(reported.GetStatus()); err != nil {
		return sui.Effects{}, err
	}
	g := reported.GetGasUsed()
	if g.ComputationCost == nil || g.StorageCost == nil || g.StorageRebate == nil || g.NonRefundableStorageFee == nil ||
		e.Epoch > sui.MostEpoch {
		return sui.Effects{}, mismatch("a part of the gas cost is missing, or the epoch is impossibly large")
	}
	for _, part := range []uint64{
		g.GetComputationCost(), g.GetStorageCost(), g.GetStorageRebate(), g.GetNonRefundableStorageFee(),
	} {
		if part > maxGas {
			return sui.Effects{}, mismatch("the gas cost is impossibly large")
		}
	}
	e.Gas = sui.GasCost{
		Computation: sui.Raw(g.GetComputationCost()), Storage: sui.Raw(g.GetStorageCost()),
		Rebate: sui.Raw(g.GetStorageRebate()), NonRefundable: sui.Raw(g.GetNonRefundableStorageFee()),
	}
	for _, b := range t.GetBalanceChanges() {
		change, err := balanceChangeOf(b)
		if err != nil {
			return sui.Effects{}, err
		}
		e.Balances = append(e.Balances, change)
	}
	for _, o := range reported.GetChangedObjects() {
		change, ok, err := objectChangeOf(o)
		if err != nil {
			return sui.Effects{}, err
		}
		if ok {
			e.Objects = append(e.Objects, change)
		}
	}
	return e, nil
}

func balanceChangeOf(b *pb.BalanceChange) (sui.BalanceChange, error) {
	owner, err := sui.ParseAddress(b.GetAddress())
	if err != nil {
		return sui.BalanceChange{}, mismatch("a balance change names no address")
	}
	coin, err := sui.ParseCoinType(b.GetCoinType())
	if err != nil {
		return sui.BalanceChange{}, mismatch("a balance change names no coin")
	}
	amount, err := sui.ParseDelta(b.GetAmount())
	if err != nil {
		return sui.BalanceChange{}, mismatch("a balance change is not a whole number")
	}
	return sui.BalanceChange{Owner: owner, Coin: coin, Amount: amount}, nil
}

// objectChangeOf reads the change of an object. It returns false for entries that are not objects,
// such as address balances.
func objectChangeOf(o *pb.ChangedObject) (sui.ObjectChange, bool, error) {
	id, err := sui.ParseAddress(o.GetObjectId())
	if err != nil {
		return sui.ObjectChange{}, false, mismatch("a changed object has no id")
	}
	before := o.GetInputState() == pb.ChangedObject_INPUT_OBJECT_STATE_EXISTS
	var after bool
	switch o.GetOutputState() {
	case pb.ChangedObject_OUTPUT_OBJECT_STATE_OBJECT_WRITE, pb.ChangedObject_OUTPUT_OBJECT_STATE_PACKAGE_WRITE:
		after = true
	case pb.ChangedObject_OUTPUT_OBJECT_STATE_DOES_NOT_EXIST:
	default:
		return sui.ObjectChange{}, false, nil
	}
	if o.GetInputVersion() > maxVersion || o.GetOutputVersion() > maxVersion {
		return sui.ObjectChange{}, false, mismatch("a changed object has an impossible version")
	}
	c := sui.ObjectChange{ID: id, Input: o.GetInputVersion(), Output: o.GetOutputVersion(),
		Shared: after && o.GetOutputOwner().GetKind() == pb.Owner_SHARED}
	switch operation := o.GetIdOperation(); {
	case before && after:
		c.Change = "mutated"
	case before && operation == pb.ChangedObject_DELETED:
		c.Change = "deleted"
	case before:
		c.Change = "wrapped"
	case operation == pb.ChangedObject_CREATED:
		c.Change = "created" // not visible afterwards, because it is inside another object
	case after:
		c.Change = "unwrapped"
	default:
		c.Change = "deleted" // unwrapped and deleted in the same transaction
	}
	if o.ObjectType != nil {
		if c.Type, err = typeText(o.GetObjectType()); err != nil {
			return sui.ObjectChange{}, false, err
		}
	}
	return c, true, nil
}

// statusOf reads the status and, for a Move abort, its package, module, function, code and command.
func statusOf(s *pb.ExecutionStatus) (sui.ExecutionStatus, error) {
	if s == nil || s.Success == nil || (s.GetSuccess() && s.GetError() != nil) {
		return sui.ExecutionStatus{}, mismatch("it does not report whether the transaction succeeded")
	}
	if s.GetSuccess() {
		return sui.ExecutionStatus{OK: true}, nil
	}
	e := s.GetError()
	read := sui.ExecutionStatus{Kind: e.GetKind().String(), Text: printable(e.GetDescription(), 300)}
	if _, named := pb.ExecutionError_ExecutionErrorKind_name[int32(e.GetKind())]; !named {
		// The generated messages lack some newer kinds, so fall back to the chain's own list.
		var known bool
		if read.Kind, known = sui.FailureName(int(e.GetKind()) - 1); !known {
			read.Kind = "ERROR_KIND_" + strconv.Itoa(int(e.GetKind()))
		}
	}
	if read.Kind == sui.InsufficientCoin && e.Command != nil && e.GetCommand() < 1<<16 {
		read.Command = new(int(e.GetCommand()))
	}
	a := e.GetAbort()
	if e.GetKind() != pb.ExecutionError_MOVE_ABORT || a == nil {
		return read, nil
	}
	pkg, err := sui.ParseAddress(a.GetLocation().GetPackage())
	if err != nil || !sui.ValidIdentifier(a.GetLocation().GetModule()) || a.AbortCode == nil || e.GetCommand() > 1<<16 {
		return sui.ExecutionStatus{}, mismatch("it reports a Move abort without package, module or code")
	}
	read.Abort = &sui.MoveAbort{
		Package: pkg, Module: a.GetLocation().GetModule(), Code: a.GetAbortCode(), Command: int(e.GetCommand()),
	}
	if f := a.GetLocation().GetFunctionName(); sui.ValidIdentifier(f) {
		read.Abort.Function = f
	}
	return read, nil
}
