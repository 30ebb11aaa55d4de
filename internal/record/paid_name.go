package record

import "time"

// PaidName is a SuiNS name that a user paid from this machine, with the address and registration it
// had and the time of the latest payment.
type PaidName struct {
	Name   string
	Target string // whole address
	NFT    string // object id of the registration
	At     time.Time
}

// Payments is how often an address was paid from this machine.
type Payments struct {
	Times int
	At    time.Time // of the latest
	Last  string    // its amount, such as "5 SUI"; "" if unknown
}
