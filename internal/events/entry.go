package events

import "time"

// Entry is a recorded change. Seq grows with every change in a store and is never reused, so a
// reader can store its position as the Seq of the last entry that it has read.
type Entry struct {
	Seq      int64     `json:"seq"`
	Kind     Kind      `json:"kind"`
	Subject  string    `json:"subject"`
	From     string    `json:"from,omitempty"` // status before the change; "" for something new
	To       string    `json:"to,omitempty"`   // status after the change
	Revision int64     `json:"revision,omitempty"`
	What     string    `json:"what"` // one word chosen by the code that made the change, such as "opened"
	At       time.Time `json:"at"`
}

// NoOp reports whether the entry left the status unchanged.
func (e Entry) NoOp() bool { return e.From == e.To }
