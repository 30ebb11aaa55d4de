package sandbox

import (
	"slices"
	"strings"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestChecksOff(t *testing.T) {
	n := start(t, Config{})
	t.Run("any sender, no gas, foreign coins", func(t *testing.T) {
		tx := n.swapTx(t, "SUI_USDC", 10_000_000_000, 1, func(tx *sui.Transaction) {
			tx.Sender = sui.MustAddress("0x77")
			tx.Gas = sui.Gas{Owner: tx.Sender, Price: gasPrice}
			tx.Expiration = sui.EpochExpiration{}
			tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: n.coin(t, coins.DEEP, 0)}, sui.PureU64(5_000_000))
			tx.Commands[1] = sui.SplitCoins{Coin: sui.InputArg(5), Amounts: []sui.Argument{sui.InputArg(6)}}
		})
		answer, err := n.dry(t, tx, false)
		if err != nil || !answer.GetTransaction().GetEffects().GetStatus().GetSuccess() {
			t.Fatalf("%v, %v", answer, err)
		}
		if len(answer.GetCommandOutputs()) != 4 || len(answer.GetCommandOutputs()[2].GetReturnValues()) != 3 {
			t.Error(answer.GetCommandOutputs())
		}
		if _, err := n.dry(t, tx, true); err == nil {
			t.Error("the same with checks was accepted")
		}
	})
	t.Run("nothing changes", func(t *testing.T) {
		if b := n.balance(t, Account, coins.DEEP); b != 10_000_000_000 {
			t.Errorf("DEEP is %d", b)
		}
	})
	t.Run("a gas coin that is not there is still refused", func(t *testing.T) {
		tx := n.swapTx(t, "SUI_USDC", 1_000_000_000, 1, func(tx *sui.Transaction) { tx.Gas.Payment[0].ID[5]++ })
		if _, err := n.dry(t, tx, false); status.Code(err) != codes.NotFound {
			t.Error(err)
		}
	})
}

func TestFunctions(t *testing.T) {
	n := start(t, Config{})
	client := pb.NewMovePackageServiceClient(n.conn)
	get := func(pkg sui.ObjectID, module, name string) (*pb.FunctionDescriptor, error) {
		answer, err := client.GetFunction(within(t), &pb.GetFunctionRequest{PackageId: new(pkg.String()), ModuleName: &module,
			Name: &name})
		return answer.GetFunction(), err
	}
	newest := registry.Packages()[0].ID
	f, err := get(newest, "pool", "swap_exact_base_for_quote")
	if err != nil || len(f.GetParameters()) != 6 || f.GetParameters()[0].GetReference() != pb.OpenSignature_MUTABLE ||
		len(f.GetReturns()) != 3 {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := get(newest, "pool", "mid_price"); err != nil || len(f.GetParameters()) != 2 ||
		f.GetParameters()[0].GetReference() != pb.OpenSignature_IMMUTABLE {
		t.Errorf("%v, %v", f, err)
	}
	if _, err := get(newest, "pool", "nonsense"); status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(),
		"pool::nonsense") {
		t.Error(err)
	}
	if _, err := get(registry.OriginalPackage, "pool", "id"); status.Code(err) != codes.NotFound {
		t.Error(err)
	}
}

func TestSignatures(t *testing.T) {
	n := start(t, Config{})
	tx := n.swapTx(t, "SUI_USDC", 1_000_000_000, 0, nil)
	raw, good := n.signed(t, tx)
	_, foreign := signAs(0x22, raw)
	broken := slices.Clone(good)
	broken[10] ^= 1
	for _, c := range []struct {
		name       string
		signatures [][]byte
		want       string
	}{
		{"none", nil, "needs 1"},
		{"of somebody else", [][]byte{foreign}, "neither sender nor gas owner"},
		{"broken", [][]byte{broken}, "invalid user signature"},
		{"twice", [][]byte{good, good}, "needs 1"},
		{"of other bytes", [][]byte{func() []byte {
			other := *tx
			other.Gas.Budget++
			_, s := n.signed(t, &other)
			return s
		}()}, "invalid user signature"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := n.send(t, raw, c.signatures...)
			if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	t.Run("a sponsor signs too", func(t *testing.T) {
		sponsor, _ := signAs(0x22, nil)
		if err := n.Endow(sponsor); err != nil {
			t.Fatal(err)
		}
		gas := n.coins(sponsor, sui.SUI)[0]
		tx := n.swapTx(t, "WAL_USDC", 1_000_000_000, 0, func(tx *sui.Transaction) {
			tx.Gas.Owner, tx.Gas.Payment = sponsor, []sui.ObjectRef{gas}
			wal, _ := coins.BySymbol("WAL")
			tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: n.coin(t, wal.Type, 0)})
			tx.Commands[0] = sui.SplitCoins{Coin: sui.InputArg(5), Amounts: []sui.Argument{sui.InputArg(0)}}
		})
		raw, own := n.signed(t, tx)
		_, theirs := signAs(0x22, raw)
		if _, err := n.send(t, raw, own); err == nil {
			t.Error("accepted without the sponsor")
		}
		done, err := n.send(t, raw, theirs, own)
		if err != nil || !done.GetTransaction().GetEffects().GetStatus().GetSuccess() {
			t.Fatalf("%v, %v", done, err)
		}
		if c := changes(done.GetTransaction().GetBalanceChanges()); c["0x0881 SUI"] != "" || c[sponsor.String()[:6]+
			" SUI"] == "" {
			t.Errorf("the sponsor pays the gas: %v", c)
		}
	})
}
