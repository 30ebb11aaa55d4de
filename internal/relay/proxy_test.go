package relay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// client is an AI client that is connected to a proxy.
type client struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	take *io.PipeReader // underlies out
}

func (c *client) ask(line string) string {
	c.t.Helper()
	c.say(line)
	return c.hear()
}

func (c *client) say(line string) {
	c.t.Helper()
	late := time.AfterFunc(double.Patience, func() { _ = c.in.CloseWithError(errors.New("the line was not taken")) })
	defer late.Stop()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) hear() string {
	c.t.Helper()
	late := time.AfterFunc(double.Patience, func() { _ = c.take.CloseWithError(errors.New("no answer came")) })
	defer late.Stop()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	if !json.Valid([]byte(line)) {
		c.t.Fatalf("no JSON: %s", line)
	}
	return line
}

func proxied(t *testing.T, p *relay.Proxy) *client {
	in, give := io.Pipe()
	take, out := io.Pipe()
	done := make(chan struct{})
	go func() { defer close(done); _ = p.Serve(t.Context(), in, out); _ = out.Close() }()
	t.Cleanup(func() {
		_ = give.Close()
		go func() { _, _ = io.Copy(io.Discard, take) }()
		double.Next(t, "the proxy has ended", done)
	})
	return &client{t, give, bufio.NewReader(take), take}
}

func TestProxy(t *testing.T) {
	w := machines(t)
	w.admit(t)
	p := &relay.Proxy{Open: w.guest.Open, Now: time.Now}
	c := proxied(t, p)
	if got := c.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`); !strings.Contains(got, `"said":{}`) {
		t.Fatal(got)
	}
	if got := c.ask(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}`); !strings.Contains(got,
		`"said":{"name":"x"}`) {
		t.Fatal(got)
	}
	served := len(w.served)
	w.stop()
	t.Run("a call fails and says since when", func(t *testing.T) {
		// The proxy may not have noticed yet that the link has ended.
		var got string
		double.Until(t, "the end of the link is known", func() bool {
			got = c.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x"}}`)
			return strings.Contains(got, "person_offline")
		})
		var answer struct {
			ID     int
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal([]byte(got), &answer); err != nil || answer.ID != 2 || !answer.Result.IsError ||
			!strings.Contains(got, "last seen at 2") || !strings.Contains(got, `\"kind\":\"person_offline\"`) {
			t.Errorf("%v: %s", err, got)
		}
	})
	t.Run("a list answers from the last one known", func(t *testing.T) {
		if got := c.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}}`); !strings.Contains(got,
			`"id":3,"result":{"said":{}}`) {
			t.Error(got)
		}
		if got := c.ask(`{"jsonrpc":"2.0","id":4,"method":"prompts/list"}`); !strings.Contains(got, `"error"`) {
			t.Error(got)
		}
	})
	t.Run("no call is carried out twice", func(t *testing.T) {
		w.share(t)
		double.Until(t, "a call is answered again", func() bool {
			return strings.Contains(c.ask(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"again"}}`), "again")
		})
		if n := len(w.served) - served; n != 1 {
			t.Errorf("%d lines came after the program was back", n)
		}
	})
}

// TestProxyAway checks that a call that the program does not answer fails with an unknown outcome.
func TestProxyAway(t *testing.T) {
	w := machines(t)
	w.admit(t)
	w.stop()
	heard := make(chan struct{}, 10)
	w.host.Serve = func(ctx context.Context, _ remotes.Remote, _ string, in io.Reader, _ io.Writer) error {
		lines := bufio.NewScanner(in)
		for lines.Scan() { // without ever responding
			heard <- struct{}{}
		}
		return nil
	}
	w.share(t)
	c := proxied(t, &relay.Proxy{Open: w.guest.Open, Now: time.Now})
	c.say(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"other"}}`)
	double.Next(t, "the program hears the call", heard)
	w.stop()
	if got := c.hear(); !strings.Contains(got, `"id":8,`) || !strings.Contains(got,
		"This call may have been executed") {
		t.Error(got)
	}
}
