package node

import (
	"cmp"
	"slices"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// wireTransaction returns the message form of a transaction, with its bytes.
func wireTransaction(tx *sui.Transaction, raw []byte, digest sui.Digest) *pb.Transaction {
	p := &pb.ProgrammableTransaction{}
	for _, in := range tx.Inputs {
		p.Inputs = append(p.Inputs, wireInput(in))
	}
	for _, c := range tx.Commands {
		p.Commands = append(p.Commands, wireCommand(c))
	}
	g := &pb.GasPayment{Owner: new(tx.Gas.Owner.String()), Price: &tx.Gas.Price, Budget: &tx.Gas.Budget}
	for _, ref := range tx.Gas.Payment {
		g.Objects = append(g.Objects, &pb.ObjectReference{
			ObjectId: new(ref.ID.String()), Version: new(ref.Version), Digest: new(ref.Digest.String()),
		})
	}
	kind := pb.TransactionKind_PROGRAMMABLE_TRANSACTION
	return &pb.Transaction{
		Bcs: &pb.Bcs{Name: new("TransactionData"), Value: raw}, Digest: new(digest.String()), Version: new(int32(1)),
		Kind: &pb.TransactionKind{
			Kind: &kind, Data: &pb.TransactionKind_ProgrammableTransaction{ProgrammableTransaction: p},
		},
		Sender: new(tx.Sender.String()), GasPayment: g, Expiration: wireExpiration(tx.Expiration),
	}
}

// wireInput returns the message form of an input.
func wireInput(in sui.Input) *pb.Input {
	switch in := in.(type) {
	case sui.PureInput:
		return &pb.Input{Kind: pb.Input_PURE.Enum(), Pure: in.Bytes}
	case sui.OwnedInput:
		return &pb.Input{
			Kind: pb.Input_IMMUTABLE_OR_OWNED.Enum(), ObjectId: new(in.Ref.ID.String()),
			Version: new(in.Ref.Version), Digest: new(in.Ref.Digest.String()),
		}
	case sui.SharedInput:
		return &pb.Input{
			Kind: pb.Input_SHARED.Enum(), ObjectId: new(in.ID.String()),
			Version: new(in.InitialVersion), Mutable: new(in.Mutable),
		}
	case sui.WithdrawalInput:
		return wireWithdrawal(in)
	}
	return &pb.Input{} // other inputs were refused earlier
}

// wireCommand returns the message form of a command.
func wireCommand(c sui.Command) *pb.Command {
	switch c := c.(type) {
	case sui.MoveCall:
		call := &pb.MoveCall{
			Package: new(c.Package.String()), Module: new(c.Module), Function: new(c.Function),
			Arguments: wireArguments(c.Arguments),
		}
		for _, t := range c.TypeArgs {
			call.TypeArguments = append(call.TypeArguments, t.String())
		}
		return &pb.Command{Command: &pb.Command_MoveCall{MoveCall: call}}
	case sui.TransferObjects:
		return &pb.Command{Command: &pb.Command_TransferObjects{TransferObjects: &pb.TransferObjects{
			Objects: wireArguments(c.Objects), Address: wireArgument(c.Recipient),
		}}}
	case sui.SplitCoins:
		return &pb.Command{Command: &pb.Command_SplitCoins{SplitCoins: &pb.SplitCoins{
			Coin: wireArgument(c.Coin), Amounts: wireArguments(c.Amounts),
		}}}
	case sui.MergeCoins:
		return &pb.Command{Command: &pb.Command_MergeCoins{MergeCoins: &pb.MergeCoins{
			Coin: wireArgument(c.Into), CoinsToMerge: wireArguments(c.Sources),
		}}}
	}
	return &pb.Command{} // other commands were refused earlier
}

// wireArguments returns the message form of a list of arguments.
func wireArguments(list []sui.Argument) []*pb.Argument {
	var out []*pb.Argument
	for _, a := range list {
		out = append(out, wireArgument(a))
	}
	return out
}

// wireArgument returns the message form of an argument.
func wireArgument(a sui.Argument) *pb.Argument {
	index := uint32(a.Index)
	switch a.Kind {
	case sui.ArgInput:
		return &pb.Argument{Kind: pb.Argument_INPUT.Enum(), Input: &index}
	case sui.ArgResult:
		return &pb.Argument{Kind: pb.Argument_RESULT.Enum(), Result: &index}
	case sui.ArgNestedResult:
		return &pb.Argument{Kind: pb.Argument_RESULT.Enum(), Result: &index, Subresult: new(uint32(a.Nested))}
	}
	return &pb.Argument{Kind: pb.Argument_GAS.Enum()}
}

// Wire numbers that the stubs do not have yet.
const (
	expirationValidDuring = 3
	expirationValidity    = 4
	fieldMinEpoch         = 3
	fieldMinTimestamp     = 4
	fieldMaxTimestamp     = 5
	fieldChain            = 6
	fieldNonce            = 7
)

// wireExpiration returns the message form of an expiration.
func wireExpiration(e sui.Expiration) *pb.TransactionExpiration {
	switch e := e.(type) {
	case sui.EpochExpiration:
		return &pb.TransactionExpiration{Kind: pb.TransactionExpiration_EPOCH.Enum(), Epoch: &e.Epoch}
	case sui.ValidDuring:
		return wireValidity(e, expirationValidDuring)
	case sui.Validity:
		return wireValidity(e.ValidDuring, expirationValidity)
	}
	return &pb.TransactionExpiration{Kind: pb.TransactionExpiration_NONE.Enum()}
}

// wireValidity encodes a validity as unknown fields, because the generated message lacks most of
// them.
func wireValidity(v sui.ValidDuring,
	kind pb.TransactionExpiration_TransactionExpirationKind) *pb.TransactionExpiration {
	e := &pb.TransactionExpiration{Kind: kind.Enum(), Epoch: v.MaxEpoch}
	var extra []byte
	if v.MinEpoch != nil {
		extra = appendVarint(extra, fieldMinEpoch, *v.MinEpoch)
	}
	extra = appendTime(extra, fieldMinTimestamp, v.MinTimestamp)
	extra = appendTime(extra, fieldMaxTimestamp, v.MaxTimestamp)
	extra = appendMessage(extra, fieldChain, []byte(v.Chain.String()))
	e.ProtoReflect().SetUnknown(appendVarint(extra, fieldNonce, uint64(v.Nonce)))
	return e
}

// appendTime appends a Timestamp in milliseconds, if set.
func appendTime(b []byte, field protowire.Number, ms *uint64) []byte {
	if ms == nil {
		return b
	}
	return appendMessage(b, field, appendVarint(appendVarint(nil, 1, *ms/1000), 2, *ms%1000*1_000_000))
}

// wireOwner returns the message form of an owner.
func wireOwner(o sui.Owner) *pb.Owner {
	switch o.Kind {
	case sui.OwnerAddress:
		return &pb.Owner{Kind: pb.Owner_ADDRESS.Enum(), Address: new(o.Address.String())}
	case sui.OwnerObject:
		return &pb.Owner{Kind: pb.Owner_OBJECT.Enum(), Address: new(o.Address.String())}
	case sui.OwnerShared:
		return &pb.Owner{Kind: pb.Owner_SHARED.Enum(), Version: new(o.InitialVersion)}
	}
	return &pb.Owner{Kind: pb.Owner_IMMUTABLE.Enum()}
}

// wireObject returns a complete object with its BCS; the caller applies the mask.
func wireObject(o *ledger.Object) *pb.Object {
	typ := o.Type.String()
	w := &pb.Object{
		Bcs: &pb.Bcs{Name: new("Object"), Value: o.BCS()}, ObjectId: new(o.ID.String()), Version: new(o.Version),
		Digest: new(o.Digest.String()), Owner: wireOwner(o.Owner), ObjectType: &typ, HasPublicTransfer: new(o.Transfers),
		Contents:            &pb.Bcs{Name: &typ, Value: o.Contents},
		PreviousTransaction: new(o.Previous.String()), StorageRebate: new(o.Deposit),
	}
	if o.Coin != "" {
		w.Balance = new(o.Balance)
	}
	return w
}

// wireGas returns gas costs in MIST.
func wireGas(g ledger.GasCost) *pb.GasCostSummary {
	return &pb.GasCostSummary{
		ComputationCost: &g.Computation, StorageCost: &g.Storage,
		StorageRebate: &g.Rebate, NonRefundableStorageFee: &g.NonRefundable,
	}
}

// wireChange returns an object change with versions, digests and owners before and after.
func wireChange(c ledger.Change) *pb.ChangedObject {
	w := &pb.ChangedObject{
		ObjectId:    new(c.ID.String()),
		InputState:  pb.ChangedObject_INPUT_OBJECT_STATE_DOES_NOT_EXIST.Enum(),
		OutputState: pb.ChangedObject_OUTPUT_OBJECT_STATE_DOES_NOT_EXIST.Enum(),
		IdOperation: pb.ChangedObject_NONE.Enum(),
	}
	if c.Before != nil {
		w.InputState = pb.ChangedObject_INPUT_OBJECT_STATE_EXISTS.Enum()
		w.InputVersion, w.InputDigest = new(c.Before.Version), new(c.Before.Digest.String())
		w.InputOwner, w.ObjectType = wireOwner(c.Before.Owner), new(c.Before.Type.String())
	} else {
		w.IdOperation = pb.ChangedObject_CREATED.Enum()
	}
	if c.After != nil {
		w.OutputState = pb.ChangedObject_OUTPUT_OBJECT_STATE_OBJECT_WRITE.Enum()
		w.OutputVersion, w.OutputDigest = new(c.After.Version), new(c.After.Digest.String())
		w.OutputOwner, w.ObjectType = wireOwner(c.After.Owner), new(c.After.Type.String())
	} else {
		w.IdOperation = pb.ChangedObject_DELETED.Enum()
	}
	return w
}

// wireEffects returns the effects as a message together with their BCS, which are equivalent.
func wireEffects(o *ledger.Outcome) *pb.TransactionEffects {
	e := &pb.TransactionEffects{
		Bcs: &pb.Bcs{Name: new("TransactionEffects"), Value: o.Effects}, Digest: new(o.EffectsDigest.String()),
		Version: new(int32(2)), Status: wireStatus(o.Failure), Epoch: new(o.Epoch), GasUsed: wireGas(o.Gas),
		TransactionDigest: new(o.Digest.String()), LamportVersion: new(o.Lamport),
	}
	for _, c := range o.Changes {
		w := wireChange(c)
		e.ChangedObjects = append(e.ChangedObjects, w)
		if !o.GasID.IsZero() && c.ID == o.GasID {
			e.GasObject = w
		}
	}
	for _, a := range o.Accumulated {
		e.ChangedObjects = append(e.ChangedObjects, wireAccumulated(a))
	}
	slices.SortFunc(e.ChangedObjects, func(a, b *pb.ChangedObject) int {
		return cmp.Compare(a.GetObjectId(),
			b.GetObjectId())
	})
	for _, r := range o.Reads {
		e.UnchangedConsensusObjects = append(e.UnchangedConsensusObjects, &pb.UnchangedConsensusObject{
			Kind: pb.UnchangedConsensusObject_READ_ONLY_ROOT.Enum(), ObjectId: new(r.Object.ID.String()),
			Version: new(r.Object.Version), Digest: new(r.Object.Digest.String()), ObjectType: new(r.Object.Type.String()),
		})
	}
	for _, d := range o.Dependencies {
		e.Dependencies = append(e.Dependencies, d.String())
	}
	if d := o.EventsDigest(); d != nil {
		e.EventsDigest = new(d.String())
	}
	return e
}

// wireStatus returns the result of an execution; nil means success.
func wireStatus(f *ledger.Failure) *pb.ExecutionStatus {
	if f == nil {
		return &pb.ExecutionStatus{Success: new(true)}
	}
	e := &pb.ExecutionError{Kind: &f.Kind, Description: &f.Text}
	if f.Command != nil {
		e.Command = new(uint64(*f.Command))
	}
	switch {
	case f.Abort != nil:
		e.ErrorDetails = &pb.ExecutionError_Abort{Abort: &pb.MoveAbort{
			AbortCode: &f.Abort.Code,
			Location: &pb.MoveLocation{
				Package: new(f.Abort.Package.String()), Module: &f.Abort.Module, Function: new(uint32(0)),
				Instruction: new(uint32(0)), FunctionName: &f.Abort.Function,
			},
		}}
	case f.Argument != nil:
		e.ErrorDetails = &pb.ExecutionError_CommandArgumentError{CommandArgumentError: &pb.CommandArgumentError{
			Argument: new(uint32(f.Argument.Index)), Kind: &f.Argument.Kind,
		}}
	case f.Result != nil:
		e.ErrorDetails = &pb.ExecutionError_IndexError{IndexError: &pb.IndexError{
			Index: new(uint32(f.Result[0])), Subresult: new(uint32(f.Result[1])),
		}}
	}
	return &pb.ExecutionStatus{Success: new(false), Error: e}
}

// wireExecuted returns the complete message; the caller applies the mask.
func wireExecuted(o *ledger.Outcome) *pb.ExecutedTransaction {
	w := &pb.ExecutedTransaction{
		Digest: new(o.Digest.String()), Transaction: wireTransaction(o.Transaction, o.Bytes, o.Digest),
		Effects: wireEffects(o),
	}
	for _, s := range o.Signatures {
		w.Signatures = append(w.Signatures, &pb.UserSignature{Bcs: &pb.Bcs{Name: new("UserSignatureBytes"), Value: s}})
	}
	if d := o.EventsDigest(); d != nil {
		w.Events = &pb.TransactionEvents{Bcs: &pb.Bcs{Name: new("TransactionEvents"), Value: o.EventsBCS()},
			Digest: new(d.String())}
		for _, e := range o.Events {
			w.Events.Events = append(w.Events.Events, &pb.Event{
				PackageId: new(e.Package.String()), Module: new(e.Module), Sender: new(e.Sender.String()),
				EventType: new(e.Type), Contents: &pb.Bcs{Name: new(e.Type), Value: e.Contents},
			})
		}
	}
	for _, c := range o.Balances {
		w.BalanceChanges = append(w.BalanceChanges, &pb.BalanceChange{
			Address: new(c.Owner.String()), CoinType: new(string(c.Coin)), Amount: new(c.Amount.String()),
		})
	}
	w.Objects = &pb.ObjectSet{}
	for _, c := range o.Changes {
		for _, v := range []*ledger.Object{c.Before, c.After} {
			if v != nil {
				w.Objects.Objects = append(w.Objects.Objects, wireObject(v))
			}
		}
	}
	if !o.At.IsZero() {
		w.Checkpoint, w.Timestamp = new(o.Checkpoint), wireTime(o.At)
	}
	return w
}

// wireTime truncates to milliseconds, like the chain's times.
func wireTime(t time.Time) *timestamppb.Timestamp {
	return timestamppb.New(t.Truncate(time.Millisecond))
}
