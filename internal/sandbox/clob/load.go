package clob

import (
	"encoding/json"
	"io"
	"math/bits"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// never is the smallest expiry that means "does not expire". Wallets and SDKs use it or the largest
// 64-bit number.
const never uint64 = 1844674407370955161

// Limits for a file of recorded books and for one side of a book.
const (
	maxBooks  = 64 << 20
	maxOrders = 100_000
)

// firstSharedVersion is the initial shared version of the first pool for which the table has none.
const firstSharedVersion uint64 = 700_000_001

type recordedBooks struct {
	Books map[string]recordedBook `json:"books"`
}

type recordedBook struct {
	Pool          sui.ObjectID `json:"pool"`
	TimestampMs   uint64       `json:"timestampMs"`
	Tick          sui.Raw      `json:"tickSize"`
	Lot           sui.Raw      `json:"lotSize"`
	Min           sui.Raw      `json:"minSize"`
	TakerFee      sui.Raw      `json:"takerFee"`
	MakerFee      sui.Raw      `json:"makerFee"`
	StakeRequired sui.Raw      `json:"stakeRequired"`
	Whitelisted   bool         `json:"whitelisted"`
	Stable        bool         `json:"stable"`
	DeepPrice     *struct {
		AssetIsBase bool    `json:"assetIsBase"`
		PerAsset    sui.Raw `json:"deepPerAsset"`
	} `json:"deepPrice"`
	Asks []recordedOrder `json:"asks"`
	Bids []recordedOrder `json:"bids"`
}

type recordedOrder struct {
	ID       string  `json:"order_id"`
	Quantity sui.Raw `json:"quantity"`
	Filled   sui.Raw `json:"filled_quantity"`
	Expire   sui.Raw `json:"expire_timestamp"`
}

// Load reads recorded books: a JSON object whose "books" hold pool id, time, parameters and orders as
// stored on chain. Order times are shifted by the time since the recording, so nothing is stale, but
// times that mean "never" stay. It returns fault.InputInvalid for a pool outside the registry or an
// invalid order. The pools are in registry order.
func Load(books io.Reader, now time.Time) ([]*Pool, error) {
	b, err := io.ReadAll(io.LimitReader(books, maxBooks+1))
	if err != nil {
		return nil, fault.Wrap(err, fault.InputInvalid, "The file of recorded books cannot be read.")
	}
	if len(b) > maxBooks {
		return nil, fault.New(fault.TooLarge, "The file of recorded books is larger than %d MiB.", maxBooks>>20)
	}
	var file recordedBooks
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, fault.Wrap(err, fault.InputInvalid, "The file of recorded books is not JSON of the expected shape.")
	}
	recorded := map[sui.ObjectID]*Pool{}
	for name, book := range file.Books {
		p, err := book.pool(uint64(max(0, now.UnixMilli())))
		if err != nil {
			return nil, fault.Wrap(err, fault.InputInvalid, "The recorded book %q is unusable: %s", name, fault.As(err).Text)
		}
		if recorded[p.ID] != nil {
			return nil, fault.New(fault.InputInvalid, "The pool %s is recorded twice.", p.Key)
		}
		recorded[p.ID] = p
	}
	pools := []*Pool{}
	for _, r := range registry.Pools() {
		if p := recorded[r.ID]; p != nil {
			pools = append(pools, p)
		}
	}
	return pools, nil
}

func (r recordedBook) pool(nowMs uint64) (*Pool, error) {
	pinned, ok := registry.PoolByID(r.Pool)
	if !ok {
		return nil, fault.New(fault.InputInvalid, "Pool %s is not in the pinned registry.", r.Pool)
	}
	if r.Tick == 0 || r.Lot == 0 || r.Min == 0 {
		return nil, fault.New(fault.InputInvalid, "Tick, lot and minimum size must be positive.")
	}
	if r.TakerFee >= sui.Raw(scaling) || r.MakerFee >= sui.Raw(scaling) {
		return nil, fault.New(fault.InputInvalid, "A fee must be a part of 10^9.")
	}
	p := shell(pinned)
	p.Tick, p.Lot, p.Min = uint64(r.Tick), uint64(r.Lot), uint64(r.Min)
	p.TakerFee, p.MakerFee, p.StakeRequired = uint64(r.TakerFee), uint64(r.MakerFee), uint64(r.StakeRequired)
	p.Whitelisted, p.Stable = r.Whitelisted, r.Stable
	if r.DeepPrice != nil {
		p.DeepPrice = &DeepPrice{r.DeepPrice.AssetIsBase, uint64(r.DeepPrice.PerAsset)}
	}
	var err error
	if p.Asks, err = orders(r.Asks, false, r.TimestampMs, nowMs); err != nil {
		return nil, err
	}
	if p.Bids, err = orders(r.Bids, true, r.TimestampMs, nowMs); err != nil {
		return nil, err
	}
	p.Sort()
	return p, nil
}

// shell returns a registered pool without parameters and orders.
func shell(pinned registry.Pool) *Pool {
	version := pinned.InitialSharedVersion
	if version == 0 {
		version = firstSharedVersion + uint64(pinned.ID[0])
	}
	return &Pool{Key: pinned.Key, ID: pinned.ID, Base: pinned.Base, Quote: pinned.Quote, InitialSharedVersion: version}
}

func orders(recorded []recordedOrder, isBid bool, recordedMs, nowMs uint64) ([]Order, error) {
	if len(recorded) > maxOrders {
		return nil, fault.New(fault.TooLarge, "One side of a book has at most %d orders.", maxOrders)
	}
	side := make([]Order, 0, len(recorded))
	seen := map[OrderID]bool{}
	for _, r := range recorded {
		id, err := ParseOrderID(r.ID)
		if err != nil {
			return nil, err
		}
		if id.IsBid() != isBid || id.Price() == 0 || r.Filled >= r.Quantity || seen[id] {
			return nil, fault.New(fault.InputInvalid, "Order %s is on the wrong side, has no price, is filled, or appears "+
				"twice.",
				r.ID)
		}
		seen[id] = true
		side = append(side, Order{id, uint64(r.Quantity), uint64(r.Filled), shifted(uint64(r.Expire), recordedMs, nowMs)})
	}
	return side, nil
}

// shifted moves an expiry by the time between the recording and now.
func shifted(expire, recordedMs, nowMs uint64) uint64 {
	if expire >= never {
		return expire
	}
	if nowMs < recordedMs {
		return expire - min(expire, recordedMs-nowMs)
	}
	sum, carry := bits.Add64(expire, nowMs-recordedMs, 0)
	if carry != 0 {
		return ^uint64(0)
	}
	return sum
}

// Complete adds a generated book for every registered pool that is not in recorded. The pools are
// in registry order.
func Complete(recorded []*Pool, seed int64, now time.Time) []*Pool {
	have := map[sui.ObjectID]*Pool{}
	for _, p := range recorded {
		have[p.ID] = p
	}
	pools := Generate(seed, now)
	for i, p := range pools {
		if r := have[p.ID]; r != nil {
			pools[i] = r
		}
	}
	return pools
}
