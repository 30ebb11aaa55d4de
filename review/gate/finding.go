package gate

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Finding is the result of a computation.
type Finding struct {
	State        record.State
	Reason       plan.Reason
	ChainID      string
	Facts        *plan.Facts
	holdings     []record.Holding
	Commitment   string
	Material     *record.Material // set only if the review is ready
	BuildExpires time.Time
	again        bool
}

// Adopt stores a finished computation in the session, but only if the session still has the
// revision that the computation started from.
func Adopt(r *record.Row, revision int64, f Finding, now time.Time) error {
	s := &r.Session
	if !s.Status.Computable() {
		return record.NotNow(s.Status, "computing it")
	}
	if s.Revision != revision {
		return record.Outdated()
	}
	if err := r.Move(f.State.Status, now); err != nil {
		return err
	}
	r.DropUnreleased()
	s.State, s.Facts, s.Holdings, s.Reason, s.Again = f.State, f.Facts, f.holdings, f.Reason, f.again
	if s.ChainID == "" {
		s.ChainID = f.ChainID
	}
	if f.Material == nil {
		return nil
	}
	r.Materials = append(r.Materials, *f.Material)
	s.Commitment, s.BuiltAt, s.BuildExpiresAt = f.Commitment, f.Material.CreatedAt, f.BuildExpires
	return nil
}

// finding returns the result of a computation that reached a stage; stop is nil if it is ready.
func finding(at stage, stop *plan.Stop) Finding {
	var f Finding
	at.report(&f)
	r, st := at.start(), &f.State
	checks := r.checks
	if stop != nil {
		f.Reason = stop.Reason
		st.Status = record.StatusOf(stop.Reason)
		if st.Status == record.Blocked {
			st.BlockedReason = stop.Reason
		} else {
			st.RefreshReason = stop.Reason
		}
		checks = append(append([]plan.Check{}, checks...), stop.Check)
	}
	st.Checks, st.Rules = plan.WorstFirst(checks), summarise(checks, r.notChecked)
	return f
}

func (r *input) report(f *Finding) {
	st := &f.State
	f.ChainID, f.again, st.ComputedAt = r.chainID, r.session.Again, r.c.Now()
	if r.adapters != nil {
		all := Pipeline(r.adapters...)
		st.AdapterLifecycle = &record.Lifecycle{
			StageCatalogID: r.meta.StageCatalog, AdapterID: r.meta.AdapterID, Protocol: r.meta.Protocol,
			ActionKind: r.meta.Action, CompletedStages: append([]plan.StageID{}, r.completed...),
			MissingStages: append([]plan.StageID{}, all[len(r.completed):]...),
		}
	}
}

func (r *planned) report(f *Finding) {
	r.input.report(f)
	f.State.Outlook, f.State.Quote = r.outlook(), r.quote()
}

func (r *funded) report(f *Finding) {
	r.planned.report(f)
	f.holdings = r.holdings
}

func (r *described) report(f *Finding) {
	r.owned.report(f)
	f.Facts, f.State.HumanReview = r.facts, r.human
}

func (r *simulated) report(f *Finding) {
	r.described.report(f)
	f.State.Simulation = r.summary
}

func (r *judged) report(f *Finding) {
	r.simulated.report(f)
	f.State.Status, f.State.Contract, f.State.Visualization = record.Ready, r.contract, r.visual
	f.Commitment, f.BuildExpires = r.commitment, r.builtAt.Add(r.c.Limits.BuildLife)
	f.Material = &record.Material{Digest: r.digest, Bytes: sui.NewMaterial(r.bytes), CreatedAt: r.builtAt}
}
