package rpc

import (
	"context"
	"strings"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// maxOwned is the maximum number of objects in a page of Owned.
const maxOwned = 200

// Owned lists at most most (1 to 200) objects of one type that owner holds, with their contents. A type
// without type parameters matches all instances. token is from an earlier page, or nil for the first.
// The returned token is nil after the last page. It returns fault.ProviderMismatch if the node reports
// an object of another type or owner, or one twice.
func (c *Client) Owned(
	ctx context.Context, owner sui.Address, objectType string, token []byte, most int,
) ([]sui.Object, []byte, error) {
	size := uint32(min(max(most, 1), maxOwned))
	page, err := call(ctx, c, c.state.ListOwnedObjects, &pb.ListOwnedObjectsRequest{
		Owner: ptr(owner.String()), ObjectType: &objectType, PageSize: &size, PageToken: token,
		ReadMask: mask("object_id", "version", "digest", "owner", "object_type", "contents"),
	})
	if err != nil {
		return nil, nil, err
	}
	if len(page.GetObjects()) > int(size) || len(page.GetNextPageToken()) > maxPageToken {
		return nil, nil, mismatch("a page of objects is larger than requested")
	}
	objects := make([]sui.Object, 0, len(page.GetObjects()))
	seen := map[sui.ObjectID]bool{}
	for _, reported := range page.GetObjects() {
		o, err := objectOf(reported)
		if err != nil {
			return nil, nil, err
		}
		if bare, _, _ := strings.Cut(o.Type, "<"); o.Type != objectType && bare != objectType ||
			o.Owner.Address != owner || seen[o.Ref.ID] {
			return nil, nil, mismatch("it lists an object that is not of this owner and type, or lists one twice")
		}
		seen[o.Ref.ID] = true
		objects = append(objects, o)
	}
	next := page.GetNextPageToken()
	if len(next) == 0 {
		next = nil
	}
	return objects, next, nil
}
