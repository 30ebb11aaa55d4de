package sui

// Transaction is a programmable transaction: the contents of TransactionData (V1). DecodeTransaction
// and Encode convert it.
type Transaction struct {
	Inputs     []Input
	Commands   []Command
	Sender     Address
	Gas        Gas
	Expiration Expiration
}

// Kind is the inputs and commands of a transaction, without sender, gas and expiration.
type Kind struct {
	Inputs   []Input
	Commands []Command
}

// Gas describes the payment. Budget and Price are in MIST.
type Gas struct {
	Payment []ObjectRef
	Owner   Address
	Price   uint64
	Budget  uint64
}

// ObjectRef identifies one version of an object.
type ObjectRef struct {
	ID      ObjectID `json:"objectId"`
	Version uint64   `json:"version,string"`
	Digest  Digest   `json:"digest"`
}

// Input is one of PureInput, OwnedInput, SharedInput, ReceivingInput, WithdrawalInput.
type Input interface{ isInput() }

// PureInput is a BCS-encoded value that is not an object.
type PureInput struct{ Bytes []byte }

// OwnedInput is an address-owned or immutable object at one version.
type OwnedInput struct{ Ref ObjectRef }

// SharedInput is a shared object. InitialVersion never changes.
type SharedInput struct {
	ID             ObjectID
	InitialVersion uint64
	Mutable        bool
}

// Clock is the chain's clock, a shared object with the same id on every chain. Its initial shared
// version is ClockVersion.
var Clock = ObjectID{31: 6}

// ClockVersion is the initial shared version of Clock.
const ClockVersion uint64 = 1

// ClockInput returns the input for the chain's clock, which transactions can only read.
func ClockInput() SharedInput { return SharedInput{ID: Clock, InitialVersion: ClockVersion} }

// ReceivingInput is an object owned by another object, to be received.
type ReceivingInput struct{ Ref ObjectRef }

// WithdrawalSource is the owner of the address balance that is withdrawn from.
type WithdrawalSource uint8

// Sources of a withdrawal. The values are the BCS variants.
const (
	WithdrawSender WithdrawalSource = iota
	WithdrawSponsor
	WithdrawSenderAllowance
)

// WithdrawalInput reserves funds of an address balance.
type WithdrawalInput struct {
	MaxAmount Raw
	Coin      TypeTag // the type T of Balance<T>
	From      WithdrawalSource
	Funder    Address  // only for WithdrawSenderAllowance
	Allowance ObjectID // only for WithdrawSenderAllowance
}

func (PureInput) isInput()       {}
func (OwnedInput) isInput()      {}
func (SharedInput) isInput()     {}
func (ReceivingInput) isInput()  {}
func (WithdrawalInput) isInput() {}

// ArgumentKind is the kind of a command argument. The values are the BCS variants.
type ArgumentKind uint8

// Kinds of arguments.
const (
	ArgGasCoin ArgumentKind = iota
	ArgInput
	ArgResult
	ArgNestedResult
)

// Argument is a value used by a command: the gas coin, input Index, the result of command Index, or
// its result number Nested.
type Argument struct {
	Kind   ArgumentKind
	Index  uint16
	Nested uint16
}

// GasCoin is the coin that pays for the transaction.
var GasCoin = Argument{Kind: ArgGasCoin}

// InputArg returns the argument for input i.
func InputArg(i int) Argument { return Argument{Kind: ArgInput, Index: uint16(i)} }

// ResultArg returns the argument for the single result of command i.
func ResultArg(i int) Argument { return Argument{Kind: ArgResult, Index: uint16(i)} }

// NestedArg returns the argument for result n of command i.
func NestedArg(i, n int) Argument {
	return Argument{Kind: ArgNestedResult, Index: uint16(i), Nested: uint16(n)}
}

// Command is one of MoveCall, TransferObjects, SplitCoins, MergeCoins, Publish,
// MakeMoveVec, Upgrade.
type Command interface{ isCommand() }

// MoveCall calls a function of a package.
type MoveCall struct {
	Package   ObjectID
	Module    string
	Function  string
	TypeArgs  []TypeTag
	Arguments []Argument
}

// TransferObjects sends objects to an address.
type TransferObjects struct {
	Objects   []Argument
	Recipient Argument
}

// SplitCoins splits amounts off a coin. Each becomes one result.
type SplitCoins struct {
	Coin    Argument
	Amounts []Argument
}

// MergeCoins merges coins into another.
type MergeCoins struct {
	Into    Argument
	Sources []Argument
}

// Publish publishes a package.
type Publish struct {
	Modules      [][]byte
	Dependencies []ObjectID
}

// MakeMoveVec makes a vector of its elements. Type is nil if omitted.
type MakeMoveVec struct {
	Type     *TypeTag
	Elements []Argument
}

// Upgrade upgrades a package.
type Upgrade struct {
	Modules      [][]byte
	Dependencies []ObjectID
	Package      ObjectID
	Ticket       Argument
}

func (MoveCall) isCommand()        {}
func (TransferObjects) isCommand() {}
func (SplitCoins) isCommand()      {}
func (MergeCoins) isCommand()      {}
func (Publish) isCommand()         {}
func (MakeMoveVec) isCommand()     {}
func (Upgrade) isCommand()         {}

// Expiration is one of NoExpiration, EpochExpiration, ValidDuring, Validity.
type Expiration interface{ isExpiration() }

// NoExpiration never expires.
type NoExpiration struct{}

// EpochExpiration allows execution up to and including Epoch.
type EpochExpiration struct{ Epoch uint64 }

// ValidDuring limits epochs and times (milliseconds). Nil bounds are open.
type ValidDuring struct {
	MinEpoch, MaxEpoch         *uint64
	MinTimestamp, MaxTimestamp *uint64
	Chain                      Digest
	Nonce                      uint32
}

// Validity is like ValidDuring with an optional list of allowed proposers.
type Validity struct {
	ValidDuring
	Proposers *Proposers
}

// Proposers lists committee members of one epoch that may propose the transaction.
type Proposers struct {
	Epoch   uint64
	Members []uint32
}

func (NoExpiration) isExpiration()    {}
func (EpochExpiration) isExpiration() {}
func (ValidDuring) isExpiration()     {}
func (Validity) isExpiration()        {}
