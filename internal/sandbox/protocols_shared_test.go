//go:build shared

package sandbox

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	staking "github.com/sayurintent/sayurintent/internal/protocol/staking/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// protocolVectors has the fields that these tests read from other protocols' vectors.
type protocolVectors struct {
	Sender string `json:"sender"`
	Owned  []struct {
		ID, Type, Balance string
		Version           uint64
	} `json:"owned_objects"`
	Valid   []protocolVector `json:"valid"`
	Hostile []protocolVector `json:"hostile"`
}

type protocolVector struct {
	Name            string `json:"name"`
	Form            string `json:"form"`
	TransactionData []byte `json:"transactionData"`
	Expect          struct {
		Floor *struct {
			Command int    `json:"command"`
			Result  int    `json:"result"`
			Least   string `json:"least"`
		} `json:"floor"`
	} `json:"expect"`
}

// Objects in the stake vectors, and the obligation of the cap.
var (
	oldStake   = sui.MustAddress("0x5151515151515151515151515151515151515151515151515151515151515151")
	freshStake = sui.MustAddress("0x5252525252525252525252525252525252525252525252525252525252525252")
	obligation = sui.MustAddress("0x0b0b")
	vectorFrom = sui.MustAddress("0x7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a")
)

// protocols returns a sandbox with the objects that the vectors use.
func recordedProtocols(t *testing.T) (*served, protocolVectors) {
	t.Helper()
	raw, err := os.ReadFile("../../../shared/vectors/protocols.json")
	if err != nil {
		t.Fatal(err)
	}
	var v protocolVectors
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	n := start(t, Config{})
	n.Edit("vectors", func(e *ledger.Edit) {
		for _, o := range v.Owned {
			id := sui.MustAddress(o.ID)
			placed := ledger.Object{ID: id, Version: o.Version, Owner: sui.Owner{Kind: sui.OwnerAddress, Address: Account},
				Type: sui.MustTypeTag(o.Type), Transfers: true}
			balance, _ := strconv.ParseUint(o.Balance, 10, 64)
			switch {
			case placed.Type.Struct.Name == "Coin":
				placed.Coin, placed.Balance = sui.CoinType(placed.Type.Struct.Params[0].String()), balance
				placed.Contents = bcs.Bytes(nil).Raw(id[:]).U64(balance)
			case id == oldStake: // slightly larger than in the vector: these pools earned for only a month
				staking.Give(e, id, Account, 0, ledger.FirstEpoch-30, balance+300_000_000)
				continue
			case id == freshStake:
				staking.Give(e, id, Account, 0, ledger.FirstEpoch+1, balance)
				continue
			default:
				placed.Contents = bcs.Bytes(nil).Raw(id[:]).Raw(obligation[:])
			}
			e.Place(placed)
		}
	})
	foreign.Set(n.Ledger, foreign.CetusPool, 3_450_000_000)
	foreign.Set(n.Ledger, foreign.MadeUpPool, 3_450_000_000)
	usdc := sui.CoinType(usdc.Tag().String())
	foreign.Lock(n.Ledger, obligation, usdc, 100_000_000)
	foreign.Lock(n.Ledger, obligation, sui.SUI, 2_000_000_000)
	foreign.Supply(n.Ledger, Account, usdc, 60_000_000)
	foreign.Supply(n.Ledger, Account, sui.SUI, 2_000_000_000)
	return n, v
}

// own adapts a vector to this chain: its sender, validator and object references.
func (n *served) own(t *testing.T, v protocolVectors, raw []byte) *sui.Transaction {
	t.Helper()
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		t.Fatal(err)
	}
	sender := sui.MustAddress(v.Sender)
	for i, in := range tx.Inputs {
		switch in := in.(type) {
		case sui.PureInput:
			if len(in.Bytes) == 32 && sui.Address(in.Bytes) == sender {
				tx.Inputs[i] = sui.PureAddress(Account)
			}
			if len(in.Bytes) == 32 && sui.Address(in.Bytes) == vectorFrom {
				tx.Inputs[i] = sui.PureAddress(sui.MustAddress(n.validators(t)[0].GetAddress()))
			}
		case sui.OwnedInput:
			in.Ref = n.Object(in.Ref.ID).Ref()
			tx.Inputs[i] = in
		case sui.SharedInput: // many of the vectors' versions are made up
			if o := n.Object(in.ID); o != nil {
				in.InitialVersion = o.Owner.InitialVersion
				tx.Inputs[i] = in
			}
		}
	}
	tx.Sender, tx.Gas.Owner, tx.Gas.Price, tx.Gas.Budget = Account, Account, gasPrice, 500_000_000
	tx.Gas.Payment = []sui.ObjectRef{n.coin(t, sui.SUI, 0)}
	return tx
}

// floorOf finds the split that checks a result, and the input with its amount.
func floorOf(tx *sui.Transaction, command, result int) (split int, input uint16) {
	for i, c := range tx.Commands {
		s, ok := c.(sui.SplitCoins)
		if !ok || int(s.Coin.Index) != command || int(s.Coin.Nested) != result ||
			s.Coin.Kind != sui.ArgResult && s.Coin.Kind != sui.ArgNestedResult {
			continue
		}
		return i, s.Amounts[0].Index
	}
	return -1, 0
}

func TestProtocolVectorsExecute(t *testing.T) {
	n, list := recordedProtocols(t)
	for _, v := range list.Valid {
		t.Run(v.Name, func(t *testing.T) {
			tx := n.own(t, list, v.TransactionData)
			answer := n.simulated(t, tx)
			if s := answer.GetTransaction().GetEffects().GetStatus(); !s.GetSuccess() {
				t.Fatalf("the transaction: %v", s)
			}
			if v.Form != "floor" {
				return
			}
			split, input := floorOf(tx, v.Expect.Floor.Command, v.Expect.Floor.Result)
			if split < 0 {
				t.Fatal("no floor is in the transaction")
			}
			all := comes(answer, v.Expect.Floor.Command, v.Expect.Floor.Result)
			tx.Inputs[input] = sui.PureU64(all)
			if s := n.simulated(t, tx).GetTransaction().GetEffects().GetStatus(); !s.GetSuccess() {
				t.Errorf("a floor of all that comes: %v", s)
			}
			tx.Inputs[input] = sui.PureU64(all + 1)
			got := flatten(n.simulated(t, tx).GetTransaction().GetEffects().GetStatus())
			if want := (failed{Kind: pb.ExecutionError_INSUFFICIENT_COIN_BALANCE, Command: int64(split)}); got != want {
				t.Errorf("a floor of one more: %+v, expected %+v", got, want)
			}
		})
	}
}

// TestForeignLegUsesTheSender executes the vector whose minimum is kept while a leg takes the sender's
// supply elsewhere: a minimum proves only the output.
func TestForeignLegUsesTheSender(t *testing.T) {
	n, list := recordedProtocols(t)
	i := slices.IndexFunc(list.Hostile,
		func(v protocolVector) bool { return v.Name == "aggregator under a floor / sender authority" })
	tx := n.own(t, list, list.Hostile[i].TransactionData)
	answer := n.simulated(t, tx)
	if s := answer.GetTransaction().GetEffects().GetStatus(); !s.GetSuccess() {
		t.Fatal(s)
	}
	taken := changes(answer.GetTransaction().GetBalanceChanges())
	if taken["0xc7c7 USDC"] != "60000000" {
		t.Errorf("the balances change by %v", taken)
	}
}
