package lies

import (
	"errors"
	"strconv"
	"unicode/utf8"

	_ "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2" // message descriptors
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// shape describes a field of a message.
type shape struct {
	name    string
	kind    Kind
	message string // full name of a Message
	many    bool
	signed  bool
}

// young lists fields that the generated stubs do not have yet.
var young = map[string]map[protowire.Number]shape{
	"sui.rpc.v2.Balance": {4: {name: "address_balance", kind: Number}, 5: {name: "coin_balance", kind: Number}},
	"sui.rpc.v2.Event": {
		7: {name: "checkpoint", kind: Number}, 8: {name: "transaction_digest", kind: Text}, 10: {name: "event_index",
			kind: Number},
	},
	"sui.rpc.v2.ListEventsResponse": {
		1: {name: "event", kind: Message, message: "sui.rpc.v2.Event"},
		2: {name: "watermark", kind: Message, message: "sui.rpc.v2.Watermark"},
		3: {name: "end", kind: Message, message: "sui.rpc.v2.QueryEnd"},
	},
	"sui.rpc.v2.Watermark": {1: {name: "cursor", kind: Bytes}},
	"sui.rpc.v2.QueryEnd":  {1: {name: "reason", kind: Number}},
}

// method returns the full names of a method's request and response.
func method(service, name string) (request, answer string) {
	if name == "ListEvents" {
		return "", "sui.rpc.v2.ListEventsResponse"
	}
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return "", ""
	}
	if s, ok := d.(protoreflect.ServiceDescriptor); ok {
		if m := s.Methods().ByName(protoreflect.Name(name)); m != nil {
			return string(m.Input().FullName()), string(m.Output().FullName())
		}
	}
	return "", ""
}

// shapeOf finds a field of a message.
func shapeOf(message string, n protowire.Number) (shape, bool) {
	if s, ok := young[message][n]; ok {
		return s, true
	}
	d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(message))
	if err != nil {
		return shape{}, false
	}
	m, ok := d.(protoreflect.MessageDescriptor)
	if !ok {
		return shape{}, false
	}
	f := m.Fields().ByNumber(n)
	if f == nil {
		return shape{}, false
	}
	s := shape{name: string(f.Name()), kind: Number, many: f.Cardinality() == protoreflect.Repeated}
	switch f.Kind() {
	case protoreflect.MessageKind:
		s.kind, s.message = Message, string(f.Message().FullName())
	case protoreflect.StringKind:
		s.kind = Text
	case protoreflect.BytesKind:
		s.kind = Bytes
	case protoreflect.BoolKind:
		s.kind = Truth
	case protoreflect.Int32Kind, protoreflect.Int64Kind:
		s.signed = true
	}
	return s, true
}

var errWire = errors.New("lies: a message cannot be read")

// decodeWire reads a protobuf message with a known name.
func decodeWire(message string, b []byte) (*node, error) {
	root := &node{kind: Message}
	lists := map[protowire.Number]*node{}
	for len(b) > 0 {
		number, wire, used := protowire.ConsumeTag(b)
		if used < 0 {
			return nil, errWire
		}
		b = b[used:]
		if used = protowire.ConsumeFieldValue(number, wire, b); used < 0 {
			return nil, errWire
		}
		n, many, err := decodeField(message, number, wire, b[:used])
		if err != nil {
			return nil, err
		}
		b = b[used:]
		if !many {
			root.parts = append(root.parts, n)
			continue
		}
		if lists[number] == nil {
			lists[number] = &node{name: n.name, kind: List, number: number}
			root.parts = append(root.parts, lists[number])
		}
		lists[number].parts = append(lists[number].parts, n)
	}
	return root, nil
}

func decodeField(message string, number protowire.Number, wire protowire.Type, b []byte) (n *node, many bool,
	err error) {
	s, known := shapeOf(message, number)
	if !known {
		s = shape{name: "#" + strconv.Itoa(int(number)), kind: Number}
	}
	n = &node{name: s.name, kind: s.kind, number: number, wire: wire, signed: s.signed}
	switch wire {
	case protowire.VarintType:
		n.value, _ = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		v, _ := protowire.ConsumeFixed32(b)
		n.value = uint64(v)
	case protowire.Fixed64Type:
		n.value, _ = protowire.ConsumeFixed64(b)
	case protowire.BytesType:
		v, _ := protowire.ConsumeBytes(b)
		switch {
		case s.kind == Message:
			inner, err := decodeWire(s.message, v)
			if err != nil {
				return nil, false, err
			}
			n.parts = inner.parts
		case s.kind == Text && utf8.Valid(v):
			n.text = string(v)
		default:
			n.kind, n.bytes = Bytes, append([]byte{}, v...)
		}
	default:
		return nil, false, errWire
	}
	return n, s.many, nil
}

// encodeWire writes a message's fields.
func encodeWire(m *node) []byte {
	var b []byte
	for _, n := range m.parts {
		if n.kind == List {
			b = append(b, encodeWire(n)...)
			continue
		}
		b = protowire.AppendTag(b, n.number, n.wire)
		switch n.wire {
		case protowire.VarintType:
			b = protowire.AppendVarint(b, n.value)
		case protowire.Fixed32Type:
			b = protowire.AppendFixed32(b, uint32(n.value))
		case protowire.Fixed64Type:
			b = protowire.AppendFixed64(b, n.value)
		default:
			switch n.kind {
			case Message:
				b = protowire.AppendBytes(b, encodeWire(n))
			case Text:
				b = protowire.AppendString(b, n.text)
			default:
				b = protowire.AppendBytes(b, n.bytes)
			}
		}
	}
	return b
}
