package sandbox

import (
	"strings"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var usdc = func() sui.CoinType { c, _ := coins.BySymbol("USDC"); return c.Type }()

// withdraw redeems an amount from the sender's address balance and sends it to another address. Gas
// comes from the address balance.
func (n *served) withdraw(coin sui.CoinType, amount uint64, to sui.Address) *sui.Transaction {
	framework, types := sui.MustAddress("0x2"), []sui.TypeTag{coin.Tag()}
	epoch := uint64(FirstEpoch)
	return &sui.Transaction{
		Inputs: []sui.Input{sui.WithdrawalInput{MaxAmount: sui.Raw(amount), Coin: coin.Tag()}, sui.PureAddress(to)},
		Commands: []sui.Command{
			sui.MoveCall{Package: framework, Module: "balance", Function: "redeem_funds", TypeArgs: types,
				Arguments: []sui.Argument{sui.InputArg(0)}},
			sui.MoveCall{Package: framework, Module: "balance", Function: "send_funds", TypeArgs: types,
				Arguments: []sui.Argument{sui.ResultArg(0), sui.InputArg(1)}},
		},
		Sender: Account, Gas: sui.Gas{Owner: Account, Price: gasPrice, Budget: 5_000_000},
		Expiration: sui.ValidDuring{MinEpoch: &epoch, MaxEpoch: &epoch, Chain: n.Chain()},
	}
}

// free removes the gas payment from a transaction.
func free(tx *sui.Transaction) *sui.Transaction {
	tx.Gas = sui.Gas{Owner: tx.Sender}
	return tx
}

// run signs and executes a transaction.
func (n *served) run(t *testing.T, tx *sui.Transaction) (*pb.ExecutedTransaction, error) {
	t.Helper()
	raw, signature := n.signed(t, tx)
	answer, err := n.send(t, raw, signature)
	if err == nil {
		if _, err := sui.DecodeEffects(answer.GetTransaction().GetEffects().GetBcs().GetValue()); err != nil {
			t.Errorf("the effects: %v", err)
		}
	}
	return answer.GetTransaction(), err
}

// inAddress returns an address balance.
func (n *served) inAddress(owner sui.Address, coin sui.CoinType) uint64 {
	return n.Holding(owner, coin).InAddress
}

func TestWithdrawals(t *testing.T) {
	to := sui.MustAddress("0xb0b")
	t.Run("money moves between address balances, and gas comes from one", func(t *testing.T) {
		n := start(t, Config{})
		n.Hold(Account, usdc, 0, 500)
		n.Hold(Account, sui.SUI, 0, 10_000_000)
		tx, err := n.run(t, n.withdraw(usdc, 200, to))
		if err != nil || !tx.GetEffects().GetStatus().GetSuccess() {
			t.Fatalf("got %v, %v", tx.GetEffects().GetStatus(), err)
		}
		if a, b := n.inAddress(Account, usdc), n.inAddress(to, usdc); a != 300 || b != 200 {
			t.Errorf("the sender has %d, the recipient %d", a, b)
		}
		g := tx.GetEffects().GetGasUsed()
		paid := g.GetComputationCost() + g.GetStorageCost() - g.GetStorageRebate()
		if left := n.inAddress(Account, sui.SUI); paid == 0 || left != 10_000_000-paid ||
			tx.GetEffects().GetGasObject() != nil {
			t.Errorf("%d SUI left, %d paid, gas object %v", left, paid, tx.GetEffects().GetGasObject())
		}
		e, _ := sui.DecodeEffects(tx.GetEffects().GetBcs().GetValue())
		writes := 0
		for _, o := range e.Changed {
			if o.After.Kind == sui.AfterAccumulator {
				writes++
			}
		}
		if writes != 3 || len(tx.GetEffects().GetChangedObjects()) != 3 {
			t.Errorf("%d balances are written in the bytes, %d entries in the message", writes,
				len(tx.GetEffects().GetChangedObjects()))
		}
		if got := changes(tx.GetBalanceChanges()); got["0x0000 USDC"] != "200" {
			t.Errorf("balance changes %v", got)
		}
	})
	t.Run("a withdrawal becomes a coin", func(t *testing.T) {
		n := start(t, Config{})
		n.Hold(Account, usdc, 0, 500)
		tx := n.withdraw(usdc, 200, to)
		tx.Gas.Payment = []sui.ObjectRef{n.coin(t, sui.SUI, 0)}
		tx.Commands[0] = sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "redeem_funds",
			TypeArgs: []sui.TypeTag{usdc.Tag()}, Arguments: []sui.Argument{sui.InputArg(0)}}
		tx.Commands[1] = sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(0)}, Recipient: sui.InputArg(1)}
		if done, err := n.run(t, tx); err != nil || !done.GetEffects().GetStatus().GetSuccess() {
			t.Fatalf("got %v, %v", done.GetEffects().GetStatus(), err)
		}
		if h := n.Holding(to, usdc); h.Coins != 200 || h.InAddress != 0 || n.inAddress(Account, usdc) != 300 {
			t.Errorf("the recipient holds %+v", h)
		}
	})
	for name, gas := range map[string]uint64{
		"a balance that shrank before the transaction executed": 10_000_000,
		"gas that the address balance does not hold":            4_999_999,
	} {
		t.Run(name, func(t *testing.T) {
			n := start(t, Config{})
			n.Hold(Account, sui.SUI, 0, gas)
			n.Hold(Account, usdc, 0, 200)
			if gas > 5_000_000 {
				if _, err := n.run(t, free(n.withdraw(usdc, 50_000, to))); err == nil {
					t.Error("a payment without gas that fails was executed")
				}
				if tx, err := n.run(t, n.withdraw(usdc, 200, to)); err != nil || !tx.GetEffects().GetStatus().GetSuccess() {
					t.Fatalf("the first one: %v, %v", tx.GetEffects().GetStatus(), err)
				}
			}
			before, had := n.inAddress(to, usdc), n.inAddress(Account, usdc)
			tx, err := n.run(t, n.withdraw(usdc, 199, to))
			if err != nil {
				t.Fatal(err)
			}
			e, err := sui.DecodeEffects(tx.GetEffects().GetBcs().GetValue())
			if err != nil || e.OK() || e.Failure.Name != "INSUFFICIENT_FUNDS_FOR_WITHDRAW" {
				t.Errorf("the effects are %+v, %v", e, err)
			}
			if n.inAddress(to, usdc) != before || n.inAddress(Account, usdc) != had {
				t.Error("money moved")
			}
			if gas < 5_000_000 && n.inAddress(Account, sui.SUI) != gas {
				t.Error("gas was taken from what does not cover it")
			}
		})
	}
	t.Run("the same bytes execute once", func(t *testing.T) {
		n := start(t, Config{})
		n.Hold(Account, usdc, 0, 50_000)
		tx := free(n.withdraw(usdc, 20_000, to))
		for range 2 {
			if _, err := n.run(t, tx); err != nil {
				t.Fatal(err)
			}
		}
		if got := n.inAddress(to, usdc); got != 20_000 {
			t.Errorf("%d arrived", got)
		}
		if answer, err := n.dry(t, tx, true); err != nil || !answer.GetTransaction().GetEffects().GetStatus().GetSuccess() {
			t.Errorf("a simulation of what was executed does not succeed: %v, %v", answer, err)
		}
	})
}

func TestWithdrawalsRefused(t *testing.T) {
	n := start(t, Config{})
	to := sui.MustAddress("0xb0b")
	n.Hold(Account, usdc, 0, 500)
	n.Hold(Account, sui.SUI, 0, 100_000_000)
	epoch, later, time := uint64(FirstEpoch), uint64(FirstEpoch+2), uint64(1)
	for name, c := range map[string]struct {
		edit func(*sui.Transaction)
		want string
	}{
		"a withdrawal of nothing": {func(tx *sui.Transaction) {
			tx.Inputs[0] = sui.WithdrawalInput{Coin: usdc.Tag()}
		}, "must be non-zero"},
		"more than ten": {func(tx *sui.Transaction) {
			for range 10 {
				tx.Inputs = append(tx.Inputs, sui.WithdrawalInput{MaxAmount: 1, Coin: usdc.Tag()})
			}
		}, "Maximum number"},
		"a sum that overflows": {func(tx *sui.Transaction) {
			tx.Inputs = append(tx.Inputs, sui.WithdrawalInput{MaxAmount: 1<<64 - 1, Coin: usdc.Tag()})
		}, "overflow"},
		"timestamps": {func(tx *sui.Transaction) {
			tx.Expiration = sui.ValidDuring{MinEpoch: &epoch, MaxEpoch: &epoch, MinTimestamp: &time, Chain: n.Chain()}
		}, "Timestamp-based"},
		"no expiration": {func(tx *sui.Transaction) { tx.Expiration = sui.NoExpiration{} }, "ValidDuring"},
		"epochs that are too far apart": {func(tx *sui.Transaction) {
			tx.Expiration = sui.ValidDuring{MinEpoch: &epoch, MaxEpoch: &later, Chain: n.Chain()}
		}, "at most one epoch"},
		"the sponsor's money": {func(tx *sui.Transaction) {
			tx.Inputs[0] = sui.WithdrawalInput{MaxAmount: 1, Coin: usdc.Tag(), From: sui.WithdrawSponsor}
		}, "anybody except the sender"},
	} {
		t.Run(name, func(t *testing.T) {
			tx := n.withdraw(usdc, 200, to)
			c.edit(tx)
			if _, err := n.run(t, tx); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	if n.inAddress(Account, usdc) != 500 || n.inAddress(Account, sui.SUI) != 100_000_000 {
		t.Error("money moved")
	}
}

func TestGasless(t *testing.T) {
	n := start(t, Config{})
	to := sui.MustAddress("0xb0b")
	n.Hold(Account, usdc, 0, 50_000)
	n.Hold(Account, coins.DEEP, 0, 50_000)
	t.Run("a payment of a listed coin costs no gas", func(t *testing.T) {
		tx, err := n.run(t, free(n.withdraw(usdc, 20_000, to)))
		if err != nil || !tx.GetEffects().GetStatus().GetSuccess() || tx.GetEffects().GetGasUsed().GetComputationCost() != 0 {
			t.Fatalf("got %v, %v", tx, err)
		}
		if a, b := n.inAddress(Account, usdc), n.inAddress(to, usdc); a != 30_000 || b != 20_000 {
			t.Errorf("the sender has %d, the recipient %d", a, b)
		}
	})
	for name, c := range map[string]struct {
		tx   *sui.Transaction
		want string
	}{
		"a coin that is not listed": {n.withdraw(coins.DEEP, 20_000, to), "is not supported"},
		"less than a cent":          {n.withdraw(usdc, 9_999, to), "at least 10000"},
		"a command of another kind": {func() *sui.Transaction {
			tx := n.withdraw(usdc, 20_000, to)
			tx.Commands = append(tx.Commands, sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(0)},
				Recipient: sui.InputArg(1)})
			return tx
		}(), "only support"},
		"a function that is not listed": {func() *sui.Transaction {
			tx := n.withdraw(usdc, 20_000, to)
			tx.Commands = append(tx.Commands, sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "zero",
				TypeArgs: []sui.TypeTag{usdc.Tag()}})
			return tx
		}(), "is not supported"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := n.run(t, free(c.tx)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
