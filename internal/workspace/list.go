package workspace

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
)

// ProjectInfo is a registered project without its path. Problem is the reason why its packages are
// not known, or "".
type ProjectInfo struct {
	Key      string
	Mode     Mode
	Packages []*Package
	Problem  string
}

// Projects lists the registered projects and their packages.
func (l *Local) Projects(ctx context.Context) ([]ProjectInfo, error) {
	all, err := l.registry.Folders(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]ProjectInfo, 0, len(all))
	for _, f := range all {
		info := ProjectInfo{Key: f.Key, Mode: f.Mode}
		if x, err := l.Index(ctx, f.Key); err != nil {
			info.Problem = err.Error()
		} else {
			info.Packages = x.Packages
		}
		list = append(list, info)
	}
	return list, ctx.Err()
}

// Place is a function in a registered project's source.
type Place struct {
	Project  string
	Package  string
	File     string // relative path
	Line     int
	Function string // name in the sources
}

// Locate returns the source of a function in a published package. Function and File are empty if
// only the package was found.
func (l *Local) Locate(ctx context.Context, packageID, module, function string) (Place, bool) {
	all, err := l.registry.Folders(ctx)
	if err != nil {
		return Place{}, false
	}
	address := graph.ShortAddress(packageID)
	for _, f := range all {
		x, err := l.Index(ctx, f.Key)
		if err != nil {
			continue
		}
		for _, pkg := range x.Packages {
			//mutant:never `!pkg.publishedAs(address)` ./internal/workspace TestLocate
			if !pkg.publishedAs(address) {
				continue
			}
			place := Place{Project: f.Key, Package: pkg.Name}
			if fn := x.Graph.Functions[x.ownName(address+"::"+module+"::"+function)]; fn != nil && !fn.Bytecode {
				place.File, place.Line, place.Function = fn.File, fn.Line, fn.ID
			}
			return place, true
		}
	}
	return Place{}, false
}

// fileTypes maps a value of file_type to extensions of files.
var fileTypes = map[string][]string{
	"move": {".move"}, "toml": {".toml"}, "config": {".toml", ".json", ".yaml", ".yml"},
	"ts": {".ts", ".tsx", ".mts", ".cts"}, "js": {".js", ".jsx", ".mjs", ".cjs"}, "md": {".md"}, "rs": {".rs"},
}

// FileTypes returns the values of file_type, "all" first.
func FileTypes() []string { return []string{"all", "move", "toml", "config", "ts", "js", "md", "rs"} }

// hasEnding reports whether a file has one of the endings. An empty list matches all files.
func hasEnding(name string, endings []string) bool {
	return endings == nil || slices.Contains(endings, strings.ToLower(path.Ext(name)))
}
