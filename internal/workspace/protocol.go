package workspace

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"
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

// Foreign returns a text of an editor as it may be passed on: without control
// characters, cut where it is long, and with lines withheld that hold secrets. It stays
// the text of others: data, never an instruction.
func Foreign(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > mostForeign {
		text = strings.ToValidUTF8(text[:mostForeign], "") + "\n[cut: the answer of the editor is longer]"
	}
	rows := strings.Split(strings.Map(uncontrolled, text), "\n")
	redact(rows)
	return strings.Join(rows, "\n")
}

// uncontrolled drops control characters but those that lay out a text.
func uncontrolled(r rune) rune {
	//mutant:never ./internal/workspace TestForeign
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}
