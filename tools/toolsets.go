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

// The toolsets beside the core. A tool names its own in its declaration.
const (
	toolsetPrices   = "prices"
	toolsetTimeline = "timeline"
	toolsetMoney    = "money"
)

func setNames() []string {
	return []string{toolsetPrices, toolsetTimeline, toolsetMoney, toolsetBus, toolsetActions, toolsetWorkspace}
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
	for _, name := range setNames() {
		if !wanted[everyToolset] && !wanted[name] {
			s.leftOut = append(s.leftOut, name)
		}
	}
	return s, nil
}

// ToolsetNames lists the names that ParseToolsets knows.
func ToolsetNames() []string { return append([]string{everyToolset, coreToolset}, setNames()...) }

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

// Bus reports whether the agent hears of events beside the answers of tools.
func (s Toolsets) Bus() bool { return s.has(toolsetBus) }

// Workspace reports whether the tools on source projects are served.
func (s Toolsets) Workspace() bool { return s.has(toolsetWorkspace) }

// WithoutWorkspace leaves out the tools on source projects, for a user who registered none.
func (s Toolsets) WithoutWorkspace() Toolsets {
	if !s.has(toolsetWorkspace) {
		return s
	}
	return Toolsets{leftOut: append(slices.Clone(s.leftOut), toolsetWorkspace)}
}

// Projects returns those of the tools that work on source projects.
func Projects(all []tool.Tool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t tool.Tool) bool { return t.Toolset != toolsetWorkspace })
}

// has reports whether the tools of a set are served.
func (s Toolsets) has(set string) bool { return !slices.Contains(s.leftOut, set) }

// Serve returns those of the tools that are served, in their order.
func (s Toolsets) Serve(all []tool.Tool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t tool.Tool) bool { return !s.has(t.Toolset) })
}

// Instructions returns the instructions without the lines about tools of all that
// are left out: a model must not be sent to a tool that it cannot call.
func (s Toolsets) Instructions(all []tool.Tool) string {
	lines := slices.DeleteFunc(strings.Split(Instructions, "\n"), func(line string) bool {
		return slices.ContainsFunc(all, func(t tool.Tool) bool { return !s.has(t.Toolset) && strings.Contains(line, t.Name) })
	})
	return strings.Join(lines, "\n")
}
