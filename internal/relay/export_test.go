package relay

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/remotes"
)

// ShortenPairing makes pairings end early during a test.
func ShortenPairing(t *testing.T, to time.Duration) {
	before := pairingTime
	pairingTime = to
	t.Cleanup(func() { pairingTime = before })
}

// MaxUnproved is how many pairings and connections may be without a proof of their key.
const MaxUnproved = mostUnproved

// Unproved returns how many there are.
func (h *Host) Unproved() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.unproved)
}

// Listening sets a function that is called once remotes can connect.
func (h *Host) Listening(f func()) { h.listening = f }

// MaxOfRemote is how many connections one machine may have.
const MaxOfRemote = mostOfRemote

// Enter and Leave take and return a machine's place.
func (h *Host) Enter(k remotes.Key) bool {
	if h.open == nil {
		h.open = map[remotes.Key]int{}
	}
	return h.enter(k)
}

func (h *Host) Leave(k remotes.Key) { h.leave(k) }
