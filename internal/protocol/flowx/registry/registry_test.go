package registry

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestThePinnedRows(t *testing.T) {
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	t.Run("R004-95 every fee tier of a supported pair, none twice", func(t *testing.T) {
		fees := map[string][]uint64{}
		for _, p := range Pools() {
			pair := p.X.Symbol + "_" + p.Y.Symbol
			if list := fees[pair]; len(list) > 0 && list[len(list)-1] >= p.Fee {
				t.Errorf("%s stands out of order", p.Key())
			}
			fees[pair] = append(fees[pair], p.Fee)
		}
		if len(fees) != 1 || len(fees["SUI_USDC"]) != 7 {
			t.Errorf("got %v", fees)
		}
	})
	p := Pools()[2]
	if p.Key() != "SUI_USDC_500" || !strings.HasPrefix(p.Type(), OriginalPackage.String()+"::pool::Pool<0x") ||
		p.ID == Pools()[3].ID {
		t.Errorf("got %s, %s", p.Key(), p.Type())
	}
	Pools()[0].Fee = 9
	if Pools()[0].Fee != 10 {
		t.Error("the table can be changed from outside")
	}
}

func TestRowsThatContradictThemselves(t *testing.T) {
	row := func(edit func(*poolRow)) []poolRow {
		r := poolRows[0]
		edit(&r)
		return []poolRow{r}
	}
	for name, rows := range map[string][]poolRow{
		"another fee than the field's": row(func(r *poolRow) { r.fee = 11 }),
		"another field":                row(func(r *poolRow) { r.field = poolRows[1].field }),
		"y before x":                   row(func(r *poolRow) { r.x, r.y = r.y, r.x }),
		"an unknown coin":              row(func(r *poolRow) { r.y = "NONE" }),
		"no id":                        row(func(r *poolRow) { r.id = "zz" }),
		"twice":                        {poolRows[0], poolRows[0]},
	} {
		if _, err := build(coins.BySymbol, rows); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestLookups(t *testing.T) {
	for _, name := range []string{"sui", "SUI", "0x2::sui::SUI"} {
		if c, err := FindCoin(name); err != nil || c.Symbol != "SUI" {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	for name, code := range map[string]fault.Code{
		"DEEP": fault.RegistryMiss, "0x2::sui::SUIT": fault.RegistryMiss, "a::b": fault.InputInvalid, "": fault.RegistryMiss,
		strings.Repeat("ü", 500) + "\xff": fault.RegistryMiss,
	} {
		_, err := FindCoin(name)
		if !fault.Is(err, code) || len(fault.As(err).Text) > 300 {
			t.Errorf("%.20q: %v", name, err)
		}
	}
	sui, usdc := Coins()[0], Coins()[1]
	for _, pair := range [][2]coins.Coin{{sui, usdc}, {usdc, sui}} {
		if list, err := Between(pair[0], pair[1]); err != nil || len(list) != 7 ||
			list[0].Sells(pair[0]) != (pair[0] == sui) {
			t.Errorf("%d pools, %v", len(list), err)
		}
	}
	if _, err := Between(sui, sui); !fault.Is(err, fault.InputInvalid) {
		t.Error(err)
	}
	if _, err := Between(sui, coins.Coin{Symbol: "X", Type: "0x3::x::X"}); !fault.Is(err, fault.RegistryMiss) {
		t.Error(err)
	}
	if p, ok := PoolByID(Pools()[1].ID); !ok || p.Fee != 100 {
		t.Error(p, ok)
	}
	if _, ok := PoolByID(Object); ok {
		t.Error("the registry is a pool")
	}
}
