package sandbox

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"
)

// Limits of one question, as the service of mainnet has them.
const (
	graphPayload = 5000 // bytes
	graphNodes   = 300  // fields and fragments
	graphDepth   = 20
)

// selection is one field that is asked for, the fields of one type where on is
// set, or those of a named fragment where spread is.
type selection struct {
	key, name string // key is the name in the answer
	on        string
	spread    string
	left      bool                       // out, by a directive
	args      map[string]json.RawMessage // with variables filled in
	fields    []selection
}

// graphError is what an answer says of a question it does not answer.
type graphError struct {
	message, code string
}

func (e *graphError) Error() string { return e.message }

func badQuestion(message string) error { return &graphError{message, "GRAPHQL_PARSE_FAILED"} }
func badInput(message string) error    { return &graphError{message, "BAD_USER_INPUT"} }

// graphParser reads the part of the language that clients of the past use: one
// query with variables, arguments, aliases, fragments, @include and @skip.
// Mutations and several operations are refused. The types of variables are left
// to a validator (Config.CheckQuery).
type graphParser struct {
	rest      string
	variables map[string]json.RawMessage
	fragments map[string]selection
	nodes     int
}

// parseQuestion gives what a query selects.
func parseQuestion(query string, variables map[string]json.RawMessage) ([]selection, error) {
	p := &graphParser{rest: query, variables: map[string]json.RawMessage{}, fragments: map[string]selection{}}
	maps.Copy(p.variables, variables)
	var fields []selection
	for p.space(); p.rest != ""; p.space() {
		if p.word("fragment") {
			if err := p.fragment(); err != nil {
				return nil, err
			}
			continue
		}
		if fields != nil {
			return nil, badQuestion("there is more than one query")
		}
		if p.word("query") {
			p.name() // what the client calls it
			if err := p.declarations(); err != nil {
				return nil, err
			}
		}
		var err error
		if fields, err = p.selections(1); err != nil {
			return nil, err
		}
	}
	if fields == nil {
		return nil, badQuestion("there is no query")
	}
	p.nodes = 0
	return p.spread(fields, 1)
}

// fragment reads a named fragment after its first word.
func (p *graphParser) fragment() (err error) {
	name := p.name()
	f := selection{}
	if name == "" || !p.word("on") {
		return badQuestion("a fragment without name or type")
	}
	if f.on = p.name(); f.on == "" {
		return badQuestion("a fragment without a type")
	}
	f.fields, err = p.selections(2)
	p.fragments[name] = f
	return err
}

// declarations reads the variables' names and takes the values that they have
// where none was sent.
func (p *graphParser) declarations() error {
	if !p.take("(") {
		return nil
	}
	for !p.take(")") {
		if !p.take("$") {
			return badQuestion("a variable cannot be read")
		}
		name := p.name()
		if name == "" || !p.take(":") {
			return badQuestion("a variable without name or type")
		}
		for p.take("[") {
		}
		if p.name() == "" {
			return badQuestion("a variable without a type")
		}
		for p.take("]") || p.take("!") {
		}
		if !p.take("=") {
			continue
		}
		value, err := p.value()
		if err != nil {
			return err
		}
		if _, sent := p.variables[name]; !sent {
			p.variables[name] = value
		}
	}
	return nil
}

// spread puts named fragments in the place of their names and leaves out what
// directives do; fragments inside themselves end at the depth.
func (p *graphParser) spread(fields []selection, depth int) ([]selection, error) {
	if depth > graphDepth {
		return nil, badInput("Query nesting is over " + strconv.Itoa(graphDepth))
	}
	var out []selection
	for _, s := range fields {
		if s.left {
			continue
		}
		if p.nodes++; p.nodes > graphNodes {
			return nil, badInput("Query has over " + strconv.Itoa(graphNodes) + " nodes")
		}
		if s.spread != "" {
			f, ok := p.fragments[s.spread]
			if !ok {
				return nil, badQuestion("there is no fragment " + s.spread)
			}
			s = f
		}
		var err error
		if s.fields, err = p.spread(s.fields, depth+1); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// space skips what means nothing; commas mean nothing here.
func (p *graphParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n,\ufeff") }

func (p *graphParser) take(token string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = rest
	}
	return ok
}

// name reads a name; "" when there is none.
func (p *graphParser) name() string {
	p.space()
	end := 0
	for end < len(p.rest) && nameByte(p.rest[end], end == 0) {
		end++
	}
	n := p.rest[:end]
	p.rest = p.rest[end:]
	return n
}

func nameByte(b byte, first bool) bool {
	return b == '_' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || !first && b >= '0' && b <= '9'
}

// word takes a whole name.
func (p *graphParser) word(w string) bool {
	saved := p.rest
	if p.name() == w {
		return true
	}
	p.rest = saved
	return false
}

// selections reads the fields between braces.
func (p *graphParser) selections(depth int) ([]selection, error) {
	if !p.take("{") {
		return nil, badQuestion("a selection of fields is missing")
	}
	if depth > graphDepth {
		return nil, badInput("Query nesting is over " + strconv.Itoa(graphDepth))
	}
	var list []selection
	for !p.take("}") {
		if p.nodes++; p.nodes > graphNodes {
			return nil, badInput("Query has over " + strconv.Itoa(graphNodes) + " nodes")
		}
		s, err := p.selection(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, badQuestion("an empty selection")
	}
	return list, nil
}

func (p *graphParser) selection(depth int) (s selection, err error) {
	if p.take("...") {
		if !p.word("on") {
			if s.spread = p.name(); s.spread == "" {
				return s, badQuestion("a fragment without name or type")
			}
			s.left, err = p.directives()
			return s, err
		}
		if s.on = p.name(); s.on == "" {
			return s, badQuestion("a fragment without a type")
		}
		if s.left, err = p.directives(); err != nil {
			return s, err
		}
		s.fields, err = p.selections(depth + 1)
		return s, err
	}
	if s.name = p.name(); s.name == "" {
		return s, badQuestion("a field without a name")
	}
	s.key = s.name
	if p.take(":") {
		if s.name = p.name(); s.name == "" {
			return s, badQuestion("an alias without a field")
		}
	}
	if p.take("(") {
		if s.args, err = p.arguments(); err != nil {
			return s, err
		}
	}
	if s.left, err = p.directives(); err != nil {
		return s, err
	}
	if p.space(); strings.HasPrefix(p.rest, "{") {
		s.fields, err = p.selections(depth + 1)
	}
	return s, err
}

// directives reads @include and @skip; true leaves the field out.
func (p *graphParser) directives() (left bool, err error) {
	for p.take("@") {
		name := p.name()
		if name != "include" && name != "skip" || !p.take("(") {
			return false, badQuestion("a directive that is neither @include nor @skip")
		}
		args, err := p.arguments()
		if err != nil {
			return false, err
		}
		var held *bool
		if json.Unmarshal(args["if"], &held) != nil || held == nil {
			return false, badQuestion("a directive without its condition")
		}
		left = left || *held == (name == "skip")
	}
	return left, nil
}

// arguments reads up to the closing parenthesis.
func (p *graphParser) arguments() (map[string]json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	for !p.take(")") {
		name := p.name()
		if name == "" || !p.take(":") {
			return nil, badQuestion("an argument cannot be read")
		}
		value, err := p.value()
		if err != nil {
			return nil, err
		}
		args[name] = value
	}
	return args, nil
}

// value reads a variable, a text without escapes, a number or a word. Objects
// and lists come in variables.
func (p *graphParser) value() (json.RawMessage, error) {
	if p.take("$") {
		if v, ok := p.variables[p.name()]; ok {
			return v, nil
		}
		return json.RawMessage("null"), nil
	}
	if p.take(`"`) {
		text, rest, ok := strings.Cut(p.rest, `"`)
		if !ok || strings.ContainsAny(text, "\\\n") {
			return nil, badQuestion("a text cannot be read")
		}
		p.rest = rest
		return json.Marshal(text)
	}
	p.space()
	end := strings.IndexAny(p.rest, " \t\r\n,)]}")
	if end < 1 {
		return nil, badQuestion("a value cannot be read")
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	if json.Valid([]byte(word)) {
		return json.RawMessage(word), nil
	}
	return nil, badQuestion("a value cannot be read: lists, objects and words come in variables")
}
