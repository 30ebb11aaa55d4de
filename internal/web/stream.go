package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Streams limits concurrent streams, in total and per caller.
type Streams struct {
	full string // error message if the limit is reached
	most int    // maximum number of streams in total
	mu   sync.Mutex
	all  int
	each map[string][]chan struct{} // by caller, oldest first; closed to end a stream
}

// NewStreams returns a limit of most streams. full is the error message if it is reached.
func NewStreams(most int, full string) *Streams {
	return &Streams{most: most, full: full, each: map[string][]chan struct{}{}}
}

// enter registers a stream. If the caller has too many, its oldest stream ends. gone is closed when
// this stream has to end. If ok, leave must be called.
func (s *Streams) enter(caller string) (gone <-chan struct{}, leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= s.most {
		return nil, nil, false
	}
	own := make(chan struct{})
	list := s.each[caller]
	if len(list) >= maxStreamsSession {
		close(list[0])
		list = list[1:]
	}
	s.each[caller] = append(list, own)
	s.all++
	return own, func() { s.leave(caller, own) }, true
}

func (s *Streams) leave(caller string, own chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	list := s.each[caller]
	for i := range list {
		if list[i] == own {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(list) == 0 {
		delete(s.each, caller)
		return
	}
	s.each[caller] = list
}

// errReplaced ends the oldest stream of a caller that opened too many.
var errReplaced = errors.New("a newer stream took the place of this one")

// Stream writes server-sent events.
type Stream struct {
	// Beat is the time between comments in an idle stream.
	Beat time.Duration

	w       http.ResponseWriter
	control *http.ResponseController
	ctx     context.Context
	end     func()
}

// Stream begins a stream within a limit. by names the caller. If the caller has too many streams,
// its oldest one ends. The caller of Stream must call Close. A stream does not count toward the
// limit of concurrent requests.
func (c *Call) Stream(places *Streams, by string) (*Stream, error) {
	out, err := c.Reserve(places, by)
	if err != nil {
		return nil, err
	}
	if err := out.Begin(); err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

// Reserve is like Stream, but leaves it to the caller to call Begin.
func (c *Call) Reserve(places *Streams, by string) (*Stream, error) {
	s := c.server
	gone, leave, ok := places.enter(by)
	if !ok {
		return nil, fault.New(fault.RateLimited, "%s", places.full)
	}
	s.open.Add(1)
	s.busy.leave(c.counted)
	out := &Stream{Beat: s.Heartbeat, w: c.W, control: http.NewResponseController(c.W)}
	ctx, stop := context.WithCancelCause(c.Ctx())
	life := time.AfterFunc(streamLife, func() { stop(context.DeadlineExceeded) })
	out.ctx, out.end = ctx, func() {
		life.Stop()
		stop(nil)
		s.busy.hold(c.counted)
		s.open.Add(-1)
		leave()
	}
	go func() {
		select {
		case <-gone:
			stop(errReplaced)
		case <-s.done:
			stop(context.Canceled)
		case <-ctx.Done():
		}
	}()
	return out, nil
}

// Context is canceled when the stream has to end: the client or the server is gone, half an hour
// has passed, or a newer stream replaces it.
func (s *Stream) Context() context.Context { return s.ctx }

// Close ends the stream.
func (s *Stream) Close() { s.end() }

// Begin sends the header. It removes the connection's deadlines, which are meant for short
// responses.
func (s *Stream) Begin() error {
	err := errors.Join(s.control.SetReadDeadline(time.Time{}), s.control.SetWriteDeadline(time.Time{}))
	if err == nil {
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.WriteHeader(http.StatusOK)
		// A client that loses the stream reconnects after this many milliseconds.
		err = s.send("retry: 500\n\n")
	}
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "This connection cannot carry a stream.")
	}
	return nil
}

// Comment writes a comment, which keeps the connection alive.
func (s *Stream) Comment() error { return s.send(": here\n\n") }

// Event writes an event. Its id is the sequence number; 0 means no id.
func Event[T any](s *Stream, name string, seq int64, data T) error {
	id := ""
	if seq > 0 {
		id = strconv.FormatInt(seq, 10)
	}
	return Frame(s, id, name, data)
}

// Frame writes an event. Its id must be one word; "" means no id.
func Frame[T any](s *Stream, id, name string, data T) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	return s.send(fmt.Sprintf("%sevent: %s\ndata: %s\n\n", id, name, b))
}

// send writes with a deadline, so that a client that stops reading blocks a goroutine only for
// seconds.
func (s *Stream) send(text string) error {
	long := time.AfterFunc(streamWriteTime, func() {
		// A deadline in the past ends a blocked write.
		_ = s.control.SetWriteDeadline(time.Unix(1, 0))
	})
	defer long.Stop()
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
