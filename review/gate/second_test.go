package gate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/node"
)

// asker intercepts the second node's chain.
type asker struct {
	node.Chain
	id    func(*sui.Digest)
	err   error // of reading objects
	fewer bool  // omits one object
}

func (a asker) ChainIdentifier(ctx context.Context) (sui.Digest, error) {
	d, err := a.Chain.ChainIdentifier(ctx)
	if a.id != nil {
		a.id(&d)
	}
	return d, err
}

func (a asker) Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	if a.err != nil {
		return nil, a.err
	}
	list, err := a.Chain.Objects(ctx, ids)
	if a.fewer && len(list) > 0 {
		list = list[1:]
	}
	return list, err
}

// If two nodes disagree about anything a signature depends on, nothing is signed.
func TestSecondNodeDisagrees(t *testing.T) {
	long.Skip(t, "it reviews against many second nodes")
	object := func(lie func(*sui.Object)) func(*gate.Second) {
		return func(s *gate.Second) { s.Chain = teller{Chain: s.Chain, object: lie} }
	}
	effects := func(lie func(*sui.Simulation)) func(*gate.Second) {
		return func(s *gate.Second) {
			s.Simulator = &testkit.Interceptor{Simulator: s.Simulator, After: lie}
		}
	}
	drafts := func(edit func(*plan.Step)) func(*gate.Second) {
		return func(s *gate.Second) {
			s.Adapters = []plan.Adapter{forger{Adapter: s.Adapters[0], draft: edit}}
		}
	}
	gains := func(change func(*sui.BalanceChange)) func(*gate.Second) {
		return effects(func(s *sui.Simulation) {
			for i := range s.Balances {
				if s.Balances[i].Coin == usdcType && s.Balances[i].Owner == sandbox.Account {
					change(&s.Balances[i])
				}
			}
		})
	}
	cases := []struct {
		name   string
		wrap   func(*gate.Second)
		reason plan.Reason
		says   string
	}{
		{"another chain", func(s *gate.Second) { s.Chain = asker{Chain: s.Chain, id: func(d *sui.Digest) { d[0] ^= 1 }} },
			plan.NetworkMismatch, "another chain"},
		{"a chain that is not admitted", func(s *gate.Second) {
			s.Chain = asker{Chain: s.Chain, err: fault.New(fault.NetworkMismatch, "It is another chain.")}
		}, plan.NetworkMismatch, "another chain"},
		{"objects that it does not know", func(s *gate.Second) {
			s.Chain = asker{Chain: s.Chain, err: fault.New(fault.ProviderRefused, "No such object.")}
		}, plan.ObjectResolutionFailed, "does not know"},
		{"of one object less", func(s *gate.Second) { s.Chain = asker{Chain: s.Chain, fewer: true} },
			plan.ObjectResolutionFailed, "all objects"},
		{"another owner", object(func(o *sui.Object) { o.Owner.Address[0] ^= 1 }), plan.ObjectResolutionFailed,
			"another kind or owner"},
		{"another kind", object(func(o *sui.Object) { o.Type = "0x7::gem::GEM" }), plan.ObjectResolutionFailed,
			"another kind or owner"},
		{"another digest of the same version", object(func(o *sui.Object) { o.Ref.Digest[0] ^= 1 }),
			plan.ObjectResolutionFailed, "other contents"},
		{"more in a coin", object(func(o *sui.Object) {
			if o.Balance != nil {
				more := *o.Balance + 1
				o.Balance = &more
			}
		}), plan.ObjectResolutionFailed, "other contents"},
		{"other contents", object(func(o *sui.Object) { o.Contents = append([]byte{1}, o.Contents...) }),
			plan.ObjectResolutionFailed, "other contents"},
		{"a different balance", func(s *gate.Second) {
			s.Chain = pockets{Chain: s.Chain, balance: func(b *sui.Balance) { b.Total, b.Coins = b.Total+1, b.Coins+1 }}
		}, plan.ObjectResolutionFailed, "a different balance"},
		{"another fee", drafts(func(d *plan.Step) { d.Read(plan.Reading{}) }), plan.ObjectResolutionFailed, "different data"},
		{"another expectation", drafts(func(d *plan.Step) { d.Quote.Expected.Raw += d.Quote.Expected.Raw / 50 }),
			plan.EffectsMismatch, "quotes otherwise"},
		{"another fee of the quote", drafts(func(d *plan.Step) { d.Quote.Fee.Raw *= 2 }), plan.EffectsMismatch,
			"quotes otherwise"},
		{"more that comes back", drafts(func(d *plan.Step) { d.Quote.Unspent.Raw = d.Quote.Input.Raw / 2 }),
			plan.EffectsMismatch, "quotes otherwise"},
		{"different decimals", func(s *gate.Second) {
			s.Chain = teller{Chain: s.Chain, coin: func(m *sui.Metadata) { m.Decimals = 0 }}
		}, plan.AssetMismatch, "different decimals"},
		{"that it fails", effects(func(s *sui.Simulation) { s.Status.OK = false }), plan.EffectsMismatch, "fails"},
		{"of another transaction", effects(func(s *sui.Simulation) { s.Digest[0] ^= 1 }), plan.EffectsMismatch,
			"another transaction"},
		{"a change less", effects(func(s *sui.Simulation) { s.Balances = s.Balances[1:] }), plan.EffectsMismatch,
			"different balance changes"},
		{"a change more", effects(func(s *sui.Simulation) {
			s.Balances = append(s.Balances, sui.BalanceChange{Owner: thief, Coin: usdcType, Amount: sui.Delta{Amount: 1}})
		}), plan.EffectsMismatch, "a change that the first does not report"},
		{"two per cent less", gains(func(c *sui.BalanceChange) { c.Amount.Amount -= c.Amount.Amount / 50 }),
			plan.EffectsMismatch, "different balance changes"},
		{"a different mid price", priced(105), plan.EffectsMismatch, "a different mid price"},
		{"the other direction", gains(func(c *sui.BalanceChange) { c.Amount.Negative = true }), plan.EffectsMismatch,
			"different balance changes"},
		{"no quote", func(s *gate.Second) {
			s.Adapters = []plan.Adapter{forger{Adapter: s.Adapters[0], draft: func(d *plan.Step) { d.Quote.MidPrice = "none" }}}
		}, plan.EffectsMismatch, "an unreadable price"},
	}
	for _, c := range cases {
		t.Run("the second node reports "+c.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			h.Compare(c.wrap)
			s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
			worst := s.State.Checks[0]
			if s.Status != record.Blocked || s.Reason != c.reason || s.Commitment != "" || s.State.Contract != nil {
				t.Errorf("%s %s", s.Status, s.Reason)
			}
			if worst.ID != "provider_mismatch" || worst.Rule != "C20" || worst.Do == "" || !strings.Contains(worst.Message,
				c.says) {
				t.Errorf("worst check %+v", worst)
			}
			if len(s.State.AdapterLifecycle.MissingStages) != 0 {
				t.Errorf("missing %v", s.State.AdapterLifecycle.MissingStages)
			}
		})
	}
	t.Run("a whole other sandbox", func(t *testing.T) {
		h, other := testkit.Start(t, time.Now, nil), testkit.Start(t, time.Now, nil)
		h.CompareWith(other.URL, nil)
		s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
		if s.Status != record.Blocked || s.State.Checks[0].ID != "provider_mismatch" {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
	})
	for _, c := range []struct {
		name string
		wrap func(*gate.Second)
		says string
	}{
		{"half a per cent less", gains(func(c *sui.BalanceChange) { c.Amount.Amount -= c.Amount.Amount / 200 }),
			"slightly different balance changes"},
		{"a unit less", gains(func(c *sui.BalanceChange) { c.Amount.Amount-- }), "slightly different balance changes"},
		{"a different gas cost", effects(func(s *sui.Simulation) { s.Gas.NonRefundable++ }), "a different gas cost"},
		{"a fee of a unit more", drafts(func(d *plan.Step) { d.Quote.Fee.Raw++ }), "quotes slightly otherwise"},
	} {
		t.Run("of a market that did not move the second node tells "+c.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			h.Compare(c.wrap)
			s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
			if w := s.State.Checks[0]; s.Status != record.RefreshRequired || w.ID != "second_provider_lags" ||
				!strings.Contains(w.Message, c.says) {
				t.Errorf("%s %+v", s.Status, w)
			}
		})
	}
	t.Run("half a per cent is the market, where it moved", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Compare(func(s *gate.Second) {
			gains(func(c *sui.BalanceChange) { c.Amount.Amount -= c.Amount.Amount / 200 })(s)
			object(func(o *sui.Object) {
				if o.Owner.Kind == sui.OwnerShared {
					o.Ref.Version++
				}
			})(s)
		})
		if s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC"))); s.Status != record.Ready {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
	})
}

// Two nodes that tell different versions of a coin are no liars: one lags.
func TestSecondNodeLags(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Compare(func(s *gate.Second) {
		s.Chain = teller{Chain: s.Chain, object: func(o *sui.Object) {
			if o.Balance != nil {
				o.Ref.Version--
			}
		}}
	})
	s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
	if c := s.State.Checks[0]; s.Status != record.RefreshRequired || c.ID != "second_provider_lags" || c.Do == "" ||
		s.Commitment != "" {
		t.Errorf("%s %s %+v", s.Status, s.Reason, c)
	}
}

// Administrator settings of the market are compared, whatever the adapter does with them.
func TestSecondNodeTellsOtherRules(t *testing.T) {
	for name, c := range map[string]struct {
		fault sandbox.Fault
		says  string
	}{
		"fee":  {sandbox.Fault{Kind: sandbox.TakerFee, Pool: "SUI_USDC", Number: 900_000}, "taker fee"},
		"lot":  {sandbox.Fault{Kind: sandbox.LotSize, Pool: "SUI_USDC", Number: 1_000_000}, "quantity step"},
		"size": {sandbox.Fault{Kind: sandbox.LeastSize, Pool: "SUI_USDC", Number: 2_000_000_000}, "least size"},
	} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			h.Compare(func(s *gate.Second) {
				honest := s.Adapters[0]
				s.Adapters = []plan.Adapter{forger{Adapter: honest, cut: func(stages []plan.Stage) []plan.Stage {
					run := stages[2].Run
					stages[2].Run = func(ctx context.Context, d *plan.Step) error {
						h.Inject(c.fault) // what the second node reports from now on
						return run(ctx, d)
					}
					return stages
				}}}
			})
			s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
			if worst := s.State.Checks[0]; s.Status != record.Blocked || worst.ID != "provider_mismatch" ||
				!strings.Contains(worst.Message, c.says) {
				t.Errorf("%s %+v", s.Status, worst)
			}
		})
	}
}

func TestSecondNodeIsDown(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.CompareWith("http://127.0.0.1:9", nil)
	s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
	if c := s.State.Checks[0]; s.Status != record.RefreshRequired || s.Reason != plan.ProviderUnavailable ||
		c.ID != "second_provider_unavailable" || c.Do == "" || s.Commitment != "" {
		t.Errorf("%s %s %+v", s.Status, s.Reason, c)
	}
	h.Compare(nil)
	if s = h.Compute(s); s.Status != record.Ready {
		t.Errorf("when it answers: %s %s", s.Status, s.Reason)
	}
}

// renamed is an adapter under another name.
type renamed struct{ plan.Adapter }

func (r renamed) Meta() plan.Meta {
	m := r.Adapter.Meta()
	m.AdapterID = "another"
	return m
}

// Values that the second node's adapter omits are not a disagreement.
func TestSecondNodeQuotesLateOrNot(t *testing.T) {
	t.Run("a quote that grew old is refreshed", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Compare(func(s *gate.Second) {
			s.Adapters = []plan.Adapter{forger{Adapter: s.Adapters[0], cut: func(stages []plan.Stage) []plan.Stage {
				stages[2].Run = func(context.Context, *plan.Step) error {
					return &plan.Stop{Reason: plan.QuoteStale, Check: plan.Fail(plan.SourceQuote, "late", "Quote", "It came late.",
						"Refresh.")}
				}
				return stages
			}}}
		})
		if s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC"))); s.Status != record.RefreshRequired ||
			s.Reason != plan.QuoteStale {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
	t.Run("a pool that trades nothing there is a disagreement", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Compare(func(s *gate.Second) {
			s.Adapters = []plan.Adapter{forger{Adapter: s.Adapters[0], cut: func(stages []plan.Stage) []plan.Stage {
				stages[2].Run = func(context.Context, *plan.Step) error {
					return &plan.Stop{Reason: plan.QuoteUnavailable, Check: plan.Fail(plan.SourceQuote, "none", "Quote", "Nothing.",
						"Wait.")}
				}
				return stages
			}}}
		})
		if s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC"))); s.Status != record.Blocked ||
			s.State.Checks[0].ID != "provider_mismatch" {
			t.Errorf("%s %+v", s.Status, s.State.Checks[0])
		}
	})
	t.Run("an adapter of another protocol tells no price", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Compare(func(s *gate.Second) { s.Adapters = []plan.Adapter{renamed{s.Adapters[0]}} })
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		if _, ok := testkit.Check(s, "price_not_compared"); !ok {
			t.Errorf("%+v", s.State.Rules)
		}
	})
}

// A second node without a mid price leaves that one rule open, and says so.
func TestSecondNodeWithoutAPrice(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Compare(func(s *gate.Second) {
		s.Adapters = []plan.Adapter{forger{Adapter: s.Adapters[0], draft: func(d *plan.Step) { d.Quote.MidPrice = "" }}}
	})
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	if c, ok := testkit.Check(s, "price_not_compared"); !ok || c.Status != plan.CheckWarning ||
		len(s.State.Rules.NotChecked) != 1 || s.State.Rules.NotChecked[0] != "C04" {
		t.Errorf("%+v %+v", c, s.State.Rules)
	}
}

// The price is compared in both directions of the pool.
func TestPriceOfTheOtherDirection(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Compare(nil)
	s := h.Ready(testkit.Swap("50", "USDC", "SUI"))
	if c, ok := testkit.Check(s, "price_second_source"); !ok || c.Status != plan.CheckPass {
		t.Errorf("%+v", c)
	}
	h.Compare(priced(70)) // SUI is cheaper there: more of it should arrive
	if s = h.Compute(s); s.Status != record.Blocked || s.State.Checks[0].Rule != "C04" {
		t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
	}
}
