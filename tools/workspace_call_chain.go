package tools

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// methodName is the name of a Move function.
type methodName string

// Shape implements tool.Shaped.
func (methodName) Shape() tool.Shape { return tool.Shape{MinLength: 3, MaxLength: 400} }

// chainDirection states whether a chain follows callers, callees or both.
type chainDirection string

// Values lists the directions.
func (chainDirection) Values() []string {
	return []string{string(graph.Callers), string(graph.Callees), string(graph.Both)}
}

// chainDepth is the maximum depth of a chain.
type chainDepth int

// Shape implements tool.Shaped.
func (chainDepth) Shape() tool.Shape { return tool.Between(1, graph.MaxChainDepth) }

type callChainIn struct {
	Project   projectKey     `json:"projectKey" brief:"" description:"the project"`
	Method    methodName     `json:"method" description:"module::function or package::module::function; package: name or published id"`
	Direction chainDirection `json:"direction" default:"both" brief:"" description:"direction"`
	Depth     chainDepth     `json:"depth" default:"1" brief:"" description:"depth in calls"`
	Source    bool           `json:"includeSource" default:"false" brief:"" description:"adds the text of functions, 60 lines each"`
	Socket    socketID       `json:"webSocketSessionId,omitempty" hidden:"" description:"ignored"`
}

// chainFunction is a function that matches the requested name.
type chainFunction struct {
	ID   string `json:"function" description:"address::module::function"`
	File string `json:"file,omitempty" description:"relative path; none of published bytecode"`
	Line int    `json:"line,omitempty" description:"first line"`
}

// chainEdge is a call from one function to another.
type chainEdge struct {
	Direction  string `json:"direction" description:"callees or callers"`
	Depth      int    `json:"depth" description:"distance from the start"`
	Caller     string `json:"caller" description:"calls"`
	Callee     string `json:"callee" description:"is called"`
	Confidence string `json:"confidence" description:"resolved, or by_name: a guess"`
	File       string `json:"file,omitempty" description:"of the call"`
	Lines      []int  `json:"lines,omitempty" description:"of the call"`
	Mark       string `json:"mark,omitempty" description:"cycle, seen, or external if the source is unavailable"`
}

// chainSource is the source of a function.
type chainSource struct {
	ID       string `json:"function" description:"name"`
	File     string `json:"file" description:"relative path"`
	Line     int    `json:"line" description:"first line"`
	Text     string `json:"text" description:"at most its first 60 lines"`
	CutLines int    `json:"cutLines,omitempty" description:"number of omitted lines"`
}

type callChainOut struct {
	origin
	Starts    []chainFunction `json:"starts" description:"functions that the method names"`
	Edges     []chainEdge     `json:"edges" description:"calls, nearest first"`
	Sources   []chainSource   `json:"sources" description:"texts, if requested"`
	Truncated bool            `json:"truncated" description:"true if there are more edges or texts"`
	Notes     []string        `json:"notes" description:"limits of the answer, and how to continue"`
	FetchedAt time.Time       `json:"fetchedAt" description:"time this machine received the response, UTC; published code may come from the node"`
}

// workspaceCallChain returns chains of calls through source and published bytecode.
func workspaceCallChain(b bench, now func() time.Time) tool.Tool {
	return tool.Declare(tool.Spec[callChainIn, callChainOut]{
		Name:  toolCallChain,
		Title: "Follow a call chain",
		Summary: "Returns calls from and to a Move function of a registered project, through its sources and then " +
			"published bytecode.",
		Untrusted: []tool.Origin{tool.FromProgram},
		Effect:    tool.ReadsChain,
		Toolset:   toolsetWorkspace,
		Errors:    append(workspaceErrors(), fault.ProviderUnavailable, fault.ProviderMismatch),
		Cases: []tool.Case[callChainOut]{
			{Name: "by the editor", When: func(o callChainOut) bool { return o.By == byEditor },
				Use: workspaceUse(evidence.CallEdges, "text")},
			{Name: "followed", Use: workspaceUse(evidence.CallEdges, "starts", "edges", "truncated", "notes")},
		},
		Examples: []tool.Example{
			{Name: "callees", Given: givenProject, In: `{"projectKey":"my-vault","method":"vault::rebalance","depth":2}`,
				Case: "followed"},
			{Name: "in the editor", Given: givenEditor, In: `{"projectKey":"my-vault","method":"vault.rebalance"}`,
				Case: "by the editor"},
			{Name: "as a transaction names it", Given: givenProject,
				In: `{"projectKey":"my-vault","method":"0xbb::vault::rebalance","includeSource":true}`, Case: "followed"},
			{Name: "unknown project", Given: givenNothing, In: `{"projectKey":"nope","method":"a::b"}`,
				Fault: fault.SessionNotFound},
			{Name: "folder gone", Given: givenFolderGone, In: `{"projectKey":"my-vault","method":"a::b"}`, Fault: fault.Blocked},
			{Name: "node down", Given: givenNoNodeProject, In: `{"projectKey":"my-vault","method":"0xcc::far::away"}`,
				Fault: fault.ProviderUnavailable},
			{Name: "no bytecode", Given: givenProject, In: `{"projectKey":"my-vault","method":"0x2::coin::away"}`,
				Fault: fault.ProviderMismatch},
			{Name: "no such function", Given: givenProject, In: `{"projectKey":"my-vault","method":"vault::none"}`,
				Fault: fault.InputInvalid},
			{Name: "another form", Given: givenProject, In: `{"projectKey":"my-vault","method":"rebalance"}`,
				Fault: fault.InputInvalid},
		},
		Run: func(c tool.Call, in callChainIn) (callChainOut, error) {
			out := callChainOut{origin: b.origin(in.Project), FetchedAt: readAt(now())}
			done, note, err := b.forward(c.Context(), &out.origin, toolCallChain, "", in)
			if done || err != nil {
				return out, err
			}
			a, err := b.local.CallChain(c.Context(), string(in.Project), workspace.ChainRequest{Method: string(in.Method),
				Direction: graph.Direction(in.Direction), Depth: int(in.Depth), IncludeSource: in.Source})
			if err != nil {
				return out, refuse(err)
			}
			if err := out.fit(a); err != nil {
				return out, err
			}
			out.Notes, out.FetchedAt = noted(note, out.Notes), readAt(now())
			return out, nil
		},
	})
}

// fill copies a chain into the answer.
func (o *callChainOut) fill(a *workspace.ChainAnswer) {
	o.Truncated, o.Notes = a.Cut+a.LeftOut > 0, a.Notes
	for _, f := range a.Starts {
		o.Starts = append(o.Starts, chainFunction{f.ID, f.File, f.Line})
	}
	for _, e := range a.Edges {
		edge := chainEdge{Direction: string(e.Direction), Depth: e.Depth, Caller: e.Caller, Callee: e.Callee,
			Confidence: string(e.Confidence), Lines: e.Lines, File: a.Files[e.Caller]}
		switch {
		case e.Cycle:
			edge.Mark = "cycle"
		case e.Seen:
			edge.Mark = "seen"
		case e.External:
			edge.Mark = "external"
		}
		o.Edges = append(o.Edges, edge)
	}
	for _, s := range a.Sources {
		o.Sources = append(o.Sources, chainSource{s.ID, s.File, s.Line, s.Text, s.Cut})
	}
}

// fit copies as much of a chain into the answer as its maximum size allows.
func (o *callChainOut) fit(a *workspace.ChainAnswer) error {
	empty, failed := *o, error(nil)
	sources, edges := a.Fit(func() int {
		*o = empty
		o.fill(a)
		data, err := json.Marshal(o)
		failed = errors.Join(failed, err)
		return len(data) + mostNotes
	})
	if sources > 0 {
		o.Notes = append(o.Notes, "Some texts are omitted; "+toolReadFile+" returns them by file and line.")
	}
	if edges > 0 {
		o.Notes = append(o.Notes, "Some edges are omitted; request one direction, or a smaller depth.")
	}
	o.Truncated = o.Truncated || sources+edges > 0
	return failed
}

// mostNotes is the number of bytes reserved for notes about omitted parts.
const mostNotes = 1 << 10
