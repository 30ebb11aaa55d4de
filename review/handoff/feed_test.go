package handoff

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// scriptedFeed is a node's subscription in the hands of a test.
type scriptedFeed struct {
	begun, ended chan struct{}
	say          chan []sui.Digest
	drop         chan error
}

func (f scriptedFeed) Executed(ctx context.Context, each func(uint64, []sui.Digest) error) error {
	f.begun <- struct{}{}
	defer func() { f.ended <- struct{}{} }()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-f.drop:
			return err
		case list := <-f.say:
			if err := each(1, list); err != nil {
				return err
			}
		}
	}
}

func TestFeed(t *testing.T) {
	const id = record.ID("review")
	awaited, other := sui.Digest{1}, sui.Digest{2}
	start := func(t *testing.T) (*Service, scriptedFeed) {
		t.Helper()
		f := scriptedFeed{make(chan struct{}, 9), make(chan struct{}, 9), make(chan []sui.Digest), make(chan error)}
		s := New(Config{Guard: node.Guard{Log: slog.New(slog.DiscardHandler)}, Feed: f, Now: time.Now})
		s.again = time.Millisecond
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.listen(ctx, context.Background()) }()
		t.Cleanup(func() { stop(); <-done })
		return s, f
	}
	watched := func(s *Service) chan struct{} {
		wake := make(chan struct{}, 1)
		s.mu.Lock()
		s.watching[id] = wake
		s.mu.Unlock()
		s.await(id, []sui.Digest{awaited})
		s.some <- struct{}{}
		return wake
	}
	t.Run("the watch of an executed transaction wakes, and no other", func(t *testing.T) {
		s, f := start(t)
		wake := watched(s)
		<-f.begun
		f.say <- []sui.Digest{other}
		f.say <- nil // everything before was handled
		if len(wake) != 0 {
			t.Error("another transaction woke it")
		}
		f.say <- []sui.Digest{other, awaited, awaited}
		<-wake
	})
	t.Run("a subscription that drops begins again", func(t *testing.T) {
		s, f := start(t)
		wake := watched(s)
		for range 3 {
			<-f.begun
			f.drop <- errors.New("gone")
			<-f.ended
		}
		<-f.begun
		f.say <- []sui.Digest{awaited}
		<-wake
	})
	t.Run("it ends with the last watch, and begins with the next", func(t *testing.T) {
		s, f := start(t)
		for range 2 {
			watched(s)
			<-f.begun
			s.forget(id)
			<-f.ended
		}
		if len(s.awaited) != 0 {
			t.Error("transactions of nobody:", s.awaited)
		}
	})
	t.Run("nothing is watched", func(t *testing.T) {
		s, f := start(t)
		done := make(chan struct{})
		go func() { defer close(done); s.listenWhileWatched(t.Context()) }()
		select {
		case <-f.begun:
			t.Error("it subscribed for nobody")
		case <-done:
		}
	})
}
