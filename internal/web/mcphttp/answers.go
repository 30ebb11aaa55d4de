package mcphttp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/web"
)

// quiet is the time to wait for an answer before starting a stream, which sends heartbeats.
const quiet = 3 * time.Second

// answers writes the answers to one message. If there is a single answer and it comes soon, answers
// sends JSON, otherwise an event stream.
type answers struct {
	v      *visit
	modern bool    // use the HTTP statuses of the protocol version without a handshake
	begun  *client // the session that the message starts
	gone   func()  // cancels the request if its stream breaks

	mu     sync.Mutex
	stream *web.Stream
	done   bool // nothing more can be written
}

var errAnswered = errors.New("mcphttp: the message was answered")

// Write writes one frame.
func (a *answers) Write(frame []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done {
		return 0, errAnswered
	}
	var m struct {
		Method string `json:"method"`
		Error  *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal(frame, &m); err != nil {
		return 0, err
	}
	if a.stream == nil && m.Method == "" {
		a.done = true
		status := http.StatusOK
		if m.Error != nil {
			status = a.status(m.Error.Code)
		}
		if a.begun != nil {
			if m.Error == nil {
				a.v.W.Header().Set(sessionHeader, a.begun.id)
			} else {
				a.v.clients.end(a.begun)
			}
		}
		return len(frame), a.v.frame(status, frame)
	}
	if err := a.open(); err != nil {
		return 0, err
	}
	err := a.v.still()
	if err == nil {
		err = web.Frame(a.stream, "", "message", json.RawMessage(frame))
	}
	if err != nil {
		a.gone()
		return 0, err
	}
	return len(frame), nil
}

// status returns the HTTP status of an error.
func (a *answers) status(code int) int {
	switch code {
	case codeNoMethod:
		if a.modern {
			return http.StatusNotFound
		}
	case codeHeaderMismatch, codeMissingCapability, codeUnknownVersion:
		return http.StatusBadRequest
	case codeInvalidRequest:
		if !a.modern {
			return http.StatusBadRequest
		}
	}
	return http.StatusOK
}

// open starts a stream. The caller must hold the lock.
func (a *answers) open() (err error) {
	if a.stream == nil {
		if a.stream, err = a.v.Stream(a.v.streams, strconv.FormatInt(a.v.clients.serial.Add(1), 10)); err != nil {
			a.done = true
			a.gone()
			return err
		}
		context.AfterFunc(a.stream.Context(), a.gone)
	}
	return nil
}

// keepAlive sends heartbeats until stop is called.
func (a *answers) keepAlive(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() {
		for wait := quiet; ; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			if wait = a.beat(); wait == 0 {
				return
			}
		}
	})
	return func() { cancel(); all.Wait() }
}

// beat writes a comment, and returns the time until the next one, or 0 if no more are needed.
func (a *answers) beat() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.done || a.open() != nil {
		return 0
	}
	if a.v.still() != nil || a.stream.Comment() != nil {
		a.gone()
		return 0
	}
	return a.stream.Beat
}

// close ends the response. It reports whether any answer was written.
func (a *answers) close() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.done || a.stream != nil
	a.done = true
	if a.stream != nil {
		a.stream.Close()
	}
	return was
}

// frame responds with one frame as JSON.
func (v *visit) frame(status int, frame []byte) error {
	return web.JSON(v.Call, status, json.RawMessage(frame))
}

// pushes sends messages that belong to no request to the newest stream of a session. Without a
// stream they are dropped, because nothing depends on them.
type pushes struct {
	mu sync.Mutex
	to *answers
}

// Write writes one frame. A broken stream does not end the session.
func (p *pushes) Write(frame []byte) (int, error) {
	p.mu.Lock()
	to := p.to
	p.mu.Unlock()
	if to != nil {
		_, _ = to.Write(frame)
	}
	return len(frame), nil
}

// attach makes a the newest stream and ends the previous one.
func (p *pushes) attach(a *answers) (detach func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil {
		p.to.gone()
	}
	p.to = a
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.to == a {
			p.to = nil
		}
		a.mu.Lock() // waits for a running write
		a.done = true
		a.mu.Unlock()
	}
}
