package install

import (
	"slices"
	"strings"
	"testing"
)

const there = `{
  "mcpServers": {
    "other": {"command": "x", "env": {"TOKEN": "sk-secret"}, "args": ["--key=sk-arg"]}, /* sk-
    block */ // token of "other": sk-comment
    "say-ur-intent": {
      "type": "stdio",
      "command": "/old/say-ur-intent",
      "args": ["--network", "sandbox", "--tool-names=dotted"], // mine
      "disabled": false,
      "env": {
        "MY_TOKEN": "sk-mine",
        "SAY_UR_INTENT_DATA_DIR": "/data"
      }
    }
  },
  "apiKey": "sk-top"
}
`

func TestAnEntryOfOursIsUpdatedInPlace(t *testing.T) {
	t.Parallel()
	c := client(t, "cursor")
	for _, step := range []struct {
		name     string
		spec     func(*EntrySpec)
		from, to string // of the whole file
	}{
		{"the command moves, all else is kept", func(*EntrySpec) {}, `"/old/say-ur-intent"`, `"/opt/say-ur-intent"`},
		{"another network, in its place", func(w *EntrySpec) { w.Command, w.Network = "/old/say-ur-intent", "mainnet" },
			`["--network", "sandbox", "--tool-names=dotted"]`,
			"[\n        \"--network\",\n        \"mainnet\",\n        \"--tool-names=dotted\"\n      ]"},
		{"a variable beside the others", func(w *EntrySpec) {
			w.Command, w.Env = "/old/say-ur-intent", map[string]string{"SUI_GRPC_URL": "https://n"}
		}, `"/data"`, "\"/data\",\n        \"SUI_GRPC_URL\": \"https://n\""},
		{"a variable that is there", func(w *EntrySpec) {
			w.Command, w.Env = "/old/say-ur-intent", map[string]string{"SAY_UR_INTENT_DATA_DIR": "/e"}
		}, `"/data"`, `"/e"`},
	} {
		t.Run(step.name, func(t *testing.T) {
			w := spec()
			step.spec(&w)
			got, err := c.Install([]byte(there), w)
			if err != nil || got.Refused != "" {
				t.Fatal(err, got.Refused)
			}
			want := strings.Replace(there, step.from, step.to, 1)
			if string(got.After) != want {
				t.Errorf("got\n%s\nwant\n%s", got.After, want)
			}
		})
	}
}

func TestWhatInstallDidNotWriteIsReplacedOnlyByForce(t *testing.T) {
	t.Parallel()
	for name, entry := range map[string]string{
		"another program":      `{"command": "/usr/bin/npx", "args": ["say-ur-intent"]}`,
		"a wrapper":            `{"command": "env", "args": ["/opt/say-ur-intent"]}`,
		"a server elsewhere":   `{"type": "http", "url": "https://host/mcp"}`,
		"a subcommand":         `{"command": "/opt/say-ur-intent", "args": ["pages"]}`,
		"another kind":         `{"type": "sse", "command": "/opt/say-ur-intent", "args": []}`,
		"arguments of a shell": `{"command": "/opt/say-ur-intent", "args": "--network mainnet"}`,
		"no object":            `"off"`,
		"a number in env":      `{"command": "/opt/say-ur-intent", "args": [], "env": {"A": 1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			raw := []byte(`{"mcpServers": {"say-ur-intent": ` + entry + `, "z": {}}}`)
			c := client(t, "cursor")
			got, err := c.Install(raw, spec())
			if err != nil || got.Refused == "" || !strings.Contains(got.Refused, "--force") {
				t.Fatalf("%q, %v", got.Refused, err)
			}
			if got.Diff("f", nil) == "" {
				t.Error("the difference is not shown")
			}
			w := spec()
			w.Force = true
			forced, err := c.Install(raw, w)
			if err != nil || forced.Refused != "" || !slices.Equal(forced.Entry.Args, []string{"--network", "mainnet",
				"--tool-names", "underscore"}) {
				t.Fatalf("%+v, %v", forced.Entry, err)
			}
			if again, err := c.Install(forced.After, spec()); err != nil || again.Refused != "" || again.Changes() {
				t.Errorf("after force: %q, %v\n%s", again.Refused, err, again.After)
			}
		})
	}
	t.Run("uninstall", func(t *testing.T) {
		raw := []byte(`{"mcpServers": {"say-ur-intent": {"command": "npx"}}}`)
		got, err := client(t, "cursor").Uninstall(raw, "say-ur-intent", false)
		if err != nil || got.Refused == "" {
			t.Fatal("removed", err)
		}
		forced, err := client(t, "cursor").Uninstall(raw, "say-ur-intent", true)
		if err != nil || forced.Refused != "" || string(forced.After) != `{"mcpServers": {}}` {
			t.Fatalf("%s, %v", forced.After, err)
		}
	})
}

func TestFlagsOfTheServer(t *testing.T) {
	t.Parallel()
	w := spec()
	w.Flags = []string{"--toolsets", "core"}
	w.Accepts = func([]string) error { return nil }
	c := client(t, "vscode")
	first, err := c.Install(nil, w)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--network", "mainnet", "--tool-names", "underscore", "--toolsets", "core"}
	if !slices.Equal(first.Entry.Args, want) {
		t.Errorf("got %q", first.Entry.Args)
	}
	w.Flags, w.Network = nil, "sandbox"
	again, err := c.Install(first.After, w)
	want[1] = "sandbox"
	if err != nil || !slices.Equal(again.Entry.Args, want) {
		t.Errorf("further flags are kept: %q, %v", again.Entry.Args, err)
	}
}

func TestDiffShowsNothingOfOthers(t *testing.T) {
	t.Parallel()
	w := spec()
	w.Network = "mainnet"
	for _, text := range []string{there, strings.ReplaceAll(strings.Replace(strings.ReplaceAll(there, "// mine", ""),
		`/* sk-
    block */ // token of "other": sk-comment`, "", 1), "\n", " ") + strings.Repeat(" ", 10)} {
		got, err := client(t, "cursor").Install([]byte(text), w)
		if err != nil {
			t.Fatal(err)
		}
		shown := got.Diff("mcp.json", []string{"SAY_UR_INTENT_DATA_DIR"})
		if strings.Contains(shown, "sk-") {
			t.Errorf("a secret is shown:\n%s", shown)
		}
		for _, want := range []string{"--- mcp.json\n", "+++ mcp.json (new)\n", "@@ ", `/old/say-ur-intent`,
			`/opt/say-ur-intent`, `"mainnet"`} {
			if !strings.Contains(shown, want) {
				t.Errorf("%q is not in\n%s", want, shown)
			}
		}
	}
	fresh, err := client(t, "cursor").Install(nil, spec())
	if err != nil || !strings.HasPrefix(fresh.Diff("f", nil), "--- (no file)\n+++ f") {
		t.Errorf("%v\n%s", err, fresh.Diff("f", nil))
	}
}

func TestOthersOfOurs(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"servers": {"sui": {"command": "C:\\x\\Say-Ur-Intent.exe"}, "b": {"command": "sh"}}}`)
	got, err := client(t, "vscode").Install(raw, spec())
	if err != nil || !slices.Equal(got.Others, []string{"sui"}) {
		t.Errorf("%v, %v", got.Others, err)
	}
	list, err := client(t, "vscode").Entries(raw, "b")
	if err != nil || len(list) != 2 || list[1].Odd == "" || !list[0].Ours() {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestEntriesOfSingleProjectsAreReported(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"projects": {"/p\u001b[31m": {"mcpServers": {"x": {"command": "/a/say-ur-intent"}}},
		"/q": {"mcpServers": {"y": {"command": "npx"}}}, "/r": {}, "/s": 1}}`)
	got, err := client(t, "claude-code").Install(raw, spec())
	if err != nil || len(got.Scoped) != 1 || got.Scoped[0].Project != `"/p\x1b[31m"` || got.Scoped[0].Name != "x" {
		t.Errorf("%+v, %v", got.Scoped, err)
	}
	if got, err = client(t, "cursor").Install(raw, spec()); err != nil || len(got.Scoped) != 0 {
		t.Errorf("%+v, %v", got.Scoped, err)
	}
}

// A renamed binary recognizes its own entries.
func TestRenamedProgram(t *testing.T) {
	t.Parallel()
	w := spec()
	w.Command = "/opt/wallet-helper"
	raw := []byte(`{"mcpServers": {"z": {}}}`)
	c := client(t, "cursor").OfProgram(w.Command)
	first, err := c.Install(raw, w)
	if err != nil || first.Refused != "" || !first.Changes() {
		t.Fatal(err, first.Refused)
	}
	again, err := c.Install(first.After, w)
	if err != nil || again.Refused != "" || again.Changes() {
		t.Errorf("a second install: %v, %q\n%s", err, again.Refused, again.After)
	}
	out, err := c.Uninstall(first.After, w.Name, false)
	if err != nil || out.Refused != "" || string(out.After) != string(raw) {
		t.Errorf("taken out again: %v, %q\n%s", err, out.Refused, out.After)
	}
	if other, err := client(t, "cursor").OfProgram("/opt/another").Uninstall(first.After, w.Name, false); err != nil ||
		other.Refused == "" {
		t.Errorf("another program takes it out: %v", err)
	}
}

// An entry uses this machine's program or another's, and install does not silently change one into
// the other.
func TestConnect(t *testing.T) {
	t.Parallel()
	c := client(t, "cursor")
	here, away := spec(), spec()
	here.Accepts = func([]string) error { return nil }
	away.Accepts = here.Accepts
	away.Connect = []string{"connect", "--nats", "nats://host:4222", "--profile", "home"}
	for name, w := range map[string]EntrySpec{"to another machine": away, "to this one": here} {
		t.Run(name, func(t *testing.T) {
			got, err := c.Install(nil, w)
			if err != nil || got.Refused != "" || got.Entry.Connects() != (w.Connect != nil) {
				t.Fatalf("%+v %v", got, err)
			}
			if w.Connect != nil && !slices.Equal(got.Entry.Args, w.Connect) {
				t.Errorf("%v", got.Entry.Args)
			}
			if again, err := c.Install(got.After, w); err != nil || again.Refused != "" || again.Changes() {
				t.Errorf("once more: %q %v", again.Refused, err)
			}
			other := away
			if w.Connect != nil {
				other = here
			}
			turned, err := c.Install(got.After, other)
			if err != nil || !strings.Contains(turned.Refused, "machine") || !strings.Contains(turned.Refused, "--force") {
				t.Errorf("turned: %q %v", turned.Refused, err)
			}
			other.Force = true
			forced, err := c.Install(got.After, other)
			if err != nil || forced.Refused != "" || forced.Entry.Connects() == got.Entry.Connects() {
				t.Errorf("forced: %+v %v", forced.Entry, err)
			}
		})
	}
}
