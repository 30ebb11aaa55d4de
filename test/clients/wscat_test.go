//go:build clients

package clients_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/testkit/built"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/store"
)

// manualCall is the call of the protocol's manual test, as it is written there.
const manualCall = `{
  "type": "TOOL_CALL",
  "toolCallId": "test-001",
  "toolName": "grep_file",
  "params": {
    "pattern": "TODO",
    "projectKey": "autoloop"
  }
}`

// TestManualTestWithWscat does the manual test of the WebSocket tool protocol with the
// program that it names, against the real server.
func TestManualTestWithWscat(t *testing.T) {
	long.Skip(t, "it starts Node and the program")
	port := strconv.Itoa(double.Ports(t, 1)[0])
	data, project := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(project, "a.move"), []byte("// TODO: nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(data, "sandbox"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	folder := workspace.Folder{Key: "autoloop", Root: project, Mode: workspace.ReadOnly}
	if err := db.AddFolder(t.Context(), folder, func(context.Context) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), built.Program(t), "pages", "--standalone", "--network", "sandbox",
		"--open-browser=never", "--manual-test", "autoloop")
	server.Env = append(os.Environ(), "SAY_UR_INTENT_DATA_DIR="+data, "SAY_UR_INTENT_REVIEW_PORT="+port)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, port) {
		t.Fatalf("%q, %v", line, err)
	}
	said := wscat(t, "ws://localhost:"+port+"/ws/agent/chat?sessionId=test-123&projectKey=autoloop", manualCall)
	t.Run("R001-58 R001-59 R001-60 the first thing that comes is the result", func(t *testing.T) {
		var got struct {
			Type string
			Data struct {
				ToolCallID string
				Success    bool
				Result     string
			}
		}
		if err := json.Unmarshal([]byte(said), &got); err != nil || got.Type != "TOOL_RESULT" ||
			got.Data.ToolCallID != "test-001" ||
			!got.Data.Success || !strings.Contains(got.Data.Result, "TODO: nothing") {
			t.Errorf("%v: %s", err, said)
		}
	})
	t.Run("another project stays closed", func(t *testing.T) {
		if said := wscat(t, "ws://localhost:"+port+"/ws/agent/chat?sessionId=test-123&projectKey=other",
			manualCall); !strings.Contains(said, "401") {
			t.Error(said)
		}
	})
}

// wscat sends one message and returns the first line that it prints: what comes back, or an error.
func wscat(t *testing.T, url, message string) string {
	t.Helper()
	if _, err := os.Stat("node_modules/wscat"); err != nil {
		t.Fatal("wscat is not installed: run npm ci in test/clients")
	}
	cmd := exec.CommandContext(t.Context(), "node", "node_modules/wscat/bin/wscat", "--no-color", "-c", url, "-x", message,
		"-w", "-1")
	keyboard, err := cmd.StdinPipe() // it ends with its input
	if err != nil {
		t.Fatal(err)
	}
	said, print, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd.Stdout, cmd.Stderr = print, print
	err = cmd.Start()
	_ = print.Close()
	if err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(double.Patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	line, _ := bufio.NewReader(said).ReadString('\n')
	_ = keyboard.Close()
	_ = cmd.Wait() // it ends with an error where it is refused
	return strings.TrimSpace(line)
}
