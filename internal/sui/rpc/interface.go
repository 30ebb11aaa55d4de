package rpc

import (
	"context"
	"strconv"
	"strings"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of a package's interface.
const (
	mostModules   = 500
	mostFunctions = 5000 // per package
	mostTypeDepth = 16
	mostTypeName  = 600 // bytes
)

// Functions returns the functions of a package that a transaction can call. It returns
// fault.ProviderRefused with the code NotFound if the node does not have the package.
func (c *Client) Functions(ctx context.Context, id sui.ObjectID) (sui.Interface, error) {
	packages := pb.NewMovePackageServiceClient(c.conn)
	answer, err := call(ctx, c, packages.GetPackage, &pb.GetPackageRequest{PackageId: ptr(id.String())})
	if err != nil {
		return sui.Interface{}, err
	}
	return interfaceOf(id, answer.GetPackage())
}

func interfaceOf(id sui.ObjectID, p *pb.Package) (sui.Interface, error) {
	out := sui.Interface{Package: id, Version: p.GetVersion(), Modules: []sui.ModuleInterface{}}
	stored, err := sui.ParseAddress(p.GetStorageId())
	if err == nil {
		out.Original, err = sui.ParseAddress(p.GetOriginalId())
	}
	if err != nil || stored != id || p.GetVersion() == 0 || p.GetVersion() > maxVersion {
		return sui.Interface{}, mismatch("it returned a different package than requested")
	}
	functions := 0
	for _, m := range p.GetModules() {
		v := sui.ModuleInterface{Name: m.GetName(), Functions: []sui.Function{}}
		if functions += len(m.GetFunctions()); functions > mostFunctions || len(out.Modules) == mostModules {
			return sui.Interface{}, mismatch("it returned more functions than a package can have")
		}
		if !sui.ValidIdentifier(v.Name) {
			return sui.Interface{}, mismatch("it returned a module with an invalid name")
		}
		for _, f := range m.GetFunctions() {
			public := f.GetVisibility() == pb.FunctionDescriptor_PUBLIC
			if !public && !f.GetIsEntry() {
				continue
			}
			if !sui.ValidIdentifier(f.GetName()) {
				return sui.Interface{}, mismatch("it returned a function with an invalid name")
			}
			v.Functions = append(v.Functions, sui.Function{Name: f.GetName(), Entry: f.GetIsEntry(), Public: public,
				TypeParams: len(f.GetTypeParameters()), Parameters: moveTypes(f.GetParameters()),
				Returns: moveTypes(f.GetReturns())})
		}
		out.Modules = append(out.Modules, v)
	}
	return out, nil
}

func moveTypes(list []*pb.OpenSignature) []string {
	out := []string{}
	for _, s := range list {
		text := moveType(s.GetBody(), 0)
		switch s.GetReference() {
		case pb.OpenSignature_IMMUTABLE:
			text = "&" + text
		case pb.OpenSignature_MUTABLE:
			text = "&mut " + text
		}
		out = append(out, text)
	}
	return out
}

// moveType formats a type in Move syntax. It replaces unreadable parts with "?".
func moveType(b *pb.OpenSignatureBody, depth int) string {
	name := ""
	switch t := b.GetType(); {
	case depth > mostTypeDepth || len(b.GetTypeParameterInstantiation()) > mostTypeDepth:
		return "?"
	case t == pb.OpenSignatureBody_TYPE_PARAMETER:
		return "$" + strconv.FormatUint(uint64(b.GetTypeParameter()), 10)
	case t == pb.OpenSignatureBody_DATATYPE:
		if name = b.GetTypeName(); !datatype(name) {
			return "?"
		}
	case t >= pb.OpenSignatureBody_ADDRESS && t <= pb.OpenSignatureBody_VECTOR:
		name = strings.ToLower(t.String())
	default:
		return "?"
	}
	var inner []string
	for _, p := range b.GetTypeParameterInstantiation() {
		inner = append(inner, moveType(p, depth+1))
	}
	if len(inner) == 0 {
		return name
	}
	return name + "<" + strings.Join(inner, ", ") + ">"
}

// datatype reports whether a text has the form address::module::Name.
func datatype(s string) bool {
	parts := strings.Split(s, "::")
	if len(s) > mostTypeName || len(parts) != 3 || !sui.ValidIdentifier(parts[1]) || !sui.ValidIdentifier(parts[2]) {
		return false
	}
	_, err := sui.ParseAddress(parts[0])
	return err == nil
}
