package install

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"

	"github.com/tailscale/hujson"
)

// splice replaces text[from:to].
type splice struct {
	from, to int
	with     string
}

// apply gives the text with the splices made; they do not overlap.
func apply(text []byte, list ...splice) []byte {
	sort.SliceStable(list, func(i, j int) bool { return list[i].from < list[j].from })
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

// eol is how the file ends its lines.
func (d *document) eol() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unit is one step of the file's indentation, two spaces where nothing shows it.
func (d *document) unit() string {
	if len(d.root.Members) > 0 {
		first := d.root.Members[0].Name.StartOffset
		outer, inner := d.indent(d.top.StartOffset), d.indent(first)
		if d.broken(d.top.StartOffset, first) && len(inner) > len(outer) && strings.HasPrefix(inner, outer) {
			return inner[len(outer):]
		}
	}
	return "  "
}

// indent is the white space at the beginning of the line of an offset.
func (d *document) indent(at int) string {
	start := bytes.LastIndexByte(d.text[:at], '\n') + 1
	end := start
	for end < at && (d.text[end] == ' ' || d.text[end] == '\t') {
		end++
	}
	return string(d.text[start:end])
}

// broken reports whether a line ends in text[from:to].
func (d *document) broken(from, to int) bool { return bytes.IndexByte(d.text[from:to], '\n') >= 0 }

// oneLine reports whether the whole file is written without line breaks.
func (d *document) oneLine() bool {
	return len(d.root.Members) > 0 && !d.broken(d.top.StartOffset, d.top.EndOffset)
}

// comma finds the comma of text[from:to] that is in no comment, -1 when none.
func (d *document) comma(from, to int) int {
	found := -1
	scan(d.text, from, to, func(i int) bool {
		if d.text[i] == ',' {
			found = i
		}
		return found < 0
	})
	return found
}

// render lays out compact JSON. In a broken layout its lines begin with indent.
func (d *document) render(value, indent string, compact bool) (string, error) {
	if compact {
		return value, nil
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(value), indent, d.unit()); err != nil {
		return "", err
	}
	return strings.ReplaceAll(out.String(), "\n", d.eol()), nil
}

// insert adds a member at the end of an object, in the layout of its
// neighbours, and gives the new text.
func (d *document) insert(at hujson.Value, o *hujson.Object, name, value string) ([]byte, error) {
	end := at.EndOffset - 1 // of the closing brace
	if len(o.Members) == 0 {
		return d.insertFirst(at, name, value)
	}
	first, last := o.Members[0], o.Members[len(o.Members)-1]
	multi := d.broken(at.StartOffset, first.Name.StartOffset)
	indent := d.indent(first.Name.StartOffset)
	text, err := d.render(value, indent, !multi)
	if err != nil {
		return nil, err
	}
	comma := d.comma(last.Value.EndOffset, end)
	if !multi {
		between, colon := ", ", ": "
		if d.oneLine() && !bytes.ContainsAny(d.text[first.Name.EndOffset:first.Value.StartOffset], " \t") {
			between, colon = ",", ":"
		}
		add := jsonText(name) + colon + text
		if comma >= 0 {
			return apply(d.text, splice{comma + 1, comma + 1, " " + add + ","}), nil
		}
		return apply(d.text, splice{last.Value.EndOffset, last.Value.EndOffset, between + add}), nil
	}
	add := d.eol() + indent + jsonText(name) + ": " + text
	where := d.contentEnd(last.Value.EndOffset, end)
	if comma >= 0 {
		return apply(d.text, splice{where, where, add + ","}), nil
	}
	return apply(d.text, splice{last.Value.EndOffset, last.Value.EndOffset, ","}, splice{where, where, add}), nil
}

// insertFirst adds a member to an object that has none.
func (d *document) insertFirst(at hujson.Value, name, value string) ([]byte, error) {
	end := at.EndOffset - 1
	where := d.contentEnd(at.StartOffset+1, end)
	if d.oneLine() && where == at.StartOffset+1 {
		text, err := d.render(value, "", true)
		return apply(d.text, splice{where, where, jsonText(name) + ":" + text}), err
	}
	outer := d.indent(at.StartOffset)
	text, err := d.render(value, outer+d.unit(), false)
	add := d.eol() + outer + d.unit() + jsonText(name) + ": " + text + d.eol() + outer
	return apply(d.text, splice{where, end, add}), err
}

// contentEnd is the end of the last byte of text[from:to] that is no white space.
func (d *document) contentEnd(from, to int) int {
	for to > from && strings.IndexByte(" \t\r\n", d.text[to-1]) >= 0 {
		to--
	}
	return to
}

// replace writes another value in the place of a member's value.
func (d *document) replace(m hujson.ObjectMember, value string) ([]byte, error) {
	indent := d.indent(m.Name.StartOffset)
	text, err := d.render(value, indent, d.oneLine())
	return apply(d.text, splice{m.Value.StartOffset, m.Value.EndOffset, text}), err
}

// remove takes a member out of an object with its comma and its line. Comments
// around it stay.
func (d *document) remove(at hujson.Value, o *hujson.Object, i int) []byte {
	m := o.Members[i]
	end, before := at.EndOffset-1, at.StartOffset+1
	if i > 0 {
		before = o.Members[i-1].Value.EndOffset
	}
	after := end
	if i+1 < len(o.Members) {
		after = o.Members[i+1].Name.StartOffset
	}
	from, to := d.contentEnd(before, m.Name.StartOffset), m.Value.EndOffset
	if len(o.Members) == 1 && from == before && d.contentEnd(to, end) == to {
		return apply(d.text, splice{before, end, ""}) // nothing but white space is left: {}
	}
	rest := to
	list := []splice{}
	if own := d.comma(to, after); own >= 0 {
		list = append(list, splice{own, own + 1, ""})
		rest = own + 1
	} else if prior := d.comma(before, from); i > 0 && prior >= 0 {
		list = append(list, splice{prior, prior + 1, ""})
	}
	if d.lineComment(from) && !d.lineEnds(rest) {
		// What follows on the line would become part of the comment before.
		from += bytes.IndexByte(d.text[from:], '\n') + 1
	}
	return apply(d.text, append(list, splice{from, to, ""})...)
}

// lineComment reports whether the content that ends at an offset is a comment
// which only the end of its line closes.
func (d *document) lineComment(at int) bool {
	inside := true
	scan(append(bytes.Clone(d.text[:at]), 0), 0, at+1, func(i int) bool {
		inside = i < at
		return true
	})
	return inside
}

// lineEnds reports whether nothing but white space follows on the line.
func (d *document) lineEnds(at int) bool {
	line, _, _ := bytes.Cut(d.text[at:], []byte("\n"))
	return len(bytes.TrimSpace(line)) == 0
}
