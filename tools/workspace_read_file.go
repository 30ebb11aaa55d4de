package tools

import (
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// lineNumber is the number of a line, from 1.
type lineNumber int

// Shape implements tool.Shaped.
func (lineNumber) Shape() tool.Shape { return tool.Between(1, 1<<31-1) }

// readContext is the number of lines to return before and after a line.
type readContext int

// Shape implements tool.Shaped.
func (readContext) Shape() tool.Shape { return tool.Between(0, workspace.MaxReadLines) }

type readFileIn struct {
	Project projectKey   `json:"projectKey" brief:"" description:"the project"`
	Path    relativePath `json:"relativePath" brief:"" description:"the file"`
	Start   lineNumber   `json:"start_line,omitempty" brief:"" description:"first line; takes precedence over line"`
	End     lineNumber   `json:"end_line,omitempty" brief:"" description:"last line, included"`
	Line    lineNumber   `json:"line,omitempty" brief:"" description:"middle line"`
	Context readContext  `json:"context_lines" default:"20" brief:"" description:"lines on either side of line"`
	Socket  socketID     `json:"webSocketSessionId,omitempty" hidden:"" description:"ignored"`
}

type readFileOut struct {
	origin
	Path      string   `json:"relativePath" description:"the file"`
	Start     int      `json:"startLine" description:"number of the first line here"`
	End       int      `json:"endLine" description:"number of the last line here"`
	Total     int      `json:"totalLines" description:"lines of the file"`
	Lines     []string `json:"lines" description:"the lines"`
	Truncated bool     `json:"truncated" description:"true if the request exceeded the result"`
	Next      int      `json:"nextStartLine,omitempty" description:"start_line of the next call"`
	Notes     []string `json:"notes" description:"what was changed or withheld"`
}

// workspaceReadFile reads a text file of a project.
func workspaceReadFile(b bench) tool.Tool {
	return tool.Declare(tool.Spec[readFileIn, readFileOut]{
		Name:      toolReadFile,
		Title:     "Read a file",
		Summary:   "Reads a text file of a registered project, complete up to 400 lines or 32 KiB, or a range of lines.",
		Untrusted: []tool.Origin{tool.FromProgram},
		Effect:    tool.ReadsLocal,
		Toolset:   toolsetWorkspace,
		Errors:    workspaceErrors(),
		Cases: []tool.Case[readFileOut]{
			{Name: "by the editor", When: func(o readFileOut) bool { return o.By == byEditor },
				Use: workspaceUse(evidence.ProjectText, "text")},
			{Name: "read", Use: workspaceUse(evidence.ProjectText, "lines", "startLine", "totalLines", "truncated")},
		},
		Examples: []tool.Example{
			{Name: "whole", Given: givenProject, In: `{"projectKey":"my-vault","relativePath":"sources/vault.move"}`,
				Case: "read"},
			{Name: "in the editor", Given: givenEditor, In: `{"projectKey":"my-vault","relativePath":"sources/vault.move"}`,
				Case: "by the editor"},
			{Name: "unknown project", Given: givenNothing, In: `{"projectKey":"nope","relativePath":"a"}`,
				Fault: fault.SessionNotFound},
			{Name: "no such file", Given: givenProject, In: `{"projectKey":"my-vault","relativePath":"sources/none.move"}`,
				Fault: fault.InputInvalid},
			{Name: "denied", Given: givenProject, In: `{"projectKey":"my-vault","relativePath":".env"}`, Fault: fault.Blocked},
		},
		Run: func(c tool.Call, in readFileIn) (readFileOut, error) {
			out := readFileOut{origin: b.origin(in.Project), Path: string(in.Path)}
			done, note, err := b.forward(c.Context(), &out.origin, toolReadFile, in.Path, in)
			if done || err != nil {
				return out, err
			}
			a, err := b.local.Read(c.Context(), string(in.Project), workspace.ReadRequest{Path: string(in.Path),
				Start: int(in.Start),
				End:   int(in.End), Line: int(in.Line), Context: int(in.Context)})
			if err != nil {
				return out, refuse(err)
			}
			out.Start, out.End, out.Total, out.Lines = a.Start, a.End, a.Total, a.Lines
			out.Truncated, out.Next, out.Notes = a.Next > 0, a.Next, noted(note, a.Notes)
			return out, nil
		},
	})
}
