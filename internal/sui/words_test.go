package sui

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestAddresses(t *testing.T) {
	var f struct {
		Addresses []struct{ Input, Normalized string }
	}
	readJSON(t, "testdata/bcs.json", &f)
	if len(f.Addresses) != 6 {
		t.Fatalf("there are %d addresses, want 6", len(f.Addresses))
	}
	for _, v := range f.Addresses {
		if a, err := NormalizeAddress(v.Input); err != nil || a.String() != v.Normalized {
			t.Errorf("%q normalizes to %s, %v; want %s", v.Input, a, err, v.Normalized)
		}
		a, err := ParseAddress(v.Input)
		if strict := strings.HasPrefix(v.Input, "0x"); strict != (err == nil) {
			t.Errorf("ParseAddress(%q): %v", v.Input, err)
		} else if strict && a.String() != v.Normalized {
			t.Errorf("ParseAddress(%q) = %s", v.Input, a)
		}
	}
	for _, bad := range []string{
		"", "0x", "0X", "0x0x2", "0xg", "0x" + strings.Repeat("1", 65), " 0x2", "0x2 ", "0x-1", "x2", "0x２",
	} {
		if a, err := ParseAddress(bad); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("ParseAddress(%q) = %s, %v", bad, a, err)
		}
		if a, err := NormalizeAddress(bad); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("NormalizeAddress(%q) = %s, %v", bad, a, err)
		}
	}
}

func TestAddressForms(t *testing.T) {
	for in, short := range map[string]string{"0x0": "0x0", "0x02": "0x2", "0x00A0": "0xa0"} {
		a := MustAddress(in)
		if a.Short() != short || len(a.String()) != 66 || a.IsZero() != (short == "0x0") {
			t.Errorf("%s: %s %s", in, a.Short(), a)
		}
		b, err := json.Marshal(map[Address]Address{a: a})
		if err != nil {
			t.Fatal(err)
		}
		var back map[Address]Address
		if err := json.Unmarshal(b, &back); err != nil || back[a] != a {
			t.Errorf("%s reads back as %v, %v", b, back, err)
		}
	}
	a := MustAddress("0x5")
	if err := a.UnmarshalText([]byte("nonsense")); err == nil || a != MustAddress("0x5") {
		t.Errorf("a bad text: %v, and the address is %s", err, a)
	}
}

func TestDigests(t *testing.T) {
	const text = "YQ3Ey16RNDToPxW5ohMGnoo3txSyQPtTHHyYB8BDpgL"
	d, err := ParseDigest(text)
	if err != nil || d.String() != text || d.IsZero() {
		t.Fatalf("%s, %v", d, err)
	}
	var back Digest
	if err := back.UnmarshalText([]byte(text)); err != nil || back != d {
		t.Errorf("%s, %v", back, err)
	}
	zero := Digest{}.String()
	if z, err := ParseDigest(zero); err != nil || !z.IsZero() || zero != strings.Repeat("1", 32) {
		t.Errorf("the zero digest is %q, %v", zero, err)
	}
	for _, bad := range []string{
		"", text[1:], text + "1", "0OIl", strings.Repeat("1", 31), strings.Repeat("1", 33),
		strings.Repeat("z", 44), strings.Repeat("1", 65), " " + text,
	} {
		if d, err := ParseDigest(bad); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q reads as %s, %v", bad, d, err)
		}
	}
}

func TestParseRaw(t *testing.T) {
	for in, want := range map[string]Raw{"0": 0, "1": 1, "18446744073709551615": math.MaxUint64} {
		if r, err := ParseRaw(in); err != nil || r != want || r.String() != in {
			t.Errorf("%q: %v, %v", in, r, err)
		}
	}
	for _, bad := range []string{
		"", "00", "01", "-1", "+1", "1.0", "1e3", "1,000", "1_000", " 1", "0x10", "18446744073709551616",
		strings.Repeat("9", 1000), "１",
	} {
		if r, err := ParseRaw(bad); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q reads as %v, %v", bad, r, err)
		}
	}
	var holder struct{ R Raw }
	if err := json.Unmarshal([]byte(`{"R":5}`), &holder); err == nil {
		t.Error("a JSON number is read as an amount")
	}
	if b, err := json.Marshal(struct{ R Raw }{7}); err != nil || string(b) != `{"R":"7"}` {
		t.Errorf("%s, %v", b, err)
	}
}

func TestDecimals(t *testing.T) {
	cases := []struct {
		text     Decimal
		decimals uint8
		raw      Raw
		back     Decimal // as displayed
	}{
		{"0", 9, 0, "0"},
		{"0.0", 0, 0, "0"},
		{"0.000000001", 9, 1, "0.000000001"},
		{"10", 9, 10_000_000_000, "10"},
		{"10.50", 9, 10_500_000_000, "10.5"},
		{"1.500000", 1, 15, "1.5"},
		{"18446744073709551615", 0, math.MaxUint64, "18446744073709551615"},
		{"18446744073.709551615", 9, math.MaxUint64, "18446744073.709551615"},
		{"0.18446744073709551615", 20, math.MaxUint64, "0.18446744073709551615"},
		{"0." + Decimal(strings.Repeat("0", 70)) + "1", 71, 1, "0." + Decimal(strings.Repeat("0", 70)) + "1"},
		{"0", 255, 0, "0"},
	}
	for _, c := range cases {
		raw, err := c.text.Raw(c.decimals)
		if err != nil || raw != c.raw {
			t.Errorf("%s with %d decimals: %v, %v; want %v", c.text, c.decimals, raw, err, c.raw)
		}
		if shown := raw.Decimal(c.decimals); shown != c.back {
			t.Errorf("%v with %d decimals shows as %s, want %s", raw, c.decimals, shown, c.back)
		}
	}
	for _, c := range []struct {
		text     Decimal
		decimals uint8
	}{
		{"18446744073709551616", 0}, {"18446744073.709551616", 9}, {"1", 20}, {"2", 19}, {"1", 255},
		{"0.01", 1}, {"1.5", 0}, {"0.0000000001", 9},
	} {
		if raw, err := c.text.Raw(c.decimals); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%s with %d decimals reads as %v, %v", c.text, c.decimals, raw, err)
		}
	}
	for _, bad := range []string{
		"", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "1 ", " 1", "01", "00.1", "1.2.3", "0x1", "NaN", "Inf",
		"١", strings.Repeat("1", 81),
	} {
		if d, err := ParseDecimal(bad); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q reads as %s, %v", bad, d, err)
		}
		if raw, err := Decimal(bad).Raw(9); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("Decimal(%q).Raw = %v, %v", bad, raw, err)
		}
	}
}

func TestDeltas(t *testing.T) {
	most := Raw(math.MaxUint64)
	for _, c := range []struct {
		before, after Raw
		want, shown   string
	}{
		{5, 5, "0", "0"}, {5, 7, "2", "0.002"}, {7, 5, "-2", "-0.002"},
		{0, most, "18446744073709551615", "18446744073709551.615"},
		{most, 0, "-18446744073709551615", "-18446744073709551.615"},
	} {
		d := DeltaOf(c.before, c.after)
		if d.String() != c.want || d.Decimal(3) != c.shown || d.Big().String() != c.want {
			t.Errorf("%v to %v: %s, %s, %s", c.before, c.after, d, d.Decimal(3), d.Big())
		}
		if back, err := ParseDelta(c.want); err != nil || back != d {
			t.Errorf("%s reads back as %v, %v", c.want, back, err)
		}
	}
	if d, err := ParseDelta("-0"); err != nil || d != (Delta{}) {
		t.Errorf("-0 is %v, %v", d, err)
	}
	for _, bad := range []string{"", "-", "--1", "+1", "- 1", "-01", "1.5", "-18446744073709551616"} {
		if d, err := ParseDelta(bad); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q reads as %v, %v", bad, d, err)
		}
	}
}

func TestGasCostNet(t *testing.T) {
	for _, c := range []struct {
		cost GasCost
		want string
	}{
		{GasCost{Computation: 100, Storage: 50, Rebate: 30}, "120"},
		{GasCost{Computation: 10, Storage: 5, Rebate: 30}, "-15"},
		{GasCost{Computation: math.MaxUint64, Storage: 2}, "18446744073709551615"},
	} {
		if got := c.cost.Net().String(); got != c.want {
			t.Errorf("%+v costs %s, want %s", c.cost, got, c.want)
		}
	}
}

func TestTypeTags(t *testing.T) {
	var f struct {
		TypeTags []struct{ Input, Canonical, Hex string }
	}
	readJSON(t, "testdata/bcs.json", &f)
	if len(f.TypeTags) != 17 {
		t.Fatalf("there are %d types, want 17", len(f.TypeTags))
	}
	for _, v := range f.TypeTags {
		tag, err := ParseTypeTag(v.Input)
		if err != nil {
			t.Errorf("%s: %v", v.Input, err)
			continue
		}
		// The library writes a space after each comma, unlike this program.
		if want := strings.ReplaceAll(v.Canonical, " ", ""); tag.String() != want {
			t.Errorf("%s is written %s, want %s", v.Input, tag, want)
		}
		if walletType(tag) != v.Canonical {
			t.Errorf("%s is %s for wallets, want %s", v.Input, walletType(tag), v.Canonical)
		}
		w := new(bcs)
		if w.typeTag(&tag, 0); w.err != nil || string(w.out) != string(unhex(t, v.Hex)) {
			t.Errorf("%s encodes to %x, %v; want %s", v.Input, w.out, w.err, v.Hex)
		}
		r, back := &bcs{reading: true, in: w.out}, TypeTag{}
		if r.typeTag(&back, 0); r.finish() != nil || back.String() != tag.String() {
			t.Errorf("%s decodes to %s, %v", v.Input, back, r.err)
		}
	}
}

func TestBadTypeTags(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("vector<", n) + "u8" + strings.Repeat(">", n) }
	for _, bad := range []string{
		"", "u7", "vector", "vector<>", "vector<u8", "vector<u8,u8>", "vector<u8>>", "u8<u8>", "u8 u8",
		"0x2::sui", "0x2::sui::SUI::X", "0x2::sui::SUI<>", "0x2::sui::SUI<u8", "0x2::sui::SUI<u8,>",
		"0x2::sui::SUI<u8>x", "0x2::1a::B", "0x2::a::", "::a::B", "2::sui::SUI", "0x2::a-b::C", "0x2:: a::B",
		"0x2::a::B<u8;u8>", "0x2::_::B", "0x2::é::B", nest(17), "0x2::a::" + strings.Repeat("b", 129),
	} {
		if tag, err := ParseTypeTag(bad); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q reads as %s, %v", bad, tag, err)
		}
	}
	if tag, err := ParseTypeTag(nest(16)); err != nil || tag.String() != nest(16) {
		t.Errorf("16 deep: %v", err)
	}
	if _, err := ParseTypeTag(nest(17)); err == nil || !strings.Contains(err.Error(), "too deeply") {
		t.Errorf("17 deep: %v", err)
	}
}

func TestCoinTypes(t *testing.T) {
	c, err := ParseCoinType("0x2::sui::SUI")
	if err != nil || c != SUI {
		t.Errorf("%s, %v", c, err)
	}
	const coin = "0x0000000000000000000000000000000000000000000000000000000000000002::coin::Coin<" + string(SUI) + ">"
	if SUI.Object() != coin || SUI.Tag().Struct.Name != "SUI" {
		t.Errorf("%s %v", SUI.Object(), SUI.Tag())
	}
	for _, bad := range []string{"u64", "vector<u8>", "SUI", ""} {
		if c, err := ParseCoinType(bad); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%q reads as %s, %v", bad, c, err)
		}
	}
}

func TestPureValues(t *testing.T) {
	if n, ok := PureU64(math.MaxUint64).U64(); !ok || n != math.MaxUint64 {
		t.Errorf("%d %v", n, ok)
	}
	a := MustAddress("0x1234")
	if got, ok := PureAddress(a).Address(); !ok || got != a {
		t.Errorf("%s %v", got, ok)
	}
	for _, want := range []bool{true, false} {
		if got, ok := PureBool(want).Bool(); !ok || got != want {
			t.Errorf("%v %v", got, ok)
		}
	}
	for _, bad := range [][]byte{nil, {2}, make([]byte, 7), make([]byte, 9), make([]byte, 31), make([]byte, 33)} {
		p := PureInput{Bytes: bad}
		_, number := p.U64()
		_, address := p.Address()
		_, truth := p.Bool()
		if number || address || truth {
			t.Errorf("%x is read: u64 %v, address %v, bool %v", bad, number, address, truth)
		}
	}
	// The library's own bytes for the same values.
	for _, v := range transactionVectors(t) {
		for _, p := range v.PureInputs {
			raw := PureInput{Bytes: unhex(t, p.BytesHex)}
			if n, ok := raw.U64(); p.Type == "u64" && (!ok || string(PureU64(n).Bytes) != string(raw.Bytes)) {
				t.Errorf("%s: u64 %s", v.Name, p.BytesHex)
			}
			if a, ok := raw.Address(); p.Type == "address" && (!ok || string(PureAddress(a).Bytes) != string(raw.Bytes)) {
				t.Errorf("%s: address %s", v.Name, p.BytesHex)
			}
		}
	}
}
