package review

import (
	"math/big"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestLooksLike(t *testing.T) {
	mine := sui.MustAddress("0xabcd00000000000000000000000000000000000000000000000000000000ef01")
	for text, want := range map[string]bool{
		"0xabcd11111111111111111111111111111111111111111111111111111111ef01": true,
		"0xabcd11111111111111111111111111111111111111111111111111111111ef02": false,
		"0xabce11111111111111111111111111111111111111111111111111111111ef01": false,
	} {
		if got := looksLike(sui.MustAddress(text), mine); got != want {
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

// Each rule is in exactly one list, whatever the checks say.
func TestSummarise(t *testing.T) {
	checks := []Check{
		Pass(SourceAdapter, checkBytes, "Bytes", "They agree."), Fail(SourceAdapter, checkBytes, "Bytes", "Another package.", "Stop.").under("C05"),
		Warn(SourceAdapter, checkGas, "Gas", "Much.", "Refresh.").under("C10"), Warn(SourceQuote, "price", "Price", "Unknown.", "").under("C04"),
	}
	s := summarise(checks, []RuleID{"C04"})
	if !slices.Equal(s.Failed, []RuleID{"C05"}) || !slices.Equal(s.Warned, []RuleID{"C10"}) || !slices.Equal(s.NotChecked, []RuleID{"C04"}) ||
		!slices.Equal(s.NotReached, []RuleID{"C11", "C13", "C17", "C18", "C19", "C20"}) || len(s.Proved) != 11 {
		t.Errorf("%+v", s)
	}
	var ids []RuleID
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

// What makes a contract must name a proof for each rule that some gate can give.
func TestEveryRuleHasAProofOrAReason(t *testing.T) {
	r := assembled()
	for _, rule := range Rules() {
		without := slices.DeleteFunc(slices.Clone(r.checks), func(c Check) bool { return c.ID == rule.Proof })
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
		want   CheckStatus
	}{
		{"easy", 50_000_000, sui.GasCost{Computation: 1}, CheckPass},
		{"out of proportion", 50_000_001, sui.GasCost{Computation: 10_000_000}, CheckWarning},
		{"in proportion to computation", 60_000_000, sui.GasCost{Computation: 12_000_000, Rebate: 90_000_000}, CheckPass},
		{"in proportion to storage", 60_000_000, sui.GasCost{Computation: 1_000_000, Storage: 11_000_000}, CheckPass},
		{"paid back", 60_000_000, sui.GasCost{Computation: 1_000_000, Rebate: 90_000_000}, CheckWarning},
		{"the most", 1_000_000_000, sui.GasCost{Computation: 200_000_000}, CheckPass},
		{"more than the most", 1_000_000_001, sui.GasCost{Computation: 900_000_000}, CheckFail},
		{"a cost beyond all numbers", 1_000_000_000, sui.GasCost{Computation: 1 << 63}, CheckPass},
	} {
		t.Run("C10 "+c.name, func(t *testing.T) {
			r := assembled()
			f := *r.facts
			f.Gas.Budget = c.budget
			r.facts, r.simulated.Gas, r.checks = &f, c.gas, nil
			got := CheckFail
			if err := r.weighGas(); err == nil {
				got = r.checks[0].Status
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
