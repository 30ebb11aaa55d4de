package node

import (
	"slices"
	"strings"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/sandbox/committee"
	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// certify signs a checkpoint if the mask requests the signature. Certificates are made on demand,
// not for every checkpoint.
func (s *Server) certify(w *pb.Checkpoint, c ledger.Checkpoint, mask *fieldmaskpb.FieldMask) error {
	const method = "GetCheckpoint"
	if c.Last && s.faults.Take(method, faults.PruneEpochEnds) != nil {
		return ledger.NotFound("Checkpoint %d not found", c.Number)
	}
	if !slices.ContainsFunc(mask.GetPaths(), func(p string) bool {
		return p == "*" || p == "signature" || strings.HasPrefix(p, "signature.")
	}) || s.faults.Take(method, faults.NoCertificate) != nil {
		return nil
	}
	if c.Executed != nil && s.faults.Take(method, faults.NewerContents) != nil {
		contents := append([]byte{2}, c.Contents[1:]...)
		place := committee.Place{Epoch: c.Epoch, Number: c.Number, Total: c.Total, Previous: &c.Previous, At: c.At}
		w.Summary.Bcs.Value, _ = committee.Summary(place, contents)
		w.Contents.Bcs.Value = contents
	}
	signers, who := committee.Quorum, committee.Of(c.Epoch)
	switch {
	case s.faults.Take(method, faults.WeakCertificate) != nil:
		signers--
	case s.faults.Take(method, faults.OtherEpoch) != nil:
		who = committee.Of(c.Epoch + 1)
	case s.faults.Take(method, faults.OtherCommittee) != nil:
		who = committee.Strangers(c.Epoch)
	}
	made, err := who.Sign(w.Summary.Bcs.Value, signers)
	if err != nil {
		return err
	}
	w.Signature = &pb.ValidatorAggregatedSignature{Epoch: &made.Epoch, Signature: made.Signature, Bitmap: made.Bitmap}
	return nil
}
