//go:build clients && unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// installed lays the packages out as npm installs them, with one script as both programs.
func installed(t *testing.T, script string) (launcher string) {
	t.Helper()
	r := built(t)
	if err := r.npm(); err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(t.TempDir(), "node_modules")
	for _, link := range [][2]string{
		{"say-ur-intent", "say-ur-intent"}, {r.host().npmOS + "-" + r.host().npmArch, "@sayurintent/" + r.host().npmOS + "-" +
			r.host().npmArch},
	} {
		to := filepath.Join(modules, filepath.FromSlash(link[1]))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(r.dist, "npm", link[0]), to); err != nil {
			t.Fatal(err)
		}
	}
	system := filepath.Join(modules, "@sayurintent", r.host().npmOS+"-"+r.host().npmArch)
	if script == "" {
		if err := os.RemoveAll(system); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range bothPrograms {
		if script == "" {
			break
		}
		if err := writeFile(filepath.Join(system, "bin", r.host().file(name)), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(modules, "say-ur-intent", "launch.js")
}

// TestLauncher runs the launcher of the npm package with Node.
func TestLauncher(t *testing.T) {
	long.Skip(t, "it starts Node")
	t.Run("arguments, input, output and the exit code are the program's", func(t *testing.T) {
		launch := exec.Command("node", installed(t, "#!/bin/sh\nread line\necho \"$# $2 $line\"\nexit 3\n"), "one",
			"two words")
		launch.Stdin = strings.NewReader("typed\n")
		out, err := launch.CombinedOutput()
		if string(out) != "2 two words typed\n" || launch.ProcessState.ExitCode() != 3 {
			t.Errorf("%q, %v", out, err)
		}
	})
	t.Run("an AI client gets the small program, and a command the whole one", func(t *testing.T) {
		launcher := installed(t, "#!/bin/sh\nbasename \"$0\"\n")
		for args, want := range map[string]string{"": "say-ur-intent-client", "--network sandbox": "say-ur-intent-client",
			"version": "say-ur-intent", "doctor --network sandbox": "say-ur-intent"} {
			out, err := exec.Command("node", append([]string{launcher}, strings.Fields(args)...)...).CombinedOutput()
			if string(out) != want+"\n" || err != nil {
				t.Errorf("%q starts %q, %v", args, out, err)
			}
		}
	})
	t.Run("a signal reaches the program, and its end is told", func(t *testing.T) {
		launch := exec.Command("node",
			installed(t, "#!/bin/sh\ntrap 'echo ended; exit 7' TERM\necho ready\nfor i in $(seq 400); do sleep 0.05; done\n"))
		out, err := launch.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := launch.Start(); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(20*time.Second, func() { _ = launch.Process.Kill() })
		defer late.Stop()
		said := make([]byte, 6)
		if _, err := out.Read(said); err != nil {
			t.Fatal(err)
		}
		_ = launch.Process.Signal(syscall.SIGTERM)
		rest := make([]byte, 16)
		n, _ := out.Read(rest)
		_ = launch.Wait()
		if string(rest[:n]) != "ended\n" || launch.ProcessState.ExitCode() != 7 {
			t.Errorf("%q, then %q, code %d", said, rest[:n], launch.ProcessState.ExitCode())
		}
	})
	t.Run("a package that npm left out is named", func(t *testing.T) {
		launch := exec.Command("node", installed(t, ""))
		out, _ := launch.CombinedOutput()
		if launch.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "is not installed") ||
			!strings.Contains(string(out), "--omit=optional") {
			t.Errorf("%d: %s", launch.ProcessState.ExitCode(), out)
		}
	})
}
