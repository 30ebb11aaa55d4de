package bytecode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"
)

// assemble puts tables into a module that is its first module handle.
func assemble(kinds []byte, tables ...[]byte) []byte {
	out := append([]byte{}, magic...)
	out = append(out, 7, 0, 0, 5, byte(len(kinds)))
	offset := uint64(0)
	for i, k := range kinds {
		out = binary.AppendUvarint(append(out, k), offset)
		out = binary.AppendUvarint(out, uint64(len(tables[i])))
		offset += uint64(len(tables[i]))
	}
	for _, t := range tables {
		out = append(out, t...)
	}
	return append(out, 0)
}

var smallKinds = []byte{tableModules, tableFunctions, tableSignatures, tableIdentifiers, tableAddresses, tableCode}

// smallTables declare pay(u64) and take(): u64 of 0x7::shop, all tables but the code.
func smallTables() [][]byte {
	address := make([]byte, 32)
	address[31] = 7
	return [][]byte{{0, 0}, {0, 1, 1, 0, 0, 0, 2, 0, 1, 0}, {0, 1, 3}, []byte("\x04shop\x03pay\x04take"), address}
}

// small returns a module 0x7::shop in which pay calls take twice.
func small() []byte {
	return assemble(smallKinds, append(smallTables(),
		[]byte{0, 1, 4, 0, 0, 5, 0x11, 1, 0x01, 0x11, 1, 0x01, 0x02, 0, // pay: Call, Pop, Call, Pop, Ret
			1, 0, 2, 0}, // take: native
	)...)
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
	if _, err := Parse(append(b[:len(b)-1:len(b)-1], 0x80, 0)); err == nil {
		t.Error("a number that is longer than it has to be: accepted")
	}
	if _, err := Parse(append(b, 0)); err == nil {
		t.Error("a byte behind the end: accepted")
	}
	if _, err := Parse(make([]byte, MaxModule+1)); err == nil {
		t.Error("larger than the limit: accepted")
	}
}

// A module needs memory in proportion to its size, whatever it claims about itself.
func TestHostileModulesNeedLittleMemory(t *testing.T) {
	full := []byte{}
	for len(full) < MaxModule-4096 { // functions full of calls
		full = binary.AppendUvarint(append(full, 0, 1, 0, 0, 0), 60000)
		for range 60000 {
			full = append(full, 0x11, 1)
		}
		full = append(full, 0)
	}
	full = full[:min(len(full), MaxModule-4096)]
	counts := binary.AppendUvarint([]byte{0, 1, 0, 0, 0}, 65535) // as many instructions as there may be, and none follows
	for name, b := range map[string][]byte{
		"calls":  assemble(smallKinds, append(smallTables(), full)...),
		"counts": assemble(smallKinds, append(smallTables(), counts)...),
		"types":  assemble([]byte{tableSignatures}, append([]byte{1}, bytes.Repeat([]byte{0xA}, MaxModule/2)...)),
		"rows":   assemble([]byte{tableModules}, make([]byte, MaxModule/2)),
		"arity":  assemble([]byte{tableSignatures}, bytes.Repeat([]byte{0xff, 0xff, 3}, MaxModule/8)),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse(b)
		runtime.ReadMemStats(&after)
		var e *Error
		if name == "types" && (!errors.As(err, &e) || e.Text != "a type nested too deep") {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 160*MaxModule {
			t.Errorf("%s: %d MiB for %d KiB (%v)", name, used>>20, len(b)>>10, err)
		}
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
