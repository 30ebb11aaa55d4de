package proof

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	bls "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// world is a committee whose secret keys the test holds, so that it can sign anything.
type world struct {
	secrets   []*big.Int
	members   []sui.Validator
	committee *Committee
}

const worldEpoch = 7

// newWorld creates n validators of nearly equal power, with keys derived from seed.
func newWorld(tb testing.TB, n, seed int) *world {
	tb.Helper()
	type one struct {
		secret *big.Int
		key    [sui.KeySize]byte
	}
	all := make([]one, n)
	for i := range all {
		secret := new(big.Int).SetBytes(digestBytes(seed + i))
		var p bls.G2Affine
		p.ScalarMultiplicationBase(secret.Mod(secret, fr.Modulus()))
		all[i] = one{secret, p.Bytes()}
	}
	slices.SortFunc(all, func(a, b one) int { return bytes.Compare(a.key[:], b.key[:]) })
	w := &world{}
	for i, o := range all {
		stake := uint64(TotalPower / n)
		if i == 0 {
			stake += uint64(TotalPower % n)
		}
		w.secrets = append(w.secrets, o.secret)
		w.members = append(w.members, sui.Validator{Key: o.key, Stake: stake})
	}
	var err error
	if w.committee, err = NewCommittee(worldEpoch, w.members, nil); err != nil {
		tb.Fatal(err)
	}
	return w
}

// quorum returns the first three quarters of the members.
func (w *world) quorum() []int {
	var list []int
	for i := range (len(w.members)*3 + 3) / 4 {
		list = append(list, i)
	}
	return list
}

// sign signs a summary for an epoch with the keys of the listed members.
func (w *world) sign(summary []byte, epoch uint64, signers []int) Certificate {
	sum := new(big.Int)
	for _, i := range signers {
		sum.Add(sum, w.secrets[i])
	}
	hash, err := bls.HashToG1(message(summary, epoch), scheme)
	if err != nil {
		panic(err)
	}
	var signature bls.G1Affine
	signature.ScalarMultiplication(&hash, sum.Mod(sum, fr.Modulus()))
	b := signature.Bytes()
	return Certificate{Epoch: epoch, Signature: b[:], Bitmap: listBitmap(signers...)}
}

// listBitmap returns a Roaring bitmap with one list container, in the given order.
func listBitmap(list ...int) []byte {
	b := []byte{0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0}
	b = binary.LittleEndian.AppendUint16(b, uint16(len(list)-1))
	b = append(b, 16, 0, 0, 0)
	for _, i := range list {
		b = binary.LittleEndian.AppendUint16(b, uint16(i))
	}
	return b
}

// runBitmap returns a Roaring bitmap of runs, each given by its first and last number.
func runBitmap(size int, runs ...[2]int) []byte {
	b := []byte{0x3b, 0x30, 0, 0, 1, 0, 0}
	b = binary.LittleEndian.AppendUint16(b, uint16(size-1))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(runs)))
	for _, r := range runs {
		b = binary.LittleEndian.AppendUint16(b, uint16(r[0]))
		b = binary.LittleEndian.AppendUint16(b, uint16(r[1]-r[0]))
	}
	return b
}

func (w *world) summary() *sui.CheckpointSummary {
	before := sui.Digest{9}
	return &sui.CheckpointSummary{Epoch: worldEpoch, Sequence: 1234, Total: 99, Previous: &before,
		TimestampMS: 1_700_000_000_123, Extra: []byte{0, 0},
		Commitments: []sui.CheckpointCommitment{{Kind: 1, Digest: sui.Digest{5}}}}
}

// last returns the last checkpoint of the epoch, which names the next committee.
func (w *world) last(tb testing.TB, next []sui.Validator) []byte {
	s := w.summary()
	s.EndOfEpoch = &sui.EndOfEpoch{NextCommittee: next, NextProtocolVersion: 140}
	return encode(tb, s)
}

func encode(tb testing.TB, v interface{ Encode() ([]byte, error) }) []byte {
	tb.Helper()
	b, err := v.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

var (
	worldTransaction = sui.Digest{1, 2, 3}
	worldCoin        = sui.MustAddress("0xc01")
)

// coinBytes returns a coin of SUI as an object.
func coinBytes(id sui.ObjectID, version, balance uint64) []byte {
	b := []byte{0, 1, 1}
	b = binary.LittleEndian.AppendUint64(b, version)
	b = append(append(b, 40), id[:]...)
	b = binary.LittleEndian.AppendUint64(b, balance)
	b = append(append(b, 0), make([]byte, 32)...)
	b = append(append(b, 32), make([]byte, 32)...)
	return binary.LittleEndian.AppendUint64(b, 0)
}

func worldEffects() *sui.TransactionEffects {
	owner := sui.Owner{Kind: sui.OwnerAddress}
	events := hashOf("TransactionEvents", worldEvents())
	return &sui.TransactionEffects{Epoch: worldEpoch, Transaction: worldTransaction, Version: 12, Events: &events,
		Gas: sui.GasCost{Computation: 1000}, Changed: []sui.ChangedObject{{ID: worldCoin,
			Before: &sui.ObjectBefore{Version: 11, Digest: sui.ObjectDigest(coinBytes(worldCoin, 11, 500)), Owner: owner},
			After: sui.ObjectAfter{Kind: sui.AfterObject, Digest: sui.ObjectDigest(coinBytes(worldCoin, 12, 300)),
				Owner: owner},
		}}}
}

func worldEvents() []byte {
	b, err := sui.EncodeEvents([]sui.MoveEvent{{Package: sui.MustAddress("0x2"), Module: "pool",
		Type: sui.StructTag{Module: "pool", Name: "Filled"}, Contents: []byte{1, 2, 3}}})
	if err != nil {
		panic(err)
	}
	return b
}

func hashOf(name string, b []byte) sui.Digest { return sui.Hash([]byte(name+"::"), b) }

// contentsOf returns version 2 contents that list the given number of other transactions and one with
// the given digests.
func contentsOf(tx, effects sui.Digest, others int) []byte {
	b := binary.AppendUvarint([]byte{1}, uint64(others+1))
	for i := range others + 1 {
		t, e := sui.Digest{byte(i), byte(i >> 8), 77}, sui.Digest{8}
		if i == others {
			t, e = tx, effects
		}
		b = append(append(b, 32), t[:]...)
		b = append(append(b, 32), e[:]...)
		b = append(b, 1)                               // one signature
		b = append(append(b, 97), make([]byte, 97)...) // of 97 bytes
		b = append(b, 0)                               // without an alias version
	}
	return b
}

// claim signs a transaction with the given effects.
func (w *world) claim(tb testing.TB, effects []byte, others int) Claim {
	contents := contentsOf(worldTransaction, hashOf("TransactionEffects", effects), others)
	return w.claimOf(tb, effects, contents)
}

func (w *world) claimOf(tb testing.TB, effects, contents []byte) Claim {
	s := w.summary()
	s.Contents = hashOf("CheckpointContents", contents)
	summary := encode(tb, s)
	return Claim{Transaction: worldTransaction, Summary: summary, Contents: contents, Effects: effects,
		Events: worldEvents(), Certificate: w.sign(summary, worldEpoch, w.quorum())}
}

// refused checks the rule and reason of a refusal.
func refused(tb testing.TB, err error, rule int, reason Reason) {
	tb.Helper()
	r, ok := err.(*Refusal)
	if !ok || r.Rule != rule || r.Reason != reason {
		tb.Errorf("refused with %#v, want rule %d, %s", err, rule, reason)
	}
}

func digestBytes(i int) []byte {
	d := sui.ObjectDigest(binary.LittleEndian.AppendUint32(nil, uint32(i)))
	return d[:]
}
