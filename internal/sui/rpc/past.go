package rpc

import (
	"context"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Object reads one version of an object with the transaction that created that version. Version 0 is
// the current one. It returns false if the node does not have it: it never existed, was deleted or
// wrapped, or was pruned.
func (c *Client) Object(ctx context.Context, id sui.ObjectID, version uint64) (sui.Object, bool, error) {
	q := &pb.GetObjectRequest{
		ObjectId: ptr(id.String()),
		ReadMask: mask("object_id", "version", "digest", "owner", "object_type", "balance", "previous_transaction"),
	}
	if version > 0 {
		q.Version = &version
	}
	answer, err := call(ctx, c, c.ledger.GetObject, q)
	if err != nil {
		if fault.As(err).Detail.Get("code") == "NotFound" {
			return sui.Object{}, false, nil
		}
		return sui.Object{}, false, err
	}
	o, err := objectOf(answer.GetObject())
	if err != nil {
		return sui.Object{}, false, err
	}
	if o.Ref.ID != id || (version > 0 && o.Ref.Version != version) {
		return sui.Object{}, false, mismatch("it returned a different object than requested")
	}
	if o.Previous.IsZero() {
		return sui.Object{}, false, mismatch("it does not name the transaction that created an object")
	}
	return o, true, nil
}
