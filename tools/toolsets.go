package tools

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Names that select toolsets but are not the name of one.
const (
	everyToolset = "all"  // all sets
	coreToolset  = "core" // only the tools in the specification
)

// Toolsets in addition to core. A tool's declaration names its toolset.
const (
	toolsetPrices   = "prices"
	toolsetTimeline = "timeline"
	toolsetMoney    = "money"
)

func setNames() []string {
	return []string{toolsetPrices, toolsetTimeline, toolsetMoney, toolsetBus, toolsetActions, toolsetWorkspace}
}

// Toolsets selects the groups of tools that a process serves. Core is always served, because
// answers of other tools refer to its tools. The zero value selects all toolsets.
type Toolsets struct {
	leftOut []string // names of the toolsets that are not served
}

// ParseToolsets parses a comma-separated list: all, core, or the toolsets to serve in addition to
// core. For an unknown name it returns fault.InputInvalid, with the known names in the text.
func ParseToolsets(list string) (Toolsets, error) {
	wanted := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(ToolsetNames(), name) {
			return Toolsets{}, fault.New(fault.InputInvalid, "Unknown toolset %q. The toolsets are: %s. "+
				"Separate several by commas; core is always served.", name, strings.Join(ToolsetNames(), ", "))
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

// ToolsetNames lists the names that ParseToolsets accepts.
func ToolsetNames() []string { return append([]string{everyToolset, coreToolset}, setNames()...) }

// Served returns the names of the selected toolsets, core first.
func (s Toolsets) Served() []string {
	names := []string{coreToolset}
	for _, name := range setNames() {
		if !slices.Contains(s.leftOut, name) {
			names = append(names, name)
		}
	}
	return names
}

// Bus reports whether the tools for events and tasks are served. If they are, answers also contain
// events that wait for the agent.
func (s Toolsets) Bus() bool { return s.has(toolsetBus) }

// Workspace reports whether the tools for source projects are served.
func (s Toolsets) Workspace() bool { return s.has(toolsetWorkspace) }

// WithoutWorkspace returns s without the tools for source projects, for a user who has registered
// none.
func (s Toolsets) WithoutWorkspace() Toolsets {
	if !s.has(toolsetWorkspace) {
		return s
	}
	return Toolsets{leftOut: append(slices.Clone(s.leftOut), toolsetWorkspace)}
}

// Projects returns the tools in all that are for source projects.
func Projects(all []tool.Tool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t tool.Tool) bool { return t.Toolset != toolsetWorkspace })
}

// has reports whether a toolset is selected.
func (s Toolsets) has(set string) bool { return !slices.Contains(s.leftOut, set) }

// Serve returns the selected tools of all, in order.
func (s Toolsets) Serve(all []tool.Tool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t tool.Tool) bool { return !s.has(t.Toolset) })
}

// Instructions returns the instructions without the lines that name a tool that is not served,
// because a model must not be told to call a missing tool.
func (s Toolsets) Instructions(all []tool.Tool) string {
	lines := slices.DeleteFunc(strings.Split(Instructions, "\n"), func(line string) bool {
		return slices.ContainsFunc(all, func(t tool.Tool) bool { return !s.has(t.Toolset) && strings.Contains(line, t.Name) })
	})
	return strings.Join(lines, "\n")
}
