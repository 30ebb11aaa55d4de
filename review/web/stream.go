package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

// streams counts the open pages, all of them and by session.
type streams struct {
	mu   sync.Mutex
	most int // of all together
	all  int
	each map[string][]chan struct{} // oldest first; closed to make room
}

func newStreams(most int) *streams { return &streams{most: most, each: map[string][]chan struct{}{}} }

// enter registers a stream; the oldest one of the same session makes room. The
// channel closes when this one has to go; leave must be called in any case.
func (s *streams) enter(subject string) (gone <-chan struct{}, leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= s.most {
		return nil, nil, false
	}
	own := make(chan struct{})
	list := s.each[subject]
	if len(list) >= maxStreamsSession {
		close(list[0])
		list = list[1:]
	}
	s.each[subject] = append(list, own)
	s.all++
	return own, func() { s.leave(subject, own) }, true
}

func (s *streams) leave(subject string, own chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	list := s.each[subject]
	for i := range list {
		if list[i] == own {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(list) == 0 {
		delete(s.each, subject)
		return
	}
	s.each[subject] = list
}

func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// moment is what a stream tells of its subject: enough to know whether what a
// page shows is still so, and nothing that the page could show by itself.
type moment struct {
	Revision    int64            `json:"revision"`
	Status      string           `json:"status"`
	Access      pagetoken.Access `json:"access"`
	OpenedTwice bool             `json:"openedTwice"`
	InUse       string           `json:"inUse"`
	Computing   bool             `json:"computing"`
}

// stageMark is how far one stage of a running computation is.
type stageMark struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

// stream tells a page that its subject changed, as server-sent events. The
// first event is always the present state, so a page that missed something, or
// everything, needs no replay.
func (s *Server) stream(c *call) error {
	gone, leave, ok := s.streams.enter(string(c.pass.Kind) + "/" + c.pass.Subject)
	if !ok {
		return fault.New(fault.RateLimited, "Too many pages are open. Close some of them.")
	}
	defer leave()
	// The stream holds no place among the session's short requests.
	s.busy.leave(c.pass.Subject)
	defer s.busy.hold(c.pass.Subject)

	subject := subjectOf(c.pass)
	watch := s.Hub.Watch(subject, events.Subject{Kind: events.Account})
	defer watch.Close()
	out := &eventWriter{w: c.w, control: http.NewResponseController(c.w)}
	if err := out.open(); err != nil {
		return fault.Wrap(err, fault.InternalError, "This connection cannot carry a stream.")
	}
	s.follow(c, subject, watch, gone, out)
	return nil
}

// subjectOf is the thing whose changes a page shows. That of an account is the
// list of reviews.
func subjectOf(p pagetoken.Pass) events.Subject {
	switch p.Kind {
	case pagetoken.Connect:
		return events.Subject{Kind: events.Identity, ID: p.Subject}
	case pagetoken.Home, pagetoken.Account:
		return events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject}
	case pagetoken.Settings:
		return events.Subject{Kind: events.Settings}
	case pagetoken.Book:
		return events.Subject{Kind: events.Book, ID: pagetoken.BookSubject}
	case pagetoken.Bundle:
		return events.Subject{Kind: events.Bundle, ID: p.Subject}
	}
	return events.Subject{Kind: events.Review, ID: p.Subject}
}

// follow writes events until the page, the server or the page's right is gone.
// Once the stream has begun, there is nobody left to tell an error to.
// The watch is of the page's subject and of the account in use.
func (s *Server) follow(c *call, subject events.Subject, watch *events.Watch, gone <-chan struct{}, out *eventWriter) {
	heartbeat := time.NewTicker(s.heartbeat)
	defer heartbeat.Stop()
	life := time.NewTimer(streamLife)
	defer life.Stop()
	var told moment
	var marked []stageMark
	for {
		now, err := s.moment(c)
		if err != nil {
			return
		}
		if now != told {
			seq, err := s.Journal(c.ctx(), subject.Kind, subject.ID)
			if err != nil || out.event("changed", seq, now) != nil {
				return
			}
			told = now
		}
		if marks := s.marks(c); !slices.Equal(marks, marked) {
			if out.event("progress", 0, marks) != nil {
				return
			}
			marked = marks
		}
		for waiting := true; waiting; {
			select {
			case <-watch.C:
				waiting = false
			case <-heartbeat.C:
				if out.comment() != nil {
					return
				}
			case <-gone:
				_ = out.event("replaced", 0, struct{}{})
				return
			case <-life.C:
				return
			case <-s.done:
				return
			case <-c.ctx().Done():
				return
			}
		}
	}
}

// moment reads the present state. It asks the desk again, so that a page whose
// right has ended, or went to another tab, hears so.
func (s *Server) moment(c *call) (moment, error) {
	p, err := s.Desk.Check(c.ctx(), bearer(c.r))
	if err != nil {
		return moment{}, err
	}
	twice, err := s.Desk.OpenedTwice(c.ctx(), p.Kind, p.Subject)
	if err != nil {
		return moment{}, err
	}
	used, err := s.accountInUse(c.ctx())
	if err != nil {
		return moment{}, err
	}
	m := moment{Access: p.Access, OpenedTwice: twice, InUse: used.Mark}
	switch p.Kind {
	case pagetoken.Review:
		session, computing, err := s.Reviews.Current(c.ctx(), record.ID(p.Subject))
		m.Revision, m.Status, m.Computing = session.Revision, string(session.Status), computing
		return m, err
	case pagetoken.Home:
		facts, err := s.homeFacts(c.ctx())
		m.Revision = facts.revision
		return m, err
	case pagetoken.Account:
		owner, err := sui.ParseAddress(p.Subject)
		if err == nil {
			facts, err := s.accountFacts(c.ctx(), owner)
			m.Revision = facts.revision
			return m, err
		}
		return m, err
	case pagetoken.Settings:
		m.Revision, err = s.settingsRevision(c.ctx())
		return m, err
	case pagetoken.Book:
		m.Revision, err = s.bookRevision(c.ctx())
		return m, err
	case pagetoken.Bundle:
		b, err := s.Bundles.Get(c.ctx(), request.ID(p.Subject))
		m.Revision, m.Status = b.Revision, string(b.State)
		return m, err
	case pagetoken.Connect:
		identity, err := s.Accounts.Identity(c.ctx(), p.Subject)
		m.Status = string(identity.Status)
		return m, err
	}
	return m, errors.New("web: a pass of a kind without a stream")
}

// pageState tells a page without a stream what the first event of one would.
func (s *Server) pageState(c *call) error {
	now, err := s.moment(c)
	if err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, now)
	return nil
}

// marks reads how far a computation is; none for other pages.
func (s *Server) marks(c *call) []stageMark {
	if c.pass.Kind != pagetoken.Review {
		return nil
	}
	var out []stageMark
	for _, p := range s.Reviews.Progress(record.ID(c.pass.Subject)) {
		out = append(out, stageMark{string(p.ID), p.Status})
	}
	return out
}

// eventWriter writes server-sent events, each with its own deadline, so that a
// reader that stalls holds one goroutine for seconds and blocks no one.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	sent    bool // something was written
}

// open begins the answer. The connection's own deadlines end here: they are for
// short answers.
func (e *eventWriter) open() error {
	if err := errors.Join(e.control.SetReadDeadline(time.Time{}), e.control.SetWriteDeadline(time.Time{})); err != nil {
		return err
	}
	e.w.Header().Set("Content-Type", "text/event-stream")
	e.w.WriteHeader(http.StatusOK)
	// A reader that lost the stream waits this many milliseconds before it asks again.
	return e.send("retry: 500\n\n")
}

func (e *eventWriter) comment() error { return e.send(": here\n\n") }

// event writes one event. data is one line: JSON escapes what could break it.
func (e *eventWriter) event(name string, seq int64, data any) error {
	id := ""
	if seq > 0 {
		id = strconv.FormatInt(seq, 10)
	}
	return e.frame(id, name, data)
}

// frame writes one event with an id of one word, "" for none.
func (e *eventWriter) frame(id, name string, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	return e.send(fmt.Sprintf("%sevent: %s\ndata: %s\n\n", id, name, b))
}

func (e *eventWriter) send(text string) error {
	long := time.AfterFunc(streamWriteTime, func() {
		// A deadline in the past ends a write that hangs.
		_ = e.control.SetWriteDeadline(time.Unix(1, 0))
	})
	defer long.Stop()
	e.sent = true
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.control.Flush()
}
