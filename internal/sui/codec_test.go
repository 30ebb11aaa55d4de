package sui

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestTransactionVectors(t *testing.T) {
	for _, v := range transactionVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			raw := unbase64(t, v.TxBytesBase64)
			tx, err := DecodeTransaction(raw)
			if err != nil {
				t.Fatal(err)
			}
			again, err := tx.Encode()
			if err != nil || !bytes.Equal(again, raw) {
				t.Errorf("encoded again: %v\n got %x\nwant %x", err, again, raw)
			}
			if d := TransactionDigest(raw).String(); d != v.Digest {
				t.Errorf("digest %s, want %s", d, v.Digest)
			}
			kindBytes := unbase64(t, v.KindBytesBase64)
			kind, err := DecodeKind(kindBytes)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tx.Kind(), kind); diff != "" {
				t.Errorf("kind alone differs from the kind inside (-inside +alone):\n%s", diff)
			}
			if again, err := kind.Encode(); err != nil || !bytes.Equal(again, kindBytes) {
				t.Errorf("kind encoded again: %v %x", err, again)
			}
		})
	}
}

func TestWalletJSON(t *testing.T) {
	for _, v := range transactionVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			raw := unbase64(t, v.TxBytesBase64)
			tx, err := DecodeTransaction(raw)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tx.WalletJSON()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(jsonTree(t, v.TransactionData), jsonTree(t, got)); diff != "" {
				t.Errorf("wallet form differs from the official library's (-want +got):\n%s", diff)
			}
			for name, text := range map[string][]byte{"own": got, "library": v.TransactionData} {
				back, err := ParseWalletJSON(text)
				if err != nil {
					t.Fatalf("%s form: %v", name, err)
				}
				if b, err := back.Encode(); err != nil || !bytes.Equal(b, raw) {
					t.Errorf("%s form gives other bytes: %v\n got %x\nwant %x", name, err, b, raw)
				}
			}
		})
	}
}

// jsonTree reads JSON with exact numbers.
func jsonTree(t *testing.T, b []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestMalformedTransactions(t *testing.T) {
	var f struct {
		MalformedTransactionData []struct{ Name, Why, Hex, StrictDecoder string }
	}
	readJSON(t, "testdata/bcs.json", &f)
	if n := len(f.MalformedTransactionData); n != 33 {
		t.Fatalf("there are %d malformed vectors, want 33", n)
	}
	for _, v := range f.MalformedTransactionData {
		t.Run(v.Name, func(t *testing.T) {
			raw := unhex(t, v.Hex)
			tx, err := DecodeTransaction(raw)
			if v.StrictDecoder == "must accept" {
				if err != nil {
					t.Fatal(err)
				}
				if again, err := tx.Encode(); err != nil || !bytes.Equal(again, raw) {
					t.Errorf("encoded again: %v %x", err, again)
				}
				return
			}
			if !fault.Is(err, fault.InputInvalid) {
				t.Fatalf("%s: accepted, or another error: %v", v.Why, err)
			}
		})
	}
}

func TestDeepBookKinds(t *testing.T) {
	var f map[string]json.RawMessage
	readJSON(t, "testdata/deepbook-ptb-vectors.json", &f)
	kinds, whole := 0, 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if s, ok := v["transaction_kind_bcs"].(string); ok {
				kinds++
				checkKindBytes(t, fmt.Sprint(v["name"]), unbase64(t, s))
			}
			if s, ok := v["transaction_data_bcs"].(string); ok {
				whole++
				raw := unbase64(t, s)
				tx, err := DecodeTransaction(raw)
				if err != nil {
					t.Fatalf("%v: %v", v["name"], err)
				}
				if again, err := tx.Encode(); err != nil || !bytes.Equal(again, raw) {
					t.Errorf("%v: encoded again: %v", v["name"], err)
				}
				if d, ok := v["digest"].(string); ok && TransactionDigest(raw).String() != d {
					t.Errorf("%v: digest %s, want %s", v["name"], TransactionDigest(raw), d)
				}
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	for _, part := range f {
		walk(jsonTree(t, part))
	}
	if kinds != 23 || whole != 10 {
		t.Errorf("checked %d kinds and %d transactions, want 23 and 10", kinds, whole)
	}
}

func checkKindBytes(t *testing.T, name string, raw []byte) {
	t.Helper()
	k, err := DecodeKind(raw)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if again, err := k.Encode(); err != nil || !bytes.Equal(again, raw) {
		t.Errorf("%s: encoded again: %v\n got %x\nwant %x", name, err, again, raw)
	}
}

func TestDecodeErrorsNameThePlace(t *testing.T) {
	good := transactionNamed(t, "split_gas_transfer")
	edit := func(at int, b ...byte) []byte {
		out := bytes.Clone(good)
		copy(out[at:], b)
		return out
	}
	cases := []struct {
		name string
		in   []byte
		want string
	}{
		{"nothing", nil, "at byte 0: the variant of TransactionData needs 1 byte, and 0 bytes are left"},
		{"version", edit(0, 1), "at byte 0: TransactionData has no variant 1"},
		{"genesis", edit(1, 2), "at byte 1: Genesis is a system transaction"},
		{"system program", edit(1, 10), "at byte 1: ProgrammableSystemTransaction is a system transaction"},
		{"unknown kind", edit(1, 11), "at byte 1: TransactionKind has no variant 11"},
		{"input", edit(3, 9), "at byte 3: CallArg has no variant 9"},
		{"claimed length", edit(4, 0xff, 0xff, 0xff, 0xff, 0x07),
			"at byte 4: a pure value has a claimed length of 2147483647"},
		{"trailing", append(bytes.Clone(good), 0), "at byte 219: 1 byte after the end"},
		{"cut", good[:len(good)-1], "at byte 218: the variant of TransactionExpiration needs 1 byte"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := DecodeTransaction(c.in)
			if !fault.Is(err, fault.InputInvalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant it to say %q", err, c.want)
			}
		})
	}
}

func TestULEB128(t *testing.T) {
	var f struct {
		ULEB128 []struct{ Value, Hex string }
	}
	readJSON(t, "testdata/bcs.json", &f)
	if len(f.ULEB128) != 14 {
		t.Fatalf("there are %d numbers, want 14", len(f.ULEB128))
	}
	for _, v := range f.ULEB128 {
		raw := unhex(t, v.Hex)
		r := &bcs{reading: true, in: raw}
		var n uint32
		r.uleb(&n, "", "it")
		if err := r.finish(); err != nil || fmt.Sprint(n) != v.Value {
			t.Errorf("%s reads as %d, %v; want %s", v.Hex, n, err, v.Value)
		}
		w := new(bcs)
		w.uleb(&n, "", "it")
		if !bytes.Equal(w.out, raw) {
			t.Errorf("%s is written as %x, want %s", v.Value, w.out, v.Hex)
		}
	}
	for _, bad := range []string{"", "80", "8000", "808000", "ffffffff1f", "ffffffff8f00", "8080808080"} {
		r := &bcs{reading: true, in: unhex(t, bad)}
		var n uint32
		r.uleb(&n, "", "it")
		if r.finish() == nil {
			t.Errorf("%q is accepted as %d", bad, n)
		}
	}
}

// TestStrictParts checks errors that decoding a whole transaction would mostly report elsewhere.
func TestStrictParts(t *testing.T) {
	read := func(in []byte, f func(c *bcs)) error {
		c := &bcs{reading: true, in: in}
		f(c)
		return c.err
	}
	maybe := func(c *bcs) {
		var v *uint64
		option(c, &v, "it", func(n *uint64) { c.u64(n, "it") })
	}
	for tag, good := range map[byte]bool{0: true, 1: true, 2: false, 255: false} {
		if err := read(append([]byte{tag}, make([]byte, 8)...), maybe); (err == nil) != good {
			t.Errorf("option byte %d: %v", tag, err)
		}
	}
	for n, good := range map[byte]bool{0: false, 31: false, 32: true, 33: false} {
		var d Digest
		err := read(append([]byte{n}, make([]byte, 40)...), func(c *bcs) { c.digest(&d, "it") })
		if (err == nil) != good {
			t.Errorf("a digest of %d bytes: %v", n, err)
		}
	}
	var s string
	if err := read([]byte{1, 0xff}, func(c *bcs) { c.text(&s, "it") }); err == nil || !strings.Contains(err.Error(),
		"UTF-8") {
		t.Errorf("bad UTF-8: %v", err)
	}
}

func TestEncodeRefusesWhatDecodeRefuses(t *testing.T) {
	base := func() *Transaction {
		tx, err := DecodeTransaction(transactionNamed(t, "split_gas_transfer"))
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	deep := TypeTag{Kind: TypeU8}
	for range maxTypeDepth + 1 {
		inner := deep
		deep = TypeTag{Kind: TypeVector, Elem: &inner}
	}
	call := func(c MoveCall) func(*Transaction) {
		return func(t *Transaction) { t.Commands = []Command{c} }
	}
	cases := map[string]func(*Transaction){
		"no expiration value": func(t *Transaction) { t.Expiration = nil },
		"nil input":           func(t *Transaction) { t.Inputs[0] = nil },
		"nil command":         func(t *Transaction) { t.Commands[0] = nil },
		"empty module":        call(MoveCall{Function: "f"}),
		"bad function":        call(MoveCall{Module: "m", Function: "f-g"}),
		"deep type":           call(MoveCall{Module: "m", Function: "f", TypeArgs: []TypeTag{deep}}),
		"vector of nothing":   call(MoveCall{Module: "m", Function: "f", TypeArgs: []TypeTag{{Kind: TypeVector}}}),
		"struct of nothing":   call(MoveCall{Module: "m", Function: "f", TypeArgs: []TypeTag{{Kind: TypeStruct}}}),
		"unknown type":        call(MoveCall{Module: "m", Function: "f", TypeArgs: []TypeTag{{Kind: 11}}}),
		"unknown argument":    call(MoveCall{Module: "m", Function: "f", Arguments: []Argument{{Kind: 4}}}),
		"unknown source":      func(t *Transaction) { t.Inputs[0] = WithdrawalInput{From: 3} },
		"index wrapped around": func(t *Transaction) {
			t.Inputs = make([]Input, 1<<16+1)
			for i := range t.Inputs {
				t.Inputs[i] = PureU64(1)
			}
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			tx := base()
			change(tx)
			if b, err := tx.Encode(); !fault.Is(err, fault.InputInvalid) {
				t.Errorf("encoded to %d bytes, error %v", len(b), err)
			}
			if _, err := tx.WalletJSON(); !fault.Is(err, fault.InputInvalid) {
				t.Errorf("written as JSON, error %v", err)
			}
		})
	}
}

// A shared transaction is encoded by several goroutines at once, so that the race detector reports any
// write.
func TestEncodeOnlyReads(t *testing.T) {
	for _, v := range transactionVectors(t) {
		tx, err := DecodeTransaction(unbase64(t, v.TxBytesBase64))
		if err != nil {
			t.Fatal(err)
		}
		var wait sync.WaitGroup
		for range 2 {
			wait.Go(func() {
				if _, err := tx.Encode(); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	}
}

func TestDecodedValuesDoNotAliasTheInput(t *testing.T) {
	raw := transactionNamed(t, "split_gas_transfer")
	tx, err := DecodeTransaction(raw)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := tx.Encode()
	for i := range raw {
		raw[i] = 0xee
	}
	if got, _ := tx.Encode(); !bytes.Equal(got, want) {
		t.Error("changing the input bytes changed the decoded transaction")
	}
}

// Claimed lengths must not cost memory: an input of n bytes may cost at most a small multiple of n.
func TestMemoryIsBoundedByTheInput(t *testing.T) {
	head := []byte{0, 0}
	cases := map[string][]byte{
		"claimed inputs":    append(append([]byte{}, head...), 0xff, 0xff, 0xff, 0xff, 0x0f),
		"claimed commands":  append(append([]byte{}, head...), 0, 0xff, 0xff, 0xff, 0xff, 0x07),
		"a million claimed": append(append([]byte{}, head...), 0x80, 0x80, 0x40),
		"claimed pure":      append(append([]byte{}, head...), 1, 0, 0xff, 0xff, 0xff, 0xff, 0x07),
		"many tiny inputs":  append(append([]byte{}, head...), append([]byte{0xff, 0xff, 0x03}, make([]byte, 1<<17)...)...),
	}
	for name, in := range cases {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := DecodeTransaction(in)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Error("accepted")
			}
			if used, most := after.TotalAlloc-before.TotalAlloc, uint64(64*len(in)+1<<16); used > most {
				t.Errorf("%d bytes of input cost %d bytes of memory, want at most %d", len(in), used, most)
			}
		})
	}
}

func TestCommitment(t *testing.T) {
	// Computed with Python's hashlib:
	// blake2b(b"say-ur-intent/commitment/v1" + bytes(range(32)), digest_size=32)
	var d Digest
	for i := range d {
		d[i] = byte(i)
	}
	const want = "0085e4f17ad936a410be6d18e8edd91b580983655e05845e77f8b6a1126f4ef0"
	if got := Commitment(d); got != want {
		t.Errorf("commitment %s, want %s", got, want)
	}
}

func TestDynamicFieldID(t *testing.T) {
	var f struct {
		DynamicFieldIds []struct{ Parent, KeyType, KeyBcsHex, DynamicFieldId string }
	}
	readJSON(t, "testdata/bcs.json", &f)
	if len(f.DynamicFieldIds) != 4 {
		t.Fatalf("there are %d ids, want 4", len(f.DynamicFieldIds))
	}
	for _, v := range f.DynamicFieldIds {
		id, err := DynamicFieldID(MustAddress(v.Parent), MustTypeTag(v.KeyType), unhex(t, v.KeyBcsHex))
		if err != nil || id.String() != v.DynamicFieldId {
			t.Errorf("key %s %s: %s, %v; want %s", v.KeyType, v.KeyBcsHex, id, err, v.DynamicFieldId)
		}
	}
	if _, err := DynamicFieldID(Address{}, TypeTag{Kind: TypeVector}, nil); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("a broken key type gives %v", err)
	}
}

func BenchmarkDecodeAndDigest(b *testing.B) {
	raw := transactionNamed(b, "deepbook_swap_base_for_quote_epoch")
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeTransaction(raw); err != nil {
			b.Fatal(err)
		}
		if d := TransactionDigest(raw); d.IsZero() {
			b.Fatal(hex.EncodeToString(d[:]))
		}
	}
}
