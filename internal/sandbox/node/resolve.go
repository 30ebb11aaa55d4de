package node

import (
	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// resolver completes transactions with objects of the chain.
type resolver struct {
	find     func(sui.ObjectID) *ledger.Object
	function func(pkg sui.ObjectID, module, name string) (*ledger.Function, error)
}

// transaction completes a transaction from the wire: BCS, or a message that may name objects only
// by id and omit gas, sender and expiration, as the official client sends it.
func (r resolver) transaction(t *pb.Transaction) (*sui.Transaction, error) {
	if t == nil {
		return nil, ledger.Refuse("missing transaction")
	}
	if b := t.GetBcs().GetValue(); len(b) > 0 {
		tx, err := sui.DecodeTransaction(b)
		if err != nil {
			return nil, ledger.Refuse("invalid transaction bcs: %v", err)
		}
		return tx, nil
	}
	p := t.GetKind().GetProgrammableTransaction()
	if p == nil {
		return nil, ledger.Refuse("missing kind.programmable_transaction")
	}
	tx := &sui.Transaction{}
	var err error
	if t.Sender != nil {
		if tx.Sender, err = address(t.GetSender(), "sender"); err != nil {
			return nil, err
		}
	}
	for i, c := range p.GetCommands() {
		var read commandReader
		tx.Commands = append(tx.Commands, read.command(c))
		if read.err != nil {
			return nil, ledger.Refuse("command %d: %v", i, read.err)
		}
	}
	for i, in := range p.GetInputs() {
		input, err := r.resolveInput(in, r.writes(tx.Commands, i))
		if err != nil {
			return nil, err
		}
		tx.Inputs = append(tx.Inputs, input)
	}
	if tx.Expiration, err = readExpiration(t.GetExpiration()); err != nil {
		return nil, err
	}
	return tx, r.resolveGas(tx, t.GetGasPayment())
}

// resolveGas fills in a missing payer with the sender, and a missing price with the reference
// price. Gas selection chooses missing budgets and coins.
func (r resolver) resolveGas(tx *sui.Transaction, g *pb.GasPayment) error {
	tx.Gas = sui.Gas{Owner: tx.Sender, Price: g.GetPrice(), Budget: g.GetBudget()}
	if g.GetOwner() != "" {
		owner, err := address(g.GetOwner(), "gas_payment.owner")
		if err != nil {
			return err
		}
		tx.Gas.Owner = owner
	}
	if g == nil || g.Price == nil {
		tx.Gas.Price = ledger.ReferenceGasPrice
	}
	for _, o := range g.GetObjects() {
		ref, err := r.reference(o.GetObjectId(), o.Version, o.Digest)
		if err != nil {
			return err
		}
		tx.Gas.Payment = append(tx.Gas.Payment, ref)
	}
	return nil
}

// reference completes an object reference from the ledger.
func (r resolver) reference(id string, version *uint64, digest *string) (sui.ObjectRef, error) {
	a, err := address(id, "object_id")
	if err != nil {
		return sui.ObjectRef{}, err
	}
	o := r.find(a)
	if o == nil {
		return sui.ObjectRef{}, ledger.NotFound("object %s not found", a)
	}
	ref := o.Ref()
	if version != nil {
		ref.Version = *version
	}
	if digest != nil {
		if ref.Digest, err = sui.ParseDigest(*digest); err != nil {
			return sui.ObjectRef{}, ledger.Refuse("invalid digest of object %s", a)
		}
	}
	return ref, nil
}

// resolveInput completes an object named only by id; write means that a command changes it.
func (r resolver) resolveInput(in *pb.Input, write bool) (sui.Input, error) {
	kind := in.GetKind()
	switch {
	case kind == pb.Input_PURE || (kind == 0 && in.Pure != nil):
		return sui.PureInput{Bytes: append([]byte{}, in.GetPure()...)}, nil
	case in.Literal != nil:
		return nil, ledger.Unsupported("read literal inputs: send pure bytes")
	case kind == pb.Input_RECEIVING:
		return nil, ledger.Unsupported("receive objects")
	case kind == inputWithdrawal:
		return readWithdrawal(in)
	case kind > pb.Input_RECEIVING:
		return nil, ledger.Unsupported("read inputs of this kind")
	}
	id, err := address(in.GetObjectId(), "input object_id")
	if err != nil {
		return nil, err
	}
	o := r.find(id)
	if o == nil {
		return nil, ledger.NotFound("object %s not found", id)
	}
	if o.Owner.Kind != sui.OwnerShared {
		ref, err := r.reference(in.GetObjectId(), in.Version, in.Digest)
		return sui.OwnedInput{Ref: ref}, err
	}
	shared := sui.SharedInput{ID: id, InitialVersion: o.Owner.InitialVersion, Mutable: write}
	if in.Mutable != nil {
		shared.Mutable = in.GetMutable()
	}
	if in.Version != nil {
		shared.InitialVersion = in.GetVersion()
	}
	return shared, nil
}

// writes reports whether a function changes the object in input i.
func (r resolver) writes(commands []sui.Command, i int) bool {
	for _, c := range commands {
		call, ok := c.(sui.MoveCall)
		if !ok {
			continue
		}
		fn, err := r.function(call.Package, call.Module, call.Function)
		if err != nil || fn == nil {
			continue
		}
		for n, a := range call.Arguments {
			if a.Kind == sui.ArgInput && int(a.Index) == i && n < len(fn.Params) && fn.Params[n].Writes() {
				return true
			}
		}
	}
	return false
}

// readExpiration reads every kind except Validity, which comes in BCS.
func readExpiration(e *pb.TransactionExpiration) (sui.Expiration, error) {
	switch e.GetKind() {
	case pb.TransactionExpiration_TRANSACTION_EXPIRATION_KIND_UNKNOWN, pb.TransactionExpiration_NONE:
		return sui.NoExpiration{}, nil
	case pb.TransactionExpiration_EPOCH:
		return sui.EpochExpiration{Epoch: e.GetEpoch()}, nil
	case expirationValidDuring:
		return readValidDuring(e)
	}
	return nil, ledger.Unsupported("read this kind of expiration in message form: send bcs")
}

// commandReader reads commands in message form and keeps the first error.
type commandReader struct{ err error }

func (r *commandReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// command reads a command of a kind that the ledger executes.
func (r *commandReader) command(c *pb.Command) sui.Command {
	switch c := c.GetCommand().(type) {
	case *pb.Command_MoveCall:
		return r.moveCall(c.MoveCall)
	case *pb.Command_TransferObjects:
		t := c.TransferObjects
		return sui.TransferObjects{Objects: r.arguments(t.GetObjects()), Recipient: r.argument(t.GetAddress())}
	case *pb.Command_SplitCoins:
		return sui.SplitCoins{Amounts: r.arguments(c.SplitCoins.GetAmounts()), Coin: r.argument(c.SplitCoins.GetCoin())}
	case *pb.Command_MergeCoins:
		return sui.MergeCoins{Sources: r.arguments(c.MergeCoins.GetCoinsToMerge()), Into: r.argument(c.MergeCoins.GetCoin())}
	case *pb.Command_MakeMoveVector:
		return sui.MakeMoveVec{Type: r.elementType(c.MakeMoveVector),
			Elements: r.arguments(c.MakeMoveVector.GetElements())}
	}
	r.fail(ledger.Unsupported("execute a command of this kind (%s)", commandName(c)))
	return nil
}

// elementType reads a vector's element type, or returns nil if it is omitted.
func (r *commandReader) elementType(v *pb.MakeMoveVector) *sui.TypeTag {
	if v.ElementType == nil {
		return nil
	}
	tag, err := sui.ParseTypeTag(v.GetElementType())
	if err != nil {
		r.fail(ledger.Refuse("invalid element type: %v", err))
	}
	return &tag
}

// commandName returns the protocol's name for a command.
func commandName(c *pb.Command) protoreflect.Name {
	m := c.ProtoReflect()
	if field := m.WhichOneof(m.Descriptor().Oneofs().ByName("command")); field != nil {
		return field.Name()
	}
	return "none"
}

// moveCall reads a call. Execution checks whether the function exists.
func (r *commandReader) moveCall(c *pb.MoveCall) sui.Command {
	pkg, err := address(c.GetPackage(), "package")
	if err != nil {
		r.fail(err)
	}
	if !sui.ValidIdentifier(c.GetModule()) || !sui.ValidIdentifier(c.GetFunction()) {
		r.fail(ledger.Refuse("invalid module or function name"))
	}
	call := sui.MoveCall{Package: pkg, Module: c.GetModule(), Function: c.GetFunction()}
	for _, t := range c.GetTypeArguments() {
		tag, err := sui.ParseTypeTag(t)
		if err != nil {
			r.fail(ledger.Refuse("invalid type argument: %v", err))
		}
		call.TypeArgs = append(call.TypeArgs, tag)
	}
	call.Arguments = r.arguments(c.GetArguments())
	return call
}

func (r *commandReader) arguments(list []*pb.Argument) (out []sui.Argument) {
	for _, a := range list {
		out = append(out, r.argument(a))
	}
	return out
}

// argument reads an argument: the gas coin, an input or a result.
func (r *commandReader) argument(a *pb.Argument) sui.Argument {
	const most = 1<<16 - 1
	switch {
	case a.GetInput() > most || a.GetResult() > most || a.GetSubresult() > most:
		r.fail(ledger.Refuse("an argument index is over %d", most))
	case a.GetKind() == pb.Argument_GAS:
		return sui.GasCoin
	case a.GetKind() == pb.Argument_INPUT:
		return sui.InputArg(int(a.GetInput()))
	case a.GetKind() == pb.Argument_RESULT && a.Subresult != nil:
		return sui.NestedArg(int(a.GetResult()), int(a.GetSubresult()))
	case a.GetKind() == pb.Argument_RESULT:
		return sui.ResultArg(int(a.GetResult()))
	default:
		r.fail(ledger.Refuse("an argument has no kind"))
	}
	return sui.Argument{}
}

// address reads an address in a request; field is its name in errors.
func address(s, field string) (sui.Address, error) {
	a, err := sui.ParseAddress(s)
	if err != nil {
		return a, ledger.Refuse("invalid %s: %v", field, err)
	}
	return a, nil
}
