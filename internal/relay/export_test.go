package relay

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/remotes"
)

// ShortenPairing shortens the time limit of pairings during a test.
func ShortenPairing(t *testing.T, to time.Duration) {
	before := pairingTime
	pairingTime = to
	t.Cleanup(func() { pairingTime = before })
}

// MaxUnproved is the maximum number of pairings and connections whose key is not proved.
const MaxUnproved = mostUnproved

// Unproved returns the number of pairings and connections whose key is not proved.
func (h *Host) Unproved() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.unproved)
}

// MaxOfRemote is the maximum number of connections per machine.
const MaxOfRemote = mostOfRemote

// Enter adds a connection of a machine, and Leave removes one.
func (h *Host) Enter(k remotes.Key) bool {
	if h.open == nil {
		h.open = map[remotes.Key]int{}
	}
	return h.enter(k)
}

func (h *Host) Leave(k remotes.Key) { h.leave(k) }
