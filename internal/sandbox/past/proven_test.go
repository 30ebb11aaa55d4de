package past

import (
	"crypto/ed25519"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// chain is a chain whose genesis account has key.
type chain struct {
	*ledger.Ledger
	key     ed25519.PrivateKey
	account sui.Address
}

// coin returns the genesis account's ith largest SUI coin.
func (c chain) coin(i int) sui.ObjectRef {
	coins := slices.DeleteFunc(c.Owned(c.account), func(o *ledger.Object) bool { return o.Coin != sui.SUI })
	return coins[i].Ref()
}

func (c chain) sign(raw []byte) []byte {
	digest := blake2b.Sum256(append([]byte{0, 0, 0}, raw...)) // intent: transaction data
	return slices.Concat([]byte{0}, ed25519.Sign(c.key, digest[:]), c.key.Public().(ed25519.PublicKey))
}

// TestProvenOfExecuted executes transactions with random commands. The balance changes computed
// from bytes and effects must equal the real ones.
func TestProvenOfExecuted(t *testing.T) {
	long.Skip(t, "it executes many transactions")
	now := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	c := chain{key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
	c.account = blake2b.Sum256(append([]byte{0}, c.key.Public().(ed25519.PublicKey)...))
	var err error
	if c.Ledger, err = ledger.New(ledger.Config{Now: func() time.Time { return now }, Seed: 1,
		Account: c.account}); err != nil {
		t.Fatal(err)
	}
	id, err := c.OpenManager(ledger.Manager{Owner: c.account})
	if err != nil {
		t.Fatal(err)
	}
	manager := sui.SharedInput{ID: id, InitialVersion: c.Object(id).Owner.InitialVersion, Mutable: true}
	random := rand.New(rand.NewPCG(3, 4))
	proven, open, failedOnes := 0, 0, 0
	for range 1500 {
		c.Hold(c.account, sui.SUI, 1_000_000_000_000, 0) // replaces what was given away
		tx := c.drawn(random, manager)
		raw, err := tx.Encode()
		if err != nil {
			t.Fatal(err)
		}
		done, err := c.Execute(raw, [][]byte{c.sign(raw)})
		if err != nil {
			continue
		}
		got, ok := Of(done).proven(nil)
		switch {
		case !ok:
			open++
			continue
		case done.Failure != nil:
			failedOnes++
		default:
			proven++
		}
		if diff := cmp.Diff(plainly(done.Balances), plainly(got)); diff != "" {
			t.Fatalf("%+v: %s", tx.Commands, diff)
		}
	}
	if proven < 50 || open < 100 || failedOnes < 100 {
		t.Errorf("%d proven, %d not, %d failed: the draw proves too little", proven, open, failedOnes)
	}
}

func plainly(list []ledger.BalanceChange) map[string]string {
	out := map[string]string{}
	for _, b := range list {
		out[b.Owner.String()+" "+string(b.Coin)] = b.Amount.String()
	}
	return out
}

// drawn returns random commands of common kinds on coins, and transfers what was split off and not
// used.
func (c chain) drawn(random *rand.Rand, manager sui.SharedInput) *sui.Transaction {
	tx := &sui.Transaction{
		Sender: c.account, Gas: sui.Gas{Owner: c.account, Price: 500, Budget: 20_000_000,
			Payment: []sui.ObjectRef{c.coin(0)}},
		Inputs: []sui.Input{sui.PureU64(1000), sui.PureU64(77), manager, sui.PureAddress(c.account),
			sui.PureAddress(sui.MustAddress("0xb0b")), sui.OwnedInput{Ref: c.coin(1)}},
		Expiration: sui.NoExpiration{},
	}
	var free []sui.Argument // coins that must still be used
	one := func() sui.Argument {
		switch {
		case len(free) > 0 && random.IntN(8) > 0:
			return free[random.IntN(len(free))]
		case random.IntN(4) > 0:
			return sui.InputArg(5)
		}
		return sui.GasCoin
	}
	take := func() sui.Argument {
		a := one()
		free = slices.DeleteFunc(free, func(b sui.Argument) bool { return a == b })
		return a
	}
	add := func(one sui.Command) { tx.Commands = append(tx.Commands, one) }
	for range 1 + random.IntN(4) {
		switch random.IntN(8) {
		case 0, 1, 2:
			from := sui.GasCoin
			if random.IntN(6) == 0 {
				from = one()
			}
			free = append(free, sui.ResultArg(len(tx.Commands)))
			add(sui.SplitCoins{Coin: from, Amounts: []sui.Argument{sui.InputArg(random.IntN(2))}})
		case 3, 4:
			add(sui.TransferObjects{Objects: []sui.Argument{take()}, Recipient: sui.InputArg(3 + random.IntN(2))})
		case 5:
			add(sui.MergeCoins{Sources: []sui.Argument{take()}, Into: one()})
		default:
			add(depositOf(take()))
		}
	}
	for _, rest := range free {
		if random.IntN(2) == 0 {
			add(depositOf(rest))
			continue
		}
		add(sui.TransferObjects{Objects: []sui.Argument{rest}, Recipient: sui.InputArg(3 + random.IntN(2))})
	}
	return tx
}

// depositOf puts a coin into the manager, input 2.
func depositOf(coin sui.Argument) sui.Command {
	return sui.MoveCall{Package: registry.Packages()[0].ID, Module: "balance_manager", Function: "deposit",
		TypeArgs: []sui.TypeTag{sui.SUI.Tag()}, Arguments: []sui.Argument{sui.InputArg(2), coin}}
}
