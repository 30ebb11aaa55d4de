package gate

import (
	"math/big"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestLooksLike(t *testing.T) {
	mine := sui.MustAddress("0xabcd00000000000000000000000000000000000000000000000000000000ef01")
	for text, want := range map[string]bool{
		"0xabcd11111111111111111111111111111111111111111111111111111111ef01": true,
		"0xabcd11111111111111111111111111111111111111111111111111111111ef02": false,
		"0xabce11111111111111111111111111111111111111111111111111111111ef01": false,
	} {
		if got := sui.MustAddress(text).LooksLike(mine); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestFar(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		want bool
	}{
		{1000, 1000, false}, {1000, 990, false}, {1000, 1010, false}, {1000, 989, true}, {1000, 1011, true},
		{-1000, -990, false}, {-1000, 1000, true}, {1000, 0, true}, {0, 0, false}, {0, 1, true},
	} {
		if got := far(big.NewInt(c.a), big.NewInt(c.b)); got != c.want {
			t.Errorf("far(%d, %d) = %v", c.a, c.b, got)
		}
	}
}

// Each rule is in exactly one list, whatever the checks report.
func TestSummarise(t *testing.T) {
	checks := []plan.Check{
		plan.Pass(plan.SourceAdapter, checkBytes, "Bytes", "They agree."), plan.Fail(plan.SourceAdapter, checkBytes, "Bytes",
			"Another package.", "Stop.").Under("C05"),
		plan.Warn(plan.SourceAdapter, checkGas, "Gas", "Much.", "Refresh.").Under("C10"), plan.Warn(plan.SourceQuote, "price",
			"Price", "Unknown.", "").Under("C04"),
	}
	s := summarise(checks, []plan.RuleID{"C04"})
	if !slices.Equal(s.Failed, []plan.RuleID{"C05"}) || !slices.Equal(s.Warned, []plan.RuleID{"C10"}) ||
		!slices.Equal(s.NotChecked, []plan.RuleID{"C04"}) ||
		!slices.Equal(s.NotReached, []plan.RuleID{"C11", "C13", "C17", "C18", "C19", "C20"}) || len(s.Proved) != 11 {
		t.Errorf("%+v", s)
	}
	var ids []plan.RuleID
	for _, rule := range Rules() {
		ids = append(ids, rule.ID)
		if rule.Text == "" || rule.How == "" || rule.Proof == "" || rule.Level == "" {
			t.Errorf("%+v", rule)
		}
	}
	if len(ids) != 20 || !slices.IsSorted(ids) || len(slices.Compact(ids)) != 20 {
		t.Errorf("%v", ids)
	}
}

// Every rule that a gate can prove has a proof in the contract.
func TestEveryRuleHasAProofOrAReason(t *testing.T) {
	r := assembled()
	for _, rule := range Rules() {
		without := slices.DeleteFunc(slices.Clone(r.checks), func(c plan.Check) bool { return c.ID == rule.Proof })
		if s := summarise(without, nil); !slices.Contains(s.NotReached, rule.ID) {
			t.Errorf("%s holds without %s", rule.ID, rule.Proof)
		}
	}
}

func TestWeighGas(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget sui.Raw
		gas    sui.GasCost
		want   plan.CheckStatus
	}{
		{"easy", 50_000_000, sui.GasCost{Computation: 1}, plan.CheckPass},
		{"out of proportion", 50_000_001, sui.GasCost{Computation: 10_000_000}, plan.CheckWarning},
		{"in proportion to computation", 60_000_000, sui.GasCost{Computation: 12_000_000, Rebate: 90_000_000},
			plan.CheckPass},
		{"in proportion to storage", 60_000_000, sui.GasCost{Computation: 1_000_000, Storage: 11_000_000}, plan.CheckPass},
		{"paid back", 60_000_000, sui.GasCost{Computation: 1_000_000, Rebate: 90_000_000}, plan.CheckWarning},
		{"the most", 1_000_000_000, sui.GasCost{Computation: 200_000_000}, plan.CheckPass},
		{"more than the most", 1_000_000_001, sui.GasCost{Computation: 900_000_000}, plan.CheckFail},
		{"a cost beyond all numbers", 1_000_000_000, sui.GasCost{Computation: 1 << 63}, plan.CheckPass},
	} {
		t.Run("C10 "+c.name, func(t *testing.T) {
			r := assembled()
			f := *r.facts
			f.Gas.Budget = c.budget
			r.facts, r.sim.Gas, r.checks = &f, c.gas, nil
			got := plan.CheckFail
			if err := weighGas(t.Context(), r); err == nil {
				got = r.checks[0].Status
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
