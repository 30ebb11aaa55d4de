package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// spoken collects a command's output.
type spoken struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *spoken) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *spoken) String() string { s.mu.Lock(); defer s.mu.Unlock(); return s.buf.String() }

// line adds a line to the output.
func (s *spoken) line(text string) { _, _ = s.Write([]byte(text + "\n")) }

// until waits until the output contains word, and returns the output.
func (s *spoken) until(t *testing.T, word string) string {
	t.Helper()
	if !double.Await(func() bool { return strings.Contains(s.String(), word) }) {
		t.Fatalf("%q was never said: %s", word, s.String())
	}
	return s.String()
}

// TestRemote pairs, accepts and serves a client on another machine with the real commands.
func TestRemote(t *testing.T) {
	url := natskit.Server(t, 0)
	relayed := relayOptions{url: url, profile: "home"}
	home, away := t.TempDir(), t.TempDir()
	said := &spoken{}
	p := process{Stdin: strings.NewReader(""), Stdout: said, Stderr: io.Discard, Now: time.Now,
		Getenv: func(name string) string { return map[string]string{dataDirVariable: home}[name] }}
	s, err := parseOptions(p, []string{"--network", "sandbox"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	a, err := newApp(ctx, p, s)
	if err != nil {
		t.Fatal(err)
	}
	shared := make(chan error, 1)
	go func() { shared <- a.share(ctx, relayed, said.line) }()
	defer func() { stop(); <-shared; a.close() }()
	said.until(t, "Sharing with the profile home")

	answer, typed := io.Pipe()
	there := &spoken{}
	other := process{Stdin: answer, Stdout: there, Stderr: there, Now: time.Now,
		Getenv: func(name string) string { return map[string]string{dataDirVariable: away}[name] }}
	paired := make(chan int, 1)
	flags := []string{"connect", "--nats", url, "--profile", "home"}
	go func() { paired <- run(other, append(flags, "--pair")) }()
	_, code, _ := strings.Cut(there.until(t, "Type yes"), "The code is ")
	code, _, _ = strings.Cut(code, ".")
	if here := said.until(t, "must show the code"); !strings.Contains(here, "the code "+code+".") {
		t.Fatalf("the codes differ: %q, %s", code, here)
	}
	_, _ = io.WriteString(typed, "yes\n")
	if got := <-paired; got != exitOK {
		t.Fatalf("pairing ended with %d: %s", got, there)
	}
	all, err := a.db.Remotes(ctx)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	admit := func(scope remotes.Scope) {
		t.Helper()
		if err := a.db.AdmitRemote(ctx, remotes.Admission{Key: all[0].Key, Code: code, Name: "cloud", Scope: scope,
			EndsAt: time.Now().Add(time.Hour)}, func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	admit(remotes.AllTools)

	in, give, _ := os.Pipe()
	take, out, _ := os.Pipe()
	other.claim = func() (*os.File, *os.File) { return in, out }
	ended := make(chan int, 1)
	go func() { ended <- run(other, flags) }()
	lines := bufio.NewReader(take)
	ask := func(line string) string {
		t.Helper()
		if _, err := give.WriteString(line + "\n"); err != nil {
			t.Fatal(err)
		}
		for {
			got, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got, `"method":`) {
				return got
			}
		}
	}
	got := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"url":{},"form":{}}},"clientInfo":{"name":"x","version":"1"}}}`)
	if !strings.Contains(got, "You run on another machine") {
		t.Errorf("the instructions do not say where the links open: %s", got)
	}
	if got := ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !strings.Contains(got,
		"session_create_wallet_identity") ||
		strings.Contains(got, `"name":"workspace`) {
		t.Errorf("the list is %.300s", got)
	}
	got = ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"session.create_wallet_identity","arguments":{}}}`)
	if !strings.Contains(got, "/connect/") || strings.Contains(got, "#") {
		t.Errorf("the link is none without a code: %s", got)
	}
	stop() // the user's machine goes offline
	double.Await(func() bool {
		got = ask(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read.get_server_status","arguments":{}}}`)
		return strings.Contains(got, "person_offline")
	})
	if !strings.Contains(got, "person_offline") || !strings.Contains(got, "last seen at") {
		t.Errorf("with the person's machine off: %s", got)
	}
	_ = give.Close()
	if got := <-ended; got != exitOK {
		t.Errorf("connect ended with %d: %s", got, there)
	}
}

func TestRemoteReads(t *testing.T) {
	all := tools.All(tools.Deps{})
	r := &remotes.Remote{Scope: remotes.ReadOnly}
	served := forRemote(r, all)
	if len(served) == 0 {
		t.Fatal("nothing is served")
	}
	for _, one := range served {
		if one.Effect == tool.OpensSession || one.Effect == tool.AddsLocal || one.Effect == tool.ClearsLocal {
			t.Errorf("%s is served to who may only read", one.Name)
		}
		if words := remoteWords(tools.Instructions, r, all, served); !strings.Contains(words, "another machine") ||
			strings.Contains(words, "action.prepare_sui_action_review") {
			t.Fatalf("the instructions name what is not served: %s", words)
		}
	}
}
