package sandbox

import (
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// failed is a failure in the effects, flattened for comparison.
type failed struct {
	Kind     pb.ExecutionError_ExecutionErrorKind
	Command  int64 // -1 means none
	Module   string
	Function string
	Code     uint64
	Argument pb.CommandArgumentError_CommandArgumentErrorKind
	Index    uint32
}

func flatten(s *pb.ExecutionStatus) failed {
	e := s.GetError()
	f := failed{
		Kind: e.GetKind(), Command: -1, Module: e.GetAbort().GetLocation().GetModule(),
		Function: e.GetAbort().GetLocation().GetFunctionName(), Code: e.GetAbort().GetAbortCode(),
		Argument: e.GetCommandArgumentError().GetKind(), Index: e.GetCommandArgumentError().GetArgument(),
	}
	if e != nil && e.Command != nil {
		f.Command = int64(e.GetCommand())
	}
	return f
}

func editCall(tx *sui.Transaction, edit func(*sui.MoveCall)) {
	c := tx.Commands[2].(sui.MoveCall)
	edit(&c)
	tx.Commands[2] = c
}

// payDeep makes the swap pay its fee from a coin of amount DEEP units.
func payDeep(n *served, t *testing.T, amount uint64) func(*sui.Transaction) {
	return func(tx *sui.Transaction) {
		tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: n.coin(t, coins.DEEP, 0)}, sui.PureU64(amount))
		tx.Commands[1] = sui.SplitCoins{Coin: sui.InputArg(5), Amounts: []sui.Argument{sui.InputArg(6)}}
	}
}

func TestFailures(t *testing.T) {
	n := start(t, Config{})
	packages := registry.Packages()
	const ten = 10_000_000_000
	for _, c := range []struct {
		name   string
		amount uint64
		minOut uint64
		edit   func(*sui.Transaction)
		want   failed
	}{
		{"minimum out not met", ten, 1 << 60, nil,
			failed{Kind: pb.ExecutionError_MOVE_ABORT, Command: 2, Module: "pool", Function: "swap_exact_quantity", Code: 12}},
		{"too little DEEP for the fee", ten, 0, payDeep(n, t, 1),
			failed{Kind: pb.ExecutionError_MOVE_ABORT, Command: 2, Module: "balance_manager", Function: "withdraw_with_proof",
				Code: 3}},
		{"nothing in", 0, 0, nil,
			failed{Kind: pb.ExecutionError_MOVE_ABORT, Command: 2, Module: "pool", Function: "swap_exact_quantity", Code: 6}},
		{"type arguments of another pool", ten, 0, func(tx *sui.Transaction) {
			editCall(tx, func(c *sui.MoveCall) { c.TypeArgs[1] = coins.DEEP.Tag() })
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 2,
			Argument: pb.CommandArgumentError_TYPE_MISMATCH}},
		{"one type argument", ten, 0, func(tx *sui.Transaction) {
			editCall(tx, func(c *sui.MoveCall) { c.TypeArgs = c.TypeArgs[:1] })
		}, failed{Kind: pb.ExecutionError_TYPE_ARITY_MISMATCH, Command: 2}},
		{"too few arguments", ten, 0, func(tx *sui.Transaction) {
			editCall(tx, func(c *sui.MoveCall) { c.Arguments = c.Arguments[:4] })
		}, failed{Kind: pb.ExecutionError_ARITY_MISMATCH, Command: 2}},
		{"pool taken immutably", ten, 0, func(tx *sui.Transaction) {
			in := tx.Inputs[1].(sui.SharedInput)
			in.Mutable = false
			tx.Inputs[1] = in
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 2,
			Argument: pb.CommandArgumentError_INVALID_OBJECT_BY_MUT_REF}},
		{"an amount of seven bytes", ten, 0, func(tx *sui.Transaction) {
			tx.Inputs[2] = sui.PureInput{Bytes: make([]byte, 7)}
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 2,
			Argument: pb.CommandArgumentError_INVALID_BCS_BYTES, Index: 3}},
		{"a pool where the clock belongs", ten, 0, func(tx *sui.Transaction) {
			editCall(tx, func(c *sui.MoveCall) { c.Arguments[4] = sui.InputArg(1) })
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 2, Argument: pb.CommandArgumentError_TYPE_MISMATCH,
			Index: 4}},
		{"the gas coin by value", ten, 0, func(tx *sui.Transaction) {
			editCall(tx, func(c *sui.MoveCall) { c.Arguments[1] = sui.GasCoin })
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 2,
			Argument: pb.CommandArgumentError_INVALID_GAS_COIN_USAGE, Index: 1}},
		{"a coin used twice", ten, 0, func(tx *sui.Transaction) {
			editCall(tx, func(c *sui.MoveCall) { c.Arguments[2] = c.Arguments[1] })
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 2,
			Argument: pb.CommandArgumentError_INVALID_VALUE_USAGE, Index: 2}},
		{"a result that does not exist", ten, 0, func(tx *sui.Transaction) {
			tx.Commands[3] = sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(2, 3)}, Recipient: sui.InputArg(4)}
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 3,
			Argument: pb.CommandArgumentError_SECONDARY_INDEX_OUT_OF_BOUNDS}},
		{"the whole result of three", ten, 0, func(tx *sui.Transaction) {
			tx.Commands[3] = sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(2)}, Recipient: sui.InputArg(4)}
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 3,
			Argument: pb.CommandArgumentError_INVALID_RESULT_ARITY}},
		{"a coin left over", ten, 0, func(tx *sui.Transaction) {
			tx.Commands[3] = sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(2, 0), sui.NestedArg(2, 1)},
				Recipient: sui.InputArg(4)}
		}, failed{Kind: pb.ExecutionError_UNUSED_VALUE_WITHOUT_DROP, Command: -1}},
		{"the budget cannot be spent", 600_000_000_000 - 20_000_000 + 1, 0, nil,
			failed{Kind: pb.ExecutionError_INSUFFICIENT_COIN_BALANCE, Command: 0}},
		{"a budget below the cost", ten, 0, func(tx *sui.Transaction) { tx.Gas.Budget = 1_000_000 },
			failed{Kind: pb.ExecutionError_INSUFFICIENT_GAS, Command: -1}},
		{"coins of two types merged", ten, 0, func(tx *sui.Transaction) {
			tx.Commands[3] = sui.MergeCoins{Into: sui.NestedArg(2, 0), Sources: []sui.Argument{sui.NestedArg(2, 1)}}
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 3, Argument: pb.CommandArgumentError_TYPE_MISMATCH,
			Index: 1}},
		{"a coin merged into itself", ten, 0, func(tx *sui.Transaction) {
			tx.Commands[3] = sui.MergeCoins{Into: sui.NestedArg(2, 0), Sources: []sui.Argument{sui.NestedArg(2, 0)}}
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 3, Argument: pb.CommandArgumentError_TYPE_MISMATCH,
			Index: 1}},
		{"a merged coin used again", ten, 0, func(tx *sui.Transaction) {
			tx.Commands = append(tx.Commands[:3:3], sui.MergeCoins{Into: sui.GasCoin, Sources: []sui.Argument{sui.NestedArg(2,
				0)}}, tx.Commands[3])
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 4,
			Argument: pb.CommandArgumentError_INVALID_VALUE_USAGE}},
		{"a coin given away used again", ten, 0, func(tx *sui.Transaction) {
			tx.Commands = append(tx.Commands, tx.Commands[3])
		}, failed{Kind: pb.ExecutionError_COMMAND_ARGUMENT_ERROR, Command: 4,
			Argument: pb.CommandArgumentError_INVALID_VALUE_USAGE}},
		{"a function that the first package lacks", ten, 0, func(tx *sui.Transaction) {
			editCall(tx, func(c *sui.MoveCall) {
				c.Package, c.Function = packages[len(packages)-1].ID, "get_quantity_out_input_fee"
			})
		}, failed{Kind: pb.ExecutionError_FUNCTION_NOT_FOUND, Command: 2}},
		{"a coin that is not empty destroyed", ten, 0, func(tx *sui.Transaction) {
			tx.Commands[1] = sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "destroy_zero",
				TypeArgs: []sui.TypeTag{sui.SUI.Tag()}, Arguments: []sui.Argument{sui.ResultArg(0)}}
		}, failed{Kind: pb.ExecutionError_MOVE_ABORT, Command: 1, Module: "balance", Function: "destroy_zero"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, err := n.dry(t, n.swapTx(t, "SUI_USDC", c.amount, c.minOut, c.edit), true)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, flatten(answer.GetTransaction().GetEffects().GetStatus())); d != "" {
				t.Error(d)
			}
			if len(answer.GetCommandOutputs()) != 0 {
				t.Error("a failed simulation returned results")
			}
		})
	}
}

func TestBelowTheMinimumNothingHappens(t *testing.T) {
	n := start(t, Config{})
	answer, err := n.dry(t, n.swapTx(t, "SUI_USDC", 999_999_999, 1<<60, nil), true)
	if err != nil {
		t.Fatal(err)
	}
	tx := answer.GetTransaction()
	if !tx.GetEffects().GetStatus().GetSuccess() {
		t.Fatal(tx.GetEffects().GetStatus())
	}
	got := changes(tx.GetBalanceChanges())
	if len(got) != 1 || len(got["0x0881 SUI"]) > len("-9999999") {
		t.Errorf("changes %v: only gas may be spent", got)
	}
}

func TestFailedTransactionsPayAndMoveVersions(t *testing.T) {
	n := start(t, Config{})
	ctx := within(t)
	tx := n.swapTx(t, "SUI_USDC", 10_000_000_000, 1<<60, payDeep(n, t, 5_000_000))
	raw, signature := n.signed(t, tx)
	before := n.balance(t, Account, sui.SUI)
	done, err := n.send(t, raw, signature)
	if err != nil {
		t.Fatal(err)
	}
	e := done.GetTransaction().GetEffects()
	g := e.GetGasUsed()
	if e.GetStatus().GetSuccess() {
		t.Fatal("the swap succeeded")
	}
	cost := g.GetComputationCost() + g.GetStorageCost() - g.GetStorageRebate()
	if after := n.balance(t, Account, sui.SUI); before-after != cost || cost == 0 {
		t.Errorf("%d was paid, the bill is %d", before-after, cost)
	}
	if deep := n.balance(t, Account, coins.DEEP); deep != 10_000_000_000 {
		t.Errorf("DEEP is %d: a failure takes no coins", deep)
	}
	for _, id := range []sui.ObjectID{tx.Gas.Payment[0].ID, pool(t, "SUI_USDC").ID, tx.Inputs[5].(sui.OwnedInput).Ref.ID} {
		o, err := n.ledger.GetObject(ctx, &pb.GetObjectRequest{ObjectId: new(id.String())})
		if err != nil || o.GetObject().GetVersion() != e.GetLamportVersion() {
			t.Errorf("%s: %v, %v; want version %d", id, o, err, e.GetLamportVersion())
		}
	}
	if n := len(done.GetTransaction().GetEvents().GetEvents()); n != 0 {
		t.Errorf("%d events of a failed transaction", n)
	}
}

func TestVersionsOfPackages(t *testing.T) {
	n := start(t, Config{})
	p := pool(t, "SUI_USDC")
	price := func(pkg registry.Package) failed {
		t.Helper()
		tx := readCall(p, "mid_price")
		c := tx.Commands[0].(sui.MoveCall)
		c.Package = pkg.ID
		tx.Commands[0] = c
		answer, err := n.dry(t, tx, false)
		if err != nil {
			t.Fatal(err)
		}
		return flatten(answer.GetTransaction().GetEffects().GetStatus())
	}
	disabled := failed{Kind: pb.ExecutionError_MOVE_ABORT, Module: "pool", Function: "load_inner", Code: 11}
	fine := failed{Command: -1}
	want := func(name string, w map[uint64]failed) {
		t.Helper()
		for _, pkg := range registry.Packages() {
			if d := cmp.Diff(w[pkg.Number], price(pkg)); d != "" {
				t.Errorf("%s, package %d: %s", name, pkg.Number, d)
			}
		}
	}
	each := func(f failed, numbers ...uint64) map[uint64]failed {
		m := map[uint64]failed{1: fine, 2: fine, 3: fine, 4: fine, 5: fine, 6: fine, 7: fine, 8: fine}
		for _, number := range numbers {
			m[number] = f
		}
		return m
	}
	inject := func(f faults.Fault) {
		t.Helper()
		if err := n.Inject(f); err != nil {
			t.Fatal(err)
		}
	}
	want("at first", each(fine))
	inject(faults.Fault{Kind: faults.DisableVersion, Version: 8})
	want("without version 8", each(disabled, 8))
	inject(faults.Fault{Kind: faults.EnableVersion, Version: 8})
	inject(faults.Fault{Kind: faults.DisableVersion, Version: 6, Pool: "SUI_USDC"})
	want("without version 6, which package 7 carries too", each(disabled, 6, 7))
	inject(faults.Fault{Kind: faults.Clear})
	inject(faults.Fault{Kind: faults.DisableVersion, Version: 6, Pool: "WAL_USDC"})
	want("another pool without version 6", each(fine))
}
