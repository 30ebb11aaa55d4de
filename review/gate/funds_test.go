package gate_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
)

// pockets changes a node's reports about an account's coins.
type pockets struct {
	node.Chain
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
	total := func(n sui.Raw) func(*sui.Balance) {
		return func(b *sui.Balance) {
			if b.Type == sui.SUI {
				b.Coins, b.Total = n, n
			}
		}
	}
	cases := []struct {
		name             string
		p                pockets
		amount, from, to string
		reason           plan.Reason
		says             string
	}{
		{"USDC as an address balance only", pockets{coins: none(usdc), balance: inAddress(usdc)}, "100", "USDC", "SUI",
			plan.InsufficientBalance, "a coin holds less than the transaction takes from it"}, // the node lies: there is no such coin
		{"SUI as an address balance only", pockets{coins: none(sui.SUI), balance: inAddress(sui.SUI)}, "10", "SUI", "USDC",
			plan.InsufficientBalance, "a coin holds less than the transaction takes from it"}, // as above
		{"no SUI for gas", pockets{coins: none(sui.SUI), balance: total(0)}, "100", "USDC", "SUI", plan.InsufficientGas,
			"The account has no SUI, and gas needs at least 0.005 SUI. The node says so. Send SUI to the account, or connect " +
				"an account that has some"},
		{"a SUI coin too small for gas", pockets{coins: dust, balance: total(3 * 4_999_999)}, "100", "USDC", "SUI",
			plan.InsufficientGas, "paid from one SUI coin"},
		{"too many small coins", pockets{coins: crumbs}, "32.5", "USDC", "SUI", plan.InsufficientBalance,
			"so many small coins"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, func(cfg *review.Config) { c.p.Chain = cfg.Chain; cfg.Chain = c.p })
			s := h.Compute(h.Open(testkit.Swap(c.amount, c.from, c.to)))
			if s.Status != record.Blocked || s.Reason != c.reason ||
				!strings.Contains(s.State.Checks[0].Message+" "+s.State.Checks[0].Do, c.says) {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
}

// If a list of coins does not add up to the balance, nothing is concluded from it or built on it.
func TestCoinsThatDoNotAddUp(t *testing.T) {
	usdc := func(edit func([]sui.Coin) []sui.Coin) func(sui.CoinType, []sui.Coin) []sui.Coin {
		return func(of sui.CoinType, list []sui.Coin) []sui.Coin {
			if of != usdcType {
				return list
			}
			return edit(slices.Clone(list))
		}
	}
	worth := func(change func(sui.Raw) sui.Raw) func([]sui.Coin) []sui.Coin {
		return func(list []sui.Coin) []sui.Coin { list[0].Balance = change(list[0].Balance); return list }
	}
	for name, c := range map[string]struct {
		coins func([]sui.Coin) []sui.Coin
		times int // afterward the node tells the truth; 0 means never
	}{
		"an empty list":            {func([]sui.Coin) []sui.Coin { return nil }, 0},
		"a coin less":              {func(l []sui.Coin) []sui.Coin { return l[1:] }, 0},
		"a unit less":              {worth(func(n sui.Raw) sui.Raw { return n - 1 }), 0},
		"a unit more":              {worth(func(n sui.Raw) sui.Raw { return n + 1 }), 0},
		"the largest number":       {worth(func(sui.Raw) sui.Raw { return math.MaxUint64 }), 0},
		"an empty list, twice":     {func([]sui.Coin) []sui.Coin { return nil }, 2},
		"an empty list, once":      {func([]sui.Coin) []sui.Coin { return nil }, 1},
		"a list that wraps around": {func(l []sui.Coin) []sui.Coin { return append(l, wrapping(l)...) }, 0},
		"coins that consensus spends": {func(l []sui.Coin) []sui.Coin {
			for i := range l {
				l[i].Consensus = true
			}
			return l
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			h := testkit.Start(t, time.Now, func(cfg *review.Config) {
				cfg.Chain = pockets{Chain: cfg.Chain, coins: usdc(func(l []sui.Coin) []sui.Coin {
					if n := int(asked.Add(1)); c.times > 0 && n > c.times {
						return l
					}
					return c.coins(l)
				})}
			})
			s := h.Compute(h.Open(testkit.Swap("100", "USDC", "SUI")))
			worst := s.State.Checks[0]
			switch {
			case c.times == 1:
				if s.Status != record.Ready {
					t.Errorf("%s %+v", s.Status, worst)
				}
			case name == "coins that consensus spends":
				if s.Status != record.Blocked || s.Reason != plan.InsufficientBalance {
					t.Errorf("%s %s %+v", s.Status, s.Reason, worst)
				}
			case s.Status != record.RefreshRequired || s.Reason != plan.ProviderUnavailable || asked.Load() != 2 ||
				strings.Contains(worst.Message, "small coins") || !strings.Contains(worst.Message, "do not add up"):
				t.Errorf("%s %s after %d readings: %+v", s.Status, s.Reason, asked.Load(), worst)
			}
		})
	}
}

// wrapping makes a list overflow to its original 64-bit sum.
func wrapping(list []sui.Coin) []sui.Coin {
	a, b := list[0], list[0]
	a.Ref.ID[0] ^= 1
	b.Ref.ID[0] ^= 2
	a.Balance, b.Balance = math.MaxUint64, 1
	return []sui.Coin{a, b}
}

func TestCoinsOfABuild(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	t.Run("the largest SUI coin pays, a second one is merged when needed", func(t *testing.T) {
		s := h.Ready(testkit.Swap("700", "SUI", "USDC"))
		coins, err := h.Node.Coins(ctx, s.Account, sui.SUI, 10)
		if err != nil {
			t.Fatal(err)
		}
		if s.Facts.Gas.Payment[0] != coins[0].Ref || !strings.HasPrefix(s.Facts.Commands()[0], "Merge 1 of your SUI coins") {
			t.Errorf("gas %v, largest %v, %q", s.Facts.Gas.Payment, coins[0].Ref, s.Facts.Commands()[0])
		}
	})
	t.Run("nothing is merged when one coin is enough", func(t *testing.T) {
		s := h.Ready(testkit.Swap("590", "SUI", "USDC"))
		if len(s.Facts.Commands()) != 4 {
			t.Errorf("%q", s.Facts.Commands())
		}
	})
	t.Run("amount and budget together just fit all coins", func(t *testing.T) {
		s := h.Ready(testkit.Swap("999.9", "SUI", "USDC"))
		if got := uint64(s.Facts.Promise().Amount(plan.RoleInput).Raw) + uint64(s.Facts.Gas.Budget); got > 1000_000_000_000 {
			t.Errorf("%d is more than the account has", got)
		}
	})
}

// Reported objects must fit their use in the bytes.
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
		reason plan.Reason
	}{
		{"somebody else owns a coin", coin(func(o *sui.Object) { o.Owner.Address[31] ^= 1 }), plan.ObjectResolutionFailed},
		{"an object owns a coin", coin(func(o *sui.Object) { o.Owner.Kind = sui.OwnerObject }), plan.ObjectResolutionFailed},
		{"a coin moved on", coin(func(o *sui.Object) { o.Ref.Version++ }), plan.QuoteStale},
		{"a coin has other contents", coin(func(o *sui.Object) { o.Ref.Digest[0] ^= 1 }), plan.QuoteStale},
		{"a coin is of another kind", coin(func(o *sui.Object) { o.Type = sui.CoinType("0x7::gem::GEM").Object() }),
			plan.AssetMismatch},
		{"the pool was shared at another version", shared(func(o *sui.Object) { o.Owner.InitialVersion++ }),
			plan.ObjectResolutionFailed},
		{"the pool is no shared object", shared(func(o *sui.Object) { o.Owner.Kind = sui.OwnerImmutable }),
			plan.ObjectResolutionFailed},
		{"the node answers for something else", func(list []sui.Object) { list[0].Ref.ID[0] ^= 1 },
			plan.ObjectResolutionFailed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, func(cfg *review.Config) { cfg.Chain = pockets{Chain: cfg.Chain, objects: c.edit} })
			s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
			if s.Reason != c.reason || !strings.HasPrefix(s.State.Checks[0].ID, "transaction_object_ownership_") {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
}

// A simulation with impossibly large balances is rejected.
func TestImpossibleHoldings(t *testing.T) {
	w := &testkit.Interceptor{After: func(s *sui.Simulation) {
		for i := range s.Balances {
			if s.Balances[i].Coin == usdcType {
				s.Balances[i].Amount.Amount = math.MaxUint64
			}
		}
	}}
	h := testkit.Start(t, time.Now, func(c *review.Config) { w.Simulator, c.Simulator = c.Simulator, w })
	s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
	if s.Status != record.Blocked || s.Reason != plan.EffectsMismatch || !strings.Contains(s.State.Checks[0].Message,
		"impossible amount") {
		t.Errorf("%s %+v", s.Status, s.State.Checks[0])
	}
}

// Received amounts must also fit into the balance.
func TestBalanceOfWhatArrives(t *testing.T) {
	h := testkit.Start(t, time.Now, func(cfg *review.Config) {
		cfg.Chain = pockets{Chain: cfg.Chain, balance: func(b *sui.Balance) {
			if b.Type == usdcType {
				b.Total, b.Coins = 0, 0
			}
		}}
	})
	s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
	if s.Status != record.RefreshRequired || s.Reason != plan.ProviderUnavailable {
		t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
	}
}
