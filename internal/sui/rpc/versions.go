package rpc

import (
	"context"
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// VersionBytes reads the BCS of object versions, in order. It does not verify them: the caller has the
// digests. A version that this node does not have is nil.
func (c *Client) VersionBytes(ctx context.Context, refs []sui.ObjectRef) ([][]byte, error) {
	if len(refs) > maxObjects {
		return nil, fault.New(fault.TooLarge, "At most %d objects can be read at once.", maxObjects)
	}
	var out [][]byte
	for part := range slices.Chunk(refs, objectsPerCall) {
		q := &pb.BatchGetObjectsRequest{ReadMask: mask("bcs")}
		for _, r := range part {
			q.Requests = append(q.Requests, &pb.GetObjectRequest{ObjectId: ptr(r.ID.String()), Version: &r.Version})
		}
		answer, err := call(ctx, c, c.ledger.BatchGetObjects, q)
		if err != nil {
			return nil, err
		}
		if len(answer.GetObjects()) != len(part) {
			return nil, mismatch("it returned a different number of objects than requested")
		}
		for _, r := range answer.GetObjects() {
			out = append(out, r.GetObject().GetBcs().GetValue())
		}
	}
	return out, nil
}
