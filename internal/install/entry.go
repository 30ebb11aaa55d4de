package install

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Entry describes how a client starts this program or connects to it.
type Entry struct {
	Command string            // absolute path of the program
	Args    []string          // flags for the server
	Env     map[string]string // variables that are set in addition to the client's own
	// URL is the URL of a running server, and Token is sent to it. If URL is set, the other fields
	// are empty.
	URL, Token string
}

// headersMember holds the HTTP headers of a client's requests. It is never displayed.
const headersMember = "headers"

var endpoint = regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]{1,5}/mcp$`)

// OverHTTP reports whether the entry is the URL of a server on this machine.
func (e Entry) OverHTTP() bool { return endpoint.MatchString(e.URL) }

// Ours reports whether the entry starts this program, in any directory, according to the file's
// name.
func (e Entry) Ours() bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(e.Command, `\`, "/")))
	base = strings.TrimSuffix(base, ".exe")
	return base == "say-ur-intent" || strings.HasPrefix(base, "say-ur-intent-") ||
		strings.HasPrefix(base, "say-ur-intent_")
}

// Flag returns the value of a flag among the arguments.
func (e Entry) Flag(name string) (string, bool) {
	i, width := flagAt(e.Args, name)
	if i < 0 {
		return "", false
	}
	if _, value, inline := strings.Cut(e.Args[i], "="); inline {
		return value, true
	}
	if width < 2 {
		return "", false
	}
	return e.Args[i+1], true
}

// WithFlag returns a copy of e with a flag set. It keeps the position of an existing flag, and does
// not change one that already has the value.
func (e Entry) WithFlag(name, value string) Entry {
	if now, ok := e.Flag(name); ok && now == value {
		return e
	}
	i, width := flagAt(e.Args, name)
	if i < 0 {
		i, width = len(e.Args), 0
	}
	e.Args = slices.Concat(e.Args[:i], []string{"--" + name, value}, e.Args[i+width:])
	return e
}

// flagAt returns the index of a flag and the number of arguments that it occupies with its value.
func flagAt(args []string, name string) (at, width int) {
	for i, a := range args {
		plain, _, inline := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(a, "-"), "-"), "=")
		if !strings.HasPrefix(a, "-") || plain != name {
			continue
		}
		if inline || i+1 == len(args) {
			return i, 1
		}
		return i, 2
	}
	return -1, 0
}

// Found is an entry that was found in a file.
type Found struct {
	Entry
	Name  string
	Label string // name for display; a name in a file may contain control characters
	// Project is the project directory that the entry is limited to, for display, or "".
	Project string
	// Odd says how the entry differs from what install writes, in more than values. "" means that
	// it does not.
	Odd string
}

// entryJSON holds the members of an entry that are read. Edits keep all others.
type entryJSON struct {
	Type    string                     `json:"type"`
	Command string                     `json:"command"`
	Args    []string                   `json:"args"`
	Env     map[string]json.RawMessage `json:"env"`
	URL     string                     `json:"url"`
	HTTPURL string                     `json:"httpUrl"`
}

// read parses an entry as far as possible. raw is the JSON of the entry.
func (c Client) read(name string, raw []byte) *Found {
	f := &Found{Name: name, Label: printable(name)}
	fields, err := c.decode(raw)
	if err != nil {
		f.Odd = "it does not have the form of an entry"
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) && kind.Field != "" {
			f.Odd = fmt.Sprintf("%q does not have the form that the client reads", kind.Field)
		}
	}
	f.Command, f.Args, f.Env = fields.Command, fields.Args, map[string]string{}
	for name, raw := range fields.Env {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			f.Env[name] = text
		} else if f.Odd == "" {
			f.Odd = fmt.Sprintf("the variable %q is not a string", name)
		}
	}
	switch {
	case f.Odd != "":
	case fields.URL+fields.HTTPURL != "":
		f.URL = cmp.Or(fields.HTTPURL, fields.URL)
		if !f.OverHTTP() {
			f.Odd = "it specifies a server on the network"
		}
	case fields.Type != "" && fields.Type != cmp.Or(c.typeIs, "stdio") && fields.Type != "stdio":
		f.Odd = fmt.Sprintf("its type is %q", fields.Type)
	case !c.ours(f.Entry):
		f.Odd = "its command is not this program"
	}
	return f
}

// decode decodes the members of an entry.
func (c Client) decode(raw []byte) (fields entryJSON, err error) {
	raw = exactly(raw, "type", "command", "args", "env", "environment", "url", "httpUrl")
	if !c.joined {
		return fields, json.Unmarshal(raw, &fields)
	}
	var other struct {
		Type        string                     `json:"type"`
		Command     []string                   `json:"command"`
		Environment map[string]json.RawMessage `json:"environment"`
		URL         string                     `json:"url"`
	}
	if err = json.Unmarshal(raw, &other); err != nil {
		return fields, err
	}
	fields.Type, fields.Env, fields.URL = other.Type, other.Environment, other.URL
	if len(other.Command) > 0 {
		fields.Command, fields.Args = other.Command[0], other.Command[1:]
	}
	return fields, nil
}

// exactly returns a JSON object that has only the named members. The decoder would also accept
// names in another case, which clients ignore.
func exactly(raw []byte, names ...string) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return !slices.Contains(names, name) })
	out, err := strictjson.Encode(members)
	if err != nil {
		return raw
	}
	return out
}

// Connects reports whether the entry connects to the program on another machine.
func (e Entry) Connects() bool { return len(e.Args) > 0 && e.Args[0] == "connect" }

// ByHand reports whether the entry lacks something that install always writes.
func (f Found) ByHand() bool {
	if f.Connects() {
		return false
	}
	_, network := f.Flag("network")
	_, names := f.Flag("tool-names")
	return !network || !names
}

// printable returns a text on one line, with special characters escaped.
func printable(s string) string {
	if q := strconv.QuoteToGraphic(s); q[1:len(q)-1] != s {
		return q
	}
	return s
}

// update sets the members of the entry at a path that differ.
func (c Client) update(d *document, way []string, e Entry) (*document, error) {
	var err error
	put := func(way []string, field, value string) {
		if err == nil {
			d, err = d.put(way, field, value)
		}
	}
	for _, f := range c.fields(e) {
		put(way, f.name, f.value)
	}
	for _, f := range c.further {
		if at, o, wrong := d.at(way...); wrong == nil && at.Value != nil {
			if i, wrong := d.member(o, f.name); wrong != nil || i >= 0 {
				continue // the user may have changed it
			}
		}
		put(way, f.name, f.value)
	}
	if len(e.Env) == 0 || err != nil {
		return d, err
	}
	if _, env, wrong := d.at(append(way, c.variables())...); wrong != nil || env == nil {
		put(way, c.variables(), "{}")
	}
	for _, variable := range slices.Sorted(maps.Keys(e.Env)) {
		put(append(slices.Clone(way), c.variables()), variable, jsonText(e.Env[variable]))
	}
	return d, err
}

// put sets one member of the object at a path.
func (d *document) put(way []string, name, value string) (*document, error) {
	at, o, err := d.at(way...)
	if err != nil {
		return nil, err
	}
	i, err := d.member(o, name)
	if err != nil {
		return nil, err
	}
	full := append(slices.Clip(way), name)
	switch {
	case i < 0:
		return d.insert(at, o, full, value)
	case same(o.Members[i].Value, value):
		return d, nil
	}
	return d.replace(o, i, full, value)
}

// reparsed parses a new text of the document.
func (d *document) reparsed(text []byte) (*document, error) {
	next, err := parse(append(d.mark[:len(d.mark):len(d.mark)], text...), d.dialect)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the edited file would not be readable")
	}
	return next, nil
}

// same reports whether a value equals compact JSON.
func same(v hujson.Value, compact string) bool {
	plain := v.Clone()
	plain.Minimize()
	var a, b hujson.Value
	var err error
	if a, err = hujson.Parse(plain.Pack()); err != nil {
		return false
	}
	if b, err = hujson.Parse([]byte(compact)); err != nil {
		return false
	}
	return equal(a.Value, b.Value)
}

func equal(a, b hujson.ValueTrimmed) bool {
	switch x := a.(type) {
	case hujson.Literal:
		y, ok := b.(hujson.Literal)
		return ok && x.Kind() == y.Kind() && (string(x) == string(y) || x.Kind() == '"' && x.String() == y.String())
	case *hujson.Array:
		y, ok := b.(*hujson.Array)
		return ok && slices.EqualFunc(x.Elements, y.Elements, func(p, q hujson.Value) bool { return equal(p.Value, q.Value) })
	case *hujson.Object:
		y, ok := b.(*hujson.Object)
		return ok && slices.EqualFunc(x.Members, y.Members, func(p, q hujson.ObjectMember) bool {
			return equal(p.Name.Value, q.Name.Value) && equal(p.Value.Value, q.Value.Value)
		})
	}
	return false
}

// entryText returns an entry as compact JSON. The order of members is that of the clients'
// examples.
func (c Client) entryText(e Entry) string {
	var fields []string
	for _, f := range append(c.fields(e), c.further...) {
		fields = append(fields, jsonText(f.name)+":"+f.value)
	}
	if len(e.Env) > 0 {
		var list []string
		for _, name := range slices.Sorted(maps.Keys(e.Env)) {
			list = append(list, jsonText(name)+":"+jsonText(e.Env[name]))
		}
		fields = append(fields, jsonText(c.variables())+":{"+strings.Join(list, ",")+"}")
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// field is a member of an entry. Its value is compact JSON.
type field struct{ name, value string }

// fields returns the members of an entry that say how the server starts, except for its variables.
func (c Client) fields(e Entry) []field {
	var list []field
	if e.URL != "" {
		if c.urlType != "" {
			list = append(list, field{"type", jsonText(c.urlType)})
		}
		return append(list, field{c.urlMember, jsonText(e.URL)},
			field{headersMember, "{" + jsonText("Authorization") + ":" + jsonText("Bearer "+e.Token) + "}"})
	}
	if c.typed {
		list = append(list, field{"type", jsonText(cmp.Or(c.typeIs, "stdio"))})
	}
	if c.joined {
		return append(list, field{"command", jsonTexts(append([]string{e.Command}, e.Args...))})
	}
	return append(list, field{"command", jsonText(e.Command)}, field{"args", jsonTexts(e.Args)})
}

// variables returns the name of the member that holds variables.
func (c Client) variables() string {
	if c.joined {
		return "environment"
	}
	return "env"
}

// jsonText returns a JSON string without escaping <, > and &.
func jsonText(s string) string {
	text, _ := strictjson.Encode(s) // encoding a string cannot fail
	return string(text)
}

func jsonTexts(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = jsonText(s)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}
