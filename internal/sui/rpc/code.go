package rpc

import (
	"context"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of a package's code.
const (
	mostCode  = 4 << 20 // bytes of all modules
	mostLinks = 1000
)

// Code reads a package's bytecode modules and the versions of its dependencies that it loads. It
// returns fault.ProviderRefused with the code NotFound if the node does not have the package, and
// fault.ProviderMismatch if the node reports no bytecode.
func (c *Client) Code(ctx context.Context, id sui.ObjectID) (sui.PackageCode, error) {
	packages := pb.NewMovePackageServiceClient(c.conn)
	answer, err := call(ctx, c, packages.GetPackage, &pb.GetPackageRequest{PackageId: ptr(id.String())})
	if err != nil {
		return sui.PackageCode{}, err
	}
	return codeOf(id, answer.GetPackage())
}

func codeOf(id sui.ObjectID, p *pb.Package) (sui.PackageCode, error) {
	out := sui.PackageCode{Version: p.GetVersion(), Links: map[sui.ObjectID]sui.ObjectID{}}
	stored, err := sui.ParseAddress(p.GetStorageId())
	if err == nil {
		out.Original, err = sui.ParseAddress(p.GetOriginalId())
	}
	//mutant:never `stored != id` ./internal/sui/rpc TestCode
	if err != nil || stored != id || p.GetVersion() == 0 || p.GetVersion() > maxVersion {
		return sui.PackageCode{}, mismatch("it returned a different package than requested")
	}
	if len(p.GetModules()) == 0 || len(p.GetModules()) > mostModules || len(p.GetLinkage()) > mostLinks {
		return sui.PackageCode{}, mismatch("it returned an impossible package")
	}
	size := 0
	for _, m := range p.GetModules() {
		code := m.GetContents()
		if size += len(code); len(code) == 0 || size > mostCode {
			return sui.PackageCode{}, mismatch("it returned the package without bytecode, or with more than the maximum")
		}
		out.Modules = append(out.Modules, code)
	}
	for _, l := range p.GetLinkage() {
		first, err := sui.ParseAddress(l.GetOriginalId())
		if err == nil {
			out.Links[first], err = sui.ParseAddress(l.GetUpgradedId())
		}
		if err != nil {
			return sui.PackageCode{}, mismatch("it returned a dependency whose id is invalid")
		}
	}
	return out, nil
}
