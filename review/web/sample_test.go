package web_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// person is the account of every sample, which is the sandbox's.
var person = sui.MustAddress("0x0881c07520943bbf13989b92892093c1b50672156fa5f873c22892701cb2e207")

var (
	suiCoin  = plan.Asset{Symbol: "SUI", CoinType: sui.SUI, Decimals: 9}
	usdcCoin = plan.Asset{Symbol: "USDC", Decimals: 6,
		CoinType: "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"}
)

// samplePool returns a pool of the registry.
func samplePool(t *testing.T) registry.Pool {
	t.Helper()
	p, ok := registry.PoolByKey("SUI_USDC")
	if !ok {
		t.Fatal("the registry has no SUI_USDC")
	}
	return p
}

// sampleTransaction swaps 10 SUI to USDC: split, a zero coin for the fee, swap, send.
func sampleTransaction(t *testing.T) *sui.Transaction {
	t.Helper()
	pool := samplePool(t)
	call := func(pkg sui.Address, module, function string, types []sui.TypeTag, arguments ...sui.Argument) sui.Command {
		return sui.MoveCall{Package: pkg, Module: module, Function: function, TypeArgs: types, Arguments: arguments}
	}
	types := []sui.TypeTag{suiCoin.CoinType.Tag(), usdcCoin.CoinType.Tag()}
	return &sui.Transaction{
		Inputs: []sui.Input{
			sui.PureU64(10_000_000_000),
			sui.SharedInput{ID: pool.ID, InitialVersion: 389750322, Mutable: true},
			sui.PureU64(12_845_730),
			sui.ClockInput(),
			sui.PureAddress(person),
		},
		Commands: []sui.Command{
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			call(sui.MustAddress("0x2"), "coin", "zero", types[:1]),
			call(registry.Packages()[0].ID, "pool", "swap_exact_base_for_quote", types,
				sui.InputArg(1), sui.NestedArg(0, 0), sui.ResultArg(1), sui.InputArg(2), sui.InputArg(3)),
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(2, 0), sui.NestedArg(2, 1), sui.NestedArg(2, 2)},
				Recipient: sui.InputArg(4)},
		},
		Sender: person,
		Gas: sui.Gas{Owner: person, Price: 750, Budget: 5_000_000,
			Payment: []sui.ObjectRef{{ID: sui.MustAddress("0x6f1e0c"), Version: 3, Digest: sui.Digest{7}}}},
		Expiration: sui.EpochExpiration{Epoch: 102},
	}
}

// sample returns a session in a status, with all data of a real one.
func sample(t *testing.T, status record.Status) (record.Session, []record.Material) {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	tx := sampleTransaction(t)
	bytes, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	material := record.Material{Digest: sui.TransactionDigest(bytes), Bytes: sui.NewMaterial(bytes), CreatedAt: now}
	pool := samplePool(t)
	spend, least, expected := suiCoin.Of(10_000_000_000), usdcCoin.Of(12_845_730), usdcCoin.Of(12_975_485)
	s := record.Session{
		ID: record.ID(fmt.Sprintf("sample-%s-%s", status, rand.Text())), Network: "sui:sandbox", Account: person,
		WalletName: "Sandbox test wallet", WalletID: "say-ur-intent-sandbox", Protocol: "deep", Action: "swap",
		Intent: plan.Intent{Type: "swap", From: plan.IntentSource{Symbol: "SUI", Amount: "10"},
			To: plan.IntentTarget{Symbol: "USDC"}, MaxSlippageBps: 100, FeeMode: "input"},
		Status: status, Revision: 3, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(30 * time.Minute),
	}
	if status == record.WalletConnected || status == record.Proposed {
		return s, nil
	}
	s.Commitment = sui.Commitment(material.Digest)
	s.BuiltAt, s.BuildExpiresAt = now, now.Add(10*time.Minute)
	s.Facts = &plan.Facts{
		Sender: person, Gas: plan.GasFacts{Budget: 5_000_000, Price: 750, Owner: person, Payment: tx.Gas.Payment},
		LastEpoch: 102,
		Steps: []plan.StepFacts{{Sends: person, Promise: plan.SwapPromise([]plan.Amount{spend}, least), Expected: expected,
			Package: registry.Packages()[0].ID, Function: "pool::swap_exact_base_for_quote", Route: pool.Key, RouteID: pool.ID,
			TypeArgs: []string{string(suiCoin.CoinType), string(usdcCoin.CoinType)},
			Commands: []string{
				"Take 10 SUI out of your gas coin.",
				"Make an empty DEEP coin: this market takes its fee from what you give.",
				"Swap the 10 SUI on the DeepBook market SUI_USDC; fail if less than 12.84573 USDC comes out.",
				"Send the USDC, the rest of the SUI and the DEEP to your own account.",
			}}},
	}
	s.Holdings = []record.Holding{
		{Asset: suiCoin, Before: 1_000_000_000_000, After: 989_996_241_880},
		{Asset: usdcCoin, Before: 4_000_000_000, After: 4_012_975_485},
	}
	gas := sui.GasCost{Computation: 750_000, Storage: 7_022_400, Rebate: 4_014_280}
	s.State = record.State{
		Status: status, ComputedAt: now,
		Checks: []plan.Check{
			plan.Warn(plan.SourceQuote, "deepbook_fee_mode", "Fee mode",
				"The fee is taken from the 10 SUI, not paid in DEEP.", "").AsNote(),
			plan.Pass(plan.SourceRegistry, "deepbook_pool_resolution", "Market",
				"SUI_USDC is the pinned DeepBook market for SUI and USDC."),
			plan.Pass(plan.SourceQuote, "deepbook_raw_quote_evidence", "Quote", "The market quotes 12.975485 USDC for 10 SUI."),
			plan.Pass(plan.SourceAdapter, "cross_check_bytes", "Built bytes",
				"The bytes call only what was announced and send everything to your account."),
			plan.Pass(plan.SourceSimulation, "cross_check_effects", "Trial run",
				"You lose at most 10 SUI and gas, you gain at least 12.84573 USDC, and nobody else gains."),
		},
		Quote: &plan.QuoteEvidence{
			Provider: "DeepBookV3", Route: pool.Key, RouteID: pool.ID.String(), Direction: "base_to_quote", FeeMode: "input",
			FetchedAt: now, ExpiresAt: now.Add(30 * time.Second), MaxSlippageBps: 100, Input: spend, Unspent: suiCoin.Of(0),
			Expected: expected, Minimum: least, Fee: suiCoin.Of(12_500_000), EffectivePrice: "1.2975485",
			PriceUnit: "USDC per SUI",
		},
		Simulation: &record.SimulationSummary{Provider: "sui_full_node", ChecksEnabled: true, Success: true, SimulatedAt: now,
			Gas: gas, GasNet: gas.Net(), BoundToCommitment: s.Commitment},
		HumanReview: &record.HumanReview{BoundToCommitment: s.Commitment,
			Guarantee: "At least 12.84573 USDC arrives, or nothing is swapped (all coins come back, or the transaction fails) and only gas is spent."},
		Outlook:  []plan.Outlook{sampleOutlook(now)},
		Contract: &record.Contract{TransactionMaterialCommitment: s.Commitment},
	}
	return inStatus(t, s, material, tx, now)
}

// sampleOutlook returns a fair price in a market, with the price of another venue.
func sampleOutlook(now time.Time) plan.Outlook {
	return plan.Outlook{
		Market: &plan.Market{Venue: "DeepBook", Pool: "SUI_USDC", Base: suiCoin, Quote: usdcCoin, Middle: "1.2993",
			Bid: "1.2991", Ask: "1.2995", ReadAt: now},
		Trade: &plan.Trade{Guaranteed: plan.Shortfall{Bps: 114, Amount: usdcCoin.Of(147_270)},
			Expected:  plan.Shortfall{Bps: 14, Amount: usdcCoin.Of(17_515)},
			ImpactBps: 2},
		Other: &plan.OtherVenue{Venue: "FlowX", Pool: "SUI_USDC", Middle: "1.3012", ApartBps: 15, ReadAt: now},
	}
}

// inStatus adds the data that a status requires to a sample.
func inStatus(t *testing.T, s record.Session, m record.Material, tx *sui.Transaction, now time.Time) (record.Session,
	[]record.Material) {
	t.Helper()
	release := record.Release{Digest: m.Digest, Commitment: s.Commitment, NonceHash: record.Hash{1}, Revision: 3, At: now,
		GasCoin: tx.Gas.Payment[0], LastEpoch: 102, Facts: *s.Facts, SignedAt: now}
	switch s.Status {
	case record.RefreshRequired:
		s.Reason, s.Commitment = plan.QuoteStale, ""
		s.State.Checks = append([]plan.Check{plan.Fail(plan.SourceAdapter, "transaction_build_expired", "Built transaction",
			"The transaction expired unused, so this program discarded it.",
			"Update to rebuild it at the current price.")}, s.State.Checks...)
		return s, nil
	case record.Blocked:
		s.Reason, s.Commitment = plan.InsufficientBalance, ""
		s.State.Checks = append([]plan.Check{plan.Fail(plan.SourceWallet, "deepbook_balance", "Balance",
			"The account holds 4.2 SUI in coins; this review needs 10 SUI.",
			"Add SUI, or prepare a new review for a smaller amount.")}, s.State.Checks...)
		return s, nil
	case record.SignedPendingResult:
		s.Releases = []record.Release{release}
		s.Execution = &record.Execution{Status: s.Status, TxDigest: m.Digest.String(), Submission: record.SubmissionUnknown,
			SignedAt: now}
		return s, []record.Material{m}
	case record.Success, record.Failure:
		s.Releases = []record.Release{release}
		s.Execution = execution(s, m.Digest, now)
		return s, nil
	case record.Expired:
		return s, nil
	}
	return s, []record.Material{m}
}

// execution returns the result of the sample on chain.
func execution(s record.Session, d sui.Digest, now time.Time) *record.Execution {
	ok := s.Status == record.Success
	checkpoint := uint64(42)
	gas := s.State.Simulation.Gas
	x := &record.Execution{Status: s.Status, TxDigest: d.String(), Submission: record.SubmissionAccepted, SignedAt: now,
		FinalAt: now}
	r := &record.Receipt{TxDigest: d.String(), Sender: person, OK: ok, Epoch: 101, Checkpoint: &checkpoint, Timestamp: now,
		Gas: gas, GasNet: gas.Net(), FetchedAt: now}
	x.Receipt = r
	if !ok {
		x.FailureReason, x.Note = record.FailureChainExecution,
			"The transaction failed on chain. Only gas was spent."
		r.FailureKind = "MOVE_ABORT"
		r.BalanceChanges = []sui.BalanceChange{{Owner: person, Coin: sui.SUI, Amount: sui.Delta{Negative: true,
			Amount: 3_758_120}}}
		return x
	}
	r.BalanceChanges = []sui.BalanceChange{
		{Owner: person, Coin: usdcCoin.CoinType, Amount: sui.Delta{Amount: 12_975_485}},
		{Owner: person, Coin: sui.SUI, Amount: sui.Delta{Negative: true, Amount: 10_003_758_120}},
	}
	r.Promises = []record.PromiseResult{
		{ID: "minimum_arrived", Label: "Arrives, or nothing is swapped", Promised: "at least 12.84573 USDC",
			Actual: "12.975485 USDC", Kept: true},
		{ID: "spent_at_most", Label: "Leaves at most", Promised: "10 SUI", Actual: "10 SUI", Kept: true},
		{ID: "gas_within_budget", Label: "Gas", Promised: "at most 0.005 SUI", Actual: "0.00375812 SUI", Kept: true},
		{ID: "nobody_else_gained", Label: "Nobody else gains", Promised: "nobody", Actual: "nobody", Kept: true},
	}
	return x
}

// put stores a session in its state and returns its id.
func (r *rig) put(s record.Session, materials []record.Material) string {
	r.t.Helper()
	ctx := context.Background()
	bare := s
	bare.Releases, bare.Execution, bare.Facts, bare.Revision = nil, nil, nil, 1
	bare.Status, bare.Commitment, bare.State = record.Proposed, "", record.State{}
	if err := r.db.CreateReview(ctx, bare); err != nil {
		r.t.Fatal(err)
	}
	all := func(row *record.Row) { row.Session, row.Materials = s, materials }
	var err error
	if len(s.Releases) > 0 {
		_, err = r.db.Release(ctx, s.ID, func(row *record.Row) (record.Release, error) {
			all(row)
			return s.Releases[0], nil
		})
	} else {
		_, err = r.db.Change(ctx, s.ID, "sample", func(row *record.Row) error {
			all(row)
			return nil
		})
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return string(s.ID)
}

// sampleDigest returns the digest of the sample transaction.
func sampleDigest(t *testing.T) string {
	t.Helper()
	b, err := sampleTransaction(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return sui.TransactionDigest(b).String()
}

// leaks reports whether text contains secret, or a large part of it, in a common encoding of bytes.
func leaks(text string, secret []byte) bool {
	part := secret[len(secret)/3 : len(secret)/3+48]
	return strings.Contains(text, string(part)) || strings.Contains(text, hex.EncodeToString(part)) ||
		strings.Contains(text, base64.StdEncoding.EncodeToString(secret)[40:90])
}
