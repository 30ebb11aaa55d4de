package prover_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/sui/prover"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit/loopback"
)

// world is a chain in a sandbox, with a client and a Chain that follows it.
type world struct {
	*sandbox.Sandbox
	client *rpc.Client
	chain  *prover.Chain
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{}
	w.client, w.Sandbox = loopback.Dial(t)
	w.chain = w.follow(t, &kept{})
	return w
}

// pay executes a payment and returns its digest.
func (w *world) pay(t *testing.T) sui.Digest {
	t.Helper()
	raw, signature, err := w.Sign(&sui.Transaction{
		Sender: sandbox.Account, Gas: sui.Gas{Owner: sandbox.Account, Price: 500, Budget: 100_000_000,
			Payment: []sui.ObjectRef{w.coin(t)}},
		Expiration: sui.NoExpiration{},
		Inputs:     []sui.Input{sui.PureU64(1000), sui.PureAddress(sui.MustAddress("0x77"))},
		Commands: []sui.Command{
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(0, 0)}, Recipient: sui.InputArg(1)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Execute(raw, [][]byte{signature}); err != nil {
		t.Fatal(err)
	}
	return sui.TransactionDigest(raw)
}

func (w *world) coin(t *testing.T) sui.ObjectRef {
	for _, o := range w.Owned(sandbox.Account) {
		if o.Coin == sui.SUI {
			return o.Ref()
		}
	}
	t.Fatal("no coin")
	return sui.ObjectRef{}
}

func (w *world) prove(t *testing.T, digest sui.Digest) (*proof.Outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return w.chain.Prove(ctx, digest)
}

func TestProve(t *testing.T) {
	t.Run("over ends of epochs, forward and for an earlier one", func(t *testing.T) {
		w := newWorld(t)
		early := w.pay(t)
		for range 3 {
			w.AdvanceEpoch()
		}
		for _, digest := range []sui.Digest{w.pay(t), early} {
			outcome, err := w.prove(t, digest)
			if err != nil || outcome.Transaction != digest {
				t.Fatalf("%+v, %v", outcome, err)
			}
		}
	})
	t.Run("what is not there yet", func(t *testing.T) {
		if _, err := newWorld(t).prove(t, sui.Digest{1}); !errors.Is(err, prover.ErrLater) {
			t.Error(err)
		}
	})
}

func TestNotProved(t *testing.T) {
	for kind, reason := range map[sandbox.FaultKind]proof.Reason{
		sandbox.NoCertificate: proof.Missing, sandbox.PruneEpochEnds: proof.Missing, sandbox.NewerContents: proof.Newer,
		sandbox.WeakCertificate: proof.Mismatch, sandbox.OtherCommittee: proof.Mismatch,
		sandbox.OtherEffects: proof.Mismatch, sandbox.OtherStatusBytes: proof.Mismatch,
	} {
		t.Run(string(kind), func(t *testing.T) {
			w := newWorld(t)
			w.AdvanceEpoch()
			digest := w.pay(t)
			if err := w.Inject(sandbox.Fault{Kind: kind}); err != nil {
				t.Fatal(err)
			}
			outcome, err := w.prove(t, digest)
			if outcome != nil || proof.ReasonOf(err) != reason {
				t.Errorf("%+v, %v; want %s", outcome, err, reason)
			}
			if err := w.Inject(sandbox.Fault{Kind: sandbox.ClearFaults}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.prove(t, digest); err != nil {
				t.Errorf("without the fault: %v", err)
			}
		})
	}
}

// While idle, the program follows a limited number of epochs, and continues from what it stored.
func TestFollow(t *testing.T) {
	w := newWorld(t)
	db := &kept{}
	for range 70 {
		w.AdvanceEpoch()
	}
	chain, err := w.client.ChainIdentifier(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []uint64{sandbox.FirstEpoch + 64, sandbox.FirstEpoch + 70} {
		follower := w.follow(t, db) // as after a restart
		follower.Follow()
		follower.Wait()
		if got, err := follower.Begun(t.Context(), chain); err != nil || got != want {
			t.Errorf("followed to epoch %d, want %d (%v)", got, want, err)
		}
	}
}
