package listing

import (
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Worth is the value of an account in USDC at DeepBook's mid prices. It only helps users to read
// pages: no tool uses it.
type Worth struct {
	Coins    []WorthCoin // pinned coins, highest value first
	Unlisted int         // number of coins that are not pinned, which have no value here
	Unread   bool        // some of the account could not be read
	At       time.Time
}

// WorthCoin is the account's amount of one coin, with values in the smallest unit of USDC. Inside
// is held in balance managers, including in orders. Staked is the principal of stakes.
type WorthCoin struct {
	Symbol                              string
	Decimals                            uint8
	Free, Inside, Staked                sui.Raw
	FreeValue, InsideValue, StakedValue sui.Raw
	Price                               sui.Decimal // USDC for one coin; "" if unknown
}

// Price is the price of one coin in USDC. Of returns the value of an amount in the smallest unit of
// USDC, or false if it is too large.
type Price struct {
	USDC sui.Decimal
	Of   func(sui.Raw) (sui.Raw, bool)
}

// Value returns the total value.
func (c WorthCoin) Value() sui.Raw { return c.FreeValue + c.InsideValue + c.StakedValue }

// Totals returns the sums of the values. without is the number of coins without a value.
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

// USDC formats an amount of USDC with two decimals, rounded down.
func USDC(r sui.Raw) string {
	const cent = 10_000
	return words.Spaced(fmt.Sprintf("%d.%02d", r/(100*cent), r/cent%100))
}
