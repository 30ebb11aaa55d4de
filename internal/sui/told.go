package sui

import (
	"math"
	"math/bits"
	"time"
)

// The types in this file hold values reported by a node. They are not proof. Values shown as guarantees
// are decoded from a transaction's own bytes.

// Coin is a coin object of an account. Consensus means that spending it requires consensus, so it
// cannot be an owned input.
type Coin struct {
	Ref       ObjectRef `json:"ref"`
	Type      CoinType  `json:"coinType"`
	Balance   Raw       `json:"balance"`
	Consensus bool      `json:"consensus,omitempty"`
}

// Balance is an address's holding of a coin type: in coin objects, and in its address balance.
type Balance struct {
	Type    CoinType
	Total   Raw
	Coins   Raw
	Address Raw
}

// Fits reports whether a list of up to most coins is consistent with the balance: their sum never
// exceeds it, and equals it if the list is complete.
func (b Balance) Fits(coins []Coin, most int) bool {
	rest := b.Coins
	for _, c := range coins {
		//mutant:never ./review/gate TestCoinsThatDoNotAddUp
		if c.Balance > rest {
			return false
		}
		rest -= c.Balance
	}
	//mutant:always ./review/gate TestCoinsThatDoNotAddUp
	return rest == 0 || len(coins) >= most
}

// OwnerKind is the kind of an object's owner.
type OwnerKind uint8

// Kinds of ownership.
const (
	OwnerUnknown OwnerKind = iota
	OwnerAddress
	OwnerObject
	OwnerShared
	OwnerImmutable
	OwnerConsensusAddress
)

// Owner is the owner of an object. Address is set for address, object and consensus-address owners, and
// InitialVersion for shared objects.
type Owner struct {
	Kind           OwnerKind
	Address        Address
	InitialVersion uint64
}

// Object is one version of an object. Balance is set for coins. Previous is the transaction that
// created this version, or zero if not requested or not reported.
type Object struct {
	Ref      ObjectRef
	Type     string // canonical struct text
	Owner    Owner
	Balance  *Raw
	Previous Digest
	Contents []byte // BCS of the Move value, if requested
}

// MostEpoch is larger than any real epoch number. An epoch lasts about a day.
const MostEpoch = 1 << 32

// Epoch is the current epoch and its reference gas price in MIST.
type Epoch struct {
	Number   uint64
	GasPrice uint64
}

// MostDecimals is the maximum number of decimals in displayed amounts. Amounts of coins with more
// decimals are shown in the smallest units.
const MostDecimals = 18

// Metadata describes a coin. Name, Symbol and Description are untrusted text.
type Metadata struct {
	Type        CoinType
	Decimals    uint8
	Name        string
	Symbol      string
	Description string
}

// GasCost is the cost of a transaction in MIST.
type GasCost struct {
	Computation   Raw `json:"computationCost"`
	Storage       Raw `json:"storageCost"`
	Rebate        Raw `json:"storageRebate"`
	NonRefundable Raw `json:"nonRefundableStorageFee"`
}

// Net returns the payer's net cost: computation plus storage minus rebate. It is negative if the rebate
// is larger. Costs that no coin could pay, which only a lying node reports, count as the maximum.
func (g GasCost) Net() Delta {
	cost, carry := bits.Add64(uint64(g.Computation), uint64(g.Storage), 0)
	if carry != 0 {
		cost = math.MaxUint64
	}
	return DeltaOf(g.Rebate, Raw(cost))
}

// BalanceChange is the change of one address's holding of one coin.
type BalanceChange struct {
	Owner  Address  `json:"owner"`
	Coin   CoinType `json:"coinType"`
	Amount Delta    `json:"amountRaw"`
}

// ObjectChange is a change of one object. Change is created, mutated, deleted, wrapped, unwrapped or
// unchanged. A created object without an Output version was wrapped immediately.
type ObjectChange struct {
	ID     ObjectID `json:"objectId"`
	Type   string   `json:"objectType,omitempty"`
	Change string   `json:"change"`
	Input  uint64   `json:"inputVersion,omitempty,string"`
	Output uint64   `json:"outputVersion,omitempty,string"`
	Shared bool     `json:"shared,omitempty"` // whether it is a shared object afterwards
}

// MoveAbort is the location of a Move abort.
type MoveAbort struct {
	Package  Address `json:"package"`
	Module   string  `json:"module"`
	Function string  `json:"function,omitempty"`
	Code     uint64  `json:"code,string"`
	Command  int     `json:"command"`
}

// ExecutionStatus reports whether a transaction succeeded. Kind is the node's name of the error,
// such as MOVE_ABORT or INSUFFICIENT_GAS.
type ExecutionStatus struct {
	OK    bool
	Kind  string
	Text  string // the node's description: untrusted text
	Abort *MoveAbort
	// Command is the index of the command whose coin held too little, or nil for other failures.
	Command *int
}

// Effects are the actual or expected effects of a transaction, as reported by a node.
type Effects struct {
	Digest   Digest
	Sender   Address
	Status   ExecutionStatus
	Gas      GasCost
	Epoch    uint64
	Balances []BalanceChange
	Objects  []ObjectChange
}

// ReturnValue is the BCS of one value that a Move call returned.
type ReturnValue struct{ BCS []byte }

// Simulation is a node's result of simulating a transaction. Returns has one entry per command. Events
// are like those of Executed.
type Simulation struct {
	Effects
	Returns [][]ReturnValue
	Events  []Event
	At      time.Time // when this machine received the result
}

// Executed is a transaction on chain. Checkpoint is nil until one contains it. Events are the reported
// events, with only Index as position. It is empty if none were reported.
type Executed struct {
	Effects
	Events     []Event
	Checkpoint *uint64
	Timestamp  time.Time // the checkpoint's time; zero if unknown
}
