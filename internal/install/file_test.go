package install

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func written(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
	return name
}

func readFile(t *testing.T, name string) File {
	t.Helper()
	f, err := ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// names lists a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWrite(t *testing.T) {
	t.Parallel()
	t.Run("bytes, mode and a copy of the old ones", func(t *testing.T) {
		name := written(t, filepath.Join(t.TempDir(), "mcp.json"), "old", 0o640)
		copies := filepath.Join(t.TempDir(), "data", "copies")
		backup, err := readFile(t, name).Write([]byte("new"), copies, noon)
		if err != nil {
			t.Fatal(err)
		}
		if content(t, name) != "new" || content(t, backup) != "old" {
			t.Errorf("file %q, copy %q", content(t, name), content(t, backup))
		}
		if ok, _ := regexp.MatchString(`^mcp\.json\.[0-9a-f]{8}\.20260301T120000\.000Z\.bak$`, filepath.Base(backup)); !ok ||
			filepath.Dir(backup) != copies {
			t.Errorf("the copy is %s", backup)
		}
		for n, want := range map[string]os.FileMode{name: 0o640, backup: 0o600, copies: 0o700} {
			if info, err := os.Stat(n); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s has mode %v, %v", n, info.Mode(), err)
			}
		}
		if list := names(t, filepath.Dir(name)); len(list) != 1 {
			t.Errorf("left behind: %v", list)
		}
	})
	t.Run("a new file is the owner's alone, in a new directory too", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "a", "b", "mcp.json")
		backup, err := readFile(t, name).Write([]byte("new"), t.TempDir(), noon)
		if err != nil || backup != "" || content(t, name) != "new" {
			t.Fatal(backup, err)
		}
		for n, want := range map[string]os.FileMode{name: 0o600, filepath.Dir(name): 0o700} {
			if info, err := os.Stat(n); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s has mode %v, %v", n, info.Mode(), err)
			}
		}
	})
	t.Run("a link stays a link", func(t *testing.T) {
		dir, home := t.TempDir(), t.TempDir()
		really := written(t, filepath.Join(dir, "dotfile.json"), "old", 0o600)
		name := filepath.Join(home, "mcp.json")
		if err := os.Symlink(really, name); err != nil {
			t.Fatal(err)
		}
		backup, err := readFile(t, name).Write([]byte("new"), t.TempDir(), noon)
		if err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(name); err != nil || to != really {
			t.Errorf("the link became %q, %v", to, err)
		}
		if content(t, really) != "new" || content(t, backup) != "old" {
			t.Errorf("%q, copy at %s", content(t, really), backup)
		}
	})
	t.Run("the newest five copies are kept", func(t *testing.T) {
		name := written(t, filepath.Join(t.TempDir(), "mcp.json"), "0", 0o600)
		copies := t.TempDir()
		foreign := written(t, filepath.Join(copies, "mcp.json.bak"), "mine", 0o600)
		other := written(t, filepath.Join(t.TempDir(), "mcp.json"), "0", 0o600)
		if _, err := readFile(t, other).Write([]byte("1"), copies, noon); err != nil {
			t.Fatal(err)
		}
		var last string
		for i := range 8 {
			var err error
			if last, err = readFile(t, name).Write([]byte{byte('1' + i)}, copies,
				noon.Add(time.Duration(i/2)*time.Second)); err != nil {
				t.Fatal(err)
			}
		}
		if list := names(t, copies); len(list) != 2+keptBackups {
			t.Errorf("kept: %v", list)
		}
		if content(t, last) != "7" || content(t, foreign) != "mine" {
			t.Errorf("%q %q", content(t, last), content(t, foreign))
		}
	})
}

func TestWriteRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		spoil      func(t *testing.T, name string)
	}{
		{"changed meanwhile", "Another program changed", func(t *testing.T, name string) {
			written(t, name, "theirs",
				0o600)
		}},
		{"gone meanwhile", "Another program changed", func(t *testing.T, name string) {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}},
		{"a link meanwhile", "Another program changed", func(t *testing.T, name string) {
			other := written(t, filepath.Join(t.TempDir(), "x"), "old", 0o600)
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(other, name); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := written(t, filepath.Join(t.TempDir(), "mcp.json"), "old", 0o600)
			f := readFile(t, name)
			c.spoil(t, name)
			before := strings.Join(names(t, filepath.Dir(name)), " ")
			_, err := f.Write([]byte("new"), t.TempDir(), noon)
			if !fault.Is(err, fault.Blocked) || !strings.Contains(err.Error(), c.want) {
				t.Fatal(err)
			}
			if after := strings.Join(names(t, filepath.Dir(name)), " "); after != before {
				t.Errorf("left behind: %s", after)
			}
		})
	}
	t.Run("appeared meanwhile", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "mcp.json")
		f := readFile(t, name)
		written(t, name, "theirs", 0o600)
		if _, err := f.Write([]byte("new"), t.TempDir(), noon); !fault.Is(err, fault.Blocked) ||
			content(t, name) != "theirs" {
			t.Fatal(err)
		}
	})
	t.Run("write-protected", func(t *testing.T) {
		name := written(t, filepath.Join(t.TempDir(), "mcp.json"), "old", 0o400)
		_, err := readFile(t, name).Write([]byte("new"), t.TempDir(), noon)
		if !fault.Is(err, fault.Blocked) || !strings.Contains(err.Error(), "write-protected") || content(t, name) != "old" {
			t.Fatal(err)
		}
	})
}

func TestReadFileRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink(filepath.Join(dir, "nothing"), dangling); err != nil {
		t.Fatal(err)
	}
	big := written(t, filepath.Join(dir, "big"), "", 0o600)
	if err := os.Truncate(big, maxFile+1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		dangling: "a link to a missing file", dir: "not a regular file", big: "larger than 64 MiB",
	} {
		if _, err := ReadFile(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if f, err := ReadFile(filepath.Join(dir, "nothing")); err != nil || f.Raw != nil {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, os, client string
		env              map[string]string // ~ is the home directory
		signs            []string
		want             []string
		here             bool
	}{
		{"mac", "darwin", "claude-desktop", nil, nil,
			[]string{"~/Library/Application Support/Claude/claude_desktop_config.json"}, false},
		{"mac", "darwin", "vscode", nil, []string{"~/Library/Application Support/Code/User"},
			[]string{"~/Library/Application Support/Code/User/mcp.json"}, true},
		{"linux", "linux", "claude-desktop", nil, []string{"~/.config/Claude"},
			[]string{"~/.config/Claude/claude_desktop_config.json"}, true},
		{"linux with its own configuration directory", "linux", "vscode", map[string]string{"XDG_CONFIG_HOME": "~/c"}, nil,
			[]string{"~/c/Code/User/mcp.json"}, false},
		{"both editions", "linux", "vscode", nil, []string{"~/.config/Code/User", "~/.config/Code - Insiders/User"},
			[]string{"~/.config/Code/User/mcp.json", "~/.config/Code - Insiders/User/mcp.json"}, true},
		{"one edition", "linux", "vscode", nil, []string{"~/.config/Code - Insiders/User"},
			[]string{"~/.config/Code - Insiders/User/mcp.json"}, true},
		{"windows", "windows", "claude-desktop", map[string]string{"APPDATA": "~/AppData/Roaming"}, nil,
			[]string{"~/AppData/Roaming/Claude/claude_desktop_config.json"}, false},
		{"windows, the packaged application", "windows", "claude-desktop", nil,
			[]string{"~/AppData/Local/Packages/Claude_pzs8sxrjxfjjc"},
			[]string{"~/AppData/Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude/claude_desktop_config.json"},
			true},
		{"windows", "windows", "vscode", nil, nil, []string{"~/AppData/Roaming/Code/User/mcp.json"}, false},
		{"everywhere", "windows", "cursor", nil, []string{"~/.cursor"}, []string{"~/.cursor/mcp.json"}, true},
		{"everywhere", "darwin", "claude-code", nil, []string{"~/.claude"}, []string{"~/.claude.json"}, true},
		{"its own directory", "linux", "claude-code", map[string]string{"CLAUDE_CONFIG_DIR": "~/work"}, nil,
			[]string{"~/work/.claude.json"}, false},
	} {
		t.Run(c.os+" "+c.client+" "+c.name, func(t *testing.T) {
			home := t.TempDir()
			full := func(p string) string { return filepath.FromSlash(strings.Replace(p, "~", home, 1)) }
			for _, s := range c.signs {
				if err := os.MkdirAll(full(s), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			got := client(t, c.client).Places(Env{OS: c.os, Home: home, Getenv: func(n string) string { return full(c.env[n]) }})
			if len(got) != len(c.want) {
				t.Fatalf("got %v", got)
			}
			for i, p := range got {
				if p.File != full(c.want[i]) || p.Here != c.here {
					t.Errorf("got %+v, want %s", p, full(c.want[i]))
				}
			}
		})
	}
	for name, want := range map[string]string{"claude-code": "/p/.mcp.json", "cursor": "/p/.cursor/mcp.json",
		"vscode": "/p/.vscode/mcp.json"} {
		if got, ok := client(t, name).ProjectFile("/p"); !ok || got != filepath.FromSlash(want) {
			t.Errorf("%s keeps a project's in %s", name, got)
		}
	}
	if _, ok := client(t, "claude-desktop").ProjectFile("/p"); ok {
		t.Error("Claude Desktop has no projects")
	}
}
