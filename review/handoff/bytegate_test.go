package handoff_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/handoff"
)

// vectorBytes returns the transactions that other programs wrote.
func vectorBytes(t *testing.T) [][]byte {
	t.Helper()
	b, err := os.ReadFile("../../internal/sui/testdata/transactions.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Vectors []struct{ TxBytesBase64 string }
	}
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	seen := map[string]bool{}
	for _, v := range f.Vectors {
		raw, err := base64.StdEncoding.DecodeString(v.TxBytesBase64)
		if err != nil {
			t.Fatal(err)
		}
		if !seen[v.TxBytesBase64] {
			out = append(out, raw)
		}
		seen[v.TxBytesBase64] = true
	}
	if len(out) < 30 {
		t.Fatalf("only %d vectors", len(out))
	}
	return out
}

// randomBuild writes a swap as the adapter builds it, of random values: any
// pinned pool, either direction, coins merged or not, with and without DEEP.
func randomBuild(t *testing.T, r *rand.Rand) []byte {
	t.Helper()
	ref := func() (o sui.ObjectRef) {
		for i := range o.ID {
			o.ID[i], o.Digest[i] = byte(r.Uint32()), byte(r.Uint32())
		}
		o.Version = uint64(r.Uint32())
		return o
	}
	refs := func(n int) (list []sui.ObjectRef) {
		for range n {
			list = append(list, ref())
		}
		return list
	}
	pools := registry.Pools()
	pool := pools[r.IntN(len(pools))]
	account := ref().ID
	c := swap.Call{Package: registry.Packages()[r.IntN(3)].ID, Pool: pool, SharedVersion: 1 + uint64(r.Uint32()),
		MinOut: sui.Raw(r.Uint64())}
	if c.Direction = registry.BaseToQuote; r.IntN(2) == 0 {
		c.Direction = registry.QuoteToBase
	}
	in, _, err := pool.Sides(c.Direction)
	if err != nil {
		t.Fatal(err)
	}
	amount := func(of sui.CoinType) plan.Amount {
		return plan.Asset{Symbol: "X", CoinType: of}.Of(1 + sui.Raw(r.Uint64()>>1))
	}
	leaves, selections := []plan.Amount{amount(in.Type)}, []plan.Selection{{Coin: in.Type, Gas: in.Type == sui.SUI,
		Coins: refs(1 + r.IntN(3))}}
	if r.IntN(2) == 0 && in.Type != coins.DEEP {
		leaves = append(leaves, amount(coins.DEEP))
		selections = append(selections, plan.Selection{Coin: coins.DEEP, Coins: refs(1 + r.IntN(2))})
	}
	kind := testkit.Build(t, account, func(b *plan.Builder) error { return swap.Append(b, c, leaves...) }, selections...)
	tx := sui.Transaction{Inputs: kind.Inputs, Commands: kind.Commands, Sender: account,
		Gas:        sui.Gas{Payment: refs(1), Owner: account, Price: uint64(r.IntN(5000)), Budget: uint64(r.Uint32())},
		Expiration: sui.EpochExpiration{Epoch: uint64(r.IntN(2000))}}
	raw, err := tx.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

var gateTime = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// refusals hands off a reviewed transaction whose stored bytes have one bit changed, are truncated
// or extended. It counts handoffs that were not refused for that reason.
func refusals(raw []byte) (tried, passed int) {
	digest := sui.TransactionDigest(raw)
	try := func(b []byte) {
		tried++
		if _, err := handoff.Hand(digest, b, gateTime); !fault.Is(err, fault.HandoffCommitmentMismatch) {
			passed++
		}
	}
	b := bytes.Clone(raw)
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			try(b)
			b[i] ^= 1 << bit
		}
	}
	for n := range raw {
		try(raw[:n])
	}
	for _, tail := range [][]byte{{0}, {1}, {0xff}, {0, 0}, raw[:1], raw} {
		try(append(bytes.Clone(raw), tail...))
	}
	return tried, passed
}

// gate runs refusals over a corpus on every processor. The bytes themselves must
// pass, or nothing would be proved.
func gate(t *testing.T, corpus [][]byte) {
	t.Helper()
	var next, tried atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(corpus) {
					return
				}
				raw := corpus[i]
				if d, err := handoff.Hand(sui.TransactionDigest(raw), raw, gateTime); err != nil ||
					d != sui.TransactionDigest(raw) {
					t.Errorf("transaction %d itself is refused: %v", i, err)
				}
				n, passed := refusals(raw)
				tried.Add(int64(n))
				if passed > 0 {
					t.Errorf("transaction %d: %d of %d changed ones are handed out", i, passed, n)
				}
			}
		})
	}
	all.Wait()
	if tried.Load() < int64(len(corpus))*1000 {
		t.Errorf("only %d changes were tried", tried.Load())
	}
}

// gateTransactions is the number of transactions that TestByteGate tries.
const gateTransactions = 50

func TestByteGate(t *testing.T) {
	long.Skip(t, "it changes every bit of many transactions")
	corpus := vectorBytes(t)
	r := rand.New(rand.NewPCG(20260501, 2))
	for len(corpus) < gateTransactions {
		corpus = append(corpus, randomBuild(t, r))
	}
	t.Run("R004-399 no changed bit, cut or extension passes the handoff", func(t *testing.T) { gate(t, corpus) })
	t.Run("R004-399 nor does another whole transaction", func(t *testing.T) {
		for i := range corpus {
			shown := sui.TransactionDigest(corpus[i])
			if _, err := handoff.Hand(shown, corpus[(i+1)%len(corpus)], gateTime); !fault.Is(err,
				fault.HandoffCommitmentMismatch) {
				t.Errorf("transaction %d: %v", i, err)
			}
		}
	})
}
