package stdio_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

// TestShowsCards checks that a client gets cards only if its handshake or request declares support.
func TestShowsCards(t *testing.T) {
	const cards = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html","text/html;profile=mcp-app"]}}}`
	const other = `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}}`
	for _, c := range []struct {
		capabilities, want string
		opts               stdio.Options
	}{
		{cards, "true", stdio.Options{}},
		{cards, "false", stdio.Options{NoLinks: true}},
		{other, "false", stdio.Options{}},
		{`{}`, "false", stdio.Options{}},
	} {
		w := dial(t, c.opts)
		w.initialize(c.capabilities)
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test.cards"}}`)
		if m := w.next(); m.text() != c.want {
			t.Errorf("after the handshake %s: %s", c.capabilities, m.line)
		}
		w.send(modern("2", "tools/call", c.capabilities, `"name":"test.cards"`))
		if m := w.next(); m.text() != c.want {
			t.Errorf("in a request with %s: %s", c.capabilities, m.line)
		}
	}
}
