//go:build agents && unix

package agents_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
)

// limit is how long a client may take for the whole job, on a machine that is busy
// with other things as well.
const limit = 6 * time.Minute

// serverName is the server's name in every client's configuration.
const serverName = "say-ur-intent"

// site is what one run of a client finds: an empty home, a model, a server.
type site struct {
	t       testing.TB
	home    string
	work    string
	bin     string // of the client
	command string // starts the server
	model   *standIn
	tap     tap
	env     []string
}

// agent is a command line agent: what starts it, and what it needs to have its
// model on loopback, this server, and no questions about permissions.
type agent struct {
	name, bin string
	configure func(s *site) (args []string)
}

var agents = []agent{
	{"Claude Code", "claude", claudeCode},
	{"Codex", "codex", codex},
	{"Gemini CLI", "gemini", gemini},
	{"Qwen Code", "qwen", qwen},
	{"opencode", "opencode", opencode},
	{"GitHub Copilot CLI", "copilot", copilot},
	{"Cline", "cline", cline},
	{"Continue", "cn", continues},
}

func TestAgents(t *testing.T) {
	for _, a := range agents {
		t.Run(a.name, func(t *testing.T) {
			bin := installed(t, a.bin)
			s := newSite(t)
			s.bin = bin
			out, err := s.run(bin, a.configure(s)...)
			if s.model.job.done() != nil {
				t.Errorf("%v\n%s: %v\n%s\nasked: %s", s.model.job.done(), a.bin, err, tail(out), strings.Join(s.model.requests(),
					"\n"))
				return
			}
			j := s.model.job
			t.Logf("%s: %d requests to its model; tools called as %s; opening %s", s.introduced(), len(s.model.requests()),
				j.names[0], j.opening)
			if j.dropped > 0 {
				t.Logf("%d notices after an answer did not reach its model", j.dropped)
			}
		})
	}
}

// installed finds a client among the installed packages; the test is skipped aloud if it is not
// there or does not start on this machine.
func installed(t *testing.T, bin string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", ".bin", bin))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Skipf("NOT RUN: %s is not installed: %v", bin, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = append(bare(t.TempDir()), "HTTPS_PROXY=http://127.0.0.1:9")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: %s does not start on this machine: %v: %s", bin, err, tail(out))
	}
	return path
}

// bare returns an environment with nothing of the caller's but where programs are.
func bare(home string) []string {
	node, _ := filepath.Abs("../../bin/node/node_modules/.bin")
	return []string{
		"PATH=" + node + ":" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LANG=C.UTF-8", "TERM=dumb",
		"NO_COLOR=1", "CI=1", "DO_NOT_TRACK=1", "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
	}
}

func newSite(t *testing.T) *site {
	t.Helper()
	_, chain := sandboxtest.Serve(t, sandbox.Config{Now: time.Now})
	dir := t.TempDir()
	s := &site{
		t: t, home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work"),
		command: filepath.Join(dir, "server"), tap: tap{filepath.Join(dir, "tap")},
	}
	for _, d := range []string{s.home, s.work, s.tap.dir} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { endAll(s.home) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Clients differ in which variables they pass on to a server; this needs none.
	script := fmt.Sprintf("#!/bin/sh\nexec env %s='%s' %s='%s' SUI_GRPC_URL='%s' SAY_UR_INTENT_DATA_DIR='%s' '%s' --network sandbox \"$@\"\n",
		tapDir, s.tap.dir, tapProgram, program, chain, filepath.Join(dir, "data"), self)
	if err := os.WriteFile(s.command, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s.model = newStandIn(t, &job{t: t, tap: s.tap, sought: map[string]bool{}})
	// A proxy that refuses everything: no agent reaches anything but loopback.
	s.env = append(bare(s.home), "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
	for _, v := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		s.env = append(s.env, v+"=http://127.0.0.1:9")
	}
	return s
}

// write puts a file below the home or the working directory.
func (s *site) write(path, text string) {
	s.t.Helper()
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
	if err != nil {
		s.t.Fatal(err)
	}
}

// json is write for a document.
func (s *site) json(path string, v any) {
	s.t.Helper()
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(path, string(b))
}

// set adds variables to the client's environment.
func (s *site) set(vars ...string) { s.env = append(s.env, vars...) }

// run starts the client in a process group of its own, which is ended when the
// client takes too long or leaves something behind.
func (s *site) run(bin string, args ...string) ([]byte, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.work, s.env, &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	group := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel, cmd.WaitDelay = group, time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	err := cmd.Wait()
	_ = group()
	if ctx.Err() != nil {
		err = fmt.Errorf("it took longer than %s", limit)
	}
	return out.Bytes(), err
}

// before runs the client once for its own set-up.
func (s *site) before(args ...string) {
	s.t.Helper()
	if out, err := s.run(s.bin, args...); err != nil {
		s.t.Fatalf("%s %s: %v\n%s", s.bin, args[0], err, tail(out))
	}
}

// introduced returns what the client said of itself to the server, and the version of the protocol
// that they speak.
func (s *site) introduced() string {
	name, version, abilities := "no initialize", "2026-07-28", "none"
	for _, frames := range s.tap.frames(s.t) {
		for _, f := range frames {
			var m message
			if json.Unmarshal(f.Line, &m) != nil {
				continue
			}
			if m.Method == "initialize" {
				name = m.Params.ClientInfo.Name + " " + m.Params.ClientInfo.Version
			}
			for _, a := range []json.RawMessage{m.Params.Capabilities, m.Params.Meta.Capabilities} {
				if a != nil {
					abilities = string(a)
				}
			}
			if m.Result != nil && m.Result.ProtocolVersion != "" {
				version = m.Result.ProtocolVersion
			}
		}
	}
	return name + ", " + version + ", can " + abilities
}

func tail(out []byte) string {
	lines := strings.Split(string(out), "\n")
	lines = slices.DeleteFunc(lines, func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(lines) > 30 {
		lines = lines[len(lines)-30:]
	}
	text := strings.Join(lines, "\n")
	if len(text) > 6000 {
		text = text[len(text)-6000:]
	}
	return text
}
