//go:build shared

package activity_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

const realData = "../../../../shared/data/"

// recordedOne has the fields of a recorded transaction that are compared.
type recordedOne struct {
	Digest     sui.Digest
	Sender     sui.Address
	Checkpoint *string
	Commands   []string
	Effects    *struct{ Status string }
}

// TestRealTransactions sends every recorded transaction over the wire and through this package.
func TestRealTransactions(t *testing.T) {
	raw, err := os.ReadFile(realData + "real-transactions.json")
	if err != nil {
		t.Fatal(err)
	}
	objects, err := os.ReadFile(realData + "real-objects.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Transactions []recordedOne }
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Transactions) != 108 {
		t.Fatalf("%d transactions, %v", len(file.Transactions), err)
	}
	h := overWire(t, sandbox.Config{Past: bytes.NewReader(raw), PastObjects: bytes.NewReader(objects)})
	ctx := context.Background()
	detailed, proven := 0, 0
	senders := map[sui.Address][]sui.Digest{}
	for _, r := range file.Transactions {
		i, err := h.Inspect(ctx, r.Digest, &r.Sender)
		if err != nil || !i.Found || sui.TransactionDigest(i.Bytes) != r.Digest || *i.Transaction.Sender != r.Sender ||
			i.Effect.Role != activity.RoleSender {
			t.Fatalf("%s: %+v %v", r.Digest, i, err)
		}
		if r.Checkpoint != nil && r.Effects != nil {
			senders[r.Sender] = append(senders[r.Sender], r.Digest)
		}
		d := i.Transaction.Detail
		if (r.Effects != nil) != (d != nil) {
			t.Errorf("%s: details %v, effects %v", r.Digest, d != nil, r.Effects != nil)
		}
		if d == nil {
			continue
		}
		detailed++
		if (r.Effects.Status == "Success") != (i.Transaction.Status == sui.PastSuccess) {
			t.Errorf("%s: %s", r.Digest, i.Transaction.Status)
		}
		if d.Lists.Balances != activity.Complete {
			if i.Effect.Inference != activity.DoNotInfer || i.Effect.AbsenceProven {
				t.Errorf("%s: %+v", r.Digest, i.Effect)
			}
			continue
		}
		proven++
		total := new(big.Int)
		for _, b := range d.Balances {
			if b.Coin == sui.SUI {
				total.Add(total, b.Amount.Big())
			}
		}
		if total.Add(total, d.Gas.Net.Big()).Sign() != 0 {
			t.Errorf("%s: SUI changes and gas differ by %s", r.Digest, total)
		}
	}
	t.Run("108 normalise, their SUI changes are their gas", func(t *testing.T) {
		if detailed != 101 || proven != 33 {
			t.Errorf("%d with details, %d with all balance changes", detailed, proven)
		}
	})
	t.Run("what each sender sent is found, the newest first", func(t *testing.T) {
		for sender, want := range senders {
			s := h.scan(activity.Query{Account: sender, Relationship: activity.Sent})
			if !s.Ordered || s.Dropped != 0 || !is(s.Complete, true) {
				t.Errorf("%s: ordered %v, dropped %d, %v", sender, s.Ordered, s.Dropped, s.Complete)
			}
			for _, d := range want {
				if !slices.ContainsFunc(s.Rows, func(r activity.Row) bool { return r.Digest == d }) {
					t.Errorf("%s did not send %s, it is said", sender, d)
				}
			}
		}
	})
}

// overWire returns a house over a served sandbox.
func overWire(t testing.TB, c sandbox.Config) *house {
	t.Helper()
	h := open(t, nil)
	c.Now = h.clock
	_, url := sandboxtest.Serve(t, c)
	past, err := rpc.NewHistory(rpc.Config{URL: url + "/graphql", Now: h.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(past.Close)
	h.Service = activity.New(activity.Config{Source: past, Store: h.db, Accounts: h.accounts, Now: h.clock,
		Chain: func(context.Context) (sui.Digest, error) { return h.chain, nil }})
	return h
}
