package gate_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
)

// firstOrder makes a manager, fills it and places an order with it.
func firstOrder() plan.Intent {
	return bundle(plan.Intent{Type: "manager-create"},
		plan.Intent{Type: "manager-deposit", ManagerOf: 1, From: plan.IntentSource{Symbol: "SUI", Amount: "10"}},
		plan.Intent{Type: "limit-order", ManagerOf: 1, Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5",
			Quantity: "5"}})
}

// TestFirstOrderBytes changes how the bytes use the new manager: new, split, deposit, proof, order,
// share. Gates that read only bytes must refuse each change.
func TestFirstOrderBytes(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	_, other := testkit.Stage(t, h)
	s := h.Open(firstOrder())
	judged, stop := gate.Judge(ctx, h.Gates(), s)
	if stop != nil {
		t.Fatal(stop)
	}
	if stop := judged.Alone(ctx, judged.Bytes()); stop != nil {
		t.Fatalf("unchanged bytes are refused: %v", stop)
	}
	const make, split, deposit, proof, order, share = 0, 1, 2, 3, 4, 5
	call := func(tx *sui.Transaction, at int, change func(*sui.MoveCall)) {
		c := tx.Commands[at].(sui.MoveCall)
		c.Arguments, c.TypeArgs = slices.Clone(c.Arguments), slices.Clone(c.TypeArgs)
		change(&c)
		tx.Commands[at] = c
	}
	// shift names the results of commands by where they are after one was moved.
	shift := func(tx *sui.Transaction, where func(uint16) uint16) {
		for i := range tx.Commands {
			if c, ok := tx.Commands[i].(sui.MoveCall); ok {
				c.Arguments = slices.Clone(c.Arguments)
				for n, a := range c.Arguments {
					if a.Kind == sui.ArgResult || a.Kind == sui.ArgNestedResult {
						c.Arguments[n].Index = where(a.Index)
					}
				}
				tx.Commands[i] = c
			}
		}
	}
	move := func(tx *sui.Transaction, from, to int) {
		c := tx.Commands[from]
		tx.Commands = slices.Insert(slices.Delete(tx.Commands, from, from+1), to, c)
		shift(tx, func(n uint16) uint16 {
			switch i := int(n); {
			case i == from:
				return uint16(to)
			case from < i && i <= to:
				return n - 1
			case to <= i && i < from:
				return n + 1
			}
			return n
		})
	}
	add := func(tx *sui.Transaction, in sui.Input) sui.Argument {
		tx.Inputs = append(tx.Inputs, in)
		return sui.InputArg(len(tx.Inputs) - 1)
	}
	holder, err := deepbook.NewInventory(h.Pools, h.Node).Holder(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	existing := managed.Input(holder)
	stands := sui.SharedInput{ID: plan.Made(1), InitialVersion: 1, Mutable: true}
	mine, his := sui.PureAddress(sandbox.Account), sui.PureAddress(thief)
	give := func(tx *sui.Transaction, to sui.Input) sui.TransferObjects {
		return sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(make)}, Recipient: add(tx, to)}
	}
	hand := func(tx *sui.Transaction, to sui.Input) sui.MoveCall {
		c := tx.Commands[share].(sui.MoveCall)
		c.Function, c.Arguments = "public_transfer", []sui.Argument{sui.ResultArg(make), add(tx, to)}
		return c
	}
	for name, edit := range map[string]func(*sui.Transaction){
		"used before it is made":  func(tx *sui.Transaction) { move(tx, make, deposit) },
		"shared before every use": func(tx *sui.Transaction) { move(tx, share, make+1) },
		"shared before the order": func(tx *sui.Transaction) { move(tx, share, proof) },
		"shared twice":            func(tx *sui.Transaction) { tx.Commands = append(tx.Commands, tx.Commands[share]) },
		"shared at once and at the end": func(tx *sui.Transaction) {
			tx.Commands = append(tx.Commands, tx.Commands[share])
			move(tx, share+1, make+1)
		},
		"never shared":                   func(tx *sui.Transaction) { tx.Commands = tx.Commands[:share] },
		"given to somebody else":         func(tx *sui.Transaction) { tx.Commands[share] = give(tx, his) },
		"given to the account":           func(tx *sui.Transaction) { tx.Commands[share] = give(tx, mine) },
		"shared and then given away":     func(tx *sui.Transaction) { tx.Commands = append(tx.Commands, give(tx, his)) },
		"given away by a call":           func(tx *sui.Transaction) { tx.Commands[share] = hand(tx, his) },
		"given to the account by a call": func(tx *sui.Transaction) { tx.Commands[share] = hand(tx, mine) },
		"frozen": func(tx *sui.Transaction) {
			call(tx, share, func(c *sui.MoveCall) { c.Function = "public_freeze_object" })
		},
		"shared as another type": func(tx *sui.Transaction) {
			call(tx, share,
				func(c *sui.MoveCall) { c.TypeArgs[0] = coins.DEEP.Tag() })
		},
		"something else is shared": func(tx *sui.Transaction) {
			call(tx, share, func(c *sui.MoveCall) { c.Arguments[0] = sui.NestedArg(split, 0) })
		},
		"its first part is shared": func(tx *sui.Transaction) {
			call(tx, share, func(c *sui.MoveCall) { c.Arguments[0] = sui.NestedArg(make, 0) })
		},
		"made for somebody else": func(tx *sui.Transaction) {
			call(tx, make, func(c *sui.MoveCall) {
				c.Function, c.Arguments = "new_with_custom_owner",
					[]sui.Argument{add(tx, his)}
			})
		},
		"made by another package": func(tx *sui.Transaction) { call(tx, make, func(c *sui.MoveCall) { c.Package = thief }) },
		"the deposit goes into another one": func(tx *sui.Transaction) {
			in := add(tx, existing)
			call(tx, deposit, func(c *sui.MoveCall) { c.Arguments[0] = in })
		},
		"the order is of another one": func(tx *sui.Transaction) {
			in := add(tx, existing)
			call(tx, proof, func(c *sui.MoveCall) { c.Arguments[0] = in })
			call(tx, order, func(c *sui.MoveCall) { c.Arguments[1] = in })
		},
		"the proof is of another one": func(tx *sui.Transaction) {
			in := add(tx, existing)
			call(tx, proof, func(c *sui.MoveCall) { c.Arguments[0] = in })
		},
		"the order is of another one than the proof": func(tx *sui.Transaction) {
			in := add(tx, existing)
			call(tx, order, func(c *sui.MoveCall) { c.Arguments[1] = in })
		},
		"all is of another one": func(tx *sui.Transaction) {
			in := add(tx, existing)
			call(tx, deposit, func(c *sui.MoveCall) { c.Arguments[0] = in })
			call(tx, proof, func(c *sui.MoveCall) { c.Arguments[0] = in })
			call(tx, order, func(c *sui.MoveCall) { c.Arguments[1] = in })
		},
		"an object that is called as it": func(tx *sui.Transaction) {
			in := add(tx, stands)
			call(tx, deposit, func(c *sui.MoveCall) { c.Arguments[0] = in })
			call(tx, proof, func(c *sui.MoveCall) { c.Arguments[0] = in })
			call(tx, order, func(c *sui.MoveCall) { c.Arguments[1] = in })
		},
		"proved by a trader": func(tx *sui.Transaction) {
			call(tx, proof, func(c *sui.MoveCall) { c.Function = "generate_proof_as_trader" })
		},
		"a cap is made of it": func(tx *sui.Transaction) {
			c := tx.Commands[proof].(sui.MoveCall)
			c.Function = "mint_trade_cap"
			tx.Commands = slices.Insert(tx.Commands, share, sui.Command(c),
				sui.Command(sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(share)}, Recipient: add(tx, his)}))
		},
		"another one is made and given away": func(tx *sui.Transaction) {
			at := len(tx.Commands)
			tx.Commands = append(tx.Commands, tx.Commands[make], sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(at)},
				Recipient: add(tx, his)})
		},
		"another one is made and shared": func(tx *sui.Transaction) {
			at := len(tx.Commands)
			tx.Commands = append(tx.Commands, tx.Commands[make], tx.Commands[share])
			call(tx, at+1, func(c *sui.MoveCall) { c.Arguments[0] = sui.ResultArg(at) })
		},
		"it is emptied before it is shared": func(tx *sui.Transaction) {
			c := tx.Commands[deposit].(sui.MoveCall)
			c.Function, c.Arguments = "withdraw_all", []sui.Argument{sui.ResultArg(make)}
			tx.Commands = slices.Insert(tx.Commands, share, sui.Command(c),
				sui.Command(sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(share)}, Recipient: add(tx, his)}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			change := func(b []byte) []byte {
				tx, err := sui.DecodeTransaction(b)
				if err != nil {
					t.Fatal(err)
				}
				edit(tx)
				raw, err := tx.Encode()
				if err != nil {
					t.Fatal(err)
				}
				return raw
			}
			if stop := judged.Alone(ctx, change(judged.Bytes())); stop == nil ||
				record.StatusOf(stop.Reason) != record.Blocked || stop.Check.Status != plan.CheckFail {
				t.Errorf("the bytes alone: %+v", stop)
			}
			if state := gate.Tampered(ctx, h.Gates(), s, change); state.Status == record.Ready || state.Contract != nil {
				t.Errorf("the whole review: %s", state.Status)
			}
		})
	}
}

// TestFirstOrderProved has a first order's effects proved by validators' signatures, alone and
// after a swap on the same market.
func TestFirstOrderProved(t *testing.T) {
	h, all := stepped(t)
	settled(t, h, firstOrder())
	in := firstOrder()
	in.Steps = append([]plan.Intent{all[0]}, in.Steps...)
	in.Steps[2].ManagerOf, in.Steps[3].ManagerOf = 2, 2
	in.Steps[3].Order.Quantity = "6"
	settled(t, h, in)
}

// TestFirstOrderTwice has a second node repeat the reads and simulations.
func TestFirstOrderTwice(t *testing.T) {
	w := &testkit.Interceptor{}
	h := testkit.Start(t, time.Now, nil)
	h.Connect(sandbox.Account)
	h.Compare(func(s *gate.Second) { w.Simulator, s.Simulator = s.Simulator, w })
	s := h.Ready(firstOrder())
	if c, ok := testkit.Check(s, "second_provider"); !ok || c.Status != plan.CheckPass {
		t.Errorf("%+v", s.State.Checks)
	}
	w.After = func(sim *sui.Simulation) {
		sim.Events = retold(sim.Events, "order_info", "OrderInfo", func(b []byte) []byte { b[inOrderManager] ^= 1; return b })
	}
	if s := h.Compute(h.Open(firstOrder())); s.Status != record.Blocked || s.State.Checks[0].Rule != "C20" {
		t.Errorf("%s %+v", s.Status, s.State.Checks[0])
	}
}

// TestMadeAndShared compares objects created in the simulation with the agreed ones.
func TestMadeAndShared(t *testing.T) {
	w := &testkit.Interceptor{}
	h := testkit.Start(t, time.Now, func(c *review.Config) { w.Simulator, c.Simulator = c.Simulator, w })
	testkit.Stage(t, h)
	manager := sui.StructTag{Address: registry.OriginalPackage, Module: "balance_manager", Name: "BalanceManager"}.String()
	of := func(edit func(*sui.ObjectChange)) func(*sui.Simulation) {
		return func(sim *sui.Simulation) {
			sim.Objects = slices.Clone(sim.Objects)
			for i := range sim.Objects {
				if o := &sim.Objects[i]; o.Type == manager && o.Change == "created" {
					edit(o)
				}
			}
		}
	}
	for _, in := range []plan.Intent{{Type: "manager-create"}, firstOrder()} {
		w.After = nil
		h.Ready(in)
		for name, after := range map[string]func(*sui.Simulation){
			"it stays with nobody":  of(func(o *sui.ObjectChange) { o.Shared = false }),
			"another one is shared": of(func(o *sui.ObjectChange) { o.ID[0] ^= 1 }),
			"none is told of":       of(func(o *sui.ObjectChange) { o.Type = "" }),
			"it was there before":   of(func(o *sui.ObjectChange) { o.Change = "mutated" }),
			"another one is made, too": func(sim *sui.Simulation) {
				sim.Objects = append(slices.Clone(sim.Objects), sui.ObjectChange{ID: thief, Type: manager, Change: "created",
					Output: 9, Shared: true})
			},
			"no object is told of at all": func(sim *sui.Simulation) { sim.Objects = nil },
		} {
			t.Run(in.Type+": "+name, func(t *testing.T) {
				w.After = after
				s := h.Compute(h.Open(in))
				if worst := s.State.Checks[0]; s.Status != record.Blocked || s.Reason != plan.EffectsMismatch ||
					worst.Rule != "C19" ||
					!strings.Contains(worst.Message, "creates or shares objects") {
					t.Errorf("%s %s %+v", s.Status, s.Reason, worst)
				}
			})
		}
	}
	t.Run("an event that is left out or told twice blocks", func(t *testing.T) {
		var events []sui.Event
		w.After = func(sim *sui.Simulation) { events = sim.Events }
		h.Ready(firstOrder())
		for i, e := range events {
			for name, told := range map[string][]sui.Event{
				"left out": slices.Delete(slices.Clone(events), i, i+1), "told twice": append(slices.Clone(events), e),
			} {
				if e.Type == registry.EventType("order_info", "OrderPlaced") && name == "left out" {
					continue // "nothing rests" is also a valid outcome
				}
				w.After = func(sim *sui.Simulation) { sim.Events = told }
				if s := h.Compute(h.Open(firstOrder())); s.Status != record.Blocked || s.Reason != plan.EffectsMismatch {
					t.Errorf("event %d, %s, %s: %s %s", i, e.Type, name, s.Status, s.Reason)
				}
			}
		}
	})
}
