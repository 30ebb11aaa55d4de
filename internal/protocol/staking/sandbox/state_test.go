package sandbox

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
)

// TestStateIsTheStructOfTheChain decodes the state field by field, as declared on chain, to the last
// byte.
func TestStateIsTheStructOfTheChain(t *testing.T) {
	s := newState()
	r := bcs.NewReader(s.Contents())
	table := func() uint64 { r.Address(); return r.U64() }
	numbers := func(n int) (sum uint64) {
		for range n {
			sum += r.U64()
		}
		return sum
	}
	if id, key := r.Address(), r.U64(); id != innerID || key != 2 {
		t.Errorf("the field is %s, its key %d", id, key)
	}
	if epoch := r.U64(); epoch != s.epoch {
		t.Errorf("epoch %d", epoch)
	}
	numbers(2)
	total, power, staked := r.U64(), uint64(0), uint64(0)
	r.Each(func() {
		r.Address()
		for range 4 {
			_ = r.Text()
		}
		for range 8 {
			_ = r.Text() // name, description, URLs and network addresses
		}
		for range 8 {
			if r.Option() {
				t.Error("something changes with the next epoch")
			}
		}
		table()
		power += r.U64()
		r.Address()
		r.U64()
		r.Address()
		if !r.Option() || r.U64() != s.epoch-history || r.Option() {
			t.Error("the pool is not active")
		}
		staked += r.U64()
		numbers(2)
		if size := table(); size != history+1 {
			t.Errorf("%d rates", size)
		}
		numbers(3)
		table()
		numbers(4)
		table()
	})
	if total != staked || power != 10_000 {
		t.Errorf("a total of %d for %d, a power of %d", total, staked, power)
	}
	table()
	r.Each(func() { r.U64() })
	for range 3 {
		table()
	}
	r.Each(func() { r.Address(); r.U64() })
	table()
	numbers(10) // storage fund and parameters
	table()
	numbers(1)
	r.Each(func() { t.Error("a validator was reported") })
	numbers(4)
	r.U16()
	table()
	if r.U8() != 0 {
		t.Error("safe mode")
	}
	if numbers(4); r.U64() != s.startMs {
		t.Error("another start of the epoch")
	}
	table()
	if err := r.End(); err != nil {
		t.Error(err)
	}
}
