package events

import "time"

// Entry is one recorded change. Seq increases with every change in a store and is never reused, so
// it also marks how far a reader has read.
type Entry struct {
	Seq      int64     `json:"seq"`
	Kind     Kind      `json:"kind"`
	Subject  string    `json:"subject"`
	From     string    `json:"from,omitempty"` // status before; empty for a new thing
	To       string    `json:"to,omitempty"`   // status after
	Revision int64     `json:"revision,omitempty"`
	What     string    `json:"what"` // one word by whoever changed it, as in "opened"
	At       time.Time `json:"at"`
}

// NoOp reports whether the entry left the status unchanged.
func (e Entry) NoOp() bool { return e.From == e.To }
