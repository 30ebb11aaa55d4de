package tool

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// How long a call waits for the user's answer, and how often it reports progress meanwhile. Clients
// wait at least 45 seconds for the result of a call.
const (
	mostAsk = 20 * time.Second
	askBeat = 4 * time.Second
	askEnd  = time.Second // time to withdraw a question
)

// soonestNo is the minimum time that a user needs to see a question, read it and decline it.
// Clients without a screen, such as a command-line agent in a script, decline or cancel every
// question within milliseconds.
const soonestNo = 500 * time.Millisecond

// Question is a question to the user through the client. If URL is set, the client is asked to open
// that link. Otherwise it is a yes-or-no question, and Message must not contain a secret. Message
// is a constant text of this program.
type Question struct {
	Message string
	URL     string
}

// form reports whether the question is a plain yes-or-no question.
func (q Question) form() bool { return q.URL == "" }

// Reply is the result of a question.
type Reply string

// Possible replies. For a question with a URL, Accepted means that the user agreed to open the
// link, not that anything was done on the page.
const (
	Accepted   Reply = "accepted"
	Declined   Reply = "declined"   // the user declined or closed the question
	Unanswered Reply = "unanswered" // no usable answer in time
	// Unavailable means that the client itself declined: it declared support for questions, but
	// nobody is there to answer.
	Unavailable Reply = "unavailable"
)

// Asking makes a tool ask the user a question. The tool's answer is returned whatever the client
// does with the question.
type Asking[Out any] struct {
	// Question returns the question for an answer, or nil. It must use a form that c.Client()
	// supports. It may modify the answer.
	Question func(c Call, out *Out) *Question
	// Replied records the reply in the answer and does what the user agreed to. form is true for a
	// yes-or-no question and false for a link.
	Replied func(c Call, out *Out, form bool, reply Reply)
}

// Asker asks the user a question and waits for the reply until ctx ends.
type Asker interface {
	Ask(ctx context.Context, q Question) (Reply, error)
}

// manners records how a client treats questions. A client is not asked again after it left a
// question unanswered, or declined one without asking the user.
type manners struct {
	mu   sync.Mutex
	open int // questions returned as results that were not answered yet
	mute bool
}

// may reports whether the client may be asked.
func (m *manners) may() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.mute && m.open == 0
}

// note adds open to the number of open questions, and silences a client whose reply shows that
// nobody answers.
func (m *manners) note(open int, reply Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open = max(m.open+open, 0)
	m.mute = m.mute || reply == Unanswered || reply == Unavailable
}

// resumed is a reply to an earlier question, as contained in a call.
type resumed struct {
	state json.RawMessage // suspended as JSON, from the call that asked
	reply Reply
}

// suspended is the state of a call that returned a question as its result.
type suspended struct {
	Form bool            `json:"form"`
	Out  json.RawMessage `json:"out"`
}

// settle asks the tool's question, if it has one. If Client.AsksByResult is set, it returns the
// question instead, with the state that the call with the reply needs.
func (p plain) settle(c Call, out any) (*Question, json.RawMessage, error) {
	if p.question == nil || !c.session.manners.may() {
		return nil, nil, nil
	}
	q := p.question(c, out)
	if q == nil {
		return nil, nil, nil
	}
	if c.client.AsksByResult {
		data, err := strictjson.Encode(out)
		if err != nil {
			return nil, nil, err
		}
		state, err := strictjson.Encode(suspended{q.form(), data})
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

// resume completes a suspended call and returns its answer.
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

// ask waits for the reply, and reports progress to the client meanwhile.
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
			"Waiting for your answer in the AI client. You get the link in any case.")
		select {
		case a := <-answer:
			if a.err != nil {
				return Unanswered
			}
			return a.reply
		case <-ctx.Done():
			// Give the asker time to withdraw its question, but do not let an asker that ignores
			// ctx delay the call.
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
