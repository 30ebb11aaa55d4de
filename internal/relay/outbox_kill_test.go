package relay_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
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
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
	"github.com/sayurintent/sayurintent/store"
)

var (
	kept      = flag.Int("events", 100, "how many events are kept while nodes and programs are killed")
	keptKills = flag.Int("event-kills", 2, "how many nodes and programs are killed meanwhile")
)

// copierVariable makes this test binary a person's program that keeps events: a process
// that can be killed.
const copierVariable = "SAY_UR_INTENT_TEST_COPIER"

type copierSpec struct {
	URL, Dir string
	Remote   remotes.Remote
}

func serveCopier(spec string) {
	var c copierSpec
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	must(json.Unmarshal([]byte(spec), &c))
	db, err := store.Open(context.Background(), store.Config{Dir: c.Dir, Now: time.Now, Hub: &events.Hub{}})
	must(err)
	own, err := relay.OpenProfile(c.Dir, relay.Sharing, "home")
	must(err)
	nc, err := relay.Dial(c.URL, "", nats.RetryOnFailedConnect(true))
	must(err)
	all := &known{all: map[remotes.Key]remotes.Remote{c.Remote.Key: c.Remote}, now: time.Now}
	go copier(db, all, nc, own, time.Now).Run(context.Background())
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadByte() // the test ended, also where it was killed
	os.Exit(0)
}

// copyingApart runs an outbox in a process of its own; kill ends it as a power cut does.
func (p *post) copyingApart() (kill func()) {
	p.t.Helper()
	all, _ := p.remotes.Remotes(p.t.Context())
	spec, err := json.Marshal(copierSpec{p.url, p.dir, all[0]})
	if err != nil {
		p.t.Fatal(err)
	}
	own, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(own)
	cmd.Env = append(os.Environ(), copierVariable+"="+string(spec))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	late := time.AfterFunc(double.Patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		p.t.Fatalf("the program says %q (%v)", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	kill = func() { _ = in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() }
	p.t.Cleanup(kill)
	return kill
}

// TestKeptKills kills, by turns, the node that leads the stream, the person's program,
// and the node at which the remote reads, while events happen: a remote that reads on
// and one that begins afterwards both have each event once, and so does the stream.
func TestKeptKills(t *testing.T) {
	t.Parallel()
	nodes, urls := natskit.Cluster(t)
	p := newPost(t, urls)
	killProgram := p.copyingApart()
	g := &relay.Guest{NATS: dial(t, urls), Profile: p.guest, Now: time.Now}
	m := &outbox.Mirror{Cursors: g, Patience: time.Minute}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { _ = g.Follow(ctx, m.Take, m.Whole) }()
	js, err := jetstream.New(dial(t, urls))
	if err != nil {
		t.Fatal(err)
	}
	p.put(bustest.Result(p.session, "first"))
	var last bus.Seq
	down, begun := -1, time.Now()
	for k := range *keptKills {
		for i := range *kept / *keptKills {
			last = p.put(bustest.Result(p.session, fmt.Sprintf("%d-%d", k, i)))[0].Seq
			if i == *kept / *keptKills / 2 { // the others are on their way, or not yet
				switch k % 3 {
				case 0, 2:
					down = nodeOf(t, nodes, js, g, k%3 == 0)
					nodes[down].Kill()
				case 1:
					killProgram()
					killProgram = p.copyingApart()
				}
			}
		}
		if down >= 0 {
			double.Until(t, "another node leads", func() bool {
				now := leader(t, js)
				return now != "" && now != nodes[down].Name
			})
			nodes[down].Start(t)
			down = -1
		}
		p.caughtUpWithin(m, last, 2*time.Minute)
	}
	t.Logf("%d events across %d kills in %s", *kept+1, *keptKills, time.Since(begun).Round(time.Millisecond))
	fresh, _ := p.reading()
	p.caughtUpWithin(fresh, last, time.Minute)
	p.compare(t, m, "the remote that read on")
	p.compare(t, fresh, "the remote that began later")
	if ids, all := p.ids(); len(ids) != all {
		t.Errorf("the stream has %d letters with %d ids", all, len(ids))
	}
}

// nodeOf is the node that leads the stream, or the one to which the remote is connected.
func nodeOf(t *testing.T, nodes []*natskit.Node, js jetstream.JetStream, g *relay.Guest, leads bool) (found int) {
	t.Helper()
	found = -1
	double.Until(t, "a node leads the stream", func() bool {
		want := g.NATS.ConnectedUrl()
		if leads {
			want = leader(t, js)
		}
		for i, n := range nodes {
			if n.Name == want || n.URL() == want {
				found = i
			}
		}
		return found >= 0
	})
	return found
}

// leader is the name of the node that leads the stream, "" where none does.
func leader(t *testing.T, js jetstream.JetStream) string {
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	for name := range js.StreamNames(ctx).Name() {
		if len(name) != len("SAYURINTENT_")+32 {
			continue
		}
		s, err := js.Stream(ctx, name)
		if err == nil && s.CachedInfo().Cluster != nil {
			if c := s.CachedInfo(); c.Config.Replicas != 3 {
				t.Fatalf("the stream has %d copies in a cluster", c.Config.Replicas)
			}
			return s.CachedInfo().Cluster.Leader
		}
	}
	return ""
}

func (p *post) caughtUpWithin(m *outbox.Mirror, last bus.Seq, most time.Duration) {
	p.t.Helper()
	log, err := p.db.ID(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(p.t.Context(), most)
	defer stop()
	if err := m.Wait(ctx, bus.Filter{Session: p.session, Sees: bus.Agent}, last-1); err != nil {
		have, _ := m.Snapshot(p.t.Context(), "")
		_, s := p.stream()
		p.t.Fatalf("event %d of log %s is not read elsewhere after %s, the last one is %v; the stream has %+v and is led by %+v",
			last, log, most, have.Cursor, s.CachedInfo().State, s.CachedInfo().Cluster)
	}
}

// all is every event that an agent of the conversation reads.
func (p *post) all(t *testing.T, r bus.Reader) (list []string, truncated bool) {
	t.Helper()
	log, err := p.db.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	from := bus.Cursor{Log: log}
	for {
		page, err := r.Since(t.Context(), from, bus.Filter{Session: p.session, Sees: bus.Agent}, bus.MostRead)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Events {
			list = append(list, fmt.Sprint(e.Seq, " ", e.Subject))
		}
		truncated = truncated || page.Truncated
		if from = page.Next; !page.More {
			return list, truncated
		}
	}
}

// compare compares a copy with the log.
func (p *post) compare(t *testing.T, m bus.Reader, who string) {
	t.Helper()
	want, _ := p.all(t, p.db)
	got, truncated := p.all(t, m)
	if truncated || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s has %d events (truncated %v), the log %d", who, len(got), truncated, len(want))
	}
}

// ids are those of all letters in the stream.
func (p *post) ids() (ids map[string]int, all int) {
	ids = map[string]int{}
	for _, m := range p.raw() {
		ids[m.Header.Get("Nats-Msg-Id")]++
		all++
	}
	return ids, all
}
