package rpc_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/loopback"
)

// TestAgainstAChain follows one transfer, from reading the account's coins to reading the executed
// transaction.
func TestAgainstAChain(t *testing.T) {
	c, chain := loopback.Dial(t)
	ctx := context.Background()
	if id, err := c.ChainIdentifier(ctx); err != nil || id != chain.Chain() {
		t.Errorf("chain %s, %v", id, err)
	}
	epoch, err := c.Epoch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	held, err := c.Coins(ctx, sandbox.Account, sui.SUI, 100)
	if err != nil || len(held) < 2 || held[0].Balance < held[1].Balance {
		t.Fatalf("%+v, %v", held, err)
	}
	total := sui.Raw(0)
	for _, coin := range held {
		total += coin.Balance
	}
	if b, err := c.Balance(ctx, sandbox.Account, sui.SUI); err != nil || b.Total != total || b.Coins != total {
		t.Errorf("%+v, coins hold %s, %v", b, total, err)
	}
	if m, err := c.Metadata(ctx, coins.DEEP); err != nil || m.Decimals != 6 {
		t.Errorf("%+v, %v", m, err)
	}
	objects, err := c.Objects(ctx, []sui.ObjectID{sui.Clock, held[0].Ref.ID})
	if err != nil || objects[0].Owner.InitialVersion != sui.ClockVersion || objects[1].Ref != held[0].Ref {
		t.Errorf("%+v, %v", objects, err)
	}

	friend := sui.MustAddress("0xf41e4d")
	tx := &sui.Transaction{
		Inputs: []sui.Input{sui.PureU64(1_000_000_000), sui.PureAddress(friend)},
		Commands: []sui.Command{
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)},
		},
		Sender: sandbox.Account,
		Gas: sui.Gas{Owner: sandbox.Account, Price: epoch.GasPrice, Budget: 10_000_000,
			Payment: []sui.ObjectRef{held[0].Ref}},
		Expiration: sui.EpochExpiration{Epoch: epoch.Number + 1},
	}
	told, err := c.Simulate(ctx, tx, true)
	if err != nil || !told.Status.OK {
		t.Fatalf("%+v, %v", told.Status, err)
	}
	b, signature, err := chain.Sign(tx)
	if err != nil {
		t.Fatal(err)
	}
	digest := sui.TransactionDigest(b)
	if _, known, err := c.Transaction(ctx, digest); known || err != nil {
		t.Fatalf("known before it was sent: %v, %v", known, err)
	}
	done, err := c.Execute(ctx, b, signature)
	if err != nil || !done.Status.OK || done.Digest != digest {
		t.Fatalf("%+v, %v", done, err)
	}
	if diff := cmp.Diff(told.Balances, done.Balances); diff != "" {
		t.Errorf("simulated and executed differ: %s", diff)
	}
	read, known, err := c.Transaction(ctx, digest)
	if err != nil || !known || read.Sender != sandbox.Account || read.Gas != done.Gas || !cmp.Equal(read.Balances,
		done.Balances) {
		t.Errorf("%+v, known %v, %v", read, known, err)
	}
	got, err := c.Balance(ctx, friend, sui.SUI)
	if err != nil || got.Total != 1_000_000_000 {
		t.Errorf("the friend has %+v, %v", got, err)
	}
	again := *tx
	again.Inputs = []sui.Input{sui.PureU64(2_000_000_000), sui.PureAddress(friend)}
	b, signature, err = chain.Sign(&again)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Execute(ctx, b, signature); !fault.Is(err, fault.ProviderRefused) {
		t.Errorf("a spent coin was taken: %v", err)
	}
}
