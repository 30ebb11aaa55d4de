package workspace

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/sayurintent/sayurintent/internal/workspace/move/bytecode"
	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
)

// Limits of an index.
const (
	MaxPackages    = 100
	MaxSources     = 5000
	MaxSourceBytes = 64 << 20
)

// ErrLarge means that a project has too much Move code to index.
var ErrLarge = errors.New("too many Move sources to index: the limits are 100 packages, 5000 files and 64 MiB")

// Index is the Move code of a project. Addresses holds the named addresses of all packages.
type Index struct {
	Graph     *graph.Graph
	Packages  []*Package
	Addresses map[string]string
	Broken    []string // manifests that could not be read
}

// system maps the addresses that every Sui package may use by name.
var system = map[string]string{"std": "0x1", "sui": "0x2", "sui_system": "0x3", "bridge": "0xb"}

// Index parses all packages of the project together. published are modules of dependencies whose
// sources are not in the project.
func (p *Project) Index(ctx context.Context, published ...*bytecode.Module) (*Index, error) {
	c := &collector{ctx: ctx, index: &Index{}, sources: map[string][]graph.Source{}}
	at, err := p.directory(nil)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	if err := c.directory(at, "", "", false, 0); err != nil {
		return nil, err
	}
	x := c.index
	sort.Slice(x.Packages, func(i, j int) bool { return x.Packages[i].Dir < x.Packages[j].Dir })
	x.Addresses = maps.Clone(system)
	for _, pkg := range x.Packages {
		for name, a := range pkg.Addresses {
			if x.Addresses[name] == "" {
				x.Addresses[name] = a
			}
		}
	}
	for _, pkg := range x.Packages { // a published address replaces one that the manifest leaves open
		if name := strings.ToLower(pkg.Name); x.Addresses[name] == "" && pkg.address() != "" {
			x.Addresses[name] = pkg.address()
		}
	}
	var packages []graph.Package
	for _, pkg := range x.Packages {
		addresses := maps.Clone(x.Addresses)
		maps.Copy(addresses, pkg.Addresses)
		packages = append(packages, graph.Package{Name: pkg.Name, Legacy: pkg.Edition == "" || pkg.Edition == "legacy",
			Addresses: addresses, Sources: c.sources[pkg.Dir]})
	}
	x.Graph = graph.Build(packages, published...)
	return x, nil
}

// collector walks a project for packages and their sources.
type collector struct {
	ctx     context.Context
	index   *Index
	sources map[string][]graph.Source // by the package's directory
	files   int
	bytes   int
}

// directory walks dir. owner is the directory of the enclosing package. inSources is set if dir is
// in the sources of that package.
func (c *collector) directory(at *os.Root, dir, owner string, inSources bool, depth int) error {
	entries, err := fs.ReadDir(at.FS(), ".")
	if err != nil || depth > maxTreeDepth {
		return nil
	}
	inPackage := inSources
	for _, e := range entries {
		if e.Name() == "Move.toml" && e.Type().IsRegular() {
			if inPackage, err = c.manifest(at, dir); err != nil {
				return err
			}
			owner, inSources = dir, false
		}
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if !plain(e.Name()) || Denied(e.Name()) {
			continue
		}
		switch {
		case e.IsDir() && !strings.HasPrefix(e.Name(), ".") && (inSources || !slices.Contains(ignored, fold(e.Name()))):
			sub, err := enter(at, e.Name())
			if err != nil {
				continue
			}
			below := inSources || inPackage && owner == dir && e.Name() == "sources"
			err = c.directory(sub, name, owner, below, depth+1)
			sub.Close()
			if err != nil {
				return err
			}
		case inSources && e.Type().IsRegular() && path.Ext(e.Name()) == ".move":
			if err := c.source(at, e.Name(), name, owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// manifest reads the manifest in dir. ok is false if there is no package.
func (c *collector) manifest(at *os.Root, dir string) (ok bool, err error) {
	text, err := load(at, "Move.toml")
	if err == nil {
		lock, _ := load(at, "Move.lock")
		publications, _ := load(at, "Published.toml")
		var pkg *Package
		if pkg, err = parsePackage(dir, text, lock, publications); err == nil {
			if c.index.Packages = append(c.index.Packages, pkg); len(c.index.Packages) > MaxPackages {
				return false, ErrLarge
			}
			return true, nil
		}
	}
	c.index.Broken = append(c.index.Broken, path.Join(dir, "Move.toml"))
	return false, nil
}

func (c *collector) source(at *os.Root, file, name, owner string) error {
	data, err := load(at, file)
	if err != nil {
		return nil
	}
	c.files++
	c.bytes += len(data)
	if c.files > MaxSources || c.bytes > MaxSourceBytes {
		return ErrLarge
	}
	c.sources[owner] = append(c.sources[owner], graph.Source{Path: name, Text: commented(data)})
	return nil
}
