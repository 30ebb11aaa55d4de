//go:build shared

package deepbook

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// recorded is a mainnet transaction with its events.
type recorded struct {
	Digest, Network string
	Sender          sui.Address
	Bytes           []byte `json:"transactionDataBcs"`
	Events          []struct {
		Type     string
		Sender   sui.Address
		Contents []byte `json:"bcs"`
	}
}

func recordings(t *testing.T) []recorded {
	t.Helper()
	b, err := os.ReadFile("../../../../shared/data/real-transactions.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Transactions []recorded }
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	return f.Transactions
}

// events returns the events as a node's client reads them.
func (r recorded) events(t *testing.T) (list []sui.Event) {
	for i, e := range r.Events {
		typ, err := sui.ParseTypeTag(e.Type)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, sui.Event{Type: typ.String(), Sender: e.Sender, Contents: e.Contents, Index: uint32(i)})
	}
	return list
}

// The events of recorded mainnet transactions match the transactions' arguments.
func TestRecordedActions(t *testing.T) {
	orders, cancels, moves, made, alone := 0, 0, 0, 0, 0
	for _, r := range recordings(t) {
		if r.Network != "mainnet" {
			continue
		}
		events := r.events(t)
		d, err := ReadActions(events, r.Sender)
		if err != nil {
			t.Fatalf("%s: %v", r.Digest, err)
		}
		tx, err := sui.DecodeTransaction(r.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		cancels, moves, made = cancels+len(d.Canceled), moves+len(d.Moves), made+len(d.Made)+d.Swaps
		var asked []sui.MoveCall
		for _, c := range tx.Commands {
			if call, ok := c.(sui.MoveCall); ok && call.Function == "place_limit_order" && registry.Published(call.Package) {
				asked = append(asked, call)
			}
		}
		if len(asked) == 0 {
			continue
		}
		if len(asked) != len(d.orders) {
			t.Fatalf("%s: %d orders asked for, %d told", r.Digest, len(asked), len(d.orders))
		}
		for i, call := range asked {
			orders++
			o := d.orders[i]
			number := func(n int) uint64 { v, _ := tx.Inputs[call.Arguments[n].Index].(sui.PureInput).U64(); return v }
			flag := func(n int) bool { v, _ := tx.Inputs[call.Arguments[n].Index].(sui.PureInput).Bool(); return v }
			small := func(n int) byte { return tx.Inputs[call.Arguments[n].Index].(sui.PureInput).Bytes[0] }
			shared := func(n int) sui.ObjectID { return tx.Inputs[call.Arguments[n].Index].(sui.SharedInput).ID }
			if o.Pool != shared(0) || o.Manager != shared(1) || o.ClientID != number(3) || o.Kind != small(4) ||
				o.SelfMatching != small(5) ||
				uint64(o.Price) != number(6) || uint64(o.Quantity) != number(7) || o.IsBid != flag(8) || o.FeeInDeep != flag(9) ||
				o.Expire != number(10) {
				t.Errorf("%s: order %d is told as %+v", r.Digest, i, o)
			}
			if p := d.placed[i]; p.id != o.ID || p.rests != o.Quantity {
				t.Errorf("%s: order %d rests as %+v", r.Digest, i, p)
			}
		}
		if len(d.orders) == 1 && len(d.At()) == 1 {
			alone++
			if o, err := d.Orders(); err != nil || o[0].Rests != o[0].Quantity {
				t.Errorf("%s: %+v %v", r.Digest, o, err)
			}
		}
	}
	if orders < 6 || cancels < 25 || moves < 20 || made < 1 || alone < 3 {
		t.Errorf("read %d orders, %d of them alone, %d cancellations, %d moves, %d managers", orders, alone, cancels, moves,
			made)
	}
}

// In a fill recorded on mainnet, the parts that traded immediately add up.
func TestRecordedFill(t *testing.T) {
	n := 0
	for _, r := range recordings(t) {
		d, err := ReadActions(r.events(t), r.Sender)
		if r.Network != "mainnet" || err != nil || len(d.fills) == 0 || len(d.Moves) > 0 {
			continue
		}
		n++
		if o, err := d.Orders(); err != nil || o[0].Traded != o[0].Quantity || o[0].Rests != 0 ||
			o[0].TradedFor != d.fills[0].paid {
			t.Errorf("%s: %+v %v", r.Digest, o, err)
		}
	}
	if n == 0 {
		t.Error("no fill was read")
	}
}

// An event's type names the package that first defined it.
func TestRecordedEventTypes(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range recordings(t) {
		for _, e := range r.events(t) {
			part := strings.SplitN(e.Type, "::", 3)
			for _, name := range []string{"order_info::OrderInfo", "order_info::OrderPlaced", "order_info::OrderFilled",
				"order_info::OrderFullyFilled",
				"order::OrderCanceled", "balance_manager::BalanceEvent", "balance_manager::BalanceManagerEvent"} {
				if r.Network == "mainnet" && part[1]+"::"+part[2] == name {
					seen[name] = true
					if want := registry.EventType(part[1], part[2]); e.Type != want {
						t.Errorf("%s: pinned as %s, recorded as %s", name, want, e.Type)
					}
				}
			}
		}
	}
	if len(seen) != 7 {
		t.Errorf("recorded: %v", seen)
	}
}
