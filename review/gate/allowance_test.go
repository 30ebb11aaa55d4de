package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
)

const oneSUI = sui.Raw(1_000_000_000)

func most(coin sui.CoinType, raw sui.Raw) []policy.CoinLimit {
	return []policy.CoinLimit{{CoinType: coin, Most: raw}}
}

// notAllowed checks that a review is blocked by the allowance, in words that name everything a user
// needs.
func notAllowed(t *testing.T, s record.Session, check string, words ...string) {
	t.Helper()
	if s.Status != record.Blocked || s.Reason != plan.AllowlistViolation ||
		s.State.BlockedReason != plan.AllowlistViolation {
		t.Fatalf("the review is %s (%s)", s.Status, s.Reason)
	}
	c := s.State.Checks[0]
	if c.ID != check || c.Status != plan.CheckFail {
		t.Fatalf("the first check is %+v", c)
	}
	for _, word := range append(words, "settings page") {
		if !strings.Contains(c.Message+" "+c.Do, word) {
			t.Errorf("%q does not say %q", c.Message+" "+c.Do, word)
		}
	}
	if s.Commitment != "" || len(s.Releases) != 0 {
		t.Errorf("there is still something to hand out: %+v", s)
	}
}

func TestAllowance(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	ten := testkit.Swap("10", "SUI", "USDC")
	compute := func(a policy.Allowance) record.Session {
		t.Helper()
		h.Allow(a)
		return h.Compute(h.Open(ten))
	}
	ready := func(a policy.Allowance, told bool) {
		t.Helper()
		s := compute(a)
		if s.Status != record.Ready {
			t.Fatalf("the review is %s (%s), %+v", s.Status, s.Reason, s.State.Checks[0])
		}
		if c, ok := testkit.Check(s, "allowance"); ok != told || (told && c.Status != plan.CheckPass) {
			t.Errorf("the check says %+v", c)
		}
	}
	t.Run("nothing set: nothing said", func(t *testing.T) { ready(policy.Allowance{}, false) })
	t.Run("limit of one transaction: one unit under it blocks", func(t *testing.T) {
		s := compute(policy.Allowance{PerTransaction: most(sui.SUI, 10*oneSUI-1)})
		notAllowed(t, s, "allowance_per_transaction", "Up to 10 SUI", "9.999999999 SUI")
		if s.Facts == nil || s.State.Simulation == nil {
			t.Error("the facts that were judged are not shown")
		}
	})
	t.Run("exactly the limit passes: gas does not count", func(t *testing.T) {
		ready(policy.Allowance{PerTransaction: most(sui.SUI, 10*oneSUI), PerDay: most(sui.SUI, 10*oneSUI)}, true)
	})
	t.Run("limit on a coin that does not leave", func(t *testing.T) {
		usdc, ok := coins.BySymbol("USDC")
		if !ok {
			t.Fatal("the coin is not pinned")
		}
		ready(policy.Allowance{PerTransaction: most(usdc.Type, 0), PerDay: most(usdc.Type, 0)}, true)
	})
	t.Run("protocol", func(t *testing.T) {
		notAllowed(t, compute(policy.Allowance{Protocols: []string{"flowx", "other"}}), "allowance_protocol", "deep",
			"flowx, other")
		ready(policy.Allowance{Protocols: []string{"deep"}}, true)
	})
	t.Run("the account itself always receives", func(t *testing.T) {
		ready(policy.Allowance{Recipients: []sui.Address{thief}}, true)
	})
	t.Run("the coin that pays the fee counts", func(t *testing.T) {
		deep, ok := coins.BySymbol("DEEP")
		if !ok {
			t.Fatal("the coin is not pinned")
		}
		h.Allow(policy.Allowance{PerTransaction: most(deep.Type, 1)})
		in := ten
		in.FeeMode = "deep"
		notAllowed(t, h.Compute(h.Open(in)), "allowance_per_transaction", "DEEP")
	})
}

func TestAllowanceOfARecipient(t *testing.T) {
	s := record.Session{Account: sandbox.Account, Protocol: "deep"}
	to := func(a sui.Address) plan.Facts { return plan.Facts{Steps: []plan.StepFacts{{Sends: a}}} }
	list := policy.Allowance{Recipients: []sui.Address{sui.MustAddress("0xb0b")}}
	if stop := gate.JudgeAllowance(list, s, to(thief), nil, time.Now()); stop == nil ||
		stop.Check.ID != "allowance_recipient" || !strings.Contains(stop.Check.Message, thief.String()) {
		t.Errorf("somebody else: %v", stop)
	}
	for _, a := range []sui.Address{sui.MustAddress("0xb0b"), sandbox.Account} {
		if stop := gate.JudgeAllowance(list, s, to(a), nil, time.Now()); stop != nil {
			t.Errorf("%s: %v", a, stop)
		}
	}
	if stop := gate.JudgeAllowance(policy.Allowance{}, s, to(thief), nil, time.Now()); stop != nil {
		t.Errorf("no list: %v", stop)
	}
}

func TestAllowanceAtTheRelease(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	t.Run("a limit tightened after the review holds", func(t *testing.T) {
		h.Allow(policy.Allowance{PerTransaction: most(sui.SUI, 9*oneSUI)})
		_, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment)
		f := fault.As(err)
		if f == nil || f.Code != fault.HandoffUnavailable || f.Detail.Get("reason") != string(plan.AllowlistViolation) ||
			!strings.Contains(f.Text, "9 SUI") || !strings.Contains(f.Text, "Nothing was sent to your wallet") {
			t.Fatalf("%v", err)
		}
		got, err := h.Reviews.Get(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		notAllowed(t, got, "allowance_per_transaction", "10 SUI", "9 SUI")
	})
	t.Run("loosened again, it is computed anew and goes", func(t *testing.T) {
		h.Allow(policy.Allowance{PerTransaction: most(sui.SUI, 10*oneSUI)})
		now, err := h.Reviews.Get(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if now = h.Compute(now); now.Status != record.Ready {
			t.Fatalf("%s (%s)", now.Status, now.Reason)
		}
		h.HandOff(now)
	})
	t.Run("protocol forbidden after the review", func(t *testing.T) {
		s := h.Ready(testkit.Swap("5", "SUI", "USDC"))
		h.Allow(policy.Allowance{Protocols: []string{"other"}})
		if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); !fault.Is(err, fault.HandoffUnavailable) {
			t.Errorf("%v", err)
		}
	})
}

// TestAllowanceReadInTheRelease: limits cannot change between the check and the release.
func TestAllowanceReadInTheRelease(t *testing.T) {
	var releasing atomic.Bool
	var h *testkit.Harness
	changed := make(chan struct{})
	h = testkit.Start(t, time.Now, func(c *review.Config) {
		read := c.Allowed
		c.Allowed = func(ctx context.Context) (policy.Allowance, error) {
			allowed, err := read(ctx)
			if releasing.CompareAndSwap(true, false) {
				go func() {
					defer close(changed)
					h.Allow(policy.Allowance{PerTransaction: most(sui.SUI, 0)})
				}()
				select {
				case <-changed:
					t.Error("the limits were changed while a release was decided by them")
				case <-time.After(100 * time.Millisecond):
				}
			}
			return allowed, err
		}
	})
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	releasing.Store(true)
	h.HandOff(s)
	<-changed
}

func TestAllowanceUnreadable(t *testing.T) {
	ctx := context.Background()
	var broken atomic.Bool
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		read := c.Allowed
		c.Allowed = func(ctx context.Context) (policy.Allowance, error) {
			if broken.Load() {
				return policy.Allowance{}, errors.New("no such row")
			}
			return read(ctx)
		}
	})
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	broken.Store(true)
	t.Run("at the release: nothing is handed out", func(t *testing.T) {
		if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); !fault.Is(err, fault.HandoffUnavailable) {
			t.Errorf("%v", err)
		}
		got, err := h.Reviews.Get(ctx, s.ID)
		if err != nil || got.Status != record.RefreshRequired || len(got.Releases) != 0 ||
			got.State.Checks[0].ID != "allowance_unreadable" {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("in a computation: to be refreshed, never ready", func(t *testing.T) {
		got := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
		if got.Status != record.RefreshRequired || got.State.Checks[0].ID != "allowance_unreadable" {
			t.Errorf("%s %+v", got.Status, got.State.Checks[0])
		}
	})
}

func TestAllowanceOfADayAcrossProcesses(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	h.Allow(policy.Allowance{PerDay: most(sui.SUI, 35*oneSUI)})
	services := []*review.Service{h.Reviews, h.Twin(), h.Twin()}
	var open []record.Session
	var accepted []string // the user lets each replace the others, so only the limit decides
	for n := range 9 {
		in := payment("10", "SUI") // each one is within the limit
		in.Recipient = "0x" + strings.Repeat(fmt.Sprintf("%x7", n+1), 32)
		s := h.Ready(in)
		open, accepted = append(open, s), append(accepted, "replace:"+string(s.ID))
	}
	var released atomic.Int32
	var all sync.WaitGroup
	for i, s := range open {
		all.Go(func() {
			_, err := services[i%len(services)].Handoff(ctx, s.ID, s.Revision, s.Commitment, accepted...)
			if err == nil {
				released.Add(1)
			} else if !fault.Is(err, fault.HandoffUnavailable) {
				t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
	if released.Load() != 3 {
		t.Fatalf("%d transactions of 10 SUI were handed out under a limit of 35 SUI", released.Load())
	}
	refused := 0
	for _, s := range open {
		got, err := h.Reviews.Get(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Releases) == 0 {
			refused++
			notAllowed(t, got, "allowance_per_day", "10 SUI", "30 SUI", "35 SUI")
		}
	}
	if refused != 6 {
		t.Errorf("%d were refused", refused)
	}
}

func TestAllowanceOfADay(t *testing.T) {
	ctx := context.Background()
	ten, limit := testkit.Swap("10", "SUI", "USDC"), policy.Allowance{PerDay: most(sui.SUI, 15*oneSUI)}
	second := func(t *testing.T, h *testkit.Harness, ready bool) {
		t.Helper()
		s := h.Compute(h.Open(ten))
		if ready && s.Status != record.Ready {
			t.Errorf("the second is %s (%s): %s", s.Status, s.Reason, s.State.Checks[0].Message)
		}
		if !ready {
			notAllowed(t, s, "allowance_per_day", "10 SUI", "15 SUI")
		}
	}
	start := func(t *testing.T) (*testkit.Harness, record.Session) {
		h := testkit.Start(t, time.Now, nil)
		h.Allow(limit)
		return h, h.Ready(ten)
	}
	t.Run("handed out and not heard of", func(t *testing.T) {
		h, s := start(t)
		h.HandOff(s)
		second(t, h, false)
	})
	t.Run("refused in the wallet, it may still have been signed; its own rebuild is no second one", func(t *testing.T) {
		h, s := start(t)
		o := h.HandOff(s)
		s, err := h.Reviews.Outcome(ctx, s.ID, o.Nonce, record.OutcomeRejected)
		if err != nil {
			t.Fatal(err)
		}
		second(t, h, false)
		if s = h.Compute(s); s.Status != record.Ready {
			t.Fatalf("the rebuild is %s (%s): %+v", s.Status, s.Reason, s.State.Checks[0])
		}
		h.HandOff(s)
	})
	t.Run("executed, until a day is over", func(t *testing.T) {
		h, s := start(t)
		h.Send(s)
		h.Until(s.ID, "executed", final)
		second(t, h, false)
		h.Clock.Advance(24*time.Hour + time.Minute)
		second(t, h, true)
	})
	t.Run("failed on chain: only gas was taken", func(t *testing.T) {
		h, s := start(t)
		o := h.HandOff(s)
		raw, signature := h.Sign(o)
		h.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: "SUI_USDC", BasisPoints: -500})
		if _, err := h.Reviews.Signed(ctx, s.ID, o.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		if s = h.Until(s.ID, "failed", final); s.Execution.FailureReason != record.FailureChainExecution {
			t.Fatalf("%+v", s.Execution)
		}
		second(t, h, true)
	})
	t.Run("proved dead", func(t *testing.T) {
		h, s := start(t)
		h.HandOff(s)
		now, err := h.Reviews.Get(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Spend(t, h, now.Releases[0].GasCoin.ID)
		h.Until(s.ID, "proved", func(s record.Session) bool { return s.Releases[0].Dead })
		second(t, h, true)
	})
}

func TestSumOfADay(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	gas := func(n byte) sui.ObjectRef { return sui.ObjectRef{ID: sui.ObjectID{n}, Version: 1} }
	spends := func(raw sui.Raw, coin byte) plan.Facts {
		leaves := plan.Leaves(plan.RoleInput, plan.Asset{Symbol: "SUI", CoinType: sui.SUI, Decimals: 9}.Of(raw))
		outcomes := []plan.Outcome{{Bounds: []plan.Bound{leaves}}}
		return plan.Facts{Steps: []plan.StepFacts{{Promise: plan.Promise{Outcomes: outcomes}}},
			Gas: plan.GasFacts{Payment: []sui.ObjectRef{gas(coin)}}}
	}
	one := func(id record.ID, digest, coin byte, raw sui.Raw, edit func(*record.Handed)) record.Handed {
		h := record.Handed{Review: id, Release: record.Release{Digest: sui.Digest{digest}, At: now.Add(-time.Hour),
			GasCoin: gas(coin), Facts: spends(raw, coin)}}
		if edit != nil {
			edit(&h)
		}
		return h
	}
	settled := func(digest byte, moved bool) func(*record.Handed) {
		return func(h *record.Handed) { h.Settled, h.Moved = sui.Digest{digest}.String(), moved }
	}
	at := func(at, signed time.Duration) func(*record.Handed) {
		return func(h *record.Handed) {
			h.Release.At = now.Add(at)
			if signed != 0 {
				h.Release.SignedAt = now.Add(signed)
			}
		}
	}
	const day = 24 * time.Hour
	for _, c := range []struct {
		name   string
		handed []record.Handed
		sum    sui.Raw // of the others, in addition to the current 1
	}{
		{"nothing", nil, 0},
		{"two reviews add up", []record.Handed{one("a", 1, 1, 5, nil), one("b", 2, 2, 7, nil)}, 12},
		{"two reviews with one gas coin add up", []record.Handed{one("a", 1, 1, 5, nil), one("b", 2, 1, 7, nil)}, 12},
		{"rebuilds of a review exclude each other: the largest", []record.Handed{one("a", 1, 1, 5, nil), one("a", 2, 1, 7,
			nil)}, 7},
		{"with another gas coin they do not", []record.Handed{one("a", 1, 1, 5, nil), one("a", 2, 2, 7, nil)}, 12},
		{"executed", []record.Handed{one("a", 1, 1, 5, settled(1, true))}, 5},
		{"failed on chain", []record.Handed{one("a", 1, 1, 5, settled(1, false))}, 0},
		{"the executed one used up the gas coin of a larger one", []record.Handed{one("a", 1, 1, 5, settled(1, true)),
			one("a", 2, 1, 7, settled(1, true))}, 5},
		{"the failed one did so too", []record.Handed{one("a", 1, 1, 5, settled(1, false)), one("a", 2, 1, 7,
			settled(1, false))}, 0},
		{"but not of one with another", []record.Handed{one("a", 1, 1, 5, settled(1, false)), one("a", 2, 2, 7,
			settled(1, false))}, 7},
		{"dead", []record.Handed{one("a", 1, 1, 5, func(h *record.Handed) { h.Release.Dead = true })}, 0},
		{"a day ago", []record.Handed{one("a", 1, 1, 5, at(-day, 0))}, 0},
		{"almost a day ago", []record.Handed{one("a", 1, 1, 5, at(-day+1, 0))}, 5},
		{"signed late", []record.Handed{one("a", 1, 1, 5, at(-day-time.Hour, -time.Hour))}, 5},
		{"a clock that was set back", []record.Handed{one("a", 1, 1, 5, at(3*day, 0))}, 5},
		{"its own earlier release, smaller", []record.Handed{one("me", 1, 9, 1, nil), one("b", 2, 2, 7, nil)}, 7},
		{"numbers beyond 64 bits", []record.Handed{one("a", 1, 1, 1<<64-1, nil), one("b", 2, 2, 1<<64-1, nil)}, 1<<64 - 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := record.Session{ID: "me", Account: sandbox.Account}
			judge := func(limit sui.Raw) *plan.Stop {
				return gate.JudgeAllowance(policy.Allowance{PerDay: most(sui.SUI, limit)}, s, spends(1, 9), c.handed, now)
			}
			if stop := judge(c.sum + 1); stop != nil {
				t.Errorf("a limit of %d blocks: %v", c.sum+1, stop)
			}
			if stop := judge(c.sum); stop == nil {
				t.Errorf("a limit of %d does not block", c.sum)
			}
		})
	}
}
