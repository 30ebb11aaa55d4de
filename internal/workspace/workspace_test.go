package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// project makes a folder with files, and opens it.
func project(t testing.TB, files map[string]string) (p *Project, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	p, err := Open("acme", dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p, dir
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPathsThatAreRefused is the corpus of paths that must never be opened because of their form,
// whatever exists there.
func TestPathsThatAreRefused(t *testing.T) {
	p, dir := project(t, map[string]string{"in.move": "module a::m;", "sub/in.move": "x"})
	write(t, filepath.Join(filepath.Dir(dir), "outside.txt"), "outside")
	for _, path := range []string{
		"..", "../outside.txt", "sub/../../outside.txt", "sub/..", "./../outside.txt", `..\outside.txt`,
		`sub\..\..\outside.txt`,
		dir, filepath.Join(dir, "in.move"), "/etc/passwd", "//host/share/file", `\\host\share\file`, `\\?\C:\file`, `C:\file`,
		"C:file",
		"c:/file", "~/file", "~root/file", "sub//in.move", "sub/./in.move", "in.move/.", "in.move.", "in.move ",
		"in.move::$DATA",
		"in.move\x00", "in.move\n", "sub\x00/in.move", "con", "CON", "nul.move", "sub/AUX", "com1", "COM9.txt", "lpt\u00b9",
		"PRN .move",
		"conin$", "in\u200c.move", "in\u202e.move", "IN~1.MOV", "git~1/config", "in.mov?", "in*", "|in", "<in", "\xff.move",
		strings.Repeat("a", 256), strings.Repeat("a/", 600) + "a",
	} {
		if data, err := p.ReadAll(path); !errors.Is(err, ErrPath) {
			t.Errorf("%q: %q, %v; want ErrPath", path, data, err)
		}
		if _, err := p.Grep(t.Context(), Search{Pattern: "o", Path: path}); err == nil && !strings.ContainsAny(path, "*?") {
			t.Errorf("%q: searched", path)
		}
	}
	for _, path := range []string{"", ".", "sub", "sub/"} {
		if _, err := p.ReadAll(path); !errors.Is(err, ErrNotFile) {
			t.Errorf("%q: %v, want ErrNotFile", path, err)
		}
	}
	for _, path := range []string{"none.move", "in.move/x", "none/in.move", strings.Repeat("a", 255)} {
		if _, err := p.ReadAll(path); !errors.Is(err, ErrNotExist) {
			t.Errorf("%q: %v, want ErrNotExist", path, err)
		}
	}
	for _, path := range []string{"in.move", "./in.move", "sub/in.move", `sub\in.move`} {
		if _, err := p.ReadAll(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestFilesThatAreDenied(t *testing.T) {
	files := map[string]string{"open.move": "needle"}
	names := []string{".git/config", ".GIT/config", ".Git/HEAD", "sub/.git", ".hg/x", ".svn/x", ".env", ".ENV",
		".env.local", "prod.env",
		"sui.keystore", "Sui.Keystore", "a.keystore", ".sui/sui_config/client.yaml", "client.yaml", "id_rsa", "id_ed25519",
		"server.pem", "server.KEY", "cert.crt", "a.p12", ".ssh/config", ".npmrc", ".netrc", "\uff0egit/config",
		".g\u0131t2/../.git",
		"\u212aeystore",
		// endings of copies
		"sui.keystore.bak", "sui.keystore~", "sui.keystore.old", "sui.keystore.orig", "sui.keystore.save",
		".sui.keystore.swp",
		"sui.keystore.1", "sui.keystore-x", "sui.keystore (1)", "#sui.keystore#", ".#sui.keystore", "sui.keystore.json",
		"id_ed25519.bak",
		"id_ed25519.pub", "id_ecdsa_sk", "id_rsa-old", "server.pem.2", "server.key.example", "client.yaml.bak",
		"client.yaml-2", "wallet.pem~",
		// dot-env
		".envrc", ".env~", ".env-prod", ".env_local", ".environment", "prod.env.bak", "local.env~", ".env.ts", "dotenv",
		".dev.vars", ".direnv",
		// key stores and key pairs
		"validator.keypair", "validator-keypair.json", "keypair.json", "my_keypair", "keystore.json", "a-keystore.bin",
		"wallet.dat", "id.json",
		"mnemonic.txt", "seed-phrase.txt", "recovery_phrase.md.bak", "private-key.txt", "private_key.hex", "secret_key.json",
		"secrets.yaml",
		"secrets/prod.json", "network.key", "a.p8", "a.kdb",
		// credentials of other programs
		"credentials.json", ".aws/credentials.bak", "gcp-credentials.json", "service-account.json",
		"application_default_credentials.json",
		".pgpass", ".my.cnf", ".htpasswd", ".vault-token", "terraform.tfvars", "terraform.tfstate.backup", ".dockercfg",
		"kubeconfig.yaml",
		".npmrc.bak", ".netrc.old", ".git-credentials~", ".yarnrc.yml", ".bash_history"}
	for _, name := range names {
		if _, err := split(name); err == nil && !Denied(name) {
			t.Errorf("%q is neither refused nor denied", name)
		}
	}
	for _, name := range []string{".env", ".hg/x", "server.pem", "sub/.git", "id_rsa"} {
		files[name] = "needle"
	}
	p, _ := project(t, files)
	for name := range files {
		_, err := p.ReadAll(name)
		if name != "open.move" && !errors.Is(err, ErrDenied) {
			t.Errorf("%s: %v, want ErrDenied", name, err)
		}
	}
	found, err := p.Grep(t.Context(), Search{Pattern: "needle"})
	if err != nil || len(found.Matches) != 1 || found.Matches[0].Path != "open.move" {
		t.Errorf("%+v %v", found, err)
	}
	for _, name := range []string{"git.move", "sources/env.move", "keys.move", "environment.md", ".gitignore", "Move.lock",
		"sources/keystore.move", "sources/credentials.move", "sources/keypair.ts", "docs/private-key.md", "secret.rs",
		"Published.toml", "token.json",
		".github", ".mcp.json", "tests/seed.move", "keyboard.json"} {
		if Denied(name) {
			t.Errorf("%s is denied", name)
		}
	}
}

func link(t *testing.T, old, name string) {
	t.Helper()
	if err := os.Symlink(old, name); err != nil {
		t.Skip("this system makes no links:", err)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	p, dir := project(t, map[string]string{"sub/in.move": "needle", ".env": "needle"})
	outside := t.TempDir()
	write(t, filepath.Join(outside, "other.txt"), "needle")
	link(t, filepath.Join(outside, "other.txt"), filepath.Join(dir, "file"))
	link(t, outside, filepath.Join(dir, "folder"))
	link(t, ".env", filepath.Join(dir, "settings"))
	link(t, "sub", filepath.Join(dir, "same"))
	link(t, "loop", filepath.Join(dir, "loop"))
	for _, path := range []string{"file", "folder/other.txt", "settings", "same/in.move", "loop"} {
		if data, err := p.ReadAll(path); !errors.Is(err, ErrLink) {
			t.Errorf("%s: %q, %v; want ErrLink", path, data, err)
		}
	}
	found, err := p.Grep(t.Context(), Search{Pattern: "needle"})
	if err != nil || len(found.Matches) != 1 || found.Matches[0].Path != "sub/in.move" {
		t.Errorf("%+v %v", found, err)
	}
}

// While a file and its folder are swapped for links, no call ever returns anything outside the
// project or denied.
func TestLinksSwappedDuringTheCall(t *testing.T) {
	p, dir := project(t, map[string]string{"sub/in.move": "inside", "spare/in.move": "inside", ".env": "denied"})
	outside := t.TempDir()
	write(t, filepath.Join(outside, "in.move"), "outside")
	link(t, outside, filepath.Join(dir, "link"))
	link(t, filepath.Join(dir, ".env"), filepath.Join(dir, "settings"))
	stop, done := make(chan struct{}), sync.WaitGroup{}
	swap := func(a, b string) {
		a, b = filepath.Join(dir, a), filepath.Join(dir, b)
		aside := a + ".aside"
		for {
			select {
			case <-stop:
				return
			default:
				os.Rename(a, aside)
				os.Rename(b, a)
				os.Rename(aside, b)
			}
		}
	}
	done.Go(func() { swap("sub", "link") })
	done.Go(func() { swap("spare/in.move", "settings") })
	for range 2000 {
		for _, path := range []string{"sub/in.move", "spare/in.move"} {
			if data, err := p.ReadAll(path); err == nil && string(data) != "inside" {
				t.Errorf("%s: %q", path, data)
			}
		}
		if found, err := p.Grep(t.Context(), Search{Pattern: "outside|denied", Regex: true}); err == nil &&
			len(found.Matches) > 0 {
			t.Errorf("%+v", found.Matches)
		}
	}
	close(stop)
	done.Wait()
}

// A link that replaces a file or folder between the look and the opening is noticed, although it
// stays inside the project.
func TestLinksPutThereBetweenLookAndOpening(t *testing.T) {
	for _, swapped := range []string{"sub/in.move", "sub", "top.move"} {
		p, dir := project(t, map[string]string{"sub/in.move": "inside", "top.move": "inside", ".env": "denied",
			".git/in.move": "denied"})
		looked = func(name string) {
			if name != filepath.Base(swapped) {
				return
			}
			at := filepath.Join(dir, swapped)
			if err := os.Rename(at, filepath.Join(dir, "aside")); err == nil {
				link(t, map[string]string{"in.move": "../.env", "sub": ".git", "top.move": ".env"}[name], at)
			}
		}
		asked := "sub/in.move"
		if swapped == "top.move" {
			asked = swapped
		}
		data, err := p.ReadAll(asked)
		looked = func(string) {}
		if err == nil {
			t.Errorf("%s: %q, %v", swapped, data, err)
		}
	}
}

func TestFilesThatAreNoTexts(t *testing.T) {
	p, dir := project(t, map[string]string{"zero": "a\x00b needle", "large": strings.Repeat("needle\n", MaxFile/7+1)})
	if _, err := p.ReadFile(ReadRequest{Path: "zero"}); !errors.Is(err, ErrBinary) {
		t.Error(err)
	}
	if _, err := p.ReadFile(ReadRequest{Path: "large"}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if runtime.GOOS == "linux" {
		link(t, "/dev/zero", filepath.Join(dir, "endless"))
		if _, err := p.ReadAll("endless"); !errors.Is(err, ErrLink) {
			t.Error(err)
		}
	}
	if found, err := p.Grep(t.Context(), Search{Pattern: "needle"}); err != nil || len(found.Matches) != 0 {
		t.Errorf("%+v %v", found, err)
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\r\n", i+1)
	}
	return b.String()
}

func TestReadFile(t *testing.T) {
	p, _ := project(t, map[string]string{"a": "\xef\xbb\xbf" + numbered(50), "long": numbered(1000), "empty": "",
		"wide": strings.Repeat("x", 20000) + "\n" + strings.Repeat("y", 20000) + "\nz", "huge": strings.Repeat("é", 30000),
		"latin": "caf\xe9\n", "open": "no end"})
	for _, c := range []struct {
		name                    string
		r                       ReadRequest
		start, end, total, next int
		notes                   int
	}{
		{"R001-32 whole", ReadRequest{Path: "a"}, 1, 50, 50, 0, 0},
		{"R001-36 start alone", ReadRequest{Path: "a", Start: 45}, 45, 50, 50, 0, 0},
		{"R001-37 end alone", ReadRequest{Path: "a", End: 3}, 1, 3, 50, 0, 0},
		{"Q001-6 range before line", ReadRequest{Path: "a", Start: 2, End: 3, Line: 40}, 2, 3, 50, 0, 0},
		{"Q001-6 clamped", ReadRequest{Path: "a", Start: 49, End: 60}, 49, 50, 50, 0, 1},
		{"Q001-6 behind the end", ReadRequest{Path: "a", Start: 70, End: 80}, 50, 50, 50, 0, 1},
		{"R001-38 line", ReadRequest{Path: "a", Line: 30, Context: 2}, 28, 32, 50, 0, 0},
		{"R001-39 context 20 is the default", ReadRequest{Path: "a", Line: 25, Context: -1}, 5, 45, 50, 0, 0},
		{"line near the end", ReadRequest{Path: "a", Line: 50, Context: 3}, 47, 50, 50, 0, 0},
		{"400 lines and where to go on", ReadRequest{Path: "long"}, 1, 400, 1000, 401, 0},
		{"from there", ReadRequest{Path: "long", Start: 401}, 401, 800, 1000, 801, 0},
		{"32 KiB", ReadRequest{Path: "wide"}, 1, 1, 3, 2, 0},
		{"a line larger than an answer", ReadRequest{Path: "huge"}, 1, 1, 1, 0, 1},
		{"empty", ReadRequest{Path: "empty"}, 0, 0, 0, 0, 0},
		{"not UTF-8", ReadRequest{Path: "latin"}, 1, 1, 1, 0, 1},
		{"no end of the last line", ReadRequest{Path: "open"}, 1, 1, 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := p.ReadFile(c.r)
			if err != nil {
				t.Fatal(err)
			}
			if got.Start != c.start || got.End != c.end || got.Total != c.total || got.Next != c.next ||
				len(got.Notes) != c.notes {
				t.Errorf("%d to %d of %d, next %d, %q", got.Start, got.End, got.Total, got.Next, got.Notes)
			}
			if c.r.Path == "a" && got.Lines[0] != fmt.Sprintf("line %d", c.start) {
				t.Errorf("%q", got.Lines[0])
			}
			if want := c.end - c.start + 1; c.total > 0 && len(got.Lines) != want {
				t.Errorf("%d lines, want %d", len(got.Lines), want)
			}
		})
	}
	for _, c := range []struct {
		r    ReadRequest
		want error
	}{{ReadRequest{Path: "a", Start: 3, End: 2}, ErrRange}, {ReadRequest{Path: "a", Start: -1}, ErrNegative},
		{ReadRequest{Path: "none"}, ErrNotExist}} {
		if _, err := p.ReadFile(c.r); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c.r, err)
		}
	}
}

func TestGrep(t *testing.T) {
	files := map[string]string{"Move.toml": "[package]\n# todo\n", "sources/a.move": "one\r\nTODO a.b\r\nthree\r\n",
		"sources/sub/b.move": "todo a+b\n",
		"fold.txt":           "\u212aelvin\u017f",
		"build/a.move":       "todo", ".cache/x": "todo", "many.txt": strings.Repeat("todo\n", 30),
		"wide.txt": "wide " + strings.Repeat("é", 500)}
	p, _ := project(t, files)
	for _, c := range []struct {
		name, want string
		s          Search
	}{
		{"R001-27 literal is the default", "[sources/a.move:2]", Search{Pattern: "A.B"}},
		{"R001-27 regex", "[sources/a.move:2 sources/sub/b.move:1]", Search{Pattern: "a.b", Regex: true}},
		{"R001-28 case", "[sources/a.move:2]", Search{Pattern: "TODO", CaseSensitive: true}},
		{"R001-26 a file", "[sources/a.move:2]", Search{Pattern: "todo", Path: "sources/a.move"}},
		{"R001-26 a directory", "[sources/a.move:2 sources/sub/b.move:1]", Search{Pattern: "todo", Path: "sources"}},
		{"R001-26 a pattern", "[sources/a.move:2 sources/sub/b.move:1]", Search{Pattern: "todo", Path: "**/*.move"}},
		{"R001-26 a pattern of one level", "[sources/a.move:2]", Search{Pattern: "todo", Path: "sources/*.{move,toml}"}},
		{"R001-31 an ending", "[Move.toml:2]", Search{Pattern: "todo", FileType: "toml"}},
		{"R001-30 limit", "[Move.toml:2 many.txt:1] cut", Search{Pattern: "todo", Limit: 2}},
		{"R001-30 only limit bounds one file",
			"[Move.toml:2 many.txt:1 many.txt:2 many.txt:3 many.txt:4 many.txt:5 many.txt:6 many.txt:7 " +
				"many.txt:8 many.txt:9 many.txt:10 many.txt:11 many.txt:12] cut", Search{Pattern: "todo", Limit: 13}},
		{"an anchor", "[sources/a.move:2]", Search{Pattern: "^todo a.b$", Regex: true, Path: "sources/a.move"}},
		{"a character that folds to an ASCII letter", "[fold.txt:1]", Search{Pattern: "kelvins"}},
		{"nothing", "[]", Search{Pattern: "nothing"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := p.Grep(t.Context(), c.s)
			if err != nil {
				t.Fatal(err)
			}
			var list []string
			for _, m := range got.Matches {
				list = append(list, fmt.Sprintf("%s:%d", m.Path, m.Line))
			}
			text := fmt.Sprint(list)
			if got.Truncated {
				text += " cut"
			}
			if text != c.want {
				t.Errorf("%s, want %s", text, c.want)
			}
		})
	}
	t.Run("R001-30 20 is the default", func(t *testing.T) {
		if got, err := p.Grep(t.Context(), Search{Pattern: "todo", Path: "many.txt"}); err != nil || len(got.Matches) != 20 ||
			!got.Truncated {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("R001-29 context", func(t *testing.T) {
		got, err := p.Grep(t.Context(), Search{Pattern: "TODO A", Context: 1, Path: "sources/a.move"})
		if err != nil || fmt.Sprint(got.Matches[0].Before, got.Matches[0].After) != "[one] [three]" {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("long lines are cut", func(t *testing.T) {
		got, err := p.Grep(t.Context(), Search{Pattern: "wide "})
		if err != nil || len([]rune(got.Matches[0].Text)) != MaxLine+1 {
			t.Errorf("%+v %v", got, err)
		}
	})
}

func TestGrepErrors(t *testing.T) {
	p, _ := project(t, map[string]string{"a": "x"})
	for _, c := range []struct {
		s    Search
		want error
	}{
		{Search{}, ErrPattern}, {Search{Pattern: "(", Regex: true}, ErrPattern}, {Search{Pattern: `(a)\1`, Regex: true},
			ErrPattern},
		{Search{Pattern: strings.Repeat("a", MaxPattern+1)}, ErrPattern}, {Search{Pattern: "a", Limit: 201}, ErrLimit},
		{Search{Pattern: "a", Limit: -1}, ErrLimit}, {Search{Pattern: "a", Context: -1}, ErrLimit},
		{Search{Pattern: "a", Path: "../*"}, ErrPath}, {Search{Pattern: "a", Path: "/*"}, ErrPath},
		{Search{Pattern: "a", Path: "[a"}, ErrPath},
		{Search{Pattern: "a", Path: "none"}, ErrNotExist},
	} {
		if _, err := p.Grep(t.Context(), c.s); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.s, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Grep(ctx, Search{Pattern: "x"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSecretsAreWithheld(t *testing.T) {
	phrase := strings.TrimSpace(strings.Repeat("abandon ", 11)) + " about"
	text := "module a::m;\n// " + phrase + "\nfun f() {}\n"
	p, _ := project(t, map[string]string{"a.move": text, "b.move": strings.ReplaceAll(phrase, " ", "\n")})
	got, err := p.ReadFile(ReadRequest{Path: "a.move"})
	if err != nil || got.Lines[1] != Withheld || got.Lines[2] != "fun f() {}" || len(got.Notes) != 1 {
		t.Errorf("%+v %v", got, err)
	}
	found, err := p.Grep(t.Context(), Search{Pattern: "module", Context: 1, Path: "a.move"})
	if err != nil || found.Matches[0].After[0] != Withheld || found.Withheld != 1 {
		t.Errorf("%+v %v", found, err)
	}
	if got, err = p.ReadFile(ReadRequest{Path: "b.move"}); err != nil || strings.Contains(strings.Join(got.Lines, " "),
		"abandon") {
		t.Errorf("%+v %v", got, err)
	}
}

func BenchmarkGrep5000Files(b *testing.B) {
	files := map[string]string{}
	for i := range 5000 {
		files[fmt.Sprintf("sources/d%d/f%d.move", i%50, i)] = numbered(100)
	}
	p, _ := project(b, files)
	for b.Loop() {
		if _, err := p.Grep(b.Context(), Search{Pattern: "needle"}); err != nil {
			b.Fatal(err)
		}
	}
}
