package stdio_test

import (
	"bufio"
	"context"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

// BenchmarkEcho measures one client that waits for each answer before the next call.
func BenchmarkEcho(b *testing.B) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- stdio.Serve(context.Background(), inR, outW, newFixture().MCPServer, stdio.Options{Now: time.Now})
	}()
	lines := bufio.NewReader(outR)
	exchange := func(line string) {
		if _, err := io.WriteString(inW, line+"\n"); err != nil {
			b.Fatal(err)
		}
		if _, err := lines.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
	}
	exchange(request("0", "initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`))
	line := call("1", "test.echo", `{"text":"hello"}`)
	b.ReportAllocs()
	for b.Loop() {
		exchange(line)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
	inW.Close()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// BenchmarkProcessEcho measures the same calls over the pipes of a child process.
func BenchmarkProcessEcho(b *testing.B) {
	c := spawn(b)
	c.initialize()
	line := call("1", "test.echo", `{"text":"hello"}`)
	for b.Loop() {
		c.send(line)
		if _, err := c.lines.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
	if runtime.GOOS == "linux" {
		b.ReportMetric(float64(c.peak()), "peak-KiB")
	}
}

// BenchmarkStart measures the time from starting a process to the answer to initialize.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c := spawn(b)
		c.initialize()
		c.in.Close()
		if err := c.cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}
