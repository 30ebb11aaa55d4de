package listing

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Worth is what an account has in USDC, at the mid prices of DeepBook. It is a reading aid for
// pages: no tool uses it.
type Worth struct {
	Coins    []WorthCoin // pinned coins, the largest value first
	Unlisted int         // coins that are not pinned, which have no value here
	Unread   bool        // not everything could be read
	At       time.Time
}

// WorthCoin is an amount of one coin, and its value in the smallest unit of USDC. Inside is what
// balance managers hold, in orders and otherwise; Staked is the principal of stakes.
type WorthCoin struct {
	Symbol                              string
	Decimals                            uint8
	Free, Inside, Staked                sui.Raw
	FreeValue, InsideValue, StakedValue sui.Raw
	Price                               sui.Decimal // USDC for one coin, "" if there is none
}

// Price is USDC for one coin. Of returns the value of an amount in the smallest unit of USDC, and
// false if it is too large.
type Price struct {
	USDC sui.Decimal
	Of   func(sui.Raw) (sui.Raw, bool)
}

// Value returns the value of all of it.
func (c WorthCoin) Value() sui.Raw { return c.FreeValue + c.InsideValue + c.StakedValue }

// Totals returns the sums of the values, and how many coins they are without.
func (w Worth) Totals() (free, inside, staked sui.Raw, without int) {
	without = w.Unlisted
	for _, c := range w.Coins {
		if c.Price == "" {
			without++
		}
		free, inside, staked = free+c.FreeValue, inside+c.InsideValue, staked+c.StakedValue
	}
	return free, inside, staked, without
}
