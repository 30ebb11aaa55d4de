package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
)

func environment(vars map[string]string) process {
	return process{Getenv: func(name string) string { return vars[name] }, Stderr: io.Discard, Now: time.Now}
}

// TestSecondNodeOfTheEnvironment checks that the second node is optional, must not be the first,
// and must be on the same network.
func TestSecondNodeOfTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	build := func(second string) (*app, error) {
		p := environment(map[string]string{"SAY_UR_INTENT_DATA_DIR": dir, "SUI_GRPC_URL": "http://127.0.0.1:8",
			"SUI_GRPC_URL_2": second})
		s, err := parseOptions(p, []string{"--network", "sandbox"})
		if err != nil {
			return nil, err
		}
		a := &app{setup: newSetup(p, s)}
		a.external.setup = a.setup
		a.openHealth(nil)
		t.Cleanup(a.close)
		return a, nil
	}
	t.Run("none", func(t *testing.T) {
		a, err := build("")
		if err != nil {
			t.Fatal(err)
		}
		if second, err := a.openSecond(); err != nil || second != nil {
			t.Errorf("%v %v", second, err)
		}
	})
	t.Run("one", func(t *testing.T) {
		a, err := build("http://127.0.0.1:9")
		if err != nil {
			t.Fatal(err)
		}
		second, err := a.openSecond()
		if err != nil || second == nil ||
			len(second.Adapters) != len(adapters.Over(a.node, nil, a.deepbook, a.router, a.now)) {
			t.Fatalf("%v %v", second, err)
		}
		if _, err := second.Chain.ChainIdentifier(context.Background()); !fault.Is(err, fault.ProviderUnavailable) {
			t.Errorf("%v", err)
		}
	})
	t.Run("no address", func(t *testing.T) {
		a, err := build("ftp://node")
		if err == nil {
			_, err = a.openSecond()
		}
		if err == nil || !strings.Contains(err.Error(), "SUI_GRPC_URL_2") {
			t.Errorf("%v", err)
		}
	})
	t.Run("the same one", func(t *testing.T) {
		p := environment(map[string]string{"SUI_GRPC_URL": "http://127.0.0.1:9", "SUI_GRPC_URL_2": "http://127.0.0.1:9"})
		if _, err := parseOptions(p, []string{"--network", "sandbox"}); err == nil || !strings.Contains(err.Error(),
			"SUI_GRPC_URL_2") {
			t.Errorf("%v", err)
		}
	})
}
