package sandbox

import (
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/sandbox/committee"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

// certified requests a checkpoint's bytes and certificate.
func (n *served) certified(t *testing.T, number uint64) *pb.Checkpoint {
	t.Helper()
	answer, err := n.ledger.GetCheckpoint(within(t), &pb.GetCheckpointRequest{
		CheckpointId: &pb.GetCheckpointRequest_SequenceNumber{SequenceNumber: number},
		ReadMask:     &fieldmaskpb.FieldMask{Paths: []string{"summary.bcs", "signature", "contents.bcs"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer.GetCheckpoint()
}

func certificate(c *pb.Checkpoint) proof.Certificate {
	s := c.GetSignature()
	return proof.Certificate{Epoch: s.GetEpoch(), Signature: s.GetSignature(), Bitmap: s.GetBitmap()}
}

// claim requests everything that proves a transaction.
func (n *served) claim(t *testing.T, digest sui.Digest) proof.Claim {
	t.Helper()
	answer, err := n.ledger.GetTransaction(within(t), &pb.GetTransactionRequest{
		Digest:   new(digest.String()),
		ReadMask: &fieldmaskpb.FieldMask{Paths: []string{"effects.bcs", "events.bcs", "checkpoint"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	tx := answer.GetTransaction()
	c := n.certified(t, tx.GetCheckpoint())
	return proof.Claim{Transaction: digest, Summary: c.GetSummary().GetBcs().GetValue(), Certificate: certificate(c),
		Contents: c.GetContents().GetBcs().GetValue(), Effects: tx.GetEffects().GetBcs().GetValue(),
		Events: tx.GetEvents().GetBcs().GetValue()}
}

func sandboxCommittee(t *testing.T) *proof.Committee {
	t.Helper()
	c, err := proof.NewCommittee(FirstEpoch, committee.Of(FirstEpoch).Members(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCertificates(t *testing.T) {
	t.Run("the digest of genesis is the chain's identifier", func(t *testing.T) {
		n := start(t, Config{})
		info, err := n.ledger.GetServiceInfo(within(t), &pb.GetServiceInfoRequest{})
		if err != nil {
			t.Fatal(err)
		}
		genesis := n.certified(t, 0)
		if got := proof.SummaryDigest(genesis.GetSummary().GetBcs().GetValue()).String(); got != info.GetChainId() {
			t.Errorf("genesis has digest %s, the chain is %s", got, info.GetChainId())
		}
		if _, err := sandboxCommittee(t).Verify(genesis.GetSummary().GetBcs().GetValue(), certificate(genesis)); err != nil {
			t.Error(err)
		}
	})
	t.Run("committees are followed over epochs whose keys change", func(t *testing.T) {
		n := start(t, Config{})
		who := sandboxCommittee(t)
		for range 3 {
			n.AdvanceEpoch()
			answer, err := n.ledger.GetEpoch(within(t), &pb.GetEpochRequest{
				Epoch: new(who.Epoch()), ReadMask: &fieldmaskpb.FieldMask{Paths: []string{"last_checkpoint"}}})
			if err != nil {
				t.Fatal(err)
			}
			last := n.certified(t, answer.GetEpoch().GetLastCheckpoint())
			next, err := who.Next(last.GetSummary().GetBcs().GetValue(), certificate(last))
			if err != nil {
				t.Fatal(err)
			}
			if changed := joined(who, next); changed != 1 {
				t.Errorf("%d keys changed at the end of epoch %d", changed, who.Epoch())
			}
			who = next
		}
	})
}

// joined counts the keys in next that are not in before.
func joined(before, next *proof.Committee) int {
	known := map[[sui.KeySize]byte]bool{}
	for _, m := range before.Members() {
		known[m.Key] = true
	}
	count := 0
	for _, m := range next.Members() {
		if !known[m.Key] {
			count++
		}
	}
	return count
}

// TestForgedProofs states which rule rejects each forgery, and why.
func TestForgedProofs(t *testing.T) {
	for _, c := range []struct {
		kind   FaultKind
		rule   int
		reason proof.Reason
	}{
		{"", 0, ""},
		{NoCertificate, 3, proof.Mismatch}, // an empty certificate has epoch 0; callers first check that there is one
		{WeakCertificate, 5, proof.Mismatch},
		{OtherEpoch, 3, proof.Mismatch},
		{OtherCommittee, 6, proof.Mismatch},
		{OtherEffects, 8, proof.Mismatch},
		{OtherStatusBytes, 8, proof.Mismatch},
		{NewerContents, 7, proof.Newer},
	} {
		t.Run("fault "+string(c.kind), func(t *testing.T) {
			n := start(t, Config{})
			digest := n.anyTransaction(t)
			if c.kind != "" {
				if err := n.Inject(Fault{Kind: c.kind}); err != nil {
					t.Fatal(err)
				}
			}
			outcome, err := sandboxCommittee(t).Prove(n.claim(t, digest))
			if c.kind == "" {
				if err != nil || outcome.Effects.Transaction != digest || outcome.Checkpoint.Signers != committee.Quorum {
					t.Errorf("%+v, %v", outcome, err)
				}
				return
			}
			r, ok := err.(*proof.Refusal)
			if !ok || r.Rule != c.rule || r.Reason != c.reason {
				t.Errorf("%+v, want rule %d and %s", err, c.rule, c.reason)
			}
		})
	}
}

// anyTransaction executes a swap, which has events.
func (n *served) anyTransaction(t *testing.T) sui.Digest {
	t.Helper()
	raw, signature := n.signed(t, n.swapTx(t, "SUI_USDC", 1_000_000_000, 0, nil))
	if _, err := n.send(t, raw, signature); err != nil {
		t.Fatal(err)
	}
	return sui.TransactionDigest(raw)
}
