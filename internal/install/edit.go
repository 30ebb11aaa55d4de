package install

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Edits use the JSON patch of hujson, which moves or drops white space and comments. Every edit
// therefore sets the extras around the changed member, which is hujson's term for both.

// patch applies one operation to the member at the end of a path, and returns the object that
// contains or contained it. It works on newly parsed values, because Patch modifies extras and
// earlier values must not change. Clone would lose trailing commas.
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

// edited returns the document after its values were changed.
func (d *document) edited() (*document, error) {
	return d.reparsed(bytes.TrimSuffix(d.top.Pack(), []byte("\n"))) // parse had appended the line end
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

// oneLine reports whether the file has no line breaks.
func (d *document) oneLine() bool {
	return len(d.root.Members) > 0 && !d.broken(d.top.StartOffset, d.top.EndOffset)
}

// render formats compact JSON. Unless compact is set, it breaks lines and begins each with indent.
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

// insert adds a member to the end of an object and returns the new document. It follows the layout
// of the other members. at is the path of the object.
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
	var end hujson.Extra // extra at the end of the object; not nil if a trailing comma precedes it
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

// hasAny reports whether an extra is not empty.
func hasAny(extras ...hujson.Extra) bool {
	return slices.ContainsFunc(extras, func(e hujson.Extra) bool { return len(e) > 0 })
}

// trimmed splits an extra into its content and the white space at its end.
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

// remove removes a member, its comma and its line from an object. It keeps the comments around the
// member.
func (d *document) remove(o *hujson.Object, i int, way []string) (*document, error) {
	was, after := o.Members, o.AfterExtra
	m := was[i]
	o, err := d.patch("remove", way, "")
	if err != nil {
		return nil, err
	}
	// Keep what separated the previous member from the next one, except the removed member's line.
	content, space := trimmed(m.Name.BeforeExtra)
	next := after
	if i+1 < len(was) {
		next = was[i+1].Name.BeforeExtra
	}
	follow := slices.Concat(m.Value.AfterExtra, next)
	if !content.IsValid() && !startsLine(follow) {
		// Without the line end, the rest of the line would become part of the comment.
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
		if m.Value.AfterExtra == nil { // without a trailing comma, the previous member must lose its comma
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

// startsLine reports whether an extra begins with a line end, possibly after white space.
func startsLine(e hujson.Extra) bool {
	line, _, ends := bytes.Cut(e, []byte("\n"))
	return ends && len(bytes.TrimSpace(line)) == 0
}
