package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// sources finds the source of published functions in the user's projects.
type sources interface {
	Locate(ctx context.Context, pkg, module, function string) (workspace.Place, bool)
}

// projectSource is the location of a called function's source in a project.
type projectSource struct {
	Target  string `json:"target" description:"package::module::function"`
	Project string `json:"projectKey" description:"the project, for workspace.call_chain"`
	Package string `json:"package" description:"name of the package"`
	File    string `json:"file,omitempty" description:"relative path; none where the sources have no such function"`
	Line    int    `json:"line,omitempty" description:"first line"`
}

// mostSources is the maximum number of calls whose source is looked up.
const mostSources = 20

// sourcesOf returns the sources of the functions that a transaction calls, each once.
func sourcesOf(ctx context.Context, code sources, calls []activity.Call) (list []projectSource) {
	if code == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, c := range calls {
		if seen[c.Target] || len(seen) == mostSources {
			continue
		}
		seen[c.Target] = true
		if place, ok := code.Locate(ctx, c.Package.String(), c.Module, c.Function); ok {
			list = append(list, projectSource{c.Target, place.Project, place.Package, place.File, place.Line})
		}
	}
	return list
}

// sourceOfTarget returns the source of the function that a proposal would call.
func sourceOfTarget(ctx context.Context, code sources, a *proposal.Action) []projectSource {
	if code == nil || a == nil || a.Target.PackageID == nil {
		return nil
	}
	t := a.Target
	place, ok := code.Locate(ctx, t.PackageID.String(), t.Module, t.Function)
	if !ok {
		return nil
	}
	return []projectSource{{t.PackageID.String() + "::" + t.Module + "::" + t.Function, place.Project, place.Package,
		place.File, place.Line}}
}
