package watch_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/watch"
)

var owner = sui.MustAddress("0xa11ce")

// list implements a store of coins in memory, and knows pinned ones like a chain.
type list struct{ all []watch.Coin }

func (l *list) Watched(context.Context, sui.Address) ([]watch.Coin, error) { return l.all, nil }

func (l *list) ChangeWatched(_ context.Context, _ sui.Address, transition func([]watch.Coin) (watch.Change,
	error)) error {
	c, err := transition(slices.Clone(l.all))
	for _, w := range c.Put {
		l.all = slices.DeleteFunc(l.all, func(o watch.Coin) bool { return o.Type == w.Type })
		l.all = append(l.all, w)
	}
	return err
}

func (l *list) Unit(_ context.Context, t sui.CoinType) (assets.Unit, error) {
	c, ok := coins.ByType(t)
	if !ok {
		return assets.Unit{Status: assets.UnitUnavailable, Reason: assets.MetadataFailed}, nil
	}
	return assets.Unit{Status: assets.UnitAvailable, Decimals: c.Decimals, Source: assets.FromMetadata}, nil
}

func TestAdd(t *testing.T) {
	usdc, _ := coins.BySymbol("USDC")
	token := func(c string, decimals int64) watch.Asked {
		return watch.Asked{Chain: "sui", Ticker: "T", Contract: c, Decimals: decimals}
	}
	native := watch.Asked{Chain: "Sui", Ticker: "SUI", Decimals: 9, Native: true}
	const odd = "0xc0::m::ODD"
	for _, c := range []struct {
		name    string
		asked   []watch.Asked
		refused []watch.Refusal
		added   int // coins of the list afterwards
	}{
		{"R000-76 the chain comes with its first coin", []watch.Asked{token(string(usdc.Type), 6)}, []watch.Refusal{""}, 2},
		{"Q000-10 the native coin of a new chain is no duplicate", []watch.Asked{token(string(usdc.Type), 6), native},
			[]watch.Refusal{"", ""}, 2},
		{"R000-77 a coin twice", []watch.Asked{native, native}, []watch.Refusal{"", watch.AlreadyExists}, 1},
		{"Q000-9 the ticker is no part of the key", []watch.Asked{token(odd, 3), {Chain: "Sui", Ticker: "Z",
			Contract: "0x00c0::m::ODD", Decimals: 3}}, []watch.Refusal{"", watch.AlreadyExists}, 2},
		{"R000-145 others are still done", []watch.Asked{{Chain: "Moon"}, {Chain: "Base"}, token(string(usdc.Type), 7),
			token("x", 1), token("", 1), token(odd, 300), native},
			[]watch.Refusal{watch.UnknownChain, watch.UnsupportedChain, watch.DecimalsMismatch, watch.InvalidContract,
				watch.NoContract, watch.DecimalsMismatch, ""}, 1},
		{"texts that are none", []watch.Asked{{Chain: "Sui", Ticker: "a\u202e", Native: true, Decimals: 9}, {Chain: "Sui",
			Ticker: "A", Logo: "[[x", Native: true, Decimals: 9}},
			[]watch.Refusal{watch.InvalidTicker, watch.InvalidText}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &list{}
			s := watch.NewService(l, l, time.Now)
			j, err := s.Judge(t.Context(), owner, c.asked)
			if err != nil {
				t.Fatal(err)
			}
			out, err := s.Add(t.Context(), j)
			var refused []watch.Refusal
			for _, o := range out {
				refused = append(refused, o.Refused)
			}
			if err != nil || !slices.Equal(refused, c.refused) || len(l.all) != c.added {
				t.Errorf("%v %v, %d", refused, err, len(l.all))
			}
			first := slices.Index(c.refused, "")
			if first >= 0 && !out[first].ChainAdded {
				t.Errorf("the chain was not added: %+v", out[first])
			}
		})
	}
	t.Run("R000-90 a chain that is there, and no account", func(t *testing.T) {
		l := &list{}
		s := watch.NewService(l, l, time.Now)
		out, _ := s.Add(t.Context(), s.JudgeChains(owner, []string{"SUI", "Solana", "Sui", "Moon"}))
		if out[0].Refused != "" || out[1].Refused != watch.UnsupportedChain || out[1].Ticker != "SOL" ||
			out[2].Refused != watch.AlreadyExists || out[3].Refused != watch.UnknownChain {
			t.Errorf("%+v", out)
		}
		if out, _ := s.Add(t.Context(), s.JudgeChains(sui.Address{}, []string{"Sui"})); out[0].Refused != watch.NoAccount {
			t.Errorf("%+v", out)
		}
	})
	t.Run("a coin that nobody can describe is marked", func(t *testing.T) {
		l := &list{}
		s := watch.NewService(l, l, time.Now)
		j, _ := s.Judge(t.Context(), owner, []watch.Asked{token(odd, 3)})
		if out, err := s.Add(t.Context(), j); err != nil || out[0].Source != watch.Unverified {
			t.Errorf("%+v %v", out, err)
		}
	})
}

// An entry by someone else proves nothing about a coin.
func TestClaim(t *testing.T) {
	usdc, _ := coins.BySymbol("USDC")
	sound := watch.Coin{Account: owner, Type: usdc.Type, Ticker: "USDC", Decimals: usdc.Decimals, Source: watch.FromChain}
	for _, c := range []struct {
		name   string
		edit   func(*watch.Coin)
		whole  bool
		source watch.Source
	}{
		{"as pinned", func(*watch.Coin) {}, true, watch.FromRegistry},
		{"other decimals than pinned", func(c *watch.Coin) { c.Decimals++ }, true, watch.Unverified},
		{"a coin that is not pinned", func(c *watch.Coin) { c.Type = sui.CoinType(owner.String() + "::a::A") }, true,
			watch.Unverified},
		{"a coin type in another spelling", func(c *watch.Coin) { c.Type = "0x2::sui::SUI" }, false, watch.Unverified},
		{"of no account", func(c *watch.Coin) { c.Account = sui.Address{} }, false, watch.FromRegistry},
		{"without a ticker", func(c *watch.Coin) { c.Ticker = "" }, false, watch.FromRegistry},
		{"a ticker with an instruction", func(c *watch.Coin) { c.Ticker = "[[SYSTEM" }, false, watch.FromRegistry},
		{"too many decimals", func(c *watch.Coin) { c.Decimals = 200 }, false, watch.Unverified},
		{"a hidden character in a logo", func(c *watch.Coin) { c.Logo = "a\u202e" }, false, watch.FromRegistry},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := sound
			c.edit(&got)
			if whole := got.Claim(); whole != c.whole || got.Source != c.source {
				t.Errorf("%t, %s", whole, got.Source)
			}
		})
	}
}
