package review

import (
	"context"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// gasReserves is the number of minimum gas budgets that a share of SUI leaves in the account.
const gasReserves = 10

// share replaces the share in an intent with that part of the account's coins, rounded down. For
// SUI, it leaves enough for gas.
func (s *Service) share(ctx context.Context, account sui.Address, able []plan.Adapter, in plan.Intent,
	now time.Time) (plan.Intent, error) {
	bad := func(format string, args ...any) (plan.Intent, error) {
		return in, fault.New(fault.InputInvalid, format, args...).With("field", "intent.from.share")
	}
	if in.From.Share == "" || in.From.ResultOf != 0 {
		return in, nil
	}
	if in.From.Amount != "" || in.From.Raw {
		return bad("Give either from.amount or from.share.")
	}
	part, ok := plan.ReadShare(in.From.Share)
	if !ok {
		return bad("%s", plan.ShareForm)
	}
	coin, err := s.shared(ctx, able, in, now)
	if err != nil {
		return in, err
	}
	held, err := s.c.Chain.Balance(ctx, account, coin.CoinType)
	if err != nil {
		return in, err
	}
	whole := plan.BigInt(held.Total)
	amount := new(big.Int).Mul(whole, part.Num())
	amount.Quo(amount, part.Denom())
	if coin.CoinType == sui.SUI {
		free := new(big.Int).SetUint64(s.c.Limits.LeastGasBudget)
		free.Sub(whole, free.Mul(free, big.NewInt(gasReserves)))
		if amount.Cmp(free) > 0 {
			amount = free
		}
	}
	if amount.Sign() <= 0 {
		return bad("The account has no usable %s after gas.", in.From.Symbol)
	}
	in.From.Share, in.From.Amount = "", string(coin.Of(sui.Raw(amount.Uint64())).Display)
	return in, nil
}

// Held returns how much of a coin a node reports for an account, in coins and in its address
// balance.
func (s *Service) Held(ctx context.Context, account sui.Address, coin sui.CoinType) (sui.Raw, error) {
	held, err := s.c.Chain.Balance(ctx, account, coin)
	return held.Total, err
}

// shared returns the coin of a share, according to the first adapter that can plan one unit of it.
func (s *Service) shared(ctx context.Context, able []plan.Adapter, in plan.Intent, now time.Time) (plan.Asset, error) {
	var first error
	in.From.Share, in.From.Amount = "", "1"
	for _, a := range able {
		if in.Protocol != "" && in.Protocol != a.Meta().Slug {
			continue
		}
		w := s.planned(ctx, a, in, now)
		if w.err == nil && w.plan.Input().CoinType != "" {
			return w.plan.Input().Asset, nil
		}
		if first == nil {
			first = w.err
		}
	}
	if first == nil {
		first = fault.New(fault.InputInvalid, "This action takes no share.").With("field", "intent.from.share")
	}
	return plan.Asset{}, first
}
