package tools

import (
	"context"
	"errors"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// fileText is text for a file.
type fileText string

// Shape implements tool.Shaped.
func (fileText) Shape() tool.Shape { return tool.Shape{MaxLength: 50_000} }

// changeWords is the client's description of a change.
type changeWords string

// Shape implements tool.Shaped.
func (changeWords) Shape() tool.Shape { return tool.Shape{MaxLength: 1000} }

type applyChangeIn struct {
	Project     projectKey   `json:"projectKey" brief:"" description:"the project"`
	Path        relativePath `json:"relativePath" brief:"" description:"the file"`
	Search      fileText     `json:"searchContent,omitempty" description:"must occur once; without it the file is created"`
	Replace     fileText     `json:"replaceContent" brief:"" description:"new text"`
	Description changeWords  `json:"description,omitempty" brief:"" description:"for the user"`
	Socket      socketID     `json:"webSocketSessionId,omitempty" hidden:"" description:"ignored"`
}

// personDecides is how long a change waits for the user's decision.
const personDecides = 10 * time.Minute

// changeResult is the result of a change's task.
type changeResult struct {
	Applied  bool   `json:"applied"`
	Executor string `json:"executor"`
	Change   string `json:"changeId,omitempty"`
	Project  string `json:"projectKey"`
	Path     string `json:"relativePath"`
	Created  bool   `json:"created"`
	Diff     string `json:"diff,omitempty"`
	Cut      bool   `json:"truncated"`
	Note     string `json:"note,omitempty"`
	Text     string `json:"text,omitempty"` // answer of an editor
	Trust    string `json:"contentTrust"`
}

// workspaceApplyChange starts a task that changes a file of a project, if the project's mode allows
// it.
func workspaceApplyChange(b bench, r runner, c conversations) tool.Tool {
	return tool.Declare(tool.Spec[applyChangeIn, begunOut]{
		Name:  toolApplyChange,
		Title: "Change a file",
		Summary: "Replaces a text in a project's file, or creates a file, as a task. The user may have to decide on " +
			"the console.",
		Untrusted: []tool.Origin{tool.FromProgram},
		Effect:    tool.ChangesFiles,
		Toolset:   toolsetWorkspace,
		Errors:    append(workspaceErrors(), fault.RateLimited),
		Cases:     begunCases("It waits for the user's decision; the result has the applied diff."),
		Examples: []tool.Example{
			{Name: "a line", Given: givenAutoProject,
				In: `{"projectKey":"my-vault","relativePath":"sources/math.move","searchContent":"n * 2",` +
					`"replaceContent":"n + n"}`, Case: caseBegun},
			{Name: "read-only", Given: givenProject,
				In: `{"projectKey":"my-vault","relativePath":"sources/math.move","searchContent":"n * 2",` +
					`"replaceContent":"n + n"}`, Fault: fault.Blocked},
			{Name: "no such text", Given: givenAutoProject, In: `{"projectKey":"my-vault","relativePath":"sources/math.move",` +
				`"searchContent":"n * 9","replaceContent":"n"}`, Fault: fault.InputInvalid},
			{Name: "unknown project", Given: givenNothing, In: `{"projectKey":"nope","relativePath":"a","replaceContent":"b"}`,
				Fault: fault.SessionNotFound},
			{Name: "too many tasks", Given: givenBusyProject, In: `{"projectKey":"my-vault","relativePath":"sources/new.move",` +
				`"replaceContent":"module my_vault::new;\n"}`, Fault: fault.RateLimited},
		},
		Run: func(call tool.Call, in applyChangeIn) (begunOut, error) {
			work, withdraw, err := b.change(call.Context(), c.Bus(call.Context()), in)
			if err != nil {
				return begunOut{}, err
			}
			t, err := r.Start(call.Context(), worker.Job{Session: c.Bus(call.Context()), Kind: bus.KindEdit,
				Tool:     toolApplyChange,
				Deadline: personDecides}, work)
			if err != nil {
				withdraw()
			}
			return beganAs(call, b.network, t), err
		},
		Undo: unbegin(c),
	})
}

// change prepares a change, so that its errors are returned immediately. It returns the rest of the
// work for the task, and a function that withdraws the change.
func (b bench) change(ctx context.Context, session string, in applyChangeIn) (work worker.Work, withdraw func(),
	err error) {
	editor, err := b.byTheEditor(ctx, in)
	switch {
	case err != nil:
		return nil, nil, refuse(err)
	case editor:
		return b.editorChange(in), func() {}, nil
	}
	change, err := b.local.Propose(ctx, session, string(in.Project), workspace.ChangeRequest{Path: string(in.Path),
		Search: string(in.Search), Replace: string(in.Replace), Description: string(in.Description)})
	if err != nil {
		return nil, nil, refuse(err)
	}
	withdraw = func() { b.local.Withdraw(context.WithoutCancel(ctx), change) }
	return func(ctx context.Context, tell worker.Tell) (any, error) {
		if change.State == workspace.Waiting {
			if err := tell(bus.StageApproval, "waits for the user on the console page", 0); err != nil {
				withdraw()
				return nil, err
			}
		}
		a, err := b.local.Finish(ctx, change)
		if errors.Is(err, workspace.ErrWithdrawn) && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, refuse(err)
		}
		out := changeResult{Applied: true, Executor: byLocal, Change: a.ID, Project: a.Project, Path: a.Path,
			Created: a.Created,
			Note:    a.Note, Trust: b.origin(in.Project).Trust}
		out.Diff, out.Cut = shownDiff(a.Diff)
		return out, nil
	}, withdraw, nil
}

// byTheEditor reports whether a connected editor makes the change. It does in projects whose
// changes need no confirmation, but not to files that are never written. In all other cases this
// program makes the change, after asking the user if necessary.
func (b bench) byTheEditor(ctx context.Context, in applyChangeIn) (bool, error) {
	//mutant:never ./tools TestEditorIsNotAsked
	if workspace.Denied(string(in.Path)) || workspace.Executed(string(in.Path)) || workspace.Secret(string(in.Replace)) {
		return false, nil
	}
	mode, err := b.local.Mode(ctx, string(in.Project))
	return err == nil && mode == workspace.Auto && b.editor != nil && b.editor.Connected(string(in.Project)), err
}

// editorChange returns the work of a change that a connected editor makes. If the editor does not
// answer, it may still have made the change, so this program does not make it again.
func (b bench) editorChange(in applyChangeIn) worker.Work {
	return func(ctx context.Context, _ worker.Tell) (any, error) {
		o := b.origin(in.Project)
		done, _, err := b.forward(ctx, &o, toolApplyChange, in.Path, in)
		switch {
		case err != nil:
			return nil, err
		case !done:
			return nil, fault.New(fault.Blocked, "The connected editor did not answer. The change may have been made there: "+
				"read the file before you try again.")
		}
		return changeResult{Applied: true, Executor: byEditor, Project: o.Project, Path: string(in.Path), Text: o.Text,
			Trust: o.Trust}, nil
	}
}
