package review_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/store"
)

// weights says how often each kind of step is drawn.
var weights = []struct {
	kind string
	n    int
}{
	{"open", 3}, {"see", 14}, {"compute", 9}, {"handoff", 9}, {"signed", 5}, {"sent", 2}, {"outcome", 6}, {"submit", 3},
	{"look", 8}, {"restart", 1}, {"epoch", 2}, {"spend", 2}, {"wallet", 1}, {"node", 3}, {"clock", 3},
}

// history draws up to 50 steps.
func history(seed uint64) []op {
	r := rand.New(rand.NewPCG(seed, 9))
	total := 0
	for _, w := range weights {
		total += w.n
	}
	var ops []op
	if r.IntN(4) > 0 { // most begin as a user does
		ops = []op{{Kind: "open", A: r.IntN(32)}, {Kind: "see"}, {Kind: "see", A: 1}}
	}
	for range 10 + r.IntN(38) {
		pick := r.IntN(total)
		for _, w := range weights {
			if pick -= w.n; pick < 0 {
				ops = append(ops, op{w.kind, r.IntN(1 << 16), r.IntN(1 << 16)})
				break
			}
		}
	}
	return ops
}

// reached counts what the histories came through.
type reached map[string]int

// live runs a history and gives the first disagreement.
func live(s record.Store, id record.ID, ops []op, seen reached) (trouble string, at int) {
	w := newWorld(s, id)
	defer w.service.Close()
	for n, o := range ops {
		status := w.want.status
		if trouble := w.take(o); trouble != "" {
			return trouble, n
		}
		if seen != nil {
			seen[string(status)+" "+o.Kind]++
			seen[string(w.want.status)]++
			if w.want.result.why != "" {
				seen[string(w.want.result.why)]++
			}
			if len(w.want.handed) > 1 {
				seen["several releases"]++
			}
		}
	}
	return "", 0
}

// shrunk leaves out steps as long as there is still a disagreement.
func shrunk(run func([]op) string, ops []op) []op {
	for again := true; again; {
		again = false
		for i := 0; i < len(ops); i++ {
			less := slices.Delete(slices.Clone(ops), i, i+1)
			if run(less) != "" {
				ops, again = less, true
				i--
			}
		}
	}
	return ops
}

func disagree(t *testing.T, seed uint64, ops []op, trouble string, run func([]op) string) {
	t.Helper()
	short := shrunk(run, ops)
	t.Fatalf("seed %d: %s\nshortest history:\n%v\nends with: %s", seed, trouble, short, run(short))
}

// The service does what the contract says, over ten thousand histories of a
// page, a second page, a wallet, a node and a clock. MODEL_SEED runs one again.
func TestModel(t *testing.T) {
	long.Skip(t, "it plays thousands of histories")
	begin, count := uint64(1), uint64(10_000)
	if text := os.Getenv("MODEL_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		begin, count = n, 1
	}
	seen := reached{}
	run := func(ops []op) string { trouble, _ := live(&rows{}, "m", ops, nil); return trouble }
	done := uint64(0)
	for ; done < count; done++ {
		ops := history(begin + done)
		if trouble, n := live(&rows{}, "m", ops, seen); trouble != "" {
			disagree(t, begin+done, ops[:n+1], trouble, run)
		}
	}
	t.Logf("%d histories", done)
	if count == 1 {
		return
	}
	t.Run("ST-08 the histories reach every state and every way to it", func(t *testing.T) {
		for _, s := range record.Statuses() {
			if s != record.AwaitingWallet && seen[string(s)] == 0 { // never seen at rest
				t.Errorf("no history reached %s", s)
			}
			for _, w := range weights {
				if s != record.AwaitingWallet && seen[string(s)+" "+w.kind] == 0 {
					t.Errorf("no history tried %s in %s", w.kind, s)
				}
			}
		}
		for _, what := range []string{string(record.FailureCannotExecute), string(record.FailureChainExecution),
			string(record.FailureWalletRejected), "several releases"} {
			if seen[what] == 0 {
				t.Errorf("no history reached %s", what)
			}
		}
	})
}

// The same over the real store.
func TestModelOverTheStore(t *testing.T) {
	long.Skip(t, "it plays a hundred histories")
	ctx := context.Background()
	now := time.Now
	dir := double.Dir(t)
	storekit.Make(t, dir)
	db, err := store.Open(ctx, store.Config{Dir: dir, Now: now, Hub: &events.Hub{}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	next := 0
	run := func(ops []op) string {
		next++
		trouble, _ := live(db, record.ID(fmt.Sprintf("again-%d", next)), ops, nil)
		return trouble
	}
	done := 0
	for ; done < 100; done++ {
		seed := uint64(50_000 + done)
		ops := history(seed)
		if trouble, n := live(db, record.ID(fmt.Sprintf("model-%d", done)), ops, nil); trouble != "" {
			disagree(t, seed, ops[:n+1], trouble, run)
		}
	}
	t.Logf("%d histories", done)
	if err := db.Check(ctx); err != nil {
		t.Error(err)
	}
}

// lawsAlone takes builds as they are stored: no adapter made those of a model.
func lawsAlone(*record.Row) string { return "" }
