package indexer

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Interval is the length of a candle, in the indexer's notation.
type Interval string

// lengths lists the intervals, shortest first.
var lengths = []struct {
	name   Interval
	length time.Duration
}{
	{"1m", time.Minute}, {"5m", 5 * time.Minute}, {"15m", 15 * time.Minute}, {"30m", 30 * time.Minute},
	{"1h", time.Hour}, {"4h", 4 * time.Hour}, {"1d", 24 * time.Hour}, {"1w", 7 * 24 * time.Hour},
}

// Intervals lists the candle intervals, shortest first.
func Intervals() []Interval {
	var names []Interval
	for _, l := range lengths {
		names = append(names, l.name)
	}
	return names
}

// Length returns the length of a candle, or 0 for an unknown interval.
func (i Interval) Length() time.Duration {
	for _, l := range lengths {
		if l.name == i {
			return l.length
		}
	}
	return 0
}

// Open returns when the candle that contains t opens. Candles of a day or less are aligned to midnight
// UTC, and weekly ones open on Monday.
func (i Interval) Open(t time.Time) time.Time {
	monday := int64(4 * 24 * time.Hour / time.Millisecond) // the epoch was a Thursday
	length, ms := i.Length().Milliseconds(), t.UnixMilli()
	if i != "1w" {
		monday = 0
	}
	into := (ms - monday) % length
	if into < 0 {
		into += length
	}
	return time.UnixMilli(ms - into).UTC()
}

// Candle summarizes the trades of one interval, as reported by the indexer. Prices are quote coins per
// base coin, and Volume is in base coins. Final means that the interval is over and completely indexed.
type Candle struct {
	Opens, Closes          time.Time
	Open, High, Low, Close sui.Decimal
	Volume                 sui.Decimal
	Final                  bool
}

// listing is an entry in the indexer's list of pools.
type listing struct {
	ID            string      `json:"pool_id"`
	Name          string      `json:"pool_name"`
	BaseDecimals  json.Number `json:"base_asset_decimals"`
	QuoteDecimals json.Number `json:"quote_asset_decimals"`
}

// Limits of the list of pools.
const (
	maxPools  = 2000
	mostName  = 64 // bytes in a pool's name
	poolsLife = 10 * time.Minute
)

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// name returns the indexer's name of a pinned pool. Pools are matched by object id, because names are
// not unique. A pool with other decimals than the pinned ones is rejected, because its prices would be
// wrong.
func (c *Client) name(ctx context.Context, p registry.Pool) (string, error) {
	pools, err := c.pools(ctx)
	if err != nil {
		return "", err
	}
	found, ok := pools[p.ID.String()]
	switch {
	case !ok:
		return "", fault.New(fault.QuoteUnavailable,
			"The DeepBook indexer does not list the pool %s, so it has no past prices of it.", p.Key).With("poolKey", p.Key)
	case found.BaseDecimals.String() != strconv.Itoa(int(p.Base.Decimals)),
		found.QuoteDecimals.String() != strconv.Itoa(int(p.Quote.Decimals)):
		return "", nonsense(nil, "The indexer's decimals for this pool's coins differ from the pinned registry.")
	}
	return found.Name, nil
}

func (c *Client) pools(ctx context.Context) (map[string]listing, error) {
	c.mu.Lock()
	pools, until := c.listed, c.until
	c.mu.Unlock()
	if c.now().Before(until) {
		return pools, nil
	}
	rows, err := get[[]listing](ctx, c, "/get_pools", nil)
	if err != nil {
		return nil, err
	}
	if len(rows) > maxPools {
		return nil, nonsense(nil, "The indexer lists too many pools.")
	}
	pools = map[string]listing{}
	for _, row := range rows {
		id, err := sui.ParseAddress(row.ID)
		_, twice := pools[id.String()]
		if err != nil || twice || len(row.Name) > mostName || !nameForm.MatchString(row.Name) {
			return nil, nonsense(err, "The indexer's list of pools contains a repeated or unreadable entry.")
		}
		pools[id.String()] = row
	}
	c.mu.Lock()
	c.listed, c.until = pools, c.now().Add(poolsLife)
	c.mu.Unlock()
	return pools, nil
}

// Indexed returns the time up to which the indexer claims to be complete. It is never later than this
// computer's clock.
func (c *Client) Indexed(ctx context.Context) (time.Time, error) {
	status, err := get[struct {
		Now json.RawMessage `json:"current_time_ms"`
		Lag json.RawMessage `json:"max_time_lag_seconds"`
	}](ctx, c, "/status", nil)
	if err != nil {
		return time.Time{}, err
	}
	now, ok := milliseconds(status.Now)
	lag, sound := milliseconds(status.Lag)
	if !ok || !sound || lag > now/1000 {
		return time.Time{}, nonsense(nil, "The indexer does not report how far it is behind the chain.")
	}
	through := time.UnixMilli(now - lag*1000).UTC()
	if here := c.now().UTC(); through.After(here) {
		through = here
	}
	return through, nil
}

// candles requests the candles that open in [from, to), oldest first. Both bounds must be multiples of
// the interval: the indexer builds long candles from all short ones that open within the requested
// bounds, including the last bound, so the request ends one second before to.
func (c *Client) candles(ctx context.Context, name string, i Interval, from, to time.Time) ([]Candle, error) {
	slots := int(to.Sub(from) / i.Length())
	answer, err := get[struct {
		Candles *[][]json.RawMessage `json:"candles"`
	}](ctx, c, "/ohclv/"+name, url.Values{
		"interval":   {string(i)},
		"start_time": {strconv.FormatInt(from.UnixMilli(), 10)},
		"end_time":   {strconv.FormatInt(to.Add(-time.Second).UnixMilli(), 10)},
		"limit":      {strconv.Itoa(slots)},
	})
	switch {
	case err != nil:
		return nil, err
	case answer.Candles == nil || len(*answer.Candles) > slots:
		return nil, nonsense(nil, "The indexer's list of candles is missing or longer than the time span.")
	}
	list := make([]Candle, 0, len(*answer.Candles))
	for _, row := range *answer.Candles {
		candle, ok := read(row, i)
		if !ok {
			return nil, nonsense(nil, "The indexer sent a candle that contradicts itself.")
		}
		if candle.Opens.Before(from) || !candle.Opens.Before(to) {
			return nil, nonsense(nil, "The indexer sent a candle outside the requested time span.")
		}
		list = append(list, candle)
	}
	slices.SortFunc(list, func(a, b Candle) int { return a.Opens.Compare(b.Opens) })
	for n := 1; n < len(list); n++ {
		if list[n].Opens.Equal(list[n-1].Opens) {
			return nil, nonsense(nil, "The indexer sent two candles of one interval.")
		}
	}
	return list, nil
}

// read decodes one row: the opening time, then the open, high, low and close prices, then the
// base volume.
func read(row []json.RawMessage, i Interval) (Candle, bool) {
	if len(row) != 6 {
		return Candle{}, false
	}
	ms, ok := milliseconds(row[0])
	opens := time.UnixMilli(ms).UTC()
	if !ok || !i.Open(opens).Equal(opens) {
		return Candle{}, false
	}
	var n [5]sui.Decimal
	for k, raw := range row[1:] {
		if n[k], ok = decimal(raw); !ok {
			return Candle{}, false
		}
	}
	k := Candle{
		Opens: opens, Closes: opens.Add(i.Length()),
		Open: n[0], High: n[1], Low: n[2], Close: n[3], Volume: n[4],
	}
	sound := strings.Trim(string(k.Low), "0.") != ""
	for _, price := range []sui.Decimal{k.Open, k.Close, k.Low} {
		sound = sound && !less(k.High, price) && !less(price, k.Low)
	}
	return k, sound
}
