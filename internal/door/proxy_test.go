package door_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestInFlight checks unanswered requests when a server ends. Requests that only read are sent to
// the next server, and the others fail with an unknown outcome.
func TestInFlight(t *testing.T) {
	for _, c := range []struct {
		name, line string
		repeated   bool
	}{
		{"call that reads", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"toy.read"}}`, true},
		{"call that reads, by the other name", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"toy_read"}}`,
			true},
		{"list", `{"jsonrpc":"2.0","id":0,"method":"tools/list"}`, true},
		{"resource", `{ "method":"resources/read", "params":{"uri":"x"}, "id":"r", "jsonrpc":"2.0" }`, true},
		{"call that writes", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"toy.write"}}`, false},
		{"call of an unknown tool", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"toy.new"}}`, false},
		{"call without a name", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}`, false},
		{"unknown method", `{"jsonrpc":"2.0","id":7,"method":"tasks/cancel","params":{}}`, false},
		{"string with escapes for an id",
			`{"jsonrpc":"2.0","id":"a\"b\\ ,\"result\":\u00e9","method":"tools/call","params":{"name":"toy.write"}}`, false},
		{"string with escapes, of a read", `{"jsonrpc":"2.0","id":"\\\"","method":"prompts/list"}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := staged(t)
			s.asks(c.line)
			id := idOf(t, c.line)
			s.replace()
			if c.repeated {
				s.link.answers(c.line)
				if got := s.gets(); got != `{"jsonrpc":"2.0","id":`+id+`,"result":{}}` {
					t.Errorf("the client got %s", got)
				}
			} else {
				got := s.gets()
				if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"error":{`) || !strings.Contains(got,
					"unknown_outcome: ") {
					t.Errorf("the client got %s", got)
				}
			}
			s.alive()
			s.replace() // nothing is repeated anymore
			s.alive()
		})
	}
}

// TestIntroduction checks that the proxy sends the next server the client's introduction and
// subscriptions, and does not forward the responses to the client.
func TestIntroduction(t *testing.T) {
	s := staged(t)
	for i, r := range []string{
		`"method":"initialize","params":{"clientInfo":{"name":"<c>"}}`,
		`"method":"logging/setLevel","params":{"level":"debug"}`,
		`"method":"resources/subscribe","params":{"uri":"a"}`,
		`"method":"resources/subscribe","params":{"uri":"b"}`,
		`"method":"resources/unsubscribe","params":{"uri":"a"}`,
		`"method":"logging/setLevel","params":{"level":"info"}`,
	} {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, i, r)
		s.say(line)
		s.link.answers(line)
		s.gets()
	}
	for round := range 2 {
		s.replace()
		var said []string
		for i := range 4 {
			line := s.link.hear()
			if strings.Contains(line, `"id"`) {
				s.link.say(`{"jsonrpc":"2.0","id":%s,"result":{"round":%d}}`, idOf(t, line), round)
			}
			if i == 0 && !strings.Contains(line, `"name":"<c>"`) && !strings.Contains(line, `"name":"\u003cc\u003e"`) {
				t.Errorf("first it said %s", line)
			}
			said = append(said, line)
		}
		for i, want := range []string{`"method":"initialize"`, `"method":"notifications/initialized"`, `"level":"info"`,
			`"uri":"b"`} {
			if !strings.Contains(said[i], want) {
				t.Errorf("line %d is %s, want %s", i, said[i], want)
			}
		}
		s.alive()
	}
}

// TestCancelled checks that the proxy does not wait for the response to a canceled request.
func TestCancelled(t *testing.T) {
	s := staged(t)
	s.asks(`{"jsonrpc":"2.0","id":"w","method":"tools/call","params":{"name":"toy.write"}}`)
	s.asks(`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
	s.asks(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}}`)
	s.asks(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	s.replace()
	s.alive()
}

var large = strings.Repeat("x", 3<<20) // more than the buffer of a socket

// TestUnsent checks that a request is sent to the next server, even if it writes, as long as the
// first server cannot have received all of it.
func TestUnsent(t *testing.T) {
	s := staged(t)
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"toy.write","arguments":{"text":"` + large +
		`"}}}`
	said := make(chan struct{})
	go func() { defer close(said); s.say(line) }()
	if _, err := io.ReadFull(s.link.lines, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	s.replace()
	<-said
	if got := s.link.hear(); got != line {
		t.Fatalf("the next server heard %.100s", got)
	}
	s.replace() // the server has received the whole request
	if got := s.gets(); !strings.Contains(got, "unknown_outcome") {
		t.Errorf("the client got %s", got)
	}
	s.alive()
}

// TestUnsentAnswer checks that a response of the client that could not be sent does not affect a
// request of the client with the same ID.
func TestUnsentAnswer(t *testing.T) {
	s := staged(t)
	s.asks(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"toy.write"}}`)
	s.link.say(`{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{}}`)
	if got := s.gets(); !strings.Contains(got, "elicitation/create") {
		t.Fatalf("the client got %s", got)
	}
	said := make(chan struct{})
	go func() { defer close(said); s.say(`{"jsonrpc":"2.0","id":5,"result":{"content":"` + large + `"}}`) }()
	if _, err := io.ReadFull(s.link.lines, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	s.replace()
	<-said
	if got := s.gets(); !strings.Contains(got, "unknown_outcome") {
		t.Errorf("the client got %s", got)
	}
	s.alive()
}

// TestSameID checks a second request with an ID that is in use. The server rejects it without ID,
// and the first request stays open.
func TestSameID(t *testing.T) {
	s := staged(t)
	s.asks(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"toy.write"}}`)
	s.asks(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.link.say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"twice"}}`)
	s.gets()
	s.replace()
	if got := s.gets(); !strings.Contains(got, "unknown_outcome") {
		t.Errorf("the client got %s", got)
	}
	s.alive()
}

// TestCutLine checks that the client does not receive a line that the server did not finish.
func TestCutLine(t *testing.T) {
	s := staged(t)
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	s.asks(line)
	if _, err := io.WriteString(s.link.conn, `{"jsonrpc":"2.0","id":1,"result":{"tools":[`); err != nil {
		t.Fatal(err)
	}
	s.replace()
	s.link.answers(line)
	if got := s.gets(); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("the client got %s", got)
	}
	s.alive()
}

// TestEndOfInput checks that a client still receives responses after its input has ended.
func TestEndOfInput(t *testing.T) {
	const read, write = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"toy.write"}}`
	closed := func(t *testing.T, lines ...string) *stage {
		s := staged(t)
		for _, line := range lines {
			s.asks(line)
		}
		_ = s.in.Close()
		if line, err := s.link.lines.ReadString('\n'); !errors.Is(err, io.EOF) || line != "" {
			t.Fatalf("the server heard %q, %v", line, err)
		}
		return s
	}
	ends := func(t *testing.T, s *stage) {
		t.Helper()
		if err := s.end(); err != nil {
			t.Error(err)
		}
		if rest, err := io.ReadAll(s.out); len(rest) > 0 || err != nil {
			t.Errorf("the client got %s, %v", rest, err)
		}
	}
	t.Run("of the server that has the requests", func(t *testing.T) {
		s := closed(t, read, write)
		for _, id := range []string{"2", "1"} {
			answer := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
			s.link.say("%s", answer)
			if got := s.gets(); got != answer {
				t.Errorf("the client got %s", got)
			}
		}
		s.link.die()
		ends(t, s)
	})
	t.Run("of the next server", func(t *testing.T) {
		s := closed(t, read, write)
		s.replace()
		s.link.answers(read)
		s.link.die()
		got := []string{s.gets(), s.gets()}
		slices.Sort(got)
		if got[0] != `{"jsonrpc":"2.0","id":1,"result":{}}` || !strings.Contains(got[1], "unknown_outcome") {
			t.Errorf("the client got %s", got)
		}
		ends(t, s)
	})
	t.Run("last line without a line feed", func(t *testing.T) {
		s := staged(t)
		if _, err := s.in.WriteString(read); err != nil {
			t.Fatal(err)
		}
		_ = s.in.Close()
		s.link.answers(read)
		if got := s.gets(); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("the client got %s", got)
		}
		s.link.die()
		ends(t, s)
	})
}

// TestSlowClient checks a client that does not read for a while. Its own lines are forwarded as
// long as the server accepts them, and later it receives everything.
func TestSlowClient(t *testing.T) {
	const calls = 1500
	filler := strings.Repeat("y", 1<<10)
	request := func(i int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"filler":%q}}`, i, filler)
	}
	// answer handles one request at a time. It stops reading while its responses are not read.
	answer := func(p *played) {
		_ = p.conn.SetDeadline(time.Now().Add(double.Patience))
		for {
			line, err := p.lines.ReadString('\n')
			if err != nil {
				return
			}
			if _, err := fmt.Fprintf(p.conn, `{"jsonrpc":"2.0","id":%s,"result":{"filler":%q}}`+"\n", idOf(p.t, line),
				filler); err != nil {
				return
			}
		}
	}
	collect := func(t *testing.T, s *stage) {
		t.Helper()
		seen := map[string]bool{}
		for range calls {
			id := idOf(t, s.gets())
			if seen[id] {
				t.Fatalf("%s was answered twice", id)
			}
			seen[id] = true
		}
	}
	t.Run("of one server", func(t *testing.T) {
		s := staged(t)
		go answer(s.link)
		said := make(chan struct{})
		go func() {
			defer close(said)
			for i := range calls {
				s.say(request(i))
			}
		}()
		collect(t, s)
		<-said
	})
	t.Run("of the next server, to which everything is repeated", func(t *testing.T) {
		s := staged(t)
		for i := range calls {
			s.asks(request(i))
		}
		s.replace()
		go answer(s.link)
		collect(t, s)
	})
	t.Run("of two servers, with unknown outcomes", func(t *testing.T) {
		s := staged(t)
		for i := range calls {
			s.asks(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"toy.write"}}`, i))
		}
		s.replace() // the errors do not fit into a pipe
		s.asks(`{"jsonrpc":"2.0","method":"notifications/progress"}`)
		collect(t, s)
		s.alive()
	})
}

// TestClientGone checks that the connection is closed when the client stops reading.
func TestClientGone(t *testing.T) {
	s := staged(t)
	s.asks(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	_ = s.taken.Close()
	s.link.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	if err := s.end(); err != nil {
		t.Error(err)
	}
	s.link.gone()
}

// TestRefusedLater checks that the client receives the reason if the next server rejects it.
func TestRefusedLater(t *testing.T) {
	s := staged(t)
	s.asks(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	s.serve(door.Welcome{Why: "The settings have changed.", Do: door.DoSettings})
	s.link.die()
	if got := s.gets(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"error":`) || !strings.Contains(got,
		"unavailable: The settings have changed.") {
		t.Errorf("the client got %s", got)
	}
	var refused *door.Refused
	if err := s.end(); !errors.As(err, &refused) || refused.Do != door.DoSettings {
		t.Error(err)
	}
}

// TestConversation checks that the ID of the conversation does not change with the server.
func TestConversation(t *testing.T) {
	s := staged(t)
	first := s.link.hello
	s.replace()
	if second := s.link.hello; second.Conversation != first.Conversation || second.Client != first.Client {
		t.Errorf("%+v, then %+v", first, second)
	}
}

// TestStopped checks that a proxy without open requests does not start a server to replace one that
// was stopped, until the client needs it. It replaces one that was killed at once.
func TestStopped(t *testing.T) {
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed is %v", killed), func(t *testing.T) {
			dir := place(t)
			c := start(t, dir, "")
			first := c.ping()
			if killed {
				kill(first)
				double.Until(t, "the next server", func() bool { return len(begun(t, dir)) == 2 })
			} else {
				stop := door.Hello{Protocol: door.Protocol, Kind: door.KindStop}
				if _, err := door.Ask(dir, stop, time.Now()); !errors.Is(err, io.EOF) {
					t.Fatal(err)
				}
				double.Until(t, "the server has ended", func() bool { return !toyAlive(first) })
				// If the first proxy had connected again, this one would find a server.
				other := start(t, dir, "absent")
				if _, err := other.ask(1, "ping", "{}"); err == nil {
					t.Error("a server is there")
				}
				_ = other.stop()
				if n := len(begun(t, dir)); n != 1 {
					t.Errorf("%d servers were started", n)
				}
			}
			if next := c.ping(); next == first || len(begun(t, dir)) != 2 {
				t.Errorf("%d answers, and %d were started", next, len(begun(t, dir)))
			}
			if err := c.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}
