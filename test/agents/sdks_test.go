//go:build agents && unix

package agents_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
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
		{"TypeScript SDK 1", typeScript("@modelcontextprotocol/sdk")},
		{"TypeScript SDK 2", typeScript("@modelcontextprotocol/client")},
		{"Go SDK", func(t *testing.T, s *site) []string {
			client := filepath.Join(t.TempDir(), "gosdk")
			build := exec.CommandContext(t.Context(), "go", "build", "-o", client, ".")
			build.Dir = "gosdk" // a module of its own: the product does not depend on this kit
			if out, err := build.CombinedOutput(); err != nil {
				t.Skipf("NOT RUN: the Go SDK does not build: %v\n%s", err, out)
			}
			return []string{client, s.command}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			drive(t, s, c.args(t, s))
		})
	}
}

func typeScript(name string) func(*testing.T, *site) []string {
	return func(t *testing.T, s *site) []string {
		if _, err := filepath.Glob(filepath.Join("node_modules", name, "package.json")); err != nil {
			t.Skipf("NOT RUN: %s is not installed", name)
		}
		return []string{"node", "sdk.mjs", name, s.command}
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
	tools := make([]offered, len(names))
	for i, name := range names {
		tools[i].Name = name
	}
	job := s.model.job
	var results []result
	for {
		said := job.answer(tools, results, nil)
		if said.Call == nil {
			break
		}
		call, err := json.Marshal(object{"name": said.Call.Name, "arguments": said.Call.Args})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(append(call, '\n')); err != nil {
			t.Fatal(err)
		}
		var answer json.RawMessage
		read(&answer)
		results = append(results, result{ID: said.Call.ID, Text: string(answer)})
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, tail([]byte(problems.String())))
	}
	if err := job.done(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s; tools called as %s", s.introduced(), job.names[0])
}
