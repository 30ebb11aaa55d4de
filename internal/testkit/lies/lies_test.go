package lies_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit/lies"
)

// TestWords applies each word to a field and reads it with a real client.
func TestWords(t *testing.T) {
	w := newWorld(t)
	node := func() *rpc.Client {
		c, err := rpc.New(rpc.Config{URL: w.lying, Now: w.Clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	price := func() (uint64, error) {
		e, err := node().Epoch(t.Context())
		return e.GasPrice, err
	}
	const field = "LedgerService.GetEpoch:epoch.reference_gas_price"
	truth, err := price()
	if err != nil || truth == 0 {
		t.Fatal(truth, err)
	}
	for value, want := range map[string]uint64{lies.One: 1, lies.Doubled: 2 * truth, "777": 777} {
		w.liar.Tell(lies.Lie{Field: field, Value: value})
		if got, err := price(); err != nil || got != want || w.liar.Changed() != 1 {
			t.Errorf("%s: %d %v, %d told, want %d", value, got, err, w.liar.Changed(), want)
		}
	}
	for _, value := range []string{lies.Absent, lies.Zero} {
		w.liar.Tell(lies.Lie{Field: field, Value: value})
		if _, err := price(); err == nil {
			t.Errorf("%s was read", value)
		}
	}
	coins := func(field, value string) []sui.Coin {
		w.liar.Tell(lies.Lie{Field: field, Value: value})
		list, err := node().Coins(t.Context(), sandbox.Account, sui.SUI, 100)
		if err != nil {
			t.Fatalf("%s=%s: %v", field, value, err)
		}
		return list
	}
	const list = "StateService.ListOwnedObjects[coin::Coin<sui::SUI>]:objects"
	all := coins(list, "")
	if n := len(coins(list, lies.One)); n != 1 || len(all) < 2 {
		t.Errorf("one of %d is %d", len(all), n)
	}
	if n := len(coins(list, lies.Absent)); n != 0 {
		t.Errorf("%d are left", n)
	}
	for _, c := range coins(list+"[].balance", "5") {
		if c.Balance != 5 {
			t.Errorf("a balance of %d", c.Balance)
		}
	}
	t.Run("a lie about another coin changes nothing", func(t *testing.T) {
		told := coins("StateService.ListOwnedObjects[coin::Coin<deep::DEEP>]:objects[].balance", lies.Zero)
		if !slices.Equal(told, all) || w.liar.Changed() != 0 {
			t.Errorf("%+v", told)
		}
	})
	t.Run("values inside bytes", func(t *testing.T) {
		w.Ask(w.lying)
		mid := func() string { return string(w.call("read.get_deepbook_mid_price", `{"poolKey":"SUI_USDC"}`).Text) }
		w.liar.Tell(lies.Lie{Field: "TransactionExecutionService.SimulateTransaction[pool::mid_price]:command_outputs[0].return_values[0].value.value@0", Value: "4567800"})
		if got := mid(); !strings.Contains(got, `"4.5678"`) {
			t.Errorf("%s", got)
		}
	})
}

func TestParse(t *testing.T) {
	for _, text := range []string{"LedgerService.GetEpoch:epoch.epoch=most",
		"StateService.GetBalance[sui::SUI]:balance.balance=900",
		"TransactionExecutionService.SimulateTransaction[pool::mid_price]:command_outputs[0].return_values[0].value.value@8=zero",
		"graphql:data.transaction.digest=a=b"} {
		lie, err := lies.Parse(text)
		if err != nil || lie.Field+"="+lie.Value != text {
			t.Errorf("%s: %+v %v", text, lie, err)
		}
	}
	for _, text := range []string{"", "=", "most", "LedgerService.GetEpoch:epoch.epok=most"} {
		if _, err := lies.Parse(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
	_, err := lies.Parse("LedgerService.GetEpoch:epoch.epok=most")
	if err == nil || !strings.Contains(err.Error(), "\n  LedgerService.GetEpoch:epoch.epoch") {
		t.Errorf("the field that is meant is not named: %v", err)
	}
}
