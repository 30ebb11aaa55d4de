package activity_test

import (
	"context"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// BenchmarkScan100OverTheWire scans a hundred payments of a served sandbox, over
// its GraphQL, and stores them.
func BenchmarkScan100OverTheWire(b *testing.B) {
	h := open(b, nil)
	chain, url := sandboxtest.Serve(b, sandbox.Config{Now: h.clock, Seed: 1})
	node, err := rpc.New(rpc.Config{URL: url, Now: h.clock})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = node.Close() })
	past, err := rpc.NewHistory(rpc.Config{URL: url + "/graphql", Now: h.clock})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(past.Close)
	h.Service = activity.New(activity.Config{Source: past, Store: h.db, Accounts: h.accounts, Now: h.clock,
		Chain: node.ChainIdentifier})
	h.connect(sandbox.Account)
	ctx := context.Background()
	for range 100 {
		coins, err := node.Coins(ctx, sandbox.Account, sui.SUI, 1)
		if err != nil {
			b.Fatal(err)
		}
		raw, signature, err := chain.Sign(&sui.Transaction{
			Inputs: []sui.Input{sui.PureU64(1000), sui.PureAddress(bob)},
			Commands: []sui.Command{
				sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
				sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)},
			},
			Sender: sandbox.Account, Expiration: sui.NoExpiration{},
			Gas: sui.Gas{Owner: sandbox.Account, Price: 500, Budget: 100_000_000, Payment: []sui.ObjectRef{coins[0].Ref}},
		})
		if err == nil {
			_, err = node.Execute(ctx, raw, signature)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if s, err := h.Scan(ctx, whole(activity.Query{Account: sandbox.Account})); err != nil || len(s.Rows) != 100 {
			b.Fatal(len(s.Rows), err)
		}
	}
}
