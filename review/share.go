package review

import (
	"context"
	"math/big"
	"regexp"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// gasReserves is how many least gas budgets of SUI a share leaves in the account.
const gasReserves = 10

var (
	fraction   = regexp.MustCompile(`^([1-9][0-9]{0,5})/([1-9][0-9]{0,5})$`)
	percentage = regexp.MustCompile(`^([0-9]{1,3})(?:\.([0-9]{1,4}))?%$`)
)

// share replaces the share of an intent by the amount that it is of the account's coins,
// rounded down. Of SUI, enough for gas stays.
func (s *Service) share(ctx context.Context, account sui.Address, able []plan.Adapter, in plan.Intent, now time.Time) (plan.Intent, error) {
	bad := func(format string, args ...any) (plan.Intent, error) {
		return in, fault.New(fault.InputInvalid, format, args...).With("field", "intent.from.share")
	}
	if in.From.Share == "" {
		return in, nil
	}
	if in.From.Amount != "" || in.From.Raw {
		return bad("Give either from.amount or from.share.")
	}
	part, ok := partOf(in.From.Share)
	if !ok {
		return bad("A share is \"all\", a fraction such as \"1/2\", or a percentage such as \"25%%\", above nothing and at most the whole.")
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
		return bad("The account holds nothing of %s that could be used, gas considered.", in.From.Symbol)
	}
	in.From.Share, in.From.Amount = "", string(coin.Of(sui.Raw(amount.Uint64())).Display)
	return in, nil
}

// shared returns the coin that the share is of, by the first adapter that can plan one
// unit of it.
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

// partOf reads a share; false for one that is none, nothing, or more than the whole.
func partOf(text string) (*big.Rat, bool) {
	part := big.NewRat(1, 1)
	if text != "all" {
		if m := percentage.FindStringSubmatch(text); m != nil {
			part, _ = new(big.Rat).SetString(m[1] + "." + m[2] + "0")
			part.Quo(part, big.NewRat(100, 1))
		} else if fraction.MatchString(text) {
			part, _ = new(big.Rat).SetString(text)
		} else {
			return nil, false
		}
	}
	return part, part != nil && part.Sign() > 0 && part.Cmp(big.NewRat(1, 1)) <= 0
}
