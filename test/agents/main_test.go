//go:build agents && unix

// Package agents_test lets real MCP clients, unchanged, do the whole job on a sandbox chain:
// connect a wallet, quote, prepare, have the user sign, read the receipt. The command line agents
// speak to a scripted stand-in of their model's API on loopback, which checks that every answer of
// a tool reached the model whole.
package agents_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The programs that are built once: the server that every client starts, and the
// client of the Go SDK, which is not there where its modules cannot be loaded.
var program, goClient string

// The variables of the second run of the test's executable, which is the one that
// has no network.
const (
	built     = "AGENTS_BUILT"  // directory of the programs
	alone     = "AGENTS_ALONE"  // set where there is a network of its own to switch on
	recordDir = "AGENTS_RECORD" // directory where the requests to models are kept, for a look by hand
)

// TestMain builds the programs and runs the tests again without a network. Started
// with tapDir set, the executable is the relay that a client starts in the server's
// place.
func TestMain(m *testing.M) {
	if dir := os.Getenv(tapDir); dir != "" {
		os.Exit(relay(dir, os.Getenv(tapProgram), os.Args[1:]))
	}
	if dir := os.Getenv(built); dir != "" {
		program, goClient = filepath.Join(dir, "say-ur-intent"), filepath.Join(dir, "gosdk")
		if os.Getenv(alone) != "" {
			if err := loopbackUp(); err != nil {
				fmt.Fprintln(os.Stderr, "the loopback device stays off:", err)
				os.Exit(1)
			}
		}
		os.Exit(m.Run())
	}
	os.Exit(build())
}

// build builds the programs and runs the tests with them.
func build() int {
	dir, err := os.MkdirTemp("", "say-ur-intent-agents-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	compile := func(name, source string) error {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, name), ".")
		cmd.Dir = source
		out, err := cmd.CombinedOutput()
		if err != nil {
			fmt.Fprintf(os.Stderr, "build %s: %v\n%s", name, err, out)
		}
		return err
	}
	if compile("say-ur-intent", "../../cmd/say-ur-intent") != nil {
		return 1
	}
	_ = compile("gosdk", filepath.Join("testdata", "gosdk")) // its test reports that it is not there
	again := func(more ...string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], os.Args[1:]...)
		cmd.Env = append(os.Environ(), append(more, built+"="+dir)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		return cmd
	}
	if code, ok := isolated(again(alone + "=1")); ok {
		return code
	}
	fmt.Println("No network without the outside can be made here: a proxy that refuses is all that holds the clients back.")
	cmd := again()
	_ = cmd.Run()
	return cmd.ProcessState.ExitCode()
}
