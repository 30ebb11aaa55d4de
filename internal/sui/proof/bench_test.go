package proof

import (
	"runtime"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// BenchmarkCertificate verifies a certificate with 95 of 126 signers.
func BenchmarkCertificate(b *testing.B) {
	w := newWorld(b, 126, 0)
	summary := encode(b, w.summary())
	cert := w.sign(summary, worldEpoch, w.quorum())
	for b.Loop() {
		if _, err := w.committee.Verify(summary, cert); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEpoch advances one epoch with a committee of 126: with all keys but one already
// decompressed, and with none.
func BenchmarkEpoch(b *testing.B) {
	w, later := newWorld(b, 126, 0), newWorld(b, 126, 1)
	last := w.last(b, later.members)
	cert := w.sign(last, worldEpoch, w.quorum())
	b.Run("known keys", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.committee.Next(last, cert); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("new keys", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.committee.Next(last, cert); err != nil {
				b.Fatal(err)
			}
			if _, err := NewCommittee(worldEpoch+1, later.members, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Benchmark500Epochs advances 500 epochs with a committee of 126.
func Benchmark500Epochs(b *testing.B) {
	w := newWorld(b, 126, 0)
	type step struct {
		summary []byte
		cert    Certificate
	}
	steps := make([]step, 500)
	for i := range steps {
		s := w.summary()
		s.Epoch = worldEpoch + uint64(i)
		s.EndOfEpoch = &sui.EndOfEpoch{NextCommittee: w.members}
		summary := encode(b, s)
		steps[i] = step{summary, w.sign(summary, s.Epoch, w.quorum())}
	}
	var chain *Chain
	before := held()
	for b.Loop() {
		chain = &Chain{newest: w.committee}
		for _, s := range steps {
			if err := chain.Advance(s.summary, s.cert); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(max(0, held()-before)/1024, "KiB-kept")
	runtime.KeepAlive(chain)
	runtime.KeepAlive(steps)
}

// held returns the size of the reachable heap in bytes.
func held() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkProof verifies a whole proof among 20,000 transactions.
func BenchmarkProof(b *testing.B) {
	w := newWorld(b, 126, 0)
	claim := w.claim(b, encode(b, worldEffects()), 19_999)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.committee.Prove(claim); err != nil {
			b.Fatal(err)
		}
	}
}
