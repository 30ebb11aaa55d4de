// Command prose runs Vale and counts the sentences that violate the project's rules of style, by
// rule and kind of text. It fails if a count is higher than the committed one.
//
//	go run ./internal/prose              # compare with test/vale/counts.txt
//	go run ./internal/prose -list What   # show where a rule is violated
//	go run ./internal/prose -write       # record lower counts
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	style  = "test/vale/vale.ini"
	module = "test/vale/go.mod"
	record = "test/vale/counts.txt"
)

// Kinds of text.
const (
	docs     = "docs"     // Markdown
	comments = "comments" // of Go code
	pages    = "pages"    // HTML templates
	literals = "strings"  // string literals of Go code, such as messages, help and tool descriptions
)

// hit is a violation of a rule.
type hit struct{ rule, kind, at, text string }

func main() {
	list := flag.String("list", "", "show where this rule is broken")
	write := flag.Bool("write", false, "write lower counts into "+record)
	flag.Parse()
	if err := run(os.Stdout, *list, *write); err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, list string, write bool) error {
	if _, err := exec.LookPath("cc"); err != nil {
		fmt.Fprintln(out, "skipped the style check: Vale needs a C compiler")
		return nil
	}
	hits, err := check(".")
	if err != nil {
		return err
	}
	for _, h := range hits {
		if h.rule == list {
			fmt.Fprintf(out, "%s: %s\n", h.at, h.text)
		}
	}
	if list != "" {
		return nil
	}
	text, err := os.ReadFile(record)
	if err != nil {
		return err
	}
	counts, before := count(hits), parse(string(text))
	if worse := higher(counts, before); len(worse) > 0 {
		return fmt.Errorf("more sentences break the style than %s allows. Rewrite them as test/vale/styles asks (go "+
			"run ./internal/prose -list RULE shows where):\n%s", record, strings.Join(worse, "\n"))
	}
	if write {
		return os.WriteFile(record, []byte(format(counts)), 0o644)
	}
	return nil
}

// check runs Vale over the texts below root.
func check(root string) ([]hit, error) {
	files, err := sources(root)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "prose")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	quoted, places, err := stringsOf(root, files)
	if err != nil {
		return nil, err
	}
	dump := filepath.Join(dir, "strings.txt")
	if err := os.WriteFile(dump, quoted, 0o600); err != nil {
		return nil, err
	}
	answer, err := vale(root, append(files, dump)...)
	if err != nil {
		return nil, err
	}
	return read(answer, dump, places)
}

// vale runs Vale in the directory root.
func vale(root string, files ...string) ([]byte, error) {
	c := exec.Command("go", append([]string{"tool", "-modfile=" + module, "vale", "--config=" + style, "--output=JSON",
		"--no-exit"}, files...)...)
	var complaint bytes.Buffer
	c.Dir, c.Stderr = root, &complaint
	answer, err := c.Output()
	if err != nil {
		err = fmt.Errorf("vale: %w\n%s%s", err, answer, &complaint)
	}
	return answer, err
}

// read parses Vale's output. places maps lines of the file of strings to positions in the source.
func read(answer []byte, dump string, places map[int]string) (hits []hit, err error) {
	var found map[string][]struct {
		Check, Match string
		Line         int
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, fmt.Errorf("vale did not return JSON: %w", err)
	}
	for _, file := range slices.Sorted(maps.Keys(found)) {
		for _, a := range found[file] {
			h := hit{rule: strings.TrimPrefix(a.Check, "Plain."), at: fmt.Sprintf("%s:%d", file, a.Line), text: a.Match}
			switch filepath.Ext(file) {
			case ".md":
				h.kind = docs
			case ".html":
				h.kind = pages
			case ".go":
				h.kind = comments
			}
			if file == dump {
				h.kind, h.at = literals, places[a.Line]
			}
			if h.kind == "" || h.at == "" {
				return nil, errors.New("vale answers about " + file + ", which nobody asked for")
			}
			hits = append(hits, h)
		}
	}
	return hits, nil
}
