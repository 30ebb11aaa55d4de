package registry

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestTables(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	if len(Coins()) != 21 || len(Pools()) != 24 || len(Packages()) != 8 {
		t.Fatalf("%d coins, %d pools, %d packages", len(Coins()), len(Pools()), len(Packages()))
	}
	newest, seventh := Packages()[0], Packages()[1]
	if newest.Number != 8 || newest.Version != 8 || seventh.Number != 7 || seventh.Version != 6 {
		t.Errorf("newest packages are %+v, %+v", newest, seventh)
	}
	if last := Packages()[7]; last.ID != OriginalPackage {
		t.Errorf("oldest package is %v", last)
	}
	seen := map[string]bool{}
	for _, c := range Coins() {
		seen[strings.ToLower(c.Symbol)] = true
		if byType, ok := CoinByType(c.Type); !ok || byType != c {
			t.Errorf("%s is not found by its type", c.Symbol)
		}
	}
	if len(seen) != 21 {
		t.Errorf("symbols collide when folded: %v", seen)
	}
	for _, p := range Pools() {
		if byID, ok := PoolByID(p.ID); !ok || byID != p {
			t.Errorf("%s is not found by its id", p.Key)
		}
		if p.Key != p.Base.Symbol+"_"+p.Quote.Symbol {
			t.Errorf("%s trades %s and %s", p.Key, p.Base.Symbol, p.Quote.Symbol)
		}
	}
	Pools()[0].Key = "changed"
	if _, ok := PoolByKey("DEEP_SUI"); !ok {
		t.Error("a caller changed the table")
	}
}

func TestScalars(t *testing.T) {
	t.Run("R004-62 decimals come from a power-of-ten scalar", func(t *testing.T) {
		for scalar, want := range map[uint64]uint8{1: 0, 10: 1, 1_000_000: 6, 1_000_000_000: 9, 1e19: 19} {
			if got, err := Decimals(scalar); err != nil || got != want {
				t.Errorf("Decimals(%d) = %d, %v", scalar, got, err)
			}
		}
	})
	t.Run("R004-62 every coin's decimals are those of its own scalar", func(t *testing.T) {
		rows := append([]coinRow{}, coinRows...)
		rows[0].scalar, rows[1].scalar = 10_000, 1
		got, err := build(packageRows, rows, nil)
		if err != nil || got.coins[0].Decimals != 4 || got.coins[1].Decimals != 0 {
			t.Fatalf("%+v, %v", got.coins[:2], err)
		}
		for i, c := range got.coins {
			n := uint64(1)
			for range c.Decimals {
				n *= 10
			}
			if n != rows[i].scalar || c.Scalar != n {
				t.Errorf("%s: %d decimals of %d", c.Symbol, c.Decimals, rows[i].scalar)
			}
		}
	})
	t.Run("R004-63 another scalar fails closed", func(t *testing.T) {
		for _, scalar := range []uint64{0, 2, 11, 1_000_001, 500_000} {
			if _, err := Decimals(scalar); !fault.Is(err, fault.InternalError) {
				t.Errorf("Decimals(%d): %v", scalar, err)
			}
			rows := append([]coinRow{}, coinRows...)
			rows[3].scalar = scalar
			got, err := build(packageRows, rows, poolRows)
			if err == nil || len(got.coins)+len(got.pools) != 0 {
				t.Errorf("scalar %d gave a table of %d coins, %v", scalar, len(got.coins), err)
			}
		}
	})
	t.Run("prices shift by the pool's own decimals", func(t *testing.T) {
		for key, want := range map[string]uint8{"SUI_USDC": 6, "DEEP_SUI": 12, "DEEP_USDC": 9, "XBTC_USDC": 7, "WAL_SUI": 9} {
			if p, ok := PoolByKey(key); !ok || p.PriceDecimals() != want {
				t.Errorf("%s shifts by %d", key, p.PriceDecimals())
			}
		}
	})
}

func TestFind(t *testing.T) {
	for asked, want := range map[string]string{"SUI_USDC": "SUI_USDC", "sui_usdc": "SUI_USDC", "Wal_Sui": "WAL_SUI"} {
		if p, err := FindPool(asked); err != nil || p.Key != want {
			t.Errorf("FindPool(%q) = %s, %v", asked, p.Key, err)
		}
	}
	for asked, want := range map[string]string{"SUI": "SUI", "usdc": "USDC", "0x2::sui::SUI": "SUI", string(DEEP): "DEEP"} {
		if c, err := FindCoin(asked); err != nil || c.Symbol != want {
			t.Errorf("FindCoin(%q) = %s, %v", asked, c.Symbol, err)
		}
	}
	misses := []struct{ asked, named string }{
		{"USDC_SUI", "SUI_USDC"}, {"SUI/USDC", "SUI_USDC"}, {"SUI_USDD", "SUI_USDC"}, {"XBTC", "XBTC_USDC"}, {"ZZZ_QQQ", "IKA_USDC"},
	}
	for _, m := range misses {
		_, err := FindPool(m.asked)
		if !fault.Is(err, fault.RegistryMiss) || !strings.Contains(err.Error(), m.named) {
			t.Errorf("FindPool(%q): %v", m.asked, err)
		}
	}
	_, err := FindPool(strings.Repeat("A\xff", 5000))
	if e := fault.As(err); e.Code != fault.RegistryMiss || len(e.Text) > 700 {
		t.Errorf("a long unknown key gave %d bytes of text", len(e.Text))
	}
	for asked, code := range map[string]fault.Code{
		"USD": fault.RegistryMiss, "": fault.RegistryMiss, "0x2::sui::NOPE": fault.RegistryMiss, "0x2::sui": fault.InputInvalid,
	} {
		if _, err := FindCoin(asked); !fault.Is(err, code) {
			t.Errorf("FindCoin(%q): %v", asked, err)
		}
	}
}

func TestMatchWantsOneCandidate(t *testing.T) {
	names := []string{"usdc", "USDC", "Deep"}
	self := func(s string) string { return s }
	if _, ok := match(names, "Usdc", self); ok {
		t.Error("an ambiguous spelling was resolved")
	}
	if got, ok := match(names, "USDC", self); !ok || got != "USDC" {
		t.Errorf("exact spelling gave %q", got)
	}
	if got, ok := match(names, "DEEP", self); !ok || got != "Deep" {
		t.Errorf("sole candidate gave %q", got)
	}
}

func TestDirect(t *testing.T) {
	coin := func(s string) Coin {
		c, err := FindCoin(s)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	p, d, err := Direct(coin("SUI"), coin("USDC"))
	if err != nil || p.Key != "SUI_USDC" || d != BaseToQuote {
		t.Errorf("SUI to USDC: %s %s %v", p.Key, d, err)
	}
	in, out, err := p.Sides(d)
	if err != nil || in.Symbol != "SUI" || out.Symbol != "USDC" {
		t.Errorf("sides %s, %s, %v", in.Symbol, out.Symbol, err)
	}
	p, d, err = Direct(coin("SUI"), coin("WAL"))
	if err != nil || p.Key != "WAL_SUI" || d != QuoteToBase {
		t.Errorf("SUI to WAL: %s %s %v", p.Key, d, err)
	}
	if _, _, err = Direct(coin("SUI"), coin("SUI")); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("one coin twice: %v", err)
	}
	_, _, err = Direct(coin("IKA"), coin("WAL"))
	if !fault.Is(err, fault.RegistryMiss) || len(fault.As(err).Detail) != 2 {
		t.Errorf("no direct pool: %v", err)
	}
	if _, _, err = p.Sides("sideways"); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("direction sideways: %v", err)
	}
	t.Run("R004-61 a coin lists the pools that trade it", func(t *testing.T) {
		got := strings.Join(keysOf(coin("DEEP")), " ")
		if got != "DEEP_SUI DEEP_USDC" {
			t.Errorf("pools of DEEP: %s", got)
		}
	})
	want := sui.CoinType("0x0000000000000000000000000000000000000000000000000000000000000002::sui::SUI")
	if !strings.HasPrefix(p.Type(), OriginalPackage.String()+"::pool::Pool<") || !strings.HasSuffix(p.Type(), ","+string(want)+">") {
		t.Errorf("type of the pool: %s", p.Type())
	}
}
