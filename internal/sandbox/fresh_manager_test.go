package sandbox

import (
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestFreshManager funds a balance manager in the transaction that creates it, as the chain allows:
// by reference until it is shared.
func TestFreshManager(t *testing.T) {
	n := start(t, Config{})
	pkg := registry.Packages()[0].ID
	call := func(p sui.ObjectID, module, function string, types []sui.TypeTag, args ...sui.Argument) sui.Command {
		return sui.MoveCall{Package: p, Module: module, Function: function, TypeArgs: types, Arguments: args}
	}
	made := sui.ResultArg(0)
	create := call(pkg, "balance_manager", "new", nil)
	split := sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}}
	manager := sui.MustTypeTag(sui.StructTag{Address: registry.OriginalPackage, Module: "balance_manager",
		Name: "BalanceManager"}.String())
	share := call(sui.MustAddress("0x2"), "transfer", "public_share_object", []sui.TypeTag{manager}, made)
	fill := call(pkg, "balance_manager", "deposit", []sui.TypeTag{sui.SUI.Tag()}, made, sui.NestedArg(1, 0))
	late := call(pkg, "balance_manager", "deposit", []sui.TypeTag{sui.SUI.Tag()}, made, sui.NestedArg(2, 0))
	run := func(t *testing.T, commands ...sui.Command) *pb.ExecutedTransaction {
		t.Helper()
		tx, err := n.run(t, &sui.Transaction{Sender: Account, Expiration: sui.NoExpiration{},
			Inputs: []sui.Input{sui.PureU64(7_000_000_000)}, Commands: commands,
			Gas: sui.Gas{Payment: []sui.ObjectRef{n.coin(t, sui.SUI, 0)}, Owner: Account, Price: gasPrice, Budget: 50_000_000}})
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	t.Run("what went in is there once it is shared", func(t *testing.T) {
		tx := run(t, create, split, fill, share)
		if !tx.GetEffects().GetStatus().GetSuccess() {
			t.Fatal(tx.GetEffects().GetStatus())
		}
		o := n.made(t, tx, "BalanceManager")
		if o.Owner.Kind != sui.OwnerShared {
			t.Errorf("%+v", o.Owner)
		}
		free := call(pkg, "balance_manager", "withdraw", []sui.TypeTag{sui.SUI.Tag()}, sui.InputArg(0), sui.InputArg(1))
		tx, err := n.run(t, &sui.Transaction{Sender: Account, Expiration: sui.NoExpiration{},
			Inputs: []sui.Input{sui.SharedInput{ID: o.ID, InitialVersion: o.Owner.InitialVersion, Mutable: true},
				sui.PureU64(7_000_000_000), sui.PureAddress(Account)},
			Commands: []sui.Command{free, sui.TransferObjects{Objects: []sui.Argument{sui.ResultArg(0)},
				Recipient: sui.InputArg(2)}},
			Gas: sui.Gas{Payment: []sui.ObjectRef{n.coin(t, sui.SUI, 0)}, Owner: Account, Price: gasPrice,
				Budget: 50_000_000}})
		if err != nil || !tx.GetEffects().GetStatus().GetSuccess() {
			t.Error(tx.GetEffects().GetStatus(), err)
		}
	})
	for name, c := range map[string]struct {
		commands []sui.Command
		kind     pb.ExecutionError_ExecutionErrorKind
		argument pb.CommandArgumentError_CommandArgumentErrorKind
	}{
		"it is shared and then used": {[]sui.Command{create, share, split, late}, pb.ExecutionError_COMMAND_ARGUMENT_ERROR,
			pb.CommandArgumentError_INVALID_VALUE_USAGE},
		"it is shared twice": {[]sui.Command{create, share, share}, pb.ExecutionError_COMMAND_ARGUMENT_ERROR,
			pb.CommandArgumentError_INVALID_VALUE_USAGE},
		"it is never shared": {[]sui.Command{create, split, fill}, pb.ExecutionError_UNUSED_VALUE_WITHOUT_DROP, 0},
	} {
		t.Run("refused: "+name, func(t *testing.T) {
			e := run(t, c.commands...).GetEffects().GetStatus().GetError()
			if e.GetKind() != c.kind || e.GetCommandArgumentError().GetKind() != c.argument {
				t.Error(e)
			}
		})
	}
}
