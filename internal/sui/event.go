package sui

// Event is an event of a Move call, as reported by a node. Package and Module belong to the
// transaction's call that caused it. Type is the canonical struct type, and Contents is the BCS of the
// Move value. Index counts the transaction's events from 0.
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

// EventFilter selects events of exactly one type in transactions sent by Sender. It excludes events
// caused by a call into a module in NotFrom ("package::module").
type EventFilter struct {
	Sender  Address
	Type    string
	NotFrom []string
}
