package lies_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/lies"
)

// ready returns an honest review of a swap, and a function that returns further copies to change.
func ready(t *testing.T) (honest *reviewed, read func() *reviewed) {
	t.Helper()
	w := newTeller(t, alone)
	w.furnish()
	a := actions("1")[0]
	_, _, _, honest, _ = w.fields(a)
	w.anew()
	s, err := w.run(a, nil)
	if err != nil {
		t.Fatal(err)
	}
	read = func() *reviewed {
		s, err := w.Reviews.Get(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		return w.look(s, w.epoch, w.did)
	}
	if wrong := judgeReview(lieCase{}, honest, read(), nil); len(wrong) > 0 {
		t.Fatalf("an honest review is found wrong: %q", wrong)
	}
	return honest, read
}

// Every part of judgeReview must detect its violation. Each case simulates a product with one
// weakness.
func TestJudgeOfReviews(t *testing.T) {
	cases := []struct {
		name  string
		c     lieCase
		spoil func(r *reviewed)
		says  string
	}{
		{"bytes that never expire", lieCase{}, func(r *reviewed) {
			r.tx.Expiration = sui.EpochExpiration{Epoch: 1 << 40}
			r.facts.LastEpoch = 1 << 40
		}, "usable until epoch"},
		{"another epoch than the bytes'", lieCase{}, func(r *reviewed) { r.facts.LastEpoch++ }, "which the page calls"},
		{"another budget than the bytes'", lieCase{}, func(r *reviewed) { r.facts.Gas.Budget-- }, "told as"},
		{"a price of gas that is far too high", lieCase{}, func(r *reviewed) {
			r.tx.Gas.Price, r.facts.Gas.Price = 20_000, 20_000
		}, "gas costs up to"},
		{"another recipient", lieCase{}, func(r *reviewed) { r.facts.Steps[0].Sends = friend }, "recipient"},
		{"a guarantee of another amount", lieCase{},
			func(r *reviewed) { r.state.HumanReview.Guarantee = "At least 900 USDC arrives." }, "does not name the minimum"},
		{"a minimum that the chain does not keep", lieCase{}, func(r *reviewed) {
			b := &r.facts.Steps[0].Promise.Outcomes[0].Bounds[1]
			b.Least = new(big.Int).Lsh(b.Least, 1)
		}, "the page says by no less"},
		{"less spent than the bytes spend", lieCase{},
			func(r *reviewed) { r.facts.Steps[0].Promise.Outcomes[0].Bounds[0].Least = big.NewInt(-1) }, "spends"},
		{"something to somebody else", lieCase{}, func(r *reviewed) {
			told := *r.truth // other cases share the original
			r.truth = &told
			r.truth.Balances = append(slices.Clone(r.truth.Balances), sui.BalanceChange{Owner: friend, Coin: sui.SUI,
				Amount: sui.Delta{Amount: 1}})
		}, "gets 1 of"},
		{"a fee of 18 billion SUI", lieCase{}, func(r *reviewed) { r.state.Quote.Fee = r.state.Quote.Fee.Of(1<<64 - 1) },
			"a fee of"},
		{"more back than leaves", lieCase{},
			func(r *reviewed) { r.state.Quote.Unspent = r.state.Quote.Input.Of(r.state.Quote.Input.Raw + 1) }, "comes back of"},
		{"a mid price of nothing", lieCase{}, func(r *reviewed) { r.state.Quote.MidPrice = "0" },
			"mid price of nothing"},
		{"another share than the figures give", lieCase{}, func(r *reviewed) { r.state.Outlook[0].Trade.Guaranteed.Bps = 1 },
			"1 hundredths of a percent"},
		{"a mid price outside the book", lieCase{}, func(r *reviewed) { r.state.Outlook[0].Market.Middle = "9" },
			"a mid price of 9 between"},
		{"a comparison with nothing", lieCase{},
			func(r *reviewed) { r.state.Outlook[0].Market.Middle = ""; r.state.Quote = nil }, "no mid price"},
		{"a price that is none", lieCase{}, func(r *reviewed) { r.state.Outlook[0].Market.Bid = "-1" }, "written as none"},
		{"a changed number beside an honest second node", lieCase{second: true},
			func(r *reviewed) { r.leaves["state.quote.midPrice"] = "900" },
			"ready with an honest second node"},
		{"another function than is called", lieCase{},
			func(r *reviewed) { r.leaves["facts.steps[0].function"] = "pool::give" }, "pool::give"},
		{"nobody named for what one node told", lieCase{}, func(r *reviewed) {
			delete(r.leaves, "checks.second_provider_not_set.message")
		}, "nobody is named"},
		{"a balance that was left out, told as nothing", lieCase{value: lies.Absent}, lacking("The node reports 0 SUI."),
			"what was left out"},
		{"a list that contradicts the balance", lieCase{value: lies.One, field: "StateService.ListOwnedObjects:objects"},
			lacking("The node reports small coins."), "contradicts"},
		{"a node's word without its source", lieCase{value: lies.Zero}, lacking("The account holds 0 SUI."),
			"told as a fact"},
		{"a computation without an end", lieCase{}, func(r *reviewed) { r.status = record.WalletConnected }, "ended as"},
		{"a panic that was caught", lieCase{}, func(r *reviewed) {
			r.status, r.worst.ID = record.RefreshRequired, "deepbook_order_checked_failed_unexpectedly"
		}, "the program's own fault"},
	}
	honest, read := ready(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := read()
			c.spoil(got)
			wrong := judgeReview(c.c, honest, got, nil)
			if len(wrong) == 0 || !strings.Contains(strings.Join(wrong, "\n"), c.says) {
				t.Errorf("found %q", wrong)
			}
		})
	}
}

// lacking makes a review claim that the account holds too little.
func lacking(message string) func(*reviewed) {
	return func(r *reviewed) {
		r.status, r.reason, r.worst.Message = record.Blocked, plan.InsufficientBalance, message
	}
}

func TestJudgeOfReadings(t *testing.T) {
	honest := map[string]string{"source.method": "simulate", "balanceRaw": "900", "rows[0].price": "1.5"}
	with := func(path, value string) map[string]string {
		return map[string]string{"source.method": "simulate", "balanceRaw": "900", "rows[0].price": "1.5", path: value}
	}
	absent := lieCase{field: "StateService.GetBalance:balance.balance", value: lies.Absent, kind: lies.Number}
	for name, c := range map[string]struct {
		refused *fault.Error
		got     map[string]string
		says    string // "" if nothing is wrong
	}{
		"the same":                       {nil, honest, ""},
		"a refusal":                      {fault.New(fault.ProviderMismatch, "No."), nil, ""},
		"a panic":                        {fault.New(fault.InternalError, "Oh."), nil, "own fault"},
		"a balance of nothing":           {nil, with("balanceRaw", "0"), "nobody told so"},
		"a price below zero":             {nil, with("rows[0].price", "-1.5"), "-1.5"},
		"an answer that names nobody":    {nil, map[string]string{"balanceRaw": "900"}, "names no source"},
		"another balance, from a source": {nil, with("balanceRaw", "901"), ""},
	} {
		wrong := judgeReading(absent, c.refused, honest, c.got, nil)
		if (len(wrong) == 0) != (c.says == "") || !strings.Contains(strings.Join(wrong, "\n"), c.says) {
			t.Errorf("%s: found %q", name, wrong)
		}
	}
}
