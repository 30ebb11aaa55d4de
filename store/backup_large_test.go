package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/plan"
)

// many writes the text of a copy with so many rows: reviews, coins, journal.
func many(out io.Writer, at time.Time, rows int) {
	stamp := at.Format(time.RFC3339Nano)
	reviews, coins := rows/100, rows/25
	journal := rows - reviews - coins
	fmt.Fprintf(out, `{"format":"say-ur-intent.local-data","version":1,"network":"sui:sandbox","createdAt":%q,`+
		`"settings":{"allowance":{}},"activeAccount":null,"accounts":[],"identities":[],"reviews":[`, stamp)
	list := func(n int, row func(i int)) {
		for i := range n {
			if i > 0 {
				_, _ = io.WriteString(out, ",")
			}
			row(i)
		}
	}
	list(reviews, func(i int) {
		fmt.Fprintf(out, `{"id":"AbCdEfGhIjKlMnOpQrSt%06d","network":"sui:sandbox","account":"0x%064x","protocol":"deep","action":"swap",`+
			`"intent":{"type":"swap","from":{"symbol":"SUI","amount":"1"},"to":{"symbol":"USDC"},"maxSlippageBps":100},"status":"expired","revision":3,`+
			`"state":{"checks":[{"id":"a","label":"b","status":"pass","message":"c","source":"wallet"}]},"createdAt":%[3]q,"updatedAt":%[3]q,"expiresAt":%[3]q}`, i, 7, stamp)
	})
	_, _ = io.WriteString(out, `],"coins":[`)
	list(coins, func(i int) {
		fmt.Fprintf(out, `{"chain":%q,"coinType":"0x%064x::coin::COIN","found":true,"decimals":9,"symbol":"C","name":"Coin","checkedAt":%q}`, chain, i+1, stamp)
	})
	_, _ = io.WriteString(out, `],"journal":[`)
	list(journal, func(i int) {
		fmt.Fprintf(out, `{"kind":"review","subject":"AbCdEfGhIjKlMnOpQrSt%06d","from":"wallet_connected","to":"ready_for_wallet_review","revision":%d,"what":"computed","at":%q}`,
			i%reviews, i, stamp)
	})
	fmt.Fprintf(out, `],"rows":%d}`, rows)
}

// pack packs what write writes as this program packs a copy.
func pack(write func(io.Writer)) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	write(z)
	_ = z.Close()
	return b.Bytes()
}

// heaviest returns by how many MiB what is held grew at most while f ran: what the
// collector found in use, so that a slow collector is no fault of f.
func heaviest(f func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC() // twice: what pools keep is let go at the second
	runtime.GC()
	before := held()
	end, most := make(chan struct{}), make(chan uint64)
	go func() {
		var top uint64
		for {
			select {
			case <-end:
				most <- top
				return
			case <-time.After(5 * time.Millisecond):
				top = max(top, held())
			}
		}
	}()
	f()
	close(end)
	return float64(int64(<-most)-int64(before)) / (1 << 20)
}

// held is how many bytes the last collection found in use.
func held() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// A large store goes out and comes back whole, with little of it held at a time.
func TestLargeCopy(t *testing.T) {
	long.Skip(t, "it makes a copy of the largest size")
	if raceEvery > 1 {
		t.Skip("100,000 rows in one goroutine take minutes with the race detector; it is tested without")
	}
	const rows, mostHeap = 100_000, 32.0
	from := &lived{t: t, ctx: context.Background(), dir: filepath.Join(double.Dir(t), "data"), c: newClock()}
	from.db = open(t, from.dir, nil, from.c.Now)
	from.svc = exchange(from.db, from.c)
	file := pack(func(w io.Writer) { many(w, from.c.Now(), rows) })
	t.Run("R004-467 what is held does not grow with the copy", func(t *testing.T) {
		if grew := heaviest(func() {
			if err := from.put(file, all); err != nil {
				t.Fatal(err)
			}
		}); grew > mostHeap {
			t.Errorf("putting %d rows in held %.0f MiB", rows, grew)
		} else {
			t.Logf("putting %d rows in held %.1f MiB", rows, grew)
		}
	})
	var packed []byte
	t.Run("R004-466 a store of 100,000 rows gives a copy that can be put in", func(t *testing.T) {
		if says := must[string](t)(from.svc.Weigh(from.ctx)); says != "" {
			t.Error(says)
		}
		if packed = packedCopy(t, from.svc); len(packed) > backup.MostImport || len(unpack(t, packed)) < backup.MostImport {
			t.Errorf("%d bytes", len(packed))
		}
	})
	t.Run("R004-467 the rows come back equal", func(t *testing.T) {
		to := life(t)
		if err := to.put(packed, all); err != nil {
			t.Fatal(err)
		}
		want, got := readParts(t, packed), readParts(t, packedCopy(t, to.svc))
		if !reflect.DeepEqual(want.reviews, got.reviews) || !reflect.DeepEqual(want.coins, got.coins) || len(want.reviews) != rows/100 {
			t.Error("reviews or coins differ")
		}
		// Before them stands that a copy came in, after them the same of each review.
		n, marks := len(want.journal), len(want.reviews)
		if first := len(got.journal) - marks - n; first < 1 || first > 3 || !reflect.DeepEqual(want.journal, got.journal[first:first+n]) {
			t.Errorf("the journal has %d rows, and had %d", len(got.journal), n)
		}
	})
}

// What could not be put in again says so before it is taken.
func TestWeigh(t *testing.T) {
	t.Run("R004-466 a copy of sound data can be put in", func(t *testing.T) {
		if says := must[string](t)(life(t).svc.Weigh(context.Background())); says != "" {
			t.Error(says)
		}
	})
	t.Run("more packed bytes than are taken", func(t *testing.T) {
		long.Skip(t, "it packs 16 MB")
		h := life(t)
		// Texts that do not pack: every row has 40 KB of its own.
		noise := &dice{7}
		for i := range 400 {
			s := proposed(fmt.Sprintf("n%d", i), h.c)
			s.State.Checks = []plan.Check{plan.Pass("wallet", "noise", "Noise", noise.text(40<<10))}
			if err := h.db.CreateReview(h.ctx, s); err != nil {
				t.Fatal(err)
			}
		}
		says := must[string](t)(h.svc.Weigh(h.ctx))
		if !strings.Contains(says, "at most 8 MiB") || strings.Contains(says, "Nothing was changed") {
			t.Errorf("it says %q", says)
		}
		if err := h.put(packedCopy(t, h.svc), all); err == nil {
			t.Error("it was put in all the same")
		}
	})
	t.Run("a row that would be refused", func(t *testing.T) {
		h := life(t)
		s := proposed("far", h.c)
		s.CreatedAt = h.c.Now().Add(48 * time.Hour)
		if err := h.db.CreateReview(h.ctx, s); err != nil {
			t.Fatal(err)
		}
		if says := must[string](t)(h.svc.Weigh(h.ctx)); !strings.Contains(says, "far") || !strings.Contains(says, "not be put in again") {
			t.Errorf("it says %q", says)
		}
	})
}

// dice makes text that does not pack.
type dice struct{ state uint64 }

func (d *dice) text(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	b := make([]byte, n)
	for i := range b {
		d.state ^= d.state << 13
		d.state ^= d.state >> 7
		d.state ^= d.state << 17
		b[i] = letters[d.state%64]
	}
	return string(b)
}

// BenchmarkImport puts 100,000 rows in: reviews, coins and journal.
func BenchmarkImport(b *testing.B) {
	file := pack(func(w io.Writer) { many(w, newClock().Now(), 100_000) })
	for b.Loop() {
		db, c := fresh(b)
		s := exchange(db, c)
		p, err := s.Stage(context.Background(), settingsPage, bytes.NewReader(file))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Import(context.Background(), settingsPage, backup.Choice{ID: p.ID, Accounts: true}); err != nil {
			b.Fatal(err)
		}
	}
}
