package rpc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// LedgerService.ListEvents is newer than the generated stubs, so its messages are encoded and decoded
// here field by field. They are carried in an empty message, whose unknown fields are exactly the bytes
// of the intended message.

const listEvents = "/sui.rpc.v2.LedgerService/ListEvents"

// Limits of a page of events.
const (
	maxEvents   = 1000
	idleFrames  = 1000     // consecutive frames without an event
	maxContents = 16 << 10 // bytes of one event's value
)

// Reasons for which a node ends a page, as numbered by the service.
const (
	endCheckpointBound = 3
	endCursorBound     = 4
	endLedgerTip       = 5
)

// Events lists up to most (1 to 1000) events, newest first, starting at cursor or, if nil, at the
// newest. The cursor of the next page is nil after the oldest event. A page may be short or empty
// without being the last. It returns fault.ProviderMismatch for an event that the filter excludes, a
// repeated event, or a page that does not advance. It returns fault.ProviderRefused with the code
// Unimplemented if the node lacks this service.
func (c *Client) Events(ctx context.Context, f sui.EventFilter, cursor []byte, most int) ([]sui.Event, []byte, error) {
	size := min(max(most, 1), maxEvents)
	question := &emptypb.Empty{}
	question.ProtoReflect().SetUnknown(eventsQuestion(f, cursor, size))
	page, err := call(ctx, c, func(ctx context.Context, q *emptypb.Empty, _ ...grpc.CallOption) (*eventPage, error) {
		return c.streamEvents(ctx, q, size)
	}, question)
	if err != nil {
		return nil, nil, err
	}
	if page.broken != nil {
		return nil, nil, page.broken
	}
	type position struct {
		tx    sui.Digest
		index uint32
	}
	seen := map[position]bool{}
	last := uint64(math.MaxUint64)
	for _, e := range page.events {
		at := position{e.Transaction, e.Index}
		if e.Type != f.Type || e.Sender != f.Sender || seen[at] || e.Checkpoint > last {
			return nil, nil, mismatch("it lists an unrequested event, lists one twice, or does not list the newest first")
		}
		seen[at], last = true, e.Checkpoint
	}
	if page.last {
		return page.events, nil, nil
	}
	if len(page.cursor) == 0 || bytes.Equal(page.cursor, cursor) {
		return nil, nil, mismatch("its list of events does not advance")
	}
	return page.events, page.cursor, nil
}

// eventPage is the part of a page that could be read. broken is set for an invalid answer.
type eventPage struct {
	events []sui.Event
	cursor []byte
	last   bool // there are no older events
	broken error
}

// streamEvents reads the frames of one page up to its end marker.
func (c *Client) streamEvents(ctx context.Context, question *emptypb.Empty, size int) (*eventPage, error) {
	ctx, cancel := context.WithCancel(ctx) // cancels the stream if the page is abandoned
	defer cancel()
	stream, err := c.conn.NewStream(ctx, &grpc.StreamDesc{StreamName: "ListEvents", ServerStreams: true}, listEvents)
	if err != nil {
		return nil, err
	}
	if err := stream.SendMsg(question); err != nil && !errors.Is(err, io.EOF) {
		return nil, err // after io.EOF, RecvMsg returns the reason
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	page := &eventPage{}
	for frames := 0; ; frames++ {
		answer := &emptypb.Empty{}
		if err := stream.RecvMsg(answer); err != nil {
			if errors.Is(err, io.EOF) {
				page.broken = mismatch("its list of events ends early")
				return page, nil
			}
			return nil, err
		}
		end, err := page.frame(answer.ProtoReflect().GetUnknown())
		switch {
		case err != nil:
			page.broken = err
		case len(page.events) > size || frames > size+idleFrames || len(page.cursor) > maxPageToken:
			page.broken = mismatch("a page of events is larger than requested")
		case !end:
			continue
		}
		return page, nil
	}
}

// frame processes one frame of the stream: an event, how far the node has searched, and in the last
// frame why it stopped.
func (p *eventPage) frame(b []byte) (end bool, err error) {
	err = fields(b, func(n protowire.Number, v field) error {
		switch n {
		case 1:
			e, err := eventOf(v.bytes)
			p.events = append(p.events, e)
			return err
		case 2:
			return fields(v.bytes, func(n protowire.Number, v field) error {
				if n == 1 {
					p.cursor = bytes.Clone(v.bytes)
				}
				return nil
			})
		case 3:
			end = true
			return fields(v.bytes, func(n protowire.Number, v field) error {
				if n == 1 { // an unknown reason does not mean that this is the last page
					p.last = v.number == endCheckpointBound || v.number == endCursorBound || v.number == endLedgerTip
				}
				return nil
			})
		}
		return nil
	})
	return end, err
}

// Field numbers of an event's position, which the stubs lack.
const (
	fieldEventCheckpoint  = 7
	fieldEventTransaction = 8
	fieldEventIndex       = 10
)

func eventOf(b []byte) (sui.Event, error) {
	odd := mismatch("an event cannot be read")
	reported := &pb.Event{}
	if proto.Unmarshal(b, reported) != nil || reported.GetModule() == "" || len(reported.GetModule()) > 128 ||
		len(reported.GetContents().GetValue()) > maxContents {
		return sui.Event{}, odd
	}
	e := sui.Event{Module: reported.GetModule(), Contents: reported.GetContents().GetValue()}
	var problems [4]error
	e.Package, problems[0] = sui.ParseAddress(reported.GetPackageId())
	e.Sender, problems[1] = sui.ParseAddress(reported.GetSender())
	typ, err := sui.ParseTypeTag(reported.GetEventType())
	problems[2], e.Type = err, typ.String()
	placed := 0
	err = fields(reported.ProtoReflect().GetUnknown(), func(n protowire.Number, v field) error {
		switch n {
		case fieldEventCheckpoint:
			e.Checkpoint, placed = v.number, placed|1
		case fieldEventTransaction:
			e.Transaction, problems[3] = sui.ParseDigest(string(v.bytes))
			placed |= 2
		case fieldEventIndex:
			if v.number > math.MaxUint32 {
				return odd
			}
			e.Index, placed = uint32(v.number), placed|4
		}
		return nil
	})
	if err != nil || errors.Join(problems[:]...) != nil || placed != 7 || e.Transaction.IsZero() {
		return sui.Event{}, odd
	}
	return e, nil
}

// field is the value of a field: a number or bytes.
type field struct {
	number uint64
	bytes  []byte
}

// fields calls each for every field of a message, in order.
func fields(b []byte, each func(protowire.Number, field) error) error {
	for len(b) > 0 {
		n, kind, used := protowire.ConsumeTag(b)
		if used < 0 {
			return mismatch("a message cannot be read")
		}
		b = b[used:]
		var v field
		switch kind {
		case protowire.VarintType:
			v.number, used = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			v.bytes, used = protowire.ConsumeBytes(b)
		default:
			used = protowire.ConsumeFieldValue(n, kind, b)
		}
		if used < 0 {
			return mismatch("a message cannot be read")
		}
		b = b[used:]
		if err := each(n, v); err != nil {
			return err
		}
	}
	return nil
}

// eventsQuestion encodes a ListEventsRequest for the newest events first.
func eventsQuestion(f sui.EventFilter, cursor []byte, size int) []byte {
	var q, mask, term, options []byte
	for _, path := range []string{
		"package_id", "module", "sender", "event_type", "contents", "checkpoint", "transaction_digest", "event_index",
	} {
		mask = appendBytes(mask, 1, []byte(path))
	}
	literal := func(predicate protowire.Number, value string, not bool) {
		var l []byte
		if not {
			l = appendNumber(l, 1, 1)
		}
		l = appendBytes(l, predicate, appendBytes(nil, 1, []byte(value)))
		term = appendBytes(term, 1, l)
	}
	literal(2, f.Sender.String(), false)
	literal(4, f.Type, false)
	for _, module := range f.NotFrom {
		literal(3, module, true)
	}
	options = appendNumber(options, 1, uint64(size))
	if cursor != nil {
		options = appendBytes(options, 3, cursor) // strictly before it
	}
	options = appendNumber(options, 4, 1) // descending
	q = appendBytes(q, 1, mask)
	q = appendBytes(q, 4, appendBytes(nil, 1, term))
	return appendBytes(q, 5, options)
}

func appendBytes(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

func appendNumber(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}
