//go:build clients

package clients_test

import (
	"encoding/json"
	"testing"
)

// TestOfficialClientsOfServices lets the official GraphQL, faucet and subscription
// clients use the sandbox.
func TestOfficialClientsOfServices(t *testing.T) {
	_, url := serve(t)
	for _, format := range formats {
		t.Run(format, func(t *testing.T) {
			var got struct {
				Funded struct {
					Status     string
					Coins_sent []struct {
						Amount json.Number
						ID     string
					}
				}
				Seen []struct {
					Cursor, Number string
					Transactions   []string
				}
				Sent    string
				Balance struct{ Balance balance }
				Object  struct {
					Object struct {
						ObjectID, Type string
						Content        []byte
					}
				}
				Missing   *problem
				Bytes     int
				Simulated struct {
					Transaction struct {
						Status         struct{ Success bool }
						BalanceChanges []struct{ Address, Amount string }
					}
					CommandResults []any
				}
			}
			node(t, &got, nil, "sdk_graphql.mjs", url, format)
			if got.Funded.Status != "Success" || len(got.Funded.Coins_sent) == 0 || got.Funded.Coins_sent[0].Amount == "0" {
				t.Errorf("%+v", got.Funded)
			}
			last := len(got.Seen) - 1
			for i, c := range got.Seen {
				if c.Cursor != c.Number || i == last != (len(c.Transactions) == 1 && c.Transactions[0] == got.Sent) {
					t.Errorf("%d of %d: %+v, sent %s", i, last, c, got.Sent)
				}
			}
			if got.Balance.Balance.Balance == "" || got.Balance.Balance.Balance == "0" || got.Object.Object.Type == "" ||
				len(got.Object.Object.Content) == 0 || got.Missing == nil {
				t.Errorf("%+v %+v %+v", got.Balance, got.Object, got.Missing)
			}
			if s := got.Simulated; !s.Transaction.Status.Success || len(s.Transaction.BalanceChanges) != 2 ||
				len(s.CommandResults) != 2 || got.Bytes == 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}
