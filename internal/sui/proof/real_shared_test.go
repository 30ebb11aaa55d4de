//go:build shared

package proof

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// realFile is one file of recorded checkpoints.
type realFile struct {
	Network   string
	Committee *struct {
		Epoch   uint64
		Members []struct {
			Key   []byte
			Stake uint64
		}
	}
	Checkpoints []realCheckpoint
}

type realCheckpoint struct {
	Epoch, Sequence uint64
	Digest          string
	Summary         []byte
	Certificate     *struct {
		Epoch             uint64
		Signature, Bitmap []byte
	}
	Contents     []byte
	Transactions []struct {
		Digest, EffectsDigest string
		Success               bool
		Effects, Events       []byte
	}
}

func (c realCheckpoint) certificate() Certificate {
	return Certificate{c.Certificate.Epoch, c.Certificate.Signature, c.Certificate.Bitmap}
}

func realFiles(tb testing.TB) map[string]realFile {
	tb.Helper()
	paths, err := filepath.Glob("../../../../shared/vectors/light-client/*.json")
	if err != nil || len(paths) != 8 {
		tb.Fatalf("%d files of recorded checkpoints, want 8: %v", len(paths), err)
	}
	files := map[string]realFile{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		var f realFile
		if err := json.Unmarshal(b, &f); err != nil {
			tb.Fatal(path, err)
		}
		files[filepath.Base(path)] = f
	}
	return files
}

// committee returns the file's committee, or nil.
func (f realFile) committee(tb testing.TB) *Committee {
	tb.Helper()
	if f.Committee == nil {
		return nil
	}
	var members []sui.Validator
	for _, m := range f.Committee.Members {
		members = append(members, sui.Validator{Key: [sui.KeySize]byte(m.Key), Stake: m.Stake})
	}
	c, err := NewCommittee(f.Committee.Epoch, members, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// anchorOf returns an anchor for a checkpoint without verifying it.
func anchorOf(tb testing.TB, c realCheckpoint) Anchor {
	d, err := sui.ParseDigest(c.Digest)
	if err != nil {
		tb.Fatal(err)
	}
	return Anchor{Epoch: c.Epoch, Sequence: c.Sequence, Digest: d}
}

// walk verifies every checkpoint of a file in order and calls each for it.
func walk(t *testing.T, f realFile, each func(*Committee, realCheckpoint)) (steps int) {
	committee := f.committee(t)
	for i, c := range f.Checkpoints {
		if i == 0 && committee == nil {
			if chain, err := NewChain(anchorOf(t, c), c.Summary); err == nil {
				committee = chain.Newest()
			}
			continue
		}
		each(committee, c)
		if i+1 < len(f.Checkpoints) {
			next, err := committee.Next(c.Summary, c.certificate())
			if err != nil {
				t.Fatal(err)
			}
			committee = next
			steps++
		}
	}
	return steps
}

func TestRealCertificates(t *testing.T) {
	n := 0
	for name, f := range realFiles(t) {
		t.Run(name, func(t *testing.T) {
			walk(t, f, func(c *Committee, at realCheckpoint) {
				got, err := c.Verify(at.Summary, at.certificate())
				if err != nil {
					t.Fatal(at.Sequence, err)
				}
				if got.Digest.String() != at.Digest || got.Summary.Sequence != at.Sequence || got.Power < Quorum {
					t.Errorf("%+v", got)
				}
				t.Logf("%d: %d of %d, %d of %d", at.Sequence, got.Power, TotalPower, got.Signers, got.Members)
				n++
			})
		})
	}
	if n != 11 {
		t.Errorf("%d certificates were verified, want 11", n)
	}
}

// Recorded summaries, effects and events decode and encode to the same bytes.
func TestRealBytes(t *testing.T) {
	n := 0
	same := func(name string, b, again []byte, err error) {
		if n++; err != nil || !bytes.Equal(b, again) {
			t.Errorf("%s: encoded again: %v", name, err)
		}
	}
	for name, f := range realFiles(t) {
		for _, c := range f.Checkpoints {
			s, err := sui.DecodeCheckpointSummary(c.Summary)
			if err != nil {
				t.Fatal(name, err)
			}
			again, err := s.Encode()
			same(name, c.Summary, again, err)
			if SummaryDigest(c.Summary).String() != c.Digest {
				t.Error(name, "digest")
			}
			for _, tx := range c.Transactions {
				e, err := sui.DecodeEffects(tx.Effects)
				if err != nil {
					t.Fatal(name, err)
				}
				again, err := e.Encode()
				same(name, tx.Effects, again, err)
				if hashOf("TransactionEffects", tx.Effects).String() != tx.EffectsDigest || e.OK() != tx.Success {
					t.Error(name, tx.Digest)
				}
				if e.Events == nil {
					continue
				}
				events, err := sui.DecodeEvents(tx.Events)
				if err != nil {
					t.Fatal(name, err)
				}
				again, err = sui.EncodeEvents(events)
				same(name, tx.Events, again, err)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d values", n)
	}
}

// Recorded transactions are listed with their effects, even if the committee is unknown.
func TestRealContents(t *testing.T) {
	for name, f := range realFiles(t) {
		for _, c := range f.Checkpoints {
			for _, tx := range c.Transactions {
				d, _ := sui.ParseDigest(tx.Digest)
				listed, _, err := sui.EffectsIn(c.Contents, d)
				if err != nil || listed == nil || listed.String() != tx.EffectsDigest {
					t.Error(name, tx.Digest, listed, err)
				}
			}
		}
	}
}

// realClaims returns complete claims of the recorded chain with their committees.
func realClaims(t *testing.T) (claims []Claim, committees []*Committee) {
	for _, f := range realFiles(t) {
		walk(t, f, func(c *Committee, at realCheckpoint) {
			for _, tx := range at.Transactions {
				d, _ := sui.ParseDigest(tx.Digest)
				claims = append(claims, Claim{d, at.Summary, at.certificate(), at.Contents, tx.Effects, tx.Events})
				committees = append(committees, c)
			}
		})
	}
	return claims, committees
}

func TestRealProofs(t *testing.T) {
	claims, committees := realClaims(t)
	if len(claims) < 8 {
		t.Fatalf("only %d claims", len(claims))
	}
	for i, c := range claims {
		got, err := committees[i].Prove(c)
		if err != nil {
			t.Errorf("%s: %v", c.Transaction, err)
			continue
		}
		if got.Effects.Transaction != c.Transaction {
			t.Error(c.Transaction)
		}
	}
}

// A real claim with any changed byte is rejected. For long fields, only some bytes are tried.
func TestRealChanged(t *testing.T) {
	long.Skip(t, "it changes every byte of real proofs")
	claims, committees := realClaims(t)
	for i, good := range claims {
		for field := range 6 {
			size := len(*claimFields(&good)[field])
			for at := 0; at < size; at += 1 + size/100 {
				c := good
				b := claimFields(&c)[field]
				*b = bytes.Clone(*b)
				(*b)[at] ^= 1 << (at % 8)
				if _, err := committees[i].Prove(c); err == nil {
					t.Fatalf("%s: field %d was changed at %d and accepted", c.Transaction, field, at)
				}
			}
		}
		c := good
		c.Certificate.Epoch++
		_, err := committees[i].Prove(c)
		refused(t, err, 3, Mismatch)
		for j, other := range claims { // a neighbor's or another checkpoint's
			if j == i {
				continue
			}
			c := good
			c.Effects, c.Events = other.Effects, other.Events
			_, err := committees[i].Prove(c)
			refused(t, err, 8, Mismatch)
			if bytes.Equal(good.Summary, other.Summary) {
				continue
			}
			c = good
			c.Certificate = other.Certificate
			if _, err := committees[i].Prove(c); err == nil {
				t.Error("a certificate of another checkpoint was accepted")
			}
		}
	}
}

func claimFields(c *Claim) []*[]byte {
	return []*[]byte{&c.Summary, &c.Contents, &c.Effects, &c.Events, &c.Certificate.Signature, &c.Certificate.Bitmap}
}

// Forgeries of a real certificate of 105 members, as listed in section 4 of the rules.
func TestRealForgeries(t *testing.T) {
	f := realFiles(t)["ratchet-mainnet-188.json"]
	walk(t, f, func(c *Committee, at realCheckpoint) {
		listed, err := readBitmap(at.Certificate.Bitmap, len(c.members))
		if err != nil {
			t.Fatal(err)
		}
		var all, signers []int
		for i := range c.members {
			all = append(all, i)
			if slices.Contains(listed, uint16(i)) {
				signers = append(signers, i)
			}
		}
		verify := func(rule int, change func(*Certificate)) {
			t.Helper()
			cert := at.certificate()
			change(&cert)
			_, err := c.Verify(at.Summary, cert)
			refused(t, err, rule, Mismatch)
		}
		one := func(list []int, out int) []byte {
			return listBitmap(slices.Delete(slices.Clone(list), out, out+1)...)
		}
		verify(6, func(x *Certificate) { x.Bitmap = listBitmap(all...) })
		verify(4, func(x *Certificate) { x.Bitmap = listBitmap(append(slices.Clone(signers), len(all))...) })
		verify(4, func(x *Certificate) { x.Bitmap = append(listBitmap(signers...), 0) })
		verify(4, func(x *Certificate) { x.Bitmap = listBitmap(append([]int{signers[0]}, signers...)...) })
		verify(5, func(x *Certificate) { x.Bitmap = listBitmap(signers[:len(signers)/2]...) })
		verify(6, func(x *Certificate) { x.Bitmap = one(all, 3) })
		verify(6, func(x *Certificate) { x.Signature = offSubgroup1(t) })
		other := c.Members()
		other[3].Stake, other[4].Stake = other[4].Stake+other[3].Stake-1, 1
		changed, err := NewCommittee(c.epoch, other, c)
		if err != nil {
			t.Fatal(err)
		}
		if changed.points[9] != c.points[9] {
			t.Error("a known key was decompressed again")
		}
	})
}

// A proof file leads from the shipped anchor to a real checkpoint of the next epoch.
func TestRealFileFromTheShippedAnchor(t *testing.T) {
	f := realFiles(t)["proof-mainnet-246.json"]
	start, at := f.Checkpoints[0], f.Checkpoints[1]
	for _, tx := range at.Transactions {
		file := NewFile(Anchors()[0], start.Summary)
		file.Checkpoint = StepOf(at.Summary, at.certificate())
		file.Contents, file.Effects, file.Events = at.Contents, tx.Effects, tx.Events
		file.Transaction, _ = sui.ParseDigest(tx.Digest)
		b, err := file.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if path := os.Getenv("SAY_UR_INTENT_PROOF_FILE"); path != "" {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		read, err := ReadFile(b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := read.Verify(Anchors())
		if err != nil || got.Anchor.Epoch != 245 || got.Checkpoint.Power != 6770 {
			t.Fatal(got, err)
		}
	}
}

// The chain identifier in the anchors is the digest of the genesis checkpoint.
func TestRealGenesis(t *testing.T) {
	g := realFiles(t)["genesis-mainnet.json"].Checkpoints[0]
	if SummaryDigest(g.Summary) != Anchors()[0].Chain {
		t.Error("the anchor is of another chain")
	}
}

// BenchmarkRealSteps verifies the six recorded steps of testnet, and decompresses all keys of each
// run's first committee.
func BenchmarkRealSteps(b *testing.B) {
	files := realFiles(b)
	for b.Loop() {
		for _, name := range []string{"ratchet-testnet-1.json", "ratchet-testnet-542.json"} {
			list := files[name].Checkpoints
			chain, err := NewChain(anchorOf(b, list[0]), list[0].Summary)
			if err != nil {
				b.Fatal(err)
			}
			for _, c := range list[1:] {
				if err := chain.Advance(c.Summary, c.certificate()); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
