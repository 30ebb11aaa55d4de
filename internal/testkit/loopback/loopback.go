// Package loopback connects a real client to a sandbox chain, for tests that need only a chain.
package loopback

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// Day is the fixed time of Dial's chains.
var Day = time.Date(2026, 1, 30, 12, 0, 0, 0, time.UTC)

// Dial returns a client of a new chain whose clock stands still at Day. Both end with the test.
func Dial(t testing.TB) (*rpc.Client, *sandbox.Sandbox) {
	t.Helper()
	now := func() time.Time { return Day }
	chain, url := sandboxtest.Serve(t, sandbox.Config{Now: now, Seed: 1})
	client, err := rpc.New(rpc.Config{URL: url, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client, chain
}
