package review

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// lawCoin is a coin that lawRow's bytes do not use.
var lawCoin = sui.ObjectRef{ID: sui.MustAddress("0xc02"), Version: 3, Digest: sui.Digest{2}}

// handBeside runs the law of the handoff over a ready row of an account that has
// these open releases, and whose bytes these reviews handed out before.
func handBeside(open []OpenRelease, before []ID, wish Wish, accepted ...string) (Release, error) {
	r := lawRow("ready_for_wallet_review")
	r.Session.Action, r.Session.ChainID = "mine", "chain"
	r.Open = func() ([]OpenRelease, error) { return open, nil }
	r.ReleasedBy = func(sui.Digest) ([]ID, error) { return before, nil }
	read := func(_, action string, _ Intent, _ *Facts) Wish {
		if action == "mine" {
			return Wish{Action: "pay", What: "5", read: true}
		}
		return wish
	}
	return hand(&r, handing{revision: 4, commitment: r.Session.Commitment, nonce: hashOf("n"), active: &Account{Address: lawAccount},
		accepted: accepted, wish: read}, lawTime)
}

func TestLawBesideOpenReleases(t *testing.T) {
	same, other := Wish{Action: "pay", What: "5", read: true}, Wish{Action: "pay", What: "6", read: true}
	sharing := Release{GasCoin: lawRef, Inputs: []sui.ObjectRef{lawCoin, lawRef}}
	apart := Release{GasCoin: lawCoin, Inputs: []sui.ObjectRef{lawCoin}}
	changed := func(r Release, change func(*Release)) Release { change(&r); return r }
	one := func(r Release) []OpenRelease {
		return []OpenRelease{{Review: "else", Action: "other", ChainID: "chain", Release: r}}
	}
	for name, c := range map[string]struct {
		open     []OpenRelease
		before   []ID
		wish     Wish
		accepted []string
		reason   string // of the refusal, "" for none
	}{
		"nothing is open":                             {},
		"another wish on other coins":                 {open: one(apart), wish: other},
		"another wish on a shared coin":               {open: one(sharing), wish: other, reason: "replace"},
		"and it is replaced":                          {open: one(sharing), wish: other, accepted: []string{"replace:else"}},
		"another one is replaced":                     {open: one(sharing), wish: other, accepted: []string{"replace:other", "again:else"}, reason: "replace"},
		"of an older version, by its gas coin":        {open: one(Release{GasCoin: lawRef}), wish: other, reason: "replace"},
		"by id and version, whatever the digest":      {open: one(changed(sharing, func(r *Release) { r.GasCoin.Digest[0]++; r.Inputs = []sui.ObjectRef{r.GasCoin} })), wish: other, reason: "replace"},
		"another version of the coin":                 {open: one(Release{Inputs: []sui.ObjectRef{{ID: lawRef.ID, Version: 8}}}), wish: other},
		"the same wish on a shared coin":              {open: one(sharing), wish: same, reason: "replace"},
		"the same wish, replaced":                     {open: one(sharing), wish: same, accepted: []string{"replace:else"}},
		"the same wish on other coins":                {open: one(apart), wish: same, reason: "again"},
		"the same wish, again":                        {open: one(apart), wish: same, accepted: []string{"again:else"}},
		"the same wish, replaced on other coins":      {open: one(apart), wish: same, accepted: []string{"replace:else"}, reason: "again"},
		"a wish that nobody understands any more":     {open: one(apart), wish: Wish{Action: "pay"}, reason: "again"},
		"declined, on a shared coin":                  {open: one(changed(sharing, func(r *Release) { r.Outcome = OutcomeDeclined })), wish: same},
		"rejected, on a shared coin":                  {open: one(changed(sharing, func(r *Release) { r.Outcome = OutcomeRejected })), wish: other},
		"an error of the wallet, on a shared coin":    {open: one(changed(sharing, func(r *Release) { r.Outcome = OutcomeProviderError })), wish: other, reason: "replace"},
		"silence of the wallet, on a shared coin":     {open: one(changed(sharing, func(r *Release) { r.Outcome = OutcomeDisconnected })), wish: other, reason: "replace"},
		"declined, the same wish on other coins":      {open: one(changed(apart, func(r *Release) { r.Outcome = OutcomeDeclined })), wish: same, reason: "again"},
		"signed, on a shared coin":                    {open: one(changed(sharing, func(r *Release) { r.SignedAt = lawTime })), wish: same, reason: "replace"},
		"one is accepted and another one is not":      {open: append(one(sharing), OpenRelease{Review: "third", Release: apart}), wish: same, accepted: []string{"replace:else"}, reason: "again"},
		"of another chain":                            {open: []OpenRelease{{Review: "else", ChainID: "another", Release: sharing}}, wish: same},
		"of a chain that is not known":                {open: []OpenRelease{{Review: "else", Release: sharing}}, wish: same, reason: "replace"},
		"the review's own":                            {open: []OpenRelease{{Review: "law", ChainID: "chain", Release: apart}}, wish: same},
		"the same bytes, of another review":           {before: []ID{"law", "else"}, accepted: []string{"replace:else", "again:else"}, reason: "same_transaction"},
		"the same bytes, which it only names by name": {before: []ID{"law"}},
	} {
		t.Run(name, func(t *testing.T) {
			rel, err := handBeside(c.open, c.before, c.wish, c.accepted...)
			f := fault.As(err)
			switch {
			case c.reason == "" && err != nil:
				t.Fatal(err)
			case c.reason == "":
				if len(rel.Inputs) != 1 || rel.Inputs[0] != lawRef {
					t.Errorf("its inputs are recorded as %v", rel.Inputs)
				}
			case !fault.Is(err, fault.OtherReleaseOpen) || f.Detail.Get("reason") != c.reason || f.Detail.Get("reviewSessionId") == "":
				t.Errorf("%v, want the reason %s", err, c.reason)
			}
		})
	}
	t.Run("what cannot be read hands out nothing", func(t *testing.T) {
		unreadable := fault.New(fault.InternalError, "unreadable")
		r := lawRow("ready_for_wallet_review")
		h := handing{revision: 4, commitment: r.Session.Commitment, active: &Account{Address: lawAccount}, wish: lawWish}
		r.Open = func() ([]OpenRelease, error) { return nil, unreadable }
		if _, err := hand(&r, h, lawTime); !fault.Is(err, fault.InternalError) {
			t.Error(err)
		}
		r = lawRow("ready_for_wallet_review")
		r.ReleasedBy = func(sui.Digest) ([]ID, error) { return nil, unreadable }
		if _, err := hand(&r, h, lawTime); !fault.Is(err, fault.InternalError) {
			t.Error(err)
		}
	})
}

func TestSameWishes(t *testing.T) {
	base := Wish{Action: "order", What: "ten", Object: lawRef.ID, read: true}
	for name, change := range map[string]func(*Wish){
		"action": func(w *Wish) { w.Action = "x" }, "amount": func(w *Wish) { w.What = "x" }, "object": func(w *Wish) { w.Object[0]++ },
	} {
		if w := base; !w.Same(base) {
			t.Error("a wish is not the same as itself")
		}
		w := base
		if change(&w); w.Same(base) || base.Same(w) {
			t.Errorf("another %s is called the same wish", name)
		}
	}
	unnamed := base
	unnamed.Object = sui.ObjectID{}
	if !unnamed.Same(base) || !base.Same(unnamed) {
		t.Error("a manager that was not named may be any")
	}
	for text, want := range map[string]string{"10": "10", "010.500": "10.5", "0.5": ".5", "1.": "1", "100": "100"} {
		if got := Shortest(text); got != want {
			t.Errorf("%s is written %s", text, got)
		}
	}
	if (Beside{}).Known() == (Beside{Signed: true}).Known() || (Beside{Refused: true}).Known() == (Beside{}).Known() {
		t.Error("what is known of an open release is said in one way")
	}
}
