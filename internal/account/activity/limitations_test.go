package activity_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestLimitations names what makes the account's effect incomplete, and nothing if it is complete.
func TestLimitations(t *testing.T) {
	for name, c := range map[string]struct {
		edit  func(*sui.PastTransaction)
		whole bool
	}{
		"R004-272 complete":               {func(*sui.PastTransaction) {}, true},
		"R004-272 a list that is cut":     {func(p *sui.PastTransaction) { p.Balances.More = true }, false},
		"R004-272 gas that is not listed": {func(p *sui.PastTransaction) { p.Balances.Items = p.Balances.Items[1:] }, false},
		"R004-272 a change of nobody":     {func(p *sui.PastTransaction) { p.Balances.Items[0].Owner = nil }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := one(t, c.edit)
			for _, list := range [][]string{s.Rows[0].Effect.Limitations, s.Facts[0].Effect.Limitations} {
				if (len(list) == 0) != c.whole {
					t.Errorf("%q", list)
				}
			}
		})
	}
}

// TestMatchesAreLabels: however a transaction is recognized, the match is only a label of an
// activity.
func TestMatchesAreLabels(t *testing.T) {
	for name, edit := range map[string]func(*sui.PastTransaction){
		"R004-287 R004-307 by a call":   func(*sui.PastTransaction) {},
		"R004-287 R004-307 by an event": func(p *sui.PastTransaction) { p.Calls.Items = nil },
	} {
		t.Run(name, func(t *testing.T) {
			matches := one(t, edit).Rows[0].Context.Matches
			if len(matches) == 0 || slices.ContainsFunc(matches, func(m activity.Match) bool {
				return !slices.Contains(m.Limitations, "transaction_activity_label_only")
			}) {
				t.Errorf("%+v", matches)
			}
		})
	}
}

// TestMatchSource: packages are recognized only by pinned ids. The Move registry is not consulted.
func TestMatchSource(t *testing.T) {
	t.Run("R004-286 the source of a match is the pinned registry", func(t *testing.T) {
		for _, m := range one(t, func(*sui.PastTransaction) {}).Rows[0].Context.Matches {
			text, err := json.Marshal(m)
			if err != nil || m.Source != "pinned_registry" || !strings.Contains(string(text),
				`"packageSource":"pinned_registry"`) ||
				strings.Contains(string(text), "mvrName") {
				t.Errorf("%s, %v", text, err)
			}
		}
	})
}
