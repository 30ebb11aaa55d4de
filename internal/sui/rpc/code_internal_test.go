package rpc

import (
	"bytes"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestCode(t *testing.T) {
	id, first := sui.MustAddress("0xbb"), sui.MustAddress("0xaa")
	good := func() *pb.Package {
		return &pb.Package{StorageId: ptr(id.String()), OriginalId: ptr(first.String()), Version: ptr(uint64(2)),
			Modules: []*pb.Module{{Name: ptr("vault"), Contents: []byte{1, 2}}},
			Linkage: []*pb.Linkage{{OriginalId: ptr("0x2"), UpgradedId: ptr("0x22")}}}
	}
	code, err := codeOf(id, good())
	if err != nil || code.Original != first || code.Version != 2 || !bytes.Equal(code.Modules[0], []byte{1, 2}) ||
		code.Links[sui.MustAddress("0x2")] != sui.MustAddress("0x22") {
		t.Fatalf("%+v %v", code, err)
	}
	for name, spoil := range map[string]func(*pb.Package){
		"another package": func(p *pb.Package) { p.StorageId = ptr(first.String()) },
		"no version":      func(p *pb.Package) { p.Version = nil },
		"no modules":      func(p *pb.Package) { p.Modules = nil },
		"no bytecode":     func(p *pb.Package) { p.Modules[0].Contents = nil },
		"too much":        func(p *pb.Package) { p.Modules[0].Contents = make([]byte, mostCode+1) },
		"no such id":      func(p *pb.Package) { p.Linkage[0].UpgradedId = ptr("seven") },
	} {
		t.Run(name, func(t *testing.T) {
			p := good()
			spoil(p)
			if _, err := codeOf(id, p); !fault.Is(err, fault.ProviderMismatch) {
				t.Error(err)
			}
		})
	}
}
