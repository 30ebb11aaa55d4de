package activity_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account/activity"
)

func BenchmarkScan100(b *testing.B) {
	h := open(b, chainOf(100))
	h.connect(alice)
	for b.Loop() {
		if s, err := h.Scan(context.Background(), whole(activity.Query{})); err != nil || len(s.Rows) != 100 ||
			!s.Kept.Stored {
			b.Fatal(s.Kept, err)
		}
	}
}

// TestScansKeepNothing checks the heap after many scans.
func TestScansKeepNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand scans take a while")
	}
	p := chainOf(20)
	h := open(t, p)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	scan := func(n int) {
		for range n {
			h.scan(activity.Query{})
			p.asked = nil
		}
	}
	scan(50)
	before := heap()
	scan(1000)
	if after := heap(); after > before+2<<20 {
		t.Errorf("%d bytes before, %d after", before, after)
	}
}
