package relay

import (
	"bufio"
	"context"
	"encoding/json"
	"io"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// answerAway answers a call by the server of this side, while the person's program is
// away: it introduces the client to it and passes on what comes up to the answer.
func (p *Proxy) answerAway(a asked, why *fault.Error) {
	ctx, stop := context.WithCancel(p.serving)
	defer stop()
	in, give := io.Pipe()
	take, out := io.Pipe()
	defer func() { _ = give.Close() }()
	defer func() { _ = take.Close() }()
	go func() {
		err := p.Away(ctx, why.Text, in, out)
		_ = in.Close()
		_ = out.CloseWithError(err)
	}()
	go p.introduce(give, a.line)
	lines := bufio.NewReaderSize(take, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		var m message
		switch {
		case err != nil: // it has ended without an answer
			if _, open := p.forget(a.id); open {
				p.reply(a.id, "result", toolRefusal(why))
			}
			return
		case json.Unmarshal(line, &m) != nil:
		case m.Method != "" && len(m.ID) == 0:
			p.give(line) // progress of the call
		case string(m.ID) == string(a.id):
			if _, open := p.forget(a.id); open { // it was not cancelled
				p.give(line)
			}
			return
		}
	}
}

// introduce says the client's own introduction and one call of it to a server.
func (p *Proxy) introduce(to io.Writer, call []byte) {
	p.mu.Lock()
	initial := p.initial
	p.mu.Unlock()
	var whole map[string]json.RawMessage
	if initial != nil && json.Unmarshal(initial, &whole) == nil {
		whole["id"] = json.RawMessage(internalID + `away"`)
		_ = say(to, whole)
		_, _ = to.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"))
	}
	_, _ = to.Write(append(append([]byte{}, call...), '\n'))
}
