package relay_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

var (
	kills = flag.Int("kills", 6, "how many nodes of the cluster are killed")
	calls = flag.Int("calls", 300, "how many calls cross the cluster meanwhile")
)

// nodeVariable makes this test binary one node of a cluster: a process that can be killed.
const nodeVariable = "SAY_UR_INTENT_TEST_NATS_NODE"

func TestMain(m *testing.M) {
	if spec := os.Getenv(nodeVariable); spec != "" {
		serveNode(spec)
	}
	if spec := os.Getenv(copierVariable); spec != "" {
		serveCopier(spec)
	}
	os.Exit(m.Run())
}

// node is one NATS server of a cluster.
type node struct {
	Name    string
	Client  int
	Cluster int
	Dir     string
	Routes  []string

	cmd *exec.Cmd
}

func (n *node) url() string { return "nats://127.0.0.1:" + strconv.Itoa(n.Client) }

func serveNode(spec string) {
	var n node
	if err := json.Unmarshal([]byte(spec), &n); err != nil {
		panic(err)
	}
	o := &server.Options{ServerName: n.Name, Host: "127.0.0.1", Port: n.Client, NoSigs: true, NoLog: true, JetStream: true, StoreDir: n.Dir,
		Cluster: server.ClusterOpts{Name: "home", Host: "127.0.0.1", Port: n.Cluster}}
	for _, r := range n.Routes {
		u, err := url.Parse(r)
		if err != nil {
			panic(err)
		}
		o.Routes = append(o.Routes, u)
	}
	s, err := server.NewServer(o)
	if err != nil {
		panic(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		panic("the node does not start")
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadByte() // the test ended, also where it was killed
	os.Exit(0)
}

// start starts the node's process and waits until it takes connections.
func (n *node) start(t *testing.T) {
	t.Helper()
	spec, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	n.cmd = exec.Command(own)
	n.cmd.Env = append(os.Environ(), nodeVariable+"="+string(spec))
	in, err := n.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("a node of the cluster says %q (%v)", line, err)
	}
}

// kill ends the node as a power cut does.
func (n *node) kill() {
	_ = n.cmd.Process.Kill()
	_ = n.cmd.Wait()
}

func freePorts(t *testing.T, count int) (ports []int) {
	t.Helper()
	for range count {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// cluster starts three nodes.
func cluster(t *testing.T) (nodes []*node, urls string) {
	t.Helper()
	ports := freePorts(t, 6)
	var routes, all []string
	for _, p := range ports[3:] {
		routes = append(routes, "nats://127.0.0.1:"+strconv.Itoa(p))
	}
	for i := range 3 {
		n := &node{Name: "n" + strconv.Itoa(i), Client: ports[i], Cluster: ports[3+i], Dir: t.TempDir(), Routes: routes}
		n.start(t)
		t.Cleanup(n.kill)
		nodes, all = append(nodes, n), append(all, n.url())
	}
	return nodes, strings.Join(all, ",")
}

// TestCluster kills, one after the other, the very nodes that the two machines are
// connected to, while calls are under way: each call is carried out once, and answered.
func TestCluster(t *testing.T) {
	nodes, urls := cluster(t)
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
	killed, gone := 0, make(chan *node, 1)
	for i := range *calls {
		if i >= (killed+1)*every-1 && killed < *kills {
			at := []*nats.Conn{w.host.NATS, w.guest.NATS}[killed%2].ConnectedUrl()
			if n := slices.IndexFunc(nodes, func(n *node) bool { return n.url() == at }); n >= 0 {
				killed++
				go func() { nodes[n].kill(); gone <- nodes[n] }() // the call below is on its way, or not yet
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
		if got := <-w.served; got != fmt.Sprintf(`"m%d"`, i) {
			t.Fatalf("in place of call %d the person's program was given %q", i, got)
		}
		select {
		case n := <-gone: // it comes back
			n.start(t)
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
