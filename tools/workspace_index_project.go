package tools

import (
	"context"
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type indexProjectIn struct {
	Project projectKey `json:"projectKey" brief:"" description:"the project"`
}

// mostIndexed is the maximum number of problems of each kind in a result.
const mostIndexed = 50

// indexResult is the result of an index task.
type indexResult struct {
	Project    string         `json:"projectKey"`
	Packages   []packageView  `json:"packages"`
	Modules    int            `json:"modules"`
	Functions  int            `json:"functions"`
	Calls      int            `json:"calls"`
	Resolved   int            `json:"resolvedCalls"`
	Problems   []indexProblem `json:"syntaxProblems"`
	Unresolved []string       `json:"unresolvedNames"`
	Broken     []string       `json:"brokenManifests"`
	Truncated  bool           `json:"truncated"`
	Trust      string         `json:"contentTrust"`
}

// indexProblem is a position that cannot be parsed as Move.
type indexProblem struct {
	File   string `json:"relativePath"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// workspaceIndexProject starts a task that parses a project and reports what cannot be parsed.
func workspaceIndexProject(b bench, r runner, c conversations) tool.Tool {
	return tool.Declare(tool.Spec[indexProjectIn, begunOut]{
		Name:  toolIndexProject,
		Title: "Index a project",
		Summary: "Parses a registered project's Move sources, as a task, and reports syntax errors and calls of " +
			"unknown names. Compiles nothing.",
		Untrusted: []tool.Origin{tool.FromProgram},
		Effect:    tool.AddsLocal,
		Toolset:   toolsetWorkspace,
		Errors:    append(workspaceErrors(), fault.RateLimited),
		Cases:     begunCases("It parses every source; the result has the problems."),
		Examples: []tool.Example{
			{Name: "a project", Given: givenProject, In: `{"projectKey":"my-vault"}`, Case: caseBegun},
			{Name: "unknown project", Given: givenNothing, In: `{"projectKey":"nope"}`, Fault: fault.SessionNotFound},
			{Name: "folder gone", Given: givenFolderGone, In: `{"projectKey":"my-vault"}`, Fault: fault.Blocked},
			{Name: "too many tasks", Given: givenBusyProject, In: `{"projectKey":"my-vault"}`, Fault: fault.RateLimited},
		},
		Run: func(call tool.Call, in indexProjectIn) (begunOut, error) {
			// Report a missing folder immediately.
			if err := b.local.Reach(call.Context(), string(in.Project)); err != nil {
				return begunOut{}, refuse(err)
			}
			t, err := r.Start(call.Context(), worker.Job{Session: c.Bus(call.Context()), Kind: bus.KindIndex,
				Tool: toolIndexProject},
				func(ctx context.Context, tell worker.Tell) (any, error) {
					if err := tell("parsing", "reads the Move sources", 0); err != nil {
						return nil, err
					}
					x, err := b.local.Index(ctx, string(in.Project))
					if err != nil {
						return nil, refuse(err)
					}
					return b.indexed(string(in.Project), x), nil
				})
			return beganAs(call, b.network, t), err
		},
		Undo: unbegin(c),
	})
}

// indexed converts an index to the task's result.
func (b bench) indexed(key string, x *workspace.Index) indexResult {
	out := indexResult{Project: key, Packages: []packageView{}, Problems: []indexProblem{}, Unresolved: []string{},
		Broken: append([]string{}, x.Broken...), Trust: b.origin("").Trust}
	for _, pkg := range x.Packages {
		out.Packages = append(out.Packages, packageView{Name: pkg.Name, Directory: pkg.Dir, Edition: pkg.Edition,
			Published: publishedOf(pkg)})
	}
	for _, m := range x.Graph.Modules {
		if !m.Bytecode {
			out.Modules++
		}
	}
	unknown := map[string]bool{}
	for _, f := range x.Graph.Functions {
		if f.Bytecode {
			continue
		}
		out.Functions++
		for _, e := range f.Edges {
			out.Calls++
			if e.Confidence == graph.Resolved {
				out.Resolved++
			} else if e.Candidates == 0 && x.Graph.Functions[e.Callee] == nil {
				unknown[fmt.Sprintf("%s in %s", e.Callee, f.ID)] = true
			}
		}
	}
	for name := range unknown {
		out.Unresolved = append(out.Unresolved, name)
	}
	slices.Sort(out.Unresolved)
	for _, p := range x.Graph.Problems {
		out.Problems = append(out.Problems, indexProblem{p.File, p.Line, p.Column, p.Text})
	}
	out.Truncated = len(out.Problems) > mostIndexed || len(out.Unresolved) > mostIndexed
	out.Problems = out.Problems[:min(len(out.Problems), mostIndexed)]
	out.Unresolved = out.Unresolved[:min(len(out.Unresolved), mostIndexed)]
	return out
}
