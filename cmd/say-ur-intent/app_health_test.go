package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestServicesOutside checks that a conversation receives an event when an outside service fails or
// recovers, from its first tool call until it ends.
func TestServicesOutside(t *testing.T) {
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(refuses.Close)
	ctx := t.Context()
	open := func(t *testing.T, vars map[string]string) *app {
		t.Helper()
		vars["SAY_UR_INTENT_DATA_DIR"] = t.TempDir()
		p := environment(vars)
		s, err := parseOptions(p, []string{"--network", "sandbox"})
		if err != nil {
			t.Fatal(err)
		}
		a, err := newApp(ctx, p, s)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(a.close)
		return a
	}
	const name = "conv_00000000000000000000000000000001"
	const first = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"x","version":"1"}}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read.get_server_status","arguments":{}}}` + "\n"
	serve := func(t *testing.T, a *app) {
		t.Helper()
		in, client := io.Pipe()
		done := make(chan error, 1)
		s := &session{app: a, conversation: name, toolsets: a.options.toolsets.WithoutWorkspace(), toolNames: "auto"}
		go func() { done <- s.serve(ctx, in, io.Discard) }()
		if _, err := io.WriteString(client, first+call); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close(); <-done })
	}
	// hears waits until the conversation has exactly these events.
	hears := func(t *testing.T, a *app, want ...bus.Type) {
		t.Helper()
		var got []bus.Type
		id, err := a.db.ID(ctx)
		if err != nil {
			t.Fatal(err)
		}
		waits, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		filter := bus.Filter{Session: name, Sees: bus.UI}
		for from := (bus.Cursor{Log: id}); len(got) < len(want); {
			if err := a.db.Wait(waits, filter, from.Seq); err != nil {
				t.Fatalf("%v after %v", err, got)
			}
			page, err := a.db.Since(ctx, from, filter, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Events {
				got = append(got, e.Type)
			}
			from = page.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("it heard %v, want %v", got, want)
		}
	}
	t.Run("R003-48 R003-49 R003-50 the node answers, the price service wants a key", func(t *testing.T) {
		a := open(t, map[string]string{"DEEPBOOK_INDEXER_URL": refuses.URL})
		serve(t, a)
		hears(t, a, bus.TypeBackendConnecting)
		double.Until(t, "R003-6: the call is known to pages", func() bool {
			list, running := a.calls.Of(name)
			return running == 0 && len(list) == 1 && list[0].Tool == "read.get_server_status" && list[0].Excerpt != ""
		})
		for range 3 {
			if _, err := a.node.Epoch(ctx); err != nil {
				t.Fatal(err)
			}
		}
		hears(t, a, bus.TypeBackendConnecting, bus.TypeBackendConnected)
		for range 3 {
			if _, err := a.prices.History(ctx, indexer.Span{Pool: "SUI_USDC", Interval: "1h", Most: 20}); err == nil {
				t.Fatal("it answered")
			}
		}
		hears(t, a, bus.TypeBackendConnecting, bus.TypeBackendConnected, bus.TypeMissingAPIKey, bus.TypeSystemError)
	})
	t.Run("R003-47 nobody listens where the node should be", func(t *testing.T) {
		const silent = "127.0.0.1:9"
		a := open(t, map[string]string{"SUI_GRPC_URL": "http://" + silent})
		serve(t, a)
		hears(t, a, bus.TypeBackendConnecting)
		if _, err := a.node.Epoch(ctx); err == nil {
			t.Fatal("it answered")
		}
		hears(t, a, bus.TypeBackendConnecting, bus.TypeSystemError, bus.TypeBackendConnecting)
		past, err := a.db.Latest(ctx, bus.Filter{Session: name, Sees: bus.UI, Types: []bus.Type{bus.TypeSystemError}}, 1)
		if err != nil || len(past) != 1 || !strings.Contains(string(past[0].Payload), silent) {
			t.Errorf("it says %v, %v", past, err)
		}
	})
}
