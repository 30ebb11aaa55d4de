package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// projectRoutes are where a person registers source projects and decides about changes
// of their files. A change is decided on any tab of a console, as a question is answered;
// what is registered takes the active settings page.
func projectRoutes() []route {
	const post = http.MethodPost
	return []route{
		{post, "/api/settings/{id}/project", withActive, pagetoken.Settings, true, (*Server).projectAdd},
		{post, "/api/settings/{id}/mode", withActive, pagetoken.Settings, true, (*Server).projectMode},
		{post, "/api/settings/{id}/undo", withActive, pagetoken.Settings, true, (*Server).projectUndo},
		{post, "/api/console/{id}/change", withToken, pagetoken.Console, true, (*Server).consoleChange},
	}
}

// Folders keeps the folders that a person registered, and the changes of files in them.
type Folders interface {
	Folders(ctx context.Context) ([]workspace.Folder, error)
	AddFolder(ctx context.Context, f workspace.Folder, may func(context.Context) error) error
	SetFolder(ctx context.Context, key string, mode workspace.Mode, may func(context.Context) error) (known bool, err error)
	LatestFileChanges(ctx context.Context, most int) ([]workspace.Change, error)
	WaitingFileChanges(ctx context.Context) ([]workspace.Change, error)
}

// Edits carries out what the person decides about changes of files.
type Edits interface {
	Decide(ctx context.Context, id string, apply bool, right func(context.Context) error) (workspace.Change, error)
	Undo(ctx context.Context, id string, right func(context.Context) error) (workspace.Change, error)
}

// projectsView is what the settings page shows of projects.
type projectsView struct {
	There   bool
	List    []projectLine
	Changes []changeLine
}

// projectLine is one registered folder. Its path is shown on this page alone.
type projectLine struct {
	Key, Root, Added, Problem string
	Modes                     []modeChoice
}

type modeChoice struct {
	Value  workspace.Mode
	Words  string
	Chosen bool
}

// changeLine is one change of a file that was decided.
type changeLine struct {
	ID, Project, Path, State, At string
	Undo                         bool
}

// Words for the modes.
var modeWords = []modeChoice{
	{Value: workspace.ReadOnly, Words: "Read only"},
	{Value: workspace.Confirm, Words: "Change files, each one after I confirm it"},
	{Value: workspace.Auto, Words: "Change files without asking me, except files that other programs run"},
}

func modesOf(m workspace.Mode) []modeChoice {
	list := append([]modeChoice{}, modeWords...)
	for i := range list {
		list[i].Chosen = list[i].Value == m
	}
	return list
}

// Words for where a change stands.
var changeWords = map[workspace.State]string{
	workspace.Waiting: "waits for you on the console page", workspace.Applying: "is being written", workspace.Applied: "was applied",
	workspace.Failed: "could not be written; the file is as it was", workspace.Declined: "you declined it",
	workspace.Withdrawn: "nobody confirmed it in time; nothing was written", workspace.Undone: "was applied and undone",
}

// mostFileChanges is how many changes the settings page lists.
const mostFileChanges = 20

func (s *Server) projectsView(ctx context.Context) (v projectsView, err error) {
	if s.Folders == nil {
		return v, nil
	}
	v.There = true
	folders, err := s.Folders.Folders(ctx)
	if err != nil {
		return v, err
	}
	for _, f := range folders {
		line := projectLine{Key: f.Key, Root: screen.Line(f.Root, 0), Added: at(f.Added), Modes: modesOf(f.Mode)}
		if info, err := os.Stat(f.Root); err != nil || !info.IsDir() {
			line.Problem = "This folder is not there now."
		}
		v.List = append(v.List, line)
	}
	changes, err := s.Folders.LatestFileChanges(ctx, mostFileChanges)
	for _, c := range changes {
		words := changeWords[c.State]
		if c.State == workspace.Applying && s.Now().Sub(c.ChangedAt) > time.Minute {
			words = "the program ended while it was written: look at the file"
		}
		v.Changes = append(v.Changes, changeLine{ID: c.ID, Project: c.Project, Path: screen.Line(c.Path, 0), State: words,
			At: at(c.At), Undo: c.State == workspace.Applied && s.Now().Sub(c.ChangedAt) < workspace.UndoTime})
	}
	return v, err
}

type projectIn struct {
	Key  string         `json:"key"`
	Path string         `json:"path"`
	Mode workspace.Mode `json:"mode"`
}

// projectAdd registers a folder that the person typed.
func (s *Server) projectAdd(c *call) error {
	in, err := body[projectIn](c)
	if err != nil {
		return err
	}
	f, err := folderOf(in)
	if err != nil {
		return err
	}
	if err := s.Folders.AddFolder(c.ctx(), f, c.right); err != nil {
		return err
	}
	writeJSON(c.w, http.StatusOK, keyOut{Done: true, Says: "The project " + f.Key + " is registered. " +
		"AI clients that run already see its tools after their next start."})
	return nil
}

// folderOf reads what the person typed: a folder that is there, by its own place and not
// by a link to it, which could lead elsewhere tomorrow.
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
		return f, fault.New(fault.InputInvalid, "There is no folder at this path, or it cannot be opened.").With("field", "path")
	}
	home, _ := os.UserHomeDir()
	//mutant:never ./review/web TestProjects
	if filepath.Dir(real) == real || real == home {
		return f, fault.New(fault.InputInvalid, "This is more than a project: choose the folder of one.").With("field", "path")
	}
	f.Root, f.Key = real, cmp.Or(f.Key, keyFrom(filepath.Base(real)))
	if !workspace.ValidKey(f.Key) {
		return f, fault.New(fault.InputInvalid, "A name has 1 to 64 of a-z, 0-9, dots, underscores and hyphens, a letter or digit first.").
			With("field", "key")
	}
	if !f.Mode.Valid() {
		return f, fault.New(fault.InputInvalid, "Choose what may be done in the project.").With("field", "mode")
	}
	return f, nil
}

// keyFrom makes a key of the name of a folder.
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
	Mode workspace.Mode `json:"mode"` // "" forgets the project
}

// projectMode sets what may be done in a project, or forgets the project.
func (s *Server) projectMode(c *call) error {
	in, err := body[modeIn](c)
	if err != nil {
		return err
	}
	if in.Mode != "" && !in.Mode.Valid() {
		return fault.New(fault.InputInvalid, "Choose what may be done in the project.").With("field", "mode")
	}
	known, err := s.Folders.SetFolder(c.ctx(), in.Key, in.Mode, c.right)
	if err != nil {
		return err
	}
	says := "It holds from now on."
	switch {
	case !known:
		says = "This project is not registered any more."
	case in.Mode == "":
		says = "The project is not registered any more. Nothing in its folder was changed."
	}
	writeJSON(c.w, http.StatusOK, keyOut{Done: true, Says: says})
	return nil
}

type changeIn struct {
	ID    string `json:"id"`
	Apply bool   `json:"apply"`
}

// projectUndo puts back what a file held before a change.
func (s *Server) projectUndo(c *call) error {
	in, err := body[changeIn](c)
	if err != nil {
		return err
	}
	if _, err := s.Edits.Undo(c.ctx(), in.ID, c.right); err != nil {
		return refusedChange(err)
	}
	writeJSON(c.w, http.StatusOK, keyOut{Done: true, Says: "The file is as it was before the change."})
	return nil
}

// consoleChange is the person's word on a change that waits, of the same client or of
// none.
func (s *Server) consoleChange(c *call) error {
	in, err := body[changeIn](c)
	if err != nil {
		return err
	}
	list, err := s.consoleChanges(c.ctx(), c.pass.Subject)
	if err != nil {
		return err
	}
	own := false
	for _, w := range list {
		own = own || w.ID == in.ID
	}
	//mutant:never ./review/web TestProjectChanges
	if !own {
		return fault.New(fault.InvalidSessionTransition, "This change does not wait any more. Nothing was written by this click.")
	}
	if _, err := s.Edits.Decide(c.ctx(), in.ID, in.Apply, c.right); err != nil {
		return refusedChange(err)
	}
	writeJSON(c.w, http.StatusOK, struct{}{})
	return nil
}

// refusedChange words why a change was not written.
func refusedChange(err error) error {
	var file *workspace.FileError
	for _, known := range []error{workspace.ErrOver, workspace.ErrReadOnly, workspace.ErrUndo, workspace.ErrBase, workspace.ErrProject} {
		if errors.Is(err, known) {
			return fault.Wrap(err, fault.InvalidSessionTransition, "%s.", upperFirst(known.Error()))
		}
	}
	if errors.As(err, &file) {
		return fault.Wrap(err, fault.InvalidSessionTransition, "%s.", strings.TrimSuffix(upperFirst(screen.Line(file.Err.Error(), 0)), "."))
	}
	return err
}

// changeCard is a change that waits, on the console.
type changeCard struct {
	ID, Project, Path, Words, Note, Held string
	Created                              bool
	Lines                                []diffLine
	Added, Removed                       int
}

// diffLine is one line of a difference: as it is, with what hides made visible.
type diffLine struct{ Class, Text string }

// consoleChanges lists the changes that wait for this person: of the console's client,
// and of callers without a conversation.
func (s *Server) consoleChanges(ctx context.Context, subject string) ([]workspace.Change, error) {
	if s.Folders == nil {
		return nil, nil
	}
	newest, _, err := s.Bus.Following(ctx, subject)
	if err != nil {
		return nil, err
	}
	all, err := s.Folders.WaitingFileChanges(ctx)
	if err != nil {
		return nil, err
	}
	var list []workspace.Change
	for _, w := range all {
		own := w.Session == ""
		if !own {
			if own, err = s.sameClient(ctx, newest, w.Session); err != nil {
				return nil, err
			}
		}
		if own && s.Now().Before(w.HeldUntil) {
			list = append(list, w)
		}
	}
	return list, nil
}

func changeCardOf(w workspace.Change) changeCard {
	card := changeCard{ID: w.ID, Project: w.Project, Path: screen.Line(w.Path, 0), Words: screen.Line(w.Description, 0), Note: w.Note,
		Created: w.Created}
	for i, line := range strings.Split(strings.TrimSuffix(w.Diff, "\n"), "\n") {
		if i < 2 { // the names of the file, which the card has
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

// visible shows a line of code as it is, with hidden characters made visible.
func visible(line string) string {
	parts := strings.Split(line, "\t")
	for i, part := range parts {
		parts[i] = screen.Line(part, 0)
	}
	return strings.Join(parts, "\t")
}

// sourceOf returns what finds functions in the registered projects.
func (s *Server) sourceOf(ctx context.Context) source {
	if s.Locate == nil {
		return nil
	}
	return func(pkg sui.Address, module, function string) string {
		place, ok := s.Locate(ctx, pkg.String(), module, function)
		switch {
		case !ok:
			return ""
		case place.File == "":
			return "the package " + whole(place.Package) + " of your project " + place.Project
		}
		return whole(place.File) + ":" + strconv.Itoa(place.Line) + " in your project " + place.Project
	}
}

// place asks for a function, where there is somebody to ask.
func (f source) place(pkg sui.Address, module, function string) string {
	if f == nil {
		return ""
	}
	return f(pkg, module, function)
}
