package sui

import (
	"math"
	"math/bits"
	"time"
)

// The types of this file carry what a node reported. None of it is proof; values
// shown as guarantees are decoded from a transaction's own bytes.

// Coin is one coin object of an account. Consensus means that only consensus can
// spend it, so it is not an owned input of a transaction.
type Coin struct {
	Ref       ObjectRef `json:"ref"`
	Type      CoinType  `json:"coinType"`
	Balance   Raw       `json:"balance"`
	Consensus bool      `json:"consensus,omitempty"`
}

// Balance is what an address holds of one coin type: in coin objects, and in
// its address balance, which no coin object holds.
type Balance struct {
	Type    CoinType
	Total   Raw
	Coins   Raw
	Address Raw
}

// Fits reports whether coins can be what a list of at most most coins of the
// balance is: they never hold more, and exactly as much where the list is whole.
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

// OwnerKind says who may use an object.
type OwnerKind uint8

// The kinds of ownership.
const (
	OwnerUnknown OwnerKind = iota
	OwnerAddress
	OwnerObject
	OwnerShared
	OwnerImmutable
	OwnerConsensusAddress
)

// Owner is the owner of an object. Address is set for address, object and
// consensus-address owners; InitialVersion for shared objects.
type Owner struct {
	Kind           OwnerKind
	Address        Address
	InitialVersion uint64
}

// Object is one version of an object. Balance is set for coins. Previous is the
// transaction that created this version; zero if not requested or not reported.
type Object struct {
	Ref      ObjectRef
	Type     string // canonical struct text
	Owner    Owner
	Balance  *Raw
	Previous Digest
	Contents []byte // BCS of the Move value, if requested
}

// MostEpoch is more than the number of any epoch will ever be: an epoch is about
// a day.
const MostEpoch = 1 << 32

// Epoch is the current epoch and its reference gas price in MIST.
type Epoch struct {
	Number   uint64
	GasPrice uint64
}

// MostDecimals is the largest number of decimals that amounts are shown with, as
// many as a raw amount has digits to fill. Those of a coin that says to have more
// are shown in its smallest units.
const MostDecimals = 18

// Metadata describes a coin. Name, Symbol and Description are text of unknown
// authors.
type Metadata struct {
	Type        CoinType
	Decimals    uint8
	Name        string
	Symbol      string
	Description string
}

// GasCost is what a transaction cost, in MIST.
type GasCost struct {
	Computation   Raw `json:"computationCost"`
	Storage       Raw `json:"storageCost"`
	Rebate        Raw `json:"storageRebate"`
	NonRefundable Raw `json:"nonRefundableStorageFee"`
}

// Net is what the payer loses: computation plus storage minus rebate. It is
// negative when the rebate is larger. Costs that no coin could pay, which only
// a lying node reports, count as the largest amount.
func (g GasCost) Net() Delta {
	cost, carry := bits.Add64(uint64(g.Computation), uint64(g.Storage), 0)
	if carry != 0 {
		cost = math.MaxUint64
	}
	return DeltaOf(g.Rebate, Raw(cost))
}

// BalanceChange is how one address's holding of one coin changed.
type BalanceChange struct {
	Owner  Address  `json:"owner"`
	Coin   CoinType `json:"coinType"`
	Amount Delta    `json:"amountRaw"`
}

// ObjectChange is one object that a transaction touched. Change is created,
// mutated, deleted, wrapped, unwrapped or unchanged. One that is created and has
// no Output version was put inside another object at once.
type ObjectChange struct {
	ID     ObjectID `json:"objectId"`
	Type   string   `json:"objectType,omitempty"`
	Change string   `json:"change"`
	Input  uint64   `json:"inputVersion,omitempty,string"`
	Output uint64   `json:"outputVersion,omitempty,string"`
	Shared bool     `json:"shared,omitempty"` // it is a shared object afterwards
}

// MoveAbort is the place where Move code aborted.
type MoveAbort struct {
	Package  Address `json:"package"`
	Module   string  `json:"module"`
	Function string  `json:"function,omitempty"`
	Code     uint64  `json:"code,string"`
	Command  int     `json:"command"`
}

// ExecutionStatus says whether a transaction did what it says. Kind is the
// node's name of the error, for example MOVE_ABORT or INSUFFICIENT_GAS.
type ExecutionStatus struct {
	OK    bool
	Kind  string
	Text  string // the node's description: untrusted text
	Abort *MoveAbort
	// Command is the command at which a coin held too little; nil for every other failure.
	Command *int
}

// Effects is what a transaction did, or would do, by a node's word.
type Effects struct {
	Digest   Digest
	Sender   Address
	Status   ExecutionStatus
	Gas      GasCost
	Epoch    uint64
	Balances []BalanceChange
	Objects  []ObjectChange
}

// ReturnValue is one value that a Move call returned: its BCS bytes.
type ReturnValue struct{ BCS []byte }

// Simulation is a node's answer to a simulated transaction. Returns has one
// entry per command. Events are as those of Executed.
type Simulation struct {
	Effects
	Returns [][]ReturnValue
	Events  []Event
	At      time.Time // when this machine got the answer
}

// Executed is a transaction on the chain. Checkpoint is nil until it is
// part of one. Events has the reported events, of whose place only Index is
// known; empty if none were reported.
type Executed struct {
	Effects
	Events     []Event
	Checkpoint *uint64
	Timestamp  time.Time // the checkpoint's time, zero while unknown
}
