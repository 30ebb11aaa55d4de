//go:build clients

package clients_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/built"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestInstalledFilesStartInAnotherClient: the files that install writes are read
// by the MCP Inspector, which takes the form of mcpServers that Claude Desktop,
// Claude Code and Cursor share, and starts the server by what they say.
func TestInstalledFilesStartInAnotherClient(t *testing.T) {
	long.Skip(t, "it starts Node and the program")
	program := built.Program(t)
	home := shelter(t)
	env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "CLAUDE_CONFIG_DIR=", "SAY_UR_INTENT_DATA_DIR="+home)
	foreign := `{"theme": "dark", "mcpServers": {"other": {"command": "node", "args": ["-e", ""]}}}`
	if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte(foreign), 0o600); err != nil {
		t.Fatal(err)
	}
	for client, file := range map[string]string{
		"claude-desktop": ".config/Claude/claude_desktop_config.json", "claude-code": ".claude.json",
		"cursor": ".cursor/mcp.json",
	} {
		t.Run(client, func(t *testing.T) {
			install := exec.CommandContext(t.Context(), program, "install", client, "--network", "sandbox")
			install.Env = env
			if out, err := install.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			ask := exec.CommandContext(t.Context(), nodeForInspector(),
				"node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
				"--cli", "--config", filepath.Join(home, file), "--server", "say-ur-intent", "--method", "tools/list", "--strict",
				"--format", "json")
			ask.Env = env
			var problems strings.Builder
			ask.Stderr = &problems
			out, err := ask.Output()
			var v struct {
				Result struct{ Tools []struct{ Name string } }
			}
			if err != nil || json.Unmarshal(out, &v) != nil || len(v.Result.Tools) == 0 {
				t.Fatalf("%v: %s\n%.400s", err, problems.String(), out)
			}
			for _, tool := range v.Result.Tools {
				if strings.Contains(tool.Name, ".") {
					t.Errorf("%s is listed with a dot, which %s does not take", tool.Name, client)
				}
			}
		})
	}
}

// TestInstalledOverHTTP: install --http writes an address and a token with which another client connects,
// and refuses what the server does not serve.
func TestInstalledOverHTTP(t *testing.T) {
	long.Skip(t, "it starts Node and the program")
	home := shelter(t)
	run := func(data, token string, args ...string) (string, error) {
		install := exec.CommandContext(t.Context(), built.Program(t), append([]string{"install", "--network", "sandbox"},
			args...)...)
		install.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "CLAUDE_CONFIG_DIR=", "SAY_UR_INTENT_DATA_DIR="+
			data)
		install.Stdin = strings.NewReader(token + "\n")
		out, err := install.CombinedOutput()
		return string(out), err
	}
	data, _, token := program(t, false)
	for name, refused := range map[string][]string{
		"Connections over HTTP are off": {data, token, "claude-code", "--http"}, "cannot connect to a local server": {data, token, "zed", "--http"},
		"not an access token": {data, "secret", "claude-code", "--http"}, "a project's file": {data, token, "claude-code",
			"--http", "--project", home},
		"no server is running": {t.TempDir(), token, "claude-code", "--http"},
	} {
		if out, err := run(refused[0], refused[1], refused[2:]...); err == nil || !strings.Contains(out, name) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	data, host, token := program(t, true)
	out, err := run(data, token, "claude-code", "--http")
	if err != nil || strings.Contains(out, token) || !strings.Contains(out, "http://"+host+"/mcp") {
		t.Fatalf("%v\n%s", err, out)
	}
	for command, want := range map[string]string{"status": "claude-code      configured   say-ur-intent   sandbox",
		"doctor": "Claude Code connects over HTTP to the server on sandbox"} {
		look := exec.CommandContext(t.Context(), built.Program(t), command)
		look.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "CLAUDE_CONFIG_DIR=", "SAY_UR_INTENT_DATA_DIR="+
			data)
		if out, _ := look.CombinedOutput(); !strings.Contains(string(out), want) || strings.Contains(string(out),
			"not written by install") {
			t.Errorf("%s:\n%s", command, out)
		}
	}
	ask := exec.CommandContext(t.Context(), nodeForInspector(),
		"node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
		"--cli", "--config", filepath.Join(home, ".claude.json"), "--server", "say-ur-intent", "--method", "tools/list",
		"--strict", "--format", "json")
	if listed, err := ask.CombinedOutput(); err != nil || !strings.Contains(string(listed), "read_get_server_status") {
		t.Errorf("%v\n%.400s", err, listed)
	}
}

// nodeForInspector returns the set-up's Node where the machine's own is too old.
func nodeForInspector() string {
	if own, err := filepath.Abs("../../bin/node/node_modules/.bin/node"); err == nil {
		if _, err := os.Stat(own); err == nil {
			return own
		}
	}
	return "node"
}
