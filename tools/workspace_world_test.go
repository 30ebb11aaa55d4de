package tools_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// projectFiles is a small project, published as 0xbb, first as 0xaa.
var projectFiles = map[string]string{
	"Move.toml":          "[package]\nname = \"my_vault\"\nedition = \"2024\"\n\n[addresses]\nmy_vault = \"0x0\"\n",
	"Published.toml":     "[published.mainnet]\npublished-at = \"0xbb\"\noriginal-id = \"0xaa\"\nversion = 2\n",
	"sources/vault.move": "module my_vault::vault;\n\nuse my_vault::math;\n\npublic fun rebalance(amount: u64): u64 {\n    math::double(amount)\n}\n",
	"sources/math.move":  "module my_vault::math;\n\npublic fun double(n: u64): u64 {\n    n * 2\n}\n",
	".env":               "TOKEN=1\n",
}

// project registers a project, as the user does, and returns its folder.
func (w *world) project(mode workspace.Mode) string {
	w.t.Helper()
	dir := w.t.TempDir()
	for name, text := range projectFiles {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			w.t.Fatal(err)
		}
	}
	err := w.Store.AddFolder(context.Background(), workspace.Folder{Key: "my-vault", Root: dir, Mode: mode},
		func(context.Context) error { return nil })
	if err != nil {
		w.t.Fatal(err)
	}
	return dir
}

// editorDouble is an editor that may be connected.
type editorDouble struct {
	connected bool
	fails     bool
	tool      string // last request
	params    map[string]any
}

func (e *editorDouble) Connected(string) bool { return e.connected }

func (e *editorDouble) Forward(_ context.Context, _, tool string, params map[string]any) (string, bool, error) {
	if !e.connected {
		return "", false, nil
	}
	e.tool, e.params = tool, params
	if e.fails {
		return "", true, errors.New("the socket was closed")
	}
	return "## from the editor", true, nil
}

// codeOf reads published packages from the node.
type codeOf struct{ node *rpc.Client }

func (c codeOf) Code(ctx context.Context, id string) (workspace.Code, error) {
	at, err := sui.ParseAddress(id)
	if err != nil {
		return workspace.Code{}, workspace.ErrNotPublished
	}
	code, err := c.node.Code(ctx, at)
	if err != nil {
		if fault.As(err).Detail.Get("code") == "NotFound" {
			err = errors.Join(workspace.ErrNotPublished, err)
		}
		return workspace.Code{}, err
	}
	return workspace.Code{Original: code.Original.String(), Modules: code.Modules}, nil
}
