package relay

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

// Limits of a stream, in each direction.
const (
	mostUnsent = 4 << 20 // unacknowledged bytes at which a writer waits
	mostUnread = 8 << 20 // unread bytes; further packets are dropped
	chunkBytes = 128 << 10
	// mostPackets limits the number of packets that wait to be opened, and mostUnread their size.
	// More packets are dropped, as a network may do, so that a flood cannot fill the memory.
	mostPackets = 4096
)

// Timing of a stream, which tests shorten.
var (
	beat      = time.Second            // interval of heartbeats
	again     = 300 * time.Millisecond // delay before unacknowledged data is retransmitted
	silence   = 8 * time.Second        // time after which the other side counts as gone
	mostPause = 2 * time.Second        // maximum retransmission interval
	stepEvery = 50 * time.Millisecond
)

// ErrGone is returned by Read and Write after the other side was silent for too long.
var ErrGone = errors.New("relay: the other machine no longer responds")

// EndedError is returned by Read after the other side ended the stream with a reason.
type EndedError struct{ Reason string }

func (e *EndedError) Error() string { return "relay: " + e.Reason }

// Stream is a sealed, bidirectional byte stream over messages that may be lost, duplicated or
// reordered. All written bytes arrive in order, or Read fails.
type Stream struct {
	keys    packetKeys
	publish func([]byte) error
	chunk   int
	now     func() time.Time

	mu      sync.Mutex
	changed *sync.Cond
	err     error  // why the stream ended
	heard   func() // called for every packet from the other side

	sent     uint64   // number of the last packet
	unacked  [][]byte // sealed packets, oldest first; the last has the number sent
	unsent   int      // total size of unacked packets
	sentAt   time.Time
	pause    time.Duration // interval until retransmission
	acks     uint64        // number in the last acknowledgement that was sent
	ackSeen  uint64        // number in the last acknowledgement that arrived
	ackedAt  time.Time
	next     uint64 // number of the next expected packet
	unread   []byte
	lastSign time.Time
	done     chan struct{}
}

// newStream returns a stream that sends packets with publish. Incoming packets must be passed to
// take.
func newStream(keys packetKeys, most int64, publish func([]byte) error, now func() time.Time) *Stream {
	chunk := chunkBytes
	if most > 0 && int(most) < chunk+sealBytes {
		chunk = int(most) - sealBytes
	}
	at := now()
	s := &Stream{now: now, keys: keys, publish: publish, chunk: max(chunk, 1), next: 1, sentAt: at, pause: again,
		lastSign: at, done: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	go s.tick()
	return s
}

// take processes one packet. It drops packets that it cannot open, and duplicates. It also drops
// packets that arrive out of order, which the other side will retransmit.
func (s *Stream) take(packet []byte) {
	kind, number, payload, ok := s.keys.open(packet)
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if kind == kindAck {
		//mutant:never ./internal/relay TestStream/replayed acknowledgements
		if number <= s.ackSeen || len(payload) != 8 {
			return
		}
		s.ackSeen = number
		s.sign()
		s.acknowledged(binary.BigEndian.Uint64(payload))
		return
	}
	if kind == kindEnd && len(payload) > 0 { // an end with a reason takes effect at once
		s.end(&EndedError{Reason: string(payload)})
		return
	}
	//mutant:never ./internal/relay TestStream/lost, doubled and reordered
	if number != s.next {
		if number < s.next {
			s.acknowledge() // the earlier acknowledgement may have been lost
		}
		return
	}
	s.sign()
	if kind == kindEnd {
		s.end(&EndedError{})
		return
	}
	if len(s.unread) > 0 && len(s.unread)+len(payload) > mostUnread {
		return
	}
	s.unread = append(s.unread, payload...)
	s.next++
	s.acknowledge()
	s.changed.Broadcast()
}

// sign records that the other side has sent something. The caller of this method and of those below
// must hold s.mu.
func (s *Stream) sign() {
	s.lastSign = s.now()
	if s.heard != nil {
		s.heard()
	}
}

func (s *Stream) acknowledged(next uint64) {
	first := s.sent - uint64(len(s.unacked)) + 1
	if next <= first || next > s.sent+1 {
		return
	}
	for range next - first {
		s.unsent -= len(s.unacked[0])
		s.unacked = s.unacked[1:]
	}
	s.sentAt, s.pause = s.now(), again
	s.changed.Broadcast()
}

func (s *Stream) acknowledge() {
	s.acks++
	s.ackedAt = s.now()
	_ = s.publish(s.keys.seal(kindAck, s.acks, binary.BigEndian.AppendUint64(nil, s.next)))
}

// end ends the stream for both directions.
func (s *Stream) end(err error) {
	if s.err == nil {
		s.err = err
		close(s.done)
		s.changed.Broadcast()
	}
}

// tick retransmits, sends heartbeats, and detects that the other side is gone.
func (s *Stream) tick() {
	t := time.NewTicker(stepEvery)
	defer t.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-t.C:
		}
		s.mu.Lock()
		now := s.now()
		switch {
		case s.err != nil:
		case now.Sub(s.lastSign) > silence:
			s.end(ErrGone)
		default:
			if len(s.unacked) > 0 && now.Sub(s.sentAt) > s.pause {
				for _, packet := range s.unacked {
					_ = s.publish(packet)
				}
				// If the receiver accepts nothing because nobody reads from it, retransmissions
				// slow down.
				s.sentAt, s.pause = now, min(2*s.pause, mostPause)
			}
			if now.Sub(s.ackedAt) > beat {
				s.acknowledge()
			}
		}
		s.mu.Unlock()
	}
}

// Write sends p. It blocks while too much data is unacknowledged.
func (s *Stream) Write(p []byte) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(p) > 0 {
		for s.err == nil && s.unsent >= mostUnsent {
			s.changed.Wait()
		}
		if s.err != nil {
			return n, s.err
		}
		part := p[:min(len(p), s.chunk)]
		p, n = p[len(part):], n+len(part)
		if len(s.unacked) == 0 {
			s.sentAt, s.pause = s.now(), again
		}
		s.sent++
		packet := s.keys.seal(kindData, s.sent, part)
		s.unacked, s.unsent = append(s.unacked, packet), s.unsent+len(packet)
		_ = s.publish(packet) // retransmitted if this fails
	}
	return n, nil
}

// Read returns bytes from the other side. After the last byte it returns the reason for the end, or
// io.EOF if there was none.
func (s *Stream) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.unread) == 0 && s.err == nil {
		s.changed.Wait()
	}
	if len(s.unread) > 0 {
		n := copy(p, s.unread)
		if s.unread = s.unread[n:]; len(s.unread) == 0 {
			s.unread = nil
		}
		return n, nil
	}
	var ended *EndedError
	if errors.As(s.err, &ended) && ended.Reason == "" {
		return 0, io.EOF
	}
	return 0, s.err
}

// End ends the stream and sends the reason to the other side, or "" for a normal end. It waits
// briefly for acknowledgements.
func (s *Stream) End(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	if reason == "" {
		over := false // the timer sets it, because the clock may read slightly earlier
		wake := time.AfterFunc(2*again, func() { s.mu.Lock(); over = true; s.changed.Broadcast(); s.mu.Unlock() })
		defer wake.Stop()
		for s.err == nil && len(s.unacked) > 0 && !over {
			s.changed.Wait()
		}
	}
	if s.err != nil {
		return
	}
	_ = s.publish(s.keys.seal(kindEnd, s.sent+1, []byte(reason)))
	s.end(&EndedError{Reason: reason})
}

// Done is closed when the stream is over.
func (s *Stream) Done() <-chan struct{} { return s.done }
