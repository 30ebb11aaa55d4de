package tools

import (
	"slices"

	"github.com/sayurintent/sayurintent/tools/tool"
)

// Entry is one tool of the catalogue: an implemented or a planned one.
type Entry struct {
	Name    string
	Status  tool.Status
	Toolset string // "" means core
	Purpose string
}

// Live reports whether the tool is implemented.
func (e Entry) Live() bool { return e.Status != tool.Planned }

// planned lists tools that guidance may name although they are not implemented yet.
func planned() []Entry { return nil }

// Catalogue lists all tools: the implemented ones in order, then the planned ones.
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
