package hashchain_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

var made = time.Date(2026, 11, 27, 7, 0, 0, 0, time.UTC)

// source is randomness that a test can repeat.
type source struct{ *rand.Rand }

func newSource(seed uint64) source { return source{rand.New(rand.NewPCG(seed, 3))} }

func (s source) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(s.Uint32())
	}
	return len(b), nil
}

// wallet signs messages.
type wallet struct{ key ed25519.PrivateKey }

func newWallet(seed byte) wallet {
	return wallet{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))}
}

func (w wallet) account() sui.Address {
	return sui.PublicKeyAddress(sui.SchemeEd25519, w.key.Public().(ed25519.PublicKey))
}

func (w wallet) sign(h hashchain.Head) hashchain.Signature {
	return w.write(hashchain.Statement{Head: h, Account: w.account(), At: made}.Message())
}

// write signs any message.
func (w wallet) write(message string) hashchain.Signature {
	if len(message) < 128 || len(message) >= 1<<14 {
		panic("the length takes two bytes")
	}
	length := []byte{byte(len(message))&0x7f | 0x80, byte(len(message) >> 7)}
	digest := sui.Hash([]byte{3, 0, 0}, append(length, message...))
	raw := slices.Concat([]byte{sui.SchemeEd25519}, ed25519.Sign(w.key, digest[:]), w.key.Public().(ed25519.PublicKey))
	return hashchain.Signature{Message: message, Signature: base64.StdEncoding.EncodeToString(raw)}
}

// sample is a record of two chains, the first of them signed in the middle.
type sample struct {
	links  []hashchain.Link
	signed hashchain.Head
	file   []byte
	lines  [][]byte // of the file, with line feeds
}

func newSample(t testing.TB, seed uint64) sample {
	t.Helper()
	var s sample
	random := newSource(seed)
	add := func(l hashchain.Link, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		s.links = append(s.links, l)
	}
	add(hashchain.Begin(hashchain.Beginning{Reason: "first"}, made, random))
	for i := range 12 {
		d := hashchain.Draft{What: "asked", About: map[string]any{"amount": fmt.Sprint(i, " <SUI>")}}
		if i%3 == 0 {
			d.Names = map[string]string{"client": "Claude", "recipient": "Ana ✓"}
		}
		last := s.links[len(s.links)-1].Head
		add(last.Append(d, made.Add(time.Duration(i)*time.Second), random))
	}
	s.signed = s.links[8].Head
	last := s.links[len(s.links)-1].Head
	add(hashchain.Begin(hashchain.Beginning{Reason: "restored", After: &last}, made, random))
	add(s.links[len(s.links)-1].Append(hashchain.Draft{What: "asked", About: struct{}{}}, made, random))
	s.write(t, newWallet(1).sign(s.signed))
	return s
}

// write makes the file.
func (s *sample) write(t testing.TB, signatures ...hashchain.Signature) {
	t.Helper()
	var b bytes.Buffer
	w, err := hashchain.NewWriter(&b, made)
	for _, l := range s.links {
		if err == nil {
			err = w.Entry(l.Text)
		}
	}
	for _, one := range signatures {
		if err == nil {
			err = w.Signature(one)
		}
	}
	for _, n := range s.links[1].Names {
		if err == nil {
			err = w.Name(n)
		}
	}
	if err == nil {
		err = w.End()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.file = b.Bytes()
	s.lines = slices.Collect(bytes.Lines(s.file))
}

func verify(t testing.TB, file []byte) *hashchain.Report {
	t.Helper()
	r, err := hashchain.Verify(bytes.NewReader(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func read(t testing.TB, text []byte) hashchain.Entry {
	t.Helper()
	e, _, err := hashchain.Read(text)
	if err != nil {
		t.Error(err)
	}
	return e
}

// said returns a file's problems as one text.
func said(t testing.TB, file []byte) string {
	t.Helper()
	var all []string
	for _, p := range verify(t, file).Problems {
		all = append(all, fmt.Sprintf("%d: %s", p.Line, p.Text))
	}
	return strings.Join(all, "\n")
}

func TestWhole(t *testing.T) {
	s := newSample(t, 1)
	var got []hashchain.Entry
	r, err := hashchain.Verify(bytes.NewReader(s.file), func(text []byte) { got = append(got, read(t, text)) })
	if err != nil || !r.OK() {
		t.Fatal(err, r.Problems)
	}
	if r.Entries != len(s.links) || len(got) != r.Entries || len(r.Chains) != 2 || r.Names != 2 {
		t.Errorf("%+v", r)
	}
	first := r.Chains[0]
	if first.Signed == nil || first.Signed.Head != s.signed || first.Signed.Account != newWallet(1).account() {
		t.Errorf("signed: %+v", first.Signed)
	}
	if first.Head != s.links[12].Head || r.Chains[1].Head != s.links[14].Head {
		t.Errorf("heads: %+v", r.Chains)
	}
	if !r.Has(s.links[3].Hash) || r.Has(hashchain.Hash{}) || r.Has(hashchain.HashOf([]byte("another"))) {
		t.Error("a hash is found that is not there, or the other way round")
	}
}

// Every byte of a file matters, and the error for a changed byte names its line.
func TestEveryByte(t *testing.T) {
	long.Skip(t, "it verifies thousands of files")
	s := newSample(t, 2)
	at := 0
	for i, line := range s.lines {
		for j := range line {
			changed := bytes.Clone(s.file)
			changed[at+j] ^= 0x20
			if text := said(t, changed); !strings.Contains(text, fmt.Sprintf("%d: ", i+1)) {
				t.Fatalf("byte %d of line %d: %q", j, i+1, text)
			}
		}
		at += len(line)
	}
}

// TestNamed: errors name the number of the entry.
func TestNamed(t *testing.T) {
	s := newSample(t, 3)
	join := func(lines ...[]byte) []byte { return slices.Concat(lines...) }
	without := func(from, to int) []byte { return join(slices.Delete(slices.Clone(s.lines), from, to)...) }
	swapped := slices.Clone(s.lines)
	swapped[5], swapped[6] = swapped[6], swapped[5]
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"changed":         {bytes.Replace(s.file, []byte("4 <SUI>"), []byte("5 <SUI>"), 1), "entry 6 was changed"},
		"missing":         {without(5, 6), "entry 5 is missing"},
		"several missing": {without(5, 8), "entries 5 to 7 are missing"},
		"reordered":       {join(swapped...), "entry 5 is out of order"},
		"twice":           {join(slices.Insert(slices.Clone(s.lines), 5, s.lines[4])...), "entry 4 is out of order"},
		"tail cut":        {without(12, 14), "entries are missing: the previous chain ended at entry 13"},
		"chain cut":       {without(1, 14), "the previous chain is missing"},
		"behind signature": {join(slices.Delete(slices.Clone(s.lines), 8, 16)...),
			"entries 8 to 9 are missing: " + newWallet(1).account().String() + " signed entry 9"},
		"cut off":     {join(s.lines[:10]...), "the last line is missing"},
		"more":        {join(s.file, []byte("x")), "there is text after the last line"},
		"no head":     {without(0, 1), "the first line is missing"},
		"no last LF":  {s.file[:len(s.file)-1], "this line was changed"},
		"two records": {join(s.file, s.file), "there is text after the last line"},
		"empty":       {nil, "the file is empty"},
		"other text":  {[]byte("hello\n"), "was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			if text := said(t, c.file); !strings.Contains(text, c.want) {
				t.Errorf("%q lacks %q", text, c.want)
			}
		})
	}
}

// rewrite replaces an entry and recomputes all later hashes, as anyone who knows the format can.
func (s sample) rewrite(t testing.TB, at int) sample {
	t.Helper()
	random := newSource(99)
	out := sample{links: slices.Clone(s.links[:at])}
	head := out.links[at-1].Head
	for i := at; i < 13; i++ {
		l, err := head.Append(hashchain.Draft{What: "asked", About: map[string]any{"forged": i}}, made, random)
		if err != nil {
			t.Fatal(err)
		}
		out.links, head = append(out.links, l), l.Head
	}
	return out
}

// A record that was computed again in full fits in itself. Only the signature finds it.
func TestRewritten(t *testing.T) {
	s := newSample(t, 4)
	signature := newWallet(1).sign(s.signed)
	out := s.rewrite(t, 5)
	out.links[1].Names = nil
	out.write(t, signature)
	if text := said(t, out.file); !strings.Contains(text, "signed another entry 9") {
		t.Errorf("before the signed head: %q", text)
	}
	out = s.rewrite(t, 10)
	out.links[1].Names = nil
	out.write(t, signature)
	if text := said(t, out.file); text != "" {
		t.Errorf("after the signed head: %q", text)
	}
}

// 10,000 changed records must all be rejected.
func TestMutations(t *testing.T) {
	long.Skip(t, "it verifies thousands of files")
	s, other := newSample(t, 5), newSample(t, 6)
	r := newSource(7)
	for tried := 0; tried < 10_000; {
		changed := mutate(r, s, other)
		if bytes.Equal(changed, s.file) {
			continue
		}
		if tried++; verify(t, changed).OK() {
			t.Errorf("change %d is accepted", tried)
		}
	}
}

// rehashed recomputes the hash of a changed line.
func rehashed(line []byte) []byte {
	text := bytes.TrimSuffix(line[min(65, len(line)):], []byte("\n"))
	return fmt.Appendf(nil, "%s %s\n", hashchain.HashOf(text), text)
}

// mutate changes a record in one of ten ways.
func mutate(r source, s, other sample) []byte {
	lines := slices.Clone(s.lines)
	at, to := r.IntN(len(lines)), r.IntN(len(lines))
	line := bytes.Clone(lines[at])
	place := r.IntN(len(line))
	switch r.IntN(10) {
	case 0:
		line[place] ^= 1 << r.IntN(8)
		lines[at] = line
	case 1:
		lines[at] = slices.Delete(line, place, place+1)
	case 2:
		lines[at] = slices.Insert(line, place, byte(r.Uint32()))
	case 3:
		lines[at], lines[to] = lines[to], lines[at]
	case 4:
		lines = slices.Delete(lines, min(at, to), max(at, to)+1)
	case 5:
		lines = slices.Insert(lines, to, lines[at])
	case 6: // a changed line with a matching hash
		line[min(max(place, 65), len(line)-2)] ^= 1 << r.IntN(3)
		lines[at] = rehashed(line)
	case 7: // a line of another record
		lines[at] = other.lines[r.IntN(len(other.lines))]
	case 8:
		return s.file[:r.IntN(len(s.file))]
	case 9: // two changes at once
		lines[at] = bytes.ReplaceAll(line, []byte("SUI"), []byte("SUJ"))
		lines[to] = rehashed(bytes.Replace(bytes.Clone(lines[to]), []byte(`"`), []byte(`'`), 1))
	}
	return slices.Concat(lines...)
}

func TestNames(t *testing.T) {
	s := newSample(t, 8)
	for _, l := range s.links {
		if bytes.Contains(l.Text, []byte("Claude")) || bytes.Contains(l.Text, []byte("Ana")) {
			t.Error("an entry contains a name")
		}
	}
	s.links[1].Names[0].Name += "x"
	s.write(t)
	if text := said(t, s.file); !strings.Contains(text, "does not match entry 2") {
		t.Errorf("a false name: %q", text)
	}
	again := newSample(t, 9)
	if again.links[1].Names[0].Salt == s.links[1].Names[0].Salt {
		t.Error("two records share a salt")
	}
}

func TestStatement(t *testing.T) {
	s := newSample(t, 10)
	good := newWallet(1).sign(s.signed)
	if st, err := good.Verify(); err != nil || st.Head != s.signed {
		t.Fatal(st, err)
	}
	own, other := newWallet(1), newWallet(2)
	for name, sig := range map[string]hashchain.Signature{
		"another signer":  other.write(good.Message),
		"another message": {Message: other.sign(s.signed).Message, Signature: good.Signature},
		"more text":       own.write(good.Message + "\n"),
		"no base64":       {Message: good.Message, Signature: "?"},
		"upper case":      own.write(strings.ToUpper(good.Message)),
		"another number":  own.write(strings.Replace(good.Message, "Entry: 9", "Entry: 09", 1)),
		"another subject": own.write(strings.Repeat("I agree to something else. ", 6)),
	} {
		t.Run(name, func(t *testing.T) {
			if st, err := sig.Verify(); err == nil {
				t.Errorf("accepted: %+v", st)
			}
		})
	}
}

func TestHash(t *testing.T) {
	h := hashchain.HashOf([]byte("x"))
	for _, text := range []string{"", "00", strings.ToUpper(h.String()), h.String() + "0", h.String()[:63], h.String() +
		"\n"} {
		if new(hashchain.Hash).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is read as a hash", text)
		}
	}
	var again hashchain.Hash
	if err := again.UnmarshalText([]byte(h.String())); err != nil || again != h {
		t.Error(again, err)
	}
}

func BenchmarkVerify(b *testing.B) {
	head, err := hashchain.Begin(hashchain.Beginning{Reason: "first"}, made, newSource(1))
	s := sample{links: []hashchain.Link{head}}
	for i := 1; i < 1000 && err == nil; i++ {
		head, err = head.Append(hashchain.Draft{What: "asked", About: strings.Repeat("x", 2000)}, made, newSource(2))
		s.links = append(s.links, head)
	}
	if err != nil {
		b.Fatal(err)
	}
	s.write(b)
	b.SetBytes(int64(len(s.file)))
	for b.Loop() {
		if !verify(b, s.file).OK() {
			b.Fatal("refused")
		}
	}
}
