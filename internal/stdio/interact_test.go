package stdio_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// told returns a call's progress messages and its answer.
func told(w *wire) (messages []string, answer frame) {
	w.t.Helper()
	for {
		m := w.next()
		if m.Method == "" {
			return messages, m
		}
		var p struct {
			ProgressToken json.RawMessage
			Progress      int64
			Total         int64
			Message       string
		}
		if err := json.Unmarshal(m.Params, &p); err != nil || m.Method != "notifications/progress" {
			w.t.Fatalf("got %s", m.line)
		}
		messages = append(messages, fmt.Sprintf("%s %d/%d %s", p.ProgressToken, p.Progress, p.Total, p.Message))
	}
}

func progressCall(tool, token, arguments string) string {
	return request("1", "tools/call", `{"name":"`+tool+`","arguments":`+arguments+`,"_meta":{"progressToken":`+token+`}}`)
}

func TestProgress(t *testing.T) {
	// Each reading is a second later, so no progress is too fast.
	slow := double.Stepping(time.Unix(1e9, 0), time.Second)
	for _, token := range []string{`"word"`, `7`, `9007199254740993`, `"7"`, `1.5`} {
		w := open(t, stdio.Options{Now: slow.Now})
		w.send(progressCall("test.progress", token, `{"n":1000}`))
		messages, answer := told(w)
		if len(messages) != 1000 || answer.text() != "done" {
			t.Fatalf("token %s: %d messages, then %s", token, len(messages), answer.line)
		}
		for i, m := range messages {
			if want := fmt.Sprintf("%s %d/1000 step %d", token, i+1, i+1); m != want {
				t.Fatalf("message %d is %q, want %q", i, m, want)
			}
		}
	}
}

func TestProgressRate(t *testing.T) {
	still := double.NewClock(time.Unix(1e9, 0))
	w := open(t, stdio.Options{Now: still.Now, ProgressEvery: time.Hour})
	w.send(progressCall("test.progress", `1`, `{"n":1000}`))
	messages, _ := told(w)
	if want := []string{"1 1/1000 step 1", "1 1000/1000 step 1000"}; fmt.Sprint(messages) != fmt.Sprint(want) {
		t.Errorf("at one moment the first and the last are told, not %v", messages)
	}
	w.send(progressCall("test.beat", `1`, `{}`))
	messages, _ = told(w)
	if want := []string{"1 1/0 still waiting", "1 3/0 still waiting"}; fmt.Sprint(messages) != fmt.Sprint(want) {
		t.Errorf("the newest of those held back is told before the answer, not %v", messages)
	}
}

// TestProgressHeldBack checks that delayed progress is sent before the call ends.
func TestProgressHeldBack(t *testing.T) {
	still := double.NewClock(time.Unix(1e9, 0))
	w := open(t, stdio.Options{Now: still.Now, ProgressEvery: 30 * time.Millisecond})
	w.send(progressCall("test.progresshold", `1`, `{}`))
	if m := w.next(); !strings.Contains(m.line, `"progress":1`) {
		t.Fatalf("got %s", m.line)
	}
	if m := w.next(); !strings.Contains(m.line, `"progress":2`) {
		t.Fatalf("got %s", m.line)
	}
	close(w.fixture.gate)
	if m := w.next(); m.text() != "released" {
		t.Fatalf("got %s", m.line)
	}
}

func TestProgressUnasked(t *testing.T) {
	w := open(t, stdio.Options{})
	for _, line := range []string{
		call("1", "test.progress", "{}"), call("1", "test.notify", "{}"), call("1", "test.beat", "{}"),
		progressCall("test.progress", `{}`, `{}`), progressCall("test.progress", `null`, `{}`), progressCall("test.progress",
			`true`, `{}`),
	} {
		w.send(line)
		if m := w.next(); m.text() != "done" {
			t.Errorf("nobody asked for progress: %s", m.line)
		}
	}
}

// TestProgressByLibrary checks that notifications sent by mcp-go arrive in order, before the
// answer, with the exact token.
func TestProgressByLibrary(t *testing.T) {
	w := open(t, stdio.Options{})
	for range 50 {
		w.send(progressCall("test.notify", `9007199254740993`, `{}`))
		messages, answer := told(w)
		if len(messages) != 3 || !strings.HasPrefix(messages[0], "9007199254740993 0/") || !strings.HasPrefix(messages[2],
			"9007199254740993 2/") || answer.text() != "done" {
			t.Fatalf("%v, %s", messages, answer.line)
		}
	}
}

func TestLogMessages(t *testing.T) {
	w := open(t, stdio.Options{})
	levels := func(line string) (got []string) {
		w.send(line)
		for {
			m := w.next()
			if m.Method == "" {
				if m.text() != "logged" {
					t.Errorf("got %s", m.line)
				}
				return got
			}
			var p struct{ Level, Logger string }
			if err := json.Unmarshal(m.Params, &p); err != nil || m.Method != "notifications/message" || p.Logger != "fixture" {
				t.Errorf("got %s", m.line)
			}
			got = append(got, p.Level)
		}
	}
	old := call("1", "test.log", "{}")
	if got := levels(old); fmt.Sprint(got) != "[error]" {
		t.Errorf("unless asked: %v", got)
	}
	w.send(request("2", "logging/setLevel", `{"level":"info"}`))
	if m := w.next(); m.Result == nil {
		t.Errorf("setLevel: %s", m.line)
	}
	if got := levels(old); fmt.Sprint(got) != "[info error]" {
		t.Errorf("after setLevel info: %v", got)
	}
	w.send(request("2", "logging/setLevel", `{"level":"loud"}`))
	if m := w.next(); m.code() != -32602 {
		t.Errorf("an unknown level: %s", m.line)
	}
	if got := levels(modern("3", "tools/call", "{}", `"name":"test.log"`)); len(got) != 0 {
		t.Errorf("new era, no level in the request: %v", got)
	}
	asks := strings.Replace(modern("3", "tools/call", "{}", `"name":"test.log"`),
		`"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"warning",`, 1)
	if got := levels(asks); fmt.Sprint(got) != "[error]" {
		t.Errorf("new era, warning: %v", got)
	}
}

func TestElicitation(t *testing.T) {
	form, url := call("1", "test.elicit", "{}"), call("1", "test.elicit", `{"url":true}`)
	for _, c := range []struct{ name, capabilities, line, mode string }{
		{"not declared", `{}`, form, ""},
		{"empty means form", `{"elicitation":{}}`, form, "form"},
		{"empty is not url", `{"elicitation":{}}`, url, ""},
		{"form", `{"elicitation":{"form":{}}}`, form, "form"},
		{"form is not url", `{"elicitation":{"form":{}}}`, url, ""},
		{"url", `{"elicitation":{"url":{}}}`, url, "url"},
		{"url is not form", `{"elicitation":{"url":{}}}`, form, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := dial(t, stdio.Options{})
			w.initialize(c.capabilities)
			w.send(c.line)
			m := w.next()
			if c.mode == "" {
				if !strings.Contains(m.text(), "did not declare") {
					t.Errorf("nothing must be sent: %s", m.line)
				}
				return
			}
			if m.Method != "elicitation/create" || m.id() == "" || strings.Contains(m.line, `"url"`) != (c.mode == "url") {
				t.Fatalf("got %s", m.line)
			}
			w.send(`{"jsonrpc":"2.0","id":` + m.id() + `,"result":{"action":"accept","content":{}}}`)
			if m := w.next(); m.id() != "1" || m.text() != "accept" {
				t.Errorf("got %s", m.line)
			}
		})
	}
}

func TestElicitationAnswers(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"accept", `"result":{"action":"accept","content":{"a":1}}`, "accept"},
		{"decline", `"result":{"action":"decline"}`, "decline"},
		{"cancel", `"result":{"action":"cancel"}`, "cancel"},
		{"unknown action", `"result":{"action":"maybe"}`, "unknown action"},
		{"wrong shape", `"result":[]`, "malformed"},
		{"error", `"error":{"code":-32601,"message":"SECRET-MARKER"}`, "error -32601"},
		{"odd error", `"error":"no"`, "with an error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, stdio.Options{})
			w.send(call("1", "test.elicit", "{}"))
			id := w.next().id()
			w.send(`{"jsonrpc":"2.0","id":` + id + `,` + c.answer + `}`)
			if m := w.next(); m.id() != "1" || !strings.Contains(m.text(), c.want) {
				t.Errorf("got %s", m.line)
			}
			w.send(`{"jsonrpc":"2.0","id":` + id + `,` + c.answer + `}`) // a second answer, which nobody waits for
			w.alive()
		})
	}
}

func TestElicitationIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("1", "test.elicit", "{}"))
		asked := w.next().id()
		w.send(call(asked, "test.echo", `{"text":"the client's own id"}`))
		if asked != "1" { // the fixture's first request is still running with id 1
			if m := w.next(); m.id() != asked || m.text() != "the client's own id" {
				t.Errorf("got %s", m.line)
			}
		} else if m := w.next(); m.code() != -32600 {
			t.Errorf("got %s", m.line)
		}
		// The id is a string here, so it does not match.
		w.send(`{"jsonrpc":"2.0","id":"` + asked + `","result":{"action":"accept"}}`)
		w.quiet()
		w.send(`{"jsonrpc":"2.0","id":` + asked + `,"result":{"action":"decline"}}`)
		if m := w.next(); m.id() != "1" || m.text() != "decline" {
			t.Errorf("got %s", m.line)
		}
	})
}

func TestElicitationLateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("1", "test.elicit", "{}"))
		asked := w.next().id()
		w.send(cancel("1"))
		w.stopped()
		if m := w.next(); m.Method != "notifications/cancelled" || !strings.Contains(string(m.Params), `"requestId":`+asked) {
			t.Errorf("the dialog is withdrawn: %s", m.line)
		}
		w.send(`{"jsonrpc":"2.0","id":` + asked + `,"result":{"action":"accept"}}`)
		w.quiet()
		w.alive()
	})
}

// TestElicitationParks checks that other calls run while calls wait for the user.
func TestElicitationParks(t *testing.T) {
	w := open(t, stdio.Options{Concurrency: 2})
	var asked []string
	for i := range 8 {
		w.send(call(fmt.Sprint(i), "test.elicit", "{}"))
		asked = append(asked, w.next().id())
	}
	w.alive()
	for _, id := range asked {
		w.send(`{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept"}}`)
		if m := w.next(); m.text() != "accept" {
			t.Errorf("got %s", m.line)
		}
	}
}

// TestInputBridge checks that a handler written for the new era works in the old one.
func TestInputBridge(t *testing.T) {
	w := open(t, stdio.Options{})
	w.send(call("1", "test.input", "{}"))
	m := w.next()
	if m.Method != "elicitation/create" {
		t.Fatalf("got %s", m.line)
	}
	w.send(`{"jsonrpc":"2.0","id":` + m.id() + `,"result":{"action":"accept"}}`)
	if m := w.next(); m.id() != "1" || m.text() != "accept with state round-1" {
		t.Errorf("got %s", m.line)
	}
	w.send(request("2", "tools/call", `{"name":"test.input","requestState":"round-1"}`))
	if m := w.next(); m.code() != -32602 {
		t.Errorf("no client of the old era has a state: %s", m.line)
	}
}

func TestInputRequired(t *testing.T) {
	const form, url = `{"elicitation":{"form":{}}}`, `{"elicitation":{"url":{}}}`
	moved := double.NewClock(time.Unix(1e9, 0))
	w := dial(t, stdio.Options{Now: moved.Now})
	ask := func(capabilities, rest string) frame {
		w.t.Helper()
		w.send(modern("1", "tools/call", capabilities, `"name":"test.input"`+rest))
		return w.next()
	}
	state := func() string {
		w.t.Helper()
		m := ask(form, `,"arguments":{"a":1,"b":9007199254740993}`)
		var r struct {
			ResultType    string
			RequestState  string
			InputRequests map[string]struct{ Method string }
		}
		if err := json.Unmarshal(m.Result, &r); err != nil || r.ResultType != "input_required" ||
			r.InputRequests["sure"].Method != "elicitation/create" || r.RequestState == "" || strings.Contains(m.line,
			"round-1") {
			w.t.Fatalf("got %s", m.line)
		}
		return r.RequestState
	}
	retry := func(state, arguments string) frame {
		return ask(form, `,"arguments":`+arguments+`,"inputResponses":{"sure":{"action":"accept"}},"requestState":"`+state+
			`"`)
	}
	const same = `{"b":9007199254740993, "a":1}` // different order and spacing

	first := state()
	if m := retry(first, same); m.text() != "accept with state round-1" {
		t.Errorf("retry: %s", m.line)
	}
	if m := retry(first, same); m.code() != -32602 {
		t.Errorf("a state is good for one use: %s", m.line)
	}
	second := state()
	for name, m := range map[string]frame{
		"tampered":              retry(second+"x", same),
		"made up":               retry("round-1", same),
		"of other arguments":    retry(second, `{"a":2,"b":9007199254740993}`),
		"of a rounded argument": retry(second, `{"a":1,"b":9007199254740992}`),
	} {
		if m.code() != -32602 {
			t.Errorf("a state that is %s: %s", name, m.line)
		}
	}
	w.send(modern("1", "tools/call", form, `"name":"test.echo","arguments":`+same+`,"requestState":"`+second+`"`))
	if m := w.next(); m.code() != -32602 {
		t.Errorf("a state of another tool: %s", m.line)
	}
	if m := retry(second, same); m.code() != 0 {
		t.Errorf("failed attempts do not use up a state: %s", m.line)
	}
	old := state()
	moved.Advance(11 * time.Minute)
	if m := retry(old, same); m.code() != -32602 {
		t.Errorf("a state expires: %s", m.line)
	}

	for name, m := range map[string]frame{
		"form": ask("{}", ""), "form for url": ask(url, ""), "url for form": ask(form, `,"arguments":{"url":true}`),
	} {
		if m.Error == nil || m.code() != -32021 || !strings.Contains(string(m.Error.Data),
			`"requiredCapabilities":{"elicitation":{`) {
			t.Errorf("%s without the capability: %s", name, m.line)
		}
	}
	if m := ask(url, `,"arguments":{"url":true}`); !strings.Contains(m.line, `"url":"http`) || !strings.Contains(m.line,
		`"elicitationId":"e1"`) {
		t.Errorf("a link in the new era has no elicitationId, which some clients want: %s", m.line)
	}
	w.send(modern("2", "tools/call", form, `"name":"test.elicit"`))
	if m := w.next(); m.Method != "" || m.id() != "2" {
		t.Errorf("in the new era no request goes to the client: %s", m.line)
	}
}

func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, stdio.Options{})
		const id = "9007199254740993"
		w.send(modern(id, "subscriptions/listen", "{}", `"notifications":{"toolsListChanged":true}`))
		ack := w.next()
		if ack.Method != "notifications/subscriptions/acknowledged" || !strings.Contains(ack.line,
			`"io.modelcontextprotocol/subscriptionId":`+id) {
			t.Fatalf("got %s", ack.line)
		}
		w.fixture.DeletePrompts("greet")
		w.fixture.DeleteTools("test.nan")
		m := w.next()
		if m.Method != "notifications/tools/list_changed" || !strings.Contains(m.line,
			`"io.modelcontextprotocol/subscriptionId":`+id) {
			t.Errorf("only what was asked for, with the id of the stream: %s", m.line)
		}
		w.quiet()
		w.send(cancel(id))
		w.send(modern("1", "tools/call", "{}", `"name":"test.echo","arguments":{"text":"x"}`))
		if m := w.next(); m.id() != "1" {
			t.Errorf("a cancelled stream says nothing more: %s", m.line)
		}
		w.fixture.DeleteTools("test.nil")
		w.quiet()

		w.send(modern(`"empty"`, "subscriptions/listen", "{}", `"notifications":{}`))
		if m := w.next(); !strings.Contains(m.line, `"io.modelcontextprotocol/subscriptionId":"empty"`) {
			t.Errorf("got %s", m.line)
		}
		if m := w.next(); m.id() != `"empty"` || !strings.Contains(string(m.Result),
			`"io.modelcontextprotocol/subscriptionId":"empty"`) {
			t.Errorf("an empty stream ends at once: %s", m.line)
		}
		w.send(modern("3", "subscriptions/listen", "{}", `"notifications":{"toolsListChanged":true}`))
		w.next()
		took(t, 0, func() {
			if err := w.end(); err != nil {
				t.Errorf("an open stream does not hold up the end: %v", err)
			}
		})
		if m := w.next(); m.id() != "3" || m.Result == nil {
			t.Errorf("the stream is closed in form: %s", m.line)
		}
	})
}

// TestBroadcast checks that a client that sent initialize gets changes without a subscription.
func TestBroadcast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, stdio.Options{})
		w.fixture.DeleteTools("test.nan")
		w.quiet()
		w.initialize("{}")
		w.fixture.DeleteTools("test.nil")
		if m := w.next(); m.Method != "notifications/tools/list_changed" {
			t.Errorf("got %s", m.line)
		}
	})
}
