//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCovers(t *testing.T) {
	document := `{"ok":true,"data":{"first":"one \"quoted\" word","second":"two","third":"three"}}`
	quoted := text(document)
	whole := `{"content":[{"type":"text","text":` + quoted + `}],"structuredContent":` + document + `}`
	s := sent{Texts: []string{document}, Structured: json.RawMessage(document)}
	at := strings.Index(whole, `"structuredContent"`)
	for _, c := range []struct {
		name       string
		head, tail int
		want       bool
	}{
		{"the parts overlap", at - 10, at + 30, true},
		{"a fact is missing", at - 60, at + 60, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := covers(whole[:c.head]+" ...[cut]... "+whole[c.tail:], s); got != c.want {
				t.Errorf("%v", got)
			}
		})
	}
}
