package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

func coin(n int) sui.CoinType { return sui.CoinType(fmt.Sprintf("%s::m::C%d", sui.Address{1}, n)) }

func TestDescriptions(t *testing.T) {
	ctx := context.Background()
	here, there := sui.Digest{1}, sui.Digest{2}
	db, c := fresh(t)
	kept := []assets.Described{
		{Coin: coin(1), Found: true, Decimals: 255, Symbol: "A\"\\\n\u202e'; --", Name: "Ä\x00 \U000e0041",
			At: c.Now().UTC()},
		{Coin: coin(2), At: c.Now().UTC()},
	}
	keep := func(chain sui.Digest, list ...assets.Described) {
		t.Helper()
		if err := db.KeepDescriptions(ctx, chain, list, c.Now().Add(-assets.MetadataLife)); err != nil {
			t.Fatal(err)
		}
	}
	read := func(chain sui.Digest, coins ...sui.CoinType) []assets.Described {
		t.Helper()
		return must[[]assets.Described](t)(db.Descriptions(ctx, chain, coins, c.Now().Add(-assets.MetadataLife)))
	}
	keep(here, kept...)
	t.Run("R004-133 per coin type and chain, texts as they came, absence too", func(t *testing.T) {
		if diff := cmp.Diff(kept, read(here, coin(1), coin(2), coin(3))); diff != "" {
			t.Error(diff)
		}
		if got := read(here, coin(2)); len(got) != 1 || got[0].Coin != coin(2) {
			t.Errorf("one coin asked for: %v", got)
		}
		if got := append(read(there, coin(1), coin(2)), read(here)...); len(got) != 0 {
			t.Errorf("another chain, or no coin: %v", got)
		}
	})
	t.Run("the last answer counts", func(t *testing.T) {
		now := assets.Described{Coin: coin(2), Found: true, Decimals: 6, Symbol: "B", Name: "Bee", At: c.Now().UTC()}
		keep(here, now)
		if diff := cmp.Diff([]assets.Described{now}, read(here, coin(2))); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("R004-134 nothing is older than a day, or from the future", func(t *testing.T) {
		c.Advance(assets.MetadataLife - time.Nanosecond)
		if got := read(here, coin(1)); len(got) != 1 {
			t.Errorf("a nanosecond before its end: %v", got)
		}
		c.Advance(time.Nanosecond)
		if got := read(here, coin(1)); len(got) != 0 {
			t.Errorf("at its end: %v", got)
		}
		c.Advance(-2 * assets.MetadataLife)
		if got := read(here, coin(1)); len(got) != 0 {
			t.Errorf("after the clock was set back: %v", got)
		}
		c.Advance(2 * assets.MetadataLife)
	})
}

func TestOldDescriptionsAreForgotten(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(double.Dir(t), "data")
	c := newClock()
	db := open(t, dir, nil, c.Now)
	for i := range 3 {
		one := assets.Described{Coin: coin(i), At: c.Now()}
		if err := db.KeepDescriptions(ctx, sui.Digest{byte(i)}, []assets.Described{one},
			c.Now().Add(-assets.MetadataLife)); err != nil {
			t.Fatal(err)
		}
		c.Advance(assets.MetadataLife)
	}
	var rows int
	if err := raw(t, dir).QueryRow(`SELECT count(*) FROM coin_metadata`).Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows are kept, %v", rows, err)
	}
}

func TestDescriptionsOfADamagedFile(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(double.Dir(t), "data")
	c := newClock()
	db := open(t, dir, nil, c.Now)
	if _, err := raw(t, dir).Exec(`DROP TABLE coin_metadata`); err != nil {
		t.Fatal(err)
	}
	_, err := db.Descriptions(ctx, sui.Digest{1}, []sui.CoinType{coin(1)}, c.Now())
	wantFault(t, err, fault.InternalError)
	wantFault(t, db.KeepDescriptions(ctx, sui.Digest{1}, []assets.Described{{Coin: coin(1)}}, c.Now()),
		fault.InternalError)
}
