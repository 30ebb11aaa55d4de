package sui

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// listing returns checkpoint contents of version 1 (0) or 2 (1) that list the transactions, each with
// an effects digest derived from its index, and the given number of signature lists.
func listing(version byte, lists int, txs ...byte) []byte {
	b := []byte{version, byte(len(txs))}
	for i, tx := range txs {
		b = append(append(b, 32), bytes.Repeat([]byte{tx}, 32)...)
		b = append(append(b, 32), bytes.Repeat([]byte{byte(i) + 100}, 32)...)
		if version == 1 {
			b = append(b, 2, 3, 7, 7, 7, 0, 1, 9, 1, 5, 0, 0, 0, 0, 0, 0, 0) // the second with an alias version
		}
	}
	if version == 0 {
		b = append(b, byte(lists))
		for range lists {
			b = append(b, 1, 2, 8, 8)
		}
	}
	return b
}

func TestContents(t *testing.T) {
	want := Digest(bytes.Repeat([]byte{2}, 32))
	for _, b := range [][]byte{listing(0, 2, 1, 2), listing(1, 0, 1, 2)} {
		got, n, err := EffectsIn(b, want)
		if err != nil || n != 2 || got == nil || got[0] != 101 {
			t.Error(got, n, err)
		}
		if got, _, err := EffectsIn(b, Digest{}); got != nil || err != nil {
			t.Error("a transaction that is not there", got, err)
		}
	}
	for name, b := range map[string][]byte{
		"listed twice":           listing(0, 3, 1, 2, 2),
		"lists of signatures":    listing(0, 1, 1, 2),
		"byte after the end":     append(listing(1, 0, 1, 2), 0),
		"cut":                    listing(1, 0, 1, 2)[:100],
		"more than there can be": {1, 0xff, 0xff, 0x7f},
		"no bytes":               {},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := EffectsIn(b, want)
			if err == nil || got != nil || errors.Is(err, ErrUnknownVariant) {
				t.Error(got, err)
			}
		})
	}
	if _, _, err := EffectsIn(listing(2, 0, 1), want); !errors.Is(err, ErrUnknownVariant) {
		t.Error("a newer version", err)
	}
}

// everyEffects returns version 2 effects that contain every variant.
func everyEffects() *TransactionEffects {
	gas, events, aux := uint32(1), Digest{6}, Digest{7}
	e := &TransactionEffects{Epoch: 5, Gas: GasCost{1, 2, 3, 4}, Transaction: Digest{1}, GasObject: &gas, Events: &events,
		Dependencies: []Digest{{2}, {3}}, Version: 9, Auxiliary: &aux}
	for kind := OwnerAddress; kind <= OwnerConsensusAddress; kind++ {
		owner := Owner{Kind: kind}
		switch kind {
		case OwnerShared:
			owner.InitialVersion = 4
		case OwnerConsensusAddress:
			owner.InitialVersion, owner.Address = 4, Address{8}
		case OwnerAddress, OwnerObject:
			owner.Address = Address{8}
		}
		e.Changed = append(e.Changed, ChangedObject{ID: ObjectID{byte(kind)}, Before: &ObjectBefore{3, Digest{4}, owner},
			After: ObjectAfter{Kind: AfterObject, Digest: Digest{5}, Owner: owner}, Operation: uint32(kind) % 3})
	}
	e.Changed = append(e.Changed, ChangedObject{ID: ObjectID{20}, Operation: 1,
		After: ObjectAfter{Kind: AfterPackage, Version: 1, Digest: Digest{5}}}, ChangedObject{ID: ObjectID{21}, Operation: 2})
	for i, w := range []AccumulatorWrite{{Values: []uint64{1}}, {Split: true, Values: []uint64{1, 2}},
		{Events: []AccumulatorEvent{{1, Digest{2}}}}} {
		w.Type = SUI.Tag()
		e.Changed = append(e.Changed, ChangedObject{ID: ObjectID{30 + byte(i)},
			After: ObjectAfter{Kind: AfterAccumulator, Accumulator: &w}})
	}
	for kind := range uint32(6) {
		u := UnchangedObject{ID: ObjectID{byte(kind)}, Kind: kind}
		if kind != 4 {
			u.Version = 3
		}
		if kind == 0 {
			u.Digest = Digest{4}
		}
		e.Unchanged = append(e.Unchanged, u)
	}
	return e
}

func firstEffects() *TransactionEffects {
	owner := Owner{Kind: OwnerImmutable}
	ref := ObjectRef{ID: ObjectID{1}, Version: 2, Digest: Digest{3}}
	return &TransactionEffects{Transaction: Digest{1}, First: &FirstEffects{ModifiedAt: []ObjectVersion{{ObjectID{1}, 1}},
		Shared: []ObjectRef{ref}, Created: []OwnedRef{{ref, owner}}, Wrapped: []ObjectRef{ref}, Gas: OwnedRef{ref, owner}}}
}

// TestEffectsOfEveryKind decodes and re-encodes every kind of failure with its data.
func TestEffectsOfEveryKind(t *testing.T) {
	for _, e := range []*TransactionEffects{everyEffects(), firstEffects()} {
		sameEffects(t, e)
	}
	for kind, f := range failures {
		for _, payload := range payloads(f.shape) {
			e := &TransactionEffects{Failure: &ExecutionFailure{Kind: uint32(kind), Payload: payload}}
			got := sameEffects(t, e)
			if got.Failure == nil || got.Failure.Name != f.name || (got.Failure.Abort != nil) != (f.name == "MOVE_ABORT") {
				t.Errorf("%s: %+v", f.name, got.Failure)
			}
		}
	}
	command := uint64(3)
	got := sameEffects(t, &TransactionEffects{Failure: &ExecutionFailure{Kind: 12, Payload: payloads("lq")[0],
		Command: &command}})
	if a := got.Failure.Abort; a.Module != "pool" || a.Function != "swap" || a.Code != 0x0101010101010101 ||
		a.Command != 3 {
		t.Errorf("%+v", a)
	}
}

func sameEffects(t *testing.T, e *TransactionEffects) *TransactionEffects {
	t.Helper()
	b, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeEffects(b)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := got.Encode(); err != nil || !bytes.Equal(again, b) {
		t.Errorf("encoded again: %v", err)
	}
	return got
}

// payloads returns encoded failures of the shape, one for each nested failure.
func payloads(shape string) [][]byte {
	all := [][]byte{nil}
	add := func(b ...byte) {
		for i := range all {
			all[i] = append(all[i], b...)
		}
	}
	location := append(bytes.Repeat([]byte{2}, 32), "\x04pool\x01\x00\x02\x00\x01\x04swap"...)
	inner := func(shapes []string) {
		var more [][]byte
		for _, before := range all {
			for n, s := range shapes {
				for _, p := range payloads(s) {
					more = append(more, append(append(bytes.Clone(before), byte(n)), p...))
				}
			}
		}
		all = more
	}
	for _, part := range shape {
		switch part {
		case 'q':
			add(bytes.Repeat([]byte{1}, 8)...)
		case 'w':
			add(1, 0)
		case 'b':
			add(9)
		case 'i':
			add(bytes.Repeat([]byte{3}, 32)...)
		case 'I':
			add(append([]byte{1}, bytes.Repeat([]byte{3}, 32)...)...)
		case 's', 'v':
			add(2, 'a', 'b')
		case 'l':
			add(location...)
		case 'o':
			add(append([]byte{1}, location...)...)
		case 'c':
			inner(argumentFailures)
		case 't':
			inner(typeFailures)
		case 'p':
			inner(upgradeFailures)
		}
	}
	return all
}

func TestEffectsRefused(t *testing.T) {
	ok, err := (&TransactionEffects{}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	with := func(head ...byte) []byte { return append(head, ok[2:]...) }
	t.Run("a failure that is not known", func(t *testing.T) {
		for _, b := range [][]byte{with(1, 1, 42, 0), with(1, 1, 19, 0, 0, 19, 0), with(1, 1, 27, 6, 0), with(2, 0),
			with(1, 2)} {
			if got, err := DecodeEffects(b); !errors.Is(err, ErrUnknownVariant) || got != nil {
				t.Error(got, err)
			}
		}
	})
	t.Run("no events in a stream", func(t *testing.T) {
		e := everyEffects()
		e.Changed = []ChangedObject{{After: ObjectAfter{Kind: AfterAccumulator,
			Accumulator: &AccumulatorWrite{Type: SUI.Tag(), Events: []AccumulatorEvent{{}}}}}}
		b, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		stream := append([]byte{2, 1}, append(make([]byte, 8), 32)...)
		at := bytes.Index(b, stream)
		none := append(append(bytes.Clone(b[:at]), 2, 0), b[at+2+8+33:]...)
		if got, err := DecodeEffects(none); err == nil || !strings.Contains(err.Error(), "are none") {
			t.Error(got, err)
		}
	})
	for name, b := range map[string][]byte{"no bytes": {}, "cut": ok[:20], "byte after the end": append(bytes.Clone(ok),
		0)} {
		if got, err := DecodeEffects(b); err == nil || got != nil || errors.Is(err, ErrUnknownVariant) {
			t.Error(name, got, err)
		}
	}
}

func TestCoinObject(t *testing.T) {
	coin := []byte{0, 1, 1}
	coin = binary.LittleEndian.AppendUint64(coin, 12)
	coin = append(append(coin, 40), bytes.Repeat([]byte{4}, 32)...)
	coin = binary.LittleEndian.AppendUint64(coin, 345)
	coin = append(append(coin, 0), bytes.Repeat([]byte{5}, 32)...)
	coin = append(append(coin, 32), make([]byte, 40)...)
	got, err := DecodeCoinObject(coin)
	if err != nil || got.Coin != SUI || got.Balance != 345 || got.Version != 12 || got.ID[0] != 4 ||
		got.Owner.Address[0] != 5 {
		t.Fatalf("%+v %v", got, err)
	}
	for name, b := range map[string][]byte{
		"a package":          append([]byte{1}, coin[1:]...),
		"staked SUI":         append([]byte{0, 2}, coin[2:]...),
		"other contents":     append(append(bytes.Clone(coin[:11]), 39), coin[12:]...),
		"byte after the end": append(bytes.Clone(coin), 0),
		"cut":                coin[:60],
	} {
		if got, err := DecodeCoinObject(b); err == nil || got != nil {
			t.Error(name, got, err)
		}
	}
	if _, err := DecodeCoinObject(append([]byte{0, 6}, coin[2:]...)); !errors.Is(err, ErrUnknownVariant) {
		t.Error("a type of a newer chain", err)
	}
}

// Decoded values encode to the same bytes, nothing panics, and memory stays proportional to the input.
func FuzzDecodeChain(f *testing.F) {
	for _, e := range []*TransactionEffects{everyEffects(), firstEffects()} {
		b, err := e.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(listing(0, 2, 1, 2))
	f.Add(listing(1, 0, 1, 2))
	s := &CheckpointSummary{Previous: &Digest{1}, EndOfEpoch: &EndOfEpoch{NextCommittee: []Validator{{Stake: 1}}},
		Commitments: []CheckpointCommitment{{Kind: 1}}, Extra: []byte{0, 0}}
	b, err := s.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	events, err := EncodeEvents([]MoveEvent{{Module: "a", Type: StructTag{Module: "b", Name: "C"}, Contents: []byte{1}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(events)
	f.Fuzz(func(t *testing.T, b []byte) {
		check := func(again []byte, err error) {
			if err != nil || !bytes.Equal(again, b) {
				t.Errorf("encoded again: %x, %v", again, err)
			}
		}
		if e, err := DecodeEffects(b); err == nil {
			check(e.Encode())
			e.Ref(ObjectID{1}, true)
			e.Ref(ObjectID{1}, false)
		}
		if s, err := DecodeCheckpointSummary(b); err == nil {
			check(s.Encode())
		}
		if v, err := DecodeEvents(b); err == nil {
			check(EncodeEvents(v))
		}
		_, _, _ = EffectsIn(b, Digest{1})
		_, _ = DecodeCoinObject(b)
	})
}
