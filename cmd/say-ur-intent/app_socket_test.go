//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// editorDouble is an editor that is connected to the pages. answer returns its response to a call,
// or "" to disconnect.
type editorDouble struct {
	calls  chan string // tool names of the received calls
	answer func(tool string, params map[string]any) (text string)
}

func (e *editorDouble) connect(t *testing.T, origin, token string) {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(origin, "http")+
		"/ws/agent/chat?sessionId=plugin-1&projectKey=autoloop",
		&websocket.DialOptions{HTTPHeader: map[string][]string{"Authorization": {"Bearer " + token}}})
	if err != nil {
		t.Fatal(err)
	}
	// The response shows that the server has registered the socket.
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"PING"}`)); err != nil {
		t.Fatal(err)
	}
	if _, b, err := conn.Read(t.Context()); err != nil || string(b) != `{"type":"PONG"}` {
		t.Fatal(string(b), err)
	}
	go func() {
		defer conn.CloseNow()
		for {
			_, b, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			var c struct {
				ToolCallID, ToolName string
				Params               map[string]any
			}
			if json.Unmarshal(b, &c) != nil {
				return
			}
			e.calls <- c.ToolName
			text := e.answer(c.ToolName, c.Params)
			if text == "" {
				return
			}
			result, err := json.Marshal(map[string]any{"type": "TOOL_RESULT",
				"data": map[string]any{"toolCallId": c.ToolCallID, "success": true, "result": text}})
			if err != nil || conn.Write(context.Background(), websocket.MessageText, result) != nil {
				return
			}
		}
	}()
}

// called returns the name of the tool that is called next.
func (e *editorDouble) called(t *testing.T) string {
	t.Helper()
	return double.Next(t, "the editor is called", e.calls)
}

// TestToolsAskTheEditor checks that tools use a connected editor and work without one. If the
// editor does not respond to a change, nothing else makes the change.
func TestToolsAskTheEditor(t *testing.T) {
	dir, project := t.TempDir(), t.TempDir()
	file := filepath.Join(project, "a.txt")
	if err := os.WriteFile(file, []byte("needle in the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := openData(t, filepath.Join(dir, "sandbox"))
	may := func(context.Context) error { return nil }
	if err := db.AddFolder(t.Context(), workspace.Folder{Key: "autoloop", Root: project, Mode: workspace.Auto},
		may); err != nil {
		t.Fatal(err)
	}
	token, _, err := pagetoken.NewKeys(db, time.Now, rand.Reader).MakeOf(t.Context(),
		pagetoken.Key{Name: "plugin", Scope: pagetoken.Editor, Projects: []string{"autoloop"}}, may)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := startAlone(t, dir)
	pages := pagesOf(t, c)
	type answer struct {
		Executor, Text string
		Matches        []struct{ Text string }
		Notes          []string
	}
	grep := func() (a answer) {
		t.Helper()
		if err := c.call("workspace.grep_file", map[string]any{"projectKey": "autoloop", "pattern": "needle",
			"webSocketSessionId": "made-up"}, &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := grep(); a.Executor != "local" || len(a.Matches) != 1 || len(a.Notes) != 0 {
		t.Errorf("nobody is connected: %+v", a)
	}
	works := &editorDouble{calls: make(chan string, 10), answer: func(tool string, params map[string]any) string {
		return fmt.Sprintf("%s of %v by %v: \x1b[31mneedle", tool, params["projectKey"], params["webSocketSessionId"])
	}}
	works.connect(t, pages.Origin, token.Reveal())
	t.Run("R001-2 the editor answers", func(t *testing.T) {
		if a := grep(); a.Executor != "ide" || a.Text != "grep_file of autoloop by plugin-1: ⟦U+001B⟧[31mneedle" {
			t.Errorf("%+v", a)
		}
	})
	hangsUp := &editorDouble{calls: make(chan string, 10), answer: func(string, map[string]any) string { return "" }}
	t.Run("a reading tool goes on by itself, and says so", func(t *testing.T) {
		hangsUp.connect(t, pages.Origin, token.Reveal()) // replaces the first editor
		a := grep()
		if got := hangsUp.called(t); got != "grep_file" || a.Executor != "local" || len(a.Matches) != 1 ||
			len(a.Notes) == 0 || !strings.Contains(a.Notes[0], "editor") {
			t.Errorf("%s: %+v", got, a)
		}
	})
	t.Run("a change does not", func(t *testing.T) {
		hangsUp.connect(t, pages.Origin, token.Reveal())
		var begun struct {
			Task string `json:"task_id"`
		}
		if err := c.call("workspace.apply_change", map[string]any{"projectKey": "autoloop", "relativePath": "a.txt",
			"searchContent": "needle", "replaceContent": "pin"}, &begun); err != nil {
			t.Fatal(err)
		}
		if got := hangsUp.called(t); got != "apply_change" {
			t.Fatal(got)
		}
		var task map[string]any
		if err := c.call("task.get", map[string]any{"task_id": begun.Task, "waitSeconds": 10}, &task); err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(task); !strings.Contains(text, "failed") || !strings.Contains(text, "may have been made") {
			t.Errorf("%s", text)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != "needle in the file\n" {
			t.Errorf("%q, %v", b, err)
		}
	})
}
