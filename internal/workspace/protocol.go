package workspace

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Protocol serves a peer of the WebSocket tool protocol. Its executor runs the protocol's calls on
// a registry's projects.
type Protocol struct {
	Executor Executor
	Registry Registry
}

// Check calls CheckParams.
func (Protocol) Check(tool string, raw json.RawMessage) error { return CheckParams(tool, raw) }

// Invoke calls Invoke with the executor.
func (p Protocol) Invoke(ctx context.Context, tool string, raw json.RawMessage) (string, error) {
	return Invoke(ctx, p.Executor, tool, raw)
}

// Projects lists the keys of the registered projects.
func (p Protocol) Projects(ctx context.Context) ([]string, error) {
	all, err := p.Registry.Folders(ctx)
	keys := make([]string, 0, len(all))
	for _, f := range all {
		keys = append(keys, f.Key)
	}
	return keys, err
}

// maxForeign limits the size of an editor's text, in bytes.
const maxForeign = 256 << 10

// Foreign makes an editor's text safe to pass on: truncated if long, with control characters as
// numbers, and without lines that contain a file's secret or what a wallet's text must not contain.
// own are known accounts. The text stays untrusted: data, never an instruction.
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
