package install

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
)

const codexFile = `# mine
model = "m" # sk-note
[mcp_servers.say-ur-intent] # ours
# sk-why
command = "/old/say-ur-intent" # where it lies
args = [
  "--network", "sandbox", # for now
  "--tool-names", "underscore",
]
tool_timeout_sec = 90
enabled_tools = ["read_get_server_status"]

[mcp_servers.say-ur-intent.env]
SUI_GRPC_URL = "https://n"
TOKEN = "sk-mine"

# the other
[mcp_servers.other]
command = 'x'
env = { KEY = "sk-other" }
`

// TestTOMLUpdate: values of our own table change in their places; every other byte
// stays.
func TestTOMLUpdate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		spec     func(*EntrySpec)
		from, to string
	}{
		{"the command moves", func(*EntrySpec) {}, `"/old/say-ur-intent"`, `"/opt/say-ur-intent"`},
		{"another network", func(w *EntrySpec) { w.Command, w.Network = "/old/say-ur-intent", "mainnet" },
			"[\n  \"--network\", \"sandbox\", # for now\n  \"--tool-names\", \"underscore\",\n]",
			`["--network", "mainnet", "--tool-names", "underscore"]`},
		{"a variable that is there", func(w *EntrySpec) {
			w.Command, w.Env = "/old/say-ur-intent", map[string]string{"SUI_GRPC_URL": "https://m"}
		}, `"https://n"`, `"https://m"`},
		{"a variable that is not", func(w *EntrySpec) {
			w.Command, w.Env = "/old/say-ur-intent", map[string]string{"A": "1"}
		}, "[mcp_servers.say-ur-intent.env]\n", "[mcp_servers.say-ur-intent.env]\nA = \"1\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, eol := range []string{"\n", "\r\n"} {
				w := spec()
				c.spec(&w)
				before := strings.ReplaceAll(codexFile, "\n", eol)
				got, err := client(t, "codex").Install([]byte(before), w)
				if err != nil || got.Refused != "" {
					t.Fatal(err, got.Refused)
				}
				want := strings.ReplaceAll(strings.Replace(codexFile, c.from, c.to, 1), "\n", eol)
				if diff := cmp.Diff(want, string(got.After)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	t.Run("taken out, with its tables, and the comments of others stay", func(t *testing.T) {
		got, err := client(t, "codex").Uninstall([]byte(codexFile), "say-ur-intent", false)
		if err != nil || got.Refused != "" {
			t.Fatal(err, got.Refused)
		}
		want := codexFile[:strings.Index(codexFile, "[mcp_servers.say")] + codexFile[strings.Index(codexFile,
			"\n# the other"):]
		if diff := cmp.Diff(want, string(got.After)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("the difference shows no text of others", func(t *testing.T) {
		got, err := client(t, "codex").Install([]byte(codexFile), spec())
		if err != nil {
			t.Fatal(err)
		}
		shown := got.Diff("config.toml", []string{"SUI_GRPC_URL"})
		for _, want := range []string{"/old/say-ur-intent", "/opt/say-ur-intent",
			`["--network", "sandbox", "--tool-names", "underscore"]`} {
			if !strings.Contains(shown, want) {
				t.Errorf("%q is not in\n%s", want, shown)
			}
		}
		if strings.Contains(shown, "sk-") || strings.Contains(shown, "for now") {
			t.Errorf("a secret is shown:\n%s", shown)
		}
		gone, err := client(t, "codex").Uninstall([]byte(codexFile), "say-ur-intent", false)
		if err != nil {
			t.Fatal(err)
		}
		if shown := gone.Diff("config.toml", []string{"SUI_GRPC_URL"}); strings.Contains(shown, "sk-") ||
			!strings.Contains(shown, "https://n") {
			t.Errorf("a secret is shown, or what is none is not:\n%s", shown)
		}
	})
}

// TestTOMLRoundTrip: an uninstall restores the bytes from before the install.
func TestTOMLRoundTrip(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\n", "x = 1", "x = 1\n", "x = 1\n\n", "# only a note", "\ufeffx = 1\r\n[a]\r\nb = 2\r\n", "[mcp_servers]\n",
		"[[a]]\nb = 1\n\n[[a]]\nb = 2\n# end\n", "a = \"\"\"\n[mcp_servers.say-ur-intent]\n# no\"\"\"\n",
		"d = 1979-05-27T07:32:00Z\nf = nan\n",
		"[mcp_servers . \"other\"] # x\ncommand = 'y'",
	} {
		w := spec()
		w.Env = map[string]string{"SUI_GRPC_URL": "https://n"}
		there, err := client(t, "codex").Install([]byte(text), w)
		if err != nil || there.Refused != "" || !strings.HasPrefix(string(there.After), text) {
			t.Errorf("%q: %v %s\n%s", text, err, there.Refused, there.After)
			continue
		}
		back, err := client(t, "codex").Uninstall(there.After, "say-ur-intent", false)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(text, string(back.After)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestTOMLElsewhere: an entry without its own table is not changed, even with force, because its
// bytes also belong to others.
func TestTOMLElsewhere(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"mcp_servers = { say-ur-intent = { command = \"/old/say-ur-intent\", args = [] } }\n",
		"mcp_servers = { other = { command = \"x\" } }\n",
		"[mcp_servers]\nsay-ur-intent = { command = \"/old/say-ur-intent\", args = [] }\n",
		"mcp_servers.say-ur-intent.command = \"/old/say-ur-intent\"\n",
		"[mcp_servers.say-ur-intent]\n",
	} {
		for _, force := range []bool{false, true} {
			w := spec()
			w.Force = force
			got, err := client(t, "codex").Install([]byte(text), w)
			if strings.HasPrefix(text, "[mcp_servers.say") {
				if err != nil || (got.Refused == "") != force {
					t.Errorf("%q: %v, %q", text, err, got.Refused)
				}
				continue
			}
			if !fault.Is(err, fault.Blocked) || !strings.Contains(err.Error(), "its own table [mcp_servers.say-ur-intent]") ||
				got.Changes() {
				t.Errorf("%q: %v", text, err)
			}
			if got, err := client(t, "codex").Uninstall([]byte(text), "say-ur-intent", force); got.Changes() || err == nil &&
				strings.Contains(text, "say-ur") {
				t.Errorf("%q: taken out: %v", text, err)
			}
		}
	}
	// An edit that extends beyond the entry is rejected, whatever caused it.
	c := client(t, "codex")
	file, err := openTOML(c, []byte("a = 1\n[mcp_servers.say-ur-intent]\ncommand = \"x\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.changed([]byte("a = 2\n"), "say-ur-intent"); !fault.Is(err, fault.Blocked) {
		t.Errorf("another value changed: %v", err)
	}
}

// TestTOMLUnreadable: an invalid file is refused with the position of the error but without its
// text.
func TestTOMLUnreadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a = 1\na = 2\n":                        "",
		"[t]\nx = \"sk-secret\n":                "line 2",
		"key = sk-secret\n":                     "line 1, column 7",
		"[mcp_servers.a]\n[mcp_servers.a]\n":    "",
		"\xff\xfe[\x00":                         "not UTF-8",
		"mcp_servers = 1\n":                     `"mcp_servers" is not a table`,
		"a = " + strings.Repeat("[", 1_000_000): "deeper than",
	} {
		got, err := client(t, "codex").Install([]byte(text), spec())
		if !fault.Is(err, fault.InputInvalid) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(),
			"secret") || got.Changes() {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// FuzzInstallTOML: for any file, an install changes no other value, a second install changes
// nothing, and an uninstall restores the values.
func FuzzInstallTOML(f *testing.F) {
	for _, seed := range []string{codexFile, "", "a=1", "[a]\nb.c = [1, # x\n2]\n",
		"[mcp_servers.\"say-ur-intent\"]\ncommand='say-ur-intent'\n",
		"[mcp_servers.say-ur-intent]\nenv.A = \"1\"\ncommand = \"say-ur-intent\"\n[mcp_servers.say-ur-intent.tools.x]\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := client(t, "codex")
		w := spec()
		w.Force, w.Env = true, map[string]string{"A": "2"}
		first, err := c.Install(raw, w)
		if err != nil || first.Refused != "" {
			return
		}
		second, err := c.Install(first.After, w)
		if err != nil || second.Changes() {
			t.Fatalf("a second install: %v\n%s\n%s", err, first.After, second.After)
		}
		back, err := c.Uninstall(first.After, w.Name, true)
		if err != nil || back.Refused != "" {
			t.Fatal(err, back.Refused)
		}
		was, err := openTOML(c, raw)
		if err != nil {
			t.Fatal(err)
		}
		is, err := openTOML(c, back.After)
		if err != nil || was.others(w.Name) != is.others(w.Name) {
			t.Fatalf("not as it was: %v\n%s\n%s", err, raw, back.After)
		}
		_ = first.Diff("f", nil)
	})
}
