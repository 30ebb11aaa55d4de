package sui_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/device"
)

// payment returns a transaction as wallets build it: split the gas coin, and send the part.
func payment() *sui.Transaction {
	to := sui.PureAddress(sui.MustAddress("0xb0b"))
	account := sui.MustAddress("0xa1")
	return &sui.Transaction{Sender: account, Expiration: sui.EpochExpiration{Epoch: 9}, Inputs: []sui.Input{sui.PureU64(5),
		to},
		Commands: []sui.Command{
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{{Kind: sui.ArgInput}}},
			sui.TransferObjects{Objects: []sui.Argument{{Kind: sui.ArgNestedResult}}, Recipient: sui.Argument{Kind: sui.ArgInput,
				Index: 1}},
		},
		Gas: sui.Gas{Owner: account, Payment: []sui.ObjectRef{{ID: sui.MustAddress("0xc0"), Version: 1}}, Price: 1000,
			Budget: 1}}
}

func TestOnDevice(t *testing.T) {
	call := func(pkg, module, function string) sui.MoveCall {
		return sui.MoveCall{Package: sui.MustAddress(pkg), Module: module, Function: function}
	}
	// stakes adds the inputs of a call that stakes, and returns the call.
	stakes := func(t *sui.Transaction, function string, coin ...sui.Argument) sui.MoveCall {
		at := len(t.Inputs)
		t.Inputs = append(t.Inputs, sui.SharedInput{ID: sui.MustAddress("0x5"), InitialVersion: 1, Mutable: true},
			sui.OwnedInput{})
		c := call("0x3", "sui_system", function)
		coin = append(coin, sui.InputArg(at+1))
		c.Arguments = []sui.Argument{sui.InputArg(at), coin[0], sui.InputArg(1)}
		return c
	}
	for name, c := range map[string]struct {
		change func(*sui.Transaction)
		want   sui.OnDevice
	}{
		"a payment of SUI": {func(*sui.Transaction) {}, sui.DeviceShowsAmounts},
		"a payment of another coin": {func(t *sui.Transaction) {
			t.Inputs = append(t.Inputs, sui.OwnedInput{})
			t.Commands[0] = sui.SplitCoins{Coin: sui.Argument{Kind: sui.ArgInput, Index: 2},
				Amounts: []sui.Argument{{Kind: sui.ArgInput}}}
		}, sui.DeviceKnowsCoin},
		"two recipients": {func(t *sui.Transaction) {
			t.Inputs = append(t.Inputs, sui.PureAddress(sui.MustAddress("0xe7e")))
			t.Commands = append(t.Commands, sui.TransferObjects{Objects: []sui.Argument{sui.GasCoin},
				Recipient: sui.Argument{Kind: sui.ArgInput, Index: 2}})
		}, sui.DeviceShowsHash},
		"a call": {func(t *sui.Transaction) {
			t.Commands[1] = call("0x2", "transfer", "public_transfer")
		}, sui.DeviceShowsHash},
		"an unstaking": {func(t *sui.Transaction) {
			t.Commands = []sui.Command{stakes(t, "request_withdraw_stake")}
		}, sui.DeviceShowsAmounts},
		"a staking": {func(t *sui.Transaction) {
			t.Commands[1] = stakes(t, "request_add_stake", sui.ResultArg(0))
		}, sui.DeviceShowsAmounts},
		"a staking that returns the stake": {func(t *sui.Transaction) {
			t.Commands[1] = stakes(t, "request_add_stake_non_entry", sui.ResultArg(0))
		}, sui.DeviceShowsHash},
		"a staking of another state": {func(t *sui.Transaction) {
			t.Commands[1] = stakes(t, "request_add_stake", sui.ResultArg(0))
			t.Inputs[2] = sui.SharedInput{ID: sui.MustAddress("0x6")}
		}, sui.DeviceShowsHash},
		"two stakings": {func(t *sui.Transaction) {
			t.Commands = []sui.Command{stakes(t, "request_add_stake"), stakes(t, "request_add_stake")}
		}, sui.DeviceShowsHash},
		"a staking and a payment": {func(t *sui.Transaction) {
			t.Commands = append(t.Commands, stakes(t, "request_add_stake"))
		}, sui.DeviceShowsHash},
		"validity in certain epochs": {func(t *sui.Transaction) { t.Expiration = sui.ValidDuring{} }, sui.DeviceShowsHash},
		"nine coins in one": {func(t *sui.Transaction) {
			merge := sui.MergeCoins{Into: sui.GasCoin}
			for i := range 9 {
				t.Inputs = append(t.Inputs, sui.OwnedInput{})
				merge.Sources = append(merge.Sources, sui.InputArg(2+i))
			}
			t.Commands = append([]sui.Command{merge}, t.Commands[0], sui.TransferObjects{
				Objects: []sui.Argument{sui.NestedArg(1, 0)}, Recipient: sui.InputArg(1)})
		}, sui.DeviceShowsHash},
		"nothing that moves":         {func(t *sui.Transaction) { t.Commands = t.Commands[:1] }, sui.DeviceShowsHash},
		"gas of the address balance": {func(t *sui.Transaction) { t.Gas.Payment = nil }, sui.DeviceShowsHash},
		"a withdrawal": {func(t *sui.Transaction) {
			t.Inputs = append(t.Inputs, sui.WithdrawalInput{})
		}, sui.DeviceShowsHash},
	} {
		t.Run(name, func(t *testing.T) {
			tx := payment()
			c.change(tx)
			if got := tx.OnDevice(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestOnDeviceIsWhatTheDeviceDoes compares results for random transactions with those of a second
// implementation, which follows the device byte by byte.
func TestOnDeviceIsWhatTheDeviceDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	seen := map[sui.OnDevice]int{}
	for range 20_000 {
		tx := randomForDevice(r)
		b, err := tx.Encode()
		if err != nil {
			t.Fatal(err)
		}
		all := func(coin string) func([32]byte) (device.Coin, bool) {
			return func([32]byte) (device.Coin, bool) { return device.Coin{Type: coin, Amount: 7}, true }
		}
		_, asSUI := device.Read(b, all(device.SUI))
		_, asUSDC := device.Read(b, all("USDC"))
		_, alone := device.Read(b, func([32]byte) (device.Coin, bool) { return device.Coin{}, false })
		says := tx.OnDevice()
		seen[says]++
		switch says {
		case sui.DeviceShowsHash:
			if asSUI || asUSDC || alone {
				t.Fatalf("the device shows amounts of %+v", tx)
			}
		case sui.DeviceShowsAmounts:
			if !asSUI {
				t.Fatalf("the device shows a hash of %+v", tx)
			}
		case sui.DeviceKnowsCoin:
			if !asSUI && !asUSDC || alone {
				t.Fatalf("the device shows a hash of %+v, or amounts without a coin", tx)
			}
		}
	}
	if seen[sui.DeviceShowsAmounts] < 500 || seen[sui.DeviceKnowsCoin] < 500 || seen[sui.DeviceShowsHash] < 500 {
		t.Errorf("%v", seen)
	}
}

// randomForDevice returns a short random transaction, often one that a device can read.
func randomForDevice(r *rand.Rand) *sui.Transaction {
	state := sui.SharedInput{ID: sui.MustAddress("0x5"), InitialVersion: 1, Mutable: true}
	tx := payment()
	tx.Inputs = []sui.Input{sui.PureU64(5), sui.PureAddress(sui.MustAddress("0xb0b")),
		sui.OwnedInput{Ref: sui.ObjectRef{ID: sui.Address{1}, Digest: sui.Digest{1}}},
		sui.OwnedInput{Ref: sui.ObjectRef{ID: sui.Address{2}, Digest: sui.Digest{2}}}, state, sui.PureInput{Bytes: []byte{0}}}
	switch r.IntN(12) {
	case 0:
		tx.Expiration = sui.ValidDuring{Chain: sui.Digest{1}}
	case 1:
		tx.Inputs = append(tx.Inputs, sui.PureAddress(sui.MustAddress("0xe7e")))
	case 2:
		tx.Inputs = append(tx.Inputs, sui.PureBool(true))
	case 3:
		tx.Inputs = append(tx.Inputs, sui.WithdrawalInput{MaxAmount: 1, Coin: sui.SUI.Tag()})
	}
	tx.Commands = nil
	splits := map[int]int{}
	coin := func() sui.Argument {
		at := r.IntN(len(tx.Commands) + 1)
		if n := splits[at]; n > 0 && r.IntN(4) > 0 {
			if n == 1 && r.IntN(2) == 0 {
				return sui.ResultArg(at)
			}
			return sui.NestedArg(at, r.IntN(n))
		}
		return []sui.Argument{sui.GasCoin, sui.InputArg(2), sui.InputArg(3), sui.InputArg(2),
			sui.InputArg(r.IntN(8))}[r.IntN(5)]
	}
	to := func() sui.Argument {
		if r.IntN(8) == 0 {
			return sui.InputArg(r.IntN(8))
		}
		return sui.InputArg(1)
	}
	for range 1 + r.IntN(4) {
		var c sui.Command
		switch r.IntN(8) {
		case 0, 1, 2:
			n := 1 + r.IntN(2)
			if r.IntN(20) == 0 {
				n = 9
			}
			amounts := slices.Repeat([]sui.Argument{sui.InputArg(0)}, n)
			if r.IntN(12) == 0 {
				amounts[0] = sui.InputArg(r.IntN(8))
			}
			c = sui.SplitCoins{Coin: coin(), Amounts: amounts}
			splits[len(tx.Commands)] = n
		case 3:
			c = sui.MergeCoins{Into: coin(), Sources: []sui.Argument{coin()}}
		case 4, 5, 6:
			objects := []sui.Argument{coin()}
			if r.IntN(4) == 0 {
				objects = append(objects, coin())
			}
			c = sui.TransferObjects{Objects: objects, Recipient: to()}
		case 7:
			c = randomCall(r, coin(), to())
		}
		tx.Commands = append(tx.Commands, c)
	}
	return tx
}

// randomCall returns a random call, or a vector of coins for one.
func randomCall(r *rand.Rand, coin, to sui.Argument) sui.Command {
	if r.IntN(4) == 0 {
		return sui.MakeMoveVec{Elements: []sui.Argument{coin}}
	}
	c := sui.MoveCall{Package: sui.MustAddress("0x3"), Module: "sui_system", Function: "request_add_stake",
		Arguments: []sui.Argument{sui.InputArg(4), coin, to}}
	switch r.IntN(6) {
	case 0:
		c.Function = "request_withdraw_stake"
	case 1:
		c.Module, c.Function, c.Arguments = "staking_pool", "split", []sui.Argument{coin, sui.InputArg(0)}
	case 2:
		c.Function, c.Arguments = "request_add_stake_mul_coin", []sui.Argument{sui.InputArg(4), sui.ResultArg(r.IntN(2)),
			sui.InputArg(5), to}
	case 3:
		c.Package = sui.MustAddress("0x2")
	case 4:
		c.Arguments[0] = sui.InputArg(r.IntN(8))
	}
	return c
}

func TestSigningHash(t *testing.T) {
	b, err := payment().Encode()
	if err != nil {
		t.Fatal(err)
	}
	h := sui.NewMaterial(b).SigningHash()
	if h != sui.SigningHash(sui.Hash([]byte{0, 0, 0}, b)) {
		t.Error("it does not follow from the intent and the bytes")
	}
	text := h.Grouped()
	if len(h.Groups()) != 16 || strings.ReplaceAll(text, " ", "") != h.String() || len(h.String()) != 64 ||
		strings.ToLower(text) != text {
		t.Errorf("%q", text)
	}
}
