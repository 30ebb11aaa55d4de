package web

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// moment is the current state of a page's subject and of its token.
type moment struct {
	Pass        string           `json:"pass"`
	Session     string           `json:"session"` // "wide" or "one"
	Revision    int64            `json:"revision"`
	Status      string           `json:"status"`
	Access      pagetoken.Access `json:"access"`
	OpenedTwice bool             `json:"openedTwice"`
	InUse       string           `json:"inUse"`
	Computing   bool             `json:"computing"`
}

// progress is an event about a running computation.
type progress struct {
	Pass  string `json:"pass"`
	Marks []Mark `json:"marks"`
}

// waiting is an event about the number of requests that need the user.
type waiting struct {
	Count int `json:"count"`
}

// errNoStream is returned for a page whose Live is nil.
var errNoStream = errors.New("web: a pass of a kind without a stream")

// errUnreadable is returned if the state of a page cannot be read, for example because its subject
// does not exist.
var errUnreadable = errors.New("web: the state of a page cannot be read")

// browsers is the subject that changes whenever a tab of a browser session opens or leaves a page.
var browsers = events.Subject{Kind: events.Kind(pagetoken.Session), ID: pagetoken.SessionSubject}

// follower writes the events of one stream, which covers one page or all pages of a browser
// session.
type follower struct {
	*Call
	out   *Stream
	seen  map[string]*seen // by pass ID
	count int              // last reported number of waiting requests, -1 before the first report
}

// seen is what a stream last reported about a page.
type seen struct {
	moment moment
	marked []Mark
}

// stream reports changes to a page, or to all pages of a browser session, as server-sent events.
// The first event about a page is its current state, so a page that missed events needs no replay.
func (s *Server) stream(c *Call) error {
	pages, err := c.followed()
	if err != nil {
		return err
	}
	watch := s.Hub.Watch(c.subjects(pages)...)
	out, err := c.Stream(s.streams, string(c.Pass.Kind)+"/"+c.streamed())
	if err != nil {
		watch.Close()
		return err
	}
	defer out.Close()
	f := &follower{Call: c, out: out, seen: map[string]*seen{}, count: -1}
	f.run(watch, pages)
	return nil
}

// streamed returns the name of a stream's caller for limits.
func (c *Call) streamed() string {
	if c.Pass.Kind == pagetoken.Session {
		return c.Pass.ID
	}
	return c.Pass.Subject
}

// followed returns the tabs that a stream covers. It checks the token again, so that a page learns
// when its token expires or another tab becomes active.
func (c *Call) followed() ([]pagetoken.Pass, error) {
	s := c.server
	p, err := s.Desk.Check(c.Ctx(), Bearer(c.R))
	if err != nil {
		return nil, err
	}
	live := func(p pagetoken.Pass) bool { return s.kinds[p.Kind] != nil && s.kinds[p.Kind].Live != nil }
	if p.Kind != pagetoken.Session {
		if !live(p) {
			return nil, errNoStream
		}
		return []pagetoken.Pass{p}, nil
	}
	pages, err := s.Desk.PagesOf(c.Ctx(), p)
	return slices.DeleteFunc(pages, func(p pagetoken.Pass) bool { return !live(p) }), err
}

// subjects returns the subjects that wake the stream of some pages, in the order in which the pages
// were opened.
func (c *Call) subjects(pages []pagetoken.Pass) []events.Subject {
	list := []events.Subject{{Kind: events.Account}}
	if c.Pass.Kind == pagetoken.Session {
		list = append(list, browsers, events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	}
	for _, p := range pages {
		list = append(list, events.Subject{Kind: events.Kind(p.Kind), ID: p.Subject},
			c.server.kinds[p.Kind].Live.Subject(p.Subject))
	}
	return list
}

// run writes events until the stream ends or the token expires. It reports no errors, because the
// response has started. watch covers pages; run closes it.
func (f *follower) run(watch *events.Watch, pages []pagetoken.Pass) {
	defer func() { watch.Close() }()
	heartbeat := time.NewTicker(f.out.Beat)
	defer heartbeat.Stop()
	watched := f.subjects(pages)
	for {
		pages, err := f.followed()
		if err != nil {
			return
		}
		if now := f.subjects(pages); !slices.Equal(now, watched) {
			watch.Close()
			watch, watched = f.server.Hub.Watch(now...), now
			continue // the new watch may have missed changes
		}
		if f.tell(pages) != nil {
			return
		}
		for waiting := true; waiting; {
			select {
			case <-watch.C:
				waiting = false
			case <-heartbeat.C:
				if f.out.Comment() != nil {
					return
				}
			case <-f.out.Context().Done():
				if errors.Is(context.Cause(f.out.Context()), errReplaced) {
					_ = Event(f.out, "replaced", 0, struct{}{})
				}
				return
			}
		}
	}
}

// tell writes what has changed on each page since the last call.
func (f *follower) tell(pages []pagetoken.Pass) error {
	gone := f.seen
	f.seen = map[string]*seen{}
	for _, p := range pages {
		if f.seen[p.ID] = gone[p.ID]; f.seen[p.ID] == nil {
			f.seen[p.ID] = &seen{}
		}
		err := f.tellPage(p, f.seen[p.ID])
		if errors.Is(err, errUnreadable) && f.Pass.Kind == pagetoken.Session {
			continue // that tab requests its state itself and gets the error
		}
		if err != nil {
			return err
		}
	}
	s := f.server
	if f.Pass.Kind != pagetoken.Session || s.Waiting == nil {
		return nil
	}
	count, err := s.Waiting(f.Ctx())
	if err != nil || count == f.count {
		return err
	}
	f.count = count
	return Event(f.out, "waiting", 0, waiting{count})
}

func (f *follower) tellPage(p pagetoken.Pass, was *seen) error {
	now, err := f.moment(p)
	if err != nil {
		return errors.Join(errUnreadable, err)
	}
	live := f.server.kinds[p.Kind].Live
	if now != was.moment {
		subject := live.Subject(p.Subject)
		seq, err := f.server.Journal(f.Ctx(), subject.Kind, subject.ID)
		if err == nil {
			err = Event(f.out, "changed", seq, now)
		}
		if err != nil {
			return err
		}
		was.moment = now
	}
	if marks := live.marks(p.Subject); !slices.Equal(marks, was.marked) {
		if was.marked = marks; marks == nil {
			return nil // the computation is no longer known
		}
		return Event(f.out, "progress", 0, progress{p.ID, marks})
	}
	return nil
}

func (l *Live) marks(id string) []Mark {
	if l.Marks == nil {
		return nil
	}
	return l.Marks(id)
}

// moment reads the current state of a tab's page.
func (c *Call) moment(p pagetoken.Pass) (moment, error) {
	s := c.server
	twice, err := s.Desk.OpenedTwice(c.Ctx(), p.Kind, p.Subject)
	if err != nil {
		return moment{}, err
	}
	used, err := s.used(c.Ctx())
	if err != nil {
		return moment{}, err
	}
	now, err := s.kinds[p.Kind].Live.State(c.Ctx(), p.Subject)
	return moment{Pass: p.ID, Session: reach(p), Revision: now.Revision, Status: now.Status, Computing: now.Computing,
		Access: p.Access, OpenedTwice: twice, InUse: used.Mark}, err
}

// reach returns "wide" if a tab can open all pages, and "one" if it can open only its own.
func reach(p pagetoken.Pass) string {
	if p.Wide() {
		return "wide"
	}
	return "one"
}
