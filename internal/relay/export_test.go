package relay

import (
	"testing"
	"time"
)

// ShortenPairing makes pairings end early during a test.
func ShortenPairing(t *testing.T, to time.Duration) {
	before := pairingTime
	pairingTime = to
	t.Cleanup(func() { pairingTime = before })
}
