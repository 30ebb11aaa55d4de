package offchain

import (
	"encoding/json"
	"hash/fnv"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// pastDays is the length of the price history, enough for weekly candles.
const pastDays = 100

const (
	minute = int64(60)
	day    = 24 * 60 * minute
	week   = 7 * day
)

// widths returns the seconds of each interval.
var widths = map[string]int64{
	"1m": minute, "5m": 5 * minute, "15m": 15 * minute, "30m": 30 * minute,
	"1h": 60 * minute, "4h": 240 * minute, "1d": day, "1w": week,
}

// tape generates past trades, deterministic for a seed, pool and second. They do not affect the
// books.
type tape struct {
	seed   uint64
	born   int64 // Unix seconds of the first trade
	tracks []track
}

// track is the tape of one pool. Its prices vary around mid.
type track struct {
	pool *clob.Pool
	name uint64
	mid  uint64
}

// newTape takes the ledger's pools, each with its current mid price as the center.
func newTape(seed int64, l *ledger.Ledger) tape {
	now := l.Now()
	t := tape{seed: uint64(seed), born: floor(now.Unix()-pastDays*day, day)}
	for _, o := range l.Objects() {
		p := o.Book
		if p == nil {
			continue
		}
		mid, abort := p.MidPrice(uint64(now.UnixMilli()))
		if abort != nil {
			continue // a recorded book without orders has no price
		}
		name := fnv.New64a()
		_, _ = name.Write([]byte(p.Key))
		t.tracks = append(t.tracks, track{p, name.Sum64(), mid})
	}
	slices.SortFunc(t.tracks, func(a, b track) int { return strings.Compare(a.pool.Key, b.pool.Key) })
	return t
}

// tapeCandle holds the trades of one interval, in raw units.
type tapeCandle struct {
	opens                          int64 // Unix seconds
	open, high, low, close, volume uint64
}

// candles returns the newest limit candles, newest first. As on mainnet, candles longer than a
// minute aggregate the minutes, and those of a day or more the days, that open from start to end,
// inclusive. A start or end inside a candle excludes part of it.
func (t tape) candles(k track, width, start, end int64, limit int, now time.Time) []tapeCandle {
	grain := minute
	if width >= day {
		grain, start, end = day, floor(start, day), floor(end, day)
	}
	start, end = max(start, t.born), min(end, now.Unix())
	if grain == day {
		end += day - 1
	}
	list := []tapeCandle{}
	for at := floor(start+minute-1, minute); at <= end && at <= now.Unix(); at += minute {
		m, traded := t.minute(k, at, now.Unix())
		if !traded {
			continue
		}
		m.opens = bucket(at, width)
		last := len(list) - 1
		if last < 0 || list[last].opens != m.opens {
			list = append(list, m)
			continue
		}
		l := &list[last]
		l.high, l.low, l.close, l.volume = max(l.high, m.high), min(l.low, m.low), m.close, l.volume+m.volume
	}
	slices.Reverse(list)
	return list[:min(limit, len(list))]
}

// minute returns the trades of one minute until now; false means none.
func (t tape) minute(k track, at, now int64) (tapeCandle, bool) {
	count := uint64(at / minute)
	if t.noise(k, 1, count)%6 == 0 || t.noise(k, 2, count/45)%9 == 0 {
		return tapeCandle{}, false // no trades in this minute or quiet period
	}
	var c tapeCandle
	for quarter := range int64(4) {
		second := at + 15*quarter
		if second > now {
			break
		}
		price, lots := t.price(k, second), 1+t.noise(k, 3, uint64(second))%200
		if c.volume == 0 {
			c.open, c.high, c.low = price, price, price
		}
		c.high, c.low, c.close, c.volume = max(c.high, price), min(c.low, price), price, c.volume+lots*k.pool.Lot
	}
	return c, c.volume > 0
}

// price varies by at most 3.5 percent: slowly between points four hours apart, slightly between
// points a quarter of an hour apart, and a little at every trade.
func (t tape) price(k track, at int64) uint64 {
	points := t.between(k, 4, at, 240*minute, 300) + t.between(k, 5, at, 15*minute, 45) +
		int64(t.noise(k, 6, uint64(at))%11) - 5
	hi, lo := bits.Mul64(k.mid, uint64(10_000+points))
	if hi >= 10_000 {
		return k.mid
	}
	price, _ := bits.Div64(hi, lo, 10_000)
	return max(price-price%k.pool.Tick, k.pool.Tick)
}

// between returns a value from -most to most, interpolated between random points that are step
// seconds apart.
func (t tape) between(k track, voice uint64, at, step, most int64) int64 {
	knot := at / step
	a := int64(t.noise(k, voice, uint64(knot))%uint64(2*most+1)) - most
	b := int64(t.noise(k, voice, uint64(knot+1))%uint64(2*most+1)) - most
	return a + (b-a)*(at%step)/step
}

// noise returns a uniform hash of its inputs.
func (t tape) noise(k track, voice, n uint64) uint64 {
	x := t.seed*0x9e3779b97f4a7c15 ^ k.name ^ voice<<56 ^ n*0xd1342543de82ef95
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// bucket returns the opening time of the candle that contains at. Weeks open on Mondays; the Unix
// epoch was a Thursday.
func bucket(at, width int64) int64 {
	if width == week {
		return floor(at-4*day, week) + 4*day
	}
	return floor(at, width)
}

// floor rounds down to a multiple of step, also below zero.
func floor(at, step int64) int64 { return at - (at%step+step)%step }

// printed returns a raw amount as the double that mainnet's indexer would print.
func printed(raw uint64, decimals uint8) json.RawMessage {
	text := string(sui.Raw(raw).Decimal(decimals))
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return json.RawMessage(text)
}
