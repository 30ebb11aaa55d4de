package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	suiKey  = "suiprivkey1qzwant3kaegmjy4qxex93s0jzvemekkjmyv3r2sjwgnv2y479pgsywhveae"
	hexKey  = "5f1c0b7d8d6e33aa0c6a9c9df0b1b76ac0a91f5a8e7d6c5b4a39281706f5e4d3"
	pemBody = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"
)

// TestSecretsMatchNothing: no search finds any part of a withheld line, and no range of a file
// shows what the whole file withholds.
func TestSecretsMatchNothing(t *testing.T) {
	phrase := strings.Repeat("abandon\n", 11) + "about\n"
	p, _ := project(t, map[string]string{
		"a.txt": "first\nkey = " + suiKey + "\nPRIVATE_KEY=0x" + hexKey + "\nlast\n",
		"b.txt": "first\n-----BEGIN OPENSSH PRIVATE KEY-----\n" + pemBody + "\n-----END OPENSSH PRIVATE KEY-----\nlast\n",
		"c.txt": "first:\n" + phrase + "\nlast\n"})
	for pattern, want := range map[string]int{"suiprivkey1": 0, "^key = suiprivkey1q": 0, "0x5f1": 0, "b3B": 0,
		"OPENSSH": 0, "abandon": 0,
		"about": 0, "withheld": 0, "^.*$": 7, "first": 3} {
		found, err := p.Grep(t.Context(), Search{Pattern: pattern, Regex: true, Limit: 200})
		if err != nil || len(found.Matches) != want {
			t.Errorf("%q: %+v %v", pattern, found, err)
		}
		if found.Withheld != 0 && want == 0 {
			t.Errorf("%q: %d lines are withheld of a search that found nothing", pattern, found.Withheld)
		}
	}
	for _, r := range []ReadRequest{{Path: "b.txt", Start: 3, End: 3}, {Path: "c.txt", Start: 5, End: 6}, {Path: "a.txt",
		Line: 3}} {
		got, err := p.ReadFile(r)
		if err != nil || got.Lines[min(1, len(got.Lines)-1)] != Withheld || len(got.Notes) != 1 {
			t.Errorf("%+v: %+v %v", r, got, err)
		}
	}
}

// TestEditsKeepSecretsHidden: a change matches no withheld line, shows none in its diff or
// its errors, and leaves none uncovered.
func TestEditsKeepSecretsHidden(t *testing.T) {
	file := "list:\n- " + hexKey + "\nend\n-----BEGIN EC PRIVATE KEY-----\n" + pemBody +
		"\n-----END EC PRIVATE KEY-----\nother\n"
	p, _ := project(t, map[string]string{"a.txt": file})
	change := func(search, replace string) (*Edit, error) {
		return p.Prepare(ChangeRequest{Path: "a.txt", Search: search, Replace: replace})
	}
	for _, search := range []string{hexKey[:8], "- " + hexKey, pemBody[:20], "-----BEGIN EC", "BEGIN EC PRIVATE KEY-----x",
		pemBody + "x"} {
		var none *NoneError
		if _, err := change(search, "x"); !errors.As(err, &none) || strings.Contains(err.Error(), hexKey[:8]) ||
			strings.Contains(err.Error(), pemBody[:8]) {
			t.Errorf("%q: %v", search, err)
		}
	}
	for _, search := range []string{"list:\n", "\nend"} { // the key would share its line with letters
		if _, err := change(search, strings.ReplaceAll(search, "\n", "")); search == "\nend" && !errors.Is(err, ErrSecret) {
			t.Errorf("%q: %v", search, err)
		}
	}
	e, err := change("end\n", "end of it\n")
	if err != nil || strings.Contains(e.Diff, hexKey[:8]) || strings.Contains(e.Diff, pemBody[:8]) ||
		!strings.Contains(e.Diff, "\n "+Withheld) {
		t.Fatalf("%+v %v", e, err)
	}
	if string(e.After) != strings.Replace(file, "end\n", "end of it\n", 1) {
		t.Errorf("%q", e.After)
	}
}

// TestUnseenCharacters: invisible characters are shown as numbers.
func TestUnseenCharacters(t *testing.T) {
	p, _ := project(t, map[string]string{"a.move": "a\tb\x1b[2Jc\u202ed\u200be\r\nf\u0085g\nпривет 财布 🦊\n"})
	want := []string{"a\tb⟦U+001B⟧[2Jc⟦U+202E⟧d⟦U+200B⟧e", "f⟦U+0085⟧g", "привет 财布 🦊"}
	got, err := p.ReadFile(ReadRequest{Path: "a.move"})
	if err != nil || strings.Join(got.Lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("%+v %v", got, err)
	}
	found, err := p.Grep(t.Context(), Search{Pattern: "^f\u0085g", Regex: true, Context: 1})
	if err != nil || len(found.Matches) != 1 || found.Matches[0].Text != want[1] || found.Matches[0].Before[0] != want[0] {
		t.Errorf("%+v %v", found, err)
	}
	e, err := p.Prepare(ChangeRequest{Path: "a.move", Search: "привет", Replace: "привет,"})
	if err != nil || strings.ContainsAny(e.Diff, "\x1b\u202e\u0085") || !strings.Contains(e.Diff, want[1]) {
		t.Errorf("%+v %v", e, err)
	}
}

// lateContext ends after it was asked so many times.
type lateContext struct {
	context.Context
	asked, ends int
}

func (c *lateContext) Err() error {
	if c.asked++; c.asked > c.ends {
		return context.Canceled
	}
	return nil
}

// TestSearchIsBounded: a search looks within a file whether it has ended, and does not try
// a large expression on a long line.
func TestSearchIsBounded(t *testing.T) {
	p, _ := project(t, map[string]string{"many.txt": strings.Repeat("line\n", 10*checkLines), "long.txt": "short\n" +
		strings.Repeat("y", 1<<20) + "\nshort\n"})
	w, err := newWalk(t.Context(), Search{Pattern: "^nothing$", Regex: true})
	if err != nil {
		t.Fatal(err)
	}
	late := &lateContext{Context: t.Context(), ends: 3}
	w.ctx = late
	data, err := p.ReadAll("many.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.file("many.txt", data); !errors.Is(err, context.Canceled) || late.asked > late.ends+3 {
		t.Errorf("%v after %d looks", err, late.asked)
	}
	large := "(x{100}|short|y{1,1000}z)"
	found, err := p.Grep(t.Context(), Search{Pattern: large, Regex: true, Path: "long.txt"})
	if err != nil || len(found.Matches) != 2 || !found.Truncated {
		t.Errorf("%+v %v", found, err)
	}
	found, err = p.Grep(t.Context(), Search{Pattern: "yyyy", Path: "long.txt"})
	if err != nil || len(found.Matches) != 1 || found.Truncated {
		t.Errorf("%+v %v", found, err)
	}
	over, end := context.WithCancelCause(t.Context())
	end(errEnough)
	w.ctx = over
	if err := w.file("many.txt", data); !errors.Is(err, errEnough) || !w.found.Truncated {
		t.Errorf("%v %+v", err, w.found)
	}
}

// TestSavesAreKept: saves between the comparison and the replacement of a file are kept, however
// many there are.
func TestSavesAreKept(t *testing.T) {
	if err := probeExchange(t.TempDir()); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("names cannot be exchanged here")
	}
	for name, c := range map[string]struct {
		e      Edit
		undoes bool
	}{
		"a change":          {Edit{Path: "a.move", Before: []byte("old"), After: []byte("new")}, false},
		"a creation undone": {Edit{Path: "a.move", Before: nil, After: []byte("old"), Created: true}, true},
	} {
		for _, save := range []func(path string) error{
			func(path string) error { return os.WriteFile(path, []byte("saved"), 0o644) },
			func(path string) error {
				return errors.Join(os.WriteFile(path+".tmp", []byte("saved"), 0o644), os.Rename(path+".tmp", path))
			},
			again(),
			nil,
		} {
			t.Run(fmt.Sprintf("%s, saved %t", name, save != nil), func(t *testing.T) {
				p, dir := project(t, map[string]string{"a.move": "old"})
				path := filepath.Join(dir, "a.move")
				saved := ""
				compared = func(string) {
					if save != nil {
						if err := save(path); err != nil {
							t.Fatal(err)
						}
						data, err := os.ReadFile(path)
						if err != nil {
							t.Fatal(err)
						}
						if strings.HasPrefix(string(data), "saved") {
							saved = max(saved, string(data))
						}
					}
				}
				defer func() { compared = func(string) {} }()
				w, err := p.stageOf(c.e, c.undoes)
				if err != nil {
					t.Fatal(err)
				}
				err = w.commit()
				w.close()
				data, failed := os.ReadFile(path)
				switch {
				case save != nil && (!errors.Is(err, ErrBase) || string(data) != saved):
					t.Errorf("%q %v", data, err)
				case save == nil && (err != nil || c.undoes != errors.Is(failed, os.ErrNotExist)):
					t.Errorf("%q %v %v", data, err, failed)
				}
				rest, err := filepath.Glob(filepath.Join(dir, ".say*"))
				if err != nil || len(rest) > 0 {
					t.Errorf("left over: %v %v", rest, err)
				}
			})
		}
	}
}

// again saves a file twice, with another text the second time.
func again() func(path string) error {
	texts := []string{"saved", "saved again"}
	return func(path string) error {
		if len(texts) == 0 {
			return nil
		}
		text := texts[0]
		texts = texts[1:]
		return os.WriteFile(path, []byte(text), 0o644)
	}
}

// TestSavedEarlier: a file that was saved before it is compared does not change places at all.
func TestSavedEarlier(t *testing.T) {
	p, dir := project(t, map[string]string{"a.move": "old"})
	w, err := p.stage(&Edit{Path: "a.move", Before: []byte("old"), After: []byte("new")})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if err := os.WriteFile(filepath.Join(dir, "a.move"), []byte("saved"), 0o644); err != nil {
		t.Fatal(err)
	}
	compared = func(string) { t.Error("it is replaced") }
	defer func() { compared = func(string) {} }()
	if err := w.commit(); !errors.Is(err, ErrBase) {
		t.Error(err)
	}
}

func (p *Project) stageOf(e Edit, undoes bool) (*pendingWrite, error) {
	if undoes {
		return p.stageUndo(Change{Path: e.Path, Created: true, After: e.After})
	}
	return p.stage(&e)
}

func probeExchange(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range []string{"a", "b"} {
		if err := root.WriteFile(name, nil, 0o600); err != nil {
			return err
		}
	}
	return exchange(root, "a", "b")
}

// TestExecutedNames: files that other programs execute, in any mode.
func TestExecutedNames(t *testing.T) {
	for _, name := range []string{".husky/pre-commit", ".vscode/tasks.json", ".github/workflows/ci.yml",
		".claude/settings.json",
		".mcp.json", "a/.MCP.json", `.vscode\tasks.json`, "Makefile", "package.json", "scripts/build.sh", "run.BAT",
		"CLAUDE.md"} {
		if !Executed(name) {
			t.Errorf("%s is not", name)
		}
	}
	for _, name := range []string{"sources/vault.move", "Move.toml", "README.md", "vscode/tasks.json", "package.json.md",
		"src/index.ts"} {
		if Executed(name) {
			t.Errorf("%s is", name)
		}
	}
	for _, name := range []string{".git/hooks/pre-commit", ".envrc"} {
		if !Denied(name) {
			t.Errorf("%s is not denied", name)
		}
	}
}
