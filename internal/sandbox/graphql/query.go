package graphql

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// Limits of one query, as on mainnet's service.
const (
	maxPayload = 5000 // bytes, in addition to a transaction to simulate
	maxNodes   = 300  // fields and fragments
	maxDepth   = 20

	maxTransaction = 175_000 // bytes
)

// selection is a requested field, the fields of one type (on), or a named fragment (spread).
type selection struct {
	key, name string // key is the name in the answer
	on        string
	spread    string
	skipped   bool                       // excluded by a directive
	args      map[string]json.RawMessage // with variables substituted
	fields    []selection
}

// queryError explains why a query is refused. code is one of the GraphQL service's codes.
type queryError struct {
	message, code string
}

func (e *queryError) Error() string { return e.message }

// badQuery returns the error for an invalid query, or one outside the supported part of the language.
func badQuery(message string) error { return &queryError{message, "GRAPHQL_PARSE_FAILED"} }

// badInput returns the error for a query whose arguments, size or depth the service refuses.
func badInput(message string) error { return &queryError{message, "BAD_USER_INPUT"} }

func tooDeep() error { return badInput("Query nesting is over " + strconv.Itoa(maxDepth)) }
func tooMany() error { return badInput("Query has over " + strconv.Itoa(maxNodes) + " nodes") }

// reader reads the supported part of a parsed document: one query with variables, arguments,
// aliases, fragments, @include and @skip. It refuses mutations and multiple operations. A validator
// (Config.CheckQuery) checks the types of variables.
type reader struct {
	variables map[string]json.RawMessage
	fragments map[string]selection
	nodes     int
}

// parse returns the fields that a query selects, with variables substituted and fragments inlined.
func parse(query string, variables map[string]json.RawMessage) ([]selection, error) {
	doc, err := parser.ParseQuery(&ast.Source{Input: strings.TrimPrefix(query, "\ufeff")})
	switch {
	case err != nil:
		return nil, badQuery(err.Error())
	case len(doc.Operations) == 0:
		return nil, badQuery("there is no query")
	case len(doc.Operations) > 1:
		return nil, badQuery("there is more than one query")
	case doc.Operations[0].Operation != ast.Query:
		return nil, badQuery("only queries are answered")
	case len(doc.Operations[0].Directives) > 0:
		return nil, badQuery("a query has no directives here")
	}
	r := &reader{variables: map[string]json.RawMessage{}, fragments: map[string]selection{}}
	maps.Copy(r.variables, variables)
	for _, v := range doc.Operations[0].VariableDefinitions {
		if _, sent := r.variables[v.Variable]; sent || v.DefaultValue == nil {
			continue
		}
		if r.variables[v.Variable], err = r.value(v.DefaultValue); err != nil {
			return nil, err
		}
	}
	for _, f := range doc.Fragments {
		if len(f.Directives) > 0 || len(f.VariableDefinition) > 0 {
			return nil, badQuery("a fragment has neither directives nor variables here")
		}
		fields, err := r.selections(f.SelectionSet, 2)
		if err != nil {
			return nil, err
		}
		r.fragments[f.Name] = selection{on: f.TypeCondition, fields: fields}
	}
	fields, err := r.selections(doc.Operations[0].SelectionSet, 1)
	if err != nil {
		return nil, err
	}
	r.nodes = 0
	return r.spread(fields, 1)
}

// selections reads a set of fields and fragments.
func (r *reader) selections(set ast.SelectionSet, depth int) ([]selection, error) {
	if len(set) > 0 && depth > maxDepth {
		return nil, tooDeep()
	}
	var list []selection
	for _, one := range set {
		if r.nodes++; r.nodes > maxNodes {
			return nil, tooMany()
		}
		var s selection
		var below ast.SelectionSet
		var directives ast.DirectiveList
		var err error
		switch one := one.(type) {
		case *ast.Field:
			s.key, s.name, below, directives = one.Alias, one.Name, one.SelectionSet, one.Directives
			s.args, err = r.arguments(one.Arguments)
		case *ast.InlineFragment:
			if s.on, below, directives = one.TypeCondition, one.SelectionSet, one.Directives; s.on == "" {
				err = badQuery("a fragment without a type")
			}
		case *ast.FragmentSpread:
			s.spread, directives = one.Name, one.Directives
		}
		if err == nil {
			s.skipped, err = r.directives(directives)
		}
		if err == nil {
			s.fields, err = r.selections(below, depth+1)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// spread inlines named fragments and applies directives. Recursive fragments end at the depth
// limit.
func (r *reader) spread(fields []selection, depth int) ([]selection, error) {
	if depth > maxDepth {
		return nil, tooDeep()
	}
	var out []selection
	for _, s := range fields {
		if s.skipped {
			continue
		}
		if r.nodes++; r.nodes > maxNodes {
			return nil, tooMany()
		}
		if s.spread != "" {
			f, ok := r.fragments[s.spread]
			if !ok {
				return nil, badQuery("there is no fragment " + s.spread)
			}
			s = f
		}
		var err error
		if s.fields, err = r.spread(s.fields, depth+1); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// directives reports whether @include or @skip excludes a field.
func (r *reader) directives(list ast.DirectiveList) (left bool, err error) {
	for _, d := range list {
		if d.Name != "include" && d.Name != "skip" {
			return false, badQuery("a directive that is neither @include nor @skip")
		}
		args, err := r.arguments(d.Arguments)
		if err != nil {
			return false, err
		}
		var held *bool
		if json.Unmarshal(args["if"], &held) != nil || held == nil {
			return false, badQuery("a directive without its condition")
		}
		left = left || *held == (d.Name == "skip")
	}
	return left, nil
}

// arguments returns the JSON of each argument with variables substituted. Each field checks the
// types of its own arguments.
func (r *reader) arguments(list ast.ArgumentList) (map[string]json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	for _, a := range list {
		value, err := r.value(a.Value)
		if err != nil {
			return nil, err
		}
		args[a.Name] = value
	}
	return args, nil
}

// value returns the JSON of a variable, string, number, boolean or null. Objects and lists come in
// variables.
func (r *reader) value(v *ast.Value) (json.RawMessage, error) {
	switch v.Kind {
	case ast.Variable:
		if sent, ok := r.variables[v.Raw]; ok {
			return sent, nil
		}
		return json.RawMessage("null"), nil
	case ast.StringValue:
		return json.Marshal(v.Raw)
	case ast.IntValue, ast.FloatValue, ast.BooleanValue, ast.NullValue:
		return json.RawMessage(v.Raw), nil
	}
	return nil, badQuery("a value cannot be read: lists, objects and words come in variables")
}
