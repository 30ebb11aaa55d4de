package store_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/watch"
)

// pack compresses the output of write, as in a backup.
func pack(write func(io.Writer)) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	write(z)
	_ = z.Close()
	return b.Bytes()
}

// heaviest returns the largest growth of live memory while f runs, in MiB. It measures the memory
// found in use by the garbage collector, so a slow collector does not affect it.
func heaviest(f func()) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC() // twice, because pools release their contents at the second collection
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

// held returns the number of bytes that the last collection found in use.
func held() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// fullest returns data with lists of the maximum length, whose titles cannot be compressed.
func fullest(at time.Time) backup.Data {
	d, noise := backup.Data{OwnNames: map[string]string{}}, &dice{7}
	for i := range account.MostKnown {
		a := account.Known{Account: sui.Address{1, byte(i)}, Chain: "sui:localnet", WalletName: noise.text(100),
			WalletID: noise.text(40), FirstConnectedAt: at, LastConnectedAt: at}
		d.Accounts.Known, d.OwnNames[a.Account.String()] = append(d.Accounts.Known, a), noise.text(book.MostTitle)
		for n := range watch.MostCoins {
			d.Watched = append(d.Watched, watch.Coin{Account: a.Account, Type: sui.CoinType(fmt.Sprintf("0x%064x::coin::COIN", n+
				1)), Ticker: noise.text(watch.MostTicker),
				Decimals: 9, Source: watch.Unverified, Logo: "https://coin.example/" + noise.text(200), PriceID: noise.text(64),
				AddedAt: at})
		}
	}
	for i := range book.MostEntries {
		d.Book = append(d.Book, book.Entry{ID: fmt.Sprintf("%08x-0000-4000-8000-%012x", noise.next()>>32, i),
			Title:   noise.text(book.MostTitle),
			Address: "0x" + fmt.Sprintf("%016x%016x%016x%016x", noise.next(), noise.next(), noise.next(), i+1),
			Chain:   book.SuiChain, Source: book.Import, CreatedAt: at})
	}
	return d
}

// Lists of the maximum length can be exported and imported completely.
func TestLargeCopy(t *testing.T) {
	long.Skip(t, "it makes a copy of the largest size")
	from := &lived{t: t, ctx: t.Context(), dir: filepath.Join(double.Dir(t), "data"), c: newClock()}
	from.db = open(t, from.dir, nil, from.c.Now)
	from.svc = exchange(from.db, from.c)
	full := fullest(from.c.Now())
	if err := from.db.Replace(t.Context(), func(backup.Data) (backup.Data, error) { return full, nil }); err != nil {
		t.Fatal(err)
	}
	packed := packedCopy(t, from.svc)
	t.Run("R004-466 the longest lists give a copy that can be put in", func(t *testing.T) {
		if t.Logf("%d bytes packed, %d unpacked", len(packed), len(unpack(t, packed))); len(packed) > backup.MostImport/2 {
			t.Errorf("%d bytes", len(packed))
		}
	})
	t.Run("R004-467 they come back equal", func(t *testing.T) {
		to := life(t)
		const maxHeap = 64.0
		if grew := heaviest(func() {
			if err := to.put(packed, all); err != nil {
				t.Fatal(err)
			}
		}); grew > maxHeap && raceEvery == 1 {
			t.Errorf("putting them in held %.0f MiB", grew)
		} else {
			t.Logf("putting them in held %.1f MiB", grew)
		}
		want, got := read(t, packed), read(t, packedCopy(t, to.svc))
		if want.Settings = got.Settings; !reflect.DeepEqual(want, got) {
			t.Error("the copies differ")
		}
	})
	t.Run("what could not be put in again is not given out", func(t *testing.T) {
		noise := &dice{9}
		for i := range 6000 {
			full.Watched = append(full.Watched, full.Watched[i%50])
			w := &full.Watched[len(full.Watched)-1]
			w.Account, w.Logo = sui.Address{2, byte(i / 50)}, noise.text(watch.MostLogo)
		}
		if err := from.db.Replace(t.Context(), func(backup.Data) (backup.Data, error) { return full, nil }); err != nil {
			t.Fatal(err)
		}
		_, err := from.svc.Export(t.Context())
		wantFault(t, err, fault.TooLarge)
	})
}

// dice generates text that cannot be compressed.
type dice struct{ state uint64 }

func (d *dice) text(n int) string {
	b := make([]rune, n)
	for i := range b {
		b[i] = rune(0x4e00 + d.next()%20_000) // Han characters, which do not occur in keys
	}
	return string(b)
}

func (d *dice) next() uint64 {
	d.state ^= d.state << 13
	d.state ^= d.state >> 7
	d.state ^= d.state << 17
	return d.state
}
