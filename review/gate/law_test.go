package gate

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var (
	lawTime    = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	lawAccount = sui.MustAddress("0xa11ce")
	lawRef     = sui.ObjectRef{ID: sui.MustAddress("0xc01"), Version: 7, Digest: sui.Digest{1}}
	lawBytes   = lawTransaction(1)
)

var lawMinimum = plan.Asset{Symbol: "USDC", CoinType: "0x5::usdc::USDC", Decimals: 6}.Of(30_000_000)

var lawFacts = plan.Facts{Sender: lawAccount, LastEpoch: 5,
	Steps: []plan.StepFacts{{Sends: lawAccount, Promise: plan.SwapPromise([]plan.Amount{plan.SUI.Of(10_000_000_000)},
		lawMinimum)}},
	Gas: plan.GasFacts{Budget: 5_000_000, Price: 1000, Owner: lawAccount, Payment: []sui.ObjectRef{lawRef}}}

// lawTransaction writes a transaction that pays gas with lawRef and uses up more
// coins besides.
func lawTransaction(amount uint64, more ...sui.ObjectRef) []byte {
	tx := sui.Transaction{Sender: lawAccount, Expiration: sui.EpochExpiration{Epoch: 5},
		Inputs:   []sui.Input{sui.PureU64(amount)},
		Commands: []sui.Command{sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}}},
		Gas:      sui.Gas{Payment: []sui.ObjectRef{lawRef}, Owner: lawAccount, Price: 1000, Budget: 5_000_000}}
	for _, ref := range more {
		tx.Inputs = append(tx.Inputs, sui.OwnedInput{Ref: ref})
	}
	raw, err := tx.Encode()
	if err != nil {
		panic(err)
	}
	return raw
}

func lawEffects(ok bool) sui.Executed {
	return sui.Executed{Effects: sui.Effects{Digest: sui.TransactionDigest(lawBytes), Sender: lawAccount,
		Status: sui.ExecutionStatus{OK: ok, Kind: "MOVE_ABORT"}}}
}
