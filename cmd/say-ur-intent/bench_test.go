package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
	"github.com/sayurintent/sayurintent/internal/web/connect"
	"github.com/sayurintent/sayurintent/store"
)

// startClient starts the server as an AI client would, and initializes it.
func startClient(executable string, args, env []string, stderr io.Writer) (*mcpClient, error) {
	return startClientAs(connect.TourClient, executable, args, env, stderr)
}

// builtProgram returns the path of the program that make build creates. The benchmarks in this file
// measure that program as a client would see it.
func builtProgram(b *testing.B) string {
	path, err := filepath.Abs(filepath.Join("..", "..", "bin", "say-ur-intent"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		b.Fatal("run make build first: ", err)
	}
	return path
}

func startBuilt(b *testing.B, dir string) *mcpClient {
	c, err := startClient(builtProgram(b), nil, []string{"SAY_UR_INTENT_DATA_DIR=" + dir}, io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// BenchmarkStartToInitialize measures the time from starting the process to its response to
// initialize, with an existing store and no network.
func BenchmarkStartToInitialize(b *testing.B) {
	dir := b.TempDir()
	startBuilt(b, dir).stop()
	starts(b, dir)
}

// BenchmarkStartSharing is like BenchmarkStartToInitialize, with sharing over a NATS server on
// loopback.
func BenchmarkStartSharing(b *testing.B) {
	dir := b.TempDir()
	startBuilt(b, dir).stop()
	url := natskit.Server(b, 0)
	db, err := store.Open(b.Context(), store.Config{Dir: filepath.Join(dir, "mainnet"), Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	err = db.ChangeSettings(b.Context(), func(s *settings.Stored) error {
		s.Sharing = settings.Sharing{On: true, URL: url, Profile: "home"}
		return nil
	})
	if err != nil || db.Close() != nil {
		b.Fatal(err)
	}
	starts(b, dir)
}

// starts measures starts with an existing store.
func starts(b *testing.B, dir string) {
	var spent time.Duration
	b.ResetTimer()
	for range b.N {
		begin := time.Now()
		c := startBuilt(b, dir)
		spent += time.Since(begin)
		b.StopTimer()
		c.stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "ms/start")
}

// BenchmarkMemoryAfterInitialize measures the resident memory of an idle server.
func BenchmarkMemoryAfterInitialize(b *testing.B) {
	var total int
	for range b.N {
		c := startBuilt(b, b.TempDir())
		total += residentKB(b, c.child.Process.Pid)
		c.stop()
	}
	b.ReportMetric(float64(total)/1024/float64(b.N), "MB/server")
}

func residentKB(b *testing.B, pid int) int {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		b.Fatal("resident memory is read from /proc: ", err)
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, []byte("VmRSS:")); ok {
			kb, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
			if err != nil {
				b.Fatal(err)
			}
			return kb
		}
	}
	b.Fatal("no VmRSS line")
	return 0
}

// BenchmarkActiveAccountCalls measures sequential calls of the cheapest tool by one client over
// stdio. The client only writes and reads lines.
func BenchmarkActiveAccountCalls(b *testing.B) {
	c := startBuilt(b, b.TempDir())
	defer c.stop()
	const frame = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"account.get_active_account","arguments":{}}}` + "\n"
	b.ResetTimer()
	for i := range b.N {
		if _, err := fmt.Fprintf(c.in, frame, i+100); err != nil {
			b.Fatal(err)
		}
		if !c.out.Scan() || !bytes.Contains(c.out.Bytes(), []byte(`"ok":true`)) {
			b.Fatalf("call %d: %s %v", i, c.out.Text(), c.out.Err())
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkBinarySize reports the size of the installed program.
func BenchmarkBinarySize(b *testing.B) {
	info, err := os.Stat(builtProgram(b))
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB/binary")
}

// BenchmarkSecondStartToInitialize measures starting a client while a server is running.
func BenchmarkSecondStartToInitialize(b *testing.B) {
	dir := b.TempDir()
	owner := startBuilt(b, dir)
	defer owner.stop()
	var spent time.Duration
	for range b.N {
		begin := time.Now()
		c := startBuilt(b, dir)
		spent += time.Since(begin)
		b.StopTimer()
		c.stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "ms/start")
}

// BenchmarkTakeover measures the time from killing a client's process until the other client
// reports that the pages are served.
func BenchmarkTakeover(b *testing.B) {
	var spent, most time.Duration
	for range b.N {
		b.StopTimer()
		dir := b.TempDir()
		owner, heir := startBuilt(b, dir), startBuilt(b, dir)
		b.StartTimer()
		begin := time.Now()
		if err := owner.child.Process.Kill(); err != nil {
			b.Fatal(err)
		}
		<-owner.wait()
		for served := false; !served; {
			var status struct {
				Pages string `json:"reviewPages"`
			}
			if err := heir.call("read.get_server_status", map[string]any{}, &status); err != nil {
				b.Fatal(err)
			}
			served = status.Pages == "served"
			if time.Since(begin) > 10*time.Second {
				b.Fatal("nobody took over")
			}
		}
		took := time.Since(begin)
		spent, most = spent+took, max(most, took)
		b.StopTimer()
		heir.stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "ms/takeover")
	b.ReportMetric(float64(most.Microseconds())/1000, "ms/slowest")
}

// BenchmarkExitAfterEndOfInput measures the time from closing the input until the process has
// ended, both when it is idle and when another process takes over a fresh link.
func BenchmarkExitAfterEndOfInput(b *testing.B) {
	exit := func(b *testing.B, prepare func(c *mcpClient, dir string) (after func())) {
		var spent, most time.Duration
		for range b.N {
			b.StopTimer()
			dir := b.TempDir()
			c := startBuilt(b, dir)
			after := prepare(c, dir)
			b.StartTimer()
			begin := time.Now()
			_ = c.in.Close()
			<-c.wait()
			if c.end != nil {
				b.Fatal(c.end)
			}
			took := time.Since(begin)
			spent, most = spent+took, max(most, took)
			b.StopTimer()
			after()
			b.StartTimer()
		}
		b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "ms/exit")
		b.ReportMetric(float64(most.Microseconds())/1000, "ms/slowest")
	}
	b.Run("idle", func(b *testing.B) {
		exit(b, func(*mcpClient, string) func() { return func() {} })
	})
	b.Run("handing over", func(b *testing.B) {
		exit(b, func(c *mcpClient, dir string) func() {
			other := startBuilt(b, dir)
			if err := c.call("session.create_wallet_identity", map[string]any{}, &struct{}{}); err != nil {
				b.Fatal(err)
			}
			return other.stop
		})
	})
}
