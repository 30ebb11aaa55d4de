package tools

import (
	"slices"

	"github.com/sayurintent/sayurintent/tools/tool"
)

// Entry is one tool of the catalogue: a declared tool, or a planned name.
type Entry struct {
	Name    string
	Status  tool.Status
	Toolset string // "" is the core
	Purpose string
}

// Live reports whether the tool can be called.
func (e Entry) Live() bool { return e.Status != tool.Planned }

// planned lists the tools that guidance may already name although they do not
// exist yet. A tool leaves the list when it is declared.
func planned() []Entry { return nil }

// Catalogue lists every tool: the declared ones in their order, then the planned.
func Catalogue() []Entry { return catalogueOf(All(Deps{})) }

func catalogueOf(all []tool.Tool) []Entry {
	entries := make([]Entry, 0, len(all))
	for _, t := range all {
		entries = append(entries, Entry{t.Name, t.Status, t.Toolset, t.Summary})
	}
	return append(entries, planned()...)
}

// Planned lists the names of the planned tools.
func Planned() []string {
	var names []string
	for _, e := range planned() {
		names = append(names, e.Name)
	}
	return slices.Clip(names)
}
