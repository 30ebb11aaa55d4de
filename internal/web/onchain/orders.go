package onchain

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/resting"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

// never is the lowest expiry that clients set for an order without one.
const never = 1844674407370955161

// Orders returns a function that lists the resting orders of the known accounts, in their last
// known state.
func Orders(kept func(context.Context) ([]resting.Order, error)) func(context.Context) ([]listing.Order, error) {
	return func(ctx context.Context) (list []listing.Order, err error) {
		found, err := kept(ctx)
		for _, o := range found {
			p, ok := registry.PoolByKey(o.Pool)
			if !ok {
				continue
			}
			one := listing.Order{Account: o.Account.String(), Manager: o.Manager.String(), Pool: o.Pool, ID: o.ID,
				Bid: o.IsBid, Base: p.Base.Symbol, Quote: p.Quote.Symbol,
				Remaining: o.Remaining.Decimal(p.Base.Decimals), Price: o.Price.Decimal(p.PriceDecimals())}
			if o.ExpireMs < never {
				one.Expires = time.UnixMilli(int64(o.ExpireMs))
			}
			list = append(list, one)
		}
		return list, err
	}
}
