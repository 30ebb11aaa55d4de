package deepbook

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestManagerReadsEqualVectors(t *testing.T) {
	b, err := os.ReadFile("testdata/deepbook-ptb-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		DeepBook struct {
			Sender  sui.Address
			Manager struct {
				ID      sui.ObjectID
				Version uint64 `json:"initial_shared_version"`
			} `json:"balance_manager"`
			Vectors []struct {
				Name string
				Kind string `json:"transaction_kind_bcs"`
			}
		}
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	vectors := map[string]string{}
	for _, v := range f.DeepBook.Vectors {
		vectors[v.Name] = v.Kind
	}
	pool, _ := registry.PoolByKey("SUI_USDC")
	manager := sui.SharedInput{ID: f.DeepBook.Manager.ID, InitialVersion: f.DeepBook.Manager.Version}
	for name, read := range map[string]managedRead{
		"read account_exists SUI_USDC": existsRead, "read locked_balance SUI_USDC": lockedRead,
		"read get_account_order_details SUI_USDC": ordersRead, "read balance_manager::balance<SUI>": baseRead,
	} {
		checkKind(t, name, vectors[name], managed(pool, pool.InitialSharedVersion, manager, newest(), read))
	}
	node := &canned{simulations: []sui.Simulation{returns([]sui.ReturnValue{{BCS: []byte{0}}})}}
	if _, err := NewInventory(node.reader(), nil).registered(t.Context(), f.DeepBook.Sender); err != nil {
		t.Fatal(err)
	}
	checkKind(t, "registry", vectors["read get_balance_manager_ids"], node.asked[0].Kind())
}

// An order in a node's answer is decoded field by field. Anything unexpected is reported as the node's
// error.
func TestOrderShapes(t *testing.T) {
	manager := sui.MustAddress("0x33")
	order := append([]byte{1}, manager[:]...)
	order = append(order, make([]byte, 16+3*8+1+9+8+1+8)...)
	copy(order[33+8:], []byte{7})    // the price of a bid, 7
	copy(order[33+16+8:], []byte{9}) // its quantity, 9
	id := OrderID{Hi: 7}
	read := func(edit func([]byte) []byte, ids ...OrderID) error {
		known := map[OrderID]bool{}
		for _, id := range ids {
			known[id] = true
		}
		a := PoolAccount{Manager: manager}
		b := append([]byte{}, order...)
		return a.orders(&values{rest: edit(b)}, known)
	}
	same := func(b []byte) []byte { return b }
	if err := read(same, id); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"an order that the account lacks": read(same),
		"an order that the details lack":  read(same, id, OrderID{Hi: 8}),
		"another manager's":               read(func(b []byte) []byte { b[1] = 1; return b }, id),
		"filled beyond its quantity":      read(func(b []byte) []byte { b[33+16+16] = 10; return b }, id),
		"a truth value that is none":      read(func(b []byte) []byte { b[33+16+24] = 2; return b }, id),
		"bytes left over":                 read(func(b []byte) []byte { return append(b, 0) }, id),
		"bytes missing":                   read(func(b []byte) []byte { return b[:len(b)-1] }, id),
		"a length that cannot be":         read(func(b []byte) []byte { b[0] = 127; return b }, id),
		"nothing":                         read(func([]byte) []byte { return nil }),
	} {
		if !fault.Is(err, fault.ProviderMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text := (OrderID{Hi: 1 << 63, Lo: 5}).String(); text != "170141183460469231731687303715884105733" {
		t.Error(text)
	}
}
