package workspace

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Protocol runs calls of the WebSocket tool protocol with an executor, on the projects of a
// registry.
type Protocol struct {
	Executor Executor
	Registry Registry
}

// Check calls CheckParams.
func (Protocol) Check(tool string, raw json.RawMessage) error { return CheckParams(tool, raw) }

// Invoke runs a call with the executor.
func (p Protocol) Invoke(ctx context.Context, tool string, raw json.RawMessage) (string, error) {
	return Invoke(ctx, p.Executor, tool, raw)
}

// Projects returns the keys of the registered projects.
func (p Protocol) Projects(ctx context.Context) ([]string, error) {
	all, err := p.Registry.Folders(ctx)
	keys := make([]string, 0, len(all))
	for _, f := range all {
		keys = append(keys, f.Key)
	}
	return keys, err
}

// maxForeign is the maximum size of an editor's text in bytes.
const maxForeign = 256 << 10

// Foreign makes an editor's text safe to pass on. It shortens a long text, escapes control
// characters, and removes lines with secrets or with text that pages must not show. own are the
// known accounts. The text remains untrusted data.
func Foreign(text string, own []sui.Address) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > maxForeign {
		text = strings.ToValidUTF8(text[:maxForeign], "") + "\n[cut: the editor's answer is longer]"
	}
	rows := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	held, refused := withheld([]byte(strings.Join(rows, "\n"))), screen.Refused(rows, own)
	for i, row := range rows {
		//mutant:never ./internal/workspace TestForeign
		if refused[i] || held != nil && held[i] {
			rows[i] = Withheld
		} else {
			rows[i] = visible(row)
		}
	}
	return strings.Join(rows, "\n")
}
