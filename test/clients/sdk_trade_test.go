//go:build clients

package clients_test

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// TestOfficialClientTrades lets the official DeepBook client use a balance manager of the
// sandbox from a deposit to the last withdrawal.
func TestOfficialClientTrades(t *testing.T) {
	s, url := serve(t)
	id, err := s.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true})
	if err != nil {
		t.Fatal(err)
	}
	type step struct {
		Status string
		Events []string
	}
	var got struct {
		Deposit, Place, Modify, Cancel, CancelSome, CancelAll, Market, Settled, Withdraw, All step
		Read                                                                                  struct {
			Order_id,
			Quantity string
		}
		Fields []struct{ ID, Type string }
		Field  struct {
			ID    string
			Value []byte
		}
		Normal struct {
			Quantity, Normalized_price json.Number
			IsBid                      bool
		}
		AfterModify, AfterCancel, AfterAll []int64
		Balance, Usdc, After               struct{ Balance json.Number }
		Gone                               any
		Again                              *problem
	}
	node(t, &got, nil, "sdk_trade.mjs", url, "text", id.String())
	for name, c := range map[string]struct {
		step   step
		events string
	}{
		"deposit": {got.Deposit, "balance_manager::BalanceEvent"}, "place": {got.Place, "order_info::OrderInfo"},
		"modify": {got.Modify, "order::OrderModified"}, "cancel": {got.Cancel, "order::OrderCanceled"},
		"cancel some": {got.CancelSome, "order::OrderCanceled"},
		"cancel all":  {got.CancelAll, "order::OrderCanceled"}, "market": {got.Market, "order_info::OrderFilled"},
		"settled":  {got.Settled, ""},
		"withdraw": {got.Withdraw, "balance_manager::BalanceEvent"}, "withdraw all": {got.All,
			"balance_manager::BalanceEvent"},
	} {
		if c.step.Status != "success" || !strings.Contains(strings.Join(c.step.Events, " "), c.events) {
			t.Errorf("%s: %+v", name, c.step)
		}
	}
	if d := cmp.Diff([][]int64{{6_000_000_000, 5_000_000_000, 4_000_000_000}, {4_000_000_000}, {}},
		[][]int64{got.AfterModify, got.AfterCancel, got.AfterAll}); d != "" {
		t.Error(d)
	}
	if len(got.Fields) != 1 || !strings.Contains(got.Fields[0].Type, "::balance_manager::BalanceKey<") ||
		got.Field.ID != got.Fields[0].ID ||
		len(got.Field.Value) != 8 || binary.LittleEndian.Uint64(got.Field.Value) != 50_000_000_000 {
		t.Errorf("%+v %+v", got.Fields, got.Field)
	}
	if got.Read.Quantity != "10000000000" || got.Normal.Normalized_price != "9.500000000" &&
		got.Normal.Normalized_price != "9.5" || got.Normal.IsBid {
		t.Errorf("%+v %+v", got.Read, got.Normal)
	}
	if got.Usdc.Balance == "0" || got.After.Balance != "0" || got.Gone != nil || got.Again == nil {
		t.Errorf("%+v %+v %+v %+v", got.Usdc, got.After, got.Gone, got.Again)
	}
}
