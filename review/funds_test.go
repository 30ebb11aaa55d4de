package review_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/reviewtest"
)

// pockets changes what the node tells of an account's coins.
type pockets struct {
	review.Chain
	coins   func(of sui.CoinType, list []sui.Coin) []sui.Coin
	balance func(*sui.Balance)
	objects func([]sui.Object)
}

func (p pockets) Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	list, err := p.Chain.Objects(ctx, ids)
	if p.objects != nil && err == nil {
		p.objects(list)
	}
	return list, err
}

func (p pockets) Coins(ctx context.Context, owner sui.Address, of sui.CoinType, most int) ([]sui.Coin, error) {
	list, err := p.Chain.Coins(ctx, owner, of, most)
	if p.coins != nil {
		list = p.coins(of, list)
	}
	return list, err
}

func (p pockets) Balance(ctx context.Context, owner sui.Address, of sui.CoinType) (sui.Balance, error) {
	b, err := p.Chain.Balance(ctx, owner, of)
	if p.balance != nil {
		p.balance(&b)
	}
	return b, err
}

func TestFundsInOtherForms(t *testing.T) {
	none := func(coin sui.CoinType) func(sui.CoinType, []sui.Coin) []sui.Coin {
		return func(of sui.CoinType, list []sui.Coin) []sui.Coin {
			if of == coin {
				return nil
			}
			return list
		}
	}
	inAddress := func(coin sui.CoinType) func(*sui.Balance) {
		return func(b *sui.Balance) {
			if b.Type == coin {
				b.Address, b.Coins = b.Total, 0
			}
		}
	}
	const usdc sui.CoinType = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"
	crumbs := func(of sui.CoinType, list []sui.Coin) []sui.Coin {
		if of != usdc {
			return list
		}
		var out []sui.Coin
		for i := range 33 {
			c := list[0]
			c.Ref.ID[0], c.Balance = byte(i+1), 1_000_000
			out = append(out, c)
		}
		return out
	}
	dust := func(of sui.CoinType, list []sui.Coin) []sui.Coin {
		if of == sui.SUI {
			for i := range list {
				list[i].Balance = 4_999_999
			}
		}
		return list
	}
	cases := []struct {
		name             string
		p                pockets
		amount, from, to string
		reason           review.Reason
		says             string
	}{
		{"USDC as an address balance only", pockets{coins: none(usdc), balance: inAddress(usdc)}, "100", "USDC", "SUI",
			review.InsufficientBalance, "as an address balance"},
		{"SUI as an address balance only", pockets{coins: none(sui.SUI), balance: inAddress(sui.SUI)}, "10", "SUI", "USDC",
			review.InsufficientBalance, "as an address balance"},
		{"no SUI coin for gas", pockets{coins: none(sui.SUI)}, "100", "USDC", "SUI", review.InsufficientGas, "paid from one SUI coin"},
		{"a SUI coin too small for gas", pockets{coins: dust}, "100", "USDC", "SUI", review.InsufficientGas, "paid from one SUI coin"},
		{"too many small coins", pockets{coins: crumbs}, "32.5", "USDC", "SUI", review.InsufficientBalance, "so many small coins"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := reviewtest.Start(t, time.Now, func(cfg *review.Config) { c.p.Chain = cfg.Chain; cfg.Chain = c.p })
			s := h.Compute(h.Open(reviewtest.Swap(c.amount, c.from, c.to)))
			if s.Status != review.Blocked || s.Reason != c.reason || !strings.Contains(s.State.Checks[0].Message, c.says) {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
}

func TestCoinsOfABuild(t *testing.T) {
	ctx := context.Background()
	h := reviewtest.Start(t, time.Now, nil)
	t.Run("the largest SUI coin pays, a second one is merged when needed", func(t *testing.T) {
		s := h.Ready(reviewtest.Swap("700", "SUI", "USDC"))
		coins, err := h.Node.Coins(ctx, s.Account, sui.SUI, 10)
		if err != nil {
			t.Fatal(err)
		}
		if s.Facts.Gas.Payment[0] != coins[0].Ref || !strings.HasPrefix(s.Facts.Commands[0], "Merge 1 of your SUI coins") {
			t.Errorf("gas %v, largest %v, %q", s.Facts.Gas.Payment, coins[0].Ref, s.Facts.Commands[0])
		}
	})
	t.Run("nothing is merged when one coin is enough", func(t *testing.T) {
		s := h.Ready(reviewtest.Swap("590", "SUI", "USDC"))
		if len(s.Facts.Commands) != 4 {
			t.Errorf("%q", s.Facts.Commands)
		}
	})
	t.Run("amount and budget together just fit all coins", func(t *testing.T) {
		s := h.Ready(reviewtest.Swap("999.9", "SUI", "USDC"))
		if got := uint64(s.Facts.Spends[0].Raw) + uint64(s.Facts.Gas.Budget); got > 1000_000_000_000 {
			t.Errorf("%d is more than the account has", got)
		}
	})
}

// What the node says of the objects that the bytes name must fit their use.
func TestOwnership(t *testing.T) {
	coin := func(f func(*sui.Object)) func([]sui.Object) {
		return func(list []sui.Object) {
			for i := range list {
				if list[i].Owner.Kind == sui.OwnerAddress {
					f(&list[i])
				}
			}
		}
	}
	shared := func(f func(*sui.Object)) func([]sui.Object) {
		return func(list []sui.Object) {
			for i := range list {
				if list[i].Owner.Kind == sui.OwnerShared {
					f(&list[i])
				}
			}
		}
	}
	cases := []struct {
		name   string
		edit   func([]sui.Object)
		reason review.Reason
	}{
		{"somebody else owns a coin", coin(func(o *sui.Object) { o.Owner.Address[31] ^= 1 }), review.ObjectResolutionFailed},
		{"an object owns a coin", coin(func(o *sui.Object) { o.Owner.Kind = sui.OwnerObject }), review.ObjectResolutionFailed},
		{"a coin moved on", coin(func(o *sui.Object) { o.Ref.Version++ }), review.QuoteStale},
		{"a coin has other contents", coin(func(o *sui.Object) { o.Ref.Digest[0] ^= 1 }), review.QuoteStale},
		{"a coin is of another kind", coin(func(o *sui.Object) { o.Type = sui.CoinType("0x7::gem::GEM").Object() }), review.AssetMismatch},
		{"the pool was shared at another version", shared(func(o *sui.Object) { o.Owner.InitialVersion++ }), review.ObjectResolutionFailed},
		{"the pool is no shared object", shared(func(o *sui.Object) { o.Owner.Kind = sui.OwnerImmutable }), review.ObjectResolutionFailed},
		{"the node answers for something else", func(list []sui.Object) { list[0].Ref.ID[0] ^= 1 }, review.ObjectResolutionFailed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := reviewtest.Start(t, time.Now, func(cfg *review.Config) { cfg.Chain = pockets{Chain: cfg.Chain, objects: c.edit} })
			s := h.Compute(h.Open(reviewtest.Swap("10", "SUI", "USDC")))
			if s.Reason != c.reason || !strings.HasPrefix(s.State.Checks[0].ID, "transaction_object_ownership_") {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
}
