//go:build shared

package clmm

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
)

// TestRealSwaps replays FlowX swaps recorded on mainnet. Each stayed in one range, so the price,
// liquidity and fee rate before it determine the result.
func TestRealSwaps(t *testing.T) {
	data, err := os.ReadFile("../../../../../../shared/data/real-transactions.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Transactions []struct {
			Events []struct{ Type, BCS string }
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	replayed := 0
	for _, tx := range recorded.Transactions {
		for _, e := range tx.Events {
			if e.Type != registry.OriginalPackage.String()+"::pool::Swap" {
				continue
			}
			raw, err := base64.StdEncoding.DecodeString(e.BCS)
			if err != nil || len(raw) != 141 {
				t.Fatalf("%d bytes, %v", len(raw), err)
			}
			replayed++
			replay(t, raw, rates(t)["0x"+hex.EncodeToString(raw[32:64])])
		}
	}
	if replayed < 3 {
		t.Errorf("%d swaps are recorded", replayed)
	}
}

// rates returns the fee rates of the recorded pools by id.
func rates(t *testing.T) map[string]uint64 {
	t.Helper()
	data, err := os.ReadFile("../../../../../../shared/data/flowx-mainnet.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Pools []struct {
			ID  string
			Fee uint64
		}
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	list := map[string]uint64{}
	for _, p := range recorded.Pools {
		list[p.ID] = p.Fee
	}
	return list
}

// replay reads sender, pool, direction, amounts, prices, liquidity, tick, and the fee less the
// protocol's share, which is zero or one in four to ten.
func replay(t *testing.T, raw []byte, rate uint64) {
	t.Helper()
	if rate == 0 {
		t.Fatal("a pool whose fee rate is not recorded")
	}
	xForY := raw[64] == 1
	in, out := binary.LittleEndian.Uint64(raw[65:]), binary.LittleEndian.Uint64(raw[73:])
	if !xForY {
		in, out = out, in
	}
	wide := func(at int) *big.Int {
		b := slices.Clone(raw[at : at+16])
		slices.Reverse(b)
		return new(big.Int).SetBytes(b)
	}
	before, after, liquidity := wide(81), wide(97), wide(113)
	tick, fee := int32(binary.LittleEndian.Uint32(raw[129:])), binary.LittleEndian.Uint64(raw[133:])
	target := MaxSqrtPrice()
	if xForY {
		target = MinSqrtPrice()
	}
	s := stepTo(before, target, liquidity, number(in), rate)
	protocol := s.fee.Uint64() - fee
	shared := protocol == 0
	for part := uint64(4); part <= 10; part++ {
		shared = shared || protocol == s.fee.Uint64()/part
	}
	if s.price.Cmp(after) != 0 || s.out.Cmp(number(out)) != 0 || !shared || TickAt(after) != tick {
		t.Errorf("fee rate %d, in %d: price %s, out %s, fee %s, tick %d; the chain says %s, %d, %d, %d",
			rate, in, s.price, s.out, s.fee, TickAt(after), after, out, fee, tick)
	}
	t.Logf("fee rate %d, in %d, out %d, tick %d", rate, in, out, tick)
}
