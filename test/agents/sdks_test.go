//go:build agents && unix

package agents_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSDKs does the job with clients of the official kits, which have no model:
// the job speaks to them directly.
func TestSDKs(t *testing.T) {
	for _, c := range []struct {
		name string
		args func(t *testing.T, s *site) []string
	}{
		{"TypeScript SDK 1", typeScript("@modelcontextprotocol/sdk", "legacy")},
		{"TypeScript SDK 2, handshake", typeScript("@modelcontextprotocol/client", "legacy")},
		{"TypeScript SDK 2, stateless", typeScript("@modelcontextprotocol/client", "auto")},
		{"Go SDK", func(t *testing.T, s *site) []string {
			if _, err := os.Stat(goClient); err != nil {
				t.Skipf("NOT RUN: the Go SDK's client was not built: %v", err)
			}
			return []string{goClient, s.command}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			drive(t, s, c.args(t, s))
		})
	}
}

func typeScript(name, mode string) func(*testing.T, *site) []string {
	return func(t *testing.T, s *site) []string {
		if _, err := os.Stat(filepath.Join("node_modules", name, "package.json")); err != nil {
			t.Skipf("NOT RUN: %s is not installed: %v", name, err)
		}
		return []string{"node", "sdk.mjs", name, mode, s.command}
	}
}

// drive makes the job's calls with a client that reads a call and prints its
// result, one document a line.
func drive(t *testing.T, s *site, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var problems strings.Builder
	cmd.Env, cmd.Stderr = s.env, &problems
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	read := func(into any) {
		t.Helper()
		if !lines.Scan() {
			_ = cmd.Wait()
			t.Fatalf("the client ended: %s", tail([]byte(problems.String())))
		}
		if err := json.Unmarshal(lines.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	read(&names)
	play(t, s.model.job, names, func(c call) string {
		said, err := json.Marshal(object{"name": c.Name, "arguments": c.Args})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(append(said, '\n')); err != nil {
			t.Fatal(err)
		}
		var answer json.RawMessage
		read(&answer)
		return string(answer)
	})
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, tail([]byte(problems.String())))
	}
	t.Logf("%s; tools called as %s", s.introduced(), s.model.job.names[0])
}

// play makes the job's calls one after another.
func play(t *testing.T, j *job, names []string, ask func(call) string) {
	t.Helper()
	tools := make([]offered, len(names))
	for i, name := range names {
		tools[i].Name = name
	}
	var results []result
	for said := j.answer(tools, nil, nil); said.Call != nil; said = j.answer(tools, results, nil) {
		results = append(results, result{ID: said.Call.ID, Text: ask(*said.Call)})
	}
	if err := j.done(); err != nil {
		t.Fatal(err)
	}
}

// TestInspector lists with the MCP Inspector's strict mode, which complains of what
// other clients stumble over, and does the job on a connection that it keeps.
func TestInspector(t *testing.T) {
	lists, keeps := installed(t, "mcp-inspector"), installed(t, "mcpdo")
	for _, era := range []string{"legacy", "modern"} {
		t.Run(era, func(t *testing.T) {
			s := newSite(t)
			s.set("MCP_INSPECTOR_SECRET_STORE=memory", "MCP_INSPECTOR_DAEMON_DIR="+s.home, "MCP_INSPECTOR_DAEMON_TOKEN="+
				strings.Repeat("a", 43))
			must := func(bin string, args ...string) []byte {
				t.Helper()
				out, err := s.run(bin, args...)
				if err != nil {
					t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, tail(out))
				}
				return out
			}
			must(lists, "--cli", "--protocol-era", era, "--strict", "--method", "tools/list", "--format", "json", "--",
				s.command)
			at := []string{"--connection", "here", "--format", "json"}
			must(keeps, slices.Concat(at, []string{"connect", "--era", era, "--elicit", "off", s.command})...)
			var list struct{ Tools []struct{ Name string } }
			out := must(keeps, slices.Concat(at, []string{"tools/list"})...)
			if err := json.Unmarshal(out, &list); err != nil {
				t.Fatalf("%v: %s", err, tail(out))
			}
			var names []string
			for _, one := range list.Tools {
				names = append(names, one.Name)
			}
			play(t, s.model.job, names, func(c call) string {
				return string(must(keeps, slices.Concat(at, []string{"tools/call", c.Name, text(c.Args)})...))
			})
			t.Logf("%s; tools called as %s", s.introduced(), s.model.job.names[0])
		})
	}
}
