package node

import (
	"context"
	"strings"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// packageService serves GetFunction of sui.rpc.v2.MovePackageService for the supported functions.
type packageService struct {
	pb.UnimplementedMovePackageServiceServer
	ledger *ledger.Ledger
}

// GetFunction describes a function. One that the sandbox does not support is refused by name; one
// that a known package does not have is not found.
func (s packageService) GetFunction(_ context.Context, req *pb.GetFunctionRequest) (*pb.GetFunctionResponse, error) {
	pkg, err := address(req.GetPackageId(), "package_id")
	if err != nil {
		return nil, err
	}
	fn, err := s.ledger.FindFunction(pkg, req.GetModuleName(), req.GetName())
	if err != nil {
		return nil, err
	}
	if fn == nil {
		return nil, ledger.NotFound("Function %s::%s::%s not found", pkg, req.GetModuleName(), req.GetName())
	}
	return &pb.GetFunctionResponse{Function: descriptor(fn)}, nil
}

// descriptor describes a function as a node does.
func descriptor(fn *ledger.Function) *pb.FunctionDescriptor {
	w := &pb.FunctionDescriptor{
		Name: new(fn.Name), Visibility: pb.FunctionDescriptor_PUBLIC.Enum(), IsEntry: new(fn.Entry),
	}
	for range fn.TypeParams {
		w.TypeParameters = append(w.TypeParameters, &pb.TypeParameter{})
	}
	for _, p := range fn.Params {
		w.Parameters = append(w.Parameters, signature(string(p)))
	}
	for _, p := range fn.Returns {
		w.Returns = append(w.Returns, signature(string(p)))
	}
	return w
}

// signature reads a parameter or result as the ledger writes it: a Move type with $0 and $1 for
// type parameters, and with & or &mut for references.
func signature(move string) *pb.OpenSignature {
	if t, ok := strings.CutPrefix(move, "&mut "); ok {
		return &pb.OpenSignature{Reference: pb.OpenSignature_MUTABLE.Enum(), Body: signatureBody(t)}
	}
	if t, ok := strings.CutPrefix(move, "&"); ok {
		return &pb.OpenSignature{Reference: pb.OpenSignature_IMMUTABLE.Enum(), Body: signatureBody(t)}
	}
	return &pb.OpenSignature{Body: signatureBody(move)}
}

// signatureBody reads a Move type.
func signatureBody(move string) *pb.OpenSignatureBody {
	name, rest, _ := strings.Cut(strings.TrimSuffix(move, ">"), "<")
	body := &pb.OpenSignatureBody{}
	depth, start := 0, 0
	for i, c := range rest {
		switch {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case c == ',' && depth == 0:
			body.TypeParameterInstantiation = append(body.TypeParameterInstantiation, signatureBody(rest[start:i]))
			start = i + 1
		}
	}
	if rest != "" {
		body.TypeParameterInstantiation = append(body.TypeParameterInstantiation, signatureBody(rest[start:]))
	}
	if n, ok := strings.CutPrefix(name, "$"); ok {
		body.Type, body.TypeParameter = pb.OpenSignatureBody_TYPE_PARAMETER.Enum(), new(uint32(n[0]-'0'))
		return body
	}
	if strings.Contains(name, "::") {
		body.Type, body.TypeName = pb.OpenSignatureBody_DATATYPE.Enum(), &name
		return body
	}
	kind := pb.OpenSignatureBody_Type(pb.OpenSignatureBody_Type_value[strings.ToUpper(name)])
	body.Type = &kind
	return body
}

// GetPackage reports a simulated package with its supported functions.
func (s packageService) GetPackage(_ context.Context, req *pb.GetPackageRequest) (*pb.GetPackageResponse, error) {
	id, err := address(req.GetPackageId(), "package_id")
	if err != nil {
		return nil, err
	}
	original, version, ok := s.ledger.Package(id)
	if !ok {
		return nil, ledger.NotFound("Package %s not found", id)
	}
	w := &pb.Package{StorageId: new(id.String()), OriginalId: new(original.String()), Version: new(version)}
	for _, m := range s.ledger.Modules(id) {
		module := &pb.Module{Name: new(m.Name)}
		for i := range m.Functions {
			module.Functions = append(module.Functions, descriptor(&m.Functions[i]))
		}
		w.Modules = append(w.Modules, module)
	}
	return &pb.GetPackageResponse{Package: w}, nil
}

// ListPackageVersions lists the versions of a simulated package.
func (s packageService) ListPackageVersions(_ context.Context,
	req *pb.ListPackageVersionsRequest) (*pb.ListPackageVersionsResponse, error) {
	id, err := address(req.GetPackageId(), "package_id")
	if err != nil {
		return nil, err
	}
	list := s.ledger.Versions(id)
	if len(list) == 0 {
		return nil, ledger.NotFound("Package %s not found", id)
	}
	w := &pb.ListPackageVersionsResponse{}
	for _, v := range list {
		w.Versions = append(w.Versions, &pb.PackageVersion{PackageId: new(v.Published.String()), Version: new(v.Version)})
	}
	return w, nil
}

// nameService knows no names: the sandbox's names are only record objects.
type nameService struct {
	pb.UnimplementedNameServiceServer
}

// LookupName always returns not found.
func (nameService) LookupName(_ context.Context, req *pb.LookupNameRequest) (*pb.LookupNameResponse, error) {
	return nil, ledger.NotFound("the name %q is not registered", req.GetName())
}
