package onchain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestPermissions checks that all permissions of one account are read from a chain, and none of
// other accounts.
func TestPermissions(t *testing.T) {
	r, chain := reader(t)
	me, agent, other := sandbox.Account, sui.MustAddress("0xa9e47"), sui.MustAddress("0xabc")
	usdc, _ := coins.BySymbol("USDC")
	later := uint64(time.Now().Add(90 * 24 * time.Hour).UnixMilli())
	if found, err := r.Permissions(t.Context(), me); err != nil || len(found.List) != 0 {
		t.Fatalf("%+v %v", found, err)
	}
	chain.Permit(ledger.Allowance{Funder: me, Spender: agent, Coin: usdc.Type, Cap: 100_000_000, Taken: 30_000_000,
		End: later, Name: "<b>"})
	chain.Permit(ledger.Allowance{Funder: me, Spender: agent, Coin: sui.SUI, Limit: 5_000_000_000, Months: 1})
	chain.Permit(ledger.Allowance{Funder: me, Spender: agent, Coin: usdc.Type, Cap: 7, Taken: 7})
	chain.Permit(ledger.Allowance{Funder: other, Spender: me, Coin: usdc.Type, Cap: 1})
	manager, err := chain.OpenManager(sandbox.Manager{Owner: me, Registered: true, Trader: agent, Depositor: agent,
		Withdrawer: other})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = chain.OpenManager(sandbox.Manager{Owner: other, Registered: true, Trader: me}); err != nil {
		t.Fatal(err)
	}
	chain.Alias(me, agent)
	if err := chain.OpenTrading(me, agent, later); err != nil {
		t.Fatal(err)
	}
	found, err := r.Permissions(t.Context(), me)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		kind   string
		danger bool
		words  []string
	}{
		{"allowance", true, []string{agent.String(), "up to 70 USDC now, until", "to anybody, for anything"}},
		{"allowance", true, []string{"up to 5 SUI now, and more from time to time without a bound in all, for ever"}},
		{"allowance", false, []string{"Nothing can be taken any more"}},
		{"manager_cap", true, []string{agent.String() + " may trade everything", manager.String()}},
		{"manager_cap", false, []string{agent.String() + " may put coins into", "take nothing"}},
		{"manager_cap", true, []string{other.String() + " may take everything out of"}},
		{"deepbook_account", false, []string{"This account owns the DeepBook trading account"}},
		{"deepbook_session", true, []string{agent.String() +
			" may trade everything in this account's DeepBook trading account", "all of it can be lost"}},
		{"alias", true, []string{"The key of " + agent.String() + " signs for this account in everything"}},
	} {
		ok := false
		for _, p := range found.List {
			all := p.Kind == want.kind && p.Danger == want.danger
			for _, w := range want.words {
				all = all && strings.Contains(p.Says, w)
			}
			ok = ok || all
		}
		if !ok {
			t.Errorf("missing: %+v", want)
		}
	}
	if len(found.List) != 9 {
		t.Errorf("%d permissions: %+v", len(found.List), found.List)
	}
}
