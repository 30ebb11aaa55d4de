package sandbox

import (
	"context"
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
)

// packageService serves GetFunction of sui.rpc.v2.MovePackageService for the
// functions that the sandbox executes.
type packageService struct {
	pb.UnimplementedMovePackageServiceServer
}

// GetFunction describes a known function. One that the sandbox does not execute
// is refused by name; one that a known package does not have is not found.
func (packageService) GetFunction(_ context.Context, req *pb.GetFunctionRequest) (*pb.GetFunctionResponse, error) {
	pkg, err := address(req.GetPackageId(), "package_id")
	if err != nil {
		return nil, err
	}
	fn, err := findFunction(pkg, req.GetModuleName(), req.GetName())
	if err != nil {
		return nil, err
	}
	if fn == nil {
		return nil, notFound("Function %s::%s::%s not found", pkg, req.GetModuleName(), req.GetName())
	}
	w := &pb.FunctionDescriptor{
		Name: ptr(fn.name), Visibility: pb.FunctionDescriptor_PUBLIC.Enum(), IsEntry: ptr(false),
	}
	for range fn.typeParams {
		w.TypeParameters = append(w.TypeParameters, &pb.TypeParameter{})
	}
	for _, p := range fn.params {
		w.Parameters = append(w.Parameters, signature(p))
	}
	if slices.ContainsFunc(fn.returns, isCoin) {
		w.Parameters = append(w.Parameters, reference(pb.OpenSignature_MUTABLE, datatype("0x2::tx_context::TxContext")))
	}
	for _, p := range fn.returns {
		w.Returns = append(w.Returns, signature(p))
	}
	return &pb.GetFunctionResponse{Function: w}, nil
}

// isCoin reports whether a value is an object: making one takes the context.
func isCoin(p parameter) bool { return p == coinBase || p == coinQuote || p == coinDeep }

func plain(t pb.OpenSignatureBody_Type) *pb.OpenSignatureBody { return &pb.OpenSignatureBody{Type: &t} }

func datatype(name string, params ...*pb.OpenSignatureBody) *pb.OpenSignatureBody {
	return &pb.OpenSignatureBody{
		Type: pb.OpenSignatureBody_DATATYPE.Enum(), TypeName: &name, TypeParameterInstantiation: params,
	}
}

func typeParameter(n uint32) *pb.OpenSignatureBody {
	return &pb.OpenSignatureBody{Type: pb.OpenSignatureBody_TYPE_PARAMETER.Enum(), TypeParameter: &n}
}

func reference(kind pb.OpenSignature_Reference, body *pb.OpenSignatureBody) *pb.OpenSignature {
	return &pb.OpenSignature{Reference: &kind, Body: body}
}

// signature describes one parameter or result.
func signature(p parameter) *pb.OpenSignature {
	pool := datatype(registry.OriginalPackage.String()+"::pool::Pool", typeParameter(0), typeParameter(1))
	coin := func(of *pb.OpenSignatureBody) *pb.OpenSignature {
		return &pb.OpenSignature{Body: datatype(frameworkID.String()+"::coin::Coin", of)}
	}
	switch p {
	case poolRef:
		return reference(pb.OpenSignature_IMMUTABLE, pool)
	case poolMut:
		return reference(pb.OpenSignature_MUTABLE, pool)
	case clockRef:
		return reference(pb.OpenSignature_IMMUTABLE, datatype(frameworkID.String()+"::clock::Clock"))
	case u64Value:
		return &pb.OpenSignature{Body: plain(pb.OpenSignatureBody_U64)}
	case boolValue:
		return &pb.OpenSignature{Body: plain(pb.OpenSignatureBody_BOOL)}
	case u64List:
		list := plain(pb.OpenSignatureBody_VECTOR)
		list.TypeParameterInstantiation = []*pb.OpenSignatureBody{plain(pb.OpenSignatureBody_U64)}
		return &pb.OpenSignature{Body: list}
	case coinBase:
		return coin(typeParameter(0))
	case coinQuote:
		return coin(typeParameter(1))
	case coinDeep:
		return coin(datatype(string(coins.DEEP)))
	case idValue:
		return &pb.OpenSignature{Body: datatype(frameworkID.String() + "::object::ID")}
	case deepPriceValue:
		return &pb.OpenSignature{Body: datatype(registry.OriginalPackage.String() + "::deep_price::OrderDeepPrice")}
	}
	if p == u128Value || p == flowxRegistryMut || p == flowxVersionedRef {
		return flowxSignature(p)
	}
	return managerSignature(p)
}

// nameService knows no names: the sandbox has no SuiNS.
type nameService struct {
	pb.UnimplementedNameServiceServer
}

// LookupName finds nothing.
func (nameService) LookupName(_ context.Context, req *pb.LookupNameRequest) (*pb.LookupNameResponse, error) {
	return nil, notFound("the name %q is not registered", req.GetName())
}

// ReverseLookupName finds nothing.
func (nameService) ReverseLookupName(_ context.Context, req *pb.ReverseLookupNameRequest) (*pb.ReverseLookupNameResponse, error) {
	return nil, notFound("the address %s has no name", req.GetAddress())
}
