package handoff

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// lawCoin is a coin that lawRow's bytes do not use.
var lawCoin = sui.ObjectRef{ID: sui.MustAddress("0xc02"), Version: 3, Digest: sui.Digest{2}}

// handWith runs the handoff transition on a ready row of an account with these open releases,
// whose bytes these reviews released before.
func handWith(open []record.OpenRelease, before []record.ID, wish record.StepWish,
	accepted ...string) (record.Release, error) {
	r := lawRow("ready_for_wallet_review")
	r.Session.Action, r.Session.ChainID = "mine", "chain"
	r.Open = func() ([]record.OpenRelease, error) { return open, nil }
	r.ReleasedBy = func(sui.Digest) ([]record.ID, error) { return before, nil }
	read := func(_, action string, _ plan.Intent, _ *plan.Facts) []record.StepWish {
		if action == "mine" {
			return []record.StepWish{{Action: "x"}, {Action: "pay", Amount: "5", Read: true}}
		}
		return []record.StepWish{{Action: "y", Read: true}, wish}
	}
	return release(&r, releaseRequest{revision: 4, commitment: r.Session.Commitment, nonce: record.HashOf("n"),
		active:   &record.Account{Address: lawAccount},
		accepted: accepted, wish: read}, lawTime)
}

func TestLawOfOpenReleases(t *testing.T) {
	same, other := record.StepWish{Action: "pay", Amount: "5", Read: true}, record.StepWish{Action: "pay", Amount: "6",
		Read: true}
	sharing := record.Release{GasCoin: lawRef, Inputs: []sui.ObjectRef{lawCoin, lawRef}}
	apart := record.Release{GasCoin: lawCoin, Inputs: []sui.ObjectRef{lawCoin}}
	changed := func(r record.Release, change func(*record.Release)) record.Release { change(&r); return r }
	one := func(r record.Release) []record.OpenRelease {
		return []record.OpenRelease{{Review: "else", Action: "other", ChainID: "chain", Release: r}}
	}
	for name, c := range map[string]struct {
		open     []record.OpenRelease
		before   []record.ID
		wish     record.StepWish
		accepted []string
		reason   string // of the refusal, "" for none
	}{
		"nothing is open":               {},
		"another wish on other coins":   {open: one(apart), wish: other},
		"another wish on a shared coin": {open: one(sharing), wish: other, reason: "replace"},
		"and it is replaced":            {open: one(sharing), wish: other, accepted: []string{"replace:else"}},
		"another one is replaced": {open: one(sharing), wish: other, accepted: []string{"replace:other",
			"again:else"}, reason: "replace"},
		"of an older version, by its gas coin": {open: one(record.Release{GasCoin: lawRef}), wish: other,
			reason: "replace"},
		"by id and version, whatever the digest": {open: one(changed(sharing,
			func(r *record.Release) { r.GasCoin.Digest[0]++; r.Inputs = []sui.ObjectRef{r.GasCoin} })), wish: other,
			reason: "replace"},
		"another version of the coin": {open: one(record.Release{GasCoin: sui.ObjectRef{ID: lawRef.ID,
			Version: 8}}), wish: other},
		"the same wish on a shared coin": {open: one(sharing), wish: same, reason: "replace"},
		"the same wish, replaced":        {open: one(sharing), wish: same, accepted: []string{"replace:else"}},
		"the same wish on other coins":   {open: one(apart), wish: same, reason: "again"},
		"the same wish, again":           {open: one(apart), wish: same, accepted: []string{"again:else"}},
		"the same wish, replaced on other coins": {open: one(apart), wish: same, accepted: []string{"replace:else"},
			reason: "again"},
		"a wish that nobody understands any more": {open: one(apart), wish: record.StepWish{Action: "pay"},
			reason: "again"},
		"declined, on a shared coin": {open: one(changed(sharing,
			func(r *record.Release) { r.Outcome = record.OutcomeDeclined })), wish: same},
		"rejected, on a shared coin": {open: one(changed(sharing,
			func(r *record.Release) { r.Outcome = record.OutcomeRejected })), wish: other},
		"an error of the wallet, on a shared coin": {open: one(changed(sharing,
			func(r *record.Release) { r.Outcome = record.OutcomeProviderError })), wish: other, reason: "replace"},
		"silence of the wallet, on a shared coin": {open: one(changed(sharing,
			func(r *record.Release) { r.Outcome = record.OutcomeDisconnected })), wish: other, reason: "replace"},
		"declined, the same wish on other coins": {open: one(changed(apart,
			func(r *record.Release) { r.Outcome = record.OutcomeDeclined })), wish: same, reason: "again"},
		"signed, on a shared coin": {open: one(changed(sharing,
			func(r *record.Release) { r.SignedAt = lawTime })), wish: same, reason: "replace"},
		"one is accepted and another one is not": {open: append(one(sharing), record.OpenRelease{Review: "third",
			Release: apart}), wish: same, accepted: []string{"replace:else"}, reason: "again"},
		"of another chain": {open: []record.OpenRelease{{Review: "else", ChainID: "another",
			Release: sharing}}, wish: same},
		"of a chain that is not known": {open: []record.OpenRelease{{Review: "else", Release: sharing}},
			wish: same, reason: "replace"},
		"the review's own": {open: []record.OpenRelease{{Review: "law", ChainID: "chain",
			Release: apart}}, wish: same},
		"the same bytes, of another review": {before: []record.ID{"law", "else"}, accepted: []string{"replace:else",
			"again:else"}, reason: "same_transaction"},
		"the same bytes, which it only names by name": {before: []record.ID{"law"}},
	} {
		t.Run(name, func(t *testing.T) {
			rel, err := handWith(c.open, c.before, c.wish, c.accepted...)
			f := fault.As(err)
			switch {
			case c.reason == "" && err != nil:
				t.Fatal(err)
			case c.reason == "":
				if len(rel.Inputs) != 1 || rel.Inputs[0] != lawRef {
					t.Errorf("its inputs are recorded as %v", rel.Inputs)
				}
			case !fault.Is(err, fault.OtherReleaseOpen) || f.Detail.Get("reason") != c.reason ||
				f.Detail.Get("reviewSessionId") == "":
				t.Errorf("%v, want the reason %s", err, c.reason)
			}
		})
	}
	t.Run("what cannot be read hands out nothing", func(t *testing.T) {
		unreadable := fault.New(fault.InternalError, "unreadable")
		r := lawRow("ready_for_wallet_review")
		h := releaseRequest{revision: 4, commitment: r.Session.Commitment, active: &record.Account{Address: lawAccount},
			wish: lawWish}
		r.Open = func() ([]record.OpenRelease, error) { return nil, unreadable }
		if _, err := release(&r, h, lawTime); !fault.Is(err, fault.InternalError) {
			t.Error(err)
		}
		r = lawRow("ready_for_wallet_review")
		r.Asked = func() ([]record.Asked, error) { return nil, unreadable }
		if _, err := release(&r, h, lawTime); !fault.Is(err, fault.InternalError) {
			t.Error(err)
		}
		r = lawRow("ready_for_wallet_review")
		r.Approval = func() (record.Approval, error) { return record.Approval{}, unreadable }
		if _, err := release(&r, h, lawTime); !fault.Is(err, fault.InternalError) {
			t.Error(err)
		}
		r = lawRow("ready_for_wallet_review")
		r.ReleasedBy = func(sui.Digest) ([]record.ID, error) { return nil, unreadable }
		if _, err := release(&r, h, lawTime); !fault.Is(err, fault.InternalError) {
			t.Error(err)
		}
	})
}

func TestSameWishes(t *testing.T) {
	base := record.StepWish{Action: "order", What: "SUI", Amount: "ten", Object: lawRef.ID, Read: true}
	for name, change := range map[string]func(*record.StepWish){
		"action": func(w *record.StepWish) { w.Action = "x" }, "coin": func(w *record.StepWish) { w.What = "x" },
		"amount": func(w *record.StepWish) { w.Amount = "x" }, "object": func(w *record.StepWish) { w.Object[0]++ },
	} {
		if w := base; !w.Equal(base) {
			t.Error("a wish is not the same as itself")
		}
		w := base
		if change(&w); w.Equal(base) || base.Equal(w) {
			t.Errorf("another %s is called the same wish", name)
		}
	}
	unnamed := base
	unnamed.Object = sui.ObjectID{}
	if !unnamed.Equal(base) || !base.Equal(unnamed) {
		t.Error("a manager that was not named may be any")
	}
	if (record.Related{}).Known() == (record.Related{Signed: true}).Known() ||
		(record.Related{Refused: true}).Known() == (record.Related{}).Known() {
		t.Error("what is known of an open release is said in one way")
	}
}

// A transaction that pays gas from the address balance is released alone, because no coin prevents
// both it and another from executing.
func TestLawOfCoinless(t *testing.T) {
	hand := func(coinless bool, edit func(*record.Row), accepted ...string) error {
		r := lawRow("ready_for_wallet_review")
		r.Session.ChainID = "chain"
		if coinless {
			withoutCoin(&r)
		}
		edit(&r)
		_, err := release(&r, releaseRequest{revision: 4, commitment: r.Session.Commitment, nonce: record.HashOf("n"),
			active: &record.Account{Address: lawAccount}, accepted: accepted, wish: lawWish}, lawTime)
		return err
	}
	beside := func(rel record.Release) func(*record.Row) {
		return func(r *record.Row) {
			r.Open = func() ([]record.OpenRelease, error) {
				return []record.OpenRelease{{Review: "else", Action: "other", ChainID: "chain", Release: rel}}, nil
			}
		}
	}
	before := func(rel record.Release) func(*record.Row) {
		return func(r *record.Row) { rel.Digest[0], rel.LastEpoch = 9, 5; r.Session.Releases = []record.Release{rel} }
	}
	coin, none := record.Release{GasCoin: lawCoin, Inputs: []sui.ObjectRef{lawCoin}}, record.Release{}
	declined := record.Release{Outcome: record.OutcomeDeclined}
	for name, c := range map[string]struct {
		coinless bool
		edit     func(*record.Row)
		accepted []string
		code     fault.Code
	}{
		"alone": {coinless: true, edit: func(*record.Row) {}},
		"beside another wish": {coinless: true, edit: beside(coin), accepted: []string{"again:else", "replace:else"},
			code: fault.OtherReleaseOpen},
		"another wish beside it": {edit: beside(none), accepted: []string{"again:else"},
			code: fault.OtherReleaseOpen},
		"another wish beside one that was declined":  {edit: beside(declined)},
		"after one of its own":                       {coinless: true, edit: before(none), code: fault.HandoffUnavailable},
		"with a coin after one of its own":           {edit: before(none), code: fault.HandoffUnavailable},
		"after one of its own that paid with a coin": {coinless: true, edit: before(coin), code: fault.HandoffUnavailable},
		"after one of its own that was declined": {coinless: true, edit: before(declined),
			accepted: []string{"again:law"}, code: fault.HandoffUnavailable},
		"after one that never reached the wallet": {coinless: true,
			edit: before(record.Release{Outcome: record.OutcomeWithheld})},
		"beside one that was declined and signed": {edit: beside(record.Release{Outcome: record.OutcomeDeclined,
			SignedAt: lawTime}), code: fault.OtherReleaseOpen},
		"after one of its own that can never execute": {coinless: true, edit: before(record.Release{Dead: true})},
	} {
		t.Run(name, func(t *testing.T) {
			if err := hand(c.coinless, c.edit, c.accepted...); c.code == "" && err != nil || c.code != "" && !fault.Is(err,
				c.code) {
				t.Errorf("%v, want %q", err, c.code)
			}
		})
	}
}

// withoutCoin makes the built transaction of a row pay for gas out of the address balance.
func withoutCoin(r *record.Row) {
	tx, err := sui.DecodeTransaction(lawBytes)
	if err != nil {
		panic(err)
	}
	epoch := uint64(5)
	tx.Gas.Payment, tx.Expiration = nil, sui.ValidDuring{MinEpoch: &epoch, MaxEpoch: &epoch}
	raw, err := tx.Encode()
	if err != nil {
		panic(err)
	}
	m := sui.NewMaterial(raw)
	r.Materials = []record.Material{{Digest: m.Digest(), Bytes: m, CreatedAt: lawTime}}
	facts := lawFacts
	facts.Gas.Payment = nil
	r.Session.Facts, r.Session.Commitment = &facts, sui.Commitment(m.Digest())
	r.Session.State.Contract = &record.Contract{TransactionMaterialCommitment: r.Session.Commitment}
}
