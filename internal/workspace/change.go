package workspace

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// State is the state of a change.
type State string

// States of a change. A waiting change is decided, and becomes applying or ends. An applying change
// becomes applied or failed. An applied change may become undone.
const (
	Waiting   State = "waiting"  // the user has not decided
	Applying  State = "applying" // decided and about to be written
	Applied   State = "applied"
	Failed    State = "failed" // could not be written; the file is unchanged
	Declined  State = "declined"
	Withdrawn State = "withdrawn" // its caller stopped waiting
	Undone    State = "undone"
)

// Change is a stored change of a file, with the previous and the new content. Root is the folder at
// the time of the request.
type Change struct {
	ID          string
	Project     string
	Root        string
	Path        string
	Description string
	Created     bool
	Diff, Note  string
	Before      []byte
	After       []byte
	State       State
	Reason      string // reason for a failure
	Session     string // conversation that requested it, or ""
	At          time.Time
	ChangedAt   time.Time
	HeldUntil   time.Time // how long its caller is known to wait
}

// Limits of changes.
const (
	MaxWaiting = 10 // changes that may wait for the user at the same time
	UndoTime   = 7 * 24 * time.Hour
	hold       = 5 * time.Second // time after which a silent caller counts as gone
	holdBeat   = time.Second
	lookBeat   = 50 * time.Millisecond
	// maxDescription limits a caller's description of a change, in bytes.
	maxDescription = 2000
	applyingTime   = 10 * time.Second // time after which the file shows whether a change was applied
)

// ErrMany means that too many changes are waiting for the user.
var ErrMany = fmt.Errorf("%d changes already wait for the user, who decides on the console page", MaxWaiting)

// ErrOver means that a change can no longer be decided.
var ErrOver = errors.New("this change is no longer waiting: it was decided, or its caller has left. Nothing was " +
	"written")

// ErrUndo means that a change cannot be undone.
var ErrUndo = errors.New("this change can no longer be undone")

// Changes stores changes. MoveFileChange calls update in the transaction that changes a state, and
// stops if it returns an error.
type Changes interface {
	AddFileChange(ctx context.Context, c Change) error
	FileChange(ctx context.Context, id string) (Change, bool, error)
	HoldFileChange(ctx context.Context, id string, until time.Time) error
	// MoveFileChange moves a change from one state to another and reports whether it was in the first.
	// It calls update in the same transaction.
	MoveFileChange(ctx context.Context, id string, from, to State, reason string, update func(Change) error) (bool, error)
}

// ApplyChange implements Executor.
func (l *Local) ApplyChange(ctx context.Context, key string, r ChangeRequest) (*ChangeAnswer, error) {
	c, err := l.Propose(ctx, "", key, r)
	if err != nil {
		return nil, err
	}
	return l.Finish(ctx, c)
}

// Propose creates and stores a change. session may be "". The caller must pass the result to Finish
// immediately, because a waiting change without a caller is withdrawn.
func (l *Local) Propose(ctx context.Context, session, key string, r ChangeRequest) (Change, error) {
	p, f, err := l.open(ctx, key)
	if err != nil {
		return Change{}, err
	}
	defer p.Close()
	//mutant:never ./internal/workspace TestApply
	if f.Mode == ReadOnly {
		return Change{}, ErrReadOnly
	}
	e, err := p.Prepare(r)
	if err != nil {
		return Change{}, fileError(r.Path, err)
	}
	now := l.now()
	c := Change{ID: "edit_" + strings.ToLower(rand.Text()), Project: key, Root: f.Root, Path: e.Path,
		Description: Cut(r.Description, maxDescription), Created: e.Created, Diff: e.Diff, Note: e.Note, Before: e.Before,
		After: e.After, State: Applying, Session: session, At: now, ChangedAt: now, HeldUntil: now.Add(hold)}
	//mutant:never `p.executes(e.Path)` ./internal/workspace TestExecutedFilesAsk
	if f.Mode == Confirm || p.executes(e.Path) {
		c.State = Waiting
	}
	return c, l.changes.AddFileChange(ctx, c)
}

// Finish writes a change or waits for the user to decide on it, until ctx ends. It returns an error
// if the change was not applied and never will be.
func (l *Local) Finish(ctx context.Context, c Change) (*ChangeAnswer, error) {
	var err error
	if c.State == Waiting {
		c, err = l.await(ctx, c)
	} else {
		c, err = l.write(context.WithoutCancel(ctx), c)
	}
	if err != nil {
		return nil, err
	}
	return answerOf(c)
}

// Withdraw withdraws a change that will not be passed to Finish.
func (l *Local) Withdraw(ctx context.Context, c Change) {
	// A change without a caller is not written, even if it cannot be withdrawn now.
	_, _ = l.changes.MoveFileChange(ctx, c.ID, c.State, Withdrawn, "", nil)
}

// Mode returns the mode of a project.
func (l *Local) Mode(ctx context.Context, key string) (Mode, error) {
	f, err := l.folder(ctx, key)
	return f.Mode, err
}

// answerOf returns the answer for a change that has reached a final state.
func answerOf(c Change) (*ChangeAnswer, error) {
	switch c.State {
	case Applied, Undone:
		return &ChangeAnswer{Project: c.Project, ID: c.ID, Path: c.Path, Created: c.Created, Diff: c.Diff, Note: c.Note}, nil
	case Declined:
		return nil, ErrDeclined
	case Failed:
		return nil, fileError(c.Path, errors.New(c.Reason))
	}
	return nil, ErrWithdrawn
}

// ErrUnsettled means that the store failed, so it is not known how a change ended.
var ErrUnsettled = errors.New("the outcome of the change is unknown: read the file before you try again")

// await waits until a change has ended. If ctx ends first, it withdraws the change, unless the
// change is being written. In that case it waits, so that a change reported as failed is not
// applied later. If the store fails, it tries again for as long as the change could be applied.
func (l *Local) await(ctx context.Context, c Change) (Change, error) {
	store := context.WithoutCancel(ctx)
	look, held := time.NewTicker(lookBeat), time.NewTicker(holdBeat)
	defer look.Stop()
	defer held.Stop()
	var last <-chan time.Time // nil until ctx ends
	for done := ctx.Done(); ; {
		select {
		case <-done:
			done, last = nil, time.After(hold+applyingTime)
		case <-held.C:
			if last == nil {
				_ = l.changes.HoldFileChange(store, c.ID, l.now().Add(hold))
			}
			continue
		case <-last:
			return c, ErrUnsettled
		case <-look.C:
		}
		if last != nil {
			if _, err := l.changes.MoveFileChange(store, c.ID, Waiting, Withdrawn, "", nil); err != nil {
				continue
			}
		}
		now, ok, err := l.changes.FileChange(store, c.ID)
		switch {
		case err != nil:
		case !ok:
			return c, ErrWithdrawn
		case now.State == Applying && l.now().Sub(now.ChangedAt) > applyingTime:
			_ = l.Settle(store, now)
		case now.State != Waiting && now.State != Applying:
			return now, nil
		}
	}
}

// Decide records the user's decision on a waiting change. It calls right inside the transaction.
func (l *Local) Decide(ctx context.Context, id string, apply bool, right func(context.Context) error) (Change, error) {
	c, ok, err := l.changes.FileChange(ctx, id)
	if err != nil {
		return c, err
	}
	if !ok {
		return c, ErrOver
	}
	update := func(c Change) error {
		//mutant:never ./internal/workspace TestApply
		if l.now().After(c.HeldUntil) {
			return ErrOver
		}
		return right(ctx)
	}
	if !apply {
		moved, err := l.changes.MoveFileChange(ctx, id, Waiting, Declined, "", func(Change) error { return right(ctx) })
		if err == nil && !moved {
			err = ErrOver
		}
		return c, err
	}
	f, err := l.folder(ctx, c.Project)
	switch {
	case err != nil:
		return c, err
	case f.Mode == ReadOnly || f.Root != c.Root: // the user may have changed these since
		return c, ErrReadOnly
	}
	moved, err := l.changes.MoveFileChange(ctx, id, Waiting, Applying, "", update)
	if err == nil && !moved {
		err = ErrOver
	}
	if err != nil {
		return c, err
	}
	c, err = l.write(context.WithoutCancel(ctx), c)
	if err == nil && c.State == Failed {
		err = fileError(c.Path, errors.New(c.Reason))
	}
	return c, err
}

// write writes a change that is applying. It replaces the file inside the transaction that records
// the new state. If the process is killed in between, the file shows whether the change was
// applied.
func (l *Local) write(ctx context.Context, c Change) (Change, error) {
	p, err := Open(c.Project, c.Root)
	if err == nil {
		defer p.Close()
		var w *pendingWrite
		if w, err = p.stage(&Edit{Path: c.Path, Created: c.Created, Before: c.Before, After: c.After}); err == nil {
			defer w.close()
			var moved bool
			moved, err = l.changes.MoveFileChange(ctx, c.ID, Applying, Applied, "", func(Change) error { return w.commit() })
			switch {
			case err == nil && moved:
				c.State = Applied
				return c, nil
			case err == nil:
				c, _, err = l.changes.FileChange(ctx, c.ID) // another process may have settled the change
				return c, err
			}
		}
	}
	if _, e := l.changes.MoveFileChange(ctx, c.ID, Applying, Failed, err.Error(), l.unwritten(c)); e != nil {
		// The file may have been written even if that was not recorded.
		return c, l.Settle(ctx, c)
	}
	c.State, c.Reason = Failed, err.Error()
	return c, nil
}

// unwritten returns the update for a change that could not be written. It returns an error if the
// file has the new content after all.
func (l *Local) unwritten(c Change) func(Change) error {
	return func(Change) error {
		if has, err := l.has(c, c.After); err != nil || !has {
			return nil
		}
		return errors.New("the file has the new content")
	}
}

// has reports whether the file of a change has the given content.
func (l *Local) has(c Change, content []byte) (bool, error) {
	p, err := Open(c.Project, c.Root)
	if err != nil {
		return false, err
	}
	defer p.Close()
	now, err := p.ReadAll(c.Path)
	return err == nil && string(now) == string(content), err
}

// Settle determines how a change ended whose writer is gone. It was applied if the file has the new
// content.
func (l *Local) Settle(ctx context.Context, c Change) error {
	moved := false
	_, err := l.changes.MoveFileChange(ctx, c.ID, Applying, Applied, "", func(now Change) error {
		has, err := l.has(c, c.After)
		if moved = err == nil && has; moved {
			return nil
		}
		return ErrOver
	})
	if err == nil || moved {
		return err
	}
	_, err = l.changes.MoveFileChange(ctx, c.ID, Applying, Failed,
		"the program ended before the change was written; the file is unchanged", l.unwritten(c))
	return err
}

// Undo restores the previous content, if the file has not changed since.
func (l *Local) Undo(ctx context.Context, id string, right func(context.Context) error) (Change, error) {
	c, ok, err := l.changes.FileChange(ctx, id)
	if err != nil {
		return c, err
	}
	//mutant:never `l.now().Sub(c.ChangedAt) > UndoTime` ./internal/workspace TestUndo
	if !ok || c.State != Applied || l.now().Sub(c.ChangedAt) > UndoTime {
		return c, ErrUndo
	}
	p, err := Open(c.Project, c.Root)
	if err != nil {
		return c, err
	}
	defer p.Close()
	w, err := p.stageUndo(c)
	if err != nil {
		return c, fileError(c.Path, err)
	}
	defer w.close()
	moved, err := l.changes.MoveFileChange(ctx, id, Applied, Undone, "", func(Change) error {
		if err := right(ctx); err != nil {
			return err
		}
		return fileError(c.Path, w.commit())
	})
	if err == nil && !moved {
		err = ErrUndo
	}
	return c, err
}

// stageUndo stages the previous content of a file, or its removal if the change created it.
func (p *Project) stageUndo(c Change) (*pendingWrite, error) {
	if !c.Created {
		return p.stage(&Edit{Path: c.Path, Before: c.After, After: c.Before})
	}
	w, err := p.open(c.Path)
	if err == nil {
		w.before, w.removes = c.After, true
	}
	return w, err
}

// Valid reports whether s is one of the states.
func (s State) Valid() bool {
	return slices.Contains([]State{Waiting, Applying, Applied, Failed, Declined, Withdrawn, Undone}, s)
}
