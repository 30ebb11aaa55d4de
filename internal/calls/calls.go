// Package calls keeps in memory which tools each conversation called lately, for the pages
// that follow it. Nothing of it is stored.
package calls

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/screen"
)

// Limits of what is kept.
const (
	maxConversations = 32
	maxCalls         = 100  // of one conversation
	maxExcerpt       = 2048 // bytes of one answer
)

// Call is one call that has ended.
type Call struct {
	Tool    string
	At      time.Time // of its end
	Took    time.Duration
	Failure string // the kind of its error, "" for none
	Excerpt string // of its answer, on one line, without codes of links; "" for a private one
}

// ended is a call whose excerpt is not made yet: few calls are looked at.
type ended struct {
	Call
	answer string
}

// Recent keeps the latest calls. It is safe for concurrent use. A nil Recent keeps nothing.
type Recent struct {
	hub *events.Hub
	now func() time.Time

	mu   sync.Mutex
	each map[string]*conversation
}

type conversation struct {
	ended   []ended
	running int
	used    time.Time
}

// New returns a Recent that wakes those who watch events.Calls of a conversation.
func New(hub *events.Hub, now func() time.Time) *Recent {
	return &Recent{hub: hub, now: now, each: map[string]*conversation{}}
}

// Begin records that a call runs. The caller ends it with the kind of its error, "" for none,
// and its answer.
func (r *Recent) Begin(of, tool string) (end func(failure, answer string)) {
	begun := r.now()
	r.change(of, func(c *conversation) { c.running++ })
	return func(failure, answer string) {
		call := ended{Call: Call{Tool: tool, At: r.now(), Failure: failure}}
		if call.Took = call.At.Sub(begun); !private(tool) {
			call.answer = strings.Clone(answer[:min(len(answer), 2*maxExcerpt)])
		}
		r.change(of, func(c *conversation) {
			c.running = max(0, c.running-1)
			c.ended = append(c.ended, call)
			c.ended = c.ended[max(0, len(c.ended)-maxCalls):]
		})
	}
}

// Of returns the latest calls of a conversation that have ended, oldest first, and how many
// run.
func (r *Recent) Of(of string) (list []Call, running int) {
	if r == nil {
		return nil, 0
	}
	r.mu.Lock()
	c := r.each[of]
	if c == nil {
		r.mu.Unlock()
		return nil, 0
	}
	kept, running := append([]ended{}, c.ended...), c.running
	r.mu.Unlock()
	for _, e := range kept {
		e.Excerpt = excerpt(e.answer)
		list = append(list, e.Call)
	}
	return list, running
}

func (r *Recent) change(of string, f func(*conversation)) {
	r.mu.Lock()
	c := r.each[of]
	if c == nil {
		r.makeRoom()
		c = &conversation{}
		r.each[of] = c
	}
	c.used = r.now()
	f(c)
	r.mu.Unlock()
	r.hub.Changed(events.Subject{Kind: events.Calls, ID: of})
}

// makeRoom forgets the conversation that called nothing for the longest time.
func (r *Recent) makeRoom() {
	if len(r.each) < maxConversations {
		return
	}
	oldest := ""
	for id, c := range r.each {
		if oldest == "" || c.used.Before(r.each[oldest].used) {
			oldest = id
		}
	}
	delete(r.each, oldest)
}

// code is the one-time code in a link to a page. Whoever reads an excerpt must not open pages
// with it.
var code = regexp.MustCompile(`(https?://[^\s"#\\]*)#[^\s"\\]+`)

// private reports whether an answer holds names of the address book or source files, which
// have rights of their own.
func private(tool string) bool {
	return strings.HasPrefix(tool, "workspace.") || tool == "agent.get_address_book"
}

// excerpt is the beginning of an answer.
func excerpt(answer string) string {
	text := screen.Line(code.ReplaceAllString(strings.ToValidUTF8(answer, ""), "$1"), maxExcerpt)
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt-len("…")], "") + "…"
	}
	return text
}
