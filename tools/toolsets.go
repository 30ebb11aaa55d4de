package tools

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// The names of toolsets that are no set of their own tools.
const (
	everyToolset = "all"  // every set
	coreToolset  = "core" // the tools of the specification, and nothing beside
)

// toolset is a group of tools beside the core.
type toolset struct {
	name  string
	tools []string
}

// moreToolsets lists the sets beside the core. A tool that is in none belongs to
// the core.
func moreToolsets() []toolset {
	return []toolset{
		{"prices", []string{toolPriceHistory, toolPriceAtTime}},
		{"timeline", []string{toolTimeline}},
	}
}

// Toolsets says which groups of tools a process serves. The core is always
// among them: what the others answer leads on to its tools. The zero value is
// every set.
type Toolsets struct {
	leftOut []string // names of sets
}

// ParseToolsets reads a list of names, separated by commas: all, core, or the
// sets to serve beside the core. Unknown names are fault.InputInvalid with the
// names that exist.
func ParseToolsets(list string) (Toolsets, error) {
	wanted := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(ToolsetNames(), name) {
			return Toolsets{}, fault.New(fault.InputInvalid, "There is no toolset %q. There are: %s. "+
				"Separate several with commas; core is always served.", name, strings.Join(ToolsetNames(), ", "))
		}
		wanted[name] = true
	}
	var s Toolsets
	for _, set := range moreToolsets() {
		if !wanted[everyToolset] && !wanted[set.name] {
			s.leftOut = append(s.leftOut, set.name)
		}
	}
	return s, nil
}

// ToolsetNames lists the names that ParseToolsets knows.
func ToolsetNames() []string { return append([]string{everyToolset, coreToolset}, setNames()...) }

func setNames() []string {
	var names []string
	for _, set := range moreToolsets() {
		names = append(names, set.name)
	}
	return names
}

// Served lists the sets that are served, the core first.
func (s Toolsets) Served() []string {
	names := []string{coreToolset}
	for _, name := range setNames() {
		if !slices.Contains(s.leftOut, name) {
			names = append(names, name)
		}
	}
	return names
}

// without lists the tools that are left out.
func (s Toolsets) without() []string {
	var names []string
	for _, set := range moreToolsets() {
		if slices.Contains(s.leftOut, set.name) {
			names = append(names, set.tools...)
		}
	}
	return names
}

// Serve gives those of the tools that are served, in their order.
func (s Toolsets) Serve(all []tool.Tool) []tool.Tool {
	without := s.without()
	return slices.DeleteFunc(slices.Clone(all), func(t tool.Tool) bool { return slices.Contains(without, t.Name) })
}

// Instructions gives the instructions without the lines about tools that are
// left out: a model must not be sent to a tool that it cannot call.
func (s Toolsets) Instructions() string {
	without := s.without()
	lines := slices.DeleteFunc(strings.Split(Instructions, "\n"), func(line string) bool {
		return slices.ContainsFunc(without, func(name string) bool { return strings.Contains(line, name) })
	})
	return strings.Join(lines, "\n")
}
