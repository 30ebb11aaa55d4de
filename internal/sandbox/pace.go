package sandbox

import "time"

// What a program that judges epochs has to know of the sandbox: at which epoch a
// chain begins, how long one lasts, and how many of them tests turn by hand
// without any time passing.
const (
	FirstEpoch   uint64        = firstEpoch
	EpochLength  time.Duration = epochLength
	EpochsByHand uint64        = 100
)
