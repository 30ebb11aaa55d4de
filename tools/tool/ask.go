package tool

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"time"
)

// How long a call waits for the user's answer to a question, and how often it tells the client that
// it waits. Clients give up on a call after 45 seconds and more.
const (
	mostAsk = 20 * time.Second
	askBeat = 4 * time.Second
	askEnd  = time.Second // for a question to be taken back
)

// soonestNo is the least time in which a user can see a question, read it, and decline it. Clients
// without a screen, such as an agent's command line in a script, decline or cancel every question
// within milliseconds.
const soonestNo = 500 * time.Millisecond

// Question is something to ask the user through the client. URL is the link that the client is to
// open; without one it is a plain yes or no, and Message must hold no secret. Message is fixed text
// of this house.
type Question struct {
	Message string
	URL     string
}

// form reports whether the question is a plain yes or no.
func (q Question) form() bool { return q.URL == "" }

// Reply is how a question came out.
type Reply string

// The replies. Accepted to a URL means that the user agreed to open it, not that anything was done
// there.
const (
	Accepted   Reply = "accepted"
	Declined   Reply = "declined"   // the user said no, or closed the question
	Unanswered Reply = "unanswered" // no answer in time, or none that can be used
	// Unavailable means that the client said no by itself: it declared that it passes
	// questions on, and has nobody there to answer them.
	Unavailable Reply = "unavailable"
)

// Asking adds a question to the user to a tool. The answer of the call never hangs on it: whatever
// the client does, the answer comes.
type Asking[Out any] struct {
	// Question returns what to ask once the answer is there, nil for nothing. It
	// must ask in a way that c.Client() knows. It may edit the answer.
	Question func(c Call, out *Out) *Question
	// Replied notes in the answer how it came out, and does what the user agreed to. form tells a
	// plain question from one with a link.
	Replied func(c Call, out *Out, form bool, reply Reply)
}

// Asker puts a question to the user and waits for the reply, at most until ctx ends.
type Asker interface {
	Ask(ctx context.Context, q Question) (Reply, error)
}

// manners remembers how a client treats questions. One that
// leaves a question unanswered, or declines it without asking anybody, whatever it
// declared, is not asked again.
type manners struct {
	mu   sync.Mutex
	open int // questions given as a result, whose reply has not come
	mute bool
}

// may reports whether the client may be asked.
func (m *manners) may() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.mute && m.open == 0
}

// note counts questions given as results, and remembers silence.
func (m *manners) note(open int, reply Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open = max(m.open+open, 0)
	m.mute = m.mute || reply == Unanswered || reply == Unavailable
}

// resumed is what a call brings back that answers an earlier question.
type resumed struct {
	state json.RawMessage // of the call that asked: suspended as JSON
	reply Reply
}

// suspended is a call that asked by its result.
type suspended struct {
	Form bool            `json:"form"`
	Out  json.RawMessage `json:"out"`
}

// settle asks what there is to ask and returns the answer; where the client asks
// by result, it returns the question and what the next call needs instead.
func (p plain) settle(c Call, out any) (*Question, json.RawMessage, error) {
	if p.question == nil || !c.session.manners.may() {
		return nil, nil, nil
	}
	q := p.question(c, out)
	if q == nil {
		return nil, nil, nil
	}
	if c.client.AsksByResult {
		data, err := compact(out)
		if err != nil {
			return nil, nil, err
		}
		state, err := compact(suspended{q.form(), data})
		if err == nil {
			c.session.manners.note(1, "")
		}
		return q, state, err
	}
	reply := c.ask(*q)
	c.session.manners.note(0, reply)
	if c.ctx.Err() == nil {
		p.replied(c, out, q.form(), reply)
	}
	return nil, nil, nil
}

// resume returns the answer of a call that was suspended.
func (p plain) resume(c Call) (out any, err error) {
	var s suspended
	if err := json.Unmarshal(c.resumed.state, &s); err != nil {
		return nil, err
	}
	out = reflect.New(p.out).Interface()
	if err := json.Unmarshal(s.Out, out); err != nil {
		return nil, err
	}
	c.session.manners.note(-1, c.resumed.reply)
	p.replied(c, out, s.Form, c.resumed.reply)
	return out, nil
}

// ask waits for the reply while the client hears that it is waited for.
func (c Call) ask(q Question) Reply {
	if c.asker == nil {
		return Unanswered
	}
	ctx, stop := context.WithTimeout(c.ctx, mostAsk)
	defer stop()
	type said struct {
		reply Reply
		err   error
	}
	answer := make(chan said, 1)
	go func() {
		reply, err := c.asker.Ask(ctx, q)
		answer <- said{reply, err}
	}()
	beat := time.NewTicker(askBeat)
	defer beat.Stop()
	for done := time.Duration(0); ; {
		c.Progress(int64(done.Seconds()), int64(mostAsk.Seconds()),
			"Waiting for your answer in the AI client. The link comes in any case.")
		select {
		case a := <-answer:
			if a.err != nil {
				return Unanswered
			}
			return a.reply
		case <-ctx.Done():
			// The asker takes its question back before the call is answered; one
			// that does not heed the end holds nothing up.
			select {
			case <-answer:
			case <-time.After(askEnd):
			}
			return Unanswered
		case <-beat.C:
			done += askBeat
		}
	}
}
