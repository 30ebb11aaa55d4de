package review_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
)

func TestContractOnTheWire(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10.05", "SUI", "USDC"))
	raw, err := json.Marshal(s.State.Contract)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R004-395 it reads back to itself, strictly, and still holds", func(t *testing.T) {
		var back record.Contract
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(&back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(*s.State.Contract, back); diff != "" {
			t.Error(diff)
		}
		if wrong := back.Validate(); wrong != "" {
			t.Error(wrong)
		}
	})
	t.Run("R004-396 R004-404 no bytes, digest or signature in it", func(t *testing.T) {
		whole, err := json.Marshal(s.State)
		if err != nil {
			t.Fatal(err)
		}
		row, err := h.Store.ReviewRow(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		m := row.Materials[0]
		text := string(whole)
		for name, secret := range map[string]string{"digest": m.Digest.String(),
			"gas coin digest": s.Facts.Gas.Payment[0].Digest.String()} {
			if strings.Contains(text, secret) {
				t.Errorf("the %s is in the public state", name)
			}
		}
		b := m.Bytes.Bytes()
		for i := 0; i+40 <= len(b); i += 40 { // an id has 32 bytes: any longer run is material
			if strings.Contains(text, hex.EncodeToString(b[i:i+40])) {
				t.Error("a run of the bytes is in the public state")
			}
		}
	})
	t.Run("it stays small", func(t *testing.T) {
		whole, err := json.Marshal(s.State)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("contract %d, drawing %d, whole state %d bytes", len(raw), len(s.State.Visualization.Mermaid.Text)+
			len(s.State.Visualization.Mermaid.NamedText), len(whole))
		if len(raw) > 8<<10 || len(whole) > 24<<10 {
			t.Errorf("the contract has %d bytes, the state %d", len(raw), len(whole))
		}
	})
	t.Run("R004-414 R004-417 the drawing is of the built transaction", func(t *testing.T) {
		v := s.State.Visualization
		for _, want := range []string{"swap_exact_base_for_quote", s.Account.String(), s.Facts.Steps[0].RouteID.String(),
			"number 10050000000",
			"number " + s.Facts.Promise().Amount(plan.RoleOutput).Raw.String()} {
			if !strings.Contains(v.Mermaid.Text, want) {
				t.Errorf("%s is not in\n%s", want, v.Mermaid.Text)
			}
		}
		if !strings.Contains(v.Mermaid.NamedText, "SUI_USDC") || !strings.Contains(v.Mermaid.NamedText, "your account") {
			t.Errorf("%s", v.Mermaid.NamedText)
		}
	})
	t.Run("R004-418 a drawing that cannot be made is a warning", func(t *testing.T) {
		h := testkit.Start(t, time.Now, func(c *review.Config) {
			c.Limits = gate.DefaultLimits()
			c.Limits.MostDiagram = 100
		})
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		c, ok := testkit.Check(s, "deepbook_ptb_visualization_unavailable")
		if !ok || c.Status != plan.CheckWarning || s.State.Visualization != nil || s.State.Contract == nil {
			t.Errorf("%+v", c)
		}
	})
}

// Gas that pays back more than it takes: nothing in the way of a signature.
func TestNetNegativeGas(t *testing.T) {
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		c.Simulator = &testkit.Interceptor{Simulator: c.Simulator, After: func(s *sui.Simulation) {
			extra := s.Gas.Storage + s.Gas.Computation + 1_000_000
			s.Gas.Rebate += extra
			for i := range s.Balances {
				if s.Balances[i].Coin == sui.SUI && s.Balances[i].Amount.Negative {
					s.Balances[i].Amount.Amount -= extra
				}
			}
		}}
	})
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	if used := s.State.Contract.Gas.Used; !used.Negative || used.Amount == 0 {
		t.Errorf("gas used %s", used)
	}
}
