package sandbox

import (
	"bytes"
	stdcmp "cmp"
	"crypto/ed25519"
	"fmt"
	"slices"
	"strings"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/blake2b"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// swapTx returns the product's swap: the input coin, a zero DEEP coin, the call, and a transfer of
// all three coins to the sender. edit may change it.
func (n *served) swapTx(t testing.TB, key string, amount, minOut uint64, edit func(*sui.Transaction)) *sui.Transaction {
	t.Helper()
	p := pool(t, key)
	initial := p.InitialSharedVersion
	tx := &sui.Transaction{
		Inputs: []sui.Input{
			sui.PureU64(amount),
			sui.SharedInput{ID: p.ID, InitialVersion: initial, Mutable: true},
			sui.PureU64(minOut),
			sui.SharedInput{ID: sui.Clock, InitialVersion: sui.ClockVersion},
			sui.PureAddress(Account),
		},
		Commands: []sui.Command{
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "zero",
				TypeArgs: []sui.TypeTag{coins.DEEP.Tag()}},
			sui.MoveCall{
				Package: registry.Packages()[0].ID, Module: "pool", Function: "swap_exact_base_for_quote",
				TypeArgs:  []sui.TypeTag{p.Base.Type.Tag(), p.Quote.Type.Tag()},
				Arguments: []sui.Argument{sui.InputArg(1), sui.NestedArg(0, 0), sui.ResultArg(1), sui.InputArg(2), sui.InputArg(3)},
			},
			sui.TransferObjects{
				Objects:   []sui.Argument{sui.NestedArg(2, 0), sui.NestedArg(2, 1), sui.NestedArg(2, 2)},
				Recipient: sui.InputArg(4),
			},
		},
		Sender: Account,
		Gas: sui.Gas{Owner: Account, Price: gasPrice, Budget: 20_000_000, Payment: []sui.ObjectRef{n.coin(t, sui.SUI,
			0)}},
		Expiration: sui.EpochExpiration{Epoch: FirstEpoch + 1},
	}
	if edit != nil {
		edit(tx)
	}
	return tx
}

// coin returns the genesis account's ith largest coin.
func (n *served) coin(t testing.TB, typ sui.CoinType, i int) sui.ObjectRef {
	t.Helper()
	list := n.coins(Account, typ)
	if i >= len(list) {
		t.Fatalf("the account has only %d coins of %s", len(list), typ)
	}
	return list[i]
}

// coins lists an owner's coins, largest first.
func (n *served) coins(owner sui.Address, typ sui.CoinType) []sui.ObjectRef {
	coins := slices.DeleteFunc(n.Objects(), func(o *ledger.Object) bool {
		return o.Coin != typ ||
			o.Owner.Address != owner
	})
	slices.SortFunc(coins, func(a, b *ledger.Object) int {
		return stdcmp.Or(stdcmp.Compare(b.Balance, a.Balance), bytes.Compare(a.ID[:], b.ID[:]))
	})
	var list []sui.ObjectRef
	for _, o := range coins {
		list = append(list, o.Ref())
	}
	return list
}

func (n *served) balance(t testing.TB, owner sui.Address, typ sui.CoinType) uint64 {
	t.Helper()
	answer, err := n.state.GetBalance(within(t), &pb.GetBalanceRequest{Owner: new(owner.String()),
		CoinType: new(string(typ))})
	if err != nil {
		t.Fatal(err)
	}
	return answer.GetBalance().GetBalance()
}

func (n *served) dry(t testing.TB, tx *sui.Transaction, checks bool) (*pb.SimulateTransactionResponse, error) {
	t.Helper()
	mode := pb.SimulateTransactionRequest_ENABLED
	if !checks {
		mode = pb.SimulateTransactionRequest_DISABLED
	}
	return n.execution.SimulateTransaction(within(t), &pb.SimulateTransactionRequest{
		Transaction: &pb.Transaction{Bcs: &pb.Bcs{Value: encode(t, tx)}}, Checks: &mode,
	})
}

func (n *served) send(t testing.TB, raw []byte, signatures ...[]byte) (*pb.ExecuteTransactionResponse, error) {
	t.Helper()
	req := &pb.ExecuteTransactionRequest{Transaction: &pb.Transaction{Bcs: &pb.Bcs{Value: raw}}, ReadMask: all()}
	for _, s := range signatures {
		req.Signatures = append(req.Signatures, &pb.UserSignature{Bcs: &pb.Bcs{Value: s}})
	}
	return n.execution.ExecuteTransaction(within(t), req)
}

// signed signs with the genesis key.
func (n *served) signed(t testing.TB, tx *sui.Transaction) (raw, signature []byte) {
	t.Helper()
	raw, signature, err := n.Sign(tx)
	if err != nil {
		t.Fatal(err)
	}
	return raw, signature
}

// signAs signs with a key of one repeated byte and returns its address.
func signAs(seed byte, raw []byte) (sui.Address, []byte) {
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
	public := key.Public().(ed25519.PublicKey)
	message := blake2b.Sum256(append([]byte{0, 0, 0}, raw...))
	signature := append(append([]byte{0}, ed25519.Sign(key, message[:])...), public...)
	return blake2b.Sum256(append([]byte{0}, public...)), signature
}

func changes(list []*pb.BalanceChange) map[string]string {
	m := map[string]string{}
	for _, c := range list {
		m[c.GetAddress()[:6]+" "+c.GetCoinType()[strings.LastIndex(c.GetCoinType(), ":")+1:]] = c.GetAmount()
	}
	return m
}

func TestSwap(t *testing.T) {
	n := start(t, Config{})
	ctx := within(t)
	sui0, usdc0 := n.balance(t, Account, sui.SUI), n.balance(t, Account, pool(t, "SUI_USDC").Quote.Type)
	tx := n.swapTx(t, "SUI_USDC", 10_050_000_000, 1, nil)
	simulated, err := n.dry(t, tx, true)
	if err != nil {
		t.Fatal(err)
	}
	raw, signature := n.signed(t, tx)
	done, err := n.send(t, raw, signature)
	if err != nil {
		t.Fatal(err)
	}
	effects := done.GetTransaction().GetEffects()
	if !effects.GetStatus().GetSuccess() {
		t.Fatal(effects.GetStatus())
	}
	t.Run("the answer comes before the checkpoint", func(t *testing.T) {
		if done.GetTransaction().Checkpoint != nil || done.GetTransaction().Timestamp != nil {
			t.Error("the answer names a checkpoint")
		}
	})
	t.Run("execution does what the simulation reported", func(t *testing.T) {
		if d := cmp.Diff(changes(simulated.GetTransaction().GetBalanceChanges()),
			changes(done.GetTransaction().GetBalanceChanges())); d != "" {
			t.Error(d)
		}
		if a, b := simulated.GetTransaction().GetDigest(), done.GetTransaction().GetDigest(); a != b {
			t.Errorf("digests %s and %s", a, b)
		}
	})
	t.Run("balances are what the changes say", func(t *testing.T) {
		g := effects.GetGasUsed()
		gas := g.GetComputationCost() + g.GetStorageCost() - g.GetStorageRebate()
		c := changes(done.GetTransaction().GetBalanceChanges())
		gained := n.balance(t, Account, pool(t, "SUI_USDC").Quote.Type) - usdc0
		lost := sui0 - n.balance(t, Account, sui.SUI)
		want := map[string]string{"0x0881 SUI": fmt.Sprint("-", lost), "0x0881 USDC": fmt.Sprint(gained)}
		if d := cmp.Diff(want, c); d != "" {
			t.Error(d)
		}
		// The payment is a multiple of the lot plus the fee in the input coin.
		paid := lost - gas
		if paid > 10_050_000_000 || paid < 9_900_000_000 || gained == 0 {
			t.Errorf("paid %d, gained %d", paid, gained)
		}
	})
	t.Run("the chain has it", func(t *testing.T) {
		got, err := n.ledger.GetTransaction(ctx, &pb.GetTransactionRequest{Digest: done.Transaction.Digest, ReadMask: all()})
		if err != nil {
			t.Fatal(err)
		}
		if got.GetTransaction().Checkpoint == nil || got.GetTransaction().GetTimestamp() == nil {
			t.Error("no checkpoint or time")
		}
		if string(got.GetTransaction().GetTransaction().GetBcs().GetValue()) != string(raw) {
			t.Error("other bytes")
		}
		at, err := n.ledger.GetCheckpoint(ctx, &pb.GetCheckpointRequest{
			CheckpointId: &pb.GetCheckpointRequest_SequenceNumber{SequenceNumber: got.GetTransaction().GetCheckpoint()},
			ReadMask:     all()})
		if err != nil || len(at.GetCheckpoint().GetTransactions()) != 1 {
			t.Fatalf("checkpoint %v, %v", at, err)
		}
	})
	t.Run("the book moved on", func(t *testing.T) {
		again, err := n.dry(t, n.swapTx(t, "SUI_USDC", 10_050_000_000, 1, nil), true)
		if err != nil {
			t.Fatal(err)
		}
		a, b := changes(done.GetTransaction().GetBalanceChanges())["0x0881 USDC"],
			changes(again.GetTransaction().GetBalanceChanges())["0x0881 USDC"]
		if len(a) < len(b) || (len(a) == len(b) && a < b) {
			t.Errorf("the second swap gives %s, more than the first %s", b, a)
		}
	})
	t.Run("the same bytes again are the same result", func(t *testing.T) {
		again, err := n.send(t, raw, signature)
		if err != nil || again.GetTransaction().GetEffects().GetDigest() != effects.GetDigest() {
			t.Errorf("%v, %v", again, err)
		}
	})
	t.Run("spent versions are refused", func(t *testing.T) {
		old := *tx
		old.Gas.Budget++
		raw, signature := n.signed(t, &old)
		_, err := n.send(t, raw, signature)
		if err == nil || !strings.Contains(status.Convert(err).Message(), "unavailable for consumption") {
			t.Error(err)
		}
	})
	t.Run("versions and events", func(t *testing.T) {
		created, mutated := 0, 0
		for _, c := range effects.GetChangedObjects() {
			if c.GetOutputVersion() != effects.GetLamportVersion() {
				t.Errorf("%s has version %d", c.GetObjectId(), c.GetOutputVersion())
			}
			if c.GetIdOperation() == pb.ChangedObject_CREATED {
				created++
			} else {
				mutated++
			}
		}
		if created != 3 || mutated != 2 { // three coins back; gas coin and pool
			t.Errorf("%d created, %d mutated", created, mutated)
		}
		var names []string
		for _, e := range done.GetTransaction().GetEvents().GetEvents() {
			names = append(names, e.GetEventType()[strings.LastIndex(e.GetEventType(), ":")+1:])
		}
		const move = "BalanceEvent"
		want := []string{"BalanceManagerEvent", move, move, move, "OrderInfo", "OrderFilled", "OrderFullyFilled", move, move,
			move}
		if !slices.Equal(names, want) {
			t.Error(names)
		}
	})
}

func TestSimulationsLeaveTheBook(t *testing.T) {
	n := start(t, Config{})
	depth := func() string {
		t.Helper()
		answer, err := n.dry(t, readCall(pool(t, "SUI_USDC"), "get_level2_ticks_from_mid", sui.PureU64(5)), false)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(answer.GetCommandOutputs())
	}
	before := depth()
	if _, err := n.dry(t, n.swapTx(t, "SUI_USDC", 100_000_000_000, 1, nil), true); err != nil {
		t.Fatal(err)
	}
	if depth() != before {
		t.Error("a simulated swap changed the book")
	}
}

// total sums a coin over all owners and pool vaults.
func (n *served) total(typ sui.CoinType) uint64 {
	sum := uint64(0)
	for _, o := range n.Objects() {
		switch {
		case o.Coin == typ:
			sum += o.Balance
		case o.Book == nil:
		case o.Book.Base.Type == typ:
			sum += o.Vault.Base
		case o.Book.Quote.Type == typ:
			sum += o.Vault.Quote
		}
		if o.Book != nil && typ == coins.DEEP {
			sum += o.Vault.Deep
		}
	}
	return sum
}

func TestNothingIsLostOrMade(t *testing.T) {
	n := start(t, Config{})
	usdc := pool(t, "SUI_USDC").Quote.Type
	before := map[sui.CoinType]uint64{sui.SUI: n.total(sui.SUI), usdc: n.total(usdc), coins.DEEP: n.total(coins.DEEP)}
	gas := uint64(0)
	for i, amount := range []uint64{500_000_000, 1_000_000_000, 3_333_333_333, 25_000_000_000, 100_000_000_000} {
		tx := n.swapTx(t, "SUI_USDC", amount, 0, func(tx *sui.Transaction) {
			if i%2 == 0 { // pay the fee in DEEP
				tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: n.coin(t, coins.DEEP, 0)}, sui.PureU64(100_000_000))
				tx.Commands[1] = sui.SplitCoins{Coin: sui.InputArg(5), Amounts: []sui.Argument{sui.InputArg(6)}}
			}
		})
		raw, signature := n.signed(t, tx)
		done, err := n.send(t, raw, signature)
		if err != nil || !done.GetTransaction().GetEffects().GetStatus().GetSuccess() {
			t.Fatalf("swap of %d: %v, %v", amount, done, err)
		}
		g := done.GetTransaction().GetEffects().GetGasUsed()
		gas += g.GetComputationCost() + g.GetStorageCost() - g.GetStorageRebate()
	}
	before[sui.SUI] -= gas
	for typ, want := range before {
		if got := n.total(typ); got != want {
			t.Errorf("%s: %d, want %d", typ, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	n := start(t, Config{})
	call := func(tx *sui.Transaction, edit func(*sui.MoveCall)) {
		c := tx.Commands[2].(sui.MoveCall)
		edit(&c)
		tx.Commands[2] = c
	}
	for _, c := range []struct {
		name string
		edit func(*sui.Transaction)
		want string // part of the refusal
	}{
		{"another version", func(tx *sui.Transaction) { tx.Gas.Payment[0].Version++ }, "unavailable for consumption"},
		{"another digest", func(tx *sui.Transaction) { tx.Gas.Payment[0].Digest[0]++ }, "has digest"},
		{"another owner", func(tx *sui.Transaction) { tx.Sender[0]++; tx.Gas.Owner = tx.Sender }, "is not a SUI coin of"},
		{"an input of another owner", func(tx *sui.Transaction) {
			tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: n.coin(t, coins.DEEP, 0)})
			tx.Sender[0]++
		}, "not by the sender"},
		{"no such object", func(tx *sui.Transaction) { tx.Gas.Payment[0].ID[0]++ }, "not found"},
		{"gas in another coin", func(tx *sui.Transaction) { tx.Gas.Payment[0] = n.coin(t, coins.DEEP, 0) },
			"is not a SUI coin"},
		{"shared version that is not the first", func(tx *sui.Transaction) {
			in := tx.Inputs[1].(sui.SharedInput)
			in.InitialVersion++
			tx.Inputs[1] = in
		}, "started at version"},
		{"the same object twice", func(tx *sui.Transaction) { tx.Inputs = append(tx.Inputs, tx.Inputs[1]) }, "used twice"},
		{"the gas coin as an input too", func(tx *sui.Transaction) {
			tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: tx.Gas.Payment[0]})
		}, "used twice"},
		{"the clock mutably", func(tx *sui.Transaction) {
			tx.Inputs[3] = sui.SharedInput{ID: sui.Clock, InitialVersion: 1, Mutable: true}
		}, "clock cannot be taken mutably"},
		{"expired", func(tx *sui.Transaction) { tx.Expiration = sui.EpochExpiration{Epoch: FirstEpoch - 1} }, "expired"},
		{"valid on another chain", func(tx *sui.Transaction) { tx.Expiration = sui.ValidDuring{Nonce: 1} }, "for the chain"},
		{"valid later", func(tx *sui.Transaction) {
			tx.Expiration = sui.ValidDuring{Chain: n.Chain(), MinEpoch: new(uint64(FirstEpoch + 1))}
		}, "not valid before"},
		{"budget over the coin", func(tx *sui.Transaction) {
			n.Hold(Account, sui.SUI, 1, 0)
			coins := n.coins(Account, sui.SUI)
			tx.Gas.Payment[0] = coins[len(coins)-1]
		}, "lower than the gas budget"},
		{"budget too small", func(tx *sui.Transaction) { tx.Gas.Budget = 1 }, "gas budget 1 is not"},
		{"price too small", func(tx *sui.Transaction) { tx.Gas.Price = 1 }, "below the reference gas price"},
		{"an unknown function", func(tx *sui.Transaction) {
			call(tx, func(c *sui.MoveCall) { c.Function = "stake" })
		}, "does not execute 0xe735f8c93a95722efd73521aca7a7652c0bb71ed1daf41b26dfd7d1ff71f748::pool::stake"},
		{"an unknown package", func(tx *sui.Transaction) {
			call(tx, func(c *sui.MoveCall) { c.Package = sui.MustAddress("0xbad") })
		}, "does not execute 0xbad::pool::swap_exact_base_for_quote"},
		{"publishing", func(tx *sui.Transaction) {
			tx.Commands = append(tx.Commands, sui.Publish{Modules: [][]byte{{1}}})
		}, "does not publish packages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := n.dry(t, n.swapTx(t, "SUI_USDC", 1_000_000_000, 0, c.edit), true)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func all() *fieldmaskpb.FieldMask { return &fieldmaskpb.FieldMask{Paths: []string{"*"}} }
