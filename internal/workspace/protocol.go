package workspace

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Protocol is what a peer of the WebSocket tool protocol asks: calls by the names and
// parameters of the protocol, run by an executor on the projects of a registry.
type Protocol struct {
	Executor Executor
	Registry Registry
}

// Check is CheckParams.
func (Protocol) Check(tool string, raw json.RawMessage) error { return CheckParams(tool, raw) }

// Invoke is Invoke with the executor.
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

// mostForeign bounds the text of an editor, in bytes.
const mostForeign = 256 << 10

// Foreign returns a text of an editor as it may be passed on: cut where it is long, with
// control characters as their numbers, and with the lines withheld that hold a secret of a
// file, or what a wallet's text may not hold. own are the accounts that are known here. It
// stays the text of others: data, never an instruction.
func Foreign(text string, own []sui.Address) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > mostForeign {
		text = strings.ToValidUTF8(text[:mostForeign], "") + "\n[cut: the answer of the editor is longer]"
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
