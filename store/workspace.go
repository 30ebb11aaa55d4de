package store

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// Workspace stores the folders of source projects, and proposed file changes.
type Workspace struct{ *engine }

var (
	_ workspace.Registry = Workspace{}
	_ workspace.Changes  = Workspace{}
)

// Limits on stored projects and changes.
const (
	maxFolders    = 50
	maxChangeKept = 500                 // number of ended changes
	maxRoot       = 4096                // length of a path in bytes
	maxDiff       = 8 << 20             // size of a diff in bytes
	changeLife    = 30 * 24 * time.Hour // how long an ended change is listed
)

// Folders implements workspace.Registry.
func (db Workspace) Folders(ctx context.Context) ([]workspace.Folder, error) {
	return foldersOf(ctx, db)
}

func foldersOf(ctx context.Context, r rower) ([]workspace.Folder, error) {
	return validRows(ctx, r, nil, scanFolder, `SELECT key, root, mode, added_at FROM workspace_folders ORDER BY key`)
}

// scanFolder reads a row. A damaged row counts as no project.
func scanFolder(r *sql.Rows, f *workspace.Folder) error {
	var added int64
	c := scanColumns(r, "workspace_folders", &f.Key, &f.Key, &f.Root, &f.Mode, &added)
	c.must(workspace.ValidKey(f.Key), "its key is invalid")
	c.text("root", f.Root, maxRoot)
	c.must(f.Root != "", "it has no folder")
	c.must(f.Mode.Valid(), "its mode is unknown")
	f.Added = c.time("added_at", added)
	return c.err
}

// AddFolder registers a folder. It rejects a key that is in use. It calls may inside the
// transaction.
func (db Workspace) AddFolder(ctx context.Context, f workspace.Folder, may func(context.Context) error) error {
	return db.change(ctx, func(x *tx) error {
		if err := may(ctx); err != nil {
			return err
		}
		//mutant:never ./review/web TestProjects
		if db.overlaps(f.Root) {
			return fault.New(fault.InputInvalid,
				"This folder contains this program's data, or is inside it. It cannot be a project.").
				With("field", "path")
		}
		all, err := foldersOf(ctx, x)
		if err != nil {
			return err
		}
		for _, other := range all {
			switch {
			case other.Key == f.Key:
				return fault.New(fault.Blocked, "There is already a project %s. Choose another key, or remove that one first.",
					f.Key)
			case other.Root == f.Root:
				return fault.New(fault.Blocked, "This folder is already registered as %s.", other.Key)
			}
		}
		if len(all) >= maxFolders {
			return fault.New(fault.RateLimited, "%d projects are already registered.", maxFolders)
		}
		err = x.one(ctx, `INSERT INTO workspace_folders (key, root, mode, added_at) VALUES (?, ?, ?, ?)`, f.Key, f.Root,
			string(f.Mode), nanoseconds(x.now))
		if err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Settings, To: "project", What: "registered"})
	})
}

// overlaps reports whether a folder contains this program's data or is inside it.
func (db Workspace) overlaps(root string) bool {
	data := db.dir
	if real, err := filepath.EvalSymlinks(data); err == nil {
		data = real
	}
	inside := func(outer, inner string) bool {
		relative, err := filepath.Rel(outer, inner)
		return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
	}
	return inside(root, data) || inside(data, root)
}

// SetFolder changes the mode of a project, or removes the project if the mode is "".
func (db Workspace) SetFolder(ctx context.Context, key string, mode workspace.Mode,
	may func(context.Context) error) (known bool, err error) {
	err = db.change(ctx, func(x *tx) error {
		if err := may(ctx); err != nil {
			return err
		}
		query, args := `UPDATE workspace_folders SET mode = ? WHERE key = ?`, []any{string(mode), key}
		if mode == "" {
			query, args = `DELETE FROM workspace_folders WHERE key = ?`, []any{key}
		}
		n, err := x.exec(ctx, query, args...)
		if err != nil {
			return err
		}
		if known = n > 0; !known {
			return errUnchanged
		}
		return x.record(ctx, events.Entry{Kind: events.Settings, To: "project", What: "changed"})
	})
	return known && err == nil, err
}

const selectFileChanges = `SELECT id, project, root, path, description, created, diff, note, before_text, after_text, state, reason,
	session, made_at, changed_at, held_until FROM workspace_changes`

// scanFileChange reads a row. A damaged change is never applied.
func scanFileChange(r *sql.Rows, v *workspace.Change) error {
	var created, made, changed, held int64
	c := scanColumns(r, "workspace_changes", &v.ID, &v.ID, &v.Project, &v.Root, &v.Path, &v.Description, &created, &v.Diff,
		&v.Note,
		&v.Before, &v.After, &v.State, &v.Reason, &v.Session, &made, &changed, &held)
	c.must(workspace.ValidKey(v.Project), "its project is invalid")
	c.text("id", v.ID, maxWord)
	c.text("root", v.Root, maxRoot)
	c.text("path", v.Path, maxName)
	c.text("description", v.Description, maxDocument)
	c.text("diff", v.Diff, maxDiff)
	c.text("note", v.Note, maxName)
	c.text("reason", v.Reason, maxName)
	c.text("session", v.Session, maxWord)
	c.must(v.State.Valid(), "its state is unknown")
	c.must(len(v.Before) <= workspace.MaxFile && len(v.After) <= workspace.MaxFile,
		"its texts exceed the maximum file size")
	v.Created = c.flag("created", created)
	v.At, v.ChangedAt, v.HeldUntil = c.time("made_at", made), c.time("changed_at", changed), c.time("held_until", held)
	return c.err
}

// FileChange implements workspace.Changes.
func (db Workspace) FileChange(ctx context.Context, id string) (workspace.Change, bool, error) {
	return fileChangeOf(ctx, db, id)
}

func fileChangeOf(ctx context.Context, r rower, id string) (workspace.Change, bool, error) {
	found, err := validRows(ctx, r, nil, scanFileChange, selectFileChanges+` WHERE id = ?`, id)
	if err != nil || len(found) == 0 {
		return workspace.Change{}, false, err
	}
	return found[0], true, nil
}

// LatestFileChanges lists changes, newest first.
func (db Workspace) LatestFileChanges(ctx context.Context, limit int) ([]workspace.Change, error) {
	return validRows(ctx, db, nil, scanFileChange, selectFileChanges+` ORDER BY made_at DESC, id LIMIT ?`, limit)
}

// WaitingFileChanges lists the changes that wait for the user, oldest first.
func (db Workspace) WaitingFileChanges(ctx context.Context) ([]workspace.Change, error) {
	return validRows(ctx, db, nil, scanFileChange, selectFileChanges+` WHERE state = 'waiting' ORDER BY made_at, id`)
}

// AddFileChange implements workspace.Changes. It first withdraws changes whose caller no longer
// waits, and deletes file contents that can no longer be restored.
func (db Workspace) AddFileChange(ctx context.Context, v workspace.Change) error {
	return db.change(ctx, func(x *tx) error {
		if err := tidyFileChanges(ctx, x); err != nil {
			return err
		}
		if v.State == workspace.Waiting {
			waiting, err := single[int](ctx, x,
				`SELECT count(*) FROM workspace_changes WHERE state = 'waiting'`)
			if err != nil {
				return err
			}
			//mutant:never ./store TestChanges
			if waiting >= workspace.MaxWaiting {
				return workspace.ErrMany
			}
		}
		err := x.one(ctx,
			`INSERT INTO workspace_changes (id, project, root, path, description, created, diff, note, before_text,
			after_text, state, reason, session, made_at, changed_at, held_until)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?)`,
			v.ID, v.Project, v.Root, v.Path, v.Description, oneIf(v.Created), v.Diff, v.Note, orEmpty(v.Before),
			orEmpty(v.After),
			string(v.State), v.Session, nanoseconds(v.At), nanoseconds(v.At), nanoseconds(v.HeldUntil))
		if err != nil {
			return err
		}
		return showFileChange(ctx, x, v)
	})
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// tidyFileChanges withdraws waiting changes whose caller is gone, clears the file contents of ended
// changes, and deletes old changes.
func tidyFileChanges(ctx context.Context, x *tx) error {
	_, err1 := x.exec(ctx,
		`UPDATE workspace_changes SET state = 'withdrawn', changed_at = ? WHERE state = 'waiting' AND held_until < ?`,
		nanoseconds(x.now), nanoseconds(x.now))
	_, err2 := x.exec(ctx, `UPDATE workspace_changes SET before_text = x'', after_text = x''
		WHERE length(before_text) + length(after_text) > 0 AND (state IN ('failed', 'declined', 'withdrawn', 'undone')
			OR state = 'applied' AND changed_at < ?)`, nanoseconds(x.now.Add(-workspace.UndoTime)))
	_, err3 := x.exec(ctx, `DELETE FROM workspace_changes WHERE state NOT IN ('waiting', 'applying') AND (changed_at < ?
		OR id NOT IN (SELECT id FROM workspace_changes ORDER BY made_at DESC LIMIT ?))`,
		nanoseconds(x.now.Add(-changeLife)), maxChangeKept)
	return errors.Join(err1, err2, err3)
}

// HoldFileChange implements workspace.Changes.
func (db Workspace) HoldFileChange(ctx context.Context, id string, until time.Time) error {
	return db.change(ctx, func(x *tx) error {
		_, err := x.exec(ctx, `UPDATE workspace_changes SET held_until = ? WHERE id = ? AND state = 'waiting'`,
			nanoseconds(until), id)
		return err
	})
}

// MoveFileChange implements workspace.Changes.
func (db Workspace) MoveFileChange(ctx context.Context, id string, from, to workspace.State, reason string,
	update func(workspace.Change) error) (moved bool, err error) {
	err = db.change(ctx, func(x *tx) error {
		v, ok, err := fileChangeOf(ctx, x, id)
		if err != nil {
			return err
		}
		//mutant:never `v.State != from` ./store TestChanges
		if !ok || v.State != from {
			return errUnchanged
		}
		if err := x.one(ctx, `UPDATE workspace_changes SET state = ?, reason = ?, changed_at = ? WHERE id = ? AND state = ?`,
			string(to), workspace.Cut(reason, maxName), nanoseconds(x.now), id, string(from)); err != nil {
			return err
		}
		v.State = to
		if err := showFileChange(ctx, x, v); err != nil {
			return err
		}
		// update runs last, because it may write a file and nothing may fail after that.
		if update != nil {
			if err := update(v); err != nil {
				return err
			}
		}
		moved = true
		return nil
	})
	return moved && err == nil, err
}

// showFileChange notifies pages that a change was proposed or ended.
func showFileChange(ctx context.Context, x *tx, v workspace.Change) error {
	shown, err := bus.Display(bus.Diff{ID: v.ID, Project: v.Project, Path: v.Path, State: string(v.State)})
	if err != nil {
		return failed(err)
	}
	payload, err := bus.Encode(shown)
	if err != nil {
		return err
	}
	if _, err := x.append(ctx, bus.Event{Type: bus.TypeInlineDisplay, Subject: "change/" + v.ID, Session: v.Session,
		Audience: bus.UI, Payload: payload}); err != nil {
		return err
	}
	return x.record(ctx, events.Entry{Kind: events.Settings, To: "change", What: string(v.State)})
}
