package tools_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// TestNamesAsListed checks that a client with underscore names gets no dotted tool name in the
// list, the instructions, or any answer.
func TestNamesAsListed(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	list := tools.All(w.deps())
	s := tool.NewServer(tool.Identity{Name: "test", Version: "1"})
	tool.Register(s, list, slog.New(slog.DiscardHandler))
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- stdio.Serve(context.Background(), fromClient, toClient, s, stdio.Options{Now: time.Now})
		_ = toClient.Close()
	}()
	t.Cleanup(func() {
		_ = in.Close()
		go func() { _, _ = io.Copy(io.Discard, out) }()
		<-done
	})
	lines := bufio.NewReader(out)
	id := 0
	ask := func(method, params string) {
		id++
		if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method,
			params); err != nil {
			t.Fatal(err)
		}
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			for _, each := range list {
				if strings.Contains(line, each.Name) {
					t.Errorf("%s %s is answered with %s:\n%.2000s", method, params, each.Name, line)
				}
			}
			if strings.Contains(line, fmt.Sprintf(`"id":%d,`, id)) {
				return
			}
		}
	}
	ask("initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"nobody-knows","version":"1"}}`)
	ask("tools/list", `{}`)
	for _, each := range list {
		args := `{}`
		if each.Name == "events.wait" {
			args = `{"timeoutMs":20}`
		}
		ask("tools/call", `{"name":"`+strings.ReplaceAll(each.Name, ".", "_")+`","arguments":`+args+`}`)
	}
}
