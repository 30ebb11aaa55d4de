package web

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// moment is the state of a page's subject and of its token.
type moment struct {
	Revision    int64            `json:"revision"`
	Status      string           `json:"status"`
	Access      pagetoken.Access `json:"access"`
	OpenedTwice bool             `json:"openedTwice"`
	InUse       string           `json:"inUse"`
	Computing   bool             `json:"computing"`
}

// errNoStream is returned for a page that is not Live.
var errNoStream = errors.New("web: a pass of a kind without a stream")

// stream reports changes to a page as server-sent events. The first event is the current
// state, so a page that missed events needs no replay.
func (s *Server) stream(c *Call) error {
	page := s.kinds[c.Pass.Kind]
	if page == nil || page.Live == nil {
		return errNoStream
	}
	subject := page.Live.Subject(c.Pass.Subject)
	watch := s.Hub.Watch(subject, events.Subject{Kind: events.Account})
	defer watch.Close()
	out, err := c.Stream(s.streams, string(c.Pass.Kind)+"/"+c.Pass.Subject)
	if err != nil {
		return err
	}
	defer out.Close()
	s.follow(c, page.Live, watch, out)
	return nil
}

// follow writes events until the stream ends or the token expires. It reports no errors,
// because the response has begun. watch covers the subject and the account in use.
func (s *Server) follow(c *Call, live *Live, watch *events.Watch, out *Stream) {
	heartbeat := time.NewTicker(out.Beat)
	defer heartbeat.Stop()
	subject := live.Subject(c.Pass.Subject)
	var told moment
	var marked []Mark
	for {
		now, err := c.moment()
		if err != nil {
			return
		}
		if now != told {
			seq, err := s.Journal(c.Ctx(), subject.Kind, subject.ID)
			if err != nil || Event(out, "changed", seq, now) != nil {
				return
			}
			told = now
		}
		if marks := live.marks(c.Pass.Subject); !slices.Equal(marks, marked) {
			if Event(out, "progress", 0, marks) != nil {
				return
			}
			marked = marks
		}
		for waiting := true; waiting; {
			select {
			case <-watch.C:
				waiting = false
			case <-heartbeat.C:
				if out.Comment() != nil {
					return
				}
			case <-out.Context().Done():
				if errors.Is(context.Cause(out.Context()), errReplaced) {
					_ = Event(out, "replaced", 0, struct{}{})
				}
				return
			}
		}
	}
}

func (l *Live) marks(id string) []Mark {
	if l.Marks == nil {
		return nil
	}
	return l.Marks(id)
}

// moment reads the current state. It checks the token again, so that the page learns that its
// token expired or that another tab became active.
func (c *Call) moment() (moment, error) {
	s := c.server
	p, err := s.Desk.Check(c.Ctx(), Bearer(c.R))
	if err != nil {
		return moment{}, err
	}
	page := s.kinds[p.Kind]
	if page == nil || page.Live == nil {
		return moment{}, errNoStream
	}
	twice, err := s.Desk.OpenedTwice(c.Ctx(), p.Kind, p.Subject)
	if err != nil {
		return moment{}, err
	}
	used, err := s.used(c.Ctx())
	if err != nil {
		return moment{}, err
	}
	now, err := page.Live.State(c.Ctx(), p.Subject)
	return moment{Revision: now.Revision, Status: now.Status, Computing: now.Computing, Access: p.Access,
		OpenedTwice: twice,
		InUse:       used.Mark}, err
}
