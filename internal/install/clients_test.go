package install

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// TestSamples: the file of each client before, and after an install; an uninstall
// gives the bytes of before back.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, c := range Clients() {
		name := c.Name
		t.Run(name, func(t *testing.T) {
			before, err := os.ReadFile(filepath.Join("testdata", name+".before"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := client(t, name).Install(before, spec())
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
			if again, err := client(t, name).Install(got.After, spec()); err != nil || again.Changes() {
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

// TestNameLimit: a name that makes tool names too long for a client is refused.
func TestNameLimit(t *testing.T) {
	t.Parallel()
	cursor := client(t, "cursor")
	if why := cursor.Refuses("say-ur-intent", 47); why != "" {
		t.Error(why)
	}
	if why := cursor.Refuses("say-ur-intent", 48); !strings.Contains(why, "60 letters") || !strings.Contains(why,
		"--name may have 12") {
		t.Error(why)
	}
	if why := client(t, "copilot").Refuses("say-ur-intent-too", 47); !strings.Contains(why, "63 letters") ||
		!strings.Contains(why, "--name may have 16") {
		t.Error(why)
	}
	if why := client(t, "vscode").Refuses(strings.Repeat("n", 32), 60); why != "" {
		t.Error(why)
	}
}

// TestHandMade: an entry without the flags that install always writes is changed only with force,
// and keeps its other values.
func TestHandMade(t *testing.T) {
	t.Parallel()
	const text = `{"mcpServers":{"say-ur-intent":{"command":"/opt/say-ur-intent","args":[],"cwd":"/x"}}}`
	w := spec()
	got, err := client(t, "cursor").Install([]byte(text), w)
	if err != nil || !strings.Contains(got.Refused, "written by hand") {
		t.Fatal(err, got.Refused)
	}
	w.Force = true
	got, err = client(t, "cursor").Install([]byte(text), w)
	if err != nil || got.Refused != "" || !strings.Contains(string(got.After), `"cwd":"/x"`) {
		t.Error(err, got.Refused, string(got.After))
	}
}

// TestEveryClient checks the file of each client, from a missing one to a broken one.
func TestEveryClient(t *testing.T) {
	t.Parallel()
	for _, c := range Clients() {
		t.Run(c.Name, func(t *testing.T) {
			fresh, err := c.Install(nil, spec())
			if err != nil || fresh.Refused != "" || !fresh.Changes() {
				t.Fatal(err, fresh.Refused)
			}
			t.Run("a second install changes nothing, and an uninstall leaves no entry", func(t *testing.T) {
				if again, err := c.Install(fresh.After, spec()); err != nil || again.Changes() {
					t.Errorf("%v\n%s", err, again.After)
				}
				out, err := c.Uninstall(fresh.After, "say-ur-intent", false)
				if err != nil || out.Refused != "" || strings.Contains(string(out.After), "say-ur-intent") {
					t.Fatal(err, out.Refused, string(out.After))
				}
				if none, err := c.Uninstall(out.After, "say-ur-intent", false); err != nil || none.Changes() {
					t.Errorf("%v\n%s", err, none.After)
				}
			})
			flags := regexp.MustCompile(`,?\s*"--(network|tool-names)",\s*"[a-z]+"`)
			for what, text := range map[string]string{
				"written by hand":                 flags.ReplaceAllString(string(fresh.After), ""),
				"its command is not this program": strings.Replace(string(fresh.After), "/opt/say-ur-intent", "/usr/bin/other", 1),
			} {
				t.Run("an entry that is refused: "+what, func(t *testing.T) {
					refused, err := c.Install([]byte(text), spec())
					if err != nil || !strings.Contains(refused.Refused, what) || !strings.Contains(refused.Refused, "--force") {
						t.Fatalf("%v, %q in\n%s", err, refused.Refused, text)
					}
					w := spec()
					w.Force = true
					forced, err := c.Install([]byte(text), w)
					if err != nil || forced.Refused != "" {
						t.Fatal(err, forced.Refused)
					}
					if diff := cmp.Diff(fresh.Entry, forced.Entry, cmpopts.EquateEmpty()); diff != "" {
						t.Error(diff)
					}
					if again, err := c.Install(forced.After, spec()); err != nil || again.Changes() {
						t.Errorf("%v\n%s", err, again.After)
					}
				})
			}
			t.Run("a broken file is refused with its place", func(t *testing.T) {
				for _, text := range []string{string(fresh.After) + "]", strings.TrimRight(string(fresh.After),
					" \n}]0123456789")} {
					for _, force := range []bool{false, true} {
						w := spec()
						w.Force = force
						got, err := c.Install([]byte(text), w)
						if !fault.Is(err, fault.InputInvalid) || !strings.Contains(err.Error(), "line ") || got.Changes() {
							t.Errorf("%v for\n%s", err, text)
						}
					}
				}
			})
			t.Run("an update keeps what the person added", func(t *testing.T) {
				w := spec()
				w.Command, w.Network, w.Env = "/new/say-ur-intent", "sandbox", map[string]string{"SUI_GRPC_URL": "https://n",
					"A": "1"}
				moved, err := c.Install(fresh.After, w)
				if err != nil || moved.Refused != "" || moved.Entry.Command != w.Command ||
					moved.Entry.Env["SUI_GRPC_URL"] != "https://n" {
					t.Fatalf("%v %q %+v", err, moved.Refused, moved.Entry)
				}
				w.Env = map[string]string{"SUI_GRPC_URL": "https://m", "B": "2"}
				more, err := c.Install(moved.After, w)
				want := map[string]string{"SUI_GRPC_URL": "https://m", "A": "1", "B": "2"}
				if diff := cmp.Diff(want, more.Entry.Env); err != nil || more.Refused != "" || diff != "" {
					t.Errorf("%v %q %s", err, more.Refused, diff)
				}
				if shown := more.Diff("f", []string{"SUI_GRPC_URL"}); !strings.Contains(shown, "https://m") ||
					strings.Contains(shown, `"2"`) {
					t.Errorf("the difference:\n%s", shown)
				}
			})
		})
	}
}
