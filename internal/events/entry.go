package events

import "time"

// Entry is one recorded change of a thing. Seq grows with every change of
// anything in one store and is never used twice, so it can say up to where a
// reader has read.
type Entry struct {
	Seq      int64     `json:"seq"`
	Kind     Kind      `json:"kind"`
	Subject  string    `json:"subject"`
	From     string    `json:"from,omitempty"` // status before; empty for a new thing
	To       string    `json:"to,omitempty"`   // status after
	Revision int64     `json:"revision,omitempty"`
	What     string    `json:"what"` // one word of the one who changed it, as in "opened"
	At       time.Time `json:"at"`
}

// NoOp reports whether the entry left the status as it was.
func (e Entry) NoOp() bool { return e.From == e.To }
