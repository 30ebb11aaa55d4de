package rpc_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

func TestExecuted(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 1, 30, 12, 0, 0, 0, time.UTC) }
	chain, url := sandboxtest.Serve(t, sandbox.Config{Now: now, Seed: 1})
	c, err := rpc.New(rpc.Config{URL: url, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	t.Run("every checkpoint in order, with its transactions, until the caller has enough", func(t *testing.T) {
		enough := errors.New("enough")
		last, sent := uint64(0), sui.Digest{}
		err := c.Executed(t.Context(), func(at uint64, digests []sui.Digest) error {
			if !sent.IsZero() && at != last+1 {
				t.Errorf("%d after %d", at, last)
			}
			if last = at; sent.IsZero() {
				chain.Hold(sandbox.Account, sui.SUI, 1, 0) // a checkpoint without a transaction
				sent = pay(t, c, chain)
			}
			if slices.Contains(digests, sent) {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) {
			t.Fatal(err)
		}
	})
	t.Run("a node that ends", func(t *testing.T) {
		err := c.Executed(t.Context(), func(uint64, []sui.Digest) error { go chain.Close(); return nil })
		if !fault.Is(err, fault.ProviderUnavailable) {
			t.Error(err)
		}
	})
}

// pay executes a payment and returns its digest.
func pay(t *testing.T, c *rpc.Client, chain *sandbox.Sandbox) sui.Digest {
	t.Helper()
	epoch, err := c.Epoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	held, err := c.Coins(t.Context(), sandbox.Account, sui.SUI, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, signature, err := chain.Sign(&sui.Transaction{
		Inputs: []sui.Input{sui.PureAddress(sui.MustAddress("0xf41e4d"))},
		Commands: []sui.Command{
			sui.TransferObjects{Objects: []sui.Argument{sui.GasCoin}, Recipient: sui.InputArg(0)},
		},
		Sender: sandbox.Account,
		Gas: sui.Gas{Owner: sandbox.Account, Price: epoch.GasPrice, Budget: 10_000_000,
			Payment: []sui.ObjectRef{held[0].Ref}},
		Expiration: sui.EpochExpiration{Epoch: epoch.Number + 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	done, err := c.Execute(t.Context(), b, signature)
	if err != nil || !done.Status.OK {
		t.Fatalf("%+v, %v", done, err)
	}
	return done.Digest
}
