package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/workspace/move/bytecode"
	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
)

// Chain reads published packages. Code returns ErrNotPublished if no package has the ID.
type Chain interface {
	Code(ctx context.Context, id string) (Code, error)
}

// Code is a published package. Modules holds its bytecode. Links maps the original ID of each
// dependency to the ID that is loaded. IDs may have leading zeros.
type Code struct {
	Original string
	Links    map[string]string
	Modules  [][]byte
}

// ErrNotPublished means that the node has no package with the given ID.
var ErrNotPublished = errors.New("the node has no package with this ID")

// Limits on reads from the chain.
const (
	maxCrossed   = 8 // packages per answer
	maxKept      = 64
	crossingTime = 8 * time.Second
)

// CallChain implements Executor. If a chain leaves the sources, or starts outside them, it
// continues with published bytecode.
func (l *Local) CallChain(ctx context.Context, key string, r ChainRequest) (*ChainAnswer, error) {
	p, f, err := l.open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	k := l.indexes.of(key)
	k.mu.Lock()
	defer k.mu.Unlock()
	x, err := k.current(ctx, p, f)
	if err != nil {
		return nil, err
	}
	c := &crossing{l: l, p: p, k: k, a: &ChainAnswer{Project: key, Request: r}}
	c.a.Chain, err = c.follow(ctx, x, graph.Query{Method: r.Method, Direction: r.Direction, Depth: r.Depth,
		IncludeSource: r.IncludeSource, Addresses: x.Addresses})
	if err != nil {
		return nil, err
	}
	c.a.Files = map[string]string{}
	for _, e := range c.a.Edges {
		for _, id := range []string{e.Caller, e.Callee} {
			if fn := k.index.Graph.Functions[id]; fn != nil && !fn.Bytecode {
				c.a.Files[id] = fn.File
			}
		}
	}
	for i := range c.a.Sources {
		lines := strings.Split(c.a.Sources[i].Text, "\n")
		for j, line := range lines {
			lines[j] = visible(line)
		}
		c.a.Sources[i].Text = strings.Join(lines, "\n")
	}
	c.a.limits()
	return c.a, nil
}

// crossing is a query that may read published packages.
type crossing struct {
	l    *Local
	p    *Project
	k    *kept
	a    *ChainAnswer
	read int
}

// follow runs a query, reads the packages that the chain reaches, and repeats this until the chain
// reaches no new package.
func (c *crossing) follow(ctx context.Context, x *Index, q graph.Query) (*graph.Chain, error) {
	bounded, stop := context.WithTimeout(ctx, crossingTime)
	defer stop()
	for {
		now := q
		now.Method = x.ownName(c.k.named(q.Method))
		chain, err := x.Graph.Chain(now)
		if c.l.chain == nil || err != nil && !errors.Is(err, graph.ErrUnknown) {
			return chain, err
		}
		more, failed := c.readAll(bounded, x, wanted(chain, now.Method))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if more {
			c.k.index = nil // it lacks the new packages, and building another may fail
			if x, err = c.p.Index(ctx, c.k.published...); err != nil {
				return nil, err
			}
			c.k.index = x
		}
		switch {
		case err != nil && failed != nil:
			return nil, fmt.Errorf("%w in the sources, and its package could not be read: %w", err, failed)
		case failed != nil:
			c.note("Published packages could not be read (" + failed.Error() + "); calls inside them are not shown.")
		}
		if !more {
			return chain, err
		}
	}
}

// wanted returns the packages that a chain reaches but that are not loaded. If the method is
// unknown, it returns the method's package.
func wanted(chain *graph.Chain, method string) []string {
	var ids []string
	if chain == nil {
		ids = []string{method}
	} else {
		for _, e := range chain.Edges {
			if e.External && e.Confidence == graph.Resolved && e.Depth < chain.Depth {
				ids = append(ids, e.Callee)
			}
		}
	}
	var out []string
	for _, id := range ids {
		address, _, named := strings.Cut(id, "::")
		address = graph.ShortAddress(address)
		if named && strings.HasPrefix(address, "0x") && strings.Count(id, "::") == 2 && !slices.Contains(out, address) {
			out = append(out, address)
		}
	}
	return out
}

// readAll reads packages that were not read before, and reports whether there were any.
func (c *crossing) readAll(ctx context.Context, x *Index, ids []string) (more bool, failed error) {
	for _, id := range ids {
		if _, asked := c.k.ids[id]; asked {
			continue
		}
		if c.read == maxCrossed || len(c.k.ids) >= maxKept {
			c.note(fmt.Sprintf("Calls inside further published packages are not shown: each answer reads at most %d. "+
				"Repeat the call to continue.", maxCrossed))
			return more, failed
		}
		c.read++
		c.link(ctx, x)
		err := c.k.readPackage(ctx, c.l.chain, id)
		if err != nil {
			failed = err
			continue
		}
		more = true
	}
	return more, failed
}

// link finds out which versions of its dependencies the published code of the project uses.
func (c *crossing) link(ctx context.Context, x *Index) {
	if c.k.linked {
		return
	}
	known := true
	c.k.links = map[string]string{}
	for _, pkg := range x.Packages {
		for _, published := range pkg.Published {
			code, err := c.l.chain.Code(ctx, published.Latest)
			if err != nil {
				known = known && errors.Is(err, ErrNotPublished) // does not change if it is not published; other errors are retried
				continue
			}
			for first, loaded := range code.Links {
				c.k.links[graph.ShortAddress(first)] = graph.ShortAddress(loaded)
			}
		}
	}
	c.k.linked = known
}

// readPackage reads a package and adds its modules.
func (k *kept) readPackage(ctx context.Context, chain Chain, id string) error {
	loaded := id
	if newer, ok := k.links[id]; ok {
		loaded = newer
	}
	code, err := chain.Code(ctx, loaded)
	if err != nil {
		if errors.Is(err, ErrNotPublished) {
			k.name(id, "")
		}
		return err
	}
	var modules []*bytecode.Module
	for _, raw := range code.Modules {
		m, err := bytecode.Parse(raw)
		if err != nil {
			return fmt.Errorf("a module of %s cannot be read: %w", id, err)
		}
		modules = append(modules, m)
	}
	k.name(id, graph.ShortAddress(code.Original))
	k.name(k.ids[id], k.ids[id])
	for _, m := range modules {
		if !slices.ContainsFunc(k.published, func(o *bytecode.Module) bool { return o.ID == m.ID }) {
			k.published = append(k.published, m)
		}
	}
	return nil
}

func (k *kept) name(id, original string) {
	if k.ids == nil {
		k.ids = map[string]string{}
	}
	k.ids[id] = original
}

// named returns a method with the original ID of its package, if that is known.
func (k *kept) named(method string) string {
	address, rest, ok := strings.Cut(method, "::")
	if first := k.ids[graph.ShortAddress(address)]; ok && first != "" {
		return first + "::" + rest
	}
	return method
}

func (c *crossing) note(text string) {
	if !slices.Contains(c.a.Notes, text) {
		c.a.Notes = append(c.a.Notes, text)
	}
}

// ownName returns a method's name in the sources if it names a published version of a package in
// the project.
func (x *Index) ownName(method string) string {
	address, rest, ok := strings.Cut(method, "::")
	if !ok || strings.Count(method, "::") != 2 {
		return method
	}
	address = graph.ShortAddress(address)
	for _, pkg := range x.Packages {
		if !pkg.publishedAs(address) {
			continue
		}
		for _, own := range x.ownAddresses(pkg) {
			if x.Graph.Functions[own+"::"+rest] != nil {
				return own + "::" + rest
			}
		}
	}
	return method
}

// publishedAs reports whether address is a version of the package, according to the package's
// files.
func (p *Package) publishedAs(address string) bool {
	for _, v := range p.Published {
		if v.Latest == address || v.Original == address {
			return true
		}
	}
	return false
}

// ownAddresses returns the addresses that the modules of a package may have.
func (x *Index) ownAddresses(p *Package) []string {
	list := []string{p.address(), x.Addresses[strings.ToLower(p.Name)], strings.ToLower(p.Name)}
	for _, v := range p.Published {
		list = append(list, v.Latest, v.Original)
	}
	for name, address := range p.Addresses {
		list = append(list, address, name)
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// MaxChainBytes limits an answer with a call chain, in bytes of text or JSON.
const MaxChainBytes = 32 << 10

// Fit shortens the answer until size returns at most MaxChainBytes. It first removes sources from
// the end, then edges. It returns how many of each it removed.
func (a *ChainAnswer) Fit(size func() int) (sources, edges int) {
	for size() > MaxChainBytes && len(a.Sources)+len(a.Edges) > 0 {
		if n := len(a.Sources); n > 0 {
			a.Sources = a.Sources[:n-1]
			sources++
			continue
		}
		less := max(len(a.Edges)/16, 1)
		a.Edges = a.Edges[:len(a.Edges)-less]
		a.Cut += less
		edges += less
	}
	return sources, edges
}

// limits adds notes about what is missing from the chain.
func (a *ChainAnswer) limits() {
	//mutant:never ./internal/workspace TestChainFits
	if sources, _ := a.Fit(func() int { return len(a.Markdown()) + 512 }); sources > 0 {
		a.LeftOut = sources
		a.Notes = append(a.Notes, fmt.Sprintf("The texts of %d functions are left out; read_file returns them by file and line.",
			sources))
	}
	if a.Cut > 0 {
		a.Notes = append(a.Notes, fmt.Sprintf("%d edges beyond the first %d are omitted; request one direction, or "+
			"less depth.",
			a.Cut, graph.MaxChainEdges))
	}
	if slices.ContainsFunc(a.Edges, func(e graph.ChainEdge) bool { return e.Confidence == graph.ByName }) {
		a.Notes = append(a.Notes,
			"A by_name edge is a guess: the receiver's type is unknown, and the edge is not followed.")
	}
}
