package graph

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// Direction is the direction of a chain.
type Direction string

// Directions of a chain.
const (
	Callers Direction = "callers"
	Callees Direction = "callees"
	Both    Direction = "both"
)

// Limits of a chain.
const (
	MaxChainDepth  = 5
	MaxChainEdges  = 200
	MaxStarts      = 20
	MaxSourceLines = 60
)

// Query asks for the call chain of a method. Method is module.function, module::function or
// address::module::function. The address is a number or a name in Addresses. Depth 0 means 1, and
// an empty Direction means both.
type Query struct {
	Method        string
	Direction     Direction
	Depth         int
	IncludeSource bool
	Addresses     map[string]string
}

// ChainEdge is an edge of a chain. Depth is the distance from the start, counting from 1. Cycle is
// set if the edge leads back to a function on its own path, and Seen if its target was reached
// before. Neither is followed. Expansion is set if the caller is a macro, whose calls are made by
// the functions that use it.
type ChainEdge struct {
	Edge
	Direction              Direction
	Depth                  int
	Cycle, Seen, Expansion bool
	External               bool // the other function is not loaded
}

// SourceText is the source of a function. Cut is the number of lines omitted at its end.
type SourceText struct {
	ID, File      string
	Line, EndLine int
	Text          string
	Cut           int
}

// Chain is the answer to a Query. Edges are in breadth-first order, callees before callers. Cut is
// the number of edges beyond MaxChainEdges. Only resolved edges are followed.
type Chain struct {
	Starts  []*Function
	Depth   int
	Edges   []ChainEdge
	Sources []SourceText
	Cut     int
}

// Errors of Chain.
var (
	ErrForm      = errors.New("method must be module.function, module::function or address::module::function")
	ErrDirection = errors.New("direction must be callers, callees or both")
	ErrDepth     = fmt.Errorf("depth must be an integer from 1 to %d", MaxChainDepth)
	ErrUnknown   = errors.New("no such function")
	ErrMany      = fmt.Errorf("more than %d functions have that name; include the address", MaxStarts)
)

var methodForm = regexp.MustCompile(`^(?:(?:(\w{1,128})::)?(\w{1,128})::(\w{1,128})|(\w{1,128})\.(\w{1,128}))$`)

// Chain returns the call chain of a function.
func (g *Graph) Chain(q Query) (*Chain, error) {
	if q.Direction == "" {
		q.Direction = Both
	}
	if q.Depth == 0 {
		q.Depth = 1
	}
	switch {
	case q.Direction != Callers && q.Direction != Callees && q.Direction != Both:
		return nil, ErrDirection
	case q.Depth < 1 || q.Depth > MaxChainDepth:
		return nil, ErrDepth
	}
	starts, err := g.find(q.Method, q.Addresses)
	if err != nil {
		return nil, err
	}
	c := &Chain{Starts: starts, Depth: q.Depth}
	for _, d := range []Direction{Callees, Callers} {
		if q.Direction == d || q.Direction == Both {
			g.walk(c, d)
		}
	}
	if q.IncludeSource {
		c.sources(g)
	}
	return c, nil
}

// find returns the functions that a query's method may mean.
func (g *Graph) find(method string, addresses map[string]string) ([]*Function, error) {
	m := methodForm.FindStringSubmatch(method)
	if m == nil {
		return nil, ErrForm
	}
	suffix := "::" + m[2] + m[4] + "::" + m[3] + m[5]
	var out []*Function
	if m[1] != "" {
		id := resolveAddress(&Package{Addresses: addresses}, m[1]) + suffix
		if f := g.Functions[id]; f != nil {
			return []*Function{f}, nil
		}
		return nil, ErrUnknown
	}
	for id, f := range g.Functions {
		if strings.HasSuffix(id, suffix) {
			out = append(out, f)
		}
	}
	switch {
	case len(out) == 0:
		return nil, ErrUnknown
	case len(out) > MaxStarts:
		return nil, ErrMany
	}
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, nil
}

// walk adds the edges in one direction in breadth-first order.
func (g *Graph) walk(c *Chain, d Direction) {
	parent := map[string]string{}
	var front []string
	for _, f := range c.Starts {
		parent[f.ID] = ""
		front = append(front, f.ID)
	}
	for depth := 1; depth <= c.Depth && len(front) > 0; depth++ {
		var next []string
		for _, id := range front {
			for _, e := range g.edges(id, d) {
				other := e.Callee
				if d == Callers {
					other = e.Caller
				}
				_, seen := parent[other]
				out := ChainEdge{Edge: e, Direction: d, Depth: depth, External: g.Functions[other] == nil}
				if f := g.Functions[e.Caller]; f != nil {
					out.Expansion = f.Macro
				}
				if seen {
					out.Cycle = ancestor(parent, id, other)
					out.Seen = !out.Cycle
				} else if e.Confidence == Resolved {
					parent[other] = id
					next = append(next, other)
				}
				if len(c.Edges) < MaxChainEdges {
					c.Edges = append(c.Edges, out)
				} else {
					c.Cut++
				}
			}
		}
		front = next
	}
}

func (g *Graph) edges(id string, d Direction) []Edge {
	if d == Callers {
		return g.callers[id]
	}
	if f := g.Functions[id]; f != nil {
		return f.Edges
	}
	return nil
}

// ancestor reports whether other is id, or is on the path from the start to id.
func ancestor(parent map[string]string, id, other string) bool {
	for ; id != ""; id = parent[id] {
		if id == other {
			return true
		}
	}
	return false
}

// sources adds the source of every function in the chain.
func (c *Chain) sources(g *Graph) {
	var ids []string
	for _, f := range c.Starts {
		ids = append(ids, f.ID)
	}
	for _, e := range c.Edges {
		ids = append(ids, e.Callee, e.Caller)
	}
	seen := map[string]bool{}
	for _, id := range ids {
		f := g.Functions[id]
		if f == nil || f.Bytecode || seen[id] {
			continue
		}
		seen[id] = true
		text, cut := f.Source()
		c.Sources = append(c.Sources, SourceText{ID: id, File: f.File, Line: f.Line,
			EndLine: f.EndLine, Text: text, Cut: cut})
	}
}

// Source returns up to MaxSourceLines lines of a function, with \n as line ending, and the number
// of lines that it omits.
func (f *Function) Source() (text string, cut int) {
	if f.Bytecode {
		return "", 0
	}
	rest := bytes.TrimPrefix(f.text, []byte("\xef\xbb\xbf"))
	for line := 1; line < f.Line; line++ {
		i := bytes.IndexByte(rest, '\n')
		rest = rest[i+1:]
	}
	var lines []string
	for line := f.Line; line <= f.EndLine; line++ {
		if len(lines) == MaxSourceLines {
			cut = f.EndLine - line + 1
			break
		}
		one, more, _ := bytes.Cut(rest, []byte("\n"))
		lines, rest = append(lines, strings.ToValidUTF8(strings.TrimSuffix(string(one), "\r"), "\uFFFD")), more
	}
	return strings.Join(lines, "\n"), cut
}
