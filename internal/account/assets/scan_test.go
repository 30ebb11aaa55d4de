package assets_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestScanIsWholeOrNothing(t *testing.T) {
	p := build(t)
	nth := func(i int) []sui.Balance {
		return []sui.Balance{{Type: coin("C" + strings.Repeat("x", i)), Total: 1, Coins: 1}}
	}
	for name, c := range map[string]struct {
		page   func(token string) ([]sui.Balance, string)
		reason string
	}{
		"endless pages": {func(token string) ([]sui.Balance, string) { return nth(len(token)), token + "x" },
			"wallet_balance_page_limit_exceeded"},
		"the same token again": {func(token string) ([]sui.Balance, string) { return nth(len(token)), "x" },
			"wallet_balance_pagination_did_not_advance"},
		"tokens in a circle": {func(token string) ([]sui.Balance, string) {
			return nth(len(token)), map[string]string{"": "x", "x": "xx", "xx": "x"}[token]
		}, "wallet_balance_pagination_did_not_advance"},
		"one coin on two pages": {func(token string) ([]sui.Balance, string) { return nth(0), token + "x" },
			"wallet_balance_pagination_did_not_advance"},
		"an empty page before more": {func(token string) ([]sui.Balance, string) { return nil, token + "x" },
			"wallet_balance_pagination_did_not_advance"},
	} {
		t.Run(name, func(t *testing.T) {
			s := assets.New(assets.Config{Chain: listing{p, c.page}, Pools: exchange{}, Now: p.Clock.Now})
			_, err := s.Preview(context.Background(), owner, cover1000)
			wants(t, err, fault.Blocked, "blockedReason", c.reason)
		})
	}
	t.Run("the last page that is allowed", func(t *testing.T) {
		s := assets.New(assets.Config{Now: p.Clock.Now, Pools: exchange{}, Chain: listing{p,
			func(token string) ([]sui.Balance, string) {
				if len(token) == assets.ScanPages-1 {
					return []sui.Balance{{Type: pinned(t, "USDC").Type, Total: 2_000_000, Coins: 2_000_000}}, ""
				}
				return nth(len(token)), token + "x"
			}}})
		got, err := s.Preview(context.Background(), owner, cover1000)
		if err != nil || got.Total != "2" || got.Pages != assets.ScanPages {
			t.Errorf("total %s on %d pages, %v", got.Total, got.Pages, err)
		}
	})
	t.Run("more than 64 bits is summed exactly", func(t *testing.T) {
		s := assets.New(assets.Config{Now: p.Clock.Now, Pools: exchange{}, Chain: listing{p, func(string) ([]sui.Balance,
			string) {
			return []sui.Balance{{Type: pinned(t, "USDC").Type, Total: ^sui.Raw(0)}, {Type: pinned(t, "USDT").Type,
				Total: ^sui.Raw(0)}}, ""
		}}})
		if got, err := s.Preview(context.Background(), owner, cover1000); err != nil || got.Total != "36893488147419.10323" {
			t.Errorf("total %s, %v", got.Total, err)
		}
	})
	t.Run("an outage is told as an outage", func(t *testing.T) {
		p.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "ListBalances"})
		_, err := p.Preview(context.Background(), owner, cover1000)
		wants(t, err, fault.ProviderUnavailable)
	})
}

// distant is a chain that answers after a second, with 50 coins and pools that return half of what
// is paid.
type distant struct {
	assets.Chain
	balances []sui.Balance
}

func (d distant) Balances(context.Context, sui.Address, []byte, int) ([]sui.Balance, []byte, error) {
	time.Sleep(time.Second)
	return d.balances, nil, nil
}

func (d distant) Objects(_ context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	time.Sleep(time.Second)
	p, _ := registry.PoolByID(ids[0])
	return []sui.Object{{Ref: sui.ObjectRef{ID: p.ID}, Type: p.Type(), Owner: sui.Owner{Kind: sui.OwnerShared,
		InitialVersion: 5}}}, nil
}

func (d distant) Simulate(context.Context, *sui.Transaction, bool) (sui.Simulation, error) {
	time.Sleep(time.Second)
	word := func(b byte) sui.ReturnValue { return sui.ReturnValue{BCS: []byte{0, b, 0, 0, 0, 0, 0, 0}} }
	return sui.Simulation{Effects: sui.Effects{Status: sui.ExecutionStatus{OK: true}},
		Returns: [][]sui.ReturnValue{{word(0), word(1), word(0)}}}, nil
}

func TestRoundTrips(t *testing.T) {
	groups, err := assets.Groups()
	if err != nil {
		t.Fatal(err)
	}
	var d distant
	for i := range 50 {
		c := coin("C" + strings.Repeat("x", i))
		if i < len(groups[0].Members) {
			c = groups[0].Members[i].Type
		}
		d.balances = append(d.balances, sui.Balance{Type: c, Total: 1_000_000, Coins: 1_000_000})
	}
	t.Run("evidence for a wallet of 50 coins takes at most 3 round trips", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := assets.New(assets.Config{Chain: d, Pools: deepbook.New(deepbook.Config{Chain: d, Now: time.Now}),
				Now: time.Now})
			start := time.Now()
			got, err := s.Preview(context.Background(), owner, targeting(cover1000, "USDC", assets.UserExplicit))
			if err != nil || !got.Quoted() || len(got.Conversions) != 6 {
				t.Fatalf("%+v, %v", conversions(got), err)
			}
			if took := time.Since(start); took > 3*time.Second {
				t.Errorf("with a node a second away it takes %s", took)
			}
		})
	})
}
