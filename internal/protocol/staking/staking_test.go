package staking_test

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestStakes compares estimates with what the chain then pays. They must match exactly.
func TestStakes(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	r := staking.NewReader(h.Node, h.Clock.Now)
	if none, err := r.Stakes(t.Context(), sandbox.Account); err != nil || len(none.List) != 0 || none.Epoch != 0 {
		t.Fatalf("an account without stakes: %+v, %v", none, err)
	}
	h.Sandbox.ShowHoldings()
	got, err := r.Stakes(t.Context(), sandbox.Account)
	if err != nil || len(got.List) != 2 || got.More || got.Epoch != sandbox.FirstEpoch || got.At.IsZero() {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, s := range got.List {
		if s.Validator == nil || s.Pays == nil {
			t.Fatalf("a stake without a validator or an estimate: %+v", s)
		}
		switch {
		case s.Starts(got.Epoch):
			if s.Validator.Name != "Elm" || *s.Pays != 30_000_000_000 || *s.Reward() != 0 {
				t.Errorf("the new stake: %+v pays %d", s, *s.Pays)
			}
		default:
			if s.Validator.Name != "Birch" || *s.Reward() < 224_000_000 || *s.Reward() > 226_000_000 {
				t.Errorf("the old stake: %+v has earned %d", s, *s.Reward())
			}
		}
		if paid := withdrawn(t, h.Sandbox, s.ID); paid != *s.Pays {
			t.Errorf("the chain pays %d, %d were estimated", paid, *s.Pays)
		}
	}
}

// withdrawn returns what the chain pays for a stake.
func withdrawn(t *testing.T, chain *sandbox.Sandbox, id sui.ObjectID) sui.Raw {
	t.Helper()
	tx := &sui.Transaction{Sender: sandbox.Account, Gas: sui.Gas{Owner: sandbox.Account, Price: 500, Budget: 500_000_000},
		Expiration: sui.NoExpiration{}, Inputs: []sui.Input{
			sui.SharedInput{ID: sui.MustAddress("0x5"), InitialVersion: 1, Mutable: true},
			sui.OwnedInput{Ref: chain.Object(id).Ref()}},
		Commands: []sui.Command{sui.MoveCall{Package: sui.MustAddress("0x3"), Module: "sui_system",
			Function: "request_withdraw_stake", Arguments: []sui.Argument{sui.InputArg(0), sui.InputArg(1)}}}}
	resolve := func(func(sui.ObjectID) *ledger.Object) (*sui.Transaction, error) { return tx, nil }
	done, err := chain.Simulate(resolve, true, true, false)
	if err != nil || done.Failure != nil {
		t.Fatal(err, done)
	}
	for _, c := range done.Changes {
		if c.Before == nil && c.After.Coin == sui.SUI {
			return sui.Raw(c.After.Balance)
		}
	}
	t.Fatal("no coin was made")
	return 0
}

func TestValidators(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	r := staking.NewReader(h.Node, h.Clock.Now)
	page, err := r.Validators(t.Context(), 1, 2)
	if err != nil || page.Count != 5 || len(page.List) != 2 ||
		page.List[0].Name != "Birch" || page.List[1].Name != "Cedar" {
		t.Fatalf("%+v, %v", page, err)
	}
	y := page.List[0].Yield
	if y == nil || y.From != sandbox.FirstEpoch-30 || y.To != sandbox.FirstEpoch || y.APY < 0.0277 || y.APY > 0.0278 {
		t.Errorf("the yield is %+v", y)
	}
	if all, err := r.Validators(t.Context(), 0, 50); err != nil || len(all.List) != 5 || all.List[4].Yield.APY > 1e-9 {
		t.Errorf("a validator that keeps all rewards: %+v, %v", all, err)
	}
	if none, err := r.Validators(t.Context(), 9, 2); err != nil || len(none.List) != 0 {
		t.Errorf("after the last page: %+v, %v", none, err)
	}
	inject(t, h.Sandbox)
	if _, err := r.Validators(t.Context(), 0, 2); !fault.Is(err, fault.ProviderUnavailable) {
		t.Errorf("a node that does not answer: %v", err)
	}
}

func inject(t *testing.T, chain *sandbox.Sandbox) {
	t.Helper()
	if err := chain.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "GetEpoch"}); err != nil {
		t.Fatal(err)
	}
}
