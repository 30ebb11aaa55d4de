package install

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Edits use hujson's JSON patch, which moves white space and comments by its own rules and drops
// some. So every edit sets the extras (hujson's term for both) around the changed member itself.

// patch applies one operation to the member at the end of a path, and returns the object that
// contains or contained it. It parses the values again, because Patch writes into the extras and
// earlier values must not change. (Clone would lose trailing commas.)
func (d *document) patch(op string, way []string, value string) (*hujson.Object, error) {
	fresh, err := d.reparsed(d.text)
	if err != nil {
		return nil, err
	}
	d.top, d.root = fresh.top, fresh.root
	pointer := ""
	for _, name := range way {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	text := `{"op":"` + op + `","path":` + jsonText(pointer)
	if value != "" {
		text += `,"value":` + value
	}
	if err := d.top.Patch([]byte("[" + text + "}]")); err != nil {
		return nil, err
	}
	_, o, err := d.at(way[:len(way)-1]...)
	return o, err
}

// edited returns the document that the changed values form.
func (d *document) edited() (*document, error) {
	return d.reparsed(bytes.TrimSuffix(d.top.Pack(), []byte("\n"))) // parse added the line end
}

// eol returns the file's line ending.
func (d *document) eol() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unit returns one level of the file's indentation, or two spaces if it has none.
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

// indent returns the indentation of the line at an offset.
func (d *document) indent(at int) string {
	start := bytes.LastIndexByte(d.text[:at], '\n') + 1
	end := start
	for end < at && (d.text[end] == ' ' || d.text[end] == '\t') {
		end++
	}
	return string(d.text[start:end])
}

// broken reports whether text[from:to] contains a line end.
func (d *document) broken(from, to int) bool { return bytes.IndexByte(d.text[from:to], '\n') >= 0 }

// oneLine reports whether the whole file is written without line breaks.
func (d *document) oneLine() bool {
	return len(d.root.Members) > 0 && !d.broken(d.top.StartOffset, d.top.EndOffset)
}

// render formats compact JSON. In a layout with line breaks, each line begins with indent.
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

// insert adds a member at the end of an object, in the layout of its neighbors, and returns the new
// document. at is the object's path.
func (d *document) insert(at hujson.Value, o *hujson.Object, way []string, value string) (*document, error) {
	n := len(o.Members)
	content, rest := trimmed(o.AfterExtra)
	var indent, before, colon string
	compact := true
	switch {
	case n == 0 && d.oneLine() && len(content) == 0:
	case n == 0:
		outer := d.indent(at.StartOffset)
		compact, indent = false, outer+d.unit()
		before, rest = string(content)+d.eol()+indent, hujson.Extra(d.eol()+outer)
	case d.broken(at.StartOffset, o.Members[0].Name.StartOffset):
		compact, indent = false, d.indent(o.Members[0].Name.StartOffset)
		before = string(content) + d.eol() + indent
	default:
		rest = o.AfterExtra
		if first := o.Members[0]; !d.oneLine() || hasAny(first.Name.AfterExtra, first.Value.BeforeExtra) {
			before, colon = " ", " "
		}
	}
	if !compact {
		colon = " "
	}
	text, err := d.render(value, indent, compact)
	if err != nil {
		return nil, err
	}
	var end hujson.Extra // of the last member; not nil if a trailing comma follows
	if n > 0 {
		end = o.Members[n-1].Value.AfterExtra
	}
	if o, err = d.patch("add", way, text); err != nil {
		return nil, err
	}
	added := &o.Members[n]
	added.Name = hujson.Value{BeforeExtra: hujson.Extra(before), Value: hujson.Literal(jsonText(way[len(way)-1]))}
	added.Value.BeforeExtra, added.Value.AfterExtra, o.AfterExtra = hujson.Extra(colon), nil, rest
	if end != nil {
		added.Value.AfterExtra = hujson.Extra{}
	}
	if n > 0 {
		o.Members[n-1].Value.AfterExtra = end
	}
	return d.edited()
}

// hasAny reports whether an extra contains anything.
func hasAny(extras ...hujson.Extra) bool {
	return slices.ContainsFunc(extras, func(e hujson.Extra) bool { return len(e) > 0 })
}

// trimmed splits an extra before the white space at its end.
func trimmed(e hujson.Extra) (content, space hujson.Extra) {
	n := len(bytes.TrimRight(e, " \t\r\n"))
	return e[:n:n], e[n:]
}

// replace replaces a member's value.
func (d *document) replace(o *hujson.Object, i int, way []string, value string) (*document, error) {
	was := o.Members[i]
	text, err := d.render(value, d.indent(was.Name.StartOffset), d.oneLine())
	if err != nil {
		return nil, err
	}
	if o, err = d.patch("replace", way, text); err != nil {
		return nil, err
	}
	was.Value.Value = o.Members[i].Value.Value
	o.Members[i] = was
	return d.edited()
}

// remove removes a member from an object, with its comma and its line. It keeps the comments around
// it.
func (d *document) remove(o *hujson.Object, i int, way []string) (*document, error) {
	was, after := o.Members, o.AfterExtra
	m := was[i]
	o, err := d.patch("remove", way, "")
	if err != nil {
		return nil, err
	}
	// Keep what separated the previous member from the next, without the member's own line.
	content, space := trimmed(m.Name.BeforeExtra)
	next := after
	if i+1 < len(was) {
		next = was[i+1].Name.BeforeExtra
	}
	follow := slices.Concat(m.Value.AfterExtra, next)
	if !content.IsValid() && !startsLine(follow) {
		// Otherwise the rest of the line would become part of the preceding comment.
		content = slices.Concat(content, space[:bytes.IndexByte(space, '\n')+1])
	}
	left := slices.Concat(content, follow)
	switch {
	case i+1 < len(was):
		o.Members[i] = was[i+1]
		o.Members[i].Name.BeforeExtra = left
	case i == 0:
		if len(bytes.TrimSpace(left)) == 0 {
			left = nil
		}
		o.AfterExtra = left
	default:
		prior := was[i-1]
		if m.Value.AfterExtra == nil { // no trailing comma: the previous member loses its comma
			left = slices.Concat(prior.Value.AfterExtra, left)
			prior.Value.AfterExtra = nil
		} else if prior.Value.AfterExtra == nil {
			prior.Value.AfterExtra = hujson.Extra{}
		}
		o.Members[i-1], o.AfterExtra = prior, left
	}
	if i > 0 && i+1 < len(was) {
		o.Members[i-1] = was[i-1]
	}
	return d.edited()
}

// startsLine reports whether only white space precedes a line end.
func startsLine(e hujson.Extra) bool {
	line, _, ends := bytes.Cut(e, []byte("\n"))
	return ends && len(bytes.TrimSpace(line)) == 0
}
