package prover_test

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
	"github.com/sayurintent/sayurintent/internal/sui/prover"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// `make lies` tries more.
var lies = flag.Int("lies", 500, "in how many ways a node lies about proofs")

// liar is a node that records honest answers and falsifies them. A seed decides which answers and which
// parts it changes, and how.
type liar struct {
	chain       sui.Digest
	epoch       sui.Epoch
	ends        map[uint64]uint64
	checkpoints map[uint64]rpc.CertifiedCheckpoint
	transaction map[sui.Digest]rpc.TransactionBytes

	rand  *rand.Rand
	often float64 // fraction of answers to change
}

func (l *liar) lying() bool { return l.rand.Float64() < l.often }

func (l *liar) ChainIdentifier(context.Context) (sui.Digest, error) { return l.chain, nil }
func (l *liar) Epoch(context.Context) (sui.Epoch, error)            { return l.epoch, nil }

func (l *liar) EpochEnd(_ context.Context, epoch uint64) (uint64, bool, error) {
	number, ended := l.ends[epoch]
	if l.lying() {
		return l.number(number), l.rand.IntN(4) > 0, nil
	}
	return number, ended, nil
}

func (l *liar) CertifiedCheckpoint(_ context.Context, number uint64, _ bool) (rpc.CertifiedCheckpoint, bool, error) {
	if l.lying() && l.rand.IntN(3) == 0 {
		number = l.number(number)
	}
	w, found := l.checkpoints[number]
	if !found {
		return w, false, nil
	}
	other := l.other()
	for _, part := range []struct{ to, other *[]byte }{
		{&w.Summary, &other.Summary}, {&w.Contents, &other.Contents}, {&w.Signature, &other.Signature},
		{&w.Bitmap, &other.Bitmap},
	} {
		if l.lying() {
			*part.to = l.bytes(*part.to, *part.other)
		}
	}
	if l.lying() {
		w.Epoch = l.number(w.Epoch)
	}
	return w, true, nil
}

func (l *liar) TransactionBytes(_ context.Context, digest sui.Digest) (rpc.TransactionBytes, bool, error) {
	w, found := l.transaction[digest]
	var other rpc.TransactionBytes
	for d, t := range l.transaction {
		if d != digest {
			other = t
		}
	}
	if l.lying() {
		w.Effects = l.bytes(w.Effects, other.Effects)
	}
	if l.lying() {
		w.Events = l.bytes(w.Events, other.Events)
	}
	if l.lying() {
		number := l.number(*w.Checkpoint)
		w.Checkpoint = &number
	}
	return w, found, nil
}

func (l *liar) VersionBytes(context.Context, []sui.ObjectRef) ([][]byte, error) { return nil, nil }

func (l *liar) other() (w rpc.CertifiedCheckpoint) {
	numbers := make([]uint64, 0, len(l.checkpoints))
	for n := range l.checkpoints {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return l.checkpoints[numbers[l.rand.IntN(len(numbers))]]
}

func (l *liar) number(n uint64) uint64 {
	return []uint64{n + 1, n - 1, 0, math.MaxUint64, n + uint64(l.rand.IntN(8)), n ^ 1<<l.rand.IntN(64)}[l.rand.IntN(6)]
}

// bytes changes bytes in one of eight ways, or replaces them with another answer's.
func (l *liar) bytes(b, other []byte) []byte {
	out := slices.Clone(b)
	if len(out) == 0 {
		return other
	}
	at := l.rand.IntN(len(out))
	switch l.rand.IntN(9) {
	case 0:
		out[at] ^= 1 << l.rand.IntN(8)
	case 1:
		out[at] = byte(l.rand.Uint32())
	case 2:
		out = out[:at]
	case 3:
		out = append(out, byte(l.rand.Uint32()))
	case 4:
		clear(out[at:min(at+32, len(out))])
	case 5:
		out = slices.Insert(out, at, out[at])
	case 6:
		to := l.rand.IntN(len(out))
		copy(out[to:], b[at:min(at+32, len(b))])
	case 7:
		out = nil
	default:
		out = other
	}
	return out
}

// serial sends one request at a time, so that the liar's random numbers are reproducible.
type serial struct {
	l  *liar
	mu *sync.Mutex
}

func (s serial) ChainIdentifier(ctx context.Context) (sui.Digest, error) {
	return s.l.ChainIdentifier(ctx)
}
func (s serial) Epoch(ctx context.Context) (sui.Epoch, error) { return s.l.Epoch(ctx) }

func (s serial) VersionBytes(ctx context.Context, refs []sui.ObjectRef) ([][]byte, error) {
	return s.l.VersionBytes(ctx, refs)
}

func (s serial) CertifiedCheckpoint(ctx context.Context, number uint64, contents bool) (rpc.CertifiedCheckpoint, bool,
	error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.l.CertifiedCheckpoint(ctx, number, contents)
}

func (s serial) EpochEnd(ctx context.Context, epoch uint64) (uint64, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.l.EpochEnd(ctx, epoch)
}

func (s serial) TransactionBytes(ctx context.Context, d sui.Digest) (rpc.TransactionBytes, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.l.TransactionBytes(ctx, d)
}

// remembered returns a liar that has recorded honest answers about payments in three epochs, and the
// payments.
func remembered(t *testing.T) (*liar, []sui.Digest) {
	t.Helper()
	ctx := context.Background()
	w := newWorld(t)
	l := &liar{ends: map[uint64]uint64{}, checkpoints: map[uint64]rpc.CertifiedCheckpoint{},
		transaction: map[sui.Digest]rpc.TransactionBytes{}}
	var digests []sui.Digest
	for range 3 {
		digests = append(digests, w.pay(t))
		w.AdvanceEpoch()
	}
	digests = append(digests, w.pay(t))
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	l.chain, err = w.client.ChainIdentifier(ctx)
	must(err)
	l.epoch, err = w.client.Epoch(ctx)
	must(err)
	for e := range l.epoch.Number {
		if number, ended, err := w.client.EpochEnd(ctx, e); err == nil && ended {
			l.ends[e] = number
		}
	}
	for number := uint64(0); ; number++ {
		c, found, err := w.client.CertifiedCheckpoint(ctx, number, true)
		must(err)
		if !found {
			break
		}
		l.checkpoints[number] = c
	}
	for _, d := range digests {
		tx, _, err := w.client.TransactionBytes(ctx, d)
		must(err)
		l.transaction[d] = tx
	}
	return l, digests
}

// Whatever a node answers, only data that validators signed counts as proved.
func TestLyingNode(t *testing.T) {
	long.Skip(t, "it follows the validators of thousands of lying nodes")
	t.Parallel()
	honest, digests := remembered(t)
	honest.rand = rand.New(rand.NewPCG(1, 1))
	want := map[sui.Digest]*proof.Outcome{}
	prove := func(l *liar, d sui.Digest) (*proof.Outcome, error) {
		c := prover.New(prover.Config{Node: serial{l, &sync.Mutex{}}, Store: &kept{}, Starts: anchored})
		defer c.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		return c.Prove(ctx, d)
	}
	for _, d := range digests {
		o, err := prove(honest, d)
		if err != nil {
			t.Fatal(err)
		}
		want[d] = o
	}
	proved, refused := 0, 0
	for seed := range uint64(*lies) {
		l := *honest
		l.rand = rand.New(rand.NewPCG(seed, 7))
		l.often = []float64{0.05, 0.2, 0.6}[seed%3]
		d := digests[l.rand.IntN(len(digests))]
		o, err := prove(&l, d)
		switch {
		case err != nil && o != nil:
			t.Fatalf("seed %d: %+v beside %v", seed, o, err)
		case err != nil:
			refused++
		case !reflect.DeepEqual(o.Effects, want[d].Effects) || !reflect.DeepEqual(o.Events, want[d].Events) ||
			!o.Time.Equal(want[d].Time) || o.Transaction != d || !reflect.DeepEqual(o.Checkpoint.Summary,
			want[d].Checkpoint.Summary):
			t.Fatalf("seed %d: called proved: %+v, signed: %+v", seed, o, want[d])
		default:
			proved++
		}
	}
	if refused < *lies/2 || proved == 0 {
		t.Errorf("%d refused and %d proved of %d: too few of one kind", refused, proved, *lies)
	}
	t.Logf("%d lying nodes: %d refused, %d proved regardless", *lies, refused, proved)
}
