package gate_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/gate"
)

// every returns an edit of each part of a transaction: each byte of each value,
// each object and each word and argument of each command.
func every(tx *sui.Transaction, manager sui.ObjectID) (list []tampering) {
	for i, in := range tx.Inputs {
		list = append(list, ofInput(i, in, manager)...)
	}
	for i, c := range tx.Commands {
		list = append(list, ofCommand(i, c, tx.Inputs)...)
	}
	return list
}

func ofInput(i int, in sui.Input, manager sui.ObjectID) (list []tampering) {
	add := func(what string, in sui.Input) {
		list = append(list, tampering{fmt.Sprintf("input %d, %s", i, what), always(func(s *builtSwap) { s.Inputs[i] = in })})
	}
	switch in := in.(type) {
	case sui.PureInput:
		for n := range in.Bytes {
			for _, flip := range []byte{1, 0x80, 0xff} {
				b := slices.Clone(in.Bytes)
				b[n] ^= flip
				add(fmt.Sprintf("byte %d by %#x", n, flip), sui.PureInput{Bytes: b})
			}
		}
		add("a byte less", sui.PureInput{Bytes: in.Bytes[1:]})
		add("a byte more", sui.PureInput{Bytes: append(slices.Clone(in.Bytes), 0)})
		add("an address", sui.PureAddress(thief))
	case sui.SharedInput:
		edit := func(what string, f func(in *sui.SharedInput)) {
			f(&in)
			add(what, in)
		}
		was := in
		edit("not for change, or for change", func(in *sui.SharedInput) { in.Mutable = !in.Mutable })
		in = was
		edit("shared at another version", func(in *sui.SharedInput) { in.InitialVersion++ })
		in = was
		edit("an object that is not pinned", func(in *sui.SharedInput) { in.ID = thief })
		in = was
		edit("another manager of the account", func(in *sui.SharedInput) { in.ID = manager })
		p, _ := registry.PoolByKey("WAL_USDC")
		edit("another pool", func(in *sui.SharedInput) {
			in.ID, in.InitialVersion, in.Mutable = p.ID, p.InitialSharedVersion,
				true
		})
	case sui.OwnedInput:
		for what, f := range map[string]func(*sui.ObjectRef){"another coin": func(r *sui.ObjectRef) { r.ID[0] ^= 1 },
			"another version": func(r *sui.ObjectRef) { r.Version++ },
			"other contents":  func(r *sui.ObjectRef) { r.Digest[0] ^= 1 }} {
			ref := in.Ref
			f(&ref)
			add(what, sui.OwnedInput{Ref: ref})
		}
	}
	return list
}

// alike reports whether two arguments are inputs of the same value: exchanging
// them changes nothing.
func alike(a, b sui.Argument, inputs []sui.Input) bool {
	value := func(a sui.Argument) ([]byte, bool) {
		if a.Kind != sui.ArgInput {
			return nil, false
		}
		pure, ok := inputs[a.Index].(sui.PureInput)
		return pure.Bytes, ok
	}
	x, ok := value(a)
	y, both := value(b)
	return ok && both && slices.Equal(x, y)
}

// arguments returns edits of a list of arguments.
func arguments(was []sui.Argument, inputs []sui.Input) (list [][]sui.Argument) {
	for i := range was {
		for _, a := range []sui.Argument{sui.GasCoin, sui.InputArg((int(was[i].Index) + 1) % max(len(inputs), 1)),
			sui.ResultArg(0), sui.NestedArg(0, 1)} {
			if a != was[i] {
				c := slices.Clone(was)
				c[i] = a
				list = append(list, c)
			}
		}
		if i > 0 && !alike(was[i-1], was[i], inputs) {
			c := slices.Clone(was)
			c[i-1], c[i] = c[i], c[i-1]
			list = append(list, c)
		}
	}
	list = append(list, append(slices.Clone(was), sui.GasCoin), append(slices.Clone(was), sui.InputArg(0)))
	if len(was) > 0 {
		list = append(list, was[1:], was[:len(was)-1])
	}
	return list
}

func ofCommand(i int, c sui.Command, inputs []sui.Input) (list []tampering) {
	add := func(what string, c sui.Command) {
		list = append(list, tampering{fmt.Sprintf("command %d, %s", i, what),
			always(func(s *builtSwap) { s.Commands[i] = c })})
	}
	switch c := c.(type) {
	case sui.MoveCall:
		was := c
		for n, args := range arguments(c.Arguments, inputs) {
			c.Arguments = args
			add(fmt.Sprintf("arguments %d", n), c)
		}
		for _, pkg := range []sui.ObjectID{thief, registry.Packages()[1].ID, sui.MustAddress("0x2"), sui.MustAddress("0x3")} {
			if c = was; pkg != c.Package {
				c.Package = pkg
				add("package "+pkg.Short(), c)
			}
		}
		for _, name := range []string{"coin", "pool", "balance_manager", "transfer", "pay"} {
			if c = was; name != c.Module {
				c.Module = name
				add("module "+name, c)
			}
		}
		for _, name := range []string{"burn", "withdraw_all", "generate_proof_as_trader", "cancel_all_orders",
			"place_market_order", "new_with_custom_owner",
			"public_freeze_object", "public_transfer", "public_share_object", "deposit_with_cap", "modify_order"} {
			if c = was; name != c.Function {
				c.Function = name
				add("function "+name, c)
			}
		}
		gem := sui.MustTypeTag("0x7::gem::GEM")
		c = was
		c.TypeArgs = append(slices.Clone(c.TypeArgs), gem)
		add("a type argument more", c)
		for n := range was.TypeArgs {
			for _, tag := range []sui.TypeTag{gem, coins.DEEP.Tag(), sui.MustTypeTag("0x2::coin::Coin<0x7::gem::GEM>")} {
				c = was
				c.TypeArgs = slices.Clone(c.TypeArgs)
				c.TypeArgs[n] = tag
				add(fmt.Sprintf("type argument %d is %s", n, tag), c)
			}
			c = was
			c.TypeArgs = slices.Delete(slices.Clone(c.TypeArgs), n, n+1)
			add(fmt.Sprintf("without type argument %d", n), c)
		}
	case sui.SplitCoins:
		for n, args := range arguments(c.Amounts, inputs) {
			add(fmt.Sprintf("amounts %d", n), sui.SplitCoins{Coin: c.Coin, Amounts: args})
		}
		for n, coin := range []sui.Argument{sui.GasCoin, sui.InputArg(0), sui.ResultArg(0)} {
			if coin != c.Coin {
				add(fmt.Sprintf("coin %d", n), sui.SplitCoins{Coin: coin, Amounts: c.Amounts})
			}
		}
	case sui.MergeCoins:
		for n, args := range arguments(c.Sources, inputs) {
			add(fmt.Sprintf("sources %d", n), sui.MergeCoins{Into: c.Into, Sources: args})
		}
	case sui.TransferObjects:
		for n, args := range arguments(c.Objects, inputs) {
			add(fmt.Sprintf("objects %d", n), sui.TransferObjects{Objects: args, Recipient: c.Recipient})
		}
	}
	return list
}

// Every action's transaction is changed in one place, and everything after the build continues with
// the digest of the changed bytes. The gates that read only bytes must refuse it, and so must the
// whole review.
func TestEveryFieldOfEveryAction(t *testing.T) {
	long.Skip(t, "it changes every field of every action")
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	acts, other := testkit.Stage(t, h)
	try := func(h *testkit.Harness, a testkit.Act) {
		t.Run(a.Name, func(t *testing.T) {
			s := h.Open(a.Intent)
			judged, stop := gate.Judge(ctx, h.Gates(), s)
			if stop != nil {
				t.Fatalf("%v", stop)
			}
			if stop := judged.Alone(ctx, judged.Bytes()); stop != nil {
				t.Fatalf("unchanged bytes are refused: %v", stop)
			}
			tx, err := sui.DecodeTransaction(judged.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			tried := 0
			for n, m := range slices.Concat(every(tx, other), frame(), orders()) {
				raw, applies := tamper(t, judged.Bytes(), m)
				if !applies {
					continue
				}
				tried++
				if stop := judged.Alone(ctx, raw); stop == nil || record.StatusOf(stop.Reason) != record.Blocked ||
					stop.Check.Status != plan.CheckFail {
					t.Errorf("%s: the bytes alone: %+v", m.name, stop)
				}
				if n%16 != 0 { // the whole review asks the node
					continue
				}
				state := gate.Tampered(ctx, h.Gates(), s, func(b []byte) []byte {
					edited, _ := tamper(t, b, m)
					return edited
				})
				if state.Status == record.Ready || state.Contract != nil {
					t.Errorf("%s: the whole review: %s", m.name, state.Status)
				}
			}
			if tried < 60 {
				t.Errorf("only %d edits were tried", tried)
			}
		})
	}
	for _, a := range append(acts, testkit.Act{Name: "a first order", Intent: firstOrder()}) {
		try(h, a)
	}
	f := testkit.Start(t, time.Now, nil)
	f.Use(f.FlowX())
	try(f, testkit.Act{Name: "FlowX, selling", Intent: testkit.Swap("10", "SUI", "USDC")})
	try(f, testkit.Act{Name: "FlowX, buying from several coins", Intent: testkit.Swap("3000", "USDC", "SUI")})
}
