// Package sandboxtest serves a sandbox for tests that need a real connection. It uses no product
// code.
package sandboxtest

import (
	"net"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// Serve serves a new chain on a loopback port until the test ends. url is http://127.0.0.1:port.
func Serve(t testing.TB, cfg sandbox.Config) (chain *sandbox.Sandbox, url string) {
	t.Helper()
	chain, err := sandbox.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- chain.Serve(listener) }()
	t.Cleanup(func() {
		chain.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return chain, "http://" + listener.Addr().String()
}
