package relay

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// answerAway answers a call while the person's program is away: by the server of this
// side where that has the tool, and otherwise with why, and with lines where this machine
// may be told them.
func (p *Proxy) answerAway(a asked, why *fault.Error, told bool) {
	if a.line == nil || !p.servedAway(a, why) {
		var lines []string
		if p.Lines != nil && told {
			lines = p.Lines(p.serving)
		}
		if _, open := p.forget(a.id); open { // it was not cancelled
			p.reply(a.id, "result", toolRefusal(why, lines))
		}
	}
}

// toolRefusal is the answer of a tool that failed, in the form that every tool uses, with
// lines beside it.
func toolRefusal(f *fault.Error, lines []string) json.RawMessage {
	text, err := json.Marshal(map[string]any{"ok": false, "error": map[string]any{"kind": f.Code, "message": f.Text}})
	if err != nil {
		return nil // strings always encode
	}
	content := []any{map[string]any{"type": "text", "text": string(text)}}
	if len(lines) > 0 {
		content = append(content, map[string]any{"type": "text", "text": strings.Join(lines, "\n")})
	}
	result, _ := json.Marshal(map[string]any{"content": content, "isError": true})
	return result
}

// servedAway introduces the client to the server of this side and passes on what comes up
// to the answer; false where there is none.
func (p *Proxy) servedAway(a asked, why *fault.Error) bool {
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
			return false
		case json.Unmarshal(line, &m) != nil:
		case m.Method != "" && len(m.ID) == 0:
			p.give(line) // progress of the call
		case string(m.ID) == string(a.id):
			if _, open := p.forget(a.id); open { // it was not cancelled
				p.give(line)
			}
			return true
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
