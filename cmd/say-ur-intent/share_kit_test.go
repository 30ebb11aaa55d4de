package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// shared is a user's program that serves other machines over a NATS server.
type shared struct {
	*app
	said *spoken
	stop func()
}

// shareAt starts a sandbox program that shares itself.
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
	s.said.until(t, "Sharing with the profile home")
	return s
}

// pairAt exchanges keys with the program and accepts the machine.
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
