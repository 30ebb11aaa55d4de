package sui

import "math"

// This file describes the encoding of TransactionData, top down, for both reading and writing.
// Variant numbers are positions in the lists of names.

// systemKinds are the cases of TransactionKind in order. Users can sign only the first; validators
// create the others.
var systemKinds = [...]string{
	"ProgrammableTransaction", "ChangeEpoch", "Genesis", "ConsensusCommitPrologue",
	"AuthenticatorStateUpdate", "EndOfEpochTransaction", "RandomnessStateUpdate",
	"ConsensusCommitPrologueV2", "ConsensusCommitPrologueV3", "ConsensusCommitPrologueV4",
	"ProgrammableSystemTransaction",
}

// DecodeTransaction reads the BCS of a TransactionData (version 1) whose kind is a programmable
// transaction. It accepts exactly the output of Encode, so each transaction has a single encoding. For
// anything else it returns fault.InputInvalid with the offset of the error.
func DecodeTransaction(b []byte) (*Transaction, error) {
	c := &bcs{reading: true, in: b}
	t := new(Transaction)
	c.transaction(t)
	if err := c.finish(); err != nil {
		return nil, err
	}
	return t, nil
}

// Encode returns the BCS of the transaction, or fault.InputInvalid for a value that
// DecodeTransaction would not accept.
func (t *Transaction) Encode() ([]byte, error) {
	c, w := new(bcs), *t
	c.transaction(&w)
	return c.out, c.err
}

// Kind returns what the transaction does: its inputs and commands. The slices are shared with t.
func (t *Transaction) Kind() Kind { return Kind{Inputs: t.Inputs, Commands: t.Commands} }

// DecodeKind reads the BCS of a TransactionKind as strictly as
// DecodeTransaction reads a transaction.
func DecodeKind(b []byte) (Kind, error) {
	c := &bcs{reading: true, in: b}
	var k Kind
	c.kind(&k)
	if err := c.finish(); err != nil {
		return Kind{}, err
	}
	return k, nil
}

// Encode returns the BCS of the kind, or fault.InputInvalid for a value that DecodeKind would not
// accept.
func (k Kind) Encode() ([]byte, error) {
	c := new(bcs)
	c.kind(&k)
	return c.out, c.err
}

func (c *bcs) transaction(t *Transaction) {
	c.variant(0, "TransactionData", "V1")
	k := t.Kind()
	c.kind(&k)
	t.Inputs, t.Commands = k.Inputs, k.Commands
	c.fixed(t.Sender[:], "the sender")
	vector(c, &t.Gas.Payment, refSize, "the gas payment", c.ref)
	c.fixed(t.Gas.Owner[:], "the gas owner")
	c.u64(&t.Gas.Price, "the gas price")
	c.u64(&t.Gas.Budget, "the gas budget")
	c.expiration(&t.Expiration)
}

func (c *bcs) kind(k *Kind) {
	at := c.pos
	if n := c.variant(0, "TransactionKind", systemKinds[:]...); n != 0 {
		c.fail(at, "%s is a system transaction, which no wallet signs; only %s is supported",
			systemKinds[n], systemKinds[0])
	}
	c.indexed(&at, len(k.Inputs), "inputs")
	vector(c, &k.Inputs, 2, "the inputs", c.input)
	c.indexed(&at, len(k.Inputs), "inputs")
	vector(c, &k.Commands, 3, "the commands", c.command)
	c.indexed(&at, len(k.Commands), "commands")
}

// indexed rejects more items than a 16-bit index can address, so that no index wraps around.
func (c *bcs) indexed(at *int, n int, what string) {
	if n > math.MaxUint16+1 {
		c.fail(*at, "there are more %s than an index can address", what)
	}
	*at = c.pos
}

// refSize is the size of an object reference: id, version, length, digest.
const refSize = 32 + 8 + 1 + 32

func (c *bcs) ref(r *ObjectRef) {
	c.fixed(r.ID[:], "an object id")
	c.u64(&r.Version, "an object version")
	c.digest(&r.Digest, "an object digest")
}

// digest reads or writes a byte vector that must have 32 bytes.
func (c *bcs) digest(d *Digest, what string) {
	at := c.pos
	if n := c.length(len(d), 1, what); c.err == nil && n != len(d) {
		c.fail(at, "%s has %s instead of 32", what, count(n, "byte"))
	}
	c.fixed(d[:], what)
}

func (c *bcs) identifier(s *string, what string) {
	at := c.pos
	c.text(s, what)
	if c.err == nil && !ValidIdentifier(*s) {
		c.fail(at, "%s %.40q is not a Move identifier", what, *s)
	}
}

// input describes CallArg.
func (c *bcs) input(in *Input) {
	var v uint32
	switch (*in).(type) {
	case PureInput:
	case OwnedInput, SharedInput, ReceivingInput:
		v = 1
	case WithdrawalInput:
		v = 2
	default:
		c.unknownCase("input")
	}
	switch c.variant(v, "CallArg", "Pure", "Object", "FundsWithdrawal") {
	case 0:
		p, _ := (*in).(PureInput)
		c.bytes(&p.Bytes, "a pure value")
		set[Input](c, in, p)
	case 1:
		c.object(in)
	case 2:
		w, _ := (*in).(WithdrawalInput)
		c.withdrawal(&w)
		set[Input](c, in, w)
	}
}

// unknownCase records an error for a nil value or one of an unknown type. When reading it does nothing,
// because there is no value yet.
func (c *bcs) unknownCase(what string) {
	if !c.reading {
		c.fail(c.pos, "an %s is missing or of an unknown kind", what)
	}
}

// object describes ObjectArg.
func (c *bcs) object(in *Input) {
	var v uint32
	switch (*in).(type) {
	case SharedInput:
		v = 1
	case ReceivingInput:
		v = 2
	}
	switch c.variant(v, "ObjectArg", "ImmOrOwnedObject", "SharedObject", "Receiving") {
	case 0:
		o, _ := (*in).(OwnedInput)
		c.ref(&o.Ref)
		set[Input](c, in, o)
	case 1:
		s, _ := (*in).(SharedInput)
		c.fixed(s.ID[:], "a shared object's id")
		c.u64(&s.InitialVersion, "a shared object's initial version")
		c.bool(&s.Mutable, "a shared object's mutable flag")
		set[Input](c, in, s)
	case 2:
		r, _ := (*in).(ReceivingInput)
		c.ref(&r.Ref)
		set[Input](c, in, r)
	}
}

func (c *bcs) withdrawal(w *WithdrawalInput) {
	c.variant(0, "Reservation", "MaxAmountU64")
	c.u64((*uint64)(&w.MaxAmount), "a withdrawal's amount")
	c.variant(0, "WithdrawalTypeArg", "Balance")
	c.typeTag(&w.Coin, 0)
	from := c.variant(uint32(w.From), "WithdrawFrom", "Sender", "Sponsor", "SenderAllowance")
	w.From = WithdrawalSource(from)
	if w.From == WithdrawSenderAllowance {
		c.fixed(w.Funder[:], "an allowance's funder")
		c.fixed(w.Allowance[:], "an allowance's id")
	}
}

func (c *bcs) argument(a *Argument) {
	kind := c.variant(uint32(a.Kind), "Argument", "GasCoin", "Input", "Result", "NestedResult")
	set(c, &a.Kind, ArgumentKind(kind))
	if a.Kind != ArgGasCoin {
		c.u16(&a.Index, "an argument's index")
	}
	if a.Kind == ArgNestedResult {
		c.u16(&a.Nested, "an argument's nested index")
	}
}

func (c *bcs) arguments(v *[]Argument, what string) { vector(c, v, 1, what, c.argument) }

// Variant numbers of the commands.
const (
	cmdMoveCall uint32 = iota
	cmdTransferObjects
	cmdSplitCoins
	cmdMergeCoins
	cmdPublish
	cmdMakeMoveVec
	cmdUpgrade
)

func (c *bcs) command(cmd *Command) {
	var v uint32
	switch (*cmd).(type) {
	case MoveCall:
		v = cmdMoveCall
	case TransferObjects:
		v = cmdTransferObjects
	case SplitCoins:
		v = cmdSplitCoins
	case MergeCoins:
		v = cmdMergeCoins
	case Publish:
		v = cmdPublish
	case MakeMoveVec:
		v = cmdMakeMoveVec
	case Upgrade:
		v = cmdUpgrade
	default:
		c.unknownCase("action of the transaction")
	}
	v = c.variant(v, "Command", "MoveCall", "TransferObjects", "SplitCoins", "MergeCoins",
		"Publish", "MakeMoveVec", "Upgrade")
	switch v {
	case cmdPublish, cmdUpgrade:
		c.packageCommand(v, cmd)
	default:
		c.valueCommand(v, cmd)
	}
}

// valueCommand describes the commands that use values.
func (c *bcs) valueCommand(v uint32, cmd *Command) {
	switch v {
	case cmdMoveCall:
		m, _ := (*cmd).(MoveCall)
		c.fixed(m.Package[:], "a package id")
		c.identifier(&m.Module, "a module name")
		c.identifier(&m.Function, "a function name")
		vector(c, &m.TypeArgs, 1, "the type arguments", func(t *TypeTag) { c.typeTag(t, 0) })
		c.arguments(&m.Arguments, "the arguments of a call")
		set[Command](c, cmd, m)
	case cmdTransferObjects:
		t, _ := (*cmd).(TransferObjects)
		c.arguments(&t.Objects, "the objects of a transfer")
		c.argument(&t.Recipient)
		set[Command](c, cmd, t)
	case cmdSplitCoins:
		s, _ := (*cmd).(SplitCoins)
		c.argument(&s.Coin)
		c.arguments(&s.Amounts, "the amounts of a split")
		set[Command](c, cmd, s)
	case cmdMergeCoins:
		m, _ := (*cmd).(MergeCoins)
		c.argument(&m.Into)
		c.arguments(&m.Sources, "the coins of a merge")
		set[Command](c, cmd, m)
	case cmdMakeMoveVec:
		m, _ := (*cmd).(MakeMoveVec)
		option(c, &m.Type, "the type of a vector", func(t *TypeTag) { c.typeTag(t, 0) })
		c.arguments(&m.Elements, "the elements of a vector")
		set[Command](c, cmd, m)
	}
}

// packageCommand describes the commands that carry a package.
func (c *bcs) packageCommand(v uint32, cmd *Command) {
	p, _ := (*cmd).(Publish)
	u, upgrade := (*cmd).(Upgrade)
	if upgrade {
		p = Publish{Modules: u.Modules, Dependencies: u.Dependencies}
	}
	vector(c, &p.Modules, 1, "the modules of a package", func(b *[]byte) { c.bytes(b, "a module") })
	vector(c, &p.Dependencies, 32, "the dependencies of a package",
		func(a *ObjectID) { c.fixed(a[:], "a dependency") })
	if v == cmdPublish {
		set[Command](c, cmd, p)
		return
	}
	u.Modules, u.Dependencies = p.Modules, p.Dependencies
	c.fixed(u.Package[:], "the upgraded package's id")
	c.argument(&u.Ticket)
	set[Command](c, cmd, u)
}

func (c *bcs) expiration(e *Expiration) {
	var v uint32
	switch (*e).(type) {
	case NoExpiration:
	case EpochExpiration:
		v = 1
	case ValidDuring:
		v = 2
	case Validity:
		v = 3
	default:
		c.unknownCase("expiration")
	}
	switch c.variant(v, "TransactionExpiration", "None", "Epoch", "ValidDuring", "Validity") {
	case 0:
		set[Expiration](c, e, NoExpiration{})
	case 1:
		x, _ := (*e).(EpochExpiration)
		c.u64(&x.Epoch, "the expiration epoch")
		set[Expiration](c, e, x)
	case 2:
		x, _ := (*e).(ValidDuring)
		c.validDuring(&x)
		set[Expiration](c, e, x)
	case 3:
		x, _ := (*e).(Validity)
		c.validDuring(&x.ValidDuring)
		option(c, &x.Proposers, "the allowed proposers", func(p *Proposers) {
			c.u64(&p.Epoch, "the proposers' epoch")
			vector(c, &p.Members, 4, "the proposers", func(m *uint32) { c.u32(m, "a proposer") })
		})
		set[Expiration](c, e, x)
	}
}

func (c *bcs) validDuring(v *ValidDuring) {
	for _, bound := range []struct {
		v    **uint64
		what string
	}{
		{&v.MinEpoch, "the first epoch"}, {&v.MaxEpoch, "the last epoch"},
		{&v.MinTimestamp, "the earliest time"}, {&v.MaxTimestamp, "the latest time"},
	} {
		option(c, bound.v, bound.what, func(n *uint64) { c.u64(n, bound.what) })
	}
	c.digest(&v.Chain, "the chain's digest")
	c.u32(&v.Nonce, "the nonce")
}

// typeTag describes TypeTag; its variants are the values of TypeKind.
func (c *bcs) typeTag(t *TypeTag, depth int) {
	at := c.pos
	if depth > maxTypeDepth {
		c.fail(at, "a type is nested more than %d deep", maxTypeDepth)
		return
	}
	kind := c.variant(uint32(t.Kind), "TypeTag", "bool", "u8", "u64", "u128", "address",
		"signer", "vector", "struct", "u16", "u32", "u256")
	set(c, &t.Kind, TypeKind(kind))
	switch {
	case c.err != nil:
	case t.Kind == TypeVector:
		if c.reading {
			t.Elem = new(TypeTag)
		}
		if t.Elem == nil {
			c.unknownCase("element type")
			return
		}
		c.typeTag(t.Elem, depth+1)
	case t.Kind == TypeStruct:
		if c.reading {
			t.Struct = new(StructTag)
		}
		if t.Struct == nil {
			c.unknownCase("inner type")
			return
		}
		c.structTag(t.Struct, depth)
	}
}

func (c *bcs) structTag(s *StructTag, depth int) {
	c.fixed(s.Address[:], "a type's package id")
	c.identifier(&s.Module, "a type's module name")
	c.identifier(&s.Name, "a type's name")
	vector(c, &s.Params, 1, "a type's parameters", func(p *TypeTag) { c.typeTag(p, depth+1) })
}
