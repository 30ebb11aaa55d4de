package store_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// spend releases a transaction that takes an amount of SUI, and completes it.
func (h *lived) spend(id string, raw sui.Raw) {
	h.t.Helper()
	s := proposed(id, h.c)
	s.ChainID = chain.String()
	if err := h.db.CreateReview(h.ctx, s); err != nil {
		h.t.Fatal(err)
	}
	digest := sui.NewMaterial([]byte("bytes of " + id)).Digest()
	must[record.Row](h.t)(h.db.Release(h.ctx, s.ID, func(r *record.Row) (record.Release, error) {
		v := release(digest, "nonce of "+id)
		v.At, v.SignedAt = h.c.Now(), h.c.Now()
		v.GasCoin.Version = 7
		asset := plan.Asset{CoinType: sui.SUI, Symbol: "SUI", Decimals: 9}
		offer := plan.Leaves(plan.RoleOffer, asset.Of(1))
		offer.Party = plan.ObjectParty(sui.MustAddress("0x77"))
		v.Facts.Steps = []plan.StepFacts{{Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "done",
			Bounds: []plan.Bound{plan.Leaves(plan.RoleInput, asset.Of(raw)), offer}}}}}}
		r.Session.Releases = append(r.Session.Releases, v)
		r.Session.Status = record.Success
		r.Session.Execution = &record.Execution{Status: record.Success, TxDigest: digest.String(), SignedAt: h.c.Now(),
			Receipt: &record.Receipt{TxDigest: digest.String(), OK: true}}
		return v, bump(r)
	}))
}

// counts returns the amount that counts toward a daily limit. Like the gate, it counts successful
// transactions.
func (h *lived) counts() sui.Raw {
	h.t.Helper()
	var sum sui.Raw
	for _, v := range must[[]record.Handed](h.t)(h.db.Handed(h.ctx, h.c.Now().Add(-policy.Day))) {
		for _, a := range v.Release.Facts.Promise().Amounts(plan.RoleInput, plan.RoleOffer) {
			sum += a.Raw
		}
		if v.Release.Dead || v.Settled != v.Release.Digest.String() || !v.Moved || v.Release.GasCoin.Version != 7 {
			h.t.Errorf("%+v", v)
		}
	}
	return sum
}

// Importing a backup does not reset a daily limit, even if the user was persuaded to import it.
func TestLimitsOutliveAnImport(t *testing.T) {
	h := life(t)
	must[settings.Outcome](t)(h.svc.Reset(h.ctx, settingsPage, backup.ResetWords))
	empty := copyOf(t, h.svc)
	h.spend("old", 5)
	h.c.Advance(23 * time.Hour)
	h.spend("today", 70)
	t.Run("R004-467 what was spent here counts after an import", func(t *testing.T) {
		h.t = t
		for i := range 3 {
			if err := h.put(empty, all); err != nil {
				t.Fatal(err)
			}
			if n := h.counts(); n != 77 {
				t.Errorf("%s count after import %d", n, i+1)
			}
		}
	})
	t.Run("the preview says so where there is a limit of a day", func(t *testing.T) {
		err := h.db.ChangeSettings(h.ctx, func(s *settings.Stored) error {
			s.Allowance.PerDay = []policy.CoinLimit{{CoinType: sui.SUI, Most: 100}}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		p := must[backup.Preview](t)(h.svc.Stage(h.ctx, settingsPage, bytes.NewReader(empty)))
		if said := strings.Join(p.Notes, " "); !strings.Contains(said, "still count what was released to a wallet here") {
			t.Errorf("it says %q", said)
		}
	})
	t.Run("nothing counts for longer than a day", func(t *testing.T) {
		h.t = t
		h.c.Advance(2 * time.Hour)
		if n := h.counts(); n != 71 {
			t.Errorf("%s count", n)
		}
	})
	t.Run("R004-465 a reset takes the limit and what counted towards it", func(t *testing.T) {
		h.t = t
		out := must[settings.Outcome](t)(h.svc.Reset(h.ctx, settingsPage, backup.ResetWords))
		if n := h.counts(); n != 0 || !strings.Contains(out.Says, "limits") {
			t.Errorf("%s count; it says %q", n, out.Says)
		}
	})
}
