package relay_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/bus/bustest"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/outbox"
	"github.com/sayurintent/sayurintent/internal/relay"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/store"
)

// post is a person's log whose events are kept at a NATS server for one remote.
type post struct {
	t       testing.TB
	url     string
	dir     string // of the person's data
	db      *store.DB
	own     *relay.Profile // of the person's machine
	guest   *relay.Profile
	remotes *known
	session string

	mu  sync.Mutex
	now time.Time
}

func newPost(t testing.TB, url string) *post {
	t.Helper()
	p := &post{t: t, url: url, dir: filepath.Join(double.Dir(t), "data"), guest: profile(t, relay.Connecting),
		now:     time.Now(),
		remotes: &known{all: map[remotes.Key]remotes.Remote{}, now: time.Now}}
	k := p.guest.Own.Public
	p.session = k.Conversation("one")
	p.remotes.all[k] = remotes.Remote{Key: k, Scope: remotes.AllTools, EndsAt: p.now.AddDate(1, 0, 0),
		AskedAt: p.now.AddDate(0, 0, -1)}
	storekit.Make(t, p.dir)
	db, err := store.Open(t.Context(), store.Config{Dir: p.dir, Now: p.clock, Hub: &events.Hub{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	p.db = db
	if p.own, err = relay.OpenProfile(p.dir, relay.Sharing, "home"); err != nil {
		t.Fatal(err)
	}
	p.guest.Peer = &p.own.Own.Public
	return p
}

func (p *post) clock() time.Time { p.mu.Lock(); defer p.mu.Unlock(); return p.now }

func (p *post) pass(d time.Duration) { p.mu.Lock(); defer p.mu.Unlock(); p.now = p.now.Add(d) }

func (p *post) put(list ...bus.Event) []bus.Appended {
	p.t.Helper()
	out, err := p.db.Append(p.t.Context(), list...)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

func copier(db *store.DB, all remotes.Store, nc *nats.Conn, own *relay.Profile, now func() time.Time) *outbox.Outbox {
	return &outbox.Outbox{Log: db, Remotes: all, Network: "sui:sandbox", Now: now,
		Open: func(ctx context.Context) (outbox.Stream, error) {
			return relay.OpenKept(ctx, nc, own.Own, outbox.Limits())
		}}
}

// copying runs an outbox until the returned function ends it.
func (p *post) copying() (stop func()) {
	p.t.Helper()
	nc := dial(p.t, p.url)
	o := copier(p.db, p.remotes, nc, p.own, p.clock)
	ctx, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); o.Run(ctx) }()
	stop = sync.OnceFunc(func() { end(); double.Next(p.t, "the outbox has ended", done); nc.Close() })
	p.t.Cleanup(stop)
	return stop
}

// reading runs a mirror, as one process of the remote has it.
func (p *post) reading() (m *outbox.Mirror, stop func()) {
	p.t.Helper()
	g := &relay.Guest{NATS: dial(p.t, p.url), Profile: p.guest, Now: time.Now}
	m = &outbox.Mirror{Cursors: g, Patience: time.Minute}
	ctx, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = g.Follow(ctx, m.Take, m.Whole) }()
	stop = sync.OnceFunc(func() { end(); double.Next(p.t, "the reader has ended", done); g.NATS.Close() })
	p.t.Cleanup(stop)
	return m, stop
}

// caughtUp waits until a mirror has an event of the remote.
func (p *post) caughtUp(m *outbox.Mirror, session string, seq bus.Seq) {
	p.t.Helper()
	log, err := p.db.ID(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	double.Until(p.t, "the event is read elsewhere", func() bool {
		page, err := m.Since(p.t.Context(), bus.Cursor{Log: log, Seq: seq - 1}, bus.Filter{Session: session, Sees: bus.Agent},
			1)
		return err == nil && len(page.Events) > 0
	})
}

// stream is the stream of the post, as who runs the server sees it.
func (p *post) stream() (jetstream.JetStream, jetstream.Stream) {
	p.t.Helper()
	js, err := jetstream.New(dial(p.t, p.url))
	if err != nil {
		p.t.Fatal(err)
	}
	for name := range js.StreamNames(p.t.Context()).Name() {
		if len(name) == len("SAYURINTENT_")+32 {
			s, err := js.Stream(p.t.Context(), name)
			if err != nil {
				p.t.Fatal(err)
			}
			return js, s
		}
	}
	p.t.Fatal("there is no stream")
	return nil, nil
}

// raw is every message of the stream.
func (p *post) raw() (list []*jetstream.RawStreamMsg) {
	p.t.Helper()
	_, s := p.stream()
	info, err := s.Info(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
		if m, err := s.GetMsg(p.t.Context(), seq); err == nil {
			list = append(list, m)
		}
	}
	return list
}

// A remote reads the copy of its events as agents read the log itself.
func TestReaders(t *testing.T) {
	long.Skip(t, "it waits for readers of a NATS server")
	t.Parallel()
	t.Run("jetstream", func(t *testing.T) { bustest.Reading(t, copied) })
}

func copied(t *testing.T) *bustest.Readers {
	p := newPost(t, natskit.Server(t, 8<<10))
	other := p.guest.Own.Public.Conversation("two")
	stop := p.copying()
	here, stopHere := p.reading()
	there, stopThere := p.reading()
	r := &bustest.Readers{Here: here, There: there, Sessions: [2]string{p.session, other}}
	r.Append = func(list ...bus.Event) []bus.Appended {
		out := p.put(list...)
		for i, e := range list {
			for _, m := range []bus.Reader{r.Here, r.There} {
				if e.Audience&bus.Agent != 0 {
					p.caughtUp(m.(*outbox.Mirror), e.Session, out[i].Seq)
				}
			}
		}
		return out
	}
	r.Again = func() {
		js, _ := p.stream()
		for _, m := range p.raw() { // a server that delivers twice, in another order
			for range 2 {
				if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: m.Subject, Data: m.Data}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	r.Forget = func() {
		stop()
		stopHere()
		stopThere()
		p.pass(bus.DefaultPolicy().Age + time.Hour)
		if err := p.db.Trim(t.Context(), bus.DefaultPolicy()); err != nil {
			t.Fatal(err)
		}
		js, s := p.stream()
		if err := js.DeleteStream(t.Context(), s.CachedInfo().Config.Name); err != nil {
			t.Fatal(err)
		}
		p.copying()
		mine, _ := p.reading()
		theirs, _ := p.reading()
		r.Here, r.There = mine, theirs
	}
	return r
}
