//go:build unix

package main

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// linked is an entry in a link or in a client's file.
type linked struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// TestInstallLinks checks that the links in docs/AI_CLIENTS.md add the entry that install writes if
// it is run by npx.
func TestInstallLinks(t *testing.T) {
	long.Skip(t, "it starts the program")
	t.Parallel()
	text, err := os.ReadFile("../../docs/AI_CLIENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ client, at, file, list string }{
		{"cursor", "https://cursor.com/install-mcp", ".cursor/mcp.json", "mcpServers"},
		{"vscode", "https://vscode.dev/redirect/mcp/install", ".config/Code/User/mcp.json", "servers"},
	} {
		found := regexp.MustCompile(`\((` + regexp.QuoteMeta(c.at) + `\?[^)]*)\)`).FindStringSubmatch(string(text))
		if found == nil {
			t.Fatalf("no link to %s", c.at)
		}
		link, err := url.Parse(found[1])
		if err != nil {
			t.Fatal(err)
		}
		config := []byte(link.Query().Get("config"))
		if c.client == "cursor" {
			if config, err = base64.StdEncoding.DecodeString(string(config)); err != nil {
				t.Fatal(err)
			}
		}
		var got linked
		if err := json.Unmarshal(config, &got); err != nil {
			t.Fatalf("%s: %v: %s", c.client, err, config)
		}
		home := t.TempDir()
		if err := os.MkdirAll(filepath.Join(home, filepath.Dir(c.file)), 0o700); err != nil {
			t.Fatal(err)
		}
		tryInstall(t, home, c.client)
		written, err := os.ReadFile(filepath.Join(home, c.file))
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]map[string]linked
		if err := json.Unmarshal(written, &file); err != nil {
			t.Fatal(err)
		}
		want := file[c.list][link.Query().Get("name")]
		want.Command, want.Args, want.Env = "npx", append([]string{"-y", "say-ur-intent"}, want.Args...), nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the link has %+v; install writes %+v", c.client, got, want)
		}
	}
}

// tryInstall runs install for a client, with the given home directory.
func tryInstall(t *testing.T, home, client string) {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(home, "data")
	t.Cleanup(func() { endServer(data) })
	install := exec.Command(executable, "install", client)
	install.Env = append(os.Environ(), asProgram+"=1", "HOME="+home, "XDG_CONFIG_HOME=", "SAY_UR_INTENT_DATA_DIR="+data)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
