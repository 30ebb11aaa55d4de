package gate_test

import (
	"context"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// spend uses a SUI coin of the account in another transaction, as a wallet does.
func spend(t *testing.T, h *testkit.Harness, id sui.ObjectID) sui.Digest {
	t.Helper()
	ctx := context.Background()
	o, ok, err := h.Node.Object(ctx, id, 0)
	if err != nil || !ok {
		t.Fatalf("the coin %s: %v %v", id, ok, err)
	}
	tx := &sui.Transaction{
		Inputs: []sui.Input{sui.PureU64(1), sui.PureAddress(sandbox.Account)},
		Commands: []sui.Command{
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)},
		},
		Sender: sandbox.Account, Expiration: sui.NoExpiration{},
		Gas: sui.Gas{Payment: []sui.ObjectRef{o.Ref}, Owner: sandbox.Account, Price: 500, Budget: 5_000_000},
	}
	raw, signature, err := h.Sandbox.Sign(tx)
	if err != nil {
		t.Fatal(err)
	}
	e, err := h.Node.Execute(ctx, raw, signature)
	if err != nil || !e.Status.OK {
		t.Fatalf("%v %+v", err, e.Status)
	}
	return e.Digest
}
