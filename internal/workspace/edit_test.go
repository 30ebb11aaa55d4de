package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// edited prepares a change of a separate file and returns the result.
func edited(t testing.TB, content string, r ChangeRequest) (string, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.move"), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Open("p", dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r.Path = "a.move"
	e, err := p.Prepare(r)
	if err != nil {
		return "", err
	}
	if string(e.Before) != content {
		t.Errorf("before is %q", e.Before)
	}
	return string(e.After), nil
}

func TestReplace(t *testing.T) {
	for name, c := range map[string]struct{ file, search, replace, want string }{
		"R001-51 the one place":       {"a\nb\nc\n", "b", "B", "a\nB\nc\n"},
		"several lines":               {"a\nb\nc\n", "a\nb", "x", "x\nc\n"},
		"deleted":                     {"a\nb\nc\n", "b\n", "", "a\nc\n"},
		"CRLF stays":                  {"a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n"},
		"CRLF in the search text":     {"a\nb\nc\n", "a\r\nb", "x\r\ny", "x\ny\nc\n"},
		"mixed ends stay outside":     {"a\r\nb\r\nc\nd\r\n", "b", "B", "a\r\nB\r\nc\nd\r\n"},
		"byte order mark stays":       {"\ufeffa\nb\n", "a", "A", "\ufeffA\nb\n"},
		"last line keeps its end":     {"a\nb\n", "b\n", "B", "a\nB\n"},
		"last line keeps having none": {"a\nb", "b", "B\n", "a\nB"},
		"the last line deleted":       {"a\nb\n", "b\n", "", "a\n"},
		"other indentation": {"{\n    a();\n    b();\n}\n", "a();\nb();", "a();\nif (x) {\n  c();\n}",
			"{\n    a();\n    if (x) {\n      c();\n    }\n}\n"},
		"tabs where the search text has none": {"{\n\tif (x) {\n\t\ta();\n\t}\n}\n", "if (x) {\n    a();\n}",
			"if (x) {\n    b();\n    if (y) {\n        c();\n    }\n}",
			"{\n\tif (x) {\n\t\tb();\n\t\tif (y) {\n\t\t\tc();\n\t\t}\n\t}\n}\n"},
		"white space after lines": {"a();  \nb();\n", "a();\nb();", "c();", "c();\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := edited(t, c.file, ChangeRequest{Search: c.search, Replace: c.replace})
			if err != nil || got != c.want {
				t.Errorf("%q, want %q: %v", got, c.want, err)
			}
		})
	}
}

func TestReplaceRefusals(t *testing.T) {
	refusal := func(file, search, replace string) error {
		_, err := edited(t, file, ChangeRequest{Search: search, Replace: replace})
		return err
	}
	t.Run("R001-51 several places: their number and lines", func(t *testing.T) {
		var many *ManyError
		if err := refusal("x\ny\nx\n", "x", "z"); !errors.As(err, &many) || many.Count != 2 || many.Lines[0] != 1 ||
			many.Lines[1] != 3 {
			t.Error(err)
		}
		if err := refusal("aaa", "aa", "z"); !errors.As(err, &many) { // they overlap
			t.Error(err)
		}
		if err := refusal("  x();\n\tx();\n    y();\n", "    x();", "z"); !errors.As(err, &many) || many.Count != 2 {
			t.Error(err)
		}
	})
	t.Run("R001-51 no place: the closest line", func(t *testing.T) {
		var none *NoneError
		err := refusal("module a;\n\npublic fun rebalance(x: u64) {\n}\n", "public fun rebalanse(x: u64) {", "z")
		if !errors.As(err, &none) || none.Line != 3 {
			t.Error(err)
		}
		if err := refusal("abc\n", "()()()", "z"); !errors.As(err, &none) || none.Line != 0 {
			t.Error(err)
		}
	})
	t.Run("nothing changes", func(t *testing.T) {
		if err := refusal("a\n", "a", "a"); !errors.Is(err, ErrSame) {
			t.Error(err)
		}
	})
	t.Run("a secret is not written", func(t *testing.T) {
		words := "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
		if err := refusal("a\n", "a", words); !errors.Is(err, ErrSecret) {
			t.Error(err)
		}
	})
	t.Run("what is no text", func(t *testing.T) {
		if err := refusal("a\x00b", "a", "c"); !errors.Is(err, ErrBinary) {
			t.Error(err)
		}
		if err := refusal("ab", "a", "\x00"); !errors.Is(err, ErrBinary) {
			t.Error(err)
		}
	})
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "sources"), 0o755), os.WriteFile(filepath.Join(dir, "there"), nil,
		0o644)); err != nil {
		t.Fatal(err)
	}
	p, err := Open("p", dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for name, c := range map[string]struct {
		path string
		want error
	}{
		"R001-51 a file that exists is never overwritten": {"there", ErrExists},
		"no directory":       {"none/a.move", ErrNoParent},
		"outside":            {"../a.move", ErrPath},
		"denied":             {".env", ErrDenied},
		"a denied directory": {".git/hooks/post-commit", ErrDenied},
		"a device":           {"sources/NUL.move", ErrPath},
		"the folder itself":  {".", ErrNotFile},
		"a directory":        {"sources", ErrNotFile},
		"a long name":        {"sources/" + strings.Repeat("a", 256), ErrPath},
		"in a file":          {"there/a.move", ErrNoParent},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := p.Prepare(ChangeRequest{Path: c.path, Replace: "x"}); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
	t.Run("one that was made meanwhile is not overwritten", func(t *testing.T) {
		e, err := p.Prepare(ChangeRequest{Path: "sources/new.move", Replace: "mine\n"})
		if err != nil || !e.Created {
			t.Fatal(err)
		}
		w, err := p.stage(e)
		if err != nil {
			t.Fatal(err)
		}
		defer w.close()
		theirs := filepath.Join(dir, "sources", "new.move")
		if err := os.WriteFile(theirs, []byte("theirs\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := w.commit(); !errors.Is(err, ErrBase) {
			t.Error(err)
		}
		if data, err := os.ReadFile(theirs); err != nil || string(data) != "theirs\n" {
			t.Errorf("%q %v", data, err)
		}
	})
}

// FuzzReplace checks the invariants of every change: everything outside the replaced text is the
// same, byte for byte, and reverting restores the file.
func FuzzReplace(f *testing.F) {
	f.Add("a\r\nb\r\nc", "b", "x\ny")
	f.Add("\ufeff{\n\ta();\n}\n", "a();", "b();\nc();")
	f.Add("a\n\n\nb\n", "\n\n", "")
	f.Add("aaa", "aa", "b")
	f.Fuzz(func(t *testing.T, file, search, replace string) {
		if search == "" || len(file) > 4096 || len(search) > 1024 || len(replace) > 1024 {
			return
		}
		parsed := parseFile([]byte(file))
		place, err := parsed.find(unixLines(search))
		if err != nil {
			return
		}
		after := string(parsed.put(place, unixLines(replace)))
		from, to := parsed.original(place.from), parsed.original(place.to)
		if !strings.HasPrefix(after, file[:from]) || !strings.HasSuffix(after, file[to:]) {
			t.Fatalf("%q became %q; the place was %d to %d", file, after, from, to)
		}
		if strings.ReplaceAll(file[from:to], "\r\n", "\n") != parsed.text[place.from:place.to] {
			t.Fatalf("the place %q is not %q", file[from:to], parsed.text[place.from:place.to])
		}
	})
}
