package install

import (
	"bytes"
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
)

// Entry is how a client starts this program.
type Entry struct {
	Command string            // absolute path of the binary
	Args    []string          // flags of the server
	Env     map[string]string // variables in addition to those that the client passes
	// URL is the address of a server that runs already, and Token is sent to it; then all else is empty.
	URL, Token string
}

// headersMember holds what is sent with each request to a URL. It is never shown.
const headersMember = "headers"

var endpoint = regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]{1,5}/mcp$`)

// OverHTTP reports whether the entry names the server of this machine by its address.
func (e Entry) OverHTTP() bool { return endpoint.MatchString(e.URL) }

// Ours reports whether the entry starts this program and nothing around it:
// by the name of the binary, wherever it lies.
func (e Entry) Ours() bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(e.Command, `\`, "/")))
	base = strings.TrimSuffix(base, ".exe")
	return base == "say-ur-intent" || strings.HasPrefix(base, "say-ur-intent-") ||
		strings.HasPrefix(base, "say-ur-intent_")
}

// Flag returns the value of a flag of the server's arguments.
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

// WithFlag returns the entry with a flag set, in its previous place if it had one. A
// flag that already has the value keeps its spelling.
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

// flagAt finds a flag, and how many arguments it takes with its value.
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

// Found is an entry as a file has it.
type Found struct {
	Entry
	Name  string
	Label string // printable name: a file can contain control characters
	// Project is the directory to which the entry in the client's file is limited, fit for
	// display; "" for an entry that applies to all projects.
	Project string
	// Odd says how it differs from what install would write; "" means that it differs only in
	// values.
	Odd string
}

// entryJSON is an entry in a file; fields that are not here are kept as they are.
type entryJSON struct {
	Type    string                     `json:"type"`
	Command string                     `json:"command"`
	Args    []string                   `json:"args"`
	Env     map[string]json.RawMessage `json:"env"`
	URL     string                     `json:"url"`
	HTTPURL string                     `json:"httpUrl"`
}

// read parses an entry as far as possible. raw is the entry as JSON.
func (c Client) read(name string, raw []byte) *Found {
	f := &Found{Name: name, Label: printable(name)}
	fields, err := c.decode(raw)
	if err != nil {
		f.Odd = "it has not the form of an entry"
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) && kind.Field != "" {
			f.Odd = fmt.Sprintf("%q has not the form that the client reads", kind.Field)
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
			f.Odd = "it names a server on the network"
		}
	case fields.Type != "" && fields.Type != cmp.Or(c.typeIs, "stdio") && fields.Type != "stdio":
		f.Odd = fmt.Sprintf("its type is %q", fields.Type)
	case !c.ours(f.Entry):
		f.Odd = "its command is not this program"
	}
	return f
}

// decode reads an entry's members.
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

// exactly returns a JSON object with only the members of these names. The decoder would
// accept names that differ in case, which clients do not.
func exactly(raw []byte, names ...string) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return !slices.Contains(names, name) })
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(members) != nil {
		return raw
	}
	return out.Bytes()
}

// Connects reports whether the entry connects to the program of another machine.
func (e Entry) Connects() bool { return len(e.Args) > 0 && e.Args[0] == "connect" }

// ByHand reports whether the entry lacks what install always writes.
func (f Found) ByHand() bool {
	if f.Connects() {
		return false
	}
	_, network := f.Flag("network")
	_, names := f.Flag("tool-names")
	return !network || !names
}

// printable returns a text from a file in printable form, on one line.
func printable(s string) string {
	if q := strconv.QuoteToGraphic(s); q[1:len(q)-1] != s {
		return q
	}
	return s
}

// update changes the members of the entry at the end of a way that differ.
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
				continue // keep the user's choice
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

// put sets one member of the object at the end of a way.
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

// reparsed returns the document after an edit of its text.
func (d *document) reparsed(text []byte) (*document, error) {
	next, err := parse(append(d.mark[:len(d.mark):len(d.mark)], text...), d.dialect)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the edited file would not be readable")
	}
	return next, nil
}

// same compares a value of a file with compact JSON, by meaning.
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

// entryText returns an entry as compact JSON, fields in the order of the clients' own examples.
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

// field is a member of an entry, with its value as compact JSON.
type field struct{ name, value string }

// fields returns the members of an entry that specify how the server starts, except
// its variables.
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

// variables returns the member of an entry that holds its variables.
func (c Client) variables() string {
	if c.joined {
		return "environment"
	}
	return "env"
}

// text is a JSON string that leaves < > & readable.
func jsonText(s string) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(out.String(), "\n")
}

func jsonTexts(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = jsonText(s)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}
