package testkit

import (
	"bytes"
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/gate"
)

// Subject is an adapter under the conformance suite. Good lists intents that the sandbox account can
// execute: the suite computes, builds and decodes each. Make adds intents that need a prepared sandbox.
// Bad lists edits of the first good intent that Plan must reject, naming the field.
type Subject struct {
	Adapter func(h *Harness) plan.Adapter
	Good    []plan.Intent
	Make    func(h *Harness) []plan.Intent
	Bad     map[string]func(*plan.Intent)
	// Strict means that every change of a single bit must be rejected, because the bytes state each
	// value twice.
	Strict bool
}

// Adapter runs the conformance suite on one adapter.
func Adapter(t *testing.T, now func() time.Time, s Subject) {
	h := Start(t, now, nil)
	adapter := s.Adapter(h)
	h.Use(adapter)
	if s.Make != nil {
		s.Good = append(s.Good, s.Make(h)...)
	}
	t.Run("its names are complete", func(t *testing.T) { names(t, adapter) })
	t.Run("plans are pure", func(t *testing.T) { plans(t, adapter, s.Good, now()) })
	t.Run("amounts, slippage and strange fields are judged", func(t *testing.T) { bounds(t, adapter, s, now()) })
	for _, in := range s.Good {
		plan, err := adapter.Plan(in, now())
		if err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
		t.Run(plan.Asked, func(t *testing.T) { s.carried(t, h, adapter, in) })
	}
}

func names(t *testing.T, a plan.Adapter) {
	m := a.Meta()
	for _, text := range []string{m.Action, m.Slug, m.Protocol, m.Label, m.AdapterID, m.StageCatalog, m.CheckPrefix} {
		if text == "" {
			t.Errorf("a name is missing: %+v", m)
		}
	}
	if !reflect.DeepEqual(m, a.Meta()) {
		t.Error("the names change from call to call")
	}
	seen := map[plan.StageID]bool{}
	for _, id := range gate.Pipeline(a) {
		if seen[id] {
			t.Errorf("the stage %s appears twice", id)
		}
		seen[id] = true
	}
	if len(m.Stages) == 0 {
		t.Error("there is no stage")
	}
}

func plans(t *testing.T, a plan.Adapter, good []plan.Intent, now time.Time) {
	for _, in := range good {
		first, err := a.Plan(in, now)
		if err != nil {
			t.Errorf("%+v: %v", in, err)
			continue
		}
		second, err := a.Plan(in, now.Add(time.Hour))
		if err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%+v: the plan depends on more than the intent", in)
		}
		if first.Title == "" || first.Summary == "" || first.Asked == "" {
			t.Errorf("%+v: the plan lacks words: %+v", in, first)
		}
		for _, b := range first.Promise.Of(plan.RoleInput) {
			if b.Least == nil && b.Most == nil {
				continue // depends on the amount received
			}
			leaves := b.Amount()
			raw, err := sui.Decimal(in.From.Amount).Raw(leaves.Decimals)
			if err != nil || raw != leaves.Raw {
				t.Errorf("%+v: planned %s", in, leaves)
			}
		}
		var ids []plan.StageID
		for _, stage := range a.Stages(first) {
			ids = append(ids, stage.ID)
		}
		if !slices.Equal(ids, a.Meta().Stages) {
			t.Errorf("stages %v, announced %v", ids, a.Meta().Stages)
		}
	}
}

// bad returns edits that make a good intent invalid: the common ones that apply to its fields, and
// an unknown field.
func (s Subject) bad() map[string]func(*plan.Intent) {
	type edit = func(*plan.Intent)
	good, bad := s.Good[0], maps.Clone(s.Bad)
	if bad == nil {
		bad = map[string]edit{}
	}
	add := func(more map[string]edit) { maps.Copy(bad, more) }
	amount := func(text string) edit { return func(i *plan.Intent) { i.From.Amount = text } }
	if good.From.Amount != "" {
		add(map[string]edit{"zero": amount("0"), "negative": amount("-1"), "exponent": amount("1e2"), "empty": amount(""),
			"word":              amount("all"),
			"too many decimals": amount("1." + strings.Repeat("0", 40) + "1"), "over 64 bits": amount("18446744073709551616"),
			"unknown coin that leaves": func(i *plan.Intent) { i.From.Symbol = "NO_SUCH_COIN" }})
	}
	if good.MaxSlippageBps != 0 {
		add(map[string]edit{"no slippage": func(i *plan.Intent) { i.MaxSlippageBps = plan.LeastSlippageBps - 1 },
			"too much slippage": func(i *plan.Intent) { i.MaxSlippageBps = plan.MostSlippageBps + 1 }})
	} else {
		add(map[string]edit{"slippage of what has no price": func(i *plan.Intent) { i.MaxSlippageBps = 50 }})
	}
	add(map[string]edit{"a field that nobody declares": Own("nobodys", "1")})
	if good.To.Symbol != "" {
		add(map[string]edit{"unknown coin that arrives": func(i *plan.Intent) { i.To.Symbol = "NO_SUCH_COIN" }})
	}
	if good.Recipient == "" {
		add(map[string]edit{"a recipient of what has none": func(i *plan.Intent) {
			i.Recipient = "0x" + strings.Repeat("ab",
				32)
		}})
	}
	return bad
}

// Own returns an edit that sets a field of an intent that adapters declare.
func Own(field, value string) func(*plan.Intent) {
	return func(i *plan.Intent) {
		own := plan.Own{field: value}
		for name, v := range i.Own {
			if name != field {
				own[name] = v
			}
		}
		i.Own = own
	}
}

func bounds(t *testing.T, a plan.Adapter, s Subject, now time.Time) {
	for name, f := range s.bad() {
		in := s.Good[0]
		f(&in)
		_, err := a.Plan(in, now)
		if code := fault.As(err).Code; err == nil || (code != fault.InputInvalid && code != fault.RegistryMiss) {
			t.Errorf("%s: %v", name, err)
		} else if fault.As(err).Detail.Get("field") == "" {
			t.Errorf("%s: the fault names no field", name)
		}
	}
}

// carried computes an intent and checks the transaction that was built.
func (c Subject) carried(t *testing.T, h *Harness, a plan.Adapter, in plan.Intent) {
	s := h.Ready(in)
	for _, c := range s.State.Checks {
		if c.ID == "" || c.Label == "" || c.Message == "" || c.Source == "" || !strings.HasSuffix(c.Message, ".") {
			t.Errorf("a check is not a sentence: %+v", c)
		}
	}
	row, err := h.Store.ReviewRow(context.Background(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := row.Materials[0].Bytes.Transaction()
	if err != nil {
		t.Fatal(err)
	}
	facts, err := Read(a, tx)
	if err != nil {
		t.Fatalf("the adapter cannot read what it built: %v", err)
	}
	if reported, err := a.FromEvents(s.Account, nil); err == nil && len(reported.Actions) > 0 {
		t.Errorf("no event reports %+v", reported)
	}
	to := s.Account
	if in.Recipient != "" {
		to = sui.MustAddress(in.Recipient)
	}
	shown := s.Facts.Steps[0]
	if !facts.Sends.IsZero() && facts.Sends != to || !sameBounds(facts.Promise, shown.Promise) ||
		!reflect.DeepEqual(facts.Terms, shown.Terms) ||
		len(facts.Commands) != len(tx.Commands) {
		t.Errorf("read back as %+v", facts)
	}
	if q := s.State.Quote; q != nil && (facts.Promise.Amount(plan.RoleInput) != q.Input ||
		facts.Promise.Amount(plan.RoleOutput) != q.Minimum) {
		t.Errorf("quoted %+v, read back as %+v", q, facts)
	}
	if h := s.State.HumanReview; h.Guarantee == "" || s.Intent.Asked == "" {
		t.Errorf("the review omits something: %+v", h)
	}
	mutations(t, a, tx, facts, c.Strict)
	limited(t, h, in, s)
}

// Read decodes a single-step transaction with an adapter, as the platform does.
func Read(a plan.Adapter, tx *sui.Transaction) (plan.StepFacts, error) {
	r := readback.New(tx)
	facts, err := a.Read(r)
	if err == nil {
		var shares []string
		shares, err = r.Shares()
		facts.Commands = append(facts.Commands, shares...)
	}
	if err == nil {
		err = r.End()
	}
	return facts, err
}

// sameBounds compares decoded values with displayed ones. For unpinned coins, the bytes contain
// only the type and raw units.
func sameBounds(read, shown plan.Promise) bool {
	return slices.EqualFunc(read.Bounds(), shown.Bounds(), func(a, b plan.Bound) bool {
		if a.Coin.Foreign && b.Coin.Foreign && a.Coin.CoinType == b.Coin.CoinType {
			a.Coin = b.Coin
		}
		return a.Equal(b)
	})
}

// limited sets each coin's limit to one unit below what the intent spends, and then forbids the
// protocol. Each must block the intent.
func limited(t *testing.T, h *Harness, in plan.Intent, s record.Session) {
	defer h.Allow(policy.Allowance{})
	blocked := func(what string, a policy.Allowance) {
		h.Allow(a)
		if got := h.Compute(h.Open(in)); got.Status != record.Blocked || got.Reason != plan.AllowlistViolation {
			t.Errorf("%s: the review is %s (%s)", what, got.Status, got.Reason)
		}
	}
	for _, leaves := range s.Facts.Promise().Amounts(plan.RoleInput, plan.RoleFee, plan.RoleOffer) {
		less := []policy.CoinLimit{{CoinType: leaves.CoinType, Most: leaves.Raw - 1}}
		blocked("a limit of one transaction on "+leaves.Symbol, policy.Allowance{PerTransaction: less})
		blocked("a limit of a day on "+leaves.Symbol, policy.Allowance{PerDay: less})
	}
	blocked("another protocol alone is allowed", policy.Allowance{Protocols: []string{"no-" + s.Protocol}})
}

// mutations flips every bit of the transaction kind. If the result still decodes, it must be rejected
// or read as something else, so that no change goes unnoticed. It ignores coin inputs, because the
// platform compares those.
func mutations(t *testing.T, a plan.Adapter, tx *sui.Transaction, facts plan.StepFacts, strict bool) {
	raw, err := tx.Kind().Encode()
	if err != nil {
		t.Fatal(err)
	}
	plain := withoutObjects(t, tx.Kind())
	decoded, refused := 0, 0
	for i := range raw {
		for bit := range 8 {
			changed := bytes.Clone(raw)
			changed[i] ^= 1 << bit
			kind, err := sui.DecodeKind(changed)
			if err != nil || bytes.Equal(withoutObjects(t, kind), plain) {
				continue
			}
			decoded++
			got, err := Read(a, &sui.Transaction{Inputs: kind.Inputs, Commands: kind.Commands, Sender: tx.Sender, Gas: tx.Gas,
				Expiration: tx.Expiration})
			if err != nil {
				refused++
			} else if reflect.DeepEqual(got, facts) {
				t.Fatalf("byte %d bit %d changes the transaction unseen", i, bit)
			}
		}
	}
	if refused == 0 || decoded == refused && len(tx.Inputs) > 0 && !strict {
		t.Errorf("%d changes decoded, %d refused: too few to test anything", decoded, refused)
	}
}

// withoutObjects encodes a kind with blank ids and versions for owned inputs, and blank initial
// versions for shared ones.
func withoutObjects(t *testing.T, k sui.Kind) []byte {
	inputs := slices.Clone(k.Inputs)
	for i := range inputs {
		switch in := inputs[i].(type) {
		case sui.OwnedInput:
			inputs[i] = sui.OwnedInput{}
		case sui.SharedInput:
			in.InitialVersion = 0
			inputs[i] = in
		}
	}
	out, err := sui.Kind{Inputs: inputs, Commands: k.Commands}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
