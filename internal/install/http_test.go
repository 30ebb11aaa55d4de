package install_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/install"
)

// TestHTTP: an entry over HTTP has the address and the token, which no difference shows; install and
// uninstall know it again.
func TestHTTP(t *testing.T) {
	want := map[string]string{
		"claude-code": `"type": "http"`, "vscode": `"type": "http"`, "cursor": `"url": "http://127.0.0.1:4711/mcp"`,
		"gemini": `"httpUrl": "http://127.0.0.1:4711/mcp"`,
	}
	for _, c := range install.Clients() {
		if _, takes := want[c.Name]; c.TakesURL() != takes {
			t.Errorf("%s takes a URL: %t", c.Name, c.TakesURL())
		}
		if !c.TakesURL() {
			continue
		}
		w := install.EntrySpec{Name: "say-ur-intent", URL: "http://127.0.0.1:4711/mcp", Token: "sui_events_SECRET",
			Accepts: func([]string) error { return nil }}
		made, err := c.Install(nil, w)
		if err != nil || made.Refused != "" || !strings.Contains(string(made.After), want[c.Name]) ||
			!strings.Contains(string(made.After), `"Authorization": "Bearer sui_events_SECRET"`) ||
			strings.Contains(string(made.After), "command") {
			t.Fatalf("%s: %v %s\n%s", c.Name, err, made.Refused, made.After)
		}
		if shown := made.Diff("file", nil); strings.Contains(shown, "SECRET") || !strings.Contains(shown, "127.0.0.1:4711") {
			t.Errorf("%s: %s", c.Name, shown)
		}
		if found, err := c.Entries(made.After, w.Name); err != nil || len(found) != 1 || found[0].Odd != "" ||
			!found[0].OverHTTP() ||
			found[0].URL != w.URL {
			t.Errorf("%s: %v %+v", c.Name, err, found)
		}
		w.URL, w.Token = "http://127.0.0.1:4712/mcp", "sui_events_OTHER"
		if again, err := c.Install(made.After, w); err != nil || again.Refused != "" || !strings.Contains(string(again.After),
			"OTHER") ||
			strings.Contains(string(again.After), "SECRET") {
			t.Errorf("%s: %v %s\n%s", c.Name, err, again.Refused, again.After)
		}
		if gone, err := c.Uninstall(made.After, w.Name, false); err != nil || gone.Refused != "" ||
			strings.Contains(string(gone.After), "4711") {
			t.Errorf("%s: %v %s\n%s", c.Name, err, gone.Refused, gone.After)
		}
		w.URL, w.Command = "", "/opt/say-ur-intent"
		if back, err := c.Install(made.After, w); err != nil || back.Refused == "" {
			t.Errorf("%s: an entry over HTTP is replaced unasked: %v\n%s", c.Name, err, back.After)
		}
	}
}
