// Package natskit runs real NATS servers for tests: one in the test's process, or a cluster of
// processes that can be killed.
package natskit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// variable is the environment variable that makes a test binary run as a cluster node.
const variable = "SAY_UR_INTENT_TEST_NATS_NODE"

// Main runs a cluster node and exits if this process was started as one. TestMain must call it
// first.
func Main() {
	if spec := os.Getenv(variable); spec != "" {
		serve(spec)
	}
}

// Server starts a server in this process and returns its URL. most is the maximum message size in
// bytes; 0 means the default.
func Server(t testing.TB, most int32) string { t.Helper(); return Own(t, most).ClientURL() }

// Own starts a server in this process with its data on disk, like a user's own server.
func Own(t testing.TB, most int32) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
		StoreDir: t.TempDir(), NoSigs: true, NoLog: true, MaxPayload: most})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the NATS server does not start")
	}
	return s
}

// Node is a server of a cluster, in its own process.
type Node struct {
	Name                     string
	Client, Cluster, Monitor int // ports
	Dir                      string
	Routes                   []string

	cmd *exec.Cmd
}

// URL returns the address for clients.
func (n *Node) URL() string { return "nats://127.0.0.1:" + strconv.Itoa(n.Client) }

func serve(spec string) {
	var n Node
	if err := json.Unmarshal([]byte(spec), &n); err != nil {
		panic(err)
	}
	o := &server.Options{ServerName: n.Name, Host: "127.0.0.1", Port: n.Client, NoSigs: true, NoLog: true, JetStream: true,
		StoreDir: n.Dir,
		HTTPHost: "127.0.0.1", HTTPPort: n.Monitor,
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
	_, _ = bufio.NewReader(os.Stdin).ReadByte() // the test ended or was killed
	os.Exit(0)
}

// Start starts the node's process and waits until it accepts connections.
func (n *Node) Start(t testing.TB) {
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
	n.cmd.Env = append(os.Environ(), variable+"="+string(spec))
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
		t.Fatalf("a node of the cluster printed %q (%v)", line, err)
	}
}

// Kill ends the node like a power failure.
func (n *Node) Kill() {
	_ = n.cmd.Process.Kill()
	_ = n.cmd.Wait()
}

// Listened reports whether a client connected to this node subscribes to a subject with the prefix. The
// operator of a server can see that.
func (n *Node) Listened(subject string) bool {
	answer, err := http.Get("http://127.0.0.1:" + strconv.Itoa(n.Monitor) + "/connz?subs=true")
	if err != nil {
		return false
	}
	defer func() { _ = answer.Body.Close() }()
	var all struct {
		Connections []struct {
			Subjects []string `json:"subscriptions_list"`
		} `json:"connections"`
	}
	if json.NewDecoder(answer.Body).Decode(&all) != nil {
		return false
	}
	for _, c := range all.Connections {
		for _, s := range c.Subjects {
			if strings.HasPrefix(s, subject) {
				return true
			}
		}
	}
	return false
}

// Cluster starts three nodes and returns them with their comma-separated URLs. They end with the
// test. Quick runs skip it.
func Cluster(t testing.TB) (nodes []*Node, urls string) {
	t.Helper()
	long.Skip(t, "it starts other processes")
	ports := double.Ports(t, 9)
	var routes, all []string
	for _, p := range ports[3:6] {
		routes = append(routes, "nats://127.0.0.1:"+strconv.Itoa(p))
	}
	for i := range 3 {
		n := &Node{Name: "n" + strconv.Itoa(i), Client: ports[i], Cluster: ports[3+i], Monitor: ports[6+i], Dir: t.TempDir(),
			Routes: routes}
		n.Start(t)
		t.Cleanup(n.Kill)
		nodes, all = append(nodes, n), append(all, n.URL())
	}
	return nodes, strings.Join(all, ",")
}
