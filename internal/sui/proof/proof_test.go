package proof

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestCommitteeRefused(t *testing.T) {
	w := newWorld(t, 4, 0)
	for name, test := range map[string]struct {
		rule   int
		change func([]sui.Validator) []sui.Validator
	}{
		"members":     {1, func([]sui.Validator) []sui.Validator { return nil }},
		"too many":    {1, func([]sui.Validator) []sui.Validator { return tooMany() }},
		"order":       {1, func(m []sui.Validator) []sui.Validator { m[1], m[2] = m[2], m[1]; return m }},
		"twice":       {1, func(m []sui.Validator) []sui.Validator { m[2].Key = m[1].Key; return m }},
		"stake":       {1, func(m []sui.Validator) []sui.Validator { m[1].Stake, m[2].Stake = 0, 5000; return m }},
		"wrap around": {1, func(m []sui.Validator) []sui.Validator { m[1].Stake, m[2].Stake = 1<<64-2500, 7500; return m }},
		"sum":         {1, func(m []sui.Validator) []sui.Validator { m[1].Stake++; return m }},
		"infinity":    {2, func(m []sui.Validator) []sui.Validator { m[3].Key = [96]byte{0xc0}; return sorted(m) }},
		"coordinate": {2, func(m []sui.Validator) []sui.Validator {
			copy(m[3].Key[1:], bytes.Repeat([]byte{0xff}, 95))
			return sorted(m)
		}},
		"uncompressed": {2, func(m []sui.Validator) []sui.Validator {
			m[3].Key[0] &^= 0x80
			return sorted(m)
		}},
		"off the subgroup": {2, func(m []sui.Validator) []sui.Validator { m[3].Key = offSubgroup2(t); return sorted(m) }},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewCommittee(worldEpoch, test.change(slices.Clone(w.members)), w.committee)
			refused(t, err, test.rule, Mismatch)
		})
	}
}

// tooMany returns a committee that is valid except for its size and its keys, which are checked
// later.
func tooMany() []sui.Validator {
	m := make([]sui.Validator, mostMembers+1)
	for i := range m {
		m[i].Key[0], m[i].Key[1], m[i].Stake = byte(i>>8), byte(i), 9
		if i < TotalPower-9*len(m) {
			m[i].Stake = 10
		}
	}
	return m
}

func sorted(m []sui.Validator) []sui.Validator {
	slices.SortFunc(m, func(a, b sui.Validator) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	return m
}

// offSubgroup2 finds a point on the curve that is in no subgroup of prime order.
func offSubgroup2(tb testing.TB) (key [sui.KeySize]byte) {
	for x := byte(1); x < 200; x++ {
		key = [sui.KeySize]byte{0: 0x80, sui.KeySize - 1: x}
		var p bls.G2Affine
		d := bls.NewDecoder(bytes.NewReader(key[:]), bls.NoSubgroupChecks())
		if d.Decode(&p) == nil && !p.IsInSubGroup() {
			return key
		}
	}
	tb.Fatal("no point was found")
	return key
}

func offSubgroup1(tb testing.TB) []byte {
	for x := byte(1); x < 200; x++ {
		b := make([]byte, 48)
		b[0], b[47] = 0x80, x
		var p bls.G1Affine
		if bls.NewDecoder(bytes.NewReader(b), bls.NoSubgroupChecks()).Decode(&p) == nil && !p.IsInSubGroup() {
			return b
		}
	}
	tb.Fatal("no point was found")
	return nil
}

// The epochs of the committee, the summary and the certificate must all match.
func TestEpochs(t *testing.T) {
	w := newWorld(t, 4, 0)
	summary := encode(t, w.summary())
	t.Run("committee", func(t *testing.T) {
		s := w.summary()
		s.Epoch++
		other := encode(t, s)
		// Signed with the committee's epoch, so that only this rule rejects it.
		_, err := w.committee.Verify(other, w.sign(other, worldEpoch, w.quorum()))
		refused(t, err, 3, Mismatch)
		_, err = w.committee.Verify(other, w.sign(other, worldEpoch+1, w.quorum()))
		refused(t, err, 3, Mismatch)
	})
	t.Run("certificate", func(t *testing.T) {
		c := w.sign(summary, worldEpoch, w.quorum())
		c.Epoch++
		_, err := w.committee.Verify(summary, c)
		refused(t, err, 3, Mismatch)
	})
	t.Run("same keys in another epoch", func(t *testing.T) {
		later, err := NewCommittee(worldEpoch+1, w.members, w.committee)
		if err != nil {
			t.Fatal(err)
		}
		_, err = later.Verify(summary, w.sign(summary, worldEpoch, w.quorum()))
		refused(t, err, 3, Mismatch)
	})
}

func TestCertificateRefused(t *testing.T) {
	w, stranger := newWorld(t, 4, 0), newWorld(t, 4, 50)
	summary := encode(t, w.summary())
	good := func() Certificate { return w.sign(summary, worldEpoch, w.quorum()) }
	signed, err := w.committee.Verify(summary, good())
	if err != nil || signed.Power != 7500 || signed.Signers != 3 || signed.Members != 4 {
		t.Fatal(signed, err)
	}
	newer := w.summary()
	newer.Commitments[0].Kind = 0
	unknown := encode(t, newer)
	unknown[bytes.Index(unknown, append([]byte{0, 32}, 5, 0))] = 2
	flip := func(at int, mask byte) func(*[]byte, *Certificate) {
		return func(_ *[]byte, c *Certificate) { c.Signature[at] ^= mask }
	}
	for name, test := range map[string]struct {
		rule   int
		reason Reason
		change func(*[]byte, *Certificate)
	}{
		"no summary":       {3, Missing, func(s *[]byte, _ *Certificate) { *s = nil }},
		"cut summary":      {3, Mismatch, func(s *[]byte, _ *Certificate) { *s = (*s)[:50] }},
		"byte after it":    {3, Mismatch, func(s *[]byte, _ *Certificate) { *s = append(*s, 0) }},
		"huge summary":     {3, Mismatch, func(s *[]byte, _ *Certificate) { *s = make([]byte, mostSummary+1) }},
		"newer commitment": {3, Newer, func(s *[]byte, _ *Certificate) { *s = unknown }},
		"no signers":       {4, Missing, func(_ *[]byte, c *Certificate) { c.Bitmap = nil }},
		"below the quorum": {5, Mismatch, func(s *[]byte, c *Certificate) { *c = w.sign(*s, worldEpoch, []int{0, 1}) }},
		"one more claimed": {6, Mismatch, func(_ *[]byte, c *Certificate) { c.Bitmap = listBitmap(0, 1, 2, 3) }},
		"another signer":   {6, Mismatch, func(_ *[]byte, c *Certificate) { c.Bitmap = listBitmap(0, 1, 3) }},
		"summary":          {6, Mismatch, func(s *[]byte, _ *Certificate) { (*s)[8] ^= 1 }},
		"no signature":     {6, Missing, func(_ *[]byte, c *Certificate) { c.Signature = nil }},
		"sign bit":         {6, Mismatch, flip(0, 0x20)},
		"signature":        {6, Mismatch, flip(20, 1)},
		"not compressed":   {6, Mismatch, flip(0, 0x80)},
		"zero signature":   {6, Mismatch, func(_ *[]byte, c *Certificate) { c.Signature = make([]byte, 48) }},
		"coordinate": {6, Mismatch, func(_ *[]byte, c *Certificate) {
			c.Signature = bytes.Repeat([]byte{0x9f},
				48)
		}},
		"off the subgroup":      {6, Mismatch, func(_ *[]byte, c *Certificate) { c.Signature = offSubgroup1(t) }},
		"size of the signature": {6, Mismatch, func(_ *[]byte, c *Certificate) { c.Signature = append(c.Signature, 0) }},
		"another committee": {6, Mismatch, func(s *[]byte, c *Certificate) {
			*c = stranger.sign(*s, worldEpoch, stranger.quorum())
		}},
		"another epoch signed": {6, Mismatch, func(s *[]byte, c *Certificate) {
			*c = w.sign(*s, worldEpoch-1, w.quorum())
			c.Epoch = worldEpoch
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := bytes.Clone(summary), good()
			test.change(&s, &c)
			got, err := w.committee.Verify(s, c)
			refused(t, err, test.rule, test.reason)
			if got != nil {
				t.Error("something was returned with the refusal")
			}
		})
	}
	t.Run("infinity", func(t *testing.T) {
		// Infinity matches the sum of two keys that cancel out.
		c := good()
		c.Signature = append([]byte{0xc0}, make([]byte, 47)...)
		_, err := w.committee.Verify(summary, c)
		refused(t, err, 6, Mismatch)
		_, err = cancelled(t).Verify(summary, Certificate{worldEpoch, c.Signature, listBitmap(0, 1)})
		refused(t, err, 6, Mismatch)
	})
}

// cancelled returns a committee of two keys whose sum is infinity.
func cancelled(t *testing.T) *Committee {
	a := newWorld(t, 1, 0).members[0]
	b := a
	b.Key[0] ^= 0x20 // the other point with the same coordinate
	a.Stake, b.Stake = 5000, 5000
	c, err := NewCommittee(worldEpoch, sorted([]sui.Validator{a, b}), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBitmap(t *testing.T) {
	t.Run("two forms", func(t *testing.T) {
		for _, b := range [][]byte{listBitmap(0, 1, 2, 5), runBitmap(4, [2]int{0, 2}, [2]int{5, 5})} {
			got, err := readBitmap(b, 6)
			if err != nil || !slices.Equal(got, []uint16{0, 1, 2, 5}) {
				t.Error(got, err)
			}
		}
	})
	for name, b := range map[string][]byte{
		"cut":            {0x3a, 0x30},
		"cut header":     listBitmap(0)[:15],
		"another form":   append([]byte{0x3c}, listBitmap(0)[1:]...),
		"two parts":      append([]byte{0x3a, 0x30, 0, 0, 2}, listBitmap(0)[5:]...),
		"another offset": append(append(listBitmap()[:0:0], listBitmap(0)[:12]...), 17, 0, 0, 0, 0, 0),
		"upper half": append(append([]byte{}, listBitmap(0)[:8]...), append([]byte{1},
			listBitmap(0)[9:]...)...),
		"byte after the end":             append(listBitmap(0, 1), 0),
		"twice":                          listBitmap(0, 1, 1),
		"not in order":                   listBitmap(1, 0),
		"beyond the members":             listBitmap(0, 6),
		"more signers than members":      listBitmap(0, 1, 2, 3, 4, 5, 5),
		"runs that overlap":              runBitmap(4, [2]int{0, 2}, [2]int{2, 2}),
		"runs that touch":                runBitmap(3, [2]int{0, 1}, [2]int{2, 2}),
		"fewer in the runs":              runBitmap(3, [2]int{0, 1}),
		"more in the runs":               runBitmap(2, [2]int{0, 2}),
		"runs beyond the members":        runBitmap(2, [2]int{5, 6}),
		"byte after the runs":            append(runBitmap(2, [2]int{0, 1}), 0),
		"runs that are cut":              runBitmap(2, [2]int{0, 1})[:12],
		"run form without runs in force": append([]byte{0x3b, 0x30, 0, 0, 0}, runBitmap(2, [2]int{0, 1})[5:]...),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readBitmap(b, 6)
			refused(t, err, 4, Mismatch)
			// The error shows that readBitmap compares the number of signers with the number of
			// members before it reads them.
			if name == "more signers than members" && !strings.Contains(err.Error(), "do not exist") {
				t.Error(err)
			}
			if got != nil {
				t.Error(got)
			}
		})
	}
}

func TestNextRefused(t *testing.T) {
	w, later := newWorld(t, 4, 0), newWorld(t, 4, 2)
	last := w.last(t, later.members)
	next, err := w.committee.Next(last, w.sign(last, worldEpoch, w.quorum()))
	if err != nil || next.Epoch() != worldEpoch+1 || !slices.Equal(next.Members(), later.members) {
		t.Fatal(next, err)
	}
	t.Run("not the last", func(t *testing.T) {
		s := encode(t, w.summary())
		_, err := w.committee.Next(s, w.sign(s, worldEpoch, w.quorum()))
		refused(t, err, 0, Mismatch)
	})
	t.Run("last epoch", func(t *testing.T) {
		s := w.summary()
		s.Epoch = 1<<64 - 1
		s.EndOfEpoch = &sui.EndOfEpoch{NextCommittee: later.members}
		b := encode(t, s)
		c, err := NewCommittee(s.Epoch, w.members, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Next(b, w.sign(b, s.Epoch, w.quorum()))
		refused(t, err, 0, Mismatch)
	})
	t.Run("members", func(t *testing.T) {
		m := slices.Clone(later.members)
		m[0].Stake++
		s := w.last(t, m)
		_, err := w.committee.Next(s, w.sign(s, worldEpoch, w.quorum()))
		refused(t, err, 1, Mismatch)
	})
}

func TestAnchor(t *testing.T) {
	w := newWorld(t, 4, 0)
	start := w.last(t, w.members)
	a := Anchor{Epoch: worldEpoch, Sequence: 1234, Digest: SummaryDigest(start)}
	chain, err := NewChain(a, start)
	if err != nil || chain.Newest().Epoch() != worldEpoch+1 || chain.Anchor() != a {
		t.Fatal(chain, err)
	}
	t.Run("summary", func(t *testing.T) {
		other := bytes.Clone(start)
		other[16] ^= 1
		_, err := NewChain(a, other)
		refused(t, err, 0, Mismatch)
	})
	t.Run("place", func(t *testing.T) {
		for _, wrong := range []Anchor{{Epoch: a.Epoch + 1, Sequence: a.Sequence, Digest: a.Digest},
			{Epoch: a.Epoch, Sequence: a.Sequence + 1, Digest: a.Digest}} {
			_, err := NewChain(wrong, start)
			refused(t, err, 0, Mismatch)
		}
	})
	t.Run("kept before it", func(t *testing.T) {
		_, err := ResumeChain(a, worldEpoch, w.members)
		refused(t, err, 0, Mismatch)
		kept, err := ResumeChain(a, worldEpoch+3, w.members)
		if err != nil || kept.Newest().Epoch() != worldEpoch+3 {
			t.Error(kept, err)
		}
	})
	t.Run("never backwards", func(t *testing.T) {
		before := chain.Newest()
		err := chain.Advance(start, w.sign(start, worldEpoch, w.quorum()))
		refused(t, err, 3, Mismatch)
		if chain.Newest() != before {
			t.Error("a rejected step changed the chain")
		}
	})
	if d := SummaryDigest(nil); d.IsZero() || len(Anchors()) == 0 || Anchors()[0].Source == "" {
		t.Error("the shipped anchors have no source")
	}
}

func TestClaimRefused(t *testing.T) {
	w := newWorld(t, 4, 0)
	effects := encode(t, worldEffects())
	claim := w.claim(t, effects, 3)
	got, err := w.committee.Prove(claim)
	if err != nil || !got.Effects.OK() || len(got.Events) != 1 || got.Time.UnixMilli() != 1_700_000_000_123 {
		t.Fatal(got, err)
	}
	for name, test := range map[string]struct {
		rule   int
		reason Reason
		change func(*Claim)
	}{
		"no contents":      {7, Missing, func(c *Claim) { c.Contents = nil }},
		"contents":         {7, Mismatch, func(c *Claim) { c.Contents = contentsOf(c.Transaction, sui.Digest{4}, 3) }},
		"not there":        {8, Mismatch, func(c *Claim) { c.Transaction = sui.Digest{200} }},
		"no effects":       {8, Missing, func(c *Claim) { c.Effects = nil }},
		"effects":          {8, Mismatch, func(c *Claim) { c.Effects = append(bytes.Clone(effects), 0) }},
		"status":           {8, Mismatch, func(c *Claim) { c.Effects = bytes.Clone(effects); c.Effects[1] = 1 }},
		"a neighbour's":    {8, Mismatch, func(c *Claim) { c.Transaction = sui.Digest{1, 0, 77} }},
		"no events":        {10, Missing, func(c *Claim) { c.Events = nil }},
		"events":           {10, Mismatch, func(c *Claim) { c.Events = append(bytes.Clone(c.Events[:len(c.Events)-1]), 4) }},
		"fewer events":     {10, Mismatch, func(c *Claim) { c.Events = []byte{0} }},
		"no certificate":   {4, Missing, func(c *Claim) { c.Certificate = Certificate{Epoch: worldEpoch} }},
		"another contents": {6, Mismatch, func(c *Claim) { *c = swapSummary(t, w, *c) }},
	} {
		t.Run(name, func(t *testing.T) {
			c := claim
			test.change(&c)
			got, err := w.committee.Prove(c)
			refused(t, err, test.rule, test.reason)
			if got != nil {
				t.Error("something was returned with the refusal")
			}
		})
	}
	t.Run("events that there are not", func(t *testing.T) {
		e := worldEffects()
		e.Events = nil
		c := w.claim(t, encode(t, e), 0)
		_, err := w.committee.Prove(c)
		refused(t, err, 10, Mismatch)
		for _, none := range [][]byte{nil, {0}} {
			c.Events = none
			if got, err := w.committee.Prove(c); err != nil || got.Events != nil {
				t.Error(got, err)
			}
		}
	})
}

// swapSummary returns a claim with different contents and the certificate of the original ones.
func swapSummary(t *testing.T, w *world, c Claim) Claim {
	other := w.claim(t, c.Effects, 5)
	other.Certificate = c.Certificate
	return other
}

// TestSigned rejects signed data that is not the requested one or cannot be decoded.
func TestSigned(t *testing.T) {
	w := newWorld(t, 4, 0)
	for name, test := range map[string]struct {
		rule   int
		reason Reason
		make   func() Claim
	}{
		"effects of another transaction": {9, Mismatch, func() Claim {
			e := worldEffects()
			e.Transaction = sui.Digest{5}
			return w.claim(t, encode(t, e), 0)
		}},
		"effects of another epoch": {9, Mismatch, func() Claim {
			e := worldEffects()
			e.Epoch++
			return w.claim(t, encode(t, e), 0)
		}},
		"newer effects": {9, Newer, func() Claim {
			return w.claim(t, append([]byte{2}, encode(t, worldEffects())[1:]...), 0)
		}},
		"newer failure": {9, Newer, func() Claim {
			return w.claim(t, append([]byte{1, 1, 42}, encode(t, worldEffects())[2:]...), 0)
		}},
		"newer contents": {7, Newer, func() Claim {
			b := contentsOf(worldTransaction, sui.Digest{}, 0)
			b[0] = 2
			return w.claimOf(t, encode(t, worldEffects()), b)
		}},
		"byte after the effects": {9, Mismatch, func() Claim {
			return w.claim(t, append(encode(t, worldEffects()), 0), 0)
		}},
		"byte after the contents": {7, Mismatch, func() Claim {
			e := encode(t, worldEffects())
			return w.claimOf(t, e, append(contentsOf(worldTransaction, hashOf("TransactionEffects", e), 0), 0))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.committee.Prove(test.make())
			refused(t, err, test.rule, test.reason)
		})
	}
}

func TestObjects(t *testing.T) {
	w := newWorld(t, 4, 0)
	e := worldEffects()
	stranger := sui.MustAddress("0xc02")
	// The digest matches, but the bytes are those of another object. Only a broken chain would sign
	// that.
	e.Changed = append(e.Changed, sui.ChangedObject{ID: stranger, After: sui.ObjectAfter{Kind: sui.AfterObject,
		Digest: sui.ObjectDigest(coinBytes(worldCoin, 12, 300)), Owner: sui.Owner{Kind: sui.OwnerImmutable}}})
	got, err := w.committee.Prove(w.claim(t, encode(t, e), 0))
	if err != nil {
		t.Fatal(err)
	}
	before, err := got.Coin(worldCoin, true, coinBytes(worldCoin, 11, 500))
	if err != nil || before.Balance != 500 || before.Coin != sui.SUI {
		t.Error(before, err)
	}
	after, err := got.Coin(worldCoin, false, coinBytes(worldCoin, 12, 300))
	if err != nil || after.Balance != 300 {
		t.Error(after, err)
	}
	t.Run("other bytes", func(t *testing.T) {
		_, err := got.Coin(worldCoin, false, coinBytes(worldCoin, 12, 301))
		refused(t, err, 10, Mismatch)
		_, err = got.Coin(worldCoin, true, coinBytes(worldCoin, 12, 300))
		refused(t, err, 10, Mismatch)
	})
	t.Run("another id", func(t *testing.T) {
		_, err := got.Coin(stranger, false, coinBytes(worldCoin, 12, 300))
		refused(t, err, 10, Mismatch)
	})
	t.Run("not named", func(t *testing.T) {
		_, err := got.Coin(stranger, true, nil)
		refused(t, err, 10, Missing)
	})
}

// Contents of the maximum size that the protocol allows are read without allocating memory of that
// size.
func TestLargestContents(t *testing.T) {
	contents := contentsOf(worldTransaction, sui.Digest{8}, 19_999)
	var n int
	allocated := testing.AllocsPerRun(1, func() {
		var found *sui.Digest
		found, n, _ = sui.EffectsIn(contents, worldTransaction)
		if found == nil {
			t.Error("not found")
		}
	})
	if n != 20_000 || allocated > 20 {
		t.Errorf("%d transactions, %.0f allocations", n, allocated)
	}
}
