package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/sayurintent/sayurintent/internal/bus/bustest"
	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

// shared is a person's program that shares itself over a NATS server.
type shared struct {
	*app
	said *spoken
	stop func()
}

// shareAt starts a sandbox's program and shares it.
func shareAt(t *testing.T, dir, url string) *shared {
	t.Helper()
	s := &shared{said: &spoken{}}
	p := process{Stdin: strings.NewReader(""), Stdout: s.said, Stderr: io.Discard, Now: time.Now,
		Getenv: func(name string) string { return map[string]string{dataDirVariable: dir}[name] }}
	o, err := parseOptions(p, []string{"--network", "sandbox"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	if s.app, err = newApp(ctx, p, o); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.share(ctx, relayOptions{url: url, profile: "home"}, s.said.line) }()
	ended := false
	s.stop = func() {
		if !ended {
			ended = true
			stop()
			<-done
			s.close()
		}
	}
	t.Cleanup(func() { s.stop() })
	s.said.until(t, "Sharing by the profile home")
	return s
}

// pairAt exchanges keys with it, and admits the machine.
func (s *shared) pairAt(t *testing.T, away, url string) remotes.Key {
	t.Helper()
	profile, err := relay.OpenProfile(away, relay.Connecting, "home")
	if err != nil {
		t.Fatal(err)
	}
	nc, err := relay.Dial(url, "")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	var paired relay.Paired
	double.Until(t, "the program answers", func() bool {
		paired, err = (&relay.Guest{NATS: nc, Profile: profile, Now: time.Now}).Pair(t.Context())
		return err == nil
	})
	profile.Peer = &paired.Peer
	if err := profile.Save(); err != nil {
		t.Fatal(err)
	}
	if err := s.db.AdmitRemote(t.Context(), remotes.Admission{Key: profile.Own.Public, Code: paired.Code, Name: "cloud",
		Scope: remotes.AllTools, EndsAt: time.Now().Add(time.Hour)}, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return profile.Own.Public
}

// farClient is an AI client on the other machine.
type farClient struct {
	t     *testing.T
	give  *os.File
	lines *bufio.Reader
	id    int
}

// connectAt runs connect and introduces a client to it.
func connectAt(t *testing.T, away, url string) *farClient {
	t.Helper()
	in, give, _ := os.Pipe()
	take, out, _ := os.Pipe()
	p := process{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Now: time.Now,
		Getenv: func(name string) string { return map[string]string{dataDirVariable: away}[name] },
		claim:  func() (*os.File, *os.File) { return in, out }}
	ended := make(chan int, 1)
	go func() { ended <- run(p, []string{"connect", "--nats", url, "--profile", "home"}) }()
	t.Cleanup(func() { _ = give.Close(); <-ended })
	c := &farClient{t: t, give: give, lines: bufio.NewReader(take)}
	c.ask(`"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
	return c
}

// ask sends a request and returns the line that answers it.
func (c *farClient) ask(request string) string {
	c.t.Helper()
	c.id++
	if _, err := fmt.Fprintf(c.give, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", c.id, request); err != nil {
		c.t.Fatal(err)
	}
	for {
		got, err := c.lines.ReadString('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		if strings.Contains(got, fmt.Sprintf(`"id":%d,`, c.id)) {
			return got
		}
	}
}

// farEvents is what the tools of events answer.
type farEvents struct {
	Bus, Cursor string
	Truncated   bool
	Events      []struct {
		Seq  int64
		Type string
		Task string `json:"task_id"`
		Text string
	}
}

// call calls a tool; whole is the line that answered.
func (c *farClient) call(name, args string) (e farEvents, whole string) {
	c.t.Helper()
	whole = c.ask(`"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + `}`)
	var line struct {
		Result struct {
			StructuredContent struct{ Data farEvents }
		}
	}
	if err := json.Unmarshal([]byte(whole), &line); err != nil {
		c.t.Fatal(err)
	}
	return line.Result.StructuredContent.Data, whole
}

// TestEventsWhileOff reads events by one cursor, from the program and, while it is off,
// from what was kept.
func TestEventsWhileOff(t *testing.T) {
	url, home, away := natskit.Server(t, 0), t.TempDir(), t.TempDir()
	s := shareAt(t, home, url)
	s.said.until(t, "are kept at the NATS server")
	key := s.pairAt(t, away, url)
	c := connectAt(t, away, url)
	begun, whole := c.call("events.list", `{}`)
	if !strings.HasPrefix(begun.Bus, "conv_") || begun.Cursor == "" {
		t.Fatal(whole)
	}
	happen := func(id string) {
		t.Helper()
		if _, err := s.db.Append(t.Context(), bustest.Result(begun.Bus, id)); err != nil {
			t.Fatal(err)
		}
	}
	happen("first")
	list := func(cursor string) (farEvents, string) {
		return c.call("events.list", `{"cursor":"`+cursor+`"}`)
	}
	first, whole := list(begun.Cursor)
	if len(first.Events) != 1 || first.Events[0].Task != "first" || strings.Contains(whole, "person_offline") {
		t.Fatalf("from the program: %s", whole)
	}
	happen("second")
	// A reader that waits on what is kept hears of it once it is kept.
	m := bufferedEvents(t, away, url)
	double.Until(t, "the event is kept", func() bool { return m() >= 2 })
	s.stop()
	var second farEvents
	double.Until(t, "the program is away", func() bool {
		second, whole = list(first.Cursor)
		return strings.Contains(whole, "person_offline")
	})
	if len(second.Events) != 1 || second.Events[0].Task != "second" || second.Truncated || second.Bus != begun.Bus ||
		!strings.Contains(whole, "last heard of at 2") ||
		!strings.Contains(second.Events[0].Text, "(task second) completed") {
		t.Errorf("from what was kept: %s", whole)
	}
	later := connectAt(t, away, url) // the client was started again meanwhile
	if none, whole := later.call("events.list", `{"after_seq":0}`); len(none.Events) > 0 || !strings.Contains(whole, "other conversation of this machine is bus "+begun.Bus) {
		t.Errorf("another conversation: %s", whole)
	}
	if all, whole := later.call("events.list", `{"after_seq":0,"bus":"`+begun.Bus+`"}`); len(all.Events) != 2 {
		t.Errorf("the earlier conversation by its name: %s", whole)
	}
	if _, whole := c.call("events.list", `{}`); !strings.Contains(whole, `\"kind\":\"person_offline\"`) || strings.Contains(whole, "openWalletRequests") {
		t.Errorf("what is open is answered: %s", whole)
	}
	if waited, whole := c.call("events_wait", `{"cursor":"`+begun.Cursor+`","timeoutMs":1000}`); len(waited.Events) != 2 {
		t.Errorf("waiting: %s", whole)
	}
	if waited, whole := c.call("events.wait", `{"cursor":"`+second.Cursor+`","timeoutMs":50}`); len(waited.Events) != 0 || waited.Truncated {
		t.Errorf("waiting in vain: %s", whole)
	}
	for i, told := range []bool{true, false} { // the first refusal brings the lines, and no later one
		_, whole := c.call("task.get", `{"task_id":"second"}`)
		if !strings.Contains(whole, "person_offline") ||
			strings.Contains(whole, "[[SYSTEM: Tool test (task second) completed") != told {
			t.Errorf("another tool, call %d: %s", i, whole)
		}
	}
	s = shareAt(t, home, url)
	happen("third")
	var third farEvents
	double.Until(t, "the program is back", func() bool {
		third, whole = list(second.Cursor)
		return !strings.Contains(whole, "person_offline")
	})
	if len(third.Events) != 1 || third.Events[0].Task != "third" || third.Truncated || third.Bus != begun.Bus {
		t.Errorf("from the program again: %s", whole)
	}
	if _, err := s.db.RevokeRemote(t.Context(), key, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	double.Until(t, "the machine is not served", func() bool {
		_, whole = list(second.Cursor)
		return strings.Contains(whole, "person_offline")
	})
	if _, whole = list(begun.Cursor); !strings.Contains(whole, "does not serve this one") ||
		strings.Contains(whole, "task second") {
		t.Errorf("after it was revoked: %s", whole)
	}
}

// bufferedEvents counts the letters of a profile, as another process of the machine.
func bufferedEvents(t *testing.T, away, url string) func() int {
	t.Helper()
	profile, err := relay.OpenProfile(away, relay.Connecting, "home")
	if err != nil {
		t.Fatal(err)
	}
	nc, err := relay.Dial(url, "")
	if err != nil {
		t.Fatal(err)
	}
	counted := make(chan int, 1)
	counted <- 0
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = (&relay.Guest{NATS: nc, Profile: profile, Now: time.Now}).Follow(ctx, func(text []byte) {
			if strings.Contains(string(text), `"type"`) {
				counted <- 1 + <-counted
			}
		}, func(bool) {})
	}()
	t.Cleanup(func() { stop(); <-done; nc.Close() })
	return func() int { n := <-counted; counted <- n; return n }
}

// A server without JetStream shares as before; share says that no events are kept.
func TestShareWithoutJetStream(t *testing.T) {
	long.Skip(t, "it waits for a NATS server")
	o, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	o.Start()
	t.Cleanup(func() { o.Shutdown(); o.WaitForShutdown() })
	if !o.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server does not start")
	}
	away := t.TempDir()
	s := shareAt(t, t.TempDir(), o.ClientURL())
	s.said.until(t, "The NATS server has no JetStream")
	s.pairAt(t, away, o.ClientURL())
	c := connectAt(t, away, o.ClientURL())
	if begun, whole := c.call("events.list", `{}`); begun.Cursor == "" {
		t.Error(whole)
	}
	s.stop()
	double.Until(t, "the program is away", func() bool {
		_, whole := c.call("events.list", `{"after_seq":0}`)
		return strings.Contains(whole, "no events of it can be read")
	})
}
