package workspace

import (
	"context"
	"errors"
	"time"
)

var _ Executor = (*Local)(nil)

// Local runs the operations on folders that the user registered on this machine. It is safe for
// concurrent use.
type Local struct {
	registry Registry
	changes  Changes
	chain    Chain
	now      func() time.Time
	indexes  indexes
}

// Config configures a Local. If Chain is nil, published code is unavailable.
type Config struct {
	Registry Registry
	Changes  Changes
	Chain    Chain
	Now      func() time.Time
}

// NewLocal returns a Local.
func NewLocal(c Config) *Local {
	return &Local{registry: c.Registry, changes: c.Changes, chain: c.Chain, now: c.Now}
}

// folder returns the registered folder with a key.
func (l *Local) folder(ctx context.Context, key string) (Folder, error) {
	all, err := l.registry.Folders(ctx)
	if err != nil {
		return Folder{}, err
	}
	for _, f := range all {
		if f.Key == key {
			return f, nil
		}
	}
	return Folder{}, ErrProject
}

// open opens the project with the given key. The caller must close it.
func (l *Local) open(ctx context.Context, key string) (*Project, Folder, error) {
	f, err := l.folder(ctx, key)
	if err != nil {
		return nil, f, err
	}
	p, err := Open(f.Key, f.Root)
	if err != nil {
		return nil, f, ErrGone
	}
	return p, f, nil
}

// Reach returns the reason why a project's folder cannot be opened, or nil.
func (l *Local) Reach(ctx context.Context, key string) error {
	p, _, err := l.open(ctx, key)
	if err != nil {
		return err
	}
	return p.Close()
}

// Grep implements Executor.
func (l *Local) Grep(ctx context.Context, key string, r Search) (*GrepAnswer, error) {
	p, _, err := l.open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	found, err := p.Grep(ctx, r)
	if err != nil {
		return nil, ofPath(r.Path, err)
	}
	return &GrepAnswer{Project: key, Search: r, Matches: found}, nil
}

// Read implements Executor.
func (l *Local) Read(ctx context.Context, key string, r ReadRequest) (*ReadAnswer, error) {
	p, _, err := l.open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	text, err := p.ReadFile(r)
	if err != nil {
		return nil, ofPath(r.Path, err)
	}
	return &ReadAnswer{Project: key, Text: text}, nil
}

// ofPath adds the path to an error about a file.
func ofPath(path string, err error) error {
	for _, of := range []error{ErrPattern, ErrLimit, ErrFileType, ErrRange, ErrNegative, context.Canceled,
		context.DeadlineExceeded} {
		if errors.Is(err, of) {
			return err
		}
	}
	return fileError(path, err)
}
