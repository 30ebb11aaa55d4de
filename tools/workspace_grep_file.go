package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// searchPattern is the pattern of a search.
type searchPattern string

// Shape implements tool.Shaped.
func (searchPattern) Shape() tool.Shape {
	return tool.Shape{MinLength: 1, MaxLength: workspace.MaxPattern}
}

// matchLimit is the maximum number of matches in an answer.
type matchLimit int

// Shape implements tool.Shaped.
func (matchLimit) Shape() tool.Shape { return tool.Between(1, workspace.MaxMatches) }

// matchContext is the number of lines shown around a match.
type matchContext int

// Shape implements tool.Shaped.
func (matchContext) Shape() tool.Shape { return tool.Between(0, workspace.MaxContext) }

// fileType selects files by their type.
type fileType string

// Values lists the types.
func (fileType) Values() []string { return workspace.FileTypes() }

type grepIn struct {
	Project projectKey    `json:"projectKey" brief:"" description:"the project"`
	Pattern searchPattern `json:"pattern" description:"keyword, or RE2 with regex"`
	Path    relativePath  `json:"relativePath,omitempty" description:"file, directory or pattern with **"`
	Regex   bool          `json:"regex" default:"false" brief:"" description:"pattern is an expression"`
	Case    bool          `json:"case_sensitive" default:"false" brief:"" description:"case counts"`
	Context matchContext  `json:"context_lines" default:"0" brief:"" description:"lines around each match"`
	Limit   matchLimit    `json:"limit" default:"20" brief:"" description:"max matches"`
	Type    fileType      `json:"file_type" default:"all" brief:"" description:"kind of files"`
	Socket  socketID      `json:"webSocketSessionId,omitempty" hidden:"" description:"ignored"`
}

// grepMatch is a matching line.
type grepMatch struct {
	Path   string   `json:"relativePath" description:"file"`
	Line   int      `json:"line" description:"from 1"`
	Text   string   `json:"text" description:"the line, cut at 400 characters"`
	Before []string `json:"before,omitempty" description:"lines before it"`
	After  []string `json:"after,omitempty" description:"lines after it"`
}

type grepOut struct {
	origin
	Matches   []grepMatch `json:"matches" description:"by path and line"`
	Files     int         `json:"filesSearched" description:"how many files were searched"`
	Truncated bool        `json:"truncated" description:"true if there are more matches"`
	Notes     []string    `json:"notes" description:"omitted parts, and how to continue"`
}

// workspaceGrepFile searches the files of a project.
func workspaceGrepFile(b bench) tool.Tool {
	return tool.Declare(tool.Spec[grepIn, grepOut]{
		Name:      toolGrepFile,
		Title:     "Search files",
		Summary:   "Searches the text files of a registered project for a keyword or an expression.",
		Untrusted: []tool.Origin{tool.FromProgram},
		Effect:    tool.ReadsLocal,
		Toolset:   toolsetWorkspace,
		Errors:    workspaceErrors(),
		Cases: []tool.Case[grepOut]{
			{Name: "by the editor", When: func(o grepOut) bool { return o.By == byEditor },
				Use: workspaceUse(evidence.ProjectText, "text")},
			{Name: "searched", Use: workspaceUse(evidence.ProjectText, "matches", "truncated")},
		},
		Examples: []tool.Example{
			{Name: "a keyword", Given: givenProject, In: `{"projectKey":"my-vault","pattern":"rebalance"}`, Case: "searched"},
			{Name: "in the editor", Given: givenEditor, In: `{"projectKey":"my-vault","pattern":"rebalance"}`,
				Case: "by the editor"},
			{Name: "unknown project", Given: givenNothing, In: `{"projectKey":"nope","pattern":"x"}`,
				Fault: fault.SessionNotFound},
			{Name: "outside", Given: givenProject, In: `{"projectKey":"my-vault","pattern":"x","relativePath":"../"}`,
				Fault: fault.InputInvalid},
			{Name: "denied", Given: givenProject, In: `{"projectKey":"my-vault","pattern":"x","relativePath":".env"}`,
				Fault: fault.Blocked},
		},
		Run: func(c tool.Call, in grepIn) (grepOut, error) {
			out := grepOut{origin: b.origin(in.Project)}
			done, note, err := b.forward(c.Context(), &out.origin, toolGrepFile, in.Path, in)
			if done || err != nil {
				return out, err
			}
			a, err := b.local.Grep(c.Context(), string(in.Project), workspace.Search{Pattern: string(in.Pattern),
				Path:  string(in.Path),
				Regex: in.Regex, CaseSensitive: in.Case, Context: int(in.Context), Limit: int(in.Limit), FileType: string(in.Type)})
			if err != nil {
				return out, refuse(err)
			}
			out.Files, out.Truncated, out.Notes = a.Files, a.Truncated, noted(note, a.Notes())
			for _, m := range a.Matches.Matches {
				out.Matches = append(out.Matches, grepMatch(m))
			}
			return out, nil
		},
	})
}

// noted returns others with note in front, unless note is empty.
func noted(note string, others []string) []string {
	if note == "" {
		return others
	}
	return append([]string{note}, others...)
}
