package lies_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/lies"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// lieCase is one lie about one field, told to one action.
type lieCase struct {
	field, value string
	kind         lies.Kind
	second       bool // an honest second node is asked too
}

func (c lieCase) String() string {
	with := ""
	if c.second {
		with = ", second node"
	}
	return c.field + "=" + c.value + with
}

// list reports whether the lie is about which coins there are.
func (c lieCase) list() bool { return strings.Contains(c.field, "ListOwnedObjects") }

// action is a review that reads fields.
type action struct {
	name string
	in   review.Intent
	anew bool // preparing it asks the node, too
}

func actions(order string) []action {
	from := func(amount, symbol string) review.IntentSource {
		return review.IntentSource{Symbol: symbol, Amount: amount}
	}
	deep := swapOn("deep", "3000", "USDC", "SUI")
	deep.FeeMode = "deep"
	m := manager.String()
	return []action{
		{name: "swap", in: swapOn("deep", "10.05", "SUI", "USDC")},
		{name: "swap from several coins, fee in DEEP", in: deep},
		{name: "swap in a pool whose version is read", in: swapOn("deep", "10", "SUI", "USDSUI")},
		{name: "swap on FlowX", in: swapOn("flowx", "10", "SUI", "USDC")},
		{name: "payment", in: review.Intent{Type: "transfer", From: from("12.5", "SUI"), Recipient: friend.String()}},
		{name: "payment from several coins", in: review.Intent{Type: "transfer", From: from("3000", "USDC"), Recipient: friend.String()}},
		{name: "payment of an unlisted coin", in: review.Intent{Type: "transfer", From: from("25", string(gem)), Recipient: friend.String()}, anew: true},
		{name: "making a manager", in: review.Intent{Type: "manager-create"}},
		{name: "deposit", in: review.Intent{Type: "manager-deposit", From: from("10", "SUI"), Manager: m}},
		{name: "withdrawal", in: review.Intent{Type: "manager-withdraw", To: review.IntentTarget{Symbol: "USDC", Amount: "12.5"}, Manager: m}},
		{name: "order to sell", in: review.Intent{Type: "limit-order", Manager: m,
			Order: &review.IntentOrder{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "10"}}},
		{name: "order to buy, fee in DEEP", in: review.Intent{Type: "limit-order", Manager: m, FeeMode: "deep",
			Order: &review.IntentOrder{Pool: "SUI_USDC", Side: "buy", Price: "0.001", Quantity: "10"}}},
		{name: "cancellation", in: review.Intent{Type: "cancel-order", Manager: m, Order: &review.IntentOrder{Pool: "SUI_USDC"}, OrderID: order}},
	}
}

// simulated is the method whose fields mean the same whatever is called, except
// for the values that the calls return.
const simulated = "TransactionExecutionService.SimulateTransaction"

var elements = regexp.MustCompile(`(changed_objects|events\.events)\[[^\]]*\]`)

// keyOf is what two fields share that are one and the same: of a simulation it is
// whether it tries what would be signed, estimates its gas, or only reads.
func keyOf(s lies.Seen) (key string, worth bool) {
	method, about, path := lies.Split(s.Field)
	if method != simulated {
		return s.Field, true
	}
	tried := "read"
	for _, k := range []string{"checked", "built"} {
		if strings.HasPrefix(about, k) {
			tried = k
		}
	}
	values := strings.Contains(path, "command_outputs")
	events := strings.Contains(path, "events.events")
	switch {
	case values && tried != "read", events && tried != "checked":
		return s.Field, s.Kind != lies.Window && !values
	case values, events:
		return s.Field, true
	}
	return simulated + "[" + tried + "]:" + elements.ReplaceAllString(path, "$1[]"), true
}

func (w *world) look(s review.Session, epoch sui.Epoch, honest func([]byte) *sui.Simulation) *reviewed {
	w.t.Helper()
	got := &reviewed{status: s.Status, reason: s.Reason, facts: s.Facts, state: s.State, account: ours, epoch: epoch}
	if len(s.State.Checks) > 0 {
		got.worst = s.State.Checks[0]
	}
	got.leaves = leavesOf(map[string]any{"state": s.State, "facts": s.Facts, "holdings": s.Holdings})
	if s.Status != review.Ready {
		return got
	}
	row, err := w.Store.ReviewRow(context.Background(), s.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	got.bytes = row.Materials[len(row.Materials)-1].Bytes.Bytes()
	if got.tx, err = sui.DecodeTransaction(got.bytes); err != nil {
		w.t.Errorf("ready with bytes that cannot be read: %v", err)
		return got
	}
	got.truth = honest(got.bytes)
	return got
}

// run computes an action and returns what it ended with. A computation that does
// not end in time, or a call that fails for another reason than a fault that the
// person is told, is the error.
func (w *world) run(a action, s *review.Session) (review.Session, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if s == nil {
		made, err := w.Reviews.Prepare(ctx, a.in)
		if err != nil {
			return review.Session{}, err
		}
		if made, err = w.Reviews.Opened(ctx, made.ID); err != nil {
			return review.Session{}, err
		}
		s = &made
	}
	return w.Reviews.ComputeNow(ctx, s.ID, s.Revision)
}

// findings are what was wrong, by case.
type findings struct {
	cases int
	list  []string
}

func TestLiar(t *testing.T) {
	for _, second := range []bool{false, true} {
		t.Run(map[bool]string{false: "one node", true: "an honest second node"}[second], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			acts := actions(w.furnish())
			if second {
				w.CompareWith(w.URL, nil)
			}
			tried := map[string]bool{}
			for _, a := range acts {
				found := w.lieTo(a, second, tried)
				t.Logf("%s: %d cases", a.name, found.cases)
				for _, f := range found.list {
					t.Errorf("%s: %s", a.name, f)
				}
			}
		})
	}
}

// truth simulates bytes on the honest node.
func (w *world) truth(b []byte) *sui.Simulation {
	sim, err := w.honest.SimulateBytes(context.Background(), b, true)
	if err != nil {
		return nil
	}
	return &sim
}

// lieTo tells one action every lie about the fields that it reads and that were
// not tried yet.
func (w *world) lieTo(a action, second bool, tried map[string]bool) (out findings) {
	w.t.Helper()
	epoch, err := w.honest.Epoch(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	fields := map[string]lies.Seen{} // by key
	w.liar.Tell(nil)
	w.liar.Watch(func(s lies.Seen) {
		if key, worth := keyOf(s); worth && !tried[key] {
			fields[key] = s
		}
	})
	base := func() (review.Session, *reviewed) {
		w.anew()
		s, err := w.run(a, nil)
		if err != nil || s.Status != review.Ready {
			w.t.Fatalf("%s: %v %s %s %+v", a.name, err, s.Status, s.Reason, s.State.Checks)
		}
		return s, w.look(s, epoch, w.truth)
	}
	_, honest := base()
	w.liar.Watch(nil)
	session, again := base()
	noise := map[string]bool{}
	for _, p := range differing(honest.leaves, again.leaves, nil) {
		noise[p] = true
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		tried[key] = true
		for _, value := range lies.WordsFor(fields[key].Kind) {
			c := lieCase{field: fields[key].Field, value: value, kind: fields[key].Kind, second: second}
			began := time.Now()
			w.anew()
			w.liar.Tell(&lies.Lie{Field: c.field, Value: value})
			s := &session
			if a.anew {
				s = nil
			}
			got, err := w.run(a, s)
			if d := time.Since(began); d > time.Second {
				w.t.Logf("%s took %s", c, d)
			}
			if err == nil && !a.anew {
				session = got
			}
			if w.liar.Told() == 0 {
				continue
			}
			out.cases++
			if err != nil {
				if !a.anew {
					out.list = append(out.list, fmt.Sprintf("%s: %v", c, err))
				}
				continue
			}
			for _, wrong := range judgeReview(c, honest, w.look(got, epoch, w.truth), noise) {
				out.list = append(out.list, fmt.Sprintf("%s: %s", c, wrong))
			}
		}
	}
	w.liar.Tell(nil)
	return out
}
