package install

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/tailscale/hujson"
)

// hidden replaces text that a diff must not show. Configuration files contain keys of other
// servers, and diffs are pasted into issues and chats.
const hidden = `"…"`

// longLine is the length of a line above which a file is reformatted for display.
const longLine = 400

// splice is a replacement of text[from:to].
type splice struct {
	from, to int
	with     string
}

// apply applies splices to a text. They must not overlap.
func apply(text []byte, list ...splice) []byte {
	slices.SortStableFunc(list, func(a, b splice) int { return a.from - b.from })
	var out bytes.Buffer
	at := 0
	for _, s := range list {
		out.Write(text[at:s.from])
		out.WriteString(s.with)
		at = s.to
	}
	out.Write(text[at:])
	return out.Bytes()
}

// Diff returns a change as a unified diff of the file. It hides all text except that of our entry,
// and all variables except the listed ones.
func (c Change) Diff(file string, variables []string) string {
	before, wasLaidOut := c.shown(c.Before, variables)
	after, isLaidOut := c.shown(c.After, variables)
	if wasLaidOut != isLaidOut {
		before, after = laidOut(before), laidOut(after)
	}
	out := string(diff.Diff(file, before, file+" (new)", after))
	if _, rest, ok := strings.Cut(out, "\n"); ok {
		out = rest // skips the line "diff …"
	}
	if c.Before == nil {
		out = strings.Replace(out, "--- "+file, "--- (no file)", 1)
	}
	if (wasLaidOut || isLaidOut) && out != "" {
		out = "(shown with line breaks; the file itself keeps its own)\n" + out
	}
	return out
}

// shown returns the contents of a file for display.
func (c Change) shown(raw []byte, variables []string) (text []byte, reformatted bool) {
	if len(raw) == 0 {
		return nil, false
	}
	file, err := c.Client.open(raw)
	if err != nil {
		return nil, false
	}
	return file.shown(c.Name, variables)
}

// shown hides all text except in the entry at a path. environ is the member of the entry that holds
// its variables.
func (d *document) shown(way []string, environ string, variables []string) (text []byte, reformatted bool) {
	own, _, _ := d.at(way...)
	h := hider{doc: d, own: own, environ: environ, variables: variables}
	h.value(d.top, false)
	h.extra(0, d.top.StartOffset)
	h.extra(d.top.EndOffset, len(d.text))
	text = bytes.ReplaceAll(apply(d.text, h.list...), []byte("\r\n"), []byte("\n"))
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(line) > longLine {
			return laidOut(text), true
		}
	}
	return text, false
}

func laidOut(text []byte) []byte {
	if len(text) == 0 {
		return text
	}
	text, err := hujson.Format(append(bytes.Clone(text), '\n'))
	if err != nil {
		return nil
	}
	return text
}

// hider collects the parts of a text that must be hidden.
type hider struct {
	doc       *document
	own       hujson.Value // the entry to show
	environ   string       // its member that contains the variables
	variables []string
	list      []splice
}

// value hides a value, unless shown is set, which means that it is part of our entry.
func (h *hider) value(v hujson.Value, shown bool) {
	shown = shown || h.own.EndOffset > 0 && v.StartOffset == h.own.StartOffset
	switch x := v.Value.(type) {
	case hujson.Literal:
		if x.Kind() == '"' && !shown {
			h.list = append(h.list, splice{v.StartOffset, v.EndOffset, hidden})
		}
	case *hujson.Array:
		at := v.StartOffset
		for _, e := range x.Elements {
			h.extra(at, e.StartOffset)
			h.value(e, shown)
			at = e.EndOffset
		}
		h.extra(at, v.EndOffset)
	case *hujson.Object:
		last := v.StartOffset
		if n := len(x.Members); n > 0 {
			h.extra(last, x.Members[0].Name.StartOffset)
			last = x.Members[n-1].Value.EndOffset
		}
		h.object(x, shown)
		h.extra(last, v.EndOffset)
	}
}

func (h *hider) object(o *hujson.Object, shown bool) {
	for i, m := range o.Members {
		if i > 0 {
			h.extra(o.Members[i-1].Value.EndOffset, m.Name.StartOffset)
		}
		h.extra(m.Name.EndOffset, m.Value.StartOffset)
		name, _ := m.Name.Value.(hujson.Literal)
		env, isObject := m.Value.Value.(*hujson.Object)
		if shown && isObject && (name.String() == h.environ || name.String() == headersMember) {
			h.environment(env)
			continue
		}
		h.value(m.Value, shown)
	}
}

// environment hides our entry's variables, except those that are known not to be secret.
func (h *hider) environment(o *hujson.Object) {
	for _, m := range o.Members {
		name, _ := m.Name.Value.(hujson.Literal)
		h.value(m.Value, slices.Contains(h.variables, name.String()))
	}
}

// extra hides comments, which may also contain keys.
func (h *hider) extra(from, to int) {
	text := h.doc.text
	for i := from; i < to; i++ {
		start := i
		switch rest := text[i:to]; {
		case bytes.HasPrefix(rest, []byte("//")):
			i += cmp.Or(max(bytes.IndexByte(rest, '\n'), 0), len(rest))
			h.list = append(h.list, splice{start, i, "// …"})
		case bytes.HasPrefix(rest, []byte("/*")):
			length := bytes.Index(rest, []byte("*/")) + 2
			lines := bytes.Count(rest[:length], []byte("\n"))
			h.list = append(h.list, splice{start, start + length, "/* …" + strings.Repeat("\n", lines) + " */"})
			i += length - 1
		}
	}
}
