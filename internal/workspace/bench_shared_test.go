//go:build shared

package workspace_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/internal/workspace/move/graph"
)

// folders is a registry of one project.
type folders []workspace.Folder

func (f folders) Folders(context.Context) ([]workspace.Folder, error) { return f, nil }

// recorded returns a project of the recorded packages: the framework, DeepBook and others.
func recorded(b *testing.B) *workspace.Local {
	b.Helper()
	root, err := filepath.Abs("../../../shared/data/move/sources")
	if err != nil {
		b.Fatal(err)
	}
	return workspace.NewLocal(workspace.Config{Registry: folders{{Key: "recorded", Root: root, Mode: workspace.ReadOnly}},
		Now: time.Now})
}

// BenchmarkIndexRecorded reads and parses all of it from the disk.
func BenchmarkIndexRecorded(b *testing.B) {
	for b.Loop() {
		x, err := recorded(b).Index(b.Context(), "recorded")
		if err != nil || len(x.Graph.Functions) < 1000 {
			b.Fatal(err)
		}
	}
}

// BenchmarkCallChainDepth5 measures how long a tool waits, including the check of the files for
// changes.
func BenchmarkCallChainDepth5(b *testing.B) {
	l := recorded(b)
	r := workspace.ChainRequest{Method: "deepbook::pool::place_limit_order", Direction: graph.Both, Depth: 5}
	for b.Loop() {
		a, err := l.CallChain(b.Context(), "recorded", r)
		if err != nil || len(a.Edges) < 100 {
			b.Fatal(err, len(a.Edges))
		}
	}
}
