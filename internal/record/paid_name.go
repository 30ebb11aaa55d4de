package record

import "time"

// PaidName is a SuiNS name that was paid from this machine, with its address and registration at
// the latest payment, and the time of that payment.
type PaidName struct {
	Name   string
	Target string // whole address
	NFT    string // object id of the registration
	At     time.Time
}

// Payments counts how often an address was paid from this machine.
type Payments struct {
	Times int
	At    time.Time // time of the latest payment
	Last  string    // amount of the latest payment, such as "5 SUI"; "" if unknown
}
