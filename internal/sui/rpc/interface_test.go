package rpc

import (
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestInterfaceOf: an interface lists the functions that transactions can call. Invalid names are
// rejected.
func TestInterfaceOf(t *testing.T) {
	id, _ := sui.ParseAddress("0x2")
	vector := &pb.OpenSignatureBody{Type: pb.OpenSignatureBody_VECTOR.Enum(),
		TypeParameterInstantiation: []*pb.OpenSignatureBody{
			{Type: pb.OpenSignatureBody_DATATYPE.Enum(), TypeName: ptr("0x2::coin::Coin"),
				TypeParameterInstantiation: []*pb.OpenSignatureBody{
					{Type: pb.OpenSignatureBody_TYPE_PARAMETER.Enum(), TypeParameter: ptr(uint32(0))}}}}}
	pkg := func(name string) *pb.Package {
		return &pb.Package{StorageId: ptr("0x2"), OriginalId: ptr("0x2"), Version: ptr(uint64(3)), Modules: []*pb.Module{{
			Name: ptr("pay"), Functions: []*pb.FunctionDescriptor{
				{Name: ptr(name), Visibility: pb.FunctionDescriptor_PUBLIC.Enum(), TypeParameters: []*pb.TypeParameter{{}},
					Parameters: []*pb.OpenSignature{{Reference: pb.OpenSignature_MUTABLE.Enum(), Body: vector}}},
				{Name: ptr("hidden"), Visibility: pb.FunctionDescriptor_PRIVATE.Enum()},
			}}}}
	}
	got, err := interfaceOf(id, pkg("join"))
	if err != nil || len(got.Modules) != 1 || len(got.Modules[0].Functions) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	f := got.Modules[0].Functions[0]
	if f.Name != "join" || !f.Public || f.TypeParams != 1 || f.Parameters[0] != "&mut vector<0x2::coin::Coin<$0>>" {
		t.Errorf("%+v", f)
	}
	if _, err := interfaceOf(id, pkg("join now")); err == nil {
		t.Error("a name that is none passes")
	}
	other, _ := sui.ParseAddress("0x3")
	if _, err := interfaceOf(other, pkg("join")); err == nil {
		t.Error("another package passes")
	}
}

func TestVersionsOf(t *testing.T) {
	one := func(id string, version uint64) *pb.PackageVersion {
		return &pb.PackageVersion{PackageId: ptr(id), Version: ptr(version)}
	}
	answer := func(list ...*pb.PackageVersion) *pb.ListPackageVersionsResponse {
		return &pb.ListPackageVersionsResponse{Versions: list}
	}
	got, err := versionsOf(answer(one("0x1", 1), one("0x2", 2), one("0x5", 7)))
	if err != nil || len(got) != 3 || got[2] != (sui.PackageVersion{Published: sui.MustAddress("0x5"), Version: 7}) {
		t.Errorf("%+v, %v", got, err)
	}
	more := answer(one("0x1", 1))
	more.NextPageToken = []byte{1}
	for name, a := range map[string]*pb.ListPackageVersionsResponse{
		"no id": answer(one("x", 1)), "twice the same": answer(one("0x1", 1), one("0x2", 1)),
		"version zero":           answer(one("0x1", 0)),
		"more than there can be": more,
	} {
		if got, err := versionsOf(a); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
