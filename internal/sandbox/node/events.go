package node

import (
	"encoding/binary"
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ledgerWithEvents returns the stubs' ledger service with ListEvents, which is newer. Its messages are
// encoded field by field. An empty message carries them as unknown fields.
func ledgerWithEvents(s *Server) *grpc.ServiceDesc {
	d := pb.LedgerService_ServiceDesc
	d.Streams = append(slices.Clone(d.Streams), grpc.StreamDesc{
		StreamName: "ListEvents", ServerStreams: true,
		Handler: func(_ any, stream grpc.ServerStream) error {
			var q emptypb.Empty
			if err := stream.RecvMsg(&q); err != nil {
				return err
			}
			frames, err := s.listEvents(q.ProtoReflect().GetUnknown())
			if err != nil {
				return err
			}
			for _, b := range frames {
				var frame emptypb.Empty
				frame.ProtoReflect().SetUnknown(b)
				if err := stream.SendMsg(&frame); err != nil {
					return err
				}
			}
			return nil
		},
	})
	return &d
}

// Reasons why a page of events ends, as numbered by the service.
const (
	endItemLimit       = 1
	endCheckpointBound = 3
	endCursorBound     = 4
	endLedgerTip       = 5
)

// eventsPage is a parsed ListEventsRequest. Positions count events from 1; after and before are
// exclusive.
type eventsPage struct {
	mask          *fieldmaskpb.FieldMask
	matches       func(ledger.Logged) bool
	start, end    *uint64 // checkpoints; end is exclusive
	after, before *uint64 // positions
	limit         int
	descending    bool
}

// listEvents returns the frames of one answer.
func (s *Server) listEvents(query []byte) ([][]byte, error) {
	if s.faults.Take("ListEvents", faults.LackEvents) != nil {
		return nil, status.Error(codes.Unimplemented, "unknown method ListEvents")
	}
	p, err := parseEventsPage(query)
	if err != nil {
		return nil, err
	}
	log, tip := s.ledger.Events()
	var positions []uint64
	for i, e := range log {
		if p.covers(uint64(i+1), e.Checkpoint) && p.matches(e) {
			positions = append(positions, uint64(i+1))
		}
	}
	if p.descending {
		slices.Reverse(positions)
	}
	full := len(positions) >= p.limit
	if full {
		positions = positions[:p.limit]
	}
	foreign, other := s.faults.Take("ListEvents", faults.ForeignEvent) != nil, s.faults.Take("ListEvents",
		faults.OtherSender) != nil
	var frames [][]byte
	for i, at := range positions {
		w, err := wireEvent(log[at-1], p.mask, foreign, other)
		if err != nil {
			return nil, err
		}
		frame := appendMessage(appendMessage(nil, 1, w), 2, watermark(at, nil))
		if full && i == len(positions)-1 {
			frame = appendMessage(frame, 3, appendVarint(nil, 1, endItemLimit))
		}
		frames = append(frames, frame)
	}
	if !full {
		reason, mark := p.bound(uint64(len(log)), tip)
		frames = append(frames, appendMessage(appendMessage(nil, 2, mark), 3, appendVarint(nil, 1, reason)))
	}
	if s.faults.Take("ListEvents", faults.StuckEvents) != nil {
		from := uint64(len(log) + 1)
		if p.before != nil {
			from = *p.before
		}
		return [][]byte{appendMessage(appendMessage(nil, 2, watermark(from, nil)), 3, appendVarint(nil, 1, endItemLimit))},
			nil
	}
	return frames, nil
}

// covers reports whether a position is within the bounds.
func (p eventsPage) covers(at, checkpoint uint64) bool {
	return (p.after == nil || at > *p.after) && (p.before == nil || at < *p.before) &&
		(p.start == nil || checkpoint >= *p.start) && (p.end == nil || checkpoint < *p.end)
}

// bound returns why and where a page ended before it was full.
func (p eventsPage) bound(last, tip uint64) (reason uint64, mark []byte) {
	switch {
	case p.descending && p.after != nil:
		return endCursorBound, watermark(*p.after, nil)
	case p.descending:
		return endCheckpointBound, watermark(0, new(uint64(0)))
	case p.before != nil:
		return endCursorBound, watermark(*p.before, nil)
	case p.end != nil:
		return endCheckpointBound, watermark(last, nil)
	}
	return endLedgerTip, watermark(last, &tip)
}

// watermark encodes how far an answer got: a cursor, and the newest checkpoint if it reached the
// end.
func watermark(at uint64, checkpoint *uint64) []byte {
	b := appendMessage(nil, 1, binary.BigEndian.AppendUint64(nil, at))
	if checkpoint != nil {
		b = appendVarint(b, 2, *checkpoint)
	}
	return b
}

// eventPlaces lists the fields with an event's position, which the stubs do not have: their names
// in masks, and their numbers.
var eventPlaces = [...]struct {
	name   string
	number protowire.Number
}{{"checkpoint", 7}, {"transaction_digest", 8}, {"event_index", 10}}

// wireEvent encodes one event, limited to the mask. foreign falsifies its package, and other its
// sender.
func wireEvent(e ledger.Logged, mask *fieldmaskpb.FieldMask, foreign, other bool) ([]byte, error) {
	stranger := sui.Address(bcs.Hash("say-ur-intent/sandbox/stranger", nil))
	if other {
		e.Sender = stranger
	}
	if foreign {
		e.Type = stranger.String() + e.Type[66:]
	}
	w := &pb.Event{
		PackageId: new(e.Package.String()), Module: new(e.Module), Sender: new(e.Sender.String()), EventType: new(e.Type),
		Contents: &pb.Bcs{Name: new(e.Type), Value: e.Contents},
	}
	known, places := &fieldmaskpb.FieldMask{}, map[string]bool{}
	for _, path := range mask.GetPaths() {
		switch path {
		case "checkpoint", "transaction_digest", "event_index":
			places[path] = true
		case "transaction_index": // not counted in the sandbox
		default:
			known.Paths = append(known.Paths, path)
		}
	}
	if err := cut(w, known, "event_type"); err != nil {
		return nil, err
	}
	b, err := proto.Marshal(w)
	if err != nil {
		return nil, err
	}
	all := slices.Contains(mask.GetPaths(), "*")
	for _, f := range eventPlaces {
		if !all && !places[f.name] {
			continue
		}
		switch f.name {
		case "checkpoint":
			b = appendVarint(b, f.number, e.Checkpoint)
		case "transaction_digest":
			b = appendMessage(b, f.number, []byte(e.Tx.String()))
		default:
			b = appendVarint(b, f.number, uint64(e.Index))
		}
	}
	return b, nil
}

// appendMessage appends a field of bytes, string or message type.
func appendMessage(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

// appendVarint appends a numeric field.
func appendVarint(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}
