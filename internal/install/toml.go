package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// tomlConfig is a configuration file in TOML. The parser reports the position of each expression.
// Edits replace bytes between those positions. The result is parsed again and compared with the
// previous contents.
type tomlConfig struct {
	client Client
	mark   []byte // the byte order mark, if any
	text   []byte
	values map[string]any
	list   []expression
	notes  [][2]int // start and end of each comment
}

// expression is the header of a table, or a key with its value.
type expression struct {
	header bool
	path   []string // path of the table, or of the key including its table
	start  int      // offset of the first byte
	value  int      // offset of the value
	end    int      // offset after the last byte, excluding comments
}

// openTOML parses a file.
func openTOML(c Client, raw []byte) (*tomlConfig, error) {
	t := &tomlConfig{client: c, text: raw, values: map[string]any{}}
	if bytes.HasPrefix(raw, byteOrderMark) {
		t.mark, t.text = byteOrderMark, raw[len(byteOrderMark):]
	}
	if i := invalidUTF8(t.text); i >= 0 {
		return nil, badAt(t.text, i, "the text is not UTF-8")
	}
	if i := tooDeep(t.text); i >= 0 {
		return nil, badAt(t.text, i, "the nesting is deeper than "+strconv.Itoa(maxDepth))
	}
	if err := toml.Unmarshal(t.text, &t.values); err != nil {
		return nil, tomlError(t.text, err)
	}
	return t, t.locate()
}

// tomlError rewords an error of the parser. It omits errors that quote the file, because the quoted
// text may be a secret.
func tomlError(text []byte, err error) error {
	var d *toml.DecodeError
	if !errors.As(err, &d) {
		return fault.New(fault.InputInvalid, "the file is not TOML")
	}
	what := strings.TrimPrefix(d.Error(), "toml: ")
	if strings.ContainsAny(what, "\"`'") || what == "" {
		what = "the text is not TOML"
	}
	line, column := d.Position()
	return badLine(strconv.Itoa(line), strconv.Itoa(column), what)
}

// locate determines the positions of expressions and comments.
func (t *tomlConfig) locate() error {
	p := unstable.Parser{KeepComments: true}
	p.Reset(t.text)
	var table []string
	for p.NextExpression() {
		node := p.Expression()
		if node.Kind == unstable.Comment {
			t.note(node.Raw)
			continue
		}
		var path []string
		first, last := -1, 0
		for keys := node.Key(); keys.Next(); {
			key := keys.Node()
			if first < 0 {
				first = int(key.Raw.Offset)
			}
			last = int(key.Raw.Offset + key.Raw.Length)
			path = append(path, string(key.Data))
		}
		e := expression{path: path, start: first}
		if node.Kind == unstable.KeyValue {
			e.path = slices.Concat(table, path)
			e.value = last + len(t.text[last:]) - len(bytes.TrimLeft(t.text[last:], " \t="))
		} else {
			table = path
			e.header = true
			e.start = len(bytes.TrimRight(t.text[:first], " \t[")) // start of the line
			e.start += bytes.IndexByte(t.text[e.start:], '[')
		}
		t.list = append(t.list, e)
		if beside := node.Next(); beside != nil && beside.Kind == unstable.Comment {
			t.note(beside.Raw)
		}
	}
	if err := p.Error(); err != nil {
		return fault.New(fault.InputInvalid, "the file is not TOML")
	}
	t.ends()
	return nil
}

func (t *tomlConfig) note(r unstable.Range) {
	from := int(r.Offset)
	t.notes = append(t.notes, [2]int{from, from + len(bytes.TrimRight(t.text[from:from+int(r.Length)], "\r\n"))})
}

// ends determines the end of each expression, which is before the next one.
func (t *tomlConfig) ends() {
	for i := range t.list {
		e := &t.list[i]
		next := len(t.text)
		if i+1 < len(t.list) {
			next = t.list[i+1].start
		}
		for _, n := range t.notes {
			if n[0] > e.start {
				next = min(next, n[0])
			}
		}
		e.end = e.start + len(bytes.TrimRight(t.text[e.start:next], " \t\r\n"))
	}
}

func (t *tomlConfig) raw() []byte { return append(bytes.Clone(t.mark), t.text...) }

func (t *tomlConfig) scoped() []Found { return nil }

// servers returns the entries by name.
func (t *tomlConfig) servers() (map[string]any, error) {
	value, ok := t.values[t.client.servers]
	if !ok {
		return nil, nil
	}
	servers, ok := value.(map[string]any)
	if !ok {
		return nil, fault.New(fault.InputInvalid, "%q is not a table", t.client.servers)
	}
	return servers, nil
}

func (t *tomlConfig) find(name string) (*Found, error) {
	servers, err := t.servers()
	if err != nil {
		return nil, err
	}
	value, ok := servers[name]
	if !ok {
		return nil, nil
	}
	return t.read(name, value), nil
}

// read decodes an entry via JSON. An entry with a value that JSON does not have, such as inf or
// nan, is not ours.
func (t *tomlConfig) read(name string, value any) *Found {
	plain, err := json.Marshal(value)
	if err != nil {
		plain = []byte("null")
	}
	return t.client.read(name, plain)
}

func (t *tomlConfig) all(name string) ([]Found, error) {
	servers, err := t.servers()
	if err != nil {
		return nil, err
	}
	var list []Found
	for _, key := range slices.Sorted(maps.Keys(servers)) {
		if f := t.read(key, servers[key]); t.client.ours(f.Entry) || key == name {
			list = append(list, *f)
		}
	}
	return list, nil
}

// header returns the index of the header of an entry's table, or -1 if the entry has no table of
// its own.
func (t *tomlConfig) header(name string) int {
	return slices.IndexFunc(t.list, func(e expression) bool {
		return e.header && slices.Equal(e.path, []string{t.client.servers, name})
	})
}

// within reports whether an expression belongs to an entry.
func (t *tomlConfig) within(e expression, name string) bool {
	return len(e.path) >= 2 && e.path[0] == t.client.servers && e.path[1] == name
}

// changed parses the new text of the file. It returns an error if anything other than the entry
// changed.
func (t *tomlConfig) changed(text []byte, name string) (config, error) {
	next, err := openTOML(t.client, append(bytes.Clone(t.mark), text...))
	if err != nil {
		return nil, t.elsewhere(name)
	}
	//mutant:never `t.others(name) != next.others(name)` ./internal/install TestTOMLElsewhere
	if t.others(name) != next.others(name) {
		return nil, t.elsewhere(name)
	}
	return next, nil
}

// elsewhere returns an error if the parts of an entry's table are not contiguous.
func (t *tomlConfig) elsewhere(name string) error {
	return fault.New(fault.Blocked, "The entry cannot be changed without changing others: it needs its own table "+
		"[%s.%s], but the file has another form. Nothing was written. Write that table by hand, then run this "+
		"again.", t.client.servers, name)
}

// others returns a text that represents all values except the entry.
func (t *tomlConfig) others(name string) string {
	values := maps.Clone(t.values)
	if servers, err := t.servers(); err == nil && servers != nil {
		servers = maps.Clone(servers)
		delete(servers, name)
		if values[t.client.servers] = servers; len(servers) == 0 {
			delete(values, t.client.servers)
		}
	}
	return fmt.Sprintf("%#v", values) // prints maps in key order
}
