package sandbox

import (
	"encoding/binary"
	"math/big"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// routed swaps 10 SUI of a 12 SUI coin in Cetus' pool with a minimum, and returns the rest.
func (n *served) routed(t *testing.T, floor uint64) *sui.Transaction {
	framework, cetus := sui.MustAddress("0x2"),
		sui.MustAddress("0xae9c208cf58fd5ba36737c9ee5dcfa7f152d0fb5a5a99eebb7c881ebc2fe59e0")
	in, out := sui.InputArg, func(i int) sui.Argument { return sui.NestedArg(2, i) }
	limit, _ := new(big.Int).SetString("79226673515401279992447579055", 10)
	u128 := make([]byte, 16)
	for i, b := range limit.FillBytes(make([]byte, 16)) {
		u128[15-i] = b
	}
	config := sui.MustAddress("0xdaa46292632c3c4d8f31f23ea0f9b36a28ff3677e9684980e4438403a67a3d8f")
	return n.plain(t, []sui.Input{sui.PureU64(12_000_000_000), sui.SharedInput{ID: config, InitialVersion: 1574190},
		sui.SharedInput{ID: foreign.CetusPool, InitialVersion: 373623018, Mutable: true}, sui.PureBool(false),
		sui.PureBool(true),
		sui.PureU64(10_000_000_000), sui.PureInput{Bytes: u128}, sui.PureBool(false), sui.SharedInput{ID: sui.Clock,
			InitialVersion: 1},
		sui.PureAddress(Account), sui.PureU64(floor)},
		sui.MoveCall{Package: framework, Module: "coin", Function: "zero", TypeArgs: []sui.TypeTag{usdc.Tag()}},
		sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{in(0)}},
		sui.MoveCall{Package: cetus, Module: "router", Function: "swap", TypeArgs: []sui.TypeTag{usdc.Tag(), sui.SUI.Tag()},
			Arguments: []sui.Argument{in(1), in(2), sui.ResultArg(0), sui.NestedArg(1, 0), in(3), in(4), in(5), in(6), in(7),
				in(8)}},
		sui.TransferObjects{Objects: []sui.Argument{out(1)}, Recipient: in(9)},
		sui.SplitCoins{Coin: out(0), Amounts: []sui.Argument{in(10)}},
		sui.MergeCoins{Into: out(0), Sources: []sui.Argument{sui.NestedArg(4, 0)}},
		sui.TransferObjects{Objects: []sui.Argument{out(0)}, Recipient: in(9)})
}

// comes returns the value of a coin that a simulated command returned.
func comes(answer *pb.SimulateTransactionResponse, command, result int) uint64 {
	value := answer.GetCommandOutputs()[command].GetReturnValues()[result].GetValue().GetValue()
	return binary.LittleEndian.Uint64(value[32:])
}

func TestForeignPoolThatPaysLess(t *testing.T) {
	n := start(t, Config{})
	quote := comes(n.simulated(t, n.routed(t, 0)), 2, 0)
	if done, err := n.run(t, n.routed(t, quote)); err != nil || !done.GetEffects().GetStatus().GetSuccess() {
		t.Fatal(done.GetEffects().GetStatus(), err)
	}
	foreign.Lie(n.Ledger, foreign.CetusPool, 1, 0)
	before := n.Holding(Account, usdc)
	done, err := n.run(t, n.routed(t, quote))
	if err != nil {
		t.Fatal(err)
	}
	got := flatten(done.GetEffects().GetStatus())
	if want := (failed{Kind: pb.ExecutionError_INSUFFICIENT_COIN_BALANCE, Command: 4}); got != want {
		t.Errorf("got %+v, expected %+v", got, want)
	}
	if after := n.Holding(Account, usdc); after != before {
		t.Errorf("the account had %+v and has %+v", before, after)
	}
}

func TestForeignPoolThatKeepsTheRest(t *testing.T) {
	n := start(t, Config{})
	honest := n.simulated(t, n.routed(t, 0))
	foreign.Lie(n.Ledger, foreign.CetusPool, 0, 500_000_000)
	lied := n.simulated(t, n.routed(t, comes(honest, 2, 0)))
	if s := lied.GetTransaction().GetEffects().GetStatus(); !s.GetSuccess() {
		t.Fatal(s)
	}
	if a, b := comes(honest, 2, 1), comes(lied, 2, 1); a != 2_000_000_000 || b != 1_500_000_000 {
		t.Errorf("of the payment %d is left, and with the lie %d", a, b)
	}
}

func TestForeignPoolsMove(t *testing.T) {
	n := start(t, Config{})
	before := comes(n.simulated(t, n.routed(t, 0)), 2, 0)
	if err := n.ShiftPrice("CETUS_USDC_SUI", -1_000); err != nil {
		t.Fatal(err)
	}
	if after := comes(n.simulated(t, n.routed(t, 0)), 2, 0); after/1000 != before*9/10/1000 {
		t.Errorf("%d before, %d after a fall of 10 %%", before, after)
	}
}
