package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// inside marks the run of this test binary in a network namespace that has only loopback.
const inside = "SAY_UR_INTENT_TEST_INSIDE"

// TestNothingPhonesHome runs the program in a network namespace that has only loopback. The kernel
// counts every attempt to reach another machine, as a packet without a route or a DNS query, so
// that no connection is missed.
func TestNothingPhonesHome(t *testing.T) {
	long.Skip(t, "it starts the program")
	if os.Getenv(inside) != "" {
		watchAll(t)
		return
	}
	t.Parallel()
	again := exec.Command("/proc/self/exe", "-test.run=^TestNothingPhonesHome$", "-test.v")
	again.Env = append(os.Environ(), inside+"=1")
	one := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	}
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: one(os.Getuid()), GidMappings: one(os.Getgid())}
	var out bytes.Buffer
	again.Stdout, again.Stderr = &out, &out
	if err := again.Start(); err != nil {
		t.Fatalf("this test needs the right to make a network of its own (as root, or user namespaces): %v", err)
	}
	if err := again.Wait(); err != nil || !strings.Contains(out.String(), "--- PASS: TestNothingPhonesHome") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// left returns how many packets the kernel has counted that tried to leave the network.
func left(t *testing.T) int {
	t.Helper()
	total := 0
	for path, counters := range map[string][]string{
		// Only DNS queries use UDP here.
		"/proc/net/snmp":  {"Ip:OutNoRoutes", "Udp:OutDatagrams", "Udp:NoPorts"},
		"/proc/net/snmp6": {"Ip6OutNoRoutes", "Udp6OutDatagrams", "Udp6NoPorts"},
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := counted(string(text))
		for _, name := range counters {
			n, known := found[name]
			if !known {
				t.Fatalf("%s does not count %s: %v", path, name, slices.Sorted(maps.Keys(found)))
			}
			total += n
		}
	}
	return total
}

// counted parses both formats of the kernel's counters: a line of names followed by a line of
// numbers, and lines with one name and one number.
func counted(text string) map[string]int {
	found := map[string]int{}
	names := map[string][]string{}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 2 && !strings.HasSuffix(f[0], ":") {
			found[f[0]], _ = strconv.Atoi(f[1])
			continue
		}
		if len(f) == 0 {
			continue
		}
		if names[f[0]] == nil {
			names[f[0]] = f
			continue
		}
		for i := 1; i < len(f); i++ {
			found[f[0]+names[f[0]][i]], _ = strconv.Atoi(f[i])
		}
	}
	return found
}

func loopbackUp(t *testing.T) {
	t.Helper()
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(socket) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request); err != nil {
		t.Fatal(err)
	}
}

func watchAll(t *testing.T) {
	loopbackUp(t)
	for _, address := range []string{"192.0.2.1:443", "[2001:db8::1]:443", "nowhere.example:443"} {
		before := left(t)
		if c, err := net.DialTimeout("tcp", address, 5*time.Second); err == nil {
			_ = c.Close()
			t.Fatalf("%s was reached: this network has more than loopback", address)
		}
		if left(t) == before {
			t.Fatalf("an attempt to reach %s was not counted, so nothing here proves anything", address)
		}
	}
	home := t.TempDir()
	env := append(os.Environ(), asProgram+"=1", "HOME="+home, "XDG_CONFIG_HOME=", "SAY_UR_INTENT_DATA_DIR="+
		filepath.Join(home, "data"))
	start := func(args ...string) *exec.Cmd {
		c := exec.Command("/proc/self/exe", args...)
		c.Env = env
		return c
	}
	if err := os.MkdirAll(filepath.Join(home, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	quiet := func(name string, do func()) {
		before := left(t)
		do()
		if n := left(t) - before; n > 0 {
			t.Errorf("%s tried to leave this machine %d times", name, n)
		}
	}
	for _, args := range [][]string{
		{"version"}, {"help"}, {"manual"}, {"completion", "bash"}, {"install"}, {"install", "cursor", "--network", "sandbox"},
		{"status"},
		{"uninstall", "cursor"}, {"demo", "--once"}, {"doctor", "--network", "sandbox"}, {"update-check", "--help"},
	} {
		quiet(strings.Join(args, " "), func() {
			if out, err := start(args...).CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		})
	}
	// On mainnet, with all services configured on this machine, a server must not contact any other
	// machine, neither right after its start nor in use.
	silent := "http://127.0.0.1:9"
	env = append(env, "SUI_GRPC_URL="+silent, "SUI_GRAPHQL_URL="+silent+"/graphql", "DEEPBOOK_INDEXER_URL="+silent,
		"FLOWX_QUOTER_URL="+silent)
	quiet("a server for mainnet", func() { useServer(t, start("--standalone")) })
	quiet("doctor for mainnet", func() { _ = start("doctor").Run() })
	env = env[:len(env)-4]
	quiet("a server for the sandbox", func() { useServer(t, start("--standalone", "--network", "sandbox")) })

	before := left(t)
	if out, err := start("update-check").CombinedOutput(); err == nil || !strings.Contains(string(out), "releases") {
		t.Errorf("update-check in a network without others: %v, %s", err, out)
	}
	if left(t) == before {
		t.Error("update-check, when it is asked, asks nobody")
	}
}

// useServer starts a server, requests all lists and some results, lets it idle briefly, and stops
// it.
func useServer(t *testing.T, child *exec.Cmd) {
	t.Helper()
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	end := time.AfterFunc(30*time.Second, func() { _ = child.Process.Kill() })
	defer end.Stop()
	write := json.NewEncoder(in)
	for i, q := range []struct {
		method string
		params map[string]any
	}{
		{"initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
			"clientInfo": map[string]string{"name": "t", "version": "1"}}},
		{"tools/list", nil}, {"prompts/list", nil}, {"resources/list", nil},
		{"tools/call", map[string]any{"name": "read.get_server_status", "arguments": map[string]any{}}},
		{"tools/call", map[string]any{"name": "read.list_deepbook_pools", "arguments": map[string]any{}}},
		{"tools/call", map[string]any{"name": "session.create_wallet_identity", "arguments": map[string]any{}}},
		{"tools/call", map[string]any{"name": "read.get_deepbook_mid_price",
			"arguments": map[string]any{"poolKey": "SUI_USDC"}}},
	} {
		if err := write.Encode(map[string]any{"jsonrpc": "2.0", "id": i, "method": q.method,
			"params": q.params}); err != nil {
			t.Fatal(err)
		}
	}
	answers, made := json.NewDecoder(out), ""
	answer := func() {
		t.Helper()
		var a struct {
			Result struct {
				StructuredContent struct {
					Data struct {
						Session string `json:"walletSessionId"`
					}
				}
			}
		}
		if err := answers.Decode(&a); err != nil {
			t.Fatal(err)
		}
		made = cmp.Or(a.Result.StructuredContent.Data.Session, made)
	}
	for range 8 {
		answer()
	}
	// During a long wait, a server can do work that nobody requested.
	err = write.Encode(map[string]any{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": map[string]any{
		"name": "session.wait_wallet_identity", "arguments": map[string]any{"walletSessionId": made, "timeoutMs": 500}}})
	if err != nil || made == "" {
		t.Fatal(made, err)
	}
	answer()
	_ = in.Close()
	_ = child.Process.Signal(os.Interrupt)
	_, _ = io.Copy(io.Discard, out)
	_ = child.Wait()
}
