package prover_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/sui/prover"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// kept is a store in memory.
type kept struct {
	mu   sync.Mutex
	list []proof.FileStep
}

func (k *kept) NewestEpochEnd(context.Context, sui.Digest) (proof.FileStep, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.list) == 0 {
		return proof.FileStep{}, false, nil
	}
	return k.list[len(k.list)-1], true, nil
}

func (k *kept) EpochEnds(_ context.Context, _ sui.Digest, from, to uint64) ([]proof.FileStep, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []proof.FileStep
	for _, s := range k.list {
		if s.Epoch >= from && s.Epoch <= to {
			out = append(out, s)
		}
	}
	return out, nil
}

func (k *kept) KeepEpochEnds(_ context.Context, _ sui.Digest, steps []proof.FileStep) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, steps...)
	slices.SortFunc(k.list, func(a, b proof.FileStep) int { return int(a.Epoch) - int(b.Epoch) })
	return nil
}

// anchored returns the anchor of every sandbox.
func anchored(chain sui.Digest) []prover.Start {
	summary := sandbox.BeforeFirst()
	return []prover.Start{{Summary: summary, Anchor: proof.Anchor{Network: "sandbox", Chain: chain,
		Epoch: sandbox.FirstEpoch - 1, Digest: proof.SummaryDigest(summary)}}}
}

// follow returns a Chain that follows the world's chain, starting from the store.
func (w *world) follow(t *testing.T, store prover.Store, edits ...func(*prover.Config)) *prover.Chain {
	c := prover.Config{Node: w.client, Store: store, Starts: anchored}
	for _, edit := range edits {
		edit(&c)
	}
	chain := prover.New(c)
	t.Cleanup(chain.Close)
	return chain
}

// counting counts requested epochs, and can delay each answer.
type counting struct {
	*rpc.Client
	asked, under, most atomic.Int64
	hold               chan struct{} // nil delays nothing
	third              func()        // called when three requests are pending at once; may be nil
}

func (c *counting) EpochEnd(ctx context.Context, epoch uint64) (uint64, bool, error) {
	c.asked.Add(1)
	now := c.under.Add(1)
	if now == 3 && c.third != nil {
		c.third()
	}
	defer c.under.Add(-1)
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}
	if c.hold != nil {
		select {
		case <-c.hold:
		case <-ctx.Done():
			return 0, false, ctx.Err()
		}
	}
	return c.Client.EpochEnd(ctx, epoch)
}

func TestResume(t *testing.T) {
	w := newWorld(t)
	for range 40 {
		w.AdvanceEpoch()
	}
	digest, store := w.pay(t), &kept{}
	first := &counting{Client: w.client}
	w.chain = w.follow(t, store, func(c *prover.Config) { c.Node = first })
	if _, err := w.prove(t, digest); err != nil {
		t.Fatal(err)
	}
	if first.asked.Load() != 40 || first.most.Load() > 8 || len(store.list) != 41 {
		t.Errorf("requested %d, %d at once, stored %d", first.asked.Load(), first.most.Load(), len(store.list))
	}
	w.AdvanceEpoch()
	later := w.pay(t)
	second := &counting{Client: w.client}
	w.chain = w.follow(t, store, func(c *prover.Config) { c.Node = second })
	for _, d := range []sui.Digest{later, digest} {
		if _, err := w.prove(t, d); err != nil {
			t.Fatal(err)
		}
	}
	if second.asked.Load() != 1 {
		t.Errorf("continuing from the store, %d epochs were requested and 1 is new", second.asked.Load())
	}
}

// Callers may stop waiting. Following continues, and does not start twice.
func TestWaitingEndsAndFollowingGoesOn(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.AdvanceEpoch()
	}
	digest := w.pay(t)
	ctx, stop := context.WithCancel(context.Background())
	slow := &counting{Client: w.client, hold: make(chan struct{}), third: stop}
	w.chain = w.follow(t, &kept{}, func(c *prover.Config) { c.Node = slow })
	if _, err := w.chain.Prove(ctx, digest); !errors.Is(err, prover.ErrLater) {
		t.Fatal(err)
	}
	close(slow.hold)
	if _, err := w.prove(t, digest); err != nil || slow.asked.Load() != 3 {
		t.Errorf("%v; %d epochs requested", err, slow.asked.Load())
	}
}

// gone is a node that lacks the last checkpoints of epochs.
type gone struct{ *rpc.Client }

func (gone) EpochEnd(context.Context, uint64) (uint64, bool, error) { return 0, false, nil }

func TestArchive(t *testing.T) {
	w := newWorld(t)
	w.AdvanceEpoch()
	digest := w.pay(t)
	w.chain = w.follow(t, &kept{}, func(c *prover.Config) { c.Node = gone{w.client} })
	if _, err := w.prove(t, digest); proof.ReasonOf(err) != proof.Missing {
		t.Errorf("without an archive: %v", err)
	}
	w.chain = w.follow(t, &kept{}, func(c *prover.Config) { c.Node, c.Archive = gone{w.client}, w.client })
	if _, err := w.prove(t, digest); err != nil {
		t.Error(err)
	}
}

// far reports checkpoints of an epoch that is too far ahead to follow to.
type far struct{ *rpc.Client }

func (f far) CertifiedCheckpoint(ctx context.Context, n uint64, c bool) (rpc.CertifiedCheckpoint, bool, error) {
	w, found, err := f.Client.CertifiedCheckpoint(ctx, n, c)
	w.Epoch += prover.MostSteps + 1
	return w, found, err
}

func TestTooFar(t *testing.T) {
	w := newWorld(t)
	digest, asked := w.pay(t), &counting{Client: w.client}
	w.chain = w.follow(t, &kept{}, func(c *prover.Config) { c.Node = far{w.client}; c.Archive = asked })
	if _, err := w.prove(t, digest); proof.ReasonOf(err) != proof.Missing || asked.asked.Load() != 0 {
		t.Errorf("%v, requested %d", err, asked.asked.Load())
	}
}

func TestOtherChain(t *testing.T) {
	w := newWorld(t)
	digest := w.pay(t)
	w.chain = w.follow(t, &kept{}, func(c *prover.Config) { c.Starts = prover.Shipped })
	if _, err := w.prove(t, digest); proof.ReasonOf(err) != proof.Missing {
		t.Error(err)
	}
}

func TestFile(t *testing.T) {
	w := newWorld(t)
	w.AdvanceEpoch()
	w.AdvanceEpoch()
	digest := w.pay(t)
	f, err := w.chain.File(context.Background(), digest)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if f, err = proof.ReadFile(b); err != nil {
		t.Fatal(err)
	}
	proved, err := f.Verify([]proof.Anchor{anchored(w.Chain())[0].Anchor})
	if err != nil || proved.Transaction != digest || proved.Steps != 2 {
		t.Errorf("%+v, %v", proved, err)
	}
}
