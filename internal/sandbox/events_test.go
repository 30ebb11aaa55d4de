package sandbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// events requests a page and reads its frames.
func (n *served) events(t testing.TB, query []byte) (indexes []string, reason uint64, cursor []byte, err error) {
	t.Helper()
	stream, err := n.conn.NewStream(within(t), &grpc.StreamDesc{ServerStreams: true},
		"/sui.rpc.v2.LedgerService/ListEvents")
	if err != nil {
		return nil, 0, nil, err
	}
	var q emptypb.Empty
	q.ProtoReflect().SetUnknown(query)
	if err := stream.SendMsg(&q); err != nil {
		t.Fatal(err)
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	for {
		var m emptypb.Empty
		if err := stream.RecvMsg(&m); err != nil {
			return nil, 0, nil, err
		}
		frame := fields(t, m.ProtoReflect().GetUnknown())
		if one := frame[1]; len(one) > 0 {
			contents := fields(t, fields(t, one[0])[5][0])
			indexes = append(indexes, sui.ObjectID(contents[2][0][:32]).String()[62:])
		}
		cursor = fields(t, frame[2][0])[1][0]
		if end := frame[3]; len(end) > 0 {
			reason, _ := protowire.ConsumeVarint(fields(t, end[0])[1][0])
			return indexes, reason, cursor, nil
		}
	}
}

// fields reads a message into the values of each field, in order; numbers stay encoded.
func fields(t testing.TB, b []byte) map[protowire.Number][][]byte {
	t.Helper()
	all := map[protowire.Number][][]byte{}
	for len(b) > 0 {
		n, kind, used := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(n, kind, b[max(used, 0):])
		if used < 0 || size < 0 {
			t.Fatalf("%x is no message", b)
		}
		v := b[used : used+size]
		if kind == protowire.BytesType {
			v, _ = protowire.ConsumeBytes(v)
		}
		all[n], b = append(all[n], v), b[used+size:]
	}
	return all
}

// eventLiteral writes one literal of a filter.
func eventLiteral(n protowire.Number, value string, not bool) []byte {
	var b []byte
	if not {
		b = varint(b, 1, 1)
	}
	return message(b, n, message(nil, 1, []byte(value)))
}

// eventTerm writes a filter of one term.
func eventTerm(literals ...[]byte) []byte {
	var term []byte
	for _, l := range literals {
		term = message(term, 1, l)
	}
	return message(nil, 1, term)
}

func TestListEvents(t *testing.T) {
	n := start(t, Config{})
	friend := sui.MustAddress("0xf41e4d")
	for i, m := range []ledger.Manager{{Owner: Account}, {Owner: friend}, {Owner: friend, Maker: Account}} {
		m.ID = sui.ObjectID{31: byte(i + 1)}
		if _, err := n.OpenManager(m); err != nil {
			t.Fatal(err)
		}
	}
	raw, signature := n.signed(t, n.swapTx(t, "SUI_USDC", 10_000_000_000, 1, nil))
	if _, err := n.Execute(raw, [][]byte{signature}); err != nil {
		t.Fatal(err)
	}
	mask := message(message(nil, 1, []byte("event_type")), 1, []byte("contents"))
	ask := func(filter, options []byte) ([]string, uint64, []byte) {
		t.Helper()
		q := message(message(nil, 1, mask), 5, options)
		if filter != nil {
			q = message(q, 4, filter)
		}
		ids, reason, cursor, err := n.events(t, q)
		if err != nil {
			t.Fatal(err)
		}
		return ids, reason, cursor
	}
	original := registry.OriginalPackage.String()
	made := eventLiteral(4, registry.EventType("balance_manager", "BalanceManagerEvent"), false)
	mine := eventLiteral(2, Account.String(), false)
	bare := eventLiteral(3, registry.Packages()[0].ID.String()+"::balance_manager", false)
	for _, c := range []struct {
		name   string
		filter []byte
		want   []string
	}{
		{"by sender, not by owner", eventTerm(made, mine, bare), []string{"0001", "0003"}},
		{"a module cut short", eventTerm(made, eventLiteral(3, registry.Packages()[0].ID.String(), false), eventLiteral(2,
			friend.String(), false)), []string{"0002"}},
		{"negated", eventTerm(made, eventLiteral(3, registry.Packages()[0].ID.String()+"::pool", true)), []string{"0001",
			"0002", "0003"}},
		{"a type cut short, another address", eventTerm(eventLiteral(4, "0x2", false)), nil},
		{"half a name is none", eventTerm(eventLiteral(4, original+"::balance", false)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ids, reason, _ := ask(c.filter, nil)
			if d := cmp.Diff(c.want, ids); d != "" || reason != 5 {
				t.Error(d, reason)
			}
		})
	}
	t.Run("a swap's temporary manager and its fills are there", func(t *testing.T) {
		all, _, _ := ask(nil, nil)
		managers, _, _ := ask(eventTerm(made), nil)
		if len(managers) != 4 || len(all) < 6 {
			t.Errorf("%d of %d", len(managers), len(all))
		}
	})
	t.Run("pages join up, either way", func(t *testing.T) {
		first, reason, cursor := ask(eventTerm(made, bare), varint(nil, 1, 2))
		if d := cmp.Diff([]string{"0001", "0002"}, first); d != "" || reason != 1 {
			t.Error(d, reason)
		}
		rest, reason, _ := ask(eventTerm(made, bare), message(varint(nil, 1, 2), 2, cursor))
		if d := cmp.Diff([]string{"0003"}, rest); d != "" || reason != 5 {
			t.Error(d, reason)
		}
		back, reason, cursor := ask(eventTerm(made, bare), varint(varint(nil, 1, 2), 4, 1))
		if d := cmp.Diff([]string{"0003", "0002"}, back); d != "" || reason != 1 {
			t.Error(d, reason)
		}
		rest, reason, _ = ask(eventTerm(made, bare), varint(message(varint(nil, 1, 2), 3, cursor), 4, 1))
		if d := cmp.Diff([]string{"0001"}, rest); d != "" || reason != 3 {
			t.Error(d, reason)
		}
	})
	t.Run("what is no query is refused", func(t *testing.T) {
		for name, q := range map[string][]byte{
			"no terms": message(nil, 4, nil), "no literals": message(nil, 4, message(nil, 1, nil)),
			"another predicate": message(nil, 4, eventTerm(eventLiteral(5, "0x1", false))),
			"no address":        message(nil, 4, eventTerm(eventLiteral(2, "me", false))),
			"an odd cursor":     message(nil, 5, message(nil, 2, []byte("x"))),
			"an unknown path":   message(nil, 1, message(nil, 1, []byte("nonsense"))),
		} {
			if _, _, _, err := n.events(t, q); status.Code(err) != codes.InvalidArgument {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("a node that lacks it, and one that fails", func(t *testing.T) {
		for kind, want := range map[faults.Kind]codes.Code{faults.LackEvents: codes.Unimplemented,
			faults.Fail: codes.Unavailable} {
			n.inject(t, faults.Fault{Kind: kind, Method: "ListEvents", Times: 1})
			if _, _, _, err := n.events(t, nil); status.Code(err) != want {
				t.Errorf("%s: %v", kind, err)
			}
		}
	})
}

func message(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

func varint(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}
