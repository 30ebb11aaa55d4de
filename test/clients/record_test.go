//go:build clients

package clients_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// zeros is randomness of which nothing depends here.
type zeros struct{ n byte }

func (z *zeros) Read(b []byte) (int, error) {
	for i := range b {
		z.n++
		b[i] = z.n
	}
	return len(b), nil
}

// recordFile returns a record of two chains; the sandbox's wallet signed entry 5 of the first.
func recordFile(t *testing.T) []byte {
	t.Helper()
	s, _ := serve(t)
	random := &zeros{}
	var links []hashchain.Link
	add := func(l hashchain.Link, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, l)
	}
	last := func() hashchain.Head { return links[len(links)-1].Head }
	add(hashchain.Begin(hashchain.Beginning{Reason: "first"}, present, random))
	for i := range 8 {
		add(last().Append(hashchain.Draft{What: "asked", About: map[string]any{"amount": i, "text": "é <&> \u2028"},
			Names: map[string]string{"client": "Ana ✓"}}, present, random))
	}
	head := last()
	add(hashchain.Begin(hashchain.Beginning{Reason: "restored", After: &head}, present, random))
	add(last().Append(hashchain.Draft{What: "asked", About: struct{}{}}, present, random))
	message := hashchain.Statement{Head: links[4].Head, Account: sandbox.Account, At: present}.Message()
	signature, err := s.SignPersonalMessage([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := hashchain.NewWriter(&file, present)
	for _, l := range links {
		if err == nil {
			err = w.Entry(l.Text)
		}
	}
	if err == nil {
		err = w.Signature(hashchain.Signature{Message: message, Signature: base64.StdEncoding.EncodeToString(signature)})
	}
	if err == nil {
		err = w.Name(links[1].Names[0])
	}
	if err == nil {
		err = w.End()
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// changedRecord returns the file after one change of a byte or of lines.
func changedRecord(r *rand.Rand, file []byte) []byte {
	lines := slices.Collect(bytes.Lines(file))
	at, to := r.IntN(len(lines)), r.IntN(len(lines))
	switch r.IntN(6) {
	case 0:
		return slices.Concat(slices.Delete(lines, at, at+1)...)
	case 1:
		lines[at], lines[to] = lines[to], lines[at]
	case 2:
		return slices.Concat(slices.Insert(lines, to, lines[at])...)
	case 3:
		return file[:r.IntN(len(file))]
	case 4: // a changed line whose hash fits
		text := bytes.Replace(bytes.TrimSuffix(lines[at][65:], []byte("\n")), []byte("e"), []byte("a"), 1)
		lines[at] = fmt.Appendf(nil, "%s %s\n", hashchain.HashOf(text), text)
	default:
		out := bytes.Clone(file)
		out[r.IntN(len(out))] ^= 1 << r.IntN(8)
		return out
	}
	return slices.Concat(lines...)
}

// TestRecordElsewhere: a program in another language, written from docs/RECORD.md, judges
// records as this one does.
func TestRecordElsewhere(t *testing.T) {
	whole := recordFile(t)
	files := [][]byte{whole}
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		files = append(files, changedRecord(r, whole))
	}
	dir := t.TempDir()
	var paths []string
	for i, file := range files {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(paths[i], file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got []struct {
		Problems [][]any
		Signed   []struct{ Account string }
		Entries  int
	}
	node(t, &got, nil, "record.mjs", paths...)
	if first := got[0]; len(first.Problems) > 0 || first.Entries != 11 || len(first.Signed) != 1 ||
		first.Signed[0].Account != sandbox.Account.String() {
		t.Fatalf("the whole record: %+v", first)
	}
	refused := 0
	for i, file := range files {
		report, err := hashchain.Verify(bytes.NewReader(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		same := bytes.Equal(file, whole)
		if (len(got[i].Problems) == 0) != same || report.OK() != same {
			t.Errorf("file %d: %v elsewhere, %+v here", i, got[i].Problems, report.Problems)
		}
		if !same {
			refused++
		}
	}
	if refused < 400 {
		t.Errorf("only %d of the files differ", refused)
	}
	missing := slices.Concat(slices.Delete(slices.Collect(bytes.Lines(whole)), 3, 4)...)
	if err := os.WriteFile(paths[0], missing, 0o600); err != nil {
		t.Fatal(err)
	}
	node(t, &got, nil, "record.mjs", paths[0])
	if text := fmt.Sprint(got[0].Problems); !strings.Contains(text, "entry 3 is missing") {
		t.Errorf("a missing entry: %s", text)
	}
}
