package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// maxArguments is the maximum size of a call's arguments in bytes.
const maxArguments = 64 << 10

// gates holds a tool's compiled schemas. They are compiled by the first call, so that the server
// starts fast.
type gates struct {
	once    sync.Once
	in, out *jsonschema.Schema
	err     error
	mu      sync.Mutex
	static  *Answer // answer of a static tool, once computed
	// guidance caches the JSON of each case's guidance for answers in which no path is missing.
	guidance []atomic.Pointer[[]byte]
}

// compiled returns the tool's gates after compiling the schemas.
func (t Tool) compiled() (*gates, error) {
	g := t.gates
	g.once.Do(func() {
		if g.in, g.err = compiledSchema(compileKey{t: t.plain.in}, t.WholeInputSchema); g.err == nil {
			g.out, g.err = compiledSchema(compileKey{t.plain.out, true, len(t.Cases) > 0}, t.OutputSchema)
		}
	})
	return g, g.err
}

func compiledSchema(key compileKey, schema func() json.RawMessage) (*jsonschema.Schema, error) {
	return compiles.get(key, func() (*jsonschema.Schema, error) {
		const url = "tool:schema" // absolute, so that it is not resolved against the working directory
		c := jsonschema.NewCompiler()
		c.Draft = jsonschema.Draft2020
		if err := c.AddResource(url, bytes.NewReader(schema())); err != nil {
			return nil, err
		}
		return c.Compile(url)
	})
}

// admit validates arguments against the complete schema and fills in defaults. Missing arguments
// count as an empty object. Errors are fault.InputInvalid with the details field, reason and, if
// only some values are allowed, allowed; or fault.TooLarge.
func (t Tool) admit(given strictjson.Value) (json.RawMessage, error) {
	args := json.RawMessage(given.Raw)
	if len(args) > maxArguments {
		return nil, fault.New(fault.TooLarge, "The arguments are larger than %d KiB.", maxArguments>>10)
	}
	gates, err := t.compiled()
	if err != nil {
		return nil, err
	}
	if trimmed := bytes.TrimSpace(args); len(trimmed) == 0 || string(trimmed) == "null" {
		args, given = json.RawMessage("{}"), strictjson.Value{Tree: map[string]any{}}
	}
	if len(t.in.props) == 0 && string(args) == "{}" {
		return args, nil
	}
	if given.Tree == nil {
		if given, err = strictjson.Tree(args); err != nil {
			return nil, err
		}
	}
	//mutant:never ./tools/tool TestLentArguments/deeper than 32
	if given.Depth > strictjson.MaxDepth {
		return nil, fault.New(fault.InputInvalid, "The JSON nests deeper than %d levels.", strictjson.MaxDepth)
	}
	value := given.Tree
	if err := gates.in.Validate(value); err != nil {
		return nil, t.refusal(value, err)
	}
	members, ok := value.(map[string]any)
	if !ok || !preset(&t.in, members) {
		return args, nil
	}
	return strictjson.Encode(members)
}

// preset sets missing members that have a default, and reports whether it changed anything.
func preset(n *node, members map[string]any) bool {
	filled := false
	for i := range n.props {
		p := &n.props[i]
		value, given := members[p.name]
		inner, isObject := value.(map[string]any)
		switch {
		case !given && p.node.preset != nil:
			members[p.name], filled = p.node.preset, true
		case isObject:
			filled = preset(&p.node, inner) || filled
		}
	}
	return filled
}

// tree decodes JSON into maps, slices and scalars, with numbers as json.Number.
func tree(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var value any
	err := d.Decode(&value)
	return value, err
}

// problem is one error in the arguments.
type problem struct {
	field, reason, sentence string
	allowed                 []string
	nearest                 string // known name similar to an unknown one, or ""
}

// maxProblems is the maximum number of problems that an error describes.
const maxProblems = 5

func (t Tool) refusal(value any, err error) error {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	var problems []problem
	for _, leaf := range leaves(invalid) {
		problems = append(problems, t.problems(value, leaf)...)
	}
	if len(problems) == 0 {
		return fault.New(fault.InputInvalid, "The arguments do not match the schema of %s.", t.Name)
	}
	var sentences []string
	for _, p := range problems[:min(len(problems), maxProblems)] {
		if !slices.Contains(sentences, p.sentence) {
			sentences = append(sentences, p.sentence)
		}
	}
	first := problems[0]
	e := fault.New(fault.InputInvalid, "%s", strings.Join(sentences, " ")).
		With("field", first.field).With("reason", first.reason)
	if first.allowed != nil {
		e = e.WithList("allowed", first.allowed)
	}
	if first.nearest != "" {
		e = e.With("nearest", first.nearest)
	}
	return e
}

func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, c := range e.Causes {
		all = append(all, leaves(c)...)
	}
	return all
}

// problems converts one leaf of a validation error to sentences. The library's own messages use
// terms of JSON Schema that users do not know.
func (t Tool) problems(value any, leaf *jsonschema.ValidationError) []problem {
	n, at, name := t.find(value, leaf.InstanceLocation)
	if n == nil {
		return nil
	}
	keyword := leaf.KeywordLocation[strings.LastIndexByte(leaf.KeywordLocation, '/')+1:]
	switch keyword {
	case "required":
		return missing(n, at, name)
	case "additionalProperties":
		return unknown(n, at, name)
	}
	p := problem{field: name, reason: "malformed"}
	switch keyword {
	case "type":
		p.reason, p.sentence = "wrong_type", fmt.Sprintf("%s must be %s.", name, article(n.kind))
	case "enum":
		p.reason, p.allowed = "not_allowed", n.shape.Enum
		p.sentence = fmt.Sprintf("%s must be one of: %s.", name, strings.Join(n.shape.Enum, ", "))
	case "minimum", "maximum":
		p.reason, p.sentence = "out_of_range", fmt.Sprintf("%s must be %s.", name, n.shape.span())
	case "minLength", "maxLength":
		p.sentence = fmt.Sprintf("%s must have %d to %d characters.", name, n.shape.MinLength, n.shape.MaxLength)
	default:
		p.sentence = fmt.Sprintf("%s must be %s.", name, n.shape.Rule)
	}
	return []problem{p}
}

func missing(n *node, at any, name string) []problem {
	members, _ := at.(map[string]any)
	var all []problem
	for _, p := range n.props {
		if _, given := members[p.name]; !given && p.required {
			field, is := inside(name, p.name), strings.TrimSuffix(p.node.about, ".")
			if words := p.node.shape.Enum; len(words) > 0 {
				is += ", one of " + strings.Join(words, ", ")
			}
			all = append(all, problem{field: field, reason: "missing", allowed: p.node.shape.Enum,
				sentence: fmt.Sprintf("%s is missing: %s.", field, is)})
		}
	}
	return all
}

func unknown(n *node, at any, name string) []problem {
	members, _ := at.(map[string]any)
	var all []problem
	for _, key := range sortedKeys(members) {
		if _, known := n.prop(key); known {
			continue
		}
		takes := "takes no arguments"
		if names := n.names(); len(names) > 0 {
			takes = "takes " + strings.Join(names, ", ")
		}
		where := "this tool"
		if name != "arguments" {
			where = name
		}
		//mutant:never ./tools/tool TestArgumentsThatHoldBytes
		if screen.ForbiddenName(key) || namesBytes(key) {
			all = append(all, problem{field: name, reason: "unknown_argument",
				sentence: "This tool takes no transaction bytes, signatures or keys, " +
					"and no tool signs. The page of events.create_console_session (\"What does this transaction do?\") and " +
					"\"say-ur-intent tx inspect\" explain bytes. To act, request the action itself."})
			continue
		}
		if !repeatable(key) {
			all = append(all, problem{field: name, reason: "unknown_argument", allowed: append([]string{}, n.names()...),
				sentence: fmt.Sprintf("%s has a member whose name is not a field name; it %s.", where, takes)})
			continue
		}
		p := problem{field: inside(name, shown(key)), reason: "unknown_argument", allowed: append([]string{}, n.names()...),
			sentence: fmt.Sprintf("%q is unknown; %s %s.", shown(key), where, takes), nearest: nearest(key, n.names())}
		if len(all) > 0 {
			p.sentence = fmt.Sprintf("%q is also unknown.", shown(key)) // the first problem already lists the names
		}
		if p.nearest != "" {
			p.sentence += fmt.Sprintf(" Did you mean %q?", p.nearest)
		}
		all = append(all, p)
	}
	return all
}

// namesBytes reports whether an unknown name is one that agents use to pass transactions that they
// built.
func namesBytes(name string) bool {
	name = strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
	return strings.Contains(name, "base64") || strings.Contains(name, "bytes") ||
		strings.HasSuffix(name, "rawtransaction") ||
		strings.HasSuffix(name, "rawtx")
}

// repeatable reports whether an error may repeat a name from the client. A long name could be a key
// or a seed phrase in the wrong place.
func repeatable(name string) bool {
	const most = 30
	for _, c := range []byte(name) {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return len(name) <= most
}

// find follows a JSON pointer from the arguments, and returns the value with its schema and its
// dotted name.
func (t Tool) find(value any, pointer string) (*node, any, string) {
	n, name := &t.in, "arguments"
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if step == "" {
			continue
		}
		if n.kind == array {
			elements, _ := value.([]any)
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(elements) {
				return nil, nil, ""
			}
			n, value, name = n.items, elements[i], fmt.Sprintf("%s[%d]", name, i)
			continue
		}
		members, _ := value.(map[string]any)
		inner, ok := n.prop(step)
		if !ok {
			return nil, nil, ""
		}
		n, value, name = inner, members[step], inside(name, step)
	}
	return n, value, name
}

func inside(name, member string) string {
	if name == "arguments" {
		return member
	}
	return name + "." + member
}

// shown shortens a name from the client.
func shown(key string) string {
	const most = 64
	if runes := []rune(key); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return key
}

func article(kind string) string {
	if kind == object || kind == array || kind == integer {
		return "an " + kind
	}
	return "a " + kind
}

func (s Shape) span() string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("a whole number from %d to %d", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("a whole number of at least %d", *s.Minimum)
	}
	return fmt.Sprintf("a whole number of at most %d", *s.Maximum)
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
