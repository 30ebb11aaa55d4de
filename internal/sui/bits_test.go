package sui

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// bitSeed makes the random swaps of this file reproducible.
const bitSeed = 20260501

// bitTransactions is the number of transactions that TestEveryBit tries.
const bitTransactions = 50

// randomSwap builds a swap with random values, shaped like those that this program builds: it pays with
// coins or the gas coin, and its DEEP coin is empty or funded.
func randomSwap(r *rand.Rand) *Transaction {
	address := func() (a Address) {
		for i := range a {
			a[i] = byte(r.Uint32())
		}
		return a
	}
	ref := func() ObjectRef { return ObjectRef{ID: address(), Version: r.Uint64() >> 1, Digest: Digest(address())} }
	b := &bitSwap{k: Kind{Inputs: []Input{
		SharedInput{ID: address(), InitialVersion: uint64(r.Uint32()), Mutable: true}, PureU64(r.Uint64()),
		SharedInput{ID: MustAddress("0x6"), InitialVersion: 1}, PureAddress(address()),
	}}}
	source := GasCoin
	if r.IntN(2) == 0 {
		source = b.input(OwnedInput{Ref: ref()})
	}
	b.merge(source, r.IntN(3), ref)
	paid := b.split(source, r.Uint64())
	deep := ResultArg(len(b.k.Commands))
	if r.IntN(2) == 0 {
		b.call(MoveCall{Package: MustAddress("0x2"), Module: "coin", Function: "zero",
			TypeArgs: []TypeTag{MustTypeTag("0xdee9::deep::DEEP")}})
	} else {
		coin := b.input(OwnedInput{Ref: ref()})
		b.merge(coin, r.IntN(2), ref)
		deep = b.split(coin, r.Uint64())
	}
	swap := len(b.k.Commands)
	b.call(MoveCall{Package: address(), Module: "pool", Function: "swap_exact_base_for_quote",
		TypeArgs: []TypeTag{SUI.Tag(), MustTypeTag("0xdba::usdc::USDC")}, Arguments: []Argument{InputArg(0), paid, deep,
			InputArg(1), InputArg(2)}})
	b.k.Commands = append(b.k.Commands, TransferObjects{
		Objects: []Argument{NestedArg(swap, 0), NestedArg(swap, 1), NestedArg(swap, 2)}, Recipient: InputArg(3)})
	sender := address()
	return &Transaction{Inputs: b.k.Inputs, Commands: b.k.Commands, Sender: sender,
		Gas:        Gas{Payment: []ObjectRef{ref()}, Owner: sender, Price: uint64(r.IntN(5000)), Budget: uint64(r.Uint32())},
		Expiration: EpochExpiration{Epoch: uint64(r.IntN(2000))}}
}

// bitSwap builds a Kind.
type bitSwap struct{ k Kind }

func (b *bitSwap) input(in Input) Argument {
	b.k.Inputs = append(b.k.Inputs, in)
	return InputArg(len(b.k.Inputs) - 1)
}

func (b *bitSwap) call(c MoveCall) { b.k.Commands = append(b.k.Commands, c) }

func (b *bitSwap) merge(into Argument, n int, ref func() ObjectRef) {
	var from []Argument
	for range n {
		from = append(from, b.input(OwnedInput{Ref: ref()}))
	}
	if n > 0 {
		b.k.Commands = append(b.k.Commands, MergeCoins{Into: into, Sources: from})
	}
}

func (b *bitSwap) split(coin Argument, amount uint64) Argument {
	at := len(b.k.Commands)
	b.k.Commands = append(b.k.Commands, SplitCoins{Coin: coin, Amounts: []Argument{b.input(PureU64(amount))}})
	return NestedArg(at, 0)
}

// bitCorpus returns realistic transactions: all vectors, then random swaps until there are n.
func bitCorpus(t *testing.T, n int) [][]byte {
	t.Helper()
	var out [][]byte
	for _, v := range transactionVectors(t) {
		out = append(out, unbase64(t, v.TxBytesBase64))
	}
	r := rand.New(rand.NewPCG(bitSeed, 1))
	for len(out) < n {
		raw, err := randomSwap(r).Encode()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, raw)
	}
	return out
}

// flips changes every bit of a transaction, truncates it at every length and extends it, and counts
// the results that still decode. Each of those must be a different transaction: it encodes to its
// own bytes and has its own digest.
func flips(raw []byte) (tried, decoded int, err error) {
	digest := TransactionDigest(raw)
	other := func(b []byte, what string, at int) {
		tried++
		if TransactionDigest(b) == digest {
			err = fmt.Errorf("%s at %d keeps the digest", what, at)
		}
		tx, refused := DecodeTransaction(b)
		if refused != nil {
			return
		}
		decoded++
		again, failed := tx.Encode()
		if failed != nil || !bytes.Equal(again, b) || bytes.Equal(again, raw) {
			err = fmt.Errorf("%s at %d is read as other bytes than it has", what, at)
		}
	}
	b := bytes.Clone(raw)
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			other(b, "a flipped bit", i)
			b[i] ^= 1 << bit
		}
	}
	before := decoded
	for n := range raw {
		other(raw[:n], "a cut", n)
	}
	for _, tail := range [][]byte{{0}, {1}, {0xff}, {0, 0}, raw[:1], raw} {
		other(append(bytes.Clone(raw), tail...), "an extension", len(tail))
	}
	if decoded != before {
		err = errors.New("a transaction that is cut or extended decodes")
	}
	return tried, decoded, err
}

// flipAll runs flips over a corpus in parallel.
func flipAll(t *testing.T, corpus [][]byte) {
	t.Helper()
	var tried, decoded atomic.Int64
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(corpus) {
					return
				}
				a, b, err := flips(corpus[i])
				tried.Add(int64(a))
				decoded.Add(int64(b))
				if err != nil {
					t.Errorf("transaction %d: %v", i, err)
				}
			}
		})
	}
	all.Wait()
	if decoded.Load() == 0 || decoded.Load() == tried.Load() {
		t.Errorf("only %d of %d changes decode, too few to test anything", decoded.Load(), tried.Load())
	}
}

// A changed bit never goes unnoticed: if the result decodes, it is another transaction with another
// digest.
func TestEveryBit(t *testing.T) {
	long.Skip(t, "it decodes a quarter of a million transactions")
	flipAll(t, bitCorpus(t, bitTransactions))
}
