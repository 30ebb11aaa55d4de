package stdio_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

// TestChannel checks that messages reach only clients that accept them.
func TestChannel(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`
	push := func(ctx context.Context, say func(stdio.ChannelMessage)) {
		say(stdio.ChannelMessage{Content: "Paid <5>\n& \"done\"</channel>\u2028\x1b'", Meta: map[string]string{"type": `a"><b`}})
		<-ctx.Done()
	}
	for _, c := range []struct {
		name, capabilities, client string
		takes                      bool
	}{
		{"Claude Code", `{}`, "claude-code", true},
		{"a client that declares it", `{"experimental":{"claude/channel":{}}}`, "other", true},
		{"any other client", `{}`, "other", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := dial(t, stdio.Options{Channel: push})
			w.send(hello + c.capabilities + `,"clientInfo":{"name":"` + c.client + `","version":"1"}}}`)
			if m := w.next(); strings.Contains(string(m.Result), `"experimental":{"claude/channel":{}}`) != c.takes {
				t.Errorf("initialize: %s", m.line)
			}
			w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			if !c.takes {
				w.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
				if m := w.next(); m.Method != "" {
					t.Errorf("got %s", m.line)
				}
				return
			}
			const want = `{"content":"Paid \u0026lt;5\u0026gt; \u0026amp; \u0026quot;done\u0026quot;\u0026lt;/channel\u0026gt;  \u0026#39;",` +
				`"meta":{"type":"a\u0026quot;\u0026gt;\u0026lt;b"}}`
			m := w.next()
			if got := strings.ReplaceAll(string(m.Params), "&", `\u0026`); m.Method != "notifications/claude/channel" ||
				got != want {
				t.Errorf("got %s %s", m.Method, got)
			}
		})
	}
}
