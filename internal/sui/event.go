package sui

// Event is an event of a Move call, as reported by a node.
// Package and Module belong to the transaction's call that led to it, Type is
// the canonical struct text and Contents the BCS of the Move value. Index counts
// the events of one transaction from 0.
type Event struct {
	Package     ObjectID
	Module      string
	Sender      Address
	Type        string
	Contents    []byte
	Transaction Digest
	Checkpoint  uint64
	Index       uint32
}

// EventFilter selects events of exactly one type in transactions that Sender sent, except those
// caused by a call into a module in NotFrom ("package::module").
type EventFilter struct {
	Sender  Address
	Type    string
	NotFrom []string
}
