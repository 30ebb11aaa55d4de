package rpc

import (
	"context"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestObject(t *testing.T) {
	ctx := context.Background()
	told := func(edit func(o *pb.Object)) *pb.GetObjectResponse {
		o := coinObject(7, 100)
		o.PreviousTransaction = textOf(digestOf(9))
		edit(o)
		return &pb.GetObjectResponse{Object: o}
	}
	plain := told(func(*pb.Object) {})
	id, version := sui.MustAddress(plain.Object.GetObjectId()), plain.Object.GetVersion()
	t.Run("its maker is told", func(t *testing.T) {
		var asked *pb.GetObjectRequest
		c := clientOf(t, func(_ context.Context, q any) (any, error) {
			asked, _ = q.(*pb.GetObjectRequest)
			return plain, nil
		})
		o, ok, err := c.Object(ctx, id, version)
		if err != nil || !ok || o.Previous != digestOf(9) || o.Ref.ID != id {
			t.Fatalf("%+v %v %v", o, ok, err)
		}
		if asked.GetVersion() != version || !asked.GetReadMask().IsValid(&pb.Object{}) {
			t.Errorf("asked %v", asked)
		}
		if _, _, err := c.Object(ctx, id, 0); err != nil || asked.Version != nil {
			t.Errorf("the present version: %v, asked %v", err, asked)
		}
	})
	t.Run("what the node does not have is no error", func(t *testing.T) {
		if _, ok, err := client(t, nil, status.Error(codes.NotFound, "pruned")).Object(ctx, id, 3); ok || err != nil {
			t.Errorf("%v %v", ok, err)
		}
	})
	t.Run("an outage is no absence", func(t *testing.T) {
		_, _, err := client(t, nil, status.Error(codes.Unavailable, "down")).Object(ctx, id, 3)
		wants(t, "outage", err, fault.ProviderUnavailable)
	})
	for name, lie := range map[string]func(o *pb.Object){
		"another object":  func(o *pb.Object) { o.ObjectId = ptr(sui.MustAddress("0x1").String()) },
		"another version": func(o *pb.Object) { o.Version = ptr(version + 1) },
		"no maker":        func(o *pb.Object) { o.PreviousTransaction = nil },
		"a strange maker": func(o *pb.Object) { o.PreviousTransaction = ptr("0OIl") },
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := client(t, told(lie), nil).Object(ctx, id, version)
			wants(t, name, err, fault.ProviderMismatch)
		})
	}
}
