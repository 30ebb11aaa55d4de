package workspace

import (
	"context"
	"fmt"
	"hash"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/sayurintent/sayurintent/internal/workspace/move/bytecode"
)

// indexes caches the newest index of each project.
type indexes struct {
	mu   sync.Mutex
	kept map[string]*kept
}

// kept holds the index of one project, a mark of the files that it was built from, and the
// published packages that it includes.
type kept struct {
	mu    sync.Mutex // held while the index is built
	root  string
	mark  uint64
	index *Index

	published []*bytecode.Module
	ids       map[string]string // requested packages, each with its original ID or ""
	links     map[string]string // loaded ID by original ID, as the project's own packages require
	linked    bool
}

// of returns the cache of a project.
func (s *indexes) of(key string) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]*kept{}
	}
	if s.kept[key] == nil {
		s.kept[key] = &kept{}
	}
	return s.kept[key]
}

// Index returns the index of a project. It rebuilds it if a source, a manifest or the folder
// changed.
func (l *Local) Index(ctx context.Context, key string) (*Index, error) {
	p, f, err := l.open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	k := l.indexes.of(key)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current(ctx, p, f)
}

// current returns an index of the current files, which may be the cached one.
func (k *kept) current(ctx context.Context, p *Project, f Folder) (*Index, error) {
	mark, err := p.mark(ctx)
	if err != nil {
		return nil, err
	}
	if k.root != f.Root {
		k.root, k.index, k.published, k.ids, k.links, k.linked = f.Root, nil, nil, nil, nil, false
	}
	//mutant:always `k.mark == mark` ./internal/workspace TestIndexFollowsItsFiles
	if k.index != nil && k.mark == mark {
		return k.index, nil
	}
	x, err := p.Index(ctx, k.published...)
	if err != nil {
		return nil, err
	}
	k.mark, k.index = mark, x
	return x, nil
}

var manifests = []string{"Move.toml", "Move.lock", "Published.toml"}

// mark returns a value that changes with the name, size, time or inode of any file that Index
// reads.
func (p *Project) mark(ctx context.Context) (uint64, error) {
	at, err := p.directory(nil)
	if err != nil {
		return 0, err
	}
	defer at.Close()
	h := fnv.New64a()
	if err := marked(ctx, h, at, "", 0); err != nil {
		return 0, err
	}
	return h.Sum64(), nil
}

func marked(ctx context.Context, h hash.Hash, at *os.Root, dir string, depth int) error {
	entries, err := fs.ReadDir(at.FS(), ".")
	if err != nil || depth > maxTreeDepth {
		return nil
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			inside := strings.Contains("/"+name+"/", "/sources/")
			if strings.HasPrefix(e.Name(), ".") || !plain(e.Name()) || Denied(e.Name()) ||
				!inside && slices.Contains(ignored, fold(e.Name())) {
				continue
			}
			sub, err := enter(at, e.Name())
			if err != nil {
				continue
			}
			err = marked(ctx, h, sub, name, depth+1)
			sub.Close()
			if err != nil {
				return err
			}
		case path.Ext(e.Name()) == ".move", slices.Contains(manifests, e.Name()):
			if info, err := e.Info(); err == nil {
				fmt.Fprintf(h, "%s\x00%d %d %s %s\n", name, info.Size(), info.ModTime().UnixNano(), info.Mode(), inode(info))
			}
		}
	}
	return nil
}
