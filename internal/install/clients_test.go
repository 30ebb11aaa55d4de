package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSamples: the file of each client before, and after an install; an uninstall
// gives the bytes of before back.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"gemini", "qwen", "copilot", "cline", "opencode", "windsurf", "zed"} {
		t.Run(name, func(t *testing.T) {
			before, err := os.ReadFile(filepath.Join("testdata", name+".before"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := client(t, name).Install(before, wish())
			if err != nil || got.Refused != "" {
				t.Fatal(err, got.Refused)
			}
			golden := filepath.Join("testdata", name+".after")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(golden, got.After, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			after, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(after), string(got.After)); diff != "" {
				t.Error(diff)
			}
			if again, err := client(t, name).Install(got.After, wish()); err != nil || again.Changes() {
				t.Errorf("a second install changes something: %v\n%s", err, again.After)
			}
			out, err := client(t, name).Uninstall(got.After, "say-ur-intent", false)
			if err != nil || out.Refused != "" {
				t.Fatal(err, out.Refused)
			}
			if diff := cmp.Diff(string(before), string(out.After)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNameLimit: a name that makes tools too long for a client is refused.
func TestNameLimit(t *testing.T) {
	t.Parallel()
	cursor := client(t, "cursor")
	if why := cursor.Refuses("say-ur-intent", 47); why != "" {
		t.Error(why)
	}
	if why := cursor.Refuses("say-ur-intent", 48); !strings.Contains(why, "60 letters") || !strings.Contains(why, "--name may have 12") {
		t.Error(why)
	}
	if why := client(t, "vscode").Refuses(strings.Repeat("n", 32), 60); why != "" {
		t.Error(why)
	}
}

// TestHandMade: an entry without the flags that install always writes is changed
// by force alone, and then keeps what it says besides.
func TestHandMade(t *testing.T) {
	t.Parallel()
	const text = `{"mcpServers":{"say-ur-intent":{"command":"/opt/say-ur-intent","args":[],"cwd":"/x"}}}`
	w := wish()
	got, err := client(t, "cursor").Install([]byte(text), w)
	if err != nil || !strings.Contains(got.Refused, "made by hand") {
		t.Fatal(err, got.Refused)
	}
	w.Force = true
	got, err = client(t, "cursor").Install([]byte(text), w)
	if err != nil || got.Refused != "" || !strings.Contains(string(got.After), `"cwd":"/x"`) {
		t.Error(err, got.Refused, string(got.After))
	}
}
