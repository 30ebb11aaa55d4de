package indexer

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
)

// lookBack is the number of earlier intervals that are searched for a candle.
const lookBack = 1000

// State describes whether the interval that contains a time has a price.
type State string

// Only a final candle has a price.
const (
	FinalCandle State = "final_candle"
	Running     State = "running_interval" // not over yet
	Unsettled   State = "not_yet_settled"  // over, but the indexer may still add trades
	NoCandle    State = "no_candle"        // over, indexed, and no trade is known
)

// Moment is the indexer's information about the price at one time.
type Moment struct {
	Source
	Interval      Interval
	Asked         time.Time
	Opens, Closes time.Time // of the interval that contains Asked
	State         State
	Found         *Candle   // the final candle that contains Asked, or the nearest final one before it; nil for none
	Searched      time.Time // the earliest time that was searched
}

// Age returns how long before the requested time the candle closed. It is 0 if the candle contains the
// time.
func (m Moment) Age() time.Duration {
	if m.Found == nil || m.State == FinalCandle {
		return 0
	}
	return m.Asked.Sub(m.Found.Closes)
}

// Moment reads a pool's price at a time. It returns fault.RegistryMiss for a pool that is not pinned,
// and fault.InputInvalid for a future time.
func (c *Client) Moment(ctx context.Context, pool string, i Interval, at time.Time) (Moment, error) {
	pinned, err := registry.FindPool(pool)
	if err != nil {
		return Moment{}, err
	}
	if i.Length() == 0 {
		return Moment{}, fault.New(fault.InputInvalid, "The interval is unknown.").With("field",
			"interval")
	}
	now := c.now().UTC()
	if at.After(now) {
		return Moment{}, fault.New(fault.InputInvalid,
			"That time is in the future; it is %s now. Nobody knows a future price.", now.Format(time.RFC3339)).With("field",
			"at")
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	opens := i.Open(at)
	m := Moment{Interval: i, Asked: at.UTC(), Opens: opens, Closes: opens.Add(i.Length())}
	m.Searched = opens.Add(-lookBack * i.Length())
	if m.Source, err = c.source(ctx, pinned); err != nil {
		return Moment{}, err
	}
	list, err := c.candles(ctx, m.IndexerName, i, m.Searched, m.Closes)
	if err != nil {
		return Moment{}, err
	}
	m.At = c.now().UTC()
	m.judge(list)
	return m, nil
}

// judge sets the newest final candle, and the state of the interval that contains the time.
func (m *Moment) judge(list []Candle) {
	for n := len(list) - 1; n >= 0 && m.Found == nil; n-- {
		if !list[n].Closes.After(m.Final) {
			list[n].Final = true
			m.Found = &list[n]
		}
	}
	switch {
	case m.Closes.After(m.At):
		m.State = Running
	case m.Closes.After(m.Final):
		m.State = Unsettled
	case m.Found != nil && m.Found.Opens.Equal(m.Opens):
		m.State = FinalCandle
	default:
		m.State = NoCandle
	}
}
