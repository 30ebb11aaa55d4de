package sui

import "time"

// Listed is a list that a node may have reported only in part. If Known is false, the node did not
// report the list, so an empty one means nothing. More means that there are further items, which were
// not fetched or could not be read.
type Listed[T any] struct {
	Items []T
	Known bool
	More  bool
}

// Whole reports whether the list is complete.
func (l Listed[T]) Whole() bool { return l.Known && !l.More }

// PastTransaction describes a transaction on chain, as reported by a node. Fields that it did not
// report are nil or, for times, zero. Only Bytes can be verified, against Digest. BalancesRefused means
// that Balances are omitted because they contradict the rest.
type PastTransaction struct {
	Digest     Digest
	Sender     *Address // nil for a system transaction
	Kind       string   // as reported, such as ProgrammableTransaction
	Status     PastStatus
	Failure    *PastFailure // set only if it failed
	Checkpoint *uint64
	Timestamp  time.Time // time of its checkpoint
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
	Chain           ChainMark // set only for a transaction requested by itself
}

// PastStatus is the reported outcome of a transaction.
type PastStatus string

// Statuses. PastUnknown does not mean that the transaction does not exist.
const (
	PastSuccess PastStatus = "success"
	PastFailed  PastStatus = "failure"
	PastUnknown PastStatus = "unknown"
)

// PastFailure is why a transaction failed, as reported: untrusted text, and the location of an abort,
// if any. Abort.Command is -1, because the node does not report it.
type PastFailure struct {
	Message string
	Abort   *MoveAbort
}

// PastBalance is a change of a coin balance. Owner is nil if no address is reported.
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
	Owner  *Owner // afterwards; nil if deleted, wrapped or not reported
}

// PastCall is a Move call of a programmable transaction. Command is the index of its command.
type PastCall struct {
	Command          int
	Package          ObjectID
	Module, Function string
}

// PastEvent is one event. Contents is its BCS, or nil if it was not reported.
type PastEvent struct {
	Package  ObjectID // package that emitted it
	Module   string
	Type     string
	Sender   *Address
	Contents []byte
}

// PastQuery selects transactions, newest first. Exactly one of Affected and Sent is set. Function,
// allowed only with Sent, is package::module::function. Bounds are inclusive checkpoints. Cursor is
// from an earlier page.
type PastQuery struct {
	Affected, Sent *Address
	Function       string
	From, To       *uint64
	Cursor         string
	Most           int
}

// PastPage is one page of results, newest first. Cursor selects the next, older page, and is empty on
// the last page.
type PastPage struct {
	Transactions []PastTransaction
	Cursor       string
	Chain        ChainMark
}

// ChainMark identifies a chain by the first four bytes of its identifier, the part that every service
// reports. Zero means not reported.
type ChainMark [4]byte

// MarkOf returns the mark of a chain identifier.
func MarkOf(chain Digest) ChainMark { return ChainMark(chain[:4]) }

// Differs reports whether two marks are known and belong to different chains.
func (m ChainMark) Differs(other ChainMark) bool {
	return m != other && m != ChainMark{} && other != ChainMark{}
}

// PastLimits are the maximum sizes of lists in one response of a node.
type PastLimits struct {
	Transactions, Calls, Inputs, Balances, Objects, Events, Checkpoints int
}

// PastCheckpoint is a checkpoint and its time, by the validators' clocks.
type PastCheckpoint struct {
	Number uint64
	Time   time.Time
}

// PastRange is the inclusive range of checkpoints that a node still has.
type PastRange struct {
	First, Last PastCheckpoint
	Chain       ChainMark
}
