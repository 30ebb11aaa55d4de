package bytecode

import (
	"errors"
	"testing"
)

// small is a module 0x7::shop with two functions: pay calls take, and calls it once more.
func small() []byte {
	var table [][]byte
	kinds := []byte{tableModules, tableFunctions, tableSignatures, tableIdentifiers, tableAddresses, tableCode}
	address := make([]byte, 32)
	address[31] = 7
	table = append(table,
		[]byte{0, 0},                               // module 0: address 0, name 0
		[]byte{0, 1, 1, 0, 0, 0, 2, 0, 1, 0},       // pay(u64), take(): u64
		[]byte{0, 1, 3},                            // (), (u64)
		[]byte("\x04shop\x03pay\x04take"), address, // names and the address
		[]byte{0, 1, 4, 0, 0, 5, 0x11, 1, 0x01, 0x11, 1, 0x01, 0x02, 0, // pay: Call, Pop, Call, Pop, Ret
			1, 0, 2, 0}, // take: native
	)
	out := append([]byte{}, magic...)
	out = append(out, 7, 0, 0, 5, byte(len(kinds)))
	offset := 0
	for i, k := range kinds {
		out = append(out, k, byte(offset), byte(len(table[i])))
		offset += len(table[i])
	}
	for _, t := range table {
		out = append(out, t...)
	}
	return append(out, 0)
}

func TestModule(t *testing.T) {
	m, err := Parse(small())
	if err != nil {
		t.Fatal(err)
	}
	if m.ID.String() != "0x7::shop" || len(m.Functions) != 2 {
		t.Fatalf("%+v", m)
	}
	pay, take := m.Functions[0], m.Functions[1]
	if pay.Name != "pay" || pay.Visibility != "public" || !pay.Entry || pay.Params != 1 || pay.Returns != 0 ||
		len(pay.Calls) != 2 || pay.Calls[1].Callee.String() != "0x7::shop::take" || pay.Calls[1].Offset != 2 {
		t.Errorf("%+v", pay)
	}
	if take.Visibility != "private" || !take.Native || take.Returns != 1 || len(take.Calls) != 0 {
		t.Errorf("%+v", take)
	}
}

// Every cut of a module, and every value of every byte, is an answer or an error.
func TestEveryDamageIsAnError(t *testing.T) {
	b := small()
	for i := range b {
		if _, err := Parse(b[:i]); err == nil {
			t.Errorf("cut to %d bytes: accepted", i)
		}
		for v := range 256 {
			damaged := append([]byte{}, b...)
			damaged[i] = byte(v)
			var e *Error
			if _, err := Parse(damaged); err != nil && !errors.As(err, &e) {
				t.Errorf("byte %d = %d: %v", i, v, err)
			}
		}
	}
	if _, err := Parse(append(b, 0)); err == nil {
		t.Error("a byte behind the end: accepted")
	}
	if _, err := Parse(make([]byte, MaxModule+1)); err == nil {
		t.Error("larger than the limit: accepted")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small())
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := Parse(b); (m == nil) == (err == nil) {
			t.Fatal("neither a module nor an error, or both")
		}
	})
}
