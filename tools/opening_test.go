package tools_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// desktop serves tools over the real transport. Its browser only records the links it gets.
type desktop struct {
	*world
	in      io.Writer
	out     *bufio.Scanner
	shown   []string
	fails   bool
	clock   *double.Clock // of the transport
	session tool.Session
}

// aPerson is how long a user takes to answer a question.
const aPerson = 2 * time.Second

func serveDesktop(t *testing.T, browser func(d *desktop) tool.Browser) *desktop {
	t.Helper()
	w := build(t, nil)
	w.Connect(sandbox.Account)
	d := &desktop{world: w}
	if browser != nil {
		d.session.Browser = browser(d)
	}
	return d.serve(tools.All(w.deps()))
}

// serveTools serves any tools over the real transport.
func serveTools(t *testing.T, w *world, list []tool.Tool) *desktop {
	t.Helper()
	return (&desktop{world: w}).serve(list)
}

func (d *desktop) serve(list []tool.Tool) *desktop {
	t := d.t
	t.Helper()
	s := tool.NewServer(tool.Identity{Name: "test", Version: "1"})
	tool.Register(s, list, slog.New(slog.DiscardHandler))
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	d.clock = double.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	go func() {
		done <- stdio.Serve(tool.WithSession(context.Background(), &d.session), fromClient, toClient, s,
			stdio.Options{Now: d.clock.Now})
		_ = toClient.Close()
	}()
	d.in, d.out = toServer, bufio.NewScanner(fromServer)
	d.out.Buffer(nil, 4<<20)
	t.Cleanup(func() {
		_ = toServer.Close()
		go func() {
			for d.out.Scan() { //nolint:revive // what is still said must not hold up the end
			}
		}()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *desktop) send(line string) {
	d.t.Helper()
	if _, err := io.WriteString(d.in, line+"\n"); err != nil {
		d.t.Fatal(err)
	}
}

// said is a frame that the server sent.
type said struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Mode, Message, URL, ElicitationID string
		RequestedSchema                   json.RawMessage
	}
	Result struct {
		StructuredContent struct{ Data map[string]any }
		Content           []struct{ Text string }
		ResultType        string
		RequestState      string
		InputRequests     map[string]struct {
			Method string
			Params struct {
				Mode, Message, URL, ElicitationID string
				RequestedSchema                   json.RawMessage
			}
		}
	}
	Error *struct {
		Code    int
		Message string
	}
	line string
}

func (d *desktop) next() said {
	d.t.Helper()
	if !d.out.Scan() {
		d.t.Fatal("the server ended")
	}
	var m said
	if err := json.Unmarshal(d.out.Bytes(), &m); err != nil {
		d.t.Fatalf("%s: %v", d.out.Bytes(), err)
	}
	m.line = d.out.Text()
	return m
}

// hello performs the handshake as a client of the older era.
func (d *desktop) hello(capabilities string) {
	d.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` +
		capabilities +
		`,"clientInfo":{"name":"test","version":"1"}}}`)
	d.next()
	d.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

const (
	connectCall = `"name":"session.create_wallet_identity","arguments":{}`
	prepareCall = `"name":"action.prepare_sui_action_review","arguments":` + tenSUIArgs
	formOnly    = `{"elicitation":{}}`
	urlOnly     = `{"elicitation":{"url":{}}}`
	urlAndForm  = `{"elicitation":{"form":{},"url":{}}}`
)

func (d *desktop) ask(call string) said {
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + call + `}}`)
	return d.next()
}

// modernAsk makes a call in the era without a handshake.
func (d *desktop) modernAsk(capabilities, call string) said {
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":` +
		capabilities + `},` + call + `}}`)
	return d.next()
}

// linked checks that an answer has its link in both forms of the result, and returns the link and
// what was done.
func (d *desktop) linked(m said) (url, opening string) {
	d.t.Helper()
	data := m.Result.StructuredContent.Data
	for _, name := range []string{"walletUrl", "reviewUrl"} {
		if text, ok := data[name].(string); ok {
			url = text
		}
	}
	if m.Method != "" || m.Error != nil || !strings.HasPrefix(url, "http://127.0.0.1:") || !strings.Contains(url, "#") ||
		len(m.Result.Content) != 1 || !strings.Contains(m.Result.Content[0].Text, url) {
		d.t.Fatalf("the answer has no link: %s", m.line)
	}
	opening, _ = data["opening"].(string)
	return url, opening
}

// opens checks that a link opens its page exactly once.
func (d *desktop) opens(url string) {
	d.t.Helper()
	path, code, _ := strings.Cut(strings.TrimPrefix(url, "http://127.0.0.1:1/"), "#")
	kind, id, _ := strings.Cut(path, "/")
	if _, err := d.Passes.Exchange(d.t.Context(), pagetoken.Kind(kind), id, code, ""); err != nil {
		d.t.Errorf("%s does not open: %v", url, err)
	}
}

func remembering(unasked bool) func(*desktop) tool.Browser {
	return func(d *desktop) tool.Browser {
		return tool.Browser{Unasked: unasked, Start: func(_ context.Context, link string) error {
			if d.fails {
				return errors.New("no browser")
			}
			d.shown = append(d.shown, link)
			return nil
		}}
	}
}

func TestOpeningByLink(t *testing.T) {
	for name, c := range map[string]struct {
		capabilities, call, page string
		browser                  bool
	}{
		"connecting": {urlOnly, connectCall, "connect", false},
		"a review, a client that can do both, a browser at hand": {urlAndForm, prepareCall, "review", true},
	} {
		t.Run("R004-427 R004-428 the client is given a link of its own to open: "+name, func(t *testing.T) {
			var browser func(*desktop) tool.Browser
			if c.browser {
				browser = remembering(false)
			}
			d := serveDesktop(t, browser)
			d.hello(c.capabilities)
			q := d.ask(c.call)
			if q.Method != "elicitation/create" || q.Params.Mode != "url" || q.Params.ElicitationID == "" ||
				!strings.HasPrefix(q.Params.URL, "http://127.0.0.1:1/"+c.page+"/") || !strings.Contains(q.Params.Message,
				"browser of this computer") {
				t.Fatalf("asked %s", q.line)
			}
			if _, code, _ := strings.Cut(q.Params.URL, "#"); strings.Contains(q.Params.Message, code) ||
				strings.Contains(q.Params.Message, "http") {
				t.Errorf("a secret in %q", q.Params.Message)
			}
			d.clock.Advance(aPerson)
			d.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"accept"}}`)
			url, opening := d.linked(d.next())
			if opening != "client_agreed" || url == q.Params.URL || len(d.shown) != 0 {
				t.Errorf("%s by %s beside %s, %v", opening, url, q.Params.URL, d.shown)
			}
			d.opens(q.Params.URL)
			d.opens(url)
		})
	}
}

func TestOpeningByQuestion(t *testing.T) {
	start := func(t *testing.T) (*desktop, said) {
		d := serveDesktop(t, remembering(false))
		d.hello(formOnly)
		q := d.ask(prepareCall)
		if q.Method != "elicitation/create" || q.Params.URL != "" || len(q.Params.RequestedSchema) == 0 ||
			strings.Contains(q.line, "#") {
			t.Fatalf("asked %s", q.line)
		}
		return d, q
	}
	answer := func(d *desktop, q said, body string) (url, opening string) {
		d.clock.Advance(aPerson)
		d.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,` + body + `}`)
		return d.linked(d.next())
	}
	t.Run("R004-428 a yes starts the system's browser, with a link of its own", func(t *testing.T) {
		d, q := start(t)
		url, opening := answer(d, q, `"result":{"action":"accept","content":{}}`)
		if opening != "browser_started" || len(d.shown) != 1 || d.shown[0] == url {
			t.Fatalf("%s %s %v", opening, url, d.shown)
		}
		d.opens(d.shown[0])
		d.opens(url)
	})
	t.Run("a browser that fails is no success", func(t *testing.T) {
		d, q := start(t)
		d.fails = true
		if _, opening := answer(d, q, `"result":{"action":"accept","content":{}}`); opening != "link_only" {
			t.Error(opening)
		}
	})
	for body, want := range map[string]string{
		`"result":{"action":"decline"}`: "declined", `"result":{"action":"cancel"}`: "declined",
		`"error":{"code":-32601,"message":"no such method"}`: "unanswered", `"result":{"action":"perhaps"}`: "unanswered",
		`"result":[]`: "unanswered",
	} {
		t.Run("the link comes all the same: "+body, func(t *testing.T) {
			d, q := start(t)
			if _, opening := answer(d, q, body); opening != want || len(d.shown) != 0 {
				t.Errorf("%s, %v", opening, d.shown)
			}
			again := d.ask(connectCall)
			if want == "unanswered" {
				d.linked(again) // a client that cannot do what it declared is not asked again
			} else if again.Method != "elicitation/create" {
				t.Errorf("a person who said no once is asked about the next page: %s", again.line)
			} else {
				answer(d, again, `"result":{"action":"cancel"}`)
			}
		})
	}
}

// TestOpeningDeclinedByTheClient checks that a decline that is faster than a user can read does not
// count as the user's.
func TestOpeningDeclinedByTheClient(t *testing.T) {
	for _, action := range []string{"decline", "cancel"} {
		for took, want := range map[time.Duration]string{0: "unavailable", 499 * time.Millisecond: "unavailable",
			500 * time.Millisecond: "declined"} {
			t.Run(action+" after "+took.String(), func(t *testing.T) {
				d := serveDesktop(t, remembering(false))
				d.hello(formOnly)
				q := d.ask(prepareCall)
				d.clock.Advance(took)
				d.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"` + action + `"}}`)
				if _, opening := d.linked(d.next()); opening != want || len(d.shown) != 0 {
					t.Errorf("%s, %v", opening, d.shown)
				}
				again := d.ask(connectCall)
				if asked := again.Method == "elicitation/create"; asked != (want == "declined") {
					t.Fatalf("asked again %t: %s", asked, again.line)
				} else if asked {
					d.send(`{"jsonrpc":"2.0","id":` + string(again.ID) + `,"result":{"action":"cancel"}}`)
					d.next()
				}
			})
			t.Run(action+" in a later call, after "+took.String(), func(t *testing.T) {
				d := serveDesktop(t, nil)
				q := d.modernAsk(urlOnly, prepareCall)
				d.clock.Advance(took)
				m := d.modernAsk(urlOnly, prepareCall+`,"requestState":"`+q.Result.RequestState+
					`","inputResponses":{"open":{"action":"`+action+`"}}`)
				if _, opening := d.linked(m); opening != want {
					t.Error(opening)
				}
			})
		}
	}
	t.Run("a yes is taken however soon", func(t *testing.T) {
		d := serveDesktop(t, remembering(false))
		d.hello(formOnly)
		q := d.ask(prepareCall)
		d.send(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":{"action":"accept","content":{}}}`)
		if _, opening := d.linked(d.next()); opening != "browser_started" {
			t.Error(opening)
		}
	})
}

func TestOpeningUnasked(t *testing.T) {
	for name, c := range map[string]struct {
		capabilities, want string
		browser            func(*desktop) tool.Browser
		fails              bool
	}{
		"no capability, a browser":                   {`{}`, "link_only", remembering(false), false},
		"form, no browser":                           {formOnly, "link_only", nil, false},
		"agreed beforehand":                          {urlAndForm, "browser_started", remembering(true), false},
		"agreed beforehand, no capability, it fails": {`{}`, "link_only", remembering(true), true},
		"agreed beforehand, form, it fails":          {formOnly, "link_only", remembering(true), true},
	} {
		t.Run(name, func(t *testing.T) {
			d := serveDesktop(t, c.browser)
			d.fails = c.fails
			d.hello(c.capabilities)
			url, opening := d.linked(d.ask(prepareCall))
			if opening != c.want || (c.want == "browser_started") != (len(d.shown) == 1) {
				t.Errorf("%s, %v", opening, d.shown)
			}
			d.opens(url)
		})
	}
	t.Run("R004-424 polling never asks and starts nothing", func(t *testing.T) {
		d := serveDesktop(t, remembering(true))
		d.hello(urlAndForm)
		prepared := d.ask(prepareCall)
		d.linked(prepared)
		id := prepared.Result.StructuredContent.Data["reviewSessionId"].(string)
		d.linked(d.ask(`"name":"session.get_review_status","arguments":{"reviewSessionId":"` + id + `"}`))
		if len(d.shown) != 1 {
			t.Errorf("%d pages were shown", len(d.shown))
		}
	})
}

func TestOpeningWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := func(_ context.Context, kind pagetoken.Kind, id string) (string, error) {
			return "http://127.0.0.1:1/" + string(kind) + "/" + id + "#code", nil
		}
		d := serveTools(t, &world{t: t}, tools.All(tools.Deps{Accounts: &patient{}, PageLinks: tools.PageLinks{Link: link}}))
		d.hello(urlOnly)
		start := time.Now()
		d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"p"},` + connectCall + `}}`)
		methods := map[string]int{}
		for {
			m := d.next()
			if m.Method == "" {
				_, opening := d.linked(m)
				if opening != "unanswered" {
					t.Error(opening)
				}
				break
			}
			methods[m.Method]++
		}
		if took := time.Since(start); took != 20*time.Second {
			t.Errorf("waited %v", took)
		}
		if methods["elicitation/create"] != 1 || methods["notifications/progress"] < 4 ||
			methods["notifications/cancelled"] != 1 {
			t.Errorf("sent %v", methods)
		}
		d.linked(d.ask(connectCall))
	})
}

func TestOpeningInTheNewEra(t *testing.T) {
	retry := func(call, state, response string) string {
		return call + `,"requestState":"` + state + `"` + response
	}
	asked := func(t *testing.T, d *desktop, capabilities string) (state, url string) {
		t.Helper()
		m := d.modernAsk(capabilities, prepareCall)
		q := m.Result.InputRequests["open"]
		if m.Result.ResultType != "input_required" || q.Method != "elicitation/create" || m.Result.RequestState == "" ||
			strings.Contains(m.line, "reviewSessionId") || (q.Params.ElicitationID == "") != (q.Params.URL == "") {
			t.Fatalf("asked %s", m.line)
		}
		return m.Result.RequestState, q.Params.URL
	}
	for body, want := range map[string]string{"accept": "client_agreed", "decline": "declined", "cancel": "declined"} {
		t.Run("R004-427 by link, "+body, func(t *testing.T) {
			d := serveDesktop(t, nil)
			state, asked := asked(t, d, urlOnly)
			d.clock.Advance(aPerson)
			m := d.modernAsk(urlOnly, retry(prepareCall, state, `,"inputResponses":{"open":{"action":"`+body+`"}}`))
			url, opening := d.linked(m)
			if opening != want || !strings.HasPrefix(asked, "http://127.0.0.1:1/review/") || url == asked {
				t.Errorf("%s by %s beside %s", opening, url, asked)
			}
			if id, _, _ := strings.Cut(strings.TrimPrefix(asked, "http://127.0.0.1:1/review/"),
				"#"); id != m.Result.StructuredContent.Data["reviewSessionId"] {
				t.Errorf("asked about %s, answered about %s", id, m.line)
			}
			if _, ok := m.Result.StructuredContent.Data["userAnswerUse"]; !ok {
				t.Error("the answer has no guidance")
			}
			d.opens(asked)
			d.opens(url)
		})
	}
	t.Run("by question: a yes starts the browser", func(t *testing.T) {
		d := serveDesktop(t, remembering(false))
		state, _ := asked(t, d, formOnly)
		_, opening := d.linked(d.modernAsk(formOnly, retry(prepareCall, state,
			`,"inputResponses":{"open":{"action":"accept","content":{}}}`)))
		if opening != "browser_started" || len(d.shown) != 1 {
			t.Errorf("%s, %v", opening, d.shown)
		}
	})
	for name, response := range map[string]string{"no answers": ``,
		"an answer to something else": `,"inputResponses":{"other":{"action":"accept"}}`,
		"an answer of another shape":  `,"inputResponses":{"open":7}`} {
		t.Run("the link comes all the same: "+name, func(t *testing.T) {
			d := serveDesktop(t, nil)
			state, _ := asked(t, d, urlOnly)
			m := d.modernAsk(urlOnly, retry(prepareCall, state, response))
			if name == "an answer of another shape" && m.Error != nil {
				m = d.modernAsk(urlOnly, prepareCall)
				d.linked(m)
				return
			}
			if _, opening := d.linked(m); opening != "unanswered" {
				t.Error(opening)
			}
		})
	}
	t.Run("a client that never comes back is asked once", func(t *testing.T) {
		d := serveDesktop(t, nil)
		asked(t, d, urlOnly)
		if _, opening := d.linked(d.modernAsk(urlOnly, prepareCall)); opening != "link_only" {
			t.Error(opening)
		}
	})
	t.Run("no capability", func(t *testing.T) {
		d := serveDesktop(t, remembering(false))
		if _, opening := d.linked(d.modernAsk(`{}`, prepareCall)); opening != "link_only" {
			t.Error(opening)
		}
	})
}

// TestClientOfACall checks that a call sees only what its client declared for it.
func TestClientOfACall(t *testing.T) {
	type out struct {
		Form     bool `json:"form" description:"asks"`
		URL      bool `json:"url" description:"opens"`
		ByResult bool `json:"byResult" description:"asks by result"`
	}
	who := tool.Declare(tool.Spec[struct{}, out]{Name: "read.who", Effect: tool.ReadsLocal,
		Run: func(c tool.Call, _ struct{}) (out, error) {
			k := c.Client()
			return out{k.AsksForm, k.OpensURL, k.AsksByResult}, nil
		}})
	for capabilities, want := range map[string]out{
		`{}`: {}, formOnly: {Form: true}, urlOnly: {URL: true}, urlAndForm: {Form: true, URL: true},
		`{"elicitation":{"form":{}}}`: {Form: true}, `{"elicitation":null}`: {},
	} {
		for _, modern := range []bool{false, true} {
			d := serveTools(t, &world{t: t}, []tool.Tool{who})
			var m said
			if modern {
				m = d.modernAsk(capabilities, `"name":"read.who","arguments":{}`)
			} else {
				d.hello(capabilities)
				m = d.ask(`"name":"read.who","arguments":{}`)
			}
			want := want
			want.ByResult = modern
			data := m.Result.StructuredContent.Data
			if data["form"] != want.Form || data["url"] != want.URL || data["byResult"] != want.ByResult {
				t.Errorf("%s, new era %t: %s", capabilities, modern, m.line)
			}
		}
	}
}
