package rpc

import (
	"context"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestTip(t *testing.T) {
	good := func() *pb.GetServiceInfoResponse {
		return &pb.GetServiceInfoResponse{ChainId: ptr(digestOf(1).String()), CheckpointHeight: ptr(uint64(7)),
			Timestamp: timestamppb.New(noon)}
	}
	got, err := client(t, good(), nil).Tip(context.Background())
	if want := (Tip{digestOf(1), 7, noon}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for name, spoil := range map[string]func(*pb.GetServiceInfoResponse){
		"no chain":      func(r *pb.GetServiceInfoResponse) { r.ChainId = nil },
		"no checkpoint": func(r *pb.GetServiceInfoResponse) { r.CheckpointHeight = nil },
		"no time":       func(r *pb.GetServiceInfoResponse) { r.Timestamp = nil },
		"no real time":  func(r *pb.GetServiceInfoResponse) { r.Timestamp = &timestamppb.Timestamp{Seconds: 1 << 60} },
	} {
		answer := good()
		spoil(answer)
		_, err := client(t, answer, nil).Tip(context.Background())
		wants(t, name, err, fault.ProviderMismatch)
	}
}
