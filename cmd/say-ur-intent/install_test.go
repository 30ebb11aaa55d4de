//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/install"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// storeNode stores a node's address as the settings page does.
func storeNode(t *testing.T, dir, url string) {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: dir, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.ChangeSettings(context.Background(),
		func(s *settings.Stored) error { s.Addresses[settings.GRPC] = url; return nil }); err != nil {
		t.Fatal(err)
	}
}

// script writes a shell script to run in place of the program.
func script(t *testing.T, text string) string {
	t.Helper()
	long.Skip(t, "it starts a script")
	name := filepath.Join(t.TempDir(), "say-ur-intent")
	// If another test forked a process now, that process would hold the file open for writing, and
	// the file could not be executed.
	syscall.ForkLock.RLock()
	err := os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCheckEntry(t *testing.T) {
	long.Skip(t, "it starts the program")
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Run("exactly the entry: its arguments, its variables, and none of this process's", func(t *testing.T) {
		t.Setenv("SUI_GRPC_URL", "http://not.here") // a server that received this would fail
		e := install.Entry{Command: executable, Args: []string{"--network", "sandbox", "--tool-names", "underscore"},
			Env: map[string]string{asProgram: "1", "SAY_UR_INTENT_DATA_DIR": shelter(t)}}
		got, log, err := checkEntry(e)
		if err != nil || got.Network != "sui:sandbox" || got.Tools == 0 || got.Version != version || got.judge(e) != nil {
			t.Fatalf("%+v, %v, %s", got, err, log)
		}
		if err := got.judge(e.WithFlag("tool-names", "dotted")); err == nil {
			t.Error("another spelling is not noticed")
		}
		if err := got.judge(e.WithFlag("network", "mainnet")); err == nil {
			t.Error("another network is not noticed")
		}
	})
	t.Run("a program that ends tells why", func(t *testing.T) {
		lines := strings.Repeat("echo noise >&2\n", 30) + "echo the reason >&2; exit 3"
		_, log, err := checkEntry(install.Entry{Command: script(t, lines)})
		if err == nil || !strings.HasSuffix(log, "the reason") || strings.Count(log, "\n") >= tailLines {
			t.Errorf("%v, %q", err, log)
		}
	})
	t.Run("a program that talks something else", func(t *testing.T) {
		if _, _, err := checkEntry(install.Entry{Command: script(t, "echo hello; sleep 30")}); err == nil ||
			!strings.Contains(err.Error(), "not JSON") {
			t.Error(err)
		}
	})
	t.Run("a program that is not there", func(t *testing.T) {
		if _, _, err := checkEntry(install.Entry{Command: "/gone/say-ur-intent"}); err == nil {
			t.Error("checked")
		}
	})
}

func TestCheckEntryIsBounded(t *testing.T) {
	long.Skip(t, "it waits for the whole time of a check")
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	t.Cleanup(func() {
		text, _ := os.ReadFile(pid)
		if id, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			_ = syscall.Kill(id, syscall.SIGKILL)
		}
	})
	ended := make(chan error, 1)
	go func() {
		// The grandchild keeps the pipes open after the child is killed.
		_, _, err := checkEntry(install.Entry{Command: script(t, "sleep 120 & echo $! > "+pid+"; wait")})
		ended <- err
	}()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "did not respond within") {
			t.Error(err)
		}
	case <-time.After(checkTime + double.Patience):
		t.Error("the check waits for a process that keeps the pipes open")
	}
}

func TestStatusComparesVersions(t *testing.T) {
	c, _ := install.ByName("cursor")
	for _, s := range []struct{ name, script, version, problem string }{
		{"the same", "echo say-ur-intent " + version, version, ""},
		{"another", "echo say-ur-intent v9.9.9", "v9.9.9", "it starts version v9.9.9, and this is " + version},
		{"none", "echo what", "", "does not report its version"},
		{"an escape sequence", `printf 'say-ur-intent \033[31mred\n'`, "", "does not report its version"},
		{"a failure", "exit 1", "", "does not report its version"},
	} {
		t.Run(s.name, func(t *testing.T) {
			e := entryOf(c, install.Found{Name: "say-ur-intent", Entry: install.Entry{Command: script(t, s.script),
				Args: []string{"--network", "sandbox"}}}, true)
			if e.Version != s.version || e.VersionMatches != (s.problem == "") || !strings.Contains(e.Problem, s.problem) ||
				(e.Next == "") != (s.problem == "") {
				t.Errorf("%+v", e)
			}
		})
	}
}

func TestProgramsOfAProjectAreNotStarted(t *testing.T) {
	c, _ := install.ByName("cursor")
	mark := filepath.Join(t.TempDir(), "started")
	command := script(t, "touch "+mark+"; echo say-ur-intent "+version)
	project := t.TempDir()
	if err := os.MkdirAll(filepath.Join(project, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	file, _ := c.ProjectFile(project)
	text := `{"mcpServers": {"say-ur-intent": {"command": "` + command +
		`", "args": ["--network", "sandbox", "--tool-names", "auto"], "env": {"LD_PRELOAD": "x"}}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	p := process{Stdout: &out, Stderr: &out, Now: time.Now, Getenv: func(string) string { return "" }}
	if code := run(p, []string{"status", "--project", project}); code != exitOK || !strings.Contains(out.String(),
		"configured") {
		t.Errorf("code %d: %s", code, out.String())
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("status started the program of a project's file")
	}
	if e := statusOf(c, install.Place{File: file, Here: true}, entryName, true); len(e.Entries) != 1 ||
		e.Entries[0].Version != version {
		t.Errorf("%+v", e)
	}
	if code := run(p, []string{"install", "cursor", "--project", project, "--network", "sandbox"}); code != exitOK ||
		!strings.Contains(out.String(), `Not checked: the project's entry sets "LD_PRELOAD"`) {
		t.Errorf("code %d: %s", code, out.String())
	}
}

func TestFleetingPlaces(t *testing.T) {
	for path, want := range map[string]bool{
		filepath.Join(os.TempDir(), "x", "say-ur-intent"):                                   true,
		"/home/p/.cache/go-build/ab/say-ur-intent":                                          true,
		"/home/p/.npm/_npx/1a2b/node_modules/@sayurintent/linux-x64/bin/say-ur-intent":      true,
		"/usr/lib/node_modules/say-ur-intent/node_modules/@sayurintent/x/bin/say-ur-intent": false,
		"/usr/local/bin/say-ur-intent":                                                      false,
		"/home/p/tmp/say-ur-intent":                                                         false,
	} {
		if got := fleeting(filepath.FromSlash(path)); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// TestClientNextTo checks that an entry starts the small program if it is in the same directory.
func TestClientNextTo(t *testing.T) {
	dir := t.TempDir()
	program, small := filepath.Join(dir, "say-ur-intent"), filepath.Join(dir, "say-ur-intent-client")
	if got := clientNextTo(program); got != program {
		t.Errorf("without it: %s", got)
	}
	if err := os.WriteFile(small, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := clientNextTo(program); got != small {
		t.Errorf("with it: %s", got)
	}
}

// TestEntryNamesTheDataDirectory checks that an entry sets the data directory if a client would
// otherwise use another one than this shell.
func TestEntryNamesTheDataDirectory(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("not run: this system has one place, whatever a shell sets")
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	lasting := filepath.Join(home, ".local", "share")
	for name, c := range map[string]struct {
		set, network, want string
	}{
		"nothing is set":          {"", "", ""},
		"the usual place":         {lasting, "", ""},
		"another place":           {home + "/elsewhere", "", home + "/elsewhere/say-ur-intent"},
		"a sandbox keeps nothing": {home + "/elsewhere", "sandbox", ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := installing{p: environment(map[string]string{"HOME": home, "XDG_DATA_HOME": c.set})}
			in.spec.Network = c.network
			if got := in.environment()[dataDirVariable]; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
