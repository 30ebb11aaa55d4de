package lies_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/lies"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// lieCase is one lie about one field, tried on one action.
type lieCase struct {
	field, value string
	kind         lies.Kind
	second       bool // an honest second node is queried too
}

func (c lieCase) String() string {
	with := ""
	if c.second {
		with = ", second node"
	}
	return c.field + "=" + c.value + with
}

// list reports whether the lie is about the list of coins.
func (c lieCase) list() bool { return strings.Contains(c.field, "ListOwnedObjects") }

// action is a review that reads fields.
type action struct {
	name string
	in   plan.Intent
	anew bool // preparing it also queries the node
}

func actions(order string) []action {
	from := func(amount, symbol string) plan.IntentSource {
		return plan.IntentSource{Symbol: symbol, Amount: amount}
	}
	deep := swapOn("deep", "3000", "USDC", "SUI")
	deep.FeeMode = "deep"
	m := manager.String()
	return []action{
		{name: "swap", in: swapOn("deep", "10.05", "SUI", "USDC")},
		{name: "swap from several coins, fee in DEEP", in: deep},
		{name: "swap in a pool whose version is read", in: swapOn("deep", "10", "SUI", "USDSUI")},
		{name: "swap on FlowX", in: swapOn("flowx", "10", "SUI", "USDC")},
		{name: "payment", in: plan.Intent{Type: "transfer", From: from("12.5", "SUI"), Recipient: friend.String()}},
		{name: "payment from several coins", in: plan.Intent{Type: "transfer", From: from("3000", "USDC"),
			Recipient: friend.String()}},
		{name: "payment of an unlisted coin", in: plan.Intent{Type: "transfer", From: from("25", string(gem)),
			Recipient: friend.String()}, anew: true},
		{name: "making a manager", in: plan.Intent{Type: "manager-create"}},
		{name: "deposit", in: plan.Intent{Type: "manager-deposit", From: from("10", "SUI"), Manager: m}},
		{name: "withdrawal", in: plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "USDC", Amount: "12.5"},
			Manager: m}},
		{name: "order to sell", in: plan.Intent{Type: "limit-order", Manager: m,
			Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "10"}}},
		{name: "order that trades at once", in: plan.Intent{Type: "limit-order", Manager: m,
			Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "1.28", Quantity: "10"}}},
		{name: "order to buy, fee in DEEP", in: plan.Intent{Type: "limit-order", Manager: m, FeeMode: "deep",
			Order: &plan.Order{Pool: "SUI_USDC", Side: "buy", Price: "0.001", Quantity: "10"}}},
		{name: "cancellation", in: plan.Intent{Type: "cancel-order", Manager: m, Order: &plan.Order{Pool: "SUI_USDC"},
			Own: plan.Own{"orderId": order}}},
	}
}

// simulated is the method whose fields mean the same for every transaction, except for returned
// values.
const simulated = "TransactionExecutionService.SimulateTransaction"

var elements = regexp.MustCompile(`(changed_objects|events\.events)\[[^\]]*\]`)

// keyOf returns a key that equivalent fields share. For simulations, it includes whether the call
// tries the final bytes, estimates gas or only reads.
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

func (w *world) look(s record.Session, epoch sui.Epoch, honest func([]byte) *sui.Simulation) *reviewed {
	w.t.Helper()
	got := &reviewed{status: s.Status, reason: s.Reason, facts: s.Facts, state: s.State, account: ours, epoch: epoch}
	if len(s.State.Checks) > 0 {
		got.worst = s.State.Checks[0]
	}
	checks := map[string]plan.Check{}
	for _, c := range s.State.Checks {
		checks[c.ID] = c
	}
	public := s.State
	public.Checks, public.Rules = nil, nil
	if public.Simulation != nil { // the order of changes has no meaning
		sim := *public.Simulation
		sim.BalanceChanges = slices.Clone(sim.BalanceChanges)
		slices.SortFunc(sim.BalanceChanges, func(a, b sui.BalanceChange) int {
			return cmp.Or(strings.Compare(a.Owner.String(), b.Owner.String()), strings.Compare(string(a.Coin), string(b.Coin)))
		})
		public.Simulation = &sim
	}
	got.leaves = leavesOf(map[string]any{"state": public, "checks": checks, "facts": s.Facts, "holdings": s.Holdings})
	if s.Status != record.Ready {
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

// run computes an action and returns the result. It returns an error if the computation takes too
// long, or fails with anything but a fault that the user sees.
func (w *world) run(a action, s *record.Session) (record.Session, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if s == nil {
		made, err := w.Reviews.Prepare(ctx, a.in)
		if err != nil {
			return record.Session{}, err
		}
		if made, err = w.Reviews.Opened(ctx, made.ID); err != nil {
			return record.Session{}, err
		}
		s = &made
	}
	return w.Reviews.ComputeNow(ctx, s.ID, s.Revision)
}

// Three ways in which an action meets a lie.
const (
	alone     = "one node, which lies"
	honest2nd = "a node that lies, and an honest second node"
	lying2nd  = "an honest node, and a second node that lies"
)

// teller tests every action of a world with lies about the fields that it reads.
type teller struct {
	*world
	mode  string
	epoch sui.Epoch
	tried map[string]bool                // fields by key
	truth map[string]*sui.Simulation     // effects of bytes on the real chain
	again map[string][]lieCase           // by action: lies that were not detected with one node
	wrong func(action string, at string) // reports a finding
	cases int
	runs  int             // number of computations
	same  int             // lies that changed no answer
	at    int             // number of cases so far, including skipped ones
	known map[string]bool // names of all fields that were read
}

// every samples the cases: with 20, only every twentieth is tried. make lies tries all, in a
// quarter of an hour.
var (
	every  = flag.Int("every", 20, "try every n-th lie alone")
	update = flag.Bool("update", false, "write fields.txt anew")
)

// skip reports whether to skip the next case.
func (w *teller) skip() bool {
	w.at++
	return w.at%*every != 0
}

// TestMain runs parts in parallel even on few processors, because those about receipts mostly wait.
func TestMain(m *testing.M) {
	flag.Parse()
	if set := flag.Lookup("test.parallel"); set.Value.String() == set.DefValue {
		_ = set.Value.Set("8")
	}
	double.Hurry()
	os.Exit(m.Run())
}

func TestLiar(t *testing.T) {
	long.Skip(t, "it tells thousands of lies")
	asked := make([]map[string]bool, 3+receiptParts)
	t.Run("cases", func(t *testing.T) {
		t.Run("reviews", func(t *testing.T) {
			t.Parallel()
			w := newTeller(t, alone)
			asked[0] = w.known
			acts := actions(w.furnish())
			w.each(acts, nil)
			believed := w.again
			w.mode = honest2nd
			w.CompareWith(w.URL, nil)
			w.each(acts, believed)
		})
		t.Run("reviews, a second node that lies", func(t *testing.T) {
			t.Parallel()
			w := newTeller(t, lying2nd)
			asked[1] = w.known
			w.each(actions(w.furnish()), nil)
		})
		for part := range receiptParts {
			t.Run(fmt.Sprintf("receipts, part %d", part+1), func(t *testing.T) {
				t.Parallel()
				w := newTeller(t, alone)
				asked[3+part] = w.known
				w.receipts(action{name: "payment", in: plan.Intent{Type: "transfer", Recipient: friend.String(),
					From: plan.IntentSource{Symbol: "USDC", Amount: "0.01"}}}, part)
			})
		}
		t.Run("readings", func(t *testing.T) {
			t.Parallel()
			w := newTeller(t, alone)
			asked[2] = w.known
			w.furnish()
			w.anew()
			settled := w.Settle(w.Ready(swapOn("deep", "10", "SUI", "USDC")))
			w.readAll(readings(settled.Execution.TxDigest))
		})
	})
	t.Run("every field that is asked for is known by name", func(t *testing.T) {
		all := map[string]bool{}
		for _, one := range asked {
			maps.Copy(all, one)
		}
		// An older version of an object is read only if the submitted transaction is not found
		// immediately, which depends on timing.
		for _, name := range lies.Known() {
			if strings.HasPrefix(name, "LedgerService.GetObject:") {
				all[name] = true
			}
		}
		names := slices.Sorted(maps.Keys(all))
		if *update {
			if err := os.WriteFile("fields.txt", []byte(strings.Join(names, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		if unlike := diff.Diff(lies.Known(), names); unlike != "" {
			t.Errorf("fields.txt is not what honest runs ask for; write it anew with -update:\n%s", unlike)
		}
	})
}

func newTeller(t *testing.T, mode string) *teller {
	t.Helper()
	w := &teller{world: newWorld(t), mode: mode, known: map[string]bool{}, tried: map[string]bool{},
		truth: map[string]*sui.Simulation{}, again: map[string][]lieCase{}}
	w.wrong = func(action, what string) { t.Errorf("%s: %s: %s", w.mode, action, what) }
	var err error
	if w.epoch, err = w.honest.Epoch(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// each runs every action through all its cases, or through the given ones.
func (w *teller) each(acts []action, only map[string][]lieCase) {
	for _, a := range acts {
		before, same, runs := w.cases, w.same, w.runs
		w.lieTo(a, only)
		w.t.Logf("%s: %s: %d cases in %d computations, and %d that change nothing",
			w.mode, a.name, w.cases-before, w.runs-runs, w.same-same)
	}
}

// cached matches methods whose answers clients cache. Their cases start with a new client.
var cached = regexp.MustCompile(`GetServiceInfo|GetEpoch|BatchGetObjects|Pool`)

// anew clears the caches of clients.
func (w *teller) anew() {
	switch w.mode {
	case lying2nd:
		w.Ask(w.URL)
		w.CompareWith(w.lying, nil)
	default:
		w.world.anew()
	}
}

// did simulates bytes on the honest node, only once.
func (w *teller) did(b []byte) *sui.Simulation {
	if sim, ok := w.truth[string(b)]; ok {
		return sim
	}
	var did *sui.Simulation
	if sim, err := w.honest.SimulateBytes(context.Background(), b, true); err == nil {
		did = &sim
	}
	w.truth[string(b)] = did
	return did
}

// heard is the set of answers in an honest run.
type heard map[*lies.Answer]bool

// idle reports a lie that leaves every answer unchanged, such as 0 doubled or two equal neighbors
// exchanged. There is nothing to test.
func (w *teller) idle(answers heard, c lieCase) bool {
	for a := range answers {
		if a.Changed(lies.Lie{Field: c.field, Value: c.value}) {
			return false
		}
	}
	w.same++
	return true
}

// fields returns the untested fields that an action reads, the answers that contain them, its
// honest result, and the leaves in which two honest results differ.
func (w *teller) fields(a action) (list []lies.Seen, answers heard, session record.Session, honest *reviewed,
	noise map[string]bool) {
	w.t.Helper()
	seen, answers := map[string]lies.Seen{}, heard{} // by key
	w.liar.Tell()
	w.liar.Watch(func(s lies.Seen) {
		w.known[lies.Plain(s.Field)] = true
		answers[s.Answer] = true
		if key, worth := keyOf(s); worth && !w.tried[key] {
			seen[key] = s
		}
	})
	base := func() (record.Session, *reviewed) {
		w.anew()
		s, err := w.run(a, nil)
		if err != nil || s.Status != record.Ready {
			w.t.Fatalf("%s: %s: %v %s %s %+v", w.mode, a.name, err, s.Status, s.Reason, s.State.Checks)
		}
		return s, w.look(s, w.epoch, w.did)
	}
	_, honest = base()
	w.liar.Watch(nil)
	session, again := base()
	noise = map[string]bool{}
	for _, p := range differing(honest.leaves, again.leaves, nil) {
		noise[p] = true
	}
	for _, key := range slices.Sorted(maps.Keys(seen)) {
		w.tried[key] = true
		list = append(list, seen[key])
	}
	return list, answers, session, honest, noise
}
