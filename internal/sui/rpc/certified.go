package rpc

import (
	"context"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// CertifiedCheckpoint holds the bytes of a checkpoint as reported by a node. They are unverified;
// package proof verifies them. Fields that the node omitted are nil.
type CertifiedCheckpoint struct {
	Summary   []byte // BCS
	Contents  []byte // BCS; nil if not requested
	Epoch     uint64 // epoch of the certificate
	Signature []byte
	Bitmap    []byte // Roaring bitmap of the signers
}

// CertifiedCheckpoint reads a checkpoint and its certificate by number. It returns false if the node
// does not have it.
func (c *Client) CertifiedCheckpoint(
	ctx context.Context, number uint64, contents bool,
) (CertifiedCheckpoint, bool, error) {
	fields := []string{"summary.bcs", "signature"}
	if contents {
		fields = append(fields, "contents.bcs")
	}
	answer, err := call(ctx, c, c.ledger.GetCheckpoint, &pb.GetCheckpointRequest{
		CheckpointId: &pb.GetCheckpointRequest_SequenceNumber{SequenceNumber: number}, ReadMask: mask(fields...),
	})
	if err != nil {
		return CertifiedCheckpoint{}, false, unlessMissing(err)
	}
	w := answer.GetCheckpoint()
	return CertifiedCheckpoint{
		Summary: w.GetSummary().GetBcs().GetValue(), Contents: w.GetContents().GetBcs().GetValue(),
		Epoch: w.GetSignature().GetEpoch(), Signature: w.GetSignature().GetSignature(), Bitmap: w.GetSignature().GetBitmap(),
	}, true, nil
}

// EpochEnd returns the number of an epoch's last checkpoint, as reported by the node; the certificate
// of that checkpoint proves it. It returns false if the epoch has not ended, or if the node does not
// know it.
func (c *Client) EpochEnd(ctx context.Context, epoch uint64) (number uint64, ended bool, err error) {
	answer, err := call(ctx, c, c.ledger.GetEpoch, &pb.GetEpochRequest{
		Epoch: &epoch, ReadMask: mask("epoch", "last_checkpoint"),
	})
	if err != nil {
		return 0, false, unlessMissing(err)
	}
	if answer.GetEpoch().GetEpoch() != epoch {
		return 0, false, mismatch("it returned a different epoch than requested")
	}
	last := answer.GetEpoch().LastCheckpoint
	if last == nil {
		return 0, false, nil
	}
	return *last, true, nil
}

// KeepsEpoch reports whether the node still has every transaction since an epoch began.
func (c *Client) KeepsEpoch(ctx context.Context, epoch uint64) (bool, error) {
	begun, err := call(ctx, c, c.ledger.GetEpoch,
		&pb.GetEpochRequest{Epoch: &epoch, ReadMask: mask("epoch", "first_checkpoint")})
	if err != nil {
		return false, unlessMissing(err)
	}
	if begun.GetEpoch().GetEpoch() != epoch {
		return false, mismatch("it returned a different epoch than requested")
	}
	first := begun.GetEpoch().FirstCheckpoint
	info, err := call(ctx, c, c.ledger.GetServiceInfo, &pb.GetServiceInfoRequest{})
	if err != nil {
		return false, err
	}
	return first != nil && info.LowestAvailableCheckpoint != nil && *info.LowestAvailableCheckpoint <= *first, nil
}

// TransactionBytes holds the BCS of a transaction's effects and events, unverified, as reported by a
// node. Checkpoint is nil until a certified one contains the transaction.
type TransactionBytes struct {
	Effects, Events []byte // BCS; nil if the node omitted them
	Checkpoint      *uint64
}

// TransactionBytes reads the bytes of a transaction's effects and events. It returns false if the node
// does not know the transaction.
func (c *Client) TransactionBytes(ctx context.Context, digest sui.Digest) (TransactionBytes, bool, error) {
	answer, err := call(ctx, c, c.ledger.GetTransaction, &pb.GetTransactionRequest{
		Digest: ptr(digest.String()), ReadMask: mask("digest", "effects.bcs", "events.bcs", "checkpoint"),
	})
	if err != nil {
		return TransactionBytes{}, false, unlessMissing(err)
	}
	w := answer.GetTransaction()
	return TransactionBytes{
		Effects: w.GetEffects().GetBcs().GetValue(), Events: w.GetEvents().GetBcs().GetValue(), Checkpoint: w.Checkpoint,
	}, true, nil
}

// unlessMissing returns nil for a "not found" error.
func unlessMissing(err error) error {
	if fault.As(err).Detail.Get("code") == "NotFound" {
		return nil
	}
	return err
}
