package proof

import (
	"bytes"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// worldFile returns a proof from an anchor in epoch 6 over one step to epoch 7.
func worldFile(tb testing.TB) (File, []Anchor) {
	w := newWorld(tb, 4, 0)
	before, err := NewCommittee(worldEpoch-1, w.members, nil)
	if err != nil {
		tb.Fatal(err)
	}
	ended := func(epoch uint64) []byte {
		s := w.summary()
		s.Epoch, s.Sequence = epoch, 100+epoch
		s.EndOfEpoch = &sui.EndOfEpoch{NextCommittee: w.members}
		return encode(tb, s)
	}
	start, step := ended(worldEpoch-2), ended(before.Epoch())
	a := Anchor{Network: "test", Chain: sui.Digest{42}, Epoch: worldEpoch - 2, Sequence: 105, Digest: SummaryDigest(start)}
	claim := w.claim(tb, encode(tb, worldEffects()), 2)
	f := NewFile(a, start)
	f.Steps = []FileStep{StepOf(step, w.sign(step, before.Epoch(), w.quorum()))}
	f.Checkpoint = StepOf(claim.Summary, claim.Certificate)
	f.Contents, f.Transaction, f.Effects, f.Events = claim.Contents, claim.Transaction, claim.Effects, claim.Events
	f.Objects = []FileObject{{ID: worldCoin, Before: true, Bytes: coinBytes(worldCoin, 11, 500)}}
	return f, []Anchor{{Chain: a.Chain, Epoch: 1, Digest: sui.Digest{1}}, a}
}

func TestFile(t *testing.T) {
	f, anchors := worldFile(t)
	b, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read.Verify(anchors)
	if err != nil || got.Anchor != anchors[1] || got.Steps != 1 || len(got.Objects) != 1 ||
		got.Checkpoint.Summary.Epoch != worldEpoch {
		t.Fatal(got, err)
	}
}

func TestFileRefused(t *testing.T) {
	good, anchors := worldFile(t)
	for name, test := range map[string]struct {
		rule   int
		reason Reason
		change func(*File)
	}{
		"anchor":     {0, Missing, func(f *File) { f.Anchor.Digest[0] ^= 1 }},
		"chain":      {0, Missing, func(f *File) { f.Chain[0] ^= 1 }},
		"start":      {0, Mismatch, func(f *File) { f.Start = append(bytes.Clone(f.Start), 0) }},
		"no steps":   {3, Mismatch, func(f *File) { f.Steps = nil }},
		"step twice": {3, Mismatch, func(f *File) { f.Steps = append(f.Steps, f.Steps[0]) }},
		"step": {6, Mismatch,
			func(f *File) { f.Steps[0].Summary = bytes.Clone(f.Steps[0].Summary); f.Steps[0].Summary[9] ^= 1 }},
		"checkpoint":   {6, Mismatch, func(f *File) { f.Checkpoint.Bitmap = listBitmap(0, 1, 2, 3) }},
		"effects":      {8, Mismatch, func(f *File) { f.Effects = append(bytes.Clone(f.Effects), 0) }},
		"object":       {10, Mismatch, func(f *File) { f.Objects[0].Before = false }},
		"other object": {10, Missing, func(f *File) { f.Objects[0].ID[0] ^= 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			f := good
			f.Steps, f.Objects = slices.Clone(f.Steps), slices.Clone(f.Objects)
			test.change(&f)
			got, err := f.Verify(anchors)
			refused(t, err, test.rule, test.reason)
			if got != nil {
				t.Error("something was returned with the refusal")
			}
		})
	}
	t.Run("another history", func(t *testing.T) {
		newer := Anchor{Chain: anchors[1].Chain, Epoch: worldEpoch - 1, Digest: SummaryDigest(good.Steps[0].Summary)}
		if _, err := good.Verify(append(slices.Clone(anchors), newer)); err != nil {
			t.Error(err)
		}
		newer.Digest[0] ^= 1
		_, err := good.Verify(append(slices.Clone(anchors), newer))
		refused(t, err, 0, Mismatch)
		newer.Chain = sui.Digest{} // another chain proves nothing about this one
		if _, err := good.Verify(append(slices.Clone(anchors), newer)); err != nil {
			t.Error(err)
		}
	})
	t.Run("kind", func(t *testing.T) {
		_, err := ReadFile([]byte(`{"kind":"say-ur-intent proof 2"}`))
		refused(t, err, 0, Newer)
	})
	t.Run("too large", func(t *testing.T) {
		_, err := ReadFile(bytes.Repeat([]byte(" "), MostFile+1))
		refused(t, err, 0, Mismatch)
		if err.Error() == "" || bytes.Contains([]byte(err.Error()), []byte("cannot be read")) {
			t.Error(err)
		}
	})
	t.Run("not JSON", func(t *testing.T) {
		_, err := ReadFile([]byte("{"))
		refused(t, err, 0, Mismatch)
	})
}

func FuzzReadFile(f *testing.F) {
	good, anchors := worldFile(f)
	b, err := good.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"kind":"say-ur-intent proof 1"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := ReadFile(b)
		if err != nil {
			return
		}
		if got, err := file.Verify(anchors); err == nil && got.Transaction != worldTransaction {
			t.Errorf("proved transaction %s", got.Transaction)
		}
	})
}

func FuzzBitmap(f *testing.F) {
	f.Add(listBitmap(0, 2, 3), 4)
	f.Add(runBitmap(3, [2]int{0, 1}, [2]int{3, 3}), 4)
	f.Fuzz(func(t *testing.T, b []byte, members int) {
		if members < 1 || members > mostMembers {
			return
		}
		got, err := readBitmap(b, members)
		if err != nil {
			return
		}
		for i, v := range got {
			if int(v) >= members || (i > 0 && v <= got[i-1]) {
				t.Fatalf("%v of %d", got, members)
			}
		}
	})
}

// No changed summary, contents, effects or events are accepted. A changed certificate is accepted only
// if it names the same signers.
func FuzzChangedClaim(f *testing.F) {
	w := newWorld(f, 4, 0)
	good := w.claim(f, encode(f, worldEffects()), 2)
	for field := range byte(6) {
		f.Add(field, uint16(3), byte(1))
	}
	f.Fuzz(func(t *testing.T, field byte, at uint16, mask byte) {
		if mask == 0 {
			return
		}
		c := good
		fields := []*[]byte{&c.Summary, &c.Contents, &c.Effects, &c.Events, &c.Certificate.Signature, &c.Certificate.Bitmap}
		b := fields[int(field)%len(fields)]
		*b = bytes.Clone(*b)
		(*b)[int(at)%len(*b)] ^= mask
		if _, err := w.committee.Prove(c); err == nil {
			t.Errorf("field %d was changed at %d by %#x and accepted", field, at, mask)
		}
	})
}
