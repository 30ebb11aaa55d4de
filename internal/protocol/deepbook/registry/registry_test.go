package registry

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestTables(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	if len(Pools()) != 24 || len(Packages()) != 8 {
		t.Fatalf("%d pools, %d packages", len(Pools()), len(Packages()))
	}
	newest, seventh := Packages()[0], Packages()[1]
	if newest.Number != 8 || newest.Version != 8 || seventh.Number != 7 || seventh.Version != 6 {
		t.Errorf("newest packages are %+v, %+v", newest, seventh)
	}
	if last := Packages()[7]; last.ID != OriginalPackage {
		t.Errorf("oldest package is %v", last)
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

func TestPriceDecimals(t *testing.T) {
	for key, want := range map[string]uint8{"SUI_USDC": 6, "DEEP_SUI": 12, "DEEP_USDC": 9, "XBTC_USDC": 7, "WAL_SUI": 9} {
		if p, ok := PoolByKey(key); !ok || p.PriceDecimals() != want {
			t.Errorf("%s shifts by %d", key, p.PriceDecimals())
		}
	}
}

func TestPoolOfCoinsThatAreNotPinned(t *testing.T) {
	for name, coin := range map[string]func(string) (coins.Coin, bool){
		"no coin": func(string) (coins.Coin, bool) { return coins.Coin{}, false },
		"more decimals than a price can carry": func(symbol string) (coins.Coin, bool) {
			c, ok := coins.BySymbol(symbol)
			if symbol == poolRows[0].base {
				c.Decimals = 30
			}
			return c, ok
		},
	} {
		if got, err := build(packageRows, coin, poolRows); !fault.Is(err, fault.InternalError) || len(got.pools) != 0 {
			t.Errorf("%s gave a table of %d pools, %v", name, len(got.pools), err)
		}
	}
}

func TestFind(t *testing.T) {
	for asked, want := range map[string]string{"SUI_USDC": "SUI_USDC", "sui_usdc": "SUI_USDC", "Wal_Sui": "WAL_SUI"} {
		if p, err := FindPool(asked); err != nil || p.Key != want {
			t.Errorf("FindPool(%q) = %s, %v", asked, p.Key, err)
		}
	}
	misses := []struct{ asked, named string }{
		{"USDC_SUI", "SUI_USDC"}, {"SUI/USDC", "SUI_USDC"}, {"SUI_USDD", "SUI_USDC"}, {"XBTC", "XBTC_USDC"},
		{"ZZZ_QQQ", "IKA_USDC"},
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
}

func TestDirect(t *testing.T) {
	coin := func(s string) coins.Coin {
		c, err := coins.Find(s)
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
	if !strings.HasPrefix(p.Type(), OriginalPackage.String()+"::pool::Pool<") || !strings.HasSuffix(p.Type(), ","+
		string(want)+">") {
		t.Errorf("type of the pool: %s", p.Type())
	}
}
