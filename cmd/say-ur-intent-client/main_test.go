//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestWholeProgram checks that the small program runs the whole one, which is in the same
// directory, for everything that it does not do itself. Arguments, input and output are passed on.
func TestWholeProgram(t *testing.T) {
	long.Skip(t, "it builds and starts programs")
	place := t.TempDir()
	small, whole := filepath.Join(place, "say-ur-intent-client"), filepath.Join(place, "say-ur-intent")
	if out, err := exec.Command("go", "build", "-o", small, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(whole, []byte("#!/bin/sh\nread line\necho \"$* $line\"\nexit 7\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	readOnly := filepath.Join(t.TempDir(), "fixed")
	if os.Geteuid() == 0 {
		readOnly = "/sys" // not even root can write there
	} else if err := os.Mkdir(readOnly, 0o500); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data string
		args []string
	}{
		"more than concerns a client":               {data, []string{"--manual-test", "x"}},
		"a command":                                 {data, []string{"version"}},
		"a data directory without a server's place": {readOnly, []string{"--toolsets", "core"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.data == "/sys" && runtime.GOOS != "linux" {
				t.Skip("not run: only Linux has a directory in which even root can make none")
			}
			run := exec.Command(small, c.args...)
			run.Env = append(os.Environ(), door.DirVariable+"="+c.data)
			run.Stdin = strings.NewReader("said\n")
			out, _ := run.CombinedOutput()
			if want := strings.Join(c.args, " ") + " said\n"; string(out) != want || run.ProcessState.ExitCode() != 7 {
				t.Errorf("%q, %v", out, run.ProcessState)
			}
		})
	}
}
