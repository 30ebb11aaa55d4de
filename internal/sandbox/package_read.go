package sandbox

import (
	"context"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// GetPackage tells original id and version of the packages that the sandbox
// stands in for; their modules are not part of the answer.
func (packageService) GetPackage(_ context.Context, req *pb.GetPackageRequest) (*pb.GetPackageResponse, error) {
	id, err := address(req.GetPackageId(), "package_id")
	if err != nil {
		return nil, err
	}
	tell := func(original sui.ObjectID, version uint64) (*pb.GetPackageResponse, error) {
		return &pb.GetPackageResponse{Package: &pb.Package{
			StorageId: ptr(id.String()), OriginalId: ptr(original.String()), Version: ptr(version),
		}}, nil
	}
	switch p, ok := deepbookPackage(id); {
	case ok:
		return tell(registry.OriginalPackage, p.Number)
	case id == flowx.Package:
		return tell(flowx.OriginalPackage, flowx.PackageVersion)
	case id == flowx.OriginalPackage, id == flowx.WrappedRouter:
		return tell(id, 1)
	}
	return nil, notFound("Package %s not found", id)
}
