// Package calls keeps the recent tool calls of each conversation in memory, for the pages that
// display them.
package calls

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/screen"
)

// Memory limits.
const (
	maxConversations = 32
	maxCalls         = 100  // per conversation
	maxExcerpt       = 2048 // bytes per answer
)

// Call is a finished call.
type Call struct {
	Tool    string
	At      time.Time // when the call ended
	Took    time.Duration
	Failure string // error code, "" for success
	Excerpt string // start of the answer on one line, without link codes; "" if private
}

// ended is a finished call. The excerpt is created when a page asks for it.
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

// New returns a Recent that publishes an event of kind events.Calls when the calls of a
// conversation change.
func New(hub *events.Hub, now func() time.Time) *Recent {
	return &Recent{hub: hub, now: now, each: map[string]*conversation{}}
}

// Begin records a running call. The caller must call end with the answer and the error code, which
// is "" on success.
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

// Of returns a conversation's finished calls, oldest first, and the number of its running calls. Of
// works on a nil Recent.
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

// makeRoom drops the conversation that has been idle for the longest time, if the maximum is
// reached.
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

// code matches the one-time code in a link to a page. Excerpts do not contain it, because it grants
// access to the page.
var code = regexp.MustCompile(`(https?://[^\s"#\\]*)#[^\s"\\]+`)

// private reports whether a tool's answers can contain source files or names from the address book.
// Access to those requires permissions of its own.
func private(tool string) bool {
	return strings.HasPrefix(tool, "workspace.") || tool == "agent.get_address_book"
}

// excerpt returns the start of an answer without link codes.
func excerpt(answer string) string {
	text := screen.Line(code.ReplaceAllString(strings.ToValidUTF8(answer, ""), "$1"), maxExcerpt)
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt-len("…")], "") + "…"
	}
	return text
}
