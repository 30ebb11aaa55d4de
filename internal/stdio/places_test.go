package stdio_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// parks reports whether a tool of the fixture waits.
func parks(name string) bool { return name == "test.parked" || name == "test.wait" }

// TestWaitsLeaveRoom checks that waiting calls have their own limit.
func TestWaitsLeaveRoom(t *testing.T) {
	long.Skip(t, "it holds many calls open")
	t.Run("any number of waits leaves the other calls their places", func(t *testing.T) {
		w := open(t, stdio.Options{Admission: 4, WaitMost: 100, Waits: parks})
		for i := range 100 {
			w.send(call(fmt.Sprint(i), "test_parked", `{"text":"p"}`))
		}
		for i := range 10 {
			id := fmt.Sprint(1000 + i)
			w.send(call(id, "test.echo", `{"text":"through"}`))
			if m := w.next(); m.id() != id || m.text() != "through" {
				t.Fatalf("got %s", m.line)
			}
		}
		w.started(100)
		w.send(call("100", "test.wait", "{}"))
		if m := w.next(); m.id() != "100" || m.code() != -32000 || !strings.Contains(m.Error.Message,
			"100 calls of this client are already waiting") {
			t.Errorf("a wait without a place is told why: %s", m.line)
		}
		w.send(cancel("7"))
		w.stopped()
		for i := 0; ; i++ { // the canceled call may be removed a little later
			w.send(call(fmt.Sprint(2000+i), "test.wait", "{}"))
			w.send(request(`"ping"`, "ping", "{}"))
			if w.next().id() == `"ping"` {
				break
			}
			w.next()
		}
	})
	t.Run("streams wait as well", func(t *testing.T) {
		w := dial(t, stdio.Options{WaitMost: 2})
		for _, id := range []string{"1", "2"} {
			w.send(modern(id, "subscriptions/listen", "{}", `"notifications":{"toolsListChanged":true}`))
			w.next()
		}
		w.send(modern("3", "subscriptions/listen", "{}", `"notifications":{"toolsListChanged":true}`))
		if m := w.next(); m.id() != "3" || m.code() != -32000 {
			t.Errorf("got %s", m.line)
		}
		w.send(modern("4", "tools/call", "{}", `"name":"test.echo","arguments":{"text":"through"}`))
		if m := w.next(); m.text() != "through" {
			t.Errorf("got %s", m.line)
		}
	})
	t.Run("large waits take no room either", func(t *testing.T) {
		w := open(t, stdio.Options{Waits: parks})
		large := `{"text":"` + strings.Repeat("z", 3<<20) + `"}`
		w.send(call("1", "test.parked", large))
		w.started(1)
		w.send(call("2", "test.parked", large))
		if m := w.next(); m.id() != "2" || m.code() != -32000 {
			t.Errorf("6 MiB of waits are too much: %.200s", m.line)
		}
		for i := range 5 {
			w.send(call(fmt.Sprint(10+i), "test.sleep", strings.Replace(large, "{", `{"ms":20,`, 1)))
		}
		for range 5 {
			if m := w.next(); m.text() != "slept" {
				t.Errorf("got %.200s", m.line)
			}
		}
	})
}

// TestUnsent checks that a call is undone if its result does not reach the client.
func TestUnsent(t *testing.T) {
	undone := func(w *wire) bool {
		select {
		case name := <-w.fixture.cancelled:
			return name == "undone"
		default:
			return false
		}
	}
	t.Run("an answer that arrives undoes nothing", func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("1", "test.made", "{}"))
		<-w.fixture.started
		close(w.fixture.gate)
		if m := w.next(); m.text() != "made" {
			t.Errorf("got %s", m.line)
		}
		if err := w.end(); err != nil || undone(w) {
			t.Errorf("undone although it was answered, %v", err)
		}
	})
	t.Run("a call that was cancelled after it made something", func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("1", "test.made", "{}"))
		<-w.fixture.started
		w.send(cancel("1"))
		w.alive() // the cancellation was processed
		close(w.fixture.gate)
		if err := w.end(); err != nil || !undone(w) {
			t.Errorf("not undone, %v", err)
		}
	})
	t.Run("an error in the place of the result", func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("1", "test.made", `{"nan":true}`))
		<-w.fixture.started
		close(w.fixture.gate)
		if m := w.next(); m.code() != -32603 {
			t.Errorf("got %s", m.line)
		}
		if err := w.end(); err != nil || !undone(w) {
			t.Errorf("not undone, %v", err)
		}
	})
}

// TestLentArguments checks that handlers get the arguments that the transport has parsed.
func TestLentArguments(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for name, c := range map[string]struct{ args, want string }{
		"an object":     {`{"a":[1,{"b":"\u0063"}]}`, `{}|{"a":[1,{"b":"\u0063"}]}|map[a:[1 map[b:c]]]|3`},
		"large numbers": {`{"a":9007199254740993}`, `{}|{"a":9007199254740993}|map[a:9007199254740993]|1`},
		"deep":          {`{"a":` + deep + `}`, "|41"},
		"no object":     {`[1]`, `{}|[1]|[1]|1`},
		"null":          {`null`, `{}|null|<nil>|0`},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, stdio.Options{LendArguments: true})
			w.send(call("1", "test_lent", c.args))
			if m := w.next(); !strings.HasSuffix(m.text(), c.want) {
				t.Errorf("got %s", m.line)
			}
		})
	}
	t.Run("a name twice, and too deep, are no call", func(t *testing.T) {
		w := open(t, stdio.Options{LendArguments: true})
		for _, args := range []string{`{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, `{"a":"\ud83d"}`, strings.Repeat("[", 63) +
			strings.Repeat("]", 63)} {
			w.send(call("1", "test.lent", args))
			if m := w.next(); m.id() != "1" || m.code() != -32600 {
				t.Errorf("%s: got %s", args, m.line)
			}
		}
	})
	t.Run("a prompt gets its own", func(t *testing.T) {
		w := open(t, stdio.Options{LendArguments: true})
		w.send(request("1", "prompts/get", `{"name":"greet","arguments":{"name":"Ada"}}`))
		if m := w.next(); !strings.Contains(string(m.Result), "Hi Ada") {
			t.Errorf("got %s", m.line)
		}
	})
}

// TestUnknownNames checks that errors repeat unknown names shortened and without hidden characters.
func TestUnknownNames(t *testing.T) {
	w := open(t, stdio.Options{})
	const marks = `\u202egnihton\u2066\u0007\u200b\u001b[31m`
	long := strings.Repeat("x", 100_000)
	for name, send := range map[string]string{
		"tool":     call("1", "no"+marks, "{}"),
		"prompt":   request("1", "prompts/get", `{"name":"no`+marks+`"}`),
		"resource": request("1", "resources/read", `{"uri":"test://no`+marks+`"}`),
		"method":   request("1", "no"+marks, "{}"),
		"completion": request("1", "completion/complete", `{"ref":{"type":"ref/`+marks+
			`","name":"x"},"argument":{"name":"a","value":"b"}}`),
		"level":     request("1", "logging/setLevel", `{"level":"`+marks+`"}`),
		"long tool": call("1", "no"+long, "{}"),
		"long uri":  request("1", "resources/read", `{"uri":"test://`+long+`"}`),
	} {
		t.Run(name, func(t *testing.T) {
			w.send(send)
			m := w.next()
			if m.Error == nil || len(m.line) > 1000 {
				t.Fatalf("%d bytes: %.300s", len(m.line), m.line)
			}
			for _, r := range m.Error.Message + strings.TrimSuffix(m.line, "\n") {
				if r < ' ' || strings.ContainsRune("\u202e\u2066\u200b\u007f", r) {
					t.Fatalf("%U is repeated: %s", r, m.line)
				}
			}
			if strings.Contains(m.line, `\u00`) || strings.Contains(m.line, `\u2`) {
				t.Errorf("escaped for JSON alone: %s", m.line)
			}
			if strings.Contains(name, "tool") && !strings.Contains(m.Error.Message, "not found") {
				t.Errorf("it does not say what is wrong: %s", m.line)
			}
		})
	}
}
