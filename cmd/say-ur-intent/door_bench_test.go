//go:build unix

package main

import (
	"io"
	"slices"
	"testing"
	"time"
)

// quantiles reports the median and the 99th percentile of the given times.
func quantiles(b *testing.B, spent []time.Duration) {
	b.Helper()
	slices.Sort(spent)
	at := func(share int) float64 {
		return float64(spent[min(len(spent)*share/100, len(spent)-1)].Microseconds()) / 1000
	}
	b.ReportMetric(at(50), "ms/p50")
	b.ReportMetric(at(99), "ms/p99")
}

// builtClient starts the built program as a client of a sandbox server.
func builtClient(b *testing.B, dir string, env ...string) *mcpClient {
	b.Helper()
	c, err := startClient(builtProgram(b), []string{"--network", "sandbox"}, append(env, dataDirVariable+"="+dir),
		io.Discard)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// BenchmarkClientToInitialize measures the time from starting a client to its response to
// initialize, with and without a running server. Run it with -benchtime 50x.
func BenchmarkClientToInitialize(b *testing.B) {
	measure := func(b *testing.B, absent bool) {
		dir := shelter(b)
		_, node := outside(b)
		first := builtClient(b, dir, node)
		defer first.stop()
		var spent []time.Duration
		for b.Loop() {
			if absent {
				first.stop()
				endServer(dir)
			}
			begin := time.Now()
			c := builtClient(b, dir, node)
			spent = append(spent, time.Since(begin))
			c.stop()
		}
		quantiles(b, spent)
	}
	b.Run("running", func(b *testing.B) { measure(b, false) })
	b.Run("absent", func(b *testing.B) { measure(b, true) })
}

// BenchmarkProxiedCall measures a call through the proxy, and a call to a process that serves its
// client itself. The difference is the cost of the proxy.
func BenchmarkProxiedCall(b *testing.B) {
	measure := func(b *testing.B, args ...string) {
		dir := shelter(b)
		_, node := outside(b)
		c, err := startClient(builtProgram(b), append(args, "--network", "sandbox"), []string{node, dataDirVariable + "=" +
			dir}, io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		defer c.stop()
		for _, method := range []string{"ping", "read.get_server_status"} {
			b.Run(method, func(b *testing.B) {
				var spent []time.Duration
				for b.Loop() {
					begin := time.Now()
					if method == "ping" {
						err = c.request("ping", map[string]any{}, &struct{}{})
					} else {
						err = c.call(method, map[string]any{}, &struct{}{})
					}
					spent = append(spent, time.Since(begin))
					if err != nil {
						b.Fatal(err)
					}
				}
				quantiles(b, spent)
			})
		}
	}
	b.Run("proxied", func(b *testing.B) { measure(b) })
	b.Run("alone", func(b *testing.B) { measure(b, "--standalone") })
}

// BenchmarkEventToOtherClient measures the time from one client's call until another client, which
// waits for the event, receives it.
func BenchmarkEventToOtherClient(b *testing.B) {
	dir := shelter(b)
	_, node := outside(b)
	first, second := builtClient(b, dir, node), builtClient(b, dir, node)
	defer first.stop()
	defer second.stop()
	var list struct{ Bus, Cursor string }
	if err := first.call("events.list", map[string]any{}, &list); err != nil {
		b.Fatal(err)
	}
	var spent []time.Duration
	for b.Loop() {
		var task struct {
			ID string `json:"task_id"`
		}
		if err := first.call("events.ask_user", map[string]any{"question": "Which pool?"}, &task); err != nil {
			b.Fatal(err)
		}
		var from struct{ Cursor string }
		if err := second.call("events.list", map[string]any{"bus": list.Bus}, &from); err != nil {
			b.Fatal(err)
		}
		heard := make(chan error, 1)
		go func() {
			heard <- second.call("events.wait", map[string]any{"bus": list.Bus, "cursor": from.Cursor}, &struct{}{})
		}()
		time.Sleep(20 * time.Millisecond) // until the other client waits
		begin := time.Now()
		if err := first.call("task.cancel", map[string]any{"task_id": task.ID}, &struct{}{}); err != nil {
			b.Fatal(err)
		}
		if err := <-heard; err != nil {
			b.Fatal(err)
		}
		spent = append(spent, time.Since(begin))
	}
	quantiles(b, spent)
}
