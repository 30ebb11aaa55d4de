package hashchain_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// forger knows the format and recomputes every hash: of lines, of links, and of the last line. Only
// the wallet's signature prevents a forgery.
type forger struct {
	entries []hashchain.Entry // of both chains
	rest    [][]byte          // texts of signatures and names
}

// textOf writes a value as entries are written.
func textOf(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// linked returns the entries with numbers and links that fit, each chain after the one before.
func (f forger) linked(t testing.TB) (texts [][]byte) {
	t.Helper()
	var head hashchain.Head
	for _, e := range f.entries {
		if e.What == hashchain.Begun && head.Number > 0 {
			e.About = textOf(t, hashchain.Beginning{Reason: "restored", After: &head})
		}
		if e.Chain != head.Chain {
			head = hashchain.Head{Chain: e.Chain}
		}
		e.Number, e.Previous = head.Number+1, head.Hash
		text := textOf(t, e)
		head.Number, head.Hash = e.Number, hashchain.HashOf(text)
		texts = append(texts, text)
	}
	return texts
}

// sealed returns a file of these texts, whose last line fits.
func sealed(texts ...[]byte) []byte {
	var file []byte
	for _, text := range texts {
		file = fmt.Appendf(file, "%s %s\n", hashchain.HashOf(text), text)
	}
	end := fmt.Appendf(nil, `{"kind":"end","lines":%d,"hash":"%s"}`, len(texts), hashchain.HashOf(file))
	return fmt.Appendf(file, "%s %s\n", hashchain.HashOf(end), end)
}

// forge changes or truncates signed data: one of the first nine entries in one of seven ways.
func (f *forger) forge(t testing.TB, r source) (links bool) {
	t.Helper()
	at, to := 1+r.IntN(8), 1+r.IntN(8)
	switch r.IntN(7) {
	case 0:
		f.entries[at].About = fmt.Appendf(nil, `{"forged":%d}`, r.IntN(1000))
	case 1:
		f.entries = slices.Delete(f.entries, at, at+1)
	case 2:
		if at == to {
			to = at%8 + 1
		}
		f.entries[at], f.entries[to] = f.entries[to], f.entries[at]
	case 3:
		f.entries = slices.Insert(f.entries, 1+r.IntN(7), f.entries[at]) // not after the signed one
	case 4: // the end, with or without the following lines
		last := len(f.entries) - 2*r.IntN(2)
		f.entries = slices.Concat(f.entries[:at], f.entries[13:last])
	case 5: // links and numbers are left as they were
		f.entries[at].At = f.entries[at].At.Add(1)
		return false
	case 6: // the chain after the signed one, and nothing else
		f.entries = f.entries[13:]
	}
	return true
}

// texts returns the entries as they are.
func (f forger) texts(t testing.TB) (texts [][]byte) {
	t.Helper()
	for _, e := range f.entries {
		texts = append(texts, textOf(t, e))
	}
	return texts
}

// forgerOf takes a record apart.
func forgerOf(t testing.TB, s sample) forger {
	t.Helper()
	var f forger
	for _, l := range s.links {
		f.entries = append(f.entries, read(t, l.Text))
	}
	f.rest = [][]byte{bytes.TrimSuffix(s.lines[len(s.links)+1][65:], []byte("\n"))}
	return f
}

// Of 10,000 completely recomputed records, none is accepted that keeps the wallet's signature and
// changes, moves or omits what it covers.
func TestForgedBeforeTheSignedEntry(t *testing.T) {
	long.Skip(t, "it verifies thousands of files")
	s := newSample(t, 11)
	first := bytes.TrimSuffix(s.lines[0][65:], []byte("\n"))
	honest := forgerOf(t, s)
	if got := sealed(slices.Concat([][]byte{first}, honest.linked(t), honest.rest)...); !verify(t, got).OK() {
		t.Fatalf("the forger does not know the format: %s", said(t, got))
	}
	r := newSource(12)
	for tried := range 10_000 {
		f := forgerOf(t, s)
		texts := f.texts
		if f.forge(t, r) {
			texts = f.linked
		}
		file := sealed(slices.Concat([][]byte{first}, texts(t), f.rest)...)
		if verify(t, file).OK() {
			t.Fatalf("forgery %d is accepted:\n%s", tried, file)
		}
	}
}

// A signature is the wallet's over exactly this entry: another number, hash, account or key in it, or
// a text that was written differently, is refused.
func TestForgedSignature(t *testing.T) {
	s := newSample(t, 13)
	head := s.signed
	other := s.links[4].Head
	good, stranger := newWallet(1).sign(head), newWallet(2)
	as := func(h hashchain.Head) hashchain.Signature {
		out := stranger.sign(h)
		out.Message = hashchain.Statement{Head: h, Account: newWallet(1).account(), At: made}.Message()
		return out
	}
	raw, err := base64.StdEncoding.DecodeString(good.Signature)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(raw)
	flipped[1] ^= 1
	for name, one := range map[string]hashchain.Signature{
		"a stranger in the account's name": as(head),
		"of another entry":                 {Message: newWallet(1).sign(other).Message, Signature: good.Signature},
		"another text":                     {Message: good.Message + "\n", Signature: good.Signature},
		"one bit":                          {Message: good.Message, Signature: base64.StdEncoding.EncodeToString(flipped)},
		"cut":                              {Message: good.Message, Signature: base64.StdEncoding.EncodeToString(raw[:96])},
		"an entry that is not there":       newWallet(1).sign(hashchain.Head{Chain: head.Chain, Number: 99, Hash: head.Hash}),
		"a chain that is not there":        newWallet(1).sign(hashchain.Head{Chain: head.Hash, Number: 9, Hash: head.Hash}),
		"the hash of another entry":        newWallet(1).sign(hashchain.Head{Chain: head.Chain, Number: 9, Hash: other.Hash}),
	} {
		t.Run(name, func(t *testing.T) {
			var again sample
			again.links = slices.Clone(s.links)
			again.links[1].Names = nil
			again.write(t, one)
			if r := verify(t, again.file); r.OK() || r.Chains[0].Signed != nil {
				t.Errorf("it is accepted: %+v", r.Chains[0].Signed)
			}
		})
	}
}

// Spellings that some readers of JSON take for the same are not the same line.
func TestForgedSpelling(t *testing.T) {
	s := newSample(t, 14)
	first := bytes.TrimSuffix(s.lines[0][65:], []byte("\n"))
	last := s.links[len(s.links)-1]
	for name, edit := range map[string]func(text []byte) []byte{
		"a member twice":    func(b []byte) []byte { return bytes.Replace(b, []byte(`{`), []byte(`{"what":"ended",`), 1) },
		"another case":      func(b []byte) []byte { return bytes.Replace(b, []byte(`"what"`), []byte(`"What"`), 1) },
		"an unknown member": func(b []byte) []byte { return bytes.Replace(b, []byte(`{`), []byte(`{"x":1,`), 1) },
		"two values":        func(b []byte) []byte { return append(bytes.Clone(b), `{}`...) },
		"a fraction":        func(b []byte) []byte { return replaced(b, `"number":2`, `"number":2.5`) },
		"a null link":       func(b []byte) []byte { return replaced(b, `"number":2`, `"number":null`) },
	} {
		t.Run(name, func(t *testing.T) {
			texts := [][]byte{first}
			for _, l := range s.links[:len(s.links)-1] {
				texts = append(texts, l.Text)
			}
			changed := edit(last.Text)
			if bytes.Equal(changed, last.Text) {
				t.Fatal("nothing was changed")
			}
			if r := verify(t, sealed(append(texts, changed)...)); r.OK() {
				t.Errorf("it is accepted: %s", changed)
			}
		})
	}
}

func replaced(b []byte, old, new string) []byte {
	return bytes.Replace(b, []byte(old), []byte(new), 1)
}
