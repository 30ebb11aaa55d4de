package editor

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// Folders stores the registered folders and the changes of their files.
type Folders interface {
	Folders(ctx context.Context) ([]workspace.Folder, error)
	AddFolder(ctx context.Context, f workspace.Folder, may func(context.Context) error) error
	SetFolder(ctx context.Context, key string, mode workspace.Mode, may func(context.Context) error) (known bool,
		err error)
	LatestFileChanges(ctx context.Context, most int) ([]workspace.Change, error)
	WaitingFileChanges(ctx context.Context) ([]workspace.Change, error)
}

// Edits applies the user's decisions about file changes.
type Edits interface {
	Decide(ctx context.Context, id string, apply bool, right func(context.Context) error) (workspace.Change, error)
	Undo(ctx context.Context, id string, right func(context.Context) error) (workspace.Change, error)
}

// Projects is the part of the settings page about projects.
type Projects struct {
	List    []projectLine
	Changes []changeLine
}

// projectLine is a registered folder. Its path is shown only on the settings page.
type projectLine struct {
	Key, Root, Added, Problem string
	Modes                     []modeChoice
}

type modeChoice struct {
	Value  workspace.Mode
	Words  string
	Chosen bool
}

// changeLine is a file change that was decided.
type changeLine struct {
	ID, Project, Path, State, At string
	Undo                         bool
}

// modeWords describe the modes.
var modeWords = []modeChoice{
	{Value: workspace.ReadOnly, Words: "Read only"},
	{Value: workspace.Confirm, Words: "Change files after I confirm each change"},
	{Value: workspace.Auto, Words: "Change files without asking me, except files that other programs run"},
}

func modesOf(m workspace.Mode) []modeChoice {
	list := append([]modeChoice{}, modeWords...)
	for i := range list {
		list[i].Chosen = list[i].Value == m
	}
	return list
}

// changeWords describe the states of a change.
var changeWords = map[workspace.State]string{
	workspace.Waiting: "waits for you on the console page", workspace.Applying: "is being written",
	workspace.Applied: "was applied",
	workspace.Failed:  "could not be written; the file is as it was", workspace.Declined: "you declined it",
	workspace.Withdrawn: "nobody confirmed it in time; nothing was written", workspace.Undone: "was applied and undone",
}

// mostFileChanges is the maximum number of changes that the settings page lists.
const mostFileChanges = 20

// Projects returns the data for the settings page.
func (e *Editor) Projects(ctx context.Context) (v Projects, err error) {
	folders, err := e.Folders.Folders(ctx)
	if err != nil {
		return v, err
	}
	for _, f := range folders {
		line := projectLine{Key: f.Key, Root: screen.Line(f.Root, 0), Added: words.At(f.Added), Modes: modesOf(f.Mode)}
		if info, err := os.Stat(f.Root); err != nil || !info.IsDir() {
			line.Problem = "This folder is not there now."
		}
		v.List = append(v.List, line)
	}
	changes, err := e.Folders.LatestFileChanges(ctx, mostFileChanges)
	for _, c := range changes {
		state := changeWords[c.State]
		if c.State == workspace.Applying && e.Now().Sub(c.ChangedAt) > time.Minute {
			state = "the program ended while it was written: look at the file"
		}
		v.Changes = append(v.Changes, changeLine{ID: c.ID, Project: c.Project, Path: screen.Line(c.Path, 0), State: state,
			At: words.At(c.At), Undo: c.State == workspace.Applied && e.Now().Sub(c.ChangedAt) < workspace.UndoTime})
	}
	return v, err
}

type projectIn struct {
	Key  string         `json:"key"`
	Path string         `json:"path"`
	Mode workspace.Mode `json:"mode"`
}

// add registers the folder that the user typed.
func (e *Editor) add(c *web.Call, in projectIn) error {
	f, err := folderOf(in)
	if err != nil {
		return err
	}
	if err := e.Folders.AddFolder(c.Ctx(), f, c.Right); err != nil {
		return err
	}
	return c.Done("The project " + f.Key + " is registered. " +
		"AI clients that run already see its tools after their next start.")
}

// folderOf returns the folder at a typed path. It resolves symbolic links first, because a link
// could later point elsewhere.
func folderOf(in projectIn) (workspace.Folder, error) {
	f := workspace.Folder{Key: strings.TrimSpace(in.Key), Mode: in.Mode}
	path := strings.TrimSpace(in.Path)
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return f, fault.New(fault.InputInvalid, "Write the whole path of the folder, from the top.").With("field", "path")
	}
	real, err := filepath.EvalSymlinks(filepath.Clean(path))
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(real); err == nil && !info.IsDir() {
			err = errors.New("no folder")
		}
	}
	if err != nil {
		return f, fault.New(fault.InputInvalid, "There is no folder at this path, or it cannot be opened.").With("field",
			"path")
	}
	home, _ := os.UserHomeDir()
	//mutant:never ./review/web TestProjects
	if filepath.Dir(real) == real || real == home {
		return f, fault.New(fault.InputInvalid, "This is more than a project: choose the folder of one.").With("field",
			"path")
	}
	f.Root, f.Key = real, cmp.Or(f.Key, keyFrom(filepath.Base(real)))
	if !workspace.ValidKey(f.Key) {
		return f, fault.New(fault.InputInvalid,
			"A name has 1 to 64 of a-z, 0-9, dots, underscores and hyphens, a letter or digit first.").
			With("field", "key")
	}
	if !f.Mode.Valid() {
		return f, fault.New(fault.InputInvalid, "Choose a mode for the project.").With("field", "mode")
	}
	return f, nil
}

// keyFrom derives a project key from a folder's name.
func keyFrom(name string) string {
	key := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, strings.ToLower(name))
	return strings.TrimLeft(key, "._-")
}

type modeIn struct {
	Key  string         `json:"key"`
	Mode workspace.Mode `json:"mode"` // "" removes the project
}

// setMode changes the mode of a project, or removes the project.
func (e *Editor) setMode(c *web.Call, in modeIn) error {
	if in.Mode != "" && !in.Mode.Valid() {
		return fault.New(fault.InputInvalid, "Choose a mode for the project.").With("field", "mode")
	}
	known, err := e.Folders.SetFolder(c.Ctx(), in.Key, in.Mode, c.Right)
	if err != nil {
		return err
	}
	says := "It applies from now on."
	switch {
	case !known:
		says = "This project is not registered any more."
	case in.Mode == "":
		says = "The project is not registered any more. Nothing in its folder was changed."
	}
	return c.Done(says)
}

type changeIn struct {
	ID    string `json:"id"`
	Apply bool   `json:"apply"`
}

// undo restores the content that a file had before a change.
func (e *Editor) undo(c *web.Call, in changeIn) error {
	if _, err := e.Edits.Undo(c.Ctx(), in.ID, c.Right); err != nil {
		return refusedChange(err)
	}
	return c.Done("The file is as it was before the change.")
}

// decide applies the user's decision about a pending change. The change must belong to the same
// client or to none.
func (e *Editor) decide(c *web.Call, in changeIn) error {
	list, err := e.waiting(c.Ctx(), c.Pass.Subject)
	if err != nil {
		return err
	}
	own := false
	for _, w := range list {
		own = own || w.ID == in.ID
	}
	//mutant:never ./review/web TestProjectChanges
	if !own {
		return fault.New(fault.InvalidSessionTransition,
			"This change does not wait any more. Nothing was written by this click.")
	}
	if _, err := e.Edits.Decide(c.Ctx(), in.ID, in.Apply, c.Right); err != nil {
		return refusedChange(err)
	}
	return web.JSON(c, http.StatusOK, struct{}{})
}

// refusedChange returns the error that explains why a change was not written.
func refusedChange(err error) error {
	var file *workspace.FileError
	for _, known := range []error{workspace.ErrOver, workspace.ErrReadOnly, workspace.ErrUndo, workspace.ErrBase,
		workspace.ErrProject} {
		if errors.Is(err, known) {
			return fault.Wrap(err, fault.InvalidSessionTransition, "%s.", words.UpperFirst(known.Error()))
		}
	}
	if errors.As(err, &file) {
		return fault.Wrap(err, fault.InvalidSessionTransition, "%s.",
			strings.TrimSuffix(words.UpperFirst(screen.Line(file.Err.Error(), 0)), "."))
	}
	return err
}

// Change is a pending file change on the console.
type Change struct {
	ID, Project, Path, Words, Note, Held string
	Created                              bool
	Lines                                []diffLine
	Added, Removed                       int
}

// diffLine is one line of a diff, with hidden characters made visible.
type diffLine struct{ Class, Text string }

// waiting lists the pending changes for the user of a console: those of the console's client, and
// those of callers without a conversation.
func (e *Editor) waiting(ctx context.Context, subject string) ([]workspace.Change, error) {
	newest, _, err := e.Bus.Following(ctx, subject)
	if err != nil {
		return nil, err
	}
	all, err := e.Folders.WaitingFileChanges(ctx)
	if err != nil {
		return nil, err
	}
	var list []workspace.Change
	for _, w := range all {
		own := w.Session == ""
		if !own {
			if own, err = bus.SameClient(ctx, e.Bus, newest, w.Session); err != nil {
				return nil, err
			}
		}
		if own && e.Now().Before(w.HeldUntil) {
			list = append(list, w)
		}
	}
	return list, nil
}

func cardOf(w workspace.Change) Change {
	card := Change{ID: w.ID, Project: w.Project, Path: screen.Line(w.Path, 0), Words: screen.Line(w.Description, 0),
		Note:    w.Note,
		Created: w.Created}
	for i, line := range strings.Split(strings.TrimSuffix(w.Diff, "\n"), "\n") {
		if i < 2 { // the file names, which the card shows separately
			continue
		}
		class := ""
		switch {
		case strings.HasPrefix(line, "+"):
			class = "plus"
			card.Added++
		case strings.HasPrefix(line, "-"):
			class = "minus"
			card.Removed++
		case strings.HasPrefix(line, "@@"):
			class = "where"
		}
		card.Lines = append(card.Lines, diffLine{class, visible(line)})
	}
	return card
}

// visible returns a line of code with hidden characters made visible.
func visible(line string) string {
	parts := strings.Split(line, "\t")
	for i, part := range parts {
		parts[i] = screen.Line(part, 0)
	}
	return strings.Join(parts, "\t")
}

// Changes returns the pending changes for a console.
func (e *Editor) Changes(ctx context.Context, subject string) (cards []Change, err error) {
	list, err := e.waiting(ctx, subject)
	for _, w := range list {
		cards = append(cards, cardOf(w))
	}
	return cards, err
}
