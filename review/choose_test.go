package review_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

// picky is a venue that plans no intent, or only some.
type picky struct {
	venue
	label string
	why   func(plan.Intent) string // "" where it can
	asked *int
}

func (p picky) Meta() plan.Meta {
	m := p.venue.Meta()
	m.Label = p.label
	return m
}

func (p picky) Plan(in plan.Intent, now time.Time) (plan.Plan, error) {
	*p.asked++
	if why := p.why(in); why != "" {
		return plan.Plan{}, fault.New(fault.RegistryMiss, "%s", why).With("field", "intent.to.symbol")
	}
	return p.venue.Plan(in, now)
}

// TestOrderOfRefusals: what is wrong first is said first.
func TestOrderOfRefusals(t *testing.T) {
	ctx := context.Background()
	asked := 0
	unwilling := func(coin, why string) func(plan.Intent) string {
		return func(in plan.Intent) string {
			if in.To.Symbol == coin {
				return why
			}
			return ""
		}
	}
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		base := c.Adapters[0]
		both := func(a, b func(plan.Intent) string) func(plan.Intent) string {
			return func(in plan.Intent) string { return a(in) + b(in) }
		}
		none := unwilling("NS", "The bazaar has no pool of NS.")
		c.Adapters = []plan.Adapter{
			picky{venue{base, "bazaar"}, "The Bazaar", both(none, unwilling("NOBODY", "There is no coin NOBODY.")), &asked},
			picky{venue{base, "agora"}, "Agora", both(unwilling("DEEP", "The agora has no pool of DEEP."),
				both(unwilling("NS", "The agora is closed."), unwilling("NOBODY", "There is no coin NOBODY."))), &asked},
		}
	})
	swap := func(to, protocol string) plan.Intent {
		in := testkit.Swap("10", "SUI", to)
		in.Protocol = protocol
		return in
	}
	prepared := func(in plan.Intent) (record.Session, *fault.Error) {
		s, err := h.Reviews.Prepare(ctx, in)
		if err != nil {
			return s, fault.As(err)
		}
		return s, nil
	}
	t.Run("R004-338 without an account nothing else of the wish is judged", func(t *testing.T) {
		for name, in := range map[string]plan.Intent{
			"no protocol": swap("USDC", ""), "an unknown protocol": swap("USDC", "souk"), "nobody can": swap("NS", ""),
			"zero": testkit.Swap("0", "SUI", "USDC"),
		} {
			if _, err := prepared(in); err == nil || err.Code != fault.ActiveAccountNotSet {
				t.Errorf("%s: %v", name, err)
			}
		}
		if asked != 0 {
			t.Errorf("%d plans were made", asked)
		}
	})
	t.Run("an action that nobody carries out comes before the account", func(t *testing.T) {
		if _, err := prepared(plan.Intent{Type: "stake"}); err == nil || err.Code != fault.UnsupportedAction {
			t.Errorf("%v", err)
		}
	})
	h.Connect(sandbox.Account)
	t.Run("R004-345 an unknown protocol comes before any plan", func(t *testing.T) {
		asked = 0
		_, err := prepared(swap("NS", "souk"))
		if err == nil || err.Detail.Get("reason") != "unknown_protocol" || asked != 0 {
			t.Fatalf("%v, %d plans", err, asked)
		}
		if !slices.Equal(detailList(err, "availableProtocols"), []string{"bazaar", "agora"}) {
			t.Errorf("%+v", err.Detail)
		}
	})
	t.Run("R004-342 R004-344 a protocol that only one can is taken, and it is said why", func(t *testing.T) {
		s, err := prepared(swap("DEEP", ""))
		if err != nil || s.Protocol != "bazaar" {
			t.Fatalf("%v, %q", err, s.Protocol)
		}
		used, others := h.Reviews.Venues(swap("DEEP", ""), s.Protocol)
		if used != (review.Venue{Slug: "bazaar", Label: "The Bazaar"}) ||
			!slices.Equal(others, []review.Venue{{Slug: "agora", Label: "Agora", Why: "The agora has no pool of DEEP."}}) {
			t.Errorf("%+v %+v", used, others)
		}
	})
	t.Run("R004-343 the choice is among those that can, as people call them", func(t *testing.T) {
		_, err := prepared(swap("USDC", ""))
		if err == nil || err.Detail.Get("reason") != "protocol_choice_required" {
			t.Fatalf("%v", err)
		}
		text, _ := json.Marshal(err.Detail)
		if !strings.Contains(string(text), `"choices":[{"slug":"bazaar","label":"The Bazaar","expected":"12.79674 USDC"},`+
			`{"slug":"agora","label":"Agora","expected":"12.79674 USDC"}]`) {
			t.Errorf("%s", text)
		}
	})
	t.Run("a wish that is wrong by itself is refused before any choice", func(t *testing.T) {
		in := testkit.Swap("0", "SUI", "USDC")
		if _, err := prepared(in); err == nil || err.Detail.Get("field") != "intent.from.amount" ||
			err.Detail.Get("reason") == "protocol_choice_required" {
			t.Errorf("%v", err)
		}
	})
	t.Run("what all say alike is said once, and else each one's words", func(t *testing.T) {
		if _, err := prepared(swap("NOBODY", "")); err == nil || err.Text != "There is no coin NOBODY." {
			t.Errorf("%v", err)
		}
		_, err := prepared(swap("NS", ""))
		if err == nil || err.Code != fault.RegistryMiss || err.Detail.Get("field") != "intent.to.symbol" ||
			err.Text != "No protocol here can do this. The Bazaar: The bazaar has no pool of NS. Agora: The agora is closed." {
			t.Errorf("%v", err)
		}
	})
	t.Run("the protocol that is named says itself why it cannot", func(t *testing.T) {
		if _, err := prepared(swap("DEEP", "agora")); err == nil || err.Text != "The agora has no pool of DEEP." {
			t.Errorf("%v", err)
		}
	})
}
