package review_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/handoff"
	"github.com/sayurintent/sayurintent/review/node"
	"github.com/sayurintent/sayurintent/store"
)

// The test binary is also the other process: started with a role, it plays that
// and no test.
const roleVariable = "REVIEW_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		double.Hurry()
		os.Exit(m.Run())
	}
	var order order
	err := json.Unmarshal([]byte(role), &order)
	if err == nil {
		err = order.play(context.Background())
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// order is what another process has to do.
type order struct {
	Role     string    `json:"role"`
	Dir      string    `json:"dir"`
	URL      string    `json:"url"` // of the node, "" for none
	ID       record.ID `json:"id"`
	Seed     uint64    `json:"seed"`
	Steps    int       `json:"steps"`
	Nonce    string    `json:"nonce,omitempty"`
	Bytes    []byte    `json:"bytes,omitempty"`
	Signed   []byte    `json:"signed,omitempty"`
	Revision int64     `json:"revision,omitempty"`
	Shown    string    `json:"shown,omitempty"`
	Accepted []string  `json:"accepted,omitempty"`
}

// another starts another process of this test binary.
func another(t *testing.T, o order) (*exec.Cmd, *bufio.Scanner) { return anotherWith(t, o, nil) }

// anotherWith starts it with something to read. A quick run has no other process.
func anotherWith(t *testing.T, o order, in io.Reader) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	long.Skip(t, "it starts another process")
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+string(text))
	cmd.Stderr, cmd.Stdin = os.Stderr, in
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

// play is the other process's main.
func (o order) play(ctx context.Context) error {
	hub := &events.Hub{}
	db, err := store.Open(ctx, store.Config{Dir: o.Dir, Now: time.Now, Hub: hub})
	if err != nil {
		return err
	}
	defer db.Close()
	switch o.Role {
	case "race":
		return race(ctx, db, o)
	case "hand out":
		return handOuts(ctx, db, os.Stdin)
	}
	node, err := rpc.New(rpc.Config{URL: o.URL, Now: time.Now})
	if err != nil {
		return err
	}
	defer node.Close()
	return o.die(ctx, db, hub, node)
}

// handed is what a process says of each handoff that it was given.
type handed struct {
	Digest string `json:"digest"`
	Shown  string `json:"shown"`
	Coin   string `json:"coin"`
}

// racer is a service over a store, without a node, whose builds are made up.
type racer struct {
	db      *store.DB
	service *review.Service
	world   *world // makes builds and keys
	id      record.ID
	tally   func(handed)
}

func newRacer(db *store.DB, id record.ID, seed uint64, tally func(handed)) *racer {
	w := &world{chain: newLedger(1), items: map[sui.Digest]*item{}, bytes: map[*item]sui.Material{}, now: time.Now()}
	w.key, w.account = modelKey()
	w.chain.made = seed << 32 // no two processes build the same
	r := &racer{db: db, id: id, world: w, tally: tally}
	r.service = review.New(review.Config{
		Store: db, Nodes: review.Nodes{Chain: w.chain, Executor: w.chain, Pace: modelPace, Second: confirming(w.chain)},
		Hub: &events.Hub{}, Now: time.Now, Network: "sui:sandbox",
		Active: func(context.Context) (record.Account, bool, error) {
			return record.Account{Address: w.account}, true, nil
		},
		Compare: lawsAlone,
	})
	return r
}

// raceTime bounds a race on a slow disk.
const raceTime = 8 * time.Second

var raceCoin = sui.ObjectRef{ID: sui.Address{0xc0}, Version: 1, Digest: sui.Digest{7}}

// step is one step of the race: build, hand out, refuse, decline, or let a
// build grow old.
func (r *racer) step(ctx context.Context, pick int) error {
	s, err := r.service.Get(ctx, r.id)
	if err != nil {
		return err
	}
	switch pick % 6 {
	case 0, 1:
		_, b := r.world.build(raceCoin)
		if b.Expires = time.Now().Add(time.Minute); pick%12 == 0 {
			b.Expires = time.Now().Add(2 * time.Millisecond)
		}
		_, err = r.db.Change(ctx, r.id, "computed", func(row *record.Row) error {
			return review.Adopt(row, s.Revision, "", b, ledgerChain.String(), time.Now())
		})
	case 2, 3, 4:
		var o handoff.Handoff
		if o, err = r.service.Handoff(ctx, r.id, s.Revision, s.Commitment); err == nil {
			r.tally(handed{Digest: o.Bytes.Digest().String(), Shown: s.Commitment, Coin: raceCoin.ID.String()})
		}
	case 5:
		if len(s.Outstanding()) > 0 { // declining before a release would end the race
			_, err = r.service.Outcome(ctx, r.id, "", record.OutcomeDeclined)
		}
	}
	f := fault.As(err)
	switch f.Code {
	case fault.InvalidSessionTransition, fault.HandoffUnavailable, fault.HandoffCommitmentMismatch:
		return nil // somebody was faster
	case fault.InternalError:
		if f.Detail.Get("store") == "busy" { // the other process wrote all the time
			return nil
		}
	}
	return err
}

func race(ctx context.Context, db *store.DB, o order) error {
	out := json.NewEncoder(os.Stdout)
	r := newRacer(db, o.ID, o.Seed, func(h handed) { _ = out.Encode(h) })
	defer r.service.Close()
	dice := rand.New(rand.NewPCG(o.Seed, 1))
	stop := time.Now().Add(raceTime)
	for n := 0; n < o.Steps && time.Now().Before(stop); n++ {
		if err := r.step(ctx, dice.IntN(1<<16)); err != nil {
			return err
		}
	}
	return nil
}

// raceRow puts a connected review into the store of a race.
func raceRow(t *testing.T, db *store.DB, id record.ID) {
	t.Helper()
	_, account := modelKey()
	now := time.Now().UTC().Truncate(time.Millisecond)
	err := db.CreateReview(context.Background(), record.Session{ID: id, Network: "sui:sandbox", Account: account,
		Protocol: "deep", Action: "swap", Status: record.WalletConnected, Revision: 1,
		CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(30 * time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
}

func raceStore(t *testing.T, dir string) *store.DB {
	t.Helper()
	storekit.Make(t, dir)
	db, err := store.Open(context.Background(), store.Config{Dir: dir, Now: time.Now, Hub: &events.Hub{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// Two processes of two workers each hand out, rebuild, refuse and let expire:
// nothing leaves twice, and what leaves is what was stored and shown.
func TestReleaseRaceOfProcesses(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "data")
	db := raceStore(t, dir)
	raceRow(t, db, "race")
	const steps = 500
	var mu sync.Mutex
	count := map[string]int{}
	tally := func(h handed) {
		mu.Lock()
		defer mu.Unlock()
		count[h.Digest]++
		if d, err := sui.ParseDigest(h.Digest); err != nil || sui.Commitment(d) != h.Shown {
			t.Errorf("ST-01 handed out %s where %s was shown", h.Digest, h.Shown)
		}
	}
	var all sync.WaitGroup
	cmd, lines := another(t, order{Role: "race", Dir: dir, ID: "race", Seed: 2, Steps: steps})
	all.Go(func() {
		for lines.Scan() {
			var h handed
			if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
				t.Errorf("the other process: %s", lines.Text())
				return
			}
			tally(h)
		}
	})
	for worker := range 2 {
		r := newRacer(db, "race", uint64(10+worker), tally)
		t.Cleanup(r.service.Close)
		dice := rand.New(rand.NewPCG(uint64(worker), 2))
		all.Go(func() {
			stop := time.Now().Add(raceTime)
			for n := 0; n < steps/2 && time.Now().Before(stop); n++ {
				if err := r.step(ctx, dice.IntN(1<<16)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	s, err := db.Review(ctx, "race")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("ST-01 at most one release of a built transaction, and it is the stored and shown one", func(t *testing.T) {
		for _, r := range s.Releases {
			if count[r.Digest.String()] != 1 || sui.Commitment(r.Digest) != r.Commitment {
				t.Errorf("%s left %d times, commitment %s", r.Digest, count[r.Digest.String()], r.Commitment)
			}
		}
		if len(count) != len(s.Releases) || len(count) < 5 {
			t.Errorf("%d were handed out, %d releases are stored", len(count), len(s.Releases))
		}
	})
	t.Run("ST-03 all of them exclude each other", func(t *testing.T) {
		for _, r := range s.Releases {
			if r.GasCoin != raceCoin {
				t.Errorf("%+v", r.GasCoin)
			}
		}
	})
	if err := db.Check(ctx); err != nil {
		t.Error(err)
	}
	t.Logf("%d releases", len(count))
}

func TestHandoffByAThousand(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "data")
	one, two := raceStore(t, dir), raceStore(t, dir)
	raceRow(t, one, "many")
	var mu sync.Mutex
	got, refused := 0, map[fault.Code]int{}
	a := newRacer(one, "many", 1, nil)
	b := newRacer(two, "many", 2, nil)
	t.Cleanup(a.service.Close)
	t.Cleanup(b.service.Close)
	_, build := a.world.build(raceCoin)
	build.Expires = time.Now().Add(time.Minute)
	s, err := one.Change(ctx, "many", "computed", func(row *record.Row) error {
		return review.Adopt(row, 1, "", build, ledgerChain.String(), time.Now())
	})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 1000 {
		all.Go(func() {
			r := []*racer{a, b}[i%2]
			o, err := r.service.Handoff(ctx, s.ID, s.Revision, s.Commitment)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				got++
				if sui.Commitment(o.Bytes.Digest()) != s.Commitment {
					t.Error("other bytes were handed out")
				}
				return
			}
			refused[fault.As(err).Code]++
		})
	}
	all.Wait()
	t.Run("ST-02 of 1000 at once over two stores exactly one gets it", func(t *testing.T) {
		if got != 1 || refused[fault.HandoffUnavailable] != 999 {
			t.Errorf("%d got it, refused %v", got, refused)
		}
		if s, err := two.Review(ctx, "many"); err != nil || len(s.Releases) != 1 {
			t.Errorf("%v, %d releases", err, len(s.Releases))
		}
	})
}

// fatal kills its own process at one point, as a power cut does.
type fatal struct {
	record.Store
	node.Executor
	at string
}

func cut() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		os.Exit(3)
	}
	select {}
}

func (f fatal) Release(ctx context.Context, id record.ID, law func(*record.Row) (record.Release, error)) (record.Row,
	error) {
	row, err := f.Store.Release(ctx, id, law)
	if err == nil && f.at == "released" {
		cut()
	}
	return row, err
}

func (f fatal) Execute(ctx context.Context, b, signature []byte) (sui.Executed, error) {
	if f.at == "signed" {
		cut()
	}
	e, err := f.Executor.Execute(ctx, b, signature)
	if f.at == "submitted" && err == nil {
		cut()
	}
	return e, err
}

func (f fatal) Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error) {
	e, ok, err := f.Executor.Transaction(ctx, d)
	if f.at == "submitted" { // or the watch could settle before Execute has returned
		return sui.Executed{}, false, err
	}
	if ok && f.at == "effects" {
		cut()
	}
	return e, ok, err
}

// die takes the last steps of a process that is killed at one point of them.
func (o order) die(ctx context.Context, db *store.DB, hub *events.Hub, node *rpc.Client) error {
	f := fatal{Store: db, Executor: node, at: o.Role}
	s, err := db.Review(ctx, o.ID)
	if err != nil {
		return err
	}
	service := review.New(review.Config{
		Store: f, Nodes: review.Nodes{Chain: node, Simulator: node, Executor: f, Pace: modelPace}, Hub: hub, Now: time.Now,
		Network: s.Network,
		Active: func(context.Context) (record.Account, bool, error) {
			return record.Account{Address: s.Account}, true, nil
		},
		Compare: lawsAlone,
	})
	defer service.Close()
	go func() { _ = service.Run(ctx) }()
	if o.Nonce == "" {
		out, err := service.Handoff(ctx, o.ID, o.Revision, o.Shown, o.Accepted...)
		if err != nil {
			return err
		}
		fmt.Println(out.Nonce)
		fmt.Println(base64.StdEncoding.EncodeToString(out.Bytes.Bytes()))
		cut() // "nonce": all has left, nothing more was heard
	}
	if _, err := service.Signed(ctx, o.ID, o.Nonce, o.Bytes, o.Signed); err != nil {
		return err
	}
	time.Sleep(20 * time.Second)
	return fault.New(fault.InternalError, "The point %s was never reached.", strconv.Quote(o.Role))
}
