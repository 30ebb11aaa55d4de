package review

import (
	"context"
	"math/big"
	"regexp"
	"strings"

	"github.com/sayurintent/sayurintent/internal/coins"
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
func (s *Service) share(ctx context.Context, account sui.Address, in plan.Intent) (plan.Intent, error) {
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
	coin, err := shareCoin(in.From.Symbol)
	if err != nil {
		return in, plan.AtField("intent.from.symbol", err)
	}
	held, err := s.c.Chain.Balance(ctx, account, coin)
	if err != nil {
		return in, err
	}
	whole := plan.BigInt(held.Coins)
	amount := new(big.Int).Mul(whole, part.Num())
	amount.Quo(amount, part.Denom())
	if coin == sui.SUI {
		free := new(big.Int).SetUint64(s.c.Limits.LeastGasBudget)
		free.Sub(whole, free.Mul(free, big.NewInt(gasReserves)))
		if amount.Cmp(free) > 0 {
			amount = free
		}
	}
	if amount.Sign() <= 0 {
		return bad("The account holds nothing of %s that could be used, gas considered.", in.From.Symbol)
	}
	in.From.Share = ""
	if pinned, ok := coins.ByType(coin); ok && !strings.Contains(in.From.Symbol, "::") {
		in.From.Amount = string(sui.Raw(amount.Uint64()).Decimal(pinned.Decimals))
		return in, nil
	}
	in.From.Amount, in.From.Raw = amount.String(), true
	return in, nil
}

// shareCoin returns the coin that an intent names, by a pinned symbol or by its type.
func shareCoin(symbol string) (sui.CoinType, error) {
	if strings.Contains(symbol, "::") {
		return sui.ParseCoinType(symbol)
	}
	c, err := coins.Find(symbol)
	return c.Type, err
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
