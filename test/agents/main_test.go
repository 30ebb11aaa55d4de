//go:build agents && unix

// Package agents_test lets real MCP clients, unchanged, do the whole job on a
// sandbox chain: connect a wallet, quote, prepare, have the person sign, read the
// receipt. The command line agents speak to a scripted stand-in of their model's
// API on loopback, which checks that every answer of a tool reached the model whole.
package agents_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program is the server that every client starts.
var program string

// TestMain builds the program once. Started with tapFile set, the test's own
// executable is the relay that a client starts in the program's place.
func TestMain(m *testing.M) {
	if dir := os.Getenv(tapDir); dir != "" {
		os.Exit(relay(dir, os.Getenv(tapProgram), os.Args[1:]))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "say-ur-intent-agents-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "say-ur-intent")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/say-ur-intent").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
