package sui_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// payment is a transaction in the shape of wallets: split the gas coin, send the part.
func payment() *sui.Transaction {
	to := sui.PureAddress(sui.MustAddress("0xb0b"))
	account := sui.MustAddress("0xa1")
	return &sui.Transaction{Sender: account, Expiration: sui.EpochExpiration{Epoch: 9}, Inputs: []sui.Input{sui.PureU64(5), to},
		Commands: []sui.Command{
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{{Kind: sui.ArgInput}}},
			sui.TransferObjects{Objects: []sui.Argument{{Kind: sui.ArgNestedResult}}, Recipient: sui.Argument{Kind: sui.ArgInput, Index: 1}},
		},
		Gas: sui.Gas{Owner: account, Payment: []sui.ObjectRef{{ID: sui.MustAddress("0xc0"), Version: 1}}, Price: 1000, Budget: 1}}
}

func TestOnDevice(t *testing.T) {
	call := func(pkg, module, function string) sui.MoveCall {
		return sui.MoveCall{Package: sui.MustAddress(pkg), Module: module, Function: function}
	}
	for name, c := range map[string]struct {
		change func(*sui.Transaction)
		want   sui.OnDevice
	}{
		"a payment of SUI": {func(*sui.Transaction) {}, sui.DeviceShowsAmounts},
		"a payment of another coin": {func(t *sui.Transaction) {
			t.Inputs = append(t.Inputs, sui.OwnedInput{})
			t.Commands[0] = sui.SplitCoins{Coin: sui.Argument{Kind: sui.ArgInput, Index: 2}, Amounts: []sui.Argument{{Kind: sui.ArgInput}}}
		}, sui.DeviceKnowsCoin},
		"two recipients": {func(t *sui.Transaction) {
			t.Inputs = append(t.Inputs, sui.PureAddress(sui.MustAddress("0xe7e")))
			t.Commands = append(t.Commands, sui.TransferObjects{Objects: []sui.Argument{sui.GasCoin}, Recipient: sui.Argument{Kind: sui.ArgInput, Index: 2}})
		}, sui.DeviceShowsHash},
		"a call": {func(t *sui.Transaction) {
			t.Commands[1] = call("0x2", "transfer", "public_transfer")
		}, sui.DeviceShowsHash},
		"an unstaking": {func(t *sui.Transaction) {
			t.Commands = []sui.Command{call("0x3", "sui_system", "request_withdraw_stake")}
		}, sui.DeviceShowsAmounts},
		"two stakings": {func(t *sui.Transaction) {
			stake := call("0x3", "sui_system", "request_add_stake")
			t.Commands = []sui.Command{stake, stake}
		}, sui.DeviceShowsHash},
		"a staking and a payment": {func(t *sui.Transaction) {
			t.Commands = append(t.Commands, call("0x3", "sui_system", "request_add_stake"))
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

func TestSigningHash(t *testing.T) {
	b, err := payment().Encode()
	if err != nil {
		t.Fatal(err)
	}
	h := sui.NewMaterial(b).SigningHash()
	if h != sui.SigningHash(sui.Hash([]byte{0, 0, 0}, b)) {
		t.Error("it is not of the intent and the bytes")
	}
	text := h.Grouped()
	if len(h.Groups()) != 16 || strings.ReplaceAll(text, " ", "") != h.String() || len(h.String()) != 64 || strings.ToLower(text) != text {
		t.Errorf("%q", text)
	}
}
