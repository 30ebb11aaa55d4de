package relay_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

var (
	kills = flag.Int("kills", 6, "how many nodes of the cluster are killed")
	calls = flag.Int("calls", 300, "how many calls cross the cluster meanwhile")
)

func TestMain(m *testing.M) {
	natskit.Main()
	os.Exit(m.Run())
}

// TestCluster kills the node that one of the two machines is connected to, again and again during
// calls. Each call must be executed once and answered.
func TestCluster(t *testing.T) {
	t.Parallel()
	nodes, urls := natskit.Cluster(t)
	w := machinesAt(t, urls)
	w.admit(t)
	s, err := w.guest.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.End("")
	answers := make(chan string, *calls)
	go func() {
		lines := bufio.NewScanner(s)
		for lines.Scan() {
			answers <- lines.Text()
		}
		close(answers)
	}()
	every := max(1, *calls / *kills)
	var slowest time.Duration
	killed, gone := 0, make(chan *natskit.Node, 1)
	for i := range *calls {
		if i >= (killed+1)*every-1 && killed < *kills {
			at := []*nats.Conn{w.host.NATS, w.guest.NATS}[killed%2].ConnectedUrl()
			if n := slices.IndexFunc(nodes, func(n *natskit.Node) bool { return n.URL() == at }); n >= 0 {
				killed++
				go func() { nodes[n].Kill(); gone <- nodes[n] }() // possibly during the call below
			}
		}
		begun := time.Now()
		if _, err := fmt.Fprintf(s, `{"jsonrpc":"2.0","id":%d,"method":"m%d"}`+"\n", i, i); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		select {
		case got, ok := <-answers:
			if !ok || !strings.Contains(got, fmt.Sprintf(`"id":%d,`, i)) {
				t.Fatalf("call %d was answered with %q", i, got)
			}
		case <-time.After(time.Minute):
			t.Fatalf("call %d was not answered", i)
		}
		slowest = max(slowest, time.Since(begun))
		if got := double.Next(t, "the call is carried out", w.served); got != fmt.Sprintf(`"m%d"`, i) {
			t.Fatalf("in place of call %d the person's program was given %q", i, got)
		}
		select {
		case n := <-gone: // restart the node
			n.Start(t)
		default:
		}
	}
	if len(w.served) > 0 {
		t.Errorf("%d calls were carried out twice", len(w.served))
	}
	if killed != *kills {
		t.Errorf("%d nodes were killed, not %d", killed, *kills)
	}
	t.Logf("%d nodes killed; the slowest of %d calls took %s", killed, *calls, slowest.Round(time.Millisecond))
}
