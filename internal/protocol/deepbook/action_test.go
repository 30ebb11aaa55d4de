package deepbook

import (
	"encoding/binary"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// written is BCS that a test builds.
type written []byte

func (w written) raw(b ...byte) written      { return append(w, b...) }
func (w written) id(id sui.ObjectID) written { return append(w, id[:]...) }
func (w written) u64(list ...uint64) written {
	for _, n := range list {
		w = binary.LittleEndian.AppendUint64(w, n)
	}
	return w
}

// Senders, managers and pools of the events in this file.
var (
	trader, pooled, purse = sui.MustAddress("0x7a"), sui.MustAddress("0x9001"), sui.MustAddress("0xb111")
	ask                   = OrderID{Hi: askBit | 95, Lo: 3}
)

func happened(module, name string, contents written) sui.Event {
	return sui.Event{Type: registry.EventType(module, name), Sender: trader, Contents: contents}
}

// info returns an order to sell 10 at 95, of which traded was traded immediately.
func info(traded, paid uint64) sui.Event {
	w := written(nil).id(pooled).u64(ask.Lo, ask.Hi).id(purse).u64(0).id(trader).raw(0,
		0).u64(95).raw(0).u64(10).raw(0).u64(0)
	w = w.u64(77, traded, paid).raw(0).raw(0).u64(1, 0, 5).raw(0).raw(0, 0, 1).u64(6)
	return happened("order_info", "OrderInfo", w)
}

func rests(quantity, price uint64) sui.Event {
	w := written(nil).id(purse).id(pooled).u64(ask.Lo, askBit|price).u64(0).id(trader).u64(price).raw(0).u64(quantity, 77,
		6)
	return happened("order_info", "OrderPlaced", w)
}

func fill(base, paid, price uint64, manager sui.ObjectID) sui.Event {
	w := written(nil).id(pooled).u64(9, 9).u64(ask.Lo, ask.Hi).u64(0, 0,
		price).raw(0).u64(1).raw(0).u64(1).raw(0).u64(base, paid)
	return happened("order_info", "OrderFilled", w.id(sui.ObjectID{1}).id(manager).u64(6))
}

func gone() sui.Event {
	w := written(nil).id(purse).id(pooled).u64(ask.Lo, ask.Hi).u64(0).id(trader).u64(95).raw(0).u64(10, 4, 6)
	return happened("order", "OrderCanceled", w)
}

func move(coin string, amount uint64, in byte) sui.Event {
	return happened("balance_manager", "BalanceEvent", append(written(nil).id(purse).raw(byte(len(coin))),
		coin...).u64(amount).raw(in))
}

func TestActions(t *testing.T) {
	made := happened("balance_manager", "BalanceManagerEvent", written(nil).id(purse).id(trader))
	const deep = "deeb7a4662eec9f2f3def03fb937a663dddaa2e215b8078a284d026b7946c270::deep::DEEP"
	changed := happened("order", "OrderModified", written(nil).id(purse).id(pooled).u64(ask.Lo,
		ask.Hi).u64(0).id(trader).u64(95).raw(0).u64(10, 0, 8, 6))
	elsewhere := sui.Event{Type: "0x5::order_info::OrderInfo", Sender: trader, Contents: []byte{1}}
	kind := func(want any, err error) any {
		if err != nil {
			return fault.As(err).Code
		}
		return want
	}
	alone := func(d Actions, n int) error {
		if _, err := d.Orders(); err != nil {
			return err
		}
		if n != 1 || len(d.At()) != 1 {
			return fault.New(fault.InputInvalid, "It is not the only action.")
		}
		return nil
	}
	order := func(d Actions) any {
		list, err := d.Orders()
		if err == nil {
			err = alone(d, len(list))
		}
		if err != nil {
			return kind(nil, err)
		}
		return list[0].ID
	}
	cancel := func(d Actions) any {
		if err := alone(d, len(d.Canceled)); err != nil {
			return kind(nil, err)
		}
		return d.Canceled[0].Gone
	}
	moved := func(d Actions) any {
		if err := alone(d, len(d.Moves)); err != nil {
			return kind(nil, err)
		}
		return d.Moves[0]
	}
	manager := func(d Actions) any {
		if err := alone(d, len(d.Made)); err != nil {
			return kind(nil, err)
		}
		return d.Made[0].Owner
	}
	for _, c := range []struct {
		name   string
		read   func(Actions) any
		want   any
		events []sui.Event
	}{
		{"an order that rests", order, ask, []sui.Event{elsewhere, rests(10, 95), info(0, 0)}},
		{"one that traded in part", order, ask, []sui.Event{rests(4, 95), info(6, 600), fill(2, 210, 105, purse),
			fill(4, 390, 97, purse)}},
		{"one that traded wholly", order, ask, []sui.Event{info(10, 950), fill(10, 950, 95, purse)}},
		{"a cancellation", cancel, sui.Raw(4), []sui.Event{gone()}},
		{"a deposit", moved, BalanceMove{purse, coins.DEEP, 12, true, 0}, []sui.Event{move(deep, 12, 1)}},
		{"a withdrawal", moved, BalanceMove{purse, coins.DEEP, 12, false, 0}, []sui.Event{move(deep, 12, 0)}},
		{"a manager", manager, trader, []sui.Event{made}},
		{"no order", order, fault.InputInvalid, nil},
		{"two orders", order, fault.InputInvalid, []sui.Event{info(0, 0), info(0, 0)}},
		{"an order and a cancellation", order, fault.InputInvalid, []sui.Event{info(0, 0), gone()}},
		{"an order and a withdrawal", order, fault.InputInvalid, []sui.Event{info(0, 0), move(deep, 1, 0)}},
		{"an order, and another one changed", order, fault.InputInvalid, []sui.Event{info(0, 0), changed}},
		{"rests twice", order, fault.InputInvalid, []sui.Event{rests(10, 95), rests(10, 95), info(0, 0)}},
		{"less rests than is left", order, fault.InputInvalid, []sui.Event{rests(9, 95), info(0, 0)}},
		{"rests at another price", order, fault.InputInvalid, []sui.Event{rests(10, 96), info(0, 0)}},
		{"trades at a worse price", order, fault.InputInvalid, []sui.Event{info(10, 940), fill(10, 940, 94, purse)}},
		{"trades more than its fills", order, fault.InputInvalid, []sui.Event{info(10, 950), fill(9, 950, 95, purse)}},
		{"trades for another manager", order, fault.InputInvalid, []sui.Event{info(10, 950), fill(10, 950, 95, pooled)}},
		{"a cancellation and an order that rests", cancel, fault.InputInvalid, []sui.Event{gone(), rests(10, 95)}},
		{"two cancellations", cancel, fault.InputInvalid, []sui.Event{gone(), gone()}},
		{"two moves", moved, fault.InputInvalid, []sui.Event{move(deep, 1, 1), move(deep, 1, 1)}},
		{"a manager and a move", manager, fault.InputInvalid, []sui.Event{made, move(deep, 1, 1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := ReadActions(c.events, trader)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.read(d); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	t.Run("an event of another shape, or of another sender", func(t *testing.T) {
		for _, e := range []sui.Event{info(6, 600), rests(4, 95), fill(1, 1, 1, purse), gone(), move(deep, 1, 1), made} {
			less, more, foreign := e, e, e
			less.Contents, more.Contents = e.Contents[:len(e.Contents)-1], append(append([]byte{}, e.Contents...), 0)
			foreign.Sender = pooled
			for _, bad := range []sui.Event{less, more, foreign} {
				if d, err := ReadActions([]sui.Event{bad}, trader); !fault.Is(err, fault.ProviderMismatch) {
					t.Errorf("%s: %+v %v", e.Type, d, err)
				}
			}
		}
		of := func(e sui.Event, at int, b byte) sui.Event {
			e.Contents = append([]byte{}, e.Contents...)
			e.Contents[at] = b
			return e
		}
		for name, bad := range map[string]sui.Event{
			"a number of the other side": of(info(0, 0), 32+15, 0), "a number of another price": of(info(0, 0), 32+8, 96),
			"another trader": of(info(0, 0), 32+16+32+8, 1), "a side that is neither": of(info(0, 0), 32+16+32+8+32+2+8, 2),
			"more traded than ordered": info(11, 1), "more gone than ordered": of(gone(), 32+32+16+8+32+8+1+8, 11),
			"a coin without a name": move("deep", 1, 1), "a coin with 0x": move("0x"+deep, 1, 1),
		} {
			if d, err := ReadActions([]sui.Event{bad}, trader); !fault.Is(err, fault.ProviderMismatch) {
				t.Errorf("%s: %+v %v", name, d, err)
			}
		}
	})
}

// A manager that a command created belongs to the sender. One that a pool function created belongs to a
// swap.
func TestActionsOfNewManager(t *testing.T) {
	const deep = "deeb7a4662eec9f2f3def03fb937a663dddaa2e215b8078a284d026b7946c270::deep::DEEP"
	stands := sui.MustAddress("0x57a2d5")
	for module, own := range map[string]bool{"balance_manager": true, "pool": false, "vault": false} {
		made := happened("balance_manager", "BalanceManagerEvent", written(nil).id(purse).id(trader))
		made.Module = module
		d, err := ReadActions([]sui.Event{made, move(deep, 12, 1), rests(4, 95), info(6, 600), fill(6, 600, 100, purse)},
			trader)
		if err != nil {
			t.Fatal(err)
		}
		list, err := d.Orders()
		if err != nil || (len(d.Made) == 1) != own || (len(d.Moves) == 1) != own || (len(list) == 1) != own ||
			(d.Swaps == 0) != own {
			t.Errorf("%s: %v %+v", module, err, d)
		}
		if !own {
			continue
		}
		named := d.Renamed(func(int) sui.ObjectID { return stands })
		list, err = named.Orders()
		if err != nil || list[0].Manager != stands || named.Moves[0].Manager != stands || named.Made[0].ID != purse ||
			d.Moves[0].Manager != purse {
			t.Errorf("%v %+v", err, named)
		}
	}
}
