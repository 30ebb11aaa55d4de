package gate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/handoff"
)

func TestContractOfACompleteComputation(t *testing.T) {
	r, err := assemble(assembled())
	if err != nil || r.contract == nil {
		t.Fatal(err)
	}
	c := r.contract
	t.Run("R004-412 it holds every part", func(t *testing.T) {
		kinds := map[record.SourceKind]bool{}
		for _, s := range c.Sources {
			kinds[s.Kind] = true
		}
		for _, k := range []record.SourceKind{record.TransactionBytes, record.PinnedRegistry, record.OnchainMetadata,
			record.AccountRead, record.QuoteSource, record.ReviewSimulation, record.ValidatedRequest} {
			if !kinds[k] {
				t.Errorf("no source of kind %s", k)
			}
		}
		if c.Provenance.SourceID != "law" || c.Provenance.Authority != "untrusted_request" || c.Gas.Budget != 5_000_000 ||
			c.Expiry.Status != "current" || c.MinOut.MinOutRaw != 30_000_000 || len(c.Ownership.Objects) != 2 ||
			c.Simulation.Status != "success" || len(c.HumanReview.Fields) != 12 || len(c.OutputBoundary.Prohibited) != 8 {
			t.Errorf("%+v", c)
		}
	})
	t.Run("R004-413 what the bytes say rests on the bytes alone", func(t *testing.T) {
		for _, f := range []record.Fact{record.FactInput, record.FactMinimum, record.FactRecipient, record.FactCall,
			record.FactGasBudget, record.FactExpiry} {
			backing := record.SafetyCriticalFacts[f]
			if len(backing) != 1 || backing[0].Kind != record.TransactionBytes {
				t.Errorf("%s may rest on %+v", f, backing)
			}
		}
		used := map[record.Fact]bool{}
		for _, one := range c.Claims {
			used[one.Fact] = true
		}
		for f := range record.SafetyCriticalFacts {
			if !used[f] && !slices.Contains([]record.Fact{record.FactFeeAtMost, record.FactPayee, record.FactTerms,
				record.FactTermsReported}, f) {
				t.Errorf("nothing claims %s", f)
			}
		}
	})
	t.Run("R004-412 a fee in a second coin has its own amount, claim and unit", func(t *testing.T) {
		r := assembled()
		edit(r, func(s *plan.StepFacts) {
			s.Promise = plan.SwapPromise([]plan.Amount{s.Promise.Amount(plan.RoleInput), plan.Asset{Symbol: "DEEP",
				CoinType: "0x5::deep::DEEP", Decimals: 6}.Of(70)}, lawMinimum)
		})
		ready, err := assemble(r)
		if err != nil {
			t.Fatal(err)
		}
		last := ready.contract.Amounts[len(ready.contract.Amounts)-1]
		if last.Role != "fee_at_most" || last.Symbol != "DEEP" || last.DisplayOnly {
			t.Errorf("%+v", last)
		}
	})
}

// Only what this computation verified can be claimed.
func TestAssemblyDeclinesWhatIsMissing(t *testing.T) {
	cases := []struct {
		name string
		edit func(r *simulated)
		says string
	}{
		{"no request", func(r *simulated) { r.session.CreatedAt = time.Time{} }, "source of the request"},
		{"no session", func(r *simulated) { r.session.ID = "" }, "inputProvenance is empty"},
		{"no adapter", func(r *simulated) { r.meta.AdapterID = "" }, "adapterId is empty"},
		{"coins not described", func(r *simulated) { r.coinsAt = time.Time{} }, "unit_metadata lacks its source"},
		{"quote without its function", func(r *simulated) { r.steps[0].Quote.SourceMoveFunction = "" },
			"quote_min_out lacks its source"},
		{"bytes of no time", func(r *simulated) { r.builtAt = time.Time{} }, "raw_amount_gas_budget lacks its source"},
		{"objects not read", func(r *simulated) { r.ownership.CheckedAt = time.Time{} }, "object_ownership lacks its source"},
		{"nothing simulated", func(r *simulated) { r.summary.SimulatedAt = time.Time{} },
			"raw_amount_gas_used lacks its source"},
		{"checks off", func(r *simulated) { r.summary.ChecksEnabled = false }, "simulation is not complete"},
		{"review of no time", func(r *simulated) { r.human.Freshness.EvaluatedAt = time.Time{} },
			"review in words is not complete"},
		{"a read from the future", func(r *simulated) { r.ownership.CheckedAt = lawTime.Add(time.Hour) },
			"not verified before"},
		{"no minimum", func(r *simulated) {
			edit(r, func(s *plan.StepFacts) {
				s.Promise = plan.SwapPromise(s.Promise.Amounts(plan.RoleInput), lawMinimum.Of(0))
			})
		}, "minimum_output is zero"},
		{"no expiry", func(r *simulated) { f := *r.facts; f.LastEpoch = 0; r.facts = &f }, "not current"},
		{"another payer", func(r *simulated) { f := *r.facts; f.Gas.Owner = sui.MustAddress("0xbad"); r.facts = &f },
			"pay for gas"},
		{"another recipient", func(r *simulated) { edit(r, func(s *plan.StepFacts) { s.Sends = sui.MustAddress("0xbad") }) },
			"what comes out"},
		{"two gas coins", func(r *simulated) {
			f := *r.facts
			f.Gas.Payment = append(f.Gas.Payment[:1:1],
				lawRef)
			r.facts = &f
		}, "gas is not settled"},
		{"the gas coin not among the objects", func(r *simulated) { r.ownership.Objects = r.ownership.Objects[1:] },
			"not among the objects"},
		{"the pool not among the objects", func(r *simulated) { r.ownership.Objects = r.ownership.Objects[:1] },
			"not among the objects"},
		{"an object that nobody accounts for", func(r *simulated) {
			r.ownership.Objects = append(r.ownership.Objects[:2:2], record.OwnershipObject{ObjectID: sui.MustAddress("0x77"),
				Role:      "coin",
				Ownership: "not_owned", Type: "0x7::gem::GEM", Version: 1})
		}, "not accounted for"},
		{"an object twice", func(r *simulated) {
			r.ownership.Objects = append(r.ownership.Objects[:2:2],
				r.ownership.Objects[0])
		}, "not accounted for"},
		{"no chain", func(r *simulated) { r.chainID = "" }, "chainIdentifier is empty"},
		{"a rule without proof", func(r *simulated) { r.checks = nil }, "C01 was not proved"},
	}
	for _, c := range cases {
		t.Run("R004-397 R004-398 "+c.name, func(t *testing.T) {
			r := assembled()
			c.edit(r)
			_, err := assemble(r)
			if err == nil {
				t.Fatal("the contract was emitted")
			}
			stop := r.stopped("", err)
			if stop.Reason != plan.WalletReviewContractEmitMissing ||
				stop.Check.ID != "deepbook_wallet_review_contract_emit_missing" ||
				stop.Check.Status != plan.CheckFail || !strings.Contains(stop.Check.Message, c.says) {
				t.Errorf("%s", stop)
			}
			f := finding(r, stop)
			if len(f.State.AdapterLifecycle.MissingStages) != 0 || f.State.HumanReview == nil || f.State.Simulation == nil ||
				f.Material != nil || f.State.Contract != nil || f.State.Visualization != nil {
				t.Errorf("%+v", f.State)
			}
		})
	}
}

// A contract with any part tampered with is invalid.
func TestContractValidates(t *testing.T) {
	claimOf := func(c *record.Contract, f record.Fact) *record.Claim {
		for i := range c.Claims {
			if c.Claims[i].Fact == f {
				return &c.Claims[i]
			}
		}
		return nil
	}
	sourceOf := func(c *record.Contract, k record.SourceKind) string {
		for _, s := range c.Sources {
			if s.Kind == k {
				return s.ID
			}
		}
		return ""
	}
	cases := []struct {
		name string
		edit func(c *record.Contract)
		says string
	}{
		{"R004-413 an amount that leaves rests on a quote", func(c *record.Contract) {
			one := claimOf(c, record.FactInput)
			one.Source, one.Field = sourceOf(c, record.QuoteSource), "expected"
		}, "raw_amount_input may not rest on expected of quote_evidence"},
		{"R004-413 a minimum rests on a quote", func(c *record.Contract) {
			one := claimOf(c, record.FactMinimum)
			one.Source = sourceOf(c, record.QuoteSource)
		}, "may not rest on minimum of quote_evidence"},
		{"R004-413 the right source, another field", func(c *record.Contract) {
			claimOf(c,
				record.FactRecipient).Field = "gas"
		}, "may not rest on gas"},
		{"R004-413 a field that the record has not", func(c *record.Contract) {
			claimOf(c,
				record.FactRecipient).Field = "owners"
		}, "may not rest on owners"},
		{"R004-413 a source that does not exist", func(c *record.Contract) { claimOf(c, record.FactExpiry).Source = "s99" },
			"expiry_status lacks its source"},
		{"R004-413 a claim that does not exist", func(c *record.Contract) { c.Gas.BudgetClaim = "c99" },
			"raw_amount_gas_budget has no claim"},
		{"R004-413 a claim about something else", func(c *record.Contract) { c.Gas.BudgetClaim = c.Gas.UsedClaim },
			"refers to a claim about raw_amount_gas_used"},
		{"R004-413 an amount with another amount's claim",
			func(c *record.Contract) { c.Amounts[0].AmountClaim = c.Amounts[1].AmountClaim }, "refers to a claim about"},
		{"an amount without a unit", func(c *record.Contract) { c.Amounts[0].UnitClaim = "" }, "unit_metadata has no claim"},
		{"an id twice", func(c *record.Contract) { c.Sources[1].ID = c.Sources[0].ID }, "used twice"},
		{"an id of another kind", func(c *record.Contract) { c.Amounts[0].ID = c.Claims[0].ID }, "used twice"},
		{"an empty id", func(c *record.Contract) { c.Claims[0].ID = "" }, "empty"},
		{"another version", func(c *record.Contract) { c.ContractVersion = "v0" }, "version"},
		{"more may be shown", func(c *record.Contract) {
			c.OutputBoundary.MayExpose = append(c.OutputBoundary.MayExpose, "transaction_bytes")
		}, "boundary"},
		{"less is prohibited", func(c *record.Contract) { c.OutputBoundary.Prohibited = c.OutputBoundary.Prohibited[1:] },
			"boundary"},
		{"a request with authority", func(c *record.Contract) { c.Provenance.Authority = "user" }, "source of the request"},
		{"one commitment differs", func(c *record.Contract) { c.HumanReview.BoundToCommitment = strings.Repeat("0", 64) },
			"another transaction"},
		{"all commitments are nothing", func(c *record.Contract) {
			c.TransactionMaterialCommitment, c.HumanReview.BoundToCommitment = "", ""
			c.Simulation.BoundToCommitment, c.Ownership.BoundToCommitment = "", ""
		}, "another transaction"},
		{"another display", func(c *record.Contract) { c.Amounts[0].Display = "1000" }, "not written in its units"},
		{"a quoted amount as a guarantee", func(c *record.Contract) { c.Amounts[2].DisplayOnly = false }, "not marked"},
		{"a guarantee as a quoted amount", func(c *record.Contract) { c.Amounts[0].DisplayOnly = true }, "not marked"},
		{"another role", func(c *record.Contract) { c.Amounts[0].Role = "gift" }, "unknown role"},
		{"no expected amount", func(c *record.Contract) { c.Amounts = append(c.Amounts[:2:2], c.Amounts[3:]...) },
			"expected_output is missing"},
		{"another minimum", func(c *record.Contract) { c.MinOut.MinOutRaw-- }, "not the one of the amounts"},
		{"no budget", func(c *record.Contract) { c.Gas.Budget = 0 }, "gas is not settled"},
		{"a quote that is over", func(c *record.Contract) { c.Expiry.QuoteExpiresAt = c.Expiry.CheckedAt }, "not current"},
		{"a build that is over", func(c *record.Contract) { c.Expiry.BuildExpiresAt = c.Expiry.CheckedAt }, "not current"},
		{"nothing called", func(c *record.Contract) { c.Call.Function = "" }, "called function"},
		{"a field of the simulation missing", func(c *record.Contract) { c.Simulation.Missing = []string{"gas"} },
			"simulation is not complete"},
		{"a simulation that failed", func(c *record.Contract) { c.Simulation.Status = "failure" },
			"simulation is not complete"},
	}
	if wrong := assembled().compose().Validate(); wrong != "" {
		t.Fatalf("the whole contract: %s", wrong)
	}
	agreed := func(untold ...string) *record.Contract {
		r := assembled()
		edit(r, func(s *plan.StepFacts) {
			s.Terms = []plan.Term{{Name: "Price limit", Value: "3"}, {Name: "Runs until", Value: "noon"}}
		})
		r.steps[0].Meta.Unreported = untold
		return r.compose()
	}
	t.Run("R004-413 terms rest on the bytes, and on events but for those that are said to be untold", func(t *testing.T) {
		for name, c := range map[string]*record.Contract{"all are told": agreed(), "one is": agreed("Runs until"),
			"none is": agreed("Runs until", "Price limit")} {
			if wrong := c.Validate(); wrong != "" || (c.TermsReportedClaim == "") != (name == "none is") {
				t.Errorf("%s: %s %+v", name, wrong, c.TermsReportedClaim)
			}
		}
		c := agreed("Runs until")
		c.TermsReportedClaim = ""
		if wrong := c.Validate(); wrong != "the fact terms_told has no claim" {
			t.Errorf("%q", wrong)
		}
		c = agreed("Runs until")
		claimOf(c, record.FactTermsReported).Source = sourceOf(c, record.TransactionBytes)
		if wrong := c.Validate(); !strings.Contains(wrong, "may not rest on events of transaction_bytes") {
			t.Errorf("%q", wrong)
		}
	})
	t.Run("what failed on chain, or has no terms, is not held against events", func(t *testing.T) {
		r := assembled()
		e := lawEffects(false)
		e.Events = []sui.Event{{Index: 1}}
		if got := handoff.ReportOf(r.adapters, e, lawAccount, *agreedFacts(r)); got.Results() != nil || got.Said != nil {
			t.Errorf("%+v", got)
		}
	})
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) {
			c := assembled().compose()
			one.edit(c)
			if wrong := c.Validate(); !strings.Contains(wrong, one.says) {
				t.Errorf("%q, want %q", wrong, one.says)
			}
		})
	}
}

// agreedFacts are facts with one term.
func agreedFacts(r *simulated) *plan.Facts {
	edit(r, func(s *plan.StepFacts) { s.Terms = []plan.Term{{Name: "Price limit", Value: "3"}} })
	return r.facts
}

// edit changes the facts of the only step.
func edit(r *simulated, change func(*plan.StepFacts)) {
	f := *r.facts
	step := f.Steps[0]
	change(&step)
	f.Steps = []plan.StepFacts{step}
	r.facts = &f
}
