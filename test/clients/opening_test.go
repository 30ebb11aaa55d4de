//go:build clients

package clients_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/built"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// linkAnswer is the result of a tool that makes a link.
type linkAnswer struct {
	IsError           bool
	Content           []struct{ Text string }
	StructuredContent struct {
		Data struct {
			WalletURL   string `json:"walletUrl"`
			SettingsURL string `json:"settingsUrl"`
			Opening     string `json:"opening"`
		}
	}
}

// TestOpening lets the official MCP client answer, or not, when it is asked to
// open a page. The link is in the answer whatever it does.
func TestOpening(t *testing.T) {
	long.Skip(t, "it starts Node and the program")
	program := built.Program(t)
	// A desktop whose starter of browsers only writes down that it was started.
	bin, started := t.TempDir(), filepath.Join(t.TempDir(), "started")
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" >> "+started+"\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("DISPLAY", ":0")
	for _, c := range []struct {
		name, capabilities, behaviour, opening, mode string
		asked, browsers                              int
	}{
		{"no capability", `{}`, "none", "link_only", "", 0, 0},
		{"url, accepted", `{"elicitation":{"url":{}}}`, "accept", "client_agreed", "url", 2, 0},
		{"url, declined", `{"elicitation":{"url":{}}}`, "decline", "declined", "url", 2, 0},
		{"form, accepted", `{"elicitation":{}}`, "accept", "browser_started", "", 2, 2},
		{"form by name, cancelled", `{"elicitation":{"form":{}}}`, "cancel", "declined", "", 2, 0},
		{"both, accepted", `{"elicitation":{"form":{},"url":{}}}`, "accept", "client_agreed", "url", 2, 0},
		{"url, an error", `{"elicitation":{"url":{}}}`, "throw", "unanswered", "url", 1, 0},
		{"form, an answer that is none", `{"elicitation":{}}`, "maybe", "unanswered", "", 1, 0},
		{"url, never answered", `{"elicitation":{"url":{}}}`, "never", "unanswered", "url", 1, 0},
		{"declared and not there", `{"elicitation":{"url":{}}}`, "none", "unanswered", "", 0, 0},
	} {
		t.Run("R004-427 R004-428 "+c.name, func(t *testing.T) {
			_ = os.Remove(started)
			t.Setenv("SAY_UR_INTENT_DATA_DIR", shelter(t))
			var got struct {
				Asked         []struct{ Mode, Message, URL string }
				Progress      []string
				First, Second linkAnswer
			}
			node(t, &got, nil, "opening.mjs", program, c.capabilities, c.behaviour)
			first, second := got.First.StructuredContent.Data, got.Second.StructuredContent.Data
			for link, answer := range map[string]linkAnswer{first.WalletURL: got.First, second.SettingsURL: got.Second} {
				if !strings.HasPrefix(link, "http://127.0.0.1:") || answer.IsError || !strings.Contains(answer.Content[0].Text,
					link) {
					t.Errorf("an answer without its link: %+v", answer)
				}
			}
			if first.Opening != c.opening || len(got.Asked) != c.asked {
				t.Errorf("%s, asked %+v", first.Opening, got.Asked)
			}
			if c.opening == "unanswered" && second.Opening != "link_only" {
				t.Errorf("a client that cannot answer was asked again: %s", second.Opening)
			}
			for _, q := range got.Asked {
				if (q.Mode == "url") != (c.mode == "url") || (q.URL != "") != (c.mode == "url") || strings.Contains(q.Message,
					"http") {
					t.Errorf("asked %+v", q)
				}
				if q.URL != "" && (q.URL == first.WalletURL || q.URL == second.SettingsURL) {
					t.Error("one code for two openings")
				}
			}
			if c.behaviour == "never" && len(got.Progress) < 4 {
				t.Errorf("the client heard %q while it waited", got.Progress)
			}
			text, _ := os.ReadFile(started)
			double.Await(func() bool { // the program waits only briefly for a slow starter
				text, _ = os.ReadFile(started)
				return strings.Count(string(text), "\n") >= c.browsers
			})
			if n := strings.Count(string(text), "\n"); n != c.browsers || strings.Contains(string(text), "#") {
				t.Errorf("%d browsers were started: %s", n, text)
			}
		})
	}
}
