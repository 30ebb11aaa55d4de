package floored

import (
	"context"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Supply is an account's supply to a protocol that records it without giving the account a receipt
// coin.
type Supply struct {
	Protocol string
	Coin     sui.CoinType
	Amount   sui.Raw // what withdrawing everything would pay now
}

// Supplies reads an account's supplies to such protocols by simulating a withdrawal of everything in
// each of their markets.
func Supplies(ctx context.Context, chain Chain, now func() time.Time, account sui.Address) (list []Supply, err error) {
	var found []*Supply
	var failed []error
	var reads []func()
	for _, p := range floor.Known().Protocols {
		one := over(p, chain)
		for _, w := range p.Ways(floor.SupplyWithdraw) {
			if w.In != "" {
				continue // the account holds a receipt coin instead
			}
			s, at := &Supply{Protocol: p.Name, Coin: w.Out}, len(failed)
			found, failed = append(found, s), append(failed, nil)
			reads = append(reads, func() {
				defer fault.Recover(&failed[at])
				step := plan.NewStep(plan.Plan{}, plan.Intent{}, account, now, 0)
				s.Amount, failed[at] = one.supplied(ctx, w, step)
			})
		}
	}
	var reading sync.WaitGroup
	for _, read := range reads {
		reading.Go(read)
	}
	reading.Wait()
	for i, s := range found {
		if failed[i] != nil {
			return nil, failed[i]
		}
		if s.Amount > 0 {
			list = append(list, *s)
		}
	}
	return list, err
}

// supplied returns what withdrawing everything would pay, or zero if the withdrawal would fail.
func (p *protocol) supplied(ctx context.Context, w floor.Way, s *plan.Step) (sui.Raw, error) {
	u, err := p.use(ctx, w, plan.Amount{}, map[string]string{"amount": strconv.FormatUint(math.MaxUint64, 10)})
	if err != nil {
		return 0, err
	}
	q, err := u.Quote(ctx, p.chain, s)
	return q.Out, err
}
