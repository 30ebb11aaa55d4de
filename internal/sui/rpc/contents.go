package rpc

import (
	"context"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Contents reads the current version of an object, including the BCS of its value. It returns
// fault.ProviderRefused with the code NotFound if the node does not have it.
func (c *Client) Contents(ctx context.Context, id sui.ObjectID) (sui.Object, error) {
	answer, err := call(ctx, c, c.ledger.GetObject, &pb.GetObjectRequest{
		ObjectId: ptr(id.String()), ReadMask: mask("object_id", "version", "digest", "owner", "object_type", "contents"),
	})
	if err != nil {
		return sui.Object{}, err
	}
	o, err := objectOf(answer.GetObject())
	if err == nil && o.Ref.ID != id {
		err = mismatch("it returned a different object than requested")
	}
	return o, err
}

// Package returns the original id of the package and the version that id names. It returns
// fault.ProviderRefused with the code NotFound if the node does not have it.
func (c *Client) Package(ctx context.Context, id sui.ObjectID) (original sui.ObjectID, version uint64, err error) {
	packages := pb.NewMovePackageServiceClient(c.conn)
	answer, err := call(ctx, c, packages.GetPackage, &pb.GetPackageRequest{PackageId: ptr(id.String())})
	if err != nil {
		return sui.ObjectID{}, 0, err
	}
	p := answer.GetPackage()
	stored, err := sui.ParseAddress(p.GetStorageId())
	if err == nil {
		original, err = sui.ParseAddress(p.GetOriginalId())
	}
	if err != nil || stored != id || p.GetVersion() == 0 || p.GetVersion() > maxVersion {
		return sui.ObjectID{}, 0, mismatch("it returned a different package than requested")
	}
	return original, p.GetVersion(), nil
}

// maxVersions is the maximum number of listed versions of a package.
const maxVersions = 1000

// Versions lists all versions of a package in ascending order. id is any of them.
func (c *Client) Versions(ctx context.Context, id sui.ObjectID) ([]sui.PackageVersion, error) {
	packages := pb.NewMovePackageServiceClient(c.conn)
	answer, err := call(ctx, c, packages.ListPackageVersions, &pb.ListPackageVersionsRequest{PackageId: ptr(id.String()),
		PageSize: ptr(uint32(maxVersions))})
	if err != nil {
		return nil, err
	}
	return versionsOf(answer)
}

func versionsOf(answer *pb.ListPackageVersionsResponse) (list []sui.PackageVersion, err error) {
	if len(answer.GetVersions()) > maxVersions || len(answer.GetNextPageToken()) > 0 {
		return nil, mismatch("it lists too many versions of a package")
	}
	for _, v := range answer.GetVersions() {
		published, err := sui.ParseAddress(v.GetPackageId())
		before := uint64(0)
		if len(list) > 0 {
			before = list[len(list)-1].Version
		}
		if err != nil || v.GetVersion() <= before || v.GetVersion() > maxVersion {
			return nil, mismatch("it lists impossible versions of a package")
		}
		list = append(list, sui.PackageVersion{Published: published, Version: v.GetVersion()})
	}
	return list, nil
}
