package rpc

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const made = "0x000000000000000000000000000000000000000000000000000000000000002c::balance_manager::BalanceManagerEvent"

// eventNode answers every method with frames, then ends with err.
func eventNode(t *testing.T, err error, frames ...[]byte) (*Client, *[]byte) {
	t.Helper()
	listener, problem := net.Listen("tcp", "127.0.0.1:0")
	if problem != nil {
		t.Fatal(problem)
	}
	asked := &[]byte{}
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(stream)
		var q emptypb.Empty
		if e := stream.RecvMsg(&q); e != nil || method != listEvents {
			return status.Errorf(codes.Unimplemented, "%s, %v", method, e)
		}
		*asked = slices.Clone(q.ProtoReflect().GetUnknown())
		for _, b := range frames {
			var m emptypb.Empty
			m.ProtoReflect().SetUnknown(b)
			if e := stream.SendMsg(&m); e != nil {
				return e
			}
		}
		return err
	}))
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Stop(); <-done })
	return dial(t, Config{URL: "http://" + listener.Addr().String(), Now: func() time.Time { return noon },
		Timeout: 5 * time.Second}), asked
}

// tellEvent encodes an event at a position. edit changes the fields that the stubs have.
func tellEvent(index uint64, checkpoint uint64, edit func(*pb.Event)) []byte {
	e := &pb.Event{
		PackageId: ptr("0x8"), Module: ptr("balance_manager"), Sender: ptr(alice.String()), EventType: ptr(made),
		Contents: &pb.Bcs{Value: make([]byte, 64)},
	}
	if edit != nil {
		edit(e)
	}
	b, err := proto.Marshal(e)
	if err != nil {
		panic(err)
	}
	b = appendNumber(b, fieldEventCheckpoint, checkpoint)
	b = appendBytes(b, fieldEventTransaction, []byte(digestOf(7).String()))
	return appendNumber(b, fieldEventIndex, index)
}

func eventFrame(event []byte, cursor string, end uint64) []byte {
	var b []byte
	if event != nil {
		b = appendBytes(b, 1, event)
	}
	b = appendBytes(b, 2, appendBytes(nil, 1, []byte(cursor)))
	if end > 0 {
		b = appendBytes(b, 3, appendNumber(nil, 1, end))
	}
	return b
}

var makings = sui.EventFilter{Sender: alice, Type: made, NotFrom: []string{"0x8::pool"}}

func TestEvents(t *testing.T) {
	t.Run("R004-111 pages join up, newest first", func(t *testing.T) {
		c, _ := eventNode(t, nil, eventFrame(tellEvent(1, 9, nil), "c", 0), eventFrame(nil, "b", 0),
			eventFrame(tellEvent(0, 9, nil), "a", 1))
		events, next, err := c.Events(t.Context(), makings, nil, 2)
		if err != nil || len(events) != 2 || string(next) != "a" {
			t.Fatal(events, next, err)
		}
		want := sui.Event{Package: sui.MustAddress("0x8"), Module: "balance_manager", Sender: alice, Type: made,
			Contents:    make([]byte, 64),
			Transaction: digestOf(7), Checkpoint: 9, Index: 1}
		if d := cmp.Diff(want, events[0]); d != "" {
			t.Error(d)
		}
	})
	t.Run("the end of the list, and what an unknown reason means", func(t *testing.T) {
		for reason, last := range map[uint64]bool{1: false, 2: false, 3: true, 4: true, 5: true, 99: false} {
			c, _ := eventNode(t, nil, eventFrame(nil, "a", reason))
			if _, next, err := c.Events(t.Context(), makings, nil, 2); err != nil || (next == nil) != last {
				t.Errorf("%d: %q, %v", reason, next, err)
			}
		}
	})
	t.Run("what is asked for", func(t *testing.T) {
		c, asked := eventNode(t, nil, eventFrame(nil, "a", 3))
		if _, _, err := c.Events(t.Context(), makings, []byte("z"), 5000); err != nil {
			t.Fatal(err)
		}
		text := string(*asked)
		for _, part := range []string{"event_index", alice.String(), made, "0x8::pool",
			string(appendBytes(nil, 5, appendNumber(appendBytes(appendNumber(nil, 1, maxEvents), 3, []byte("z")), 4, 1)))} {
			if !strings.Contains(text, part) {
				t.Errorf("%q is not in %q", part, text)
			}
		}
	})
	t.Run("a node without the service says so", func(t *testing.T) {
		c, _ := eventNode(t, status.Error(codes.Unimplemented, "unknown method"))
		_, _, err := c.Events(t.Context(), makings, nil, 2)
		wants(t, "unimplemented", err, fault.ProviderRefused)
		if fault.As(err).Detail.Get("code") != "Unimplemented" {
			t.Error(fault.As(err).Detail)
		}
	})
	t.Run("an outage, also in the middle", func(t *testing.T) {
		c, _ := eventNode(t, status.Error(codes.Unavailable, "down"), eventFrame(tellEvent(1, 9, nil), "c", 0))
		_, _, err := c.Events(t.Context(), makings, nil, 2)
		wants(t, "outage", err, fault.ProviderUnavailable)
	})
	t.Run("a caller that is gone", func(t *testing.T) {
		c, _ := eventNode(t, nil)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, err := c.Events(ctx, makings, nil, 2)
		wants(t, "gone", err, fault.RequestAborted)
	})
}

func TestEventsOfALyingNode(t *testing.T) {
	end := eventFrame(nil, "a", 3)
	one := func(e []byte) [][]byte { return [][]byte{eventFrame(e, "c", 0), end} }
	edited := func(edit func(*pb.Event)) [][]byte { return one(tellEvent(1, 9, edit)) }
	bare, err := proto.Marshal(&pb.Event{PackageId: ptr("0x8"), Module: ptr("m"), Sender: ptr(alice.String()),
		EventType: ptr(made)})
	if err != nil {
		t.Fatal(err)
	}
	idle := make([][]byte, 2*idleFrames)
	for i := range idle {
		idle[i] = eventFrame(nil, "a", 0)
	}
	idle = append(idle, end)
	somewhere := appendBytes(slices.Clone(bare), fieldEventTransaction, []byte(digestOf(7).String()))
	for name, frames := range map[string][][]byte{
		"an event of another package": edited(func(e *pb.Event) {
			e.EventType = ptr(strings.Replace(made, "2c::", "2d::",
				1))
		}),
		"an event of another sender": edited(func(e *pb.Event) { e.Sender = ptr(bob.String()) }),
		"one event twice": {eventFrame(tellEvent(1, 9, nil), "c", 0), eventFrame(tellEvent(1, 9, nil), "b", 0),
			end},
		"the oldest first": {eventFrame(tellEvent(1, 9, nil), "c", 0), eventFrame(tellEvent(2, 10, nil), "b", 0),
			end},
		"more than asked for": {eventFrame(tellEvent(3, 9, nil), "c", 0), eventFrame(tellEvent(2, 9, nil), "c", 0),
			eventFrame(tellEvent(1, 9, nil), "b", 0), end},
		"frames without end":           idle,
		"no end":                       {eventFrame(tellEvent(1, 9, nil), "c", 0)},
		"a page that does not advance": {eventFrame(nil, "z", 1)},
		"no cursor":                    {eventFrame(nil, "", 1)},
		"a cursor that is too long":    {eventFrame(nil, strings.Repeat("x", maxPageToken+1), 1)},
		"a strange type":               edited(func(e *pb.Event) { e.EventType = ptr("<>") }),
		"a strange package":            edited(func(e *pb.Event) { e.PackageId = ptr("zero") }),
		"no module":                    edited(func(e *pb.Event) { e.Module = nil }),
		"a huge value":                 edited(func(e *pb.Event) { e.Contents.Value = make([]byte, maxContents+1) }),
		"no place":                     one(bare),
		"no index":                     one(appendNumber(slices.Clone(somewhere), fieldEventCheckpoint, 9)),
		"no checkpoint":                one(appendNumber(slices.Clone(somewhere), fieldEventIndex, 1)),
		"a strange transaction":        one(appendBytes(tellEvent(1, 9, nil), fieldEventTransaction, []byte("0OIl"))),
		"a number that is too large":   one(appendNumber(tellEvent(1, 9, nil), fieldEventIndex, 1<<40)),
		"bytes that are no event":      one([]byte{0xff}),
		"a mark that is cut off":       {appendBytes(nil, 2, protowire.AppendTag(nil, 1, protowire.BytesType))},
	} {
		t.Run("R004-111 "+name, func(t *testing.T) {
			c, _ := eventNode(t, nil, frames...)
			events, next, err := c.Events(t.Context(), makings, []byte("z"), 2)
			if errors.Is(err, context.DeadlineExceeded) || fault.Is(err, fault.ProviderUnavailable) {
				t.Fatalf("%v after %d events", err, len(events))
			}
			wants(t, name, err, fault.ProviderMismatch)
			if next != nil || events != nil {
				t.Error(events, next)
			}
		})
	}
}

func TestPresent(t *testing.T) {
	absent := &pb.GetObjectResult{Result: &pb.GetObjectResult_Error{Error: status.New(codes.NotFound, "gone").Proto()}}
	there := &pb.GetObjectResult{Result: &pb.GetObjectResult_Object{Object: coinObject(2, 5)}}
	broken := &pb.GetObjectResult{Result: &pb.GetObjectResult_Error{Error: status.New(codes.Internal, "sick").Proto()}}
	ids := []sui.ObjectID{{1}, {2}}
	c := client(t, &pb.BatchGetObjectsResponse{Objects: []*pb.GetObjectResult{absent, there}}, nil)
	if objects, err := c.Present(t.Context(), ids); err != nil || len(objects) != 1 || objects[0].Ref.ID != ids[1] {
		t.Errorf("%+v, %v", objects, err)
	}
	if _, err := c.Objects(t.Context(), ids); !fault.Is(err, fault.ProviderRefused) {
		t.Errorf("the whole: %v", err)
	}
	c = client(t, &pb.BatchGetObjectsResponse{Objects: []*pb.GetObjectResult{broken, there}}, nil)
	if _, err := c.Present(t.Context(), ids); !fault.Is(err, fault.ProviderRefused) {
		t.Errorf("what is not an absence: %v", err)
	}
}
