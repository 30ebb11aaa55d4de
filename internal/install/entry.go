package install

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
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
	Env     map[string]string // variables beyond those that the client hands on
}

// Ours reports whether the entry starts this program and nothing around it:
// by the name of the binary, wherever it lies.
func (e Entry) Ours() bool {
	base := strings.ToLower(path.Base(strings.ReplaceAll(e.Command, `\`, "/")))
	base = strings.TrimSuffix(base, ".exe")
	return base == "say-ur-intent" || strings.HasPrefix(base, "say-ur-intent-") || strings.HasPrefix(base, "say-ur-intent_")
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

// WithFlag returns the entry with a flag set, in its place where it was there. A
// flag that has the value already stays as it is written.
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
	Label string // the name as it may be shown: a file can hold control characters
	// Odd says what in it install would not have written; "" means that
	// everything but its values is as install writes it.
	Odd string
}

// entryJSON is an entry in a file; fields that are not here are kept as they are.
type entryJSON struct {
	Type    string                     `json:"type"`
	Command string                     `json:"command"`
	Args    []string                   `json:"args"`
	Env     map[string]json.RawMessage `json:"env"`
	URL     string                     `json:"url"`
}

// find reads the entry of a name.
func (c Client) find(d *document, name string) (*Found, error) {
	_, servers, err := d.at(c.servers)
	if err != nil || servers == nil {
		return nil, err
	}
	i, err := d.member(servers, name)
	if err != nil || i < 0 {
		return nil, err
	}
	value := servers.Members[i].Value
	if o, ok := value.Value.(*hujson.Object); ok {
		for _, field := range []string{"type", "command", "args", c.variables()} {
			if _, err := d.member(o, field); err != nil {
				return nil, err
			}
		}
	}
	return c.read(name, value), nil
}

// read makes out what an entry says, as far as it can.
func (c Client) read(name string, value hujson.Value) *Found {
	f := &Found{Name: name, Label: printable(name)}
	plain := value.Clone()
	plain.Standardize()
	fields, err := c.decode(plain.Pack())
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
			f.Odd = fmt.Sprintf("the variable %q is no text", name)
		}
	}
	switch {
	case f.Odd != "":
	case fields.URL != "":
		f.Odd = "it names a server on the network"
	case fields.Type != "" && fields.Type != cmp.Or(c.typeIs, "stdio") && fields.Type != "stdio":
		f.Odd = fmt.Sprintf("its type is %q", fields.Type)
	case !c.ours(f.Entry):
		f.Odd = "its command is not this program"
	}
	return f
}

// decode reads an entry's members.
func (c Client) decode(raw []byte) (fields entryJSON, err error) {
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

// printable is a text of a file for the eyes, on one line.
func printable(s string) string {
	if q := strconv.QuoteToGraphic(s); q[1:len(q)-1] != s {
		return q
	}
	return s
}

// all reads every entry that is ours, or has the name.
func (c Client) all(d *document, name string) ([]Found, error) {
	_, servers, err := d.at(c.servers)
	if err != nil || servers == nil {
		return nil, err
	}
	var list []Found
	for _, m := range servers.Members {
		literal, _ := m.Name.Value.(hujson.Literal)
		if f := c.read(literal.String(), m.Value); c.ours(f.Entry) || f.Name == name {
			list = append(list, *f)
		}
	}
	return list, nil
}

// scoped lists the projects for which the client's own file holds an entry of
// ours beside the one for all projects; in them it wins.
func (c Client) scoped(d *document) []string {
	if c.projects == "" {
		return nil
	}
	_, projects, err := d.at(c.projects)
	if err != nil || projects == nil {
		return nil // not as the client writes it, and nothing that is edited here
	}
	var list []string
	for _, m := range projects.Members {
		dir, _ := m.Name.Value.(hujson.Literal)
		_, servers, err := d.at(c.projects, dir.String(), c.servers)
		if err != nil || servers == nil {
			continue
		}
		if slices.ContainsFunc(servers.Members, func(s hujson.ObjectMember) bool { return c.ours(c.read("", s.Value).Entry) }) {
			list = append(list, printable(dir.String()))
		}
	}
	return list
}

// set writes an entry under a name and returns the new document. Fields and
// variables that the entry does not speak of stay; of the others, those whose
// value is right already keep their bytes. With whole set, an entry that is
// there is replaced with all its fields.
func (c Client) set(d *document, name string, e Entry, whole bool) (*document, error) {
	_, servers, err := d.at(c.servers)
	if err != nil {
		return nil, err
	}
	if servers == nil {
		if d, err = d.put(nil, c.servers, "{}"); err != nil {
			return nil, err
		}
		servers = &hujson.Object{}
	}
	i, err := d.member(servers, name)
	if err != nil {
		return nil, err
	}
	if i < 0 || whole {
		return d.put([]string{c.servers}, name, c.entryText(e))
	}
	return c.update(d, name, e)
}

// update changes the fields of an entry that differ.
func (c Client) update(d *document, name string, e Entry) (*document, error) {
	way := []string{c.servers, name}
	var err error
	put := func(way []string, field, value string) {
		if err == nil {
			d, err = d.put(way, field, value)
		}
	}
	for _, f := range c.fields(e) {
		if f.name != "tools" { // what the person chose of them stays
			put(way, f.name, f.value)
		}
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

// reparsed is the document after an edit of its text.
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

// entryText is an entry as compact JSON, fields in the order of the clients' own
// examples.
func (c Client) entryText(e Entry) string {
	var fields []string
	for _, f := range c.fields(e) {
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

// fields are the members of an entry beside its variables.
func (c Client) fields(e Entry) []field {
	var list []field
	if c.typed {
		list = append(list, field{"type", jsonText(cmp.Or(c.typeIs, "stdio"))})
	}
	if c.joined {
		return append(list, field{"command", jsonTexts(append([]string{e.Command}, e.Args...))})
	}
	list = append(list, field{"command", jsonText(e.Command)}, field{"args", jsonTexts(e.Args)})
	if c.tools {
		list = append(list, field{"tools", `["*"]`})
	}
	return list
}

// variables is the member of an entry that holds its variables.
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
