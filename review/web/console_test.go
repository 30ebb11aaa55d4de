package web_test

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// question asks the user a question, as the tool does.
func (r *rig) question(session string, until time.Time, q bus.Question) bus.Task {
	r.t.Helper()
	t, err := r.db.CreateTask(r.t.Context(), bus.Task{Session: session, Kind: bus.KindQuestion, Tool: "events.ask_user",
		Stage: bus.StageQuestion, WaitingFor: bus.WaitsPerson, DeadlineAt: until, Question: &q})
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

// consoleOf returns the token of a console of the rig's conversation.
func consoleOf(r *rig) string {
	r.t.Helper()
	if err := r.db.Converse(r.t.Context(), "claude-code"); err != nil {
		r.t.Fatal(err)
	}
	return r.token(pagetoken.Console, r.db.Bus(r.t.Context()))
}

func (r *rig) consoleView(token string) string {
	r.t.Helper()
	a := r.do("GET", "/api/console/"+r.db.Bus(r.t.Context())+"/view", token, nil)
	if a.status != http.StatusOK {
		r.t.Fatalf("%d %s", a.status, a.body)
	}
	return a.body
}

// TestConsoleScope checks what a console can open: its client's reviews and events, but not another
// client's, no bytes and no settings.
func TestConsoleScope(t *testing.T) {
	r := newRig(t, nil)
	token := consoleOf(r)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	if _, err := r.db.CreateTask(t.Context(), s.Task(r.db.Bus(t.Context()))); err != nil {
		t.Fatal(err)
	}
	other, _ := sample(t, record.Blocked)
	foreign := r.put(other, nil)
	if _, err := r.db.CreateTask(t.Context(), other.Task("of-another-client")); err != nil {
		t.Fatal(err)
	}
	theirs, err := r.db.CreateTask(t.Context(), bus.Task{Session: "of-another-client", Kind: bus.KindScan,
		Tool: "task.scan_activity"})
	if err != nil {
		t.Fatal(err)
	}
	call := func(what, id string) answer {
		return r.do("POST", "/api/console/"+r.db.Bus(t.Context())+"/"+what, token, fields{"id": id})
	}
	if view := r.consoleView(token); !strings.Contains(view, id) || strings.Contains(view, foreign) ||
		!strings.Contains(view, "claude-code") {
		t.Error(view)
	}
	t.Run("R003-34 it opens a review of its client by a link that works once", func(t *testing.T) {
		r.in(t)
		url := call("open", id).text("url")
		_, code, _ := strings.Cut(url, "#")
		exchange := fields{"kind": "review", "id": id, "code": code}
		if a := r.do("POST", "/api/exchange", "", exchange); a.text("access") != "active" {
			t.Errorf("%s: %d %s", url, a.status, a.body)
		}
		if a := r.do("POST", "/api/exchange", "", exchange); a.status != http.StatusConflict {
			t.Errorf("again: %d", a.status)
		}
	})
	for name, a := range map[string]answer{"a review of another client": call("open", foreign),
		"a task of another client": call("cancel", theirs.ID)} {
		if a.status != http.StatusNotFound {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	for path, status := range map[string]int{"/api/state": http.StatusOK, "/api/review/" + id +
		"/view": http.StatusUnauthorized,
		"/api/home/view": http.StatusUnauthorized} {
		if a := r.do("GET", path, token, nil); a.status != status {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for _, path := range []string{"/api/review/" + id + "/handoff", "/api/home/use", "/api/settings/" + settingsID +
		"/lift"} {
		if a := r.do("POST", path, token, fields{}); a.status != http.StatusUnauthorized {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	t.Run("it stops everything, and says so", func(t *testing.T) {
		r.in(t)
		if a := r.do("POST", "/api/freeze", token, fields{}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if frozen, err := r.db.Frozen(t.Context()); !frozen || err != nil {
			t.Error(frozen, err)
		}
		if view := r.consoleView(token); !strings.Contains(view, "Everything is stopped") || strings.Contains(view,
			`data-action="freeze"`) {
			t.Error(view)
		}
	})
}

// TestAnswer answers questions from the console: once, with a permitted answer, and before the
// question expires.
func TestAnswer(t *testing.T) {
	clock := double.NewClock(time.Now())
	r := newRigOver(t, store.Config{Dir: double.Dir(t), Now: clock.Now}, func(c *config) { c.Now = clock.Now })
	token := consoleOf(r)
	post := func(id, kind, payload, fault string) answer {
		r.t.Helper()
		return r.post("/api/system/event", token, `{"session_id":"`+r.db.Bus(t.Context())+
			`","event":{"type":"UserResponse","request_id":"`+id+
			`","kind":"`+kind+`","payload":`+payload+`,"error":`+fault+`}}`)
	}
	result := func(id string) (string, string) {
		t.Helper()
		task, err := r.db.Task(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return string(task.Result), task.Error
	}
	ask := func(choices ...string) string {
		return r.question(r.db.Bus(t.Context()), clock.Now().Add(10*time.Minute),
			bus.Question{Text: "<b>Which</b> pool?\u202e", Choices: choices}).ID
	}
	first := ask("a", "b")
	t.Run("R003-124 the question is shown as the client's words", func(t *testing.T) {
		r.in(t)
		view := r.consoleView(token)
		if !strings.Contains(view, "Your AI client asks") || !strings.Contains(view, "&lt;b&gt;Which") ||
			strings.Contains(view, "\u202e") {
			t.Error(view)
		}
	})
	for name, a := range map[string]answer{
		"no choice": post(first, "user_prompt", `{"answer":"c"}`, "null"), "another kind": post(first, "x", `{"answer":"a"}`,
			"null"),
		"more": post(first, "user_prompt", `{"answer":"a","more":1}`, "null"), "another error": post(first, "user_prompt",
			`null`, `"timeout"`),
	} {
		if a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	t.Run("R003-13 R003-96 the first answer stands", func(t *testing.T) {
		r.in(t)
		if a := post(first, "user_prompt", `{"answer":"b"}`, "null"); a.status != http.StatusAccepted ||
			a.text("duplicate") != "" {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := post(first, "user_prompt", `{"answer":"a"}`, "null"); a.status != http.StatusAccepted ||
			a.text("duplicate") != "true" {
			t.Errorf("%d %s", a.status, a.body)
		}
		// The question has ended, so even an invalid answer gets the same response.
		if a := post(first, "user_prompt", `{"answer":"c"}`, "null"); a.status != http.StatusAccepted ||
			a.text("duplicate") != "true" {
			t.Errorf("%d %s", a.status, a.body)
		}
		if got, _ := result(first); got != `{"answer":"b"}` {
			t.Error(got)
		}
		if view := r.consoleView(token); !strings.Contains(view, "You answered") || strings.Contains(view,
			"Your AI client asks") {
			t.Error(view)
		}
	})
	t.Run("a secret is not sent, and the question stays", func(t *testing.T) {
		r.in(t)
		id := ask()
		a := post(id, "user_prompt", `{"answer":"suiprivkey1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"}`,
			"null")
		if got, why := result(id); a.status != http.StatusBadRequest || got != "" || why != "" {
			t.Errorf("%d %s %q %q", a.status, a.body, got, why)
		}
		if a := post(id, "user_prompt", `null`, `"declined"`); a.status != http.StatusAccepted {
			t.Errorf("%d %s", a.status, a.body)
		}
		if _, why := result(id); why != bus.ErrorDeclined {
			t.Error(why)
		}
	})
	t.Run("R003-154 an answer after the time changes nothing", func(t *testing.T) {
		r.in(t)
		id := ask()
		clock.Advance(10 * time.Minute)
		if a := post(id, "user_prompt", `{"answer":"late"}`, "null"); a.status != http.StatusAccepted ||
			a.text("duplicate") != "true" {
			t.Errorf("%d %s", a.status, a.body)
		}
		if got, why := result(id); got != "" || why != bus.ErrorTimeout {
			t.Error(got, why)
		}
	})
}

// TestConsoleLives keeps a console open for a day, and checks that it expires without calls.
func TestConsoleLives(t *testing.T) {
	clock := double.NewClock(time.Now())
	r := newRigOver(t, store.Config{Dir: double.Dir(t), Now: clock.Now}, func(c *config) { c.Now = clock.Now })
	desk := pagetoken.NewDesk(r.db, clock.Now, rand.Reader)
	code, err := desk.Link(t.Context(), pagetoken.Console, "s", 0)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := desk.Exchange(t.Context(), pagetoken.Console, "s", code.Reveal(), "")
	if err != nil {
		t.Fatal(err)
	}
	token := tab.Token
	clock.Advance(24*time.Hour - time.Second)
	if _, err := desk.Check(t.Context(), token.Reveal()); err != nil {
		t.Error(err)
	}
	clock.Advance(24 * time.Hour)
	if _, err := desk.Check(t.Context(), token.Reveal()); err == nil {
		t.Error("it lives on")
	}
}

// in makes a subtest the test of the rig until it ends.
func (r *rig) in(t *testing.T) {
	before := r.t
	r.t = t
	t.Cleanup(func() { r.t = before })
}
