package review_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/store"
)

// races is how many races TestOneReleaseInManyRaces runs; make lies runs more. Each store
// sees as many of each of the four kinds.
var races = flag.Int("races", 300, "how many releases race at the store, a multiple of 20")

// racingStores is how many stores share these races, side by side.
const racingStores = 5

// rival is a service over a store that hands out the reviews of races, each of an
// account of its own.
type rival struct {
	db      *store.DB
	service *review.Service
	account atomic.Pointer[sui.Address]
}

func newRival(db *store.DB) *rival {
	r := &rival{db: db}
	r.service = review.New(review.Config{
		Store: db, Nodes: review.Nodes{Chain: newLedger(1), Executor: newLedger(1), Pace: modelPace}, Hub: &events.Hub{},
		Now: time.Now, Network: "sui:sandbox",
		Active: func(context.Context) (record.Account, bool, error) {
			return record.Account{Address: *r.account.Load()}, true, nil
		},
		Compare: lawsAlone,
	})
	return r
}

// handOut tries to hand out a review without any word of a user, and gives "handed", or the code of
// the refusal.
func (r *rival) handOut(ctx context.Context, id record.ID) string {
	s, err := r.db.Review(ctx, id)
	if err != nil {
		return err.Error()
	}
	r.account.Store(&s.Account)
	if _, err := r.service.Handoff(ctx, id, s.Revision, s.Commitment); err != nil {
		return string(fault.As(err).Code)
	}
	return "handed"
}

// entrants puts ready reviews of one account into a store. How they stand to each
// other goes by n: one wish with the same bytes, one wish on one gas coin, one
// wish on two coins, or two wishes on one gas coin.
func entrants(t *testing.T, db *store.DB, n int, ids ...record.ID) {
	t.Helper()
	ctx := context.Background()
	w := &world{chain: newLedger(1), items: map[sui.Digest]*item{}, bytes: map[*item]sui.Material{},
		now: time.Now().UTC().Truncate(time.Millisecond)}
	w.key, w.account = keyOf(string(ids[0]))
	for k, id := range ids {
		s := record.Session{ID: id, Network: "sui:sandbox", Account: w.account, Protocol: "deep", Action: "swap",
			Status:   record.WalletConnected,
			Revision: 1, CreatedAt: w.now, UpdatedAt: w.now, ExpiresAt: w.now.Add(time.Hour)}
		coin := raceCoin
		switch n % 4 {
		case 0:
			w.chain.made = 0
		case 2:
			coin.ID[1] = byte(k)
		case 3:
			s.Action = fmt.Sprintf("action %d", k)
		}
		_, b := w.build(coin)
		b.Expires = w.now.Add(time.Hour)
		err := db.CreateReview(ctx, s)
		if err == nil {
			_, err = db.Change(ctx, id, "computed", func(r *record.Row) error {
				return review.Adopt(r, 1, "", b, ledgerChain.String(), w.now)
			})
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// Again and again two processes' stores hand out two reviews of one account at
// once: one of them leaves, and the other is told why it does not. The reviews are
// written once, and every store begins as a copy of theirs. Several stores race
// side by side, for each waits for its lock much of the time.
func TestOneReleaseInManyRaces(t *testing.T) {
	long.Skip(t, "a thousand releases race")
	t.Parallel()
	begin := filepath.Join(double.Dir(t), "data")
	db := raceStore(t, begin)
	for n := range *races / racingStores {
		entrants(t, db, n, rivalsOf(n)...)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var side sync.WaitGroup
	var first [2]atomic.Int64
	for range racingStores {
		dir := filepath.Join(double.Dir(t), "data")
		copyData(t, dir, begin)
		one, two := raceStore(t, dir), raceStore(t, dir)
		side.Go(func() { raceAll(t, one, two, &first) })
	}
	side.Wait()
	t.Logf("the one was faster %d times, the other %d times", first[0].Load(), first[1].Load())
	if done := first[0].Load() + first[1].Load(); done != int64(*races) {
		t.Errorf("%d races were run", done)
	}
}

// copyData copies a data directory whose store is closed.
func copyData(t *testing.T, to, from string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(from, "say-ur-intent.db"))
	if err == nil {
		err = os.Mkdir(to, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "say-ur-intent.db"), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// rivalsOf returns the two reviews of a race.
func rivalsOf(n int) []record.ID {
	return []record.ID{record.ID(fmt.Sprintf("a%d", n)), record.ID(fmt.Sprintf("b%d", n))}
}

// raceAll runs all races of a store over two handles of it.
func raceAll(t *testing.T, one, two *store.DB, first *[2]atomic.Int64) {
	ctx := context.Background()
	rivals := []*rival{newRival(one), newRival(two)}
	for _, r := range rivals {
		defer r.service.Close()
	}
	for n := range *races / racingStores {
		ids := rivalsOf(n)
		var said [2]string
		var both sync.WaitGroup
		for k := range rivals {
			both.Go(func() { said[k] = rivals[(k+n)%2].handOut(ctx, ids[k]) })
		}
		both.Wait()
		switch {
		case said[0] == "handed" && said[1] == string(fault.OtherReleaseOpen):
			first[0].Add(1)
		case said[1] == "handed" && said[0] == string(fault.OtherReleaseOpen):
			first[1].Add(1)
		default:
			t.Errorf("race %d of kind %d ended with %q", n, n%4, said)
			return
		}
	}
	if err := rivals[0].db.Check(ctx); err != nil {
		t.Error(err)
	}
}

// handOuts is the other process of the races between two: it hands out each review
// that it is told, and says how it went.
func handOuts(ctx context.Context, db *store.DB, in io.Reader) error {
	r := newRival(db)
	defer r.service.Close()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fmt.Println(r.handOut(ctx, record.ID(lines.Text())))
	}
	return lines.Err()
}

func TestOneReleaseBetweenTwoProcesses(t *testing.T) {
	const races = 50
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "data")
	own := newRival(raceStore(t, dir))
	t.Cleanup(own.service.Close)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.Close() })
	_, answers := anotherWith(t, order{Role: "hand out", Dir: dir}, in)
	_ = in.Close()
	dice := rand.New(rand.NewPCG(1, 2))
	handed := map[string]int{}
	for n := range races {
		mine, its := record.ID(fmt.Sprintf("mine%d", n)), record.ID(fmt.Sprintf("its%d", n))
		entrants(t, own.db, n, mine, its)
		if _, err := fmt.Fprintln(out, its); err != nil {
			t.Fatal(err)
		}
		for range dice.IntN(3000) { // neither is always the first
			runtime.Gosched()
		}
		said := own.handOut(ctx, mine)
		if !answers.Scan() {
			t.Fatal("the other process is gone")
		}
		switch its := answers.Text(); {
		case said == "handed" && its == string(fault.OtherReleaseOpen):
			handed["here"]++
		case its == "handed" && said == string(fault.OtherReleaseOpen):
			handed["there"]++
		default:
			t.Fatalf("race %d: %q here, %q there", n, said, its)
		}
	}
	t.Logf("handed out %v", handed)
}

// Any order of steps of six reviews of one account, over all wishes and coins: no two transactions
// can execute side by side of which a user did not say so.
func TestOpenReleasesInAnyOrder(t *testing.T) {
	long.Skip(t, "it plays many histories")
	ctx := context.Background()
	for seed := range uint64(12) {
		dir := filepath.Join(double.Dir(t), "data")
		db := raceStore(t, dir)
		r := newRival(db)
		dice := rand.New(rand.NewPCG(seed, 7))
		var ids []record.ID
		for k := range 6 {
			ids = append(ids, record.ID(fmt.Sprintf("r%d-%d", seed, k)))
		}
		entrants(t, db, int(seed), ids...)
		handed := 0
		for range 30 {
			id := ids[dice.IntN(len(ids))]
			switch dice.IntN(3) {
			case 0, 1:
				if r.handOut(ctx, id) == "handed" {
					handed++
				}
			case 2: // proved dead, or declined
				_, err := db.Change(ctx, id, "edited", func(row *record.Row) error {
					if len(row.Session.Releases) == 0 {
						return nil
					}
					row.Session.Releases[0].Dead = true
					row.Session.Revision++
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			alive := 0
			for _, id := range ids {
				s, err := db.Review(ctx, id)
				if err != nil {
					t.Fatal(err)
				}
				alive += len(s.Outstanding())
			}
			if alive > 1 {
				t.Fatalf("seed %d: %d releases are open, and nobody accepted anything", seed, alive)
			}
		}
		if handed == 0 {
			t.Fatalf("seed %d handed out nothing", seed)
		}
		r.service.Close()
	}
}
