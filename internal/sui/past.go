package sui

import "time"

// Listed is a list of which a node reported a part. Told false means that it reported
// nothing, so an empty list is not a fact. More means that there are
// further items, which were not fetched or could not be read.
type Listed[T any] struct {
	Items []T
	Told  bool
	More  bool
}

// Whole reports whether the list is known to be complete.
func (l Listed[T]) Whole() bool { return l.Told && !l.More }

// PastTransaction is what a node reports of a transaction on the chain. Pointers are
// nil, and times zero, if it reported nothing. Only Bytes can be checked,
// against Digest. BalancesRefused means that Balances are omitted because they
// contradicted the rest.
type PastTransaction struct {
	Digest     Digest
	Sender     *Address // nil for a transaction of the system
	Kind       string   // the node's word, as in ProgrammableTransaction
	Status     PastStatus
	Failure    *PastFailure // of a failed one
	Checkpoint *uint64
	Timestamp  time.Time // of the checkpoint
	Epoch      *uint64
	GasPayer   *Address
	Gas        *GasCost
	Balances   Listed[PastBalance]
	Objects    Listed[PastObject]
	Calls      Listed[PastCall]
	Events     Listed[PastEvent]
	Shared     Listed[ObjectID] // shared objects among the inputs
	Bytes      []byte           // BCS of TransactionData, if requested

	BalancesRefused bool
	Chain           ChainMark // of a transaction that was asked for by itself
}

// PastStatus is how a transaction ended, as reported.
type PastStatus string

// The statuses. PastUnknown does not mean that the transaction does not exist.
const (
	PastSuccess PastStatus = "success"
	PastFailed  PastStatus = "failure"
	PastUnknown PastStatus = "unknown"
)

// PastFailure is why a transaction failed, as reported: untrusted text, and the
// place of an abort, if any. The Command of Abort is -1, because the node does
// not report it.
type PastFailure struct {
	Message string
	Abort   *MoveAbort
}

// PastBalance is a change of what somebody holds of a coin. Owner is nil where
// no address is reported.
type PastBalance struct {
	Owner  *Address
	Coin   CoinType
	Amount Delta
}

// PastObject is a change of one object. Type is empty if it was not reported.
type PastObject struct {
	ID     ObjectID
	Type   string
	Change string // created, mutated, deleted, wrapped or unwrapped
	Owner  *Owner // after it; nil if deleted, inside another object, or not reported
}

// PastCall is one Move call of a programmable transaction. Command is which of
// the transaction's commands it is, from 0.
type PastCall struct {
	Command          int
	Package          ObjectID
	Module, Function string
}

// PastEvent is one event. Contents is its BCS, nil if it was not reported.
type PastEvent struct {
	Package  ObjectID // that emitted it
	Module   string
	Type     string
	Sender   *Address
	Contents []byte
}

// PastQuery selects transactions, the newest first. Exactly one of Affected and
// Sent is set; Function, only with Sent, is package::module::function. Bounds
// are inclusive checkpoints. Cursor is from an earlier page.
type PastQuery struct {
	Affected, Sent *Address
	Function       string
	From, To       *uint64
	Cursor         string
	Most           int
}

// PastPage is one page of an answer, the newest first. Cursor continues it
// towards older ones; empty when there are none.
type PastPage struct {
	Transactions []PastTransaction
	Cursor       string
	Chain        ChainMark
}

// ChainMark is how an answer names its chain: the first bytes of the chain's
// identifier, as many as every service reports. Zero is not reported.
type ChainMark [4]byte

// MarkOf returns the mark of a chain identifier.
func MarkOf(chain Digest) ChainMark { return ChainMark(chain[:4]) }

// Differs reports whether two marks are known to be of different chains.
func (m ChainMark) Differs(other ChainMark) bool {
	return m != other && m != ChainMark{} && other != ChainMark{}
}

// PastLimits are how many items a node gives at once of each list.
type PastLimits struct {
	Transactions, Calls, Inputs, Balances, Objects, Events, Checkpoints int
}

// PastCheckpoint is a checkpoint and its own time, by the validators' clocks.
type PastCheckpoint struct {
	Number uint64
	Time   time.Time
}

// PastRange is what a node still has: both ends are included.
type PastRange struct {
	First, Last PastCheckpoint
	Chain       ChainMark
}
