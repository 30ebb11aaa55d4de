package sandbox

import (
	"math/rand/v2"
	"testing"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/protobuf/proto"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// FuzzTransactions: no transaction panics, a simulation changes nothing, and an execution neither
// creates nor loses coins.
func FuzzTransactions(f *testing.F) {
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	n := start(f, Config{Now: func() time.Time { return now }})
	tx := n.swapTx(f, "SUI_USDC", 10_000_000_000, 1, nil)
	for _, t := range []*pb.Transaction{
		{Bcs: &pb.Bcs{Value: encode(f, tx)}},
		n.unresolved(f, tx),
		n.unresolved(f, readCall(pool(f, "WAL_USDC"), "mid_price")),
	} {
		b, err := proto.Marshal(t)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var wire pb.Transaction
		if proto.Unmarshal(b, &wire) != nil {
			return
		}
		before, objects := n.total(sui.SUI), len(n.Objects())
		for _, req := range []*pb.SimulateTransactionRequest{
			{}, {Checks: pb.SimulateTransactionRequest_DISABLED.Enum()}, {DoGasSelection: new(true)},
		} {
			req.Transaction = &wire
			_, _ = n.execution.SimulateTransaction(within(t), req)
		}
		if n.total(sui.SUI) != before || len(n.Objects()) != objects {
			t.Fatal("a simulation changed the chain")
		}
	})
}

// TestShuffledTransactions executes swaps with shuffled arguments, amounts and commands. Most fail;
// none may panic, create coins or lose them.
func TestShuffledTransactions(t *testing.T) {
	long.Skip(t, "it executes thousands of transactions")
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	s, err := New(Config{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	n := &served{Sandbox: s}
	usdc := pool(t, "SUI_USDC").Quote.Type
	random := rand.New(rand.NewPCG(1, 2))
	succeeded, failedOnes := 0, 0
	for range 1500 {
		sui0, usdc0, deep0 := n.total(sui.SUI), n.total(usdc), n.total(coins.DEEP)
		tx := n.swapTx(t, "SUI_USDC", 1_000_000_000+random.Uint64N(3_000_000_000), 0, nil)
		shuffle(random, tx)
		raw, err := tx.Encode()
		if err != nil {
			continue
		}
		_, signature, err := s.Sign(tx)
		if err != nil {
			continue
		}
		done, err := s.Execute(raw, [][]byte{signature})
		if err != nil {
			if n.total(sui.SUI) != sui0 {
				t.Fatal("a refused transaction changed the chain")
			}
			continue
		}
		if done.Failure == nil {
			succeeded++
		} else {
			failedOnes++
		}
		if got := n.total(sui.SUI); int64(sui0-got) != done.Gas.Net() || n.total(usdc) != usdc0 ||
			n.total(coins.DEEP) != deep0 {
			t.Fatalf("after %+v: SUI %d → %d with gas %d", tx.Commands, sui0, got, done.Gas.Net())
		}
	}
	if succeeded < 50 || failedOnes < 50 {
		t.Errorf("%d succeeded and %d failed: the shuffle proves too little", succeeded, failedOnes)
	}
}

// shuffle changes one to three random parts of a transaction.
func shuffle(random *rand.Rand, tx *sui.Transaction) {
	argument := func() sui.Argument {
		switch random.IntN(4) {
		case 0:
			return sui.GasCoin
		case 1:
			return sui.InputArg(random.IntN(6))
		case 2:
			return sui.ResultArg(random.IntN(5))
		}
		return sui.NestedArg(random.IntN(5), random.IntN(4))
	}
	for range 1 + random.IntN(3) {
		i := random.IntN(len(tx.Commands))
		switch c := tx.Commands[i].(type) {
		case sui.MoveCall:
			if len(c.Arguments) > 0 && random.IntN(3) == 0 {
				c.Arguments[random.IntN(len(c.Arguments))] = argument()
			}
			if random.IntN(4) == 0 {
				c.Function = []string{"swap_exact_quote_for_base", "swap_exact_quantity", "mid_price", "vault_balances",
					"zero"}[random.IntN(5)]
			}
			tx.Commands[i] = c
		case sui.TransferObjects:
			if random.IntN(3) == 0 {
				c.Objects = append(c.Objects, argument())
			}
			tx.Commands[i] = c
		case sui.SplitCoins:
			if random.IntN(3) == 0 {
				c.Amounts = append(c.Amounts, argument())
			}
			tx.Commands[i] = c
		}
		switch random.IntN(8) {
		case 0:
			tx.Commands = append(tx.Commands, sui.MergeCoins{Into: argument(), Sources: []sui.Argument{argument()}})
		case 1:
			tx.Commands = append(tx.Commands, sui.TransferObjects{Objects: []sui.Argument{sui.GasCoin},
				Recipient: sui.InputArg(4)})
		case 2:
			tx.Commands[i], tx.Commands[0] = tx.Commands[0], tx.Commands[i]
		case 3:
			tx.Gas.Budget = 1_000_000 + random.Uint64N(4_000_000)
		}
	}
}

func BenchmarkMidPrice(b *testing.B) {
	n := start(b, Config{})
	tx := readCall(pool(b, "SUI_USDC"), "mid_price")
	for b.Loop() {
		if _, err := n.dry(b, tx, false); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSwapSimulated(b *testing.B) {
	n := start(b, Config{})
	tx := n.swapTx(b, "SUI_USDC", 10_000_000_000, 1, nil)
	for b.Loop() {
		if _, err := n.dry(b, tx, true); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSwapExecuted(b *testing.B) {
	n := start(b, Config{})
	for b.Loop() {
		raw, signature := n.signed(b, n.swapTx(b, "SUI_USDC", 1_000_000, 0, nil))
		if _, err := n.send(b, raw, signature); err != nil {
			b.Fatal(err)
		}
	}
}
