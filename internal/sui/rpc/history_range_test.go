package rpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestCheckpointAt compares the search with a scan of every checkpoint. Some checkpoints have equal
// times.
func TestCheckpointAt(t *testing.T) {
	long.Skip(t, "it searches long chains")
	e := newEra(t, sandbox.Config{})
	ctx := context.Background()
	var times []time.Time
	note := func() {
		t.Helper()
		r, err := e.Range(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for uint64(len(times)) <= r.Last.Number {
			times = append(times, e.now())
		}
	}
	note()
	for i := range 150 {
		e.pass(time.Duration(i%4) * 700 * time.Millisecond)
		if err := e.chain.Endow(payee); err != nil {
			t.Fatal(err)
		}
		note()
	}
	start, end := times[0], times[len(times)-1]
	for at := start.Add(-time.Second); !at.After(end.Add(time.Second)); at = at.Add(350 * time.Millisecond) {
		var before, after *uint64
		for i, c := range times {
			if !c.After(at) {
				before = ptr(uint64(i))
			}
			if !c.Before(at) && after == nil {
				after = ptr(uint64(i))
			}
		}
		gotBefore, gotAfter, err := e.CheckpointAt(ctx, at)
		if err != nil {
			t.Fatal(err)
		}
		if said(gotBefore) != said(before) || said(gotAfter) != said(after) {
			t.Errorf("%s: %s and %s, want %s and %s", at.Sub(start), said(gotBefore), said(gotAfter), said(before), said(after))
		}
	}
	t.Run("what a service no longer has is not found in it", func(t *testing.T) {
		e.inject(t, sandbox.Fault{Kind: sandbox.Prune, Number: 40})
		defer e.inject(t, sandbox.Fault{Kind: sandbox.ClearFaults})
		r, err := e.Range(ctx)
		if err != nil || r.First.Number != 40 || !r.First.Time.Equal(times[40]) {
			t.Fatalf("%+v %v", r, err)
		}
		before, after, err := e.CheckpointAt(ctx, times[20])
		if err != nil || before != nil || *after != 40 {
			t.Errorf("%s and %s, %v", said(before), said(after), err)
		}
	})
}

func said(n *uint64) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}

// TestPruned queries a service that has pruned older transactions.
func TestPruned(t *testing.T) {
	e := newEra(t, sandbox.Config{})
	ctx := context.Background()
	var paid []sui.Digest
	for range 4 {
		e.pass(time.Second)
		paid = append(paid, e.pay(t, payee, 5000))
	}
	page, err := e.Transactions(ctx, sui.PastQuery{Affected: &payee, Most: 50})
	if err != nil {
		t.Fatal(err)
	}
	e.inject(t, sandbox.Fault{Kind: sandbox.Prune, Number: *page.Transactions[1].Checkpoint})
	left := e.whole(t, sui.PastQuery{Affected: &payee, Most: 1})
	if len(left) != 2 || left[0][0] != paid[3] || left[1][0] != paid[2] {
		t.Errorf("left are %v", left)
	}
	if _, ok, err := e.Transaction(ctx, paid[0]); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}

// longChain serves a chain of the given length with a checkpoint every quarter of a second, and counts
// requests. bend may change a checkpoint.
func longChain(t *testing.T, length uint64, bend func(number uint64, checkpoint string) string) (*rpc.History, *int) {
	t.Helper()
	asked := 0
	start := time.Date(2023, 5, 3, 0, 0, 0, 0, time.UTC)
	checkpoint := func(n uint64) string {
		at := start.Add(time.Duration(n) * 250 * time.Millisecond).Format("2006-01-02T15:04:05.000Z")
		return bend(n, fmt.Sprintf(`{"sequenceNumber":%d,"timestamp":%q}`, n, at))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		var q struct {
			Query     string
			Variables struct{ Keys []uint64 }
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.Contains(q.Query, "maxMultiGetSize"):
			_, _ = fmt.Fprint(w, `{"data":{"chainIdentifier":"35834a8a","serviceConfig":{"maxMultiGetSize":200}}}`)
		case strings.Contains(q.Query, "availableRange"):
			_, _ = fmt.Fprintf(w,
				`{"data":{"chainIdentifier":"35834a8a","serviceConfig":{"availableRange":{"first":%s,"last":%s}}}}`, checkpoint(0),
				checkpoint(length-1))
		default:
			var list []string
			for _, n := range q.Variables.Keys {
				list = append(list, checkpoint(n))
			}
			_, _ = fmt.Fprintf(w, `{"data":{"chainIdentifier":"35834a8a","multiGetCheckpoints":[%s]}}`, strings.Join(list, ","))
		}
	}))
	t.Cleanup(s.Close)
	h, err := rpc.NewHistory(rpc.Config{URL: s.URL, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h, &asked
}

func TestCheckpointAtOnALongChain(t *testing.T) {
	const length = 280_000_000
	ctx := context.Background()
	at := time.Date(2023, 5, 3, 0, 0, 0, 0, time.UTC).Add(123_456_789 * 250 * time.Millisecond)
	straight := func(_ uint64, c string) string { return c }
	t.Run("few questions", func(t *testing.T) {
		h, asked := longChain(t, length, straight)
		before, after, err := h.CheckpointAt(ctx, at)
		if err != nil || *before != 123_456_789 || *after != *before {
			t.Errorf("%s and %s, %v", said(before), said(after), err)
		}
		if *asked > 16 {
			t.Errorf("%d questions", *asked)
		}
		before, after, err = h.CheckpointAt(ctx, at.Add(time.Millisecond))
		if err != nil || *before != 123_456_789 || *after != *before+1 {
			t.Errorf("%s and %s, %v", said(before), said(after), err)
		}
	})
	for name, bend := range map[string]func(uint64, string) string{
		"a checkpoint that is not there": func(n uint64, c string) string {
			if n > 0 && n < length-1 {
				return "null"
			}
			return c
		},
		"a different checkpoint than requested": func(n uint64, c string) string {
			if n > 0 && n < length-1 {
				return strings.Replace(c, `:`, `:1`, 1)
			}
			return c
		},
		"a time that falls": func(n uint64, c string) string {
			if n > 50_000_000 && n < length-1 {
				return fmt.Sprintf(`{"sequenceNumber":%d,"timestamp":"2022-01-01T00:00:00Z"}`, n)
			}
			return c
		},
		"no time": func(n uint64, c string) string {
			if n > 0 && n < length-1 {
				return fmt.Sprintf(`{"sequenceNumber":%d,"timestamp":null}`, n)
			}
			return c
		},
		"an end before the beginning": func(n uint64, c string) string {
			if n == 0 {
				return strings.Replace(c, `"2023`, `"2099`, 1)
			}
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := longChain(t, length, bend)
			if _, _, err := h.CheckpointAt(ctx, at.Add(time.Millisecond)); !fault.Is(err, fault.ProviderMismatch) {
				t.Error(err)
			}
		})
	}
}
