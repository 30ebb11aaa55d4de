package actions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/actions"
)

// TestDetails sends each key of tx_details and chain_context separately. It must arrive under its own
// name, and a value that is not a short text is refused.
func TestDetails(t *testing.T) {
	b := &requests{over: map[string]ending{}, material: true}
	p := with(t, t.TempDir(), b)
	for i, c := range []struct {
		name, object, key string
		want              actions.Material
	}{
		{"R000-33 description", "tx_details", "description", actions.Material{}},
		{"R000-33 from", "tx_details", "from", actions.Material{From: "v"}},
		{"R000-33 to", "tx_details", "to", actions.Material{To: "v"}},
		{"R000-33 value", "tx_details", "value", actions.Material{Value: "v"}},
		{"R000-33 token symbol", "tx_details", "token_symbol", actions.Material{Symbol: "v"}},
		{"R000-33 amount for people", "tx_details", "amount_human", actions.Material{Amount: "v"}},
		{"R000-33 contract name", "tx_details", "contract_name", actions.Material{}},
		{"R000-33 gas limit", "tx_details", "gas_limit", actions.Material{}},
		{"R000-29 chain id", "chain_context", "chain_id", actions.Material{ChainID: "v"}},
		{"R000-31 kind of data", "chain_context", "tx_type", actions.Material{Kind: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			send := func(id, value string) (actions.Answer, []actions.Asked) {
				before := len(b.asked)
				context := `,"chain_context":{}`
				if c.object == "chain_context" {
					context = ""
				}
				return p.run(t, trusted, foreign(id, "", fmt.Sprintf(`"unsigned_tx_hex":"0x00"%s,%q:{%q:%s}`, context, c.object,
					c.key, value))), b.asked[before:]
			}
			value := `"v"`
			if c.key == "tx_type" {
				value = `"transaction_kind"`
			}
			a, asked := send(fmt.Sprint("good", i), value)
			c.want.Hex = "0x00"
			if !a.Accepted || len(asked) != 1 || *asked[0].Steps[0].Material != c.want {
				t.Errorf("%+v %+v", a, asked)
			}
			for n, bad := range []string{`7`, `"` + strings.Repeat("v", 2001) + `"`} {
				if a, asked := send(fmt.Sprint("bad", i, n), bad); a.Result.Error != actions.InvalidParams || len(asked) != 0 {
					t.Errorf("%.20s: %+v %+v", bad, a, asked)
				}
			}
		})
	}
	t.Run("R000-33 another key", func(t *testing.T) {
		if a := p.run(t, trusted, foreign("other", "",
			`"unsigned_tx_hex":"0x00","chain_context":{},"tx_details":{"note":"x"}`)); a.Result.Error != actions.InvalidParams {
			t.Errorf("%+v", a)
		}
	})
}

// TestBundleModes sends transactions of other programs in both forms, in one action.
func TestBundleModes(t *testing.T) {
	b := &requests{over: map[string]ending{}, material: true}
	p := with(t, t.TempDir(), b)
	const inHex = `"unsigned_tx_hex":"0x00","chain_context":{}`
	const inPayload = `"keysign_payload":"AA=="`
	t.Run("R000-16 R000-17 R000-146 R000-147 one action carries both, told apart by the field that is present",
		func(t *testing.T) {
			if a := p.run(t, trusted, foreign("both", "", inPayload, inHex)); !a.Accepted || len(b.asked) != 1 {
				t.Fatalf("%+v", a)
			}
			steps := b.asked[0].Steps
			if len(steps) != 2 || *steps[0].Material != (actions.Material{Payload: "AA=="}) ||
				*steps[1].Material != (actions.Material{Hex: "0x00"}) {
				t.Errorf("%+v", steps)
			}
		})
	for i, c := range []struct{ name, step string }{{"R000-25 both in one step", inPayload + "," + inHex},
		{"R000-25 neither", `"action":"x"`},
		{"R000-28 R000-146 hexadecimal without its context", `"unsigned_tx_hex":"0x00"`}} {
		t.Run(c.name, func(t *testing.T) {
			asked := len(b.asked)
			if a := p.run(t, trusted, foreign(fmt.Sprint("bad", i), "", c.step)); a.Result.Error != actions.InvalidParams ||
				len(b.asked) != asked {
				t.Errorf("%+v", a)
			}
		})
	}
	t.Run("R000-17 another type signs nothing", func(t *testing.T) {
		a := p.run(t, trusted, strings.Replace(foreign("other", "", inHex), "sign_transaction_bundle", "sign_transactions",
			1))
		if a.Result.Error != actions.UnknownType {
			t.Errorf("%+v", a)
		}
	})
}
