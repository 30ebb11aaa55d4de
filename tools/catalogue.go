package tools

import (
	"slices"

	"github.com/sayurintent/sayurintent/tools/tool"
)

// Entry is an implemented or planned tool in the catalogue.
type Entry struct {
	Name    string
	Status  tool.Status
	Toolset string // "" means core
	Purpose string
}

// Live reports whether the tool is implemented.
func (e Entry) Live() bool { return e.Status != tool.Planned }

// planned returns the tools that guidance may name although they are not implemented.
func planned() []Entry { return nil }

// Catalogue returns all tools: first the implemented ones, then the planned ones.
func Catalogue() []Entry { return catalogueOf(All(Deps{})) }

func catalogueOf(all []tool.Tool) []Entry {
	entries := make([]Entry, 0, len(all))
	for _, t := range all {
		entries = append(entries, Entry{t.Name, t.Status, t.Toolset, t.Summary})
	}
	return append(entries, planned()...)
}

// Planned returns the names of the planned tools.
func Planned() []string {
	var names []string
	for _, e := range planned() {
		names = append(names, e.Name)
	}
	return slices.Clip(names)
}
