package relay

import (
	"testing"
	"time"
)

// ShortenBeat has the server of a remote that reads give signs of life more often during a
// test.
func ShortenBeat(t *testing.T, to time.Duration) {
	before := keptBeat
	keptBeat = to
	t.Cleanup(func() { keptBeat = before })
}

// ShortenPairing makes pairings end early during a test.
func ShortenPairing(t *testing.T, to time.Duration) {
	before := pairingTime
	pairingTime = to
	t.Cleanup(func() { pairingTime = before })
}
