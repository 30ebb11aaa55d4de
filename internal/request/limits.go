package request

import (
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// MostOf returns the maximum of each coin that may leave the account under a promise. It returns an
// error if the maximum is unknown, because that cannot be approved in advance.
func MostOf(p plan.Promise) ([]plan.Amount, error) {
	most, unbounded := losses(p)
	//mutant:never ./internal/request TestLimits
	if unbounded.CoinType != "" {
		return nil, unboundedFee(unbounded.Symbol)
	}
	return most, nil
}

func unboundedFee(what string) error {
	return fault.New(fault.InputInvalid,
		"The amount of %s that leaves the account is unknown until the step is built, so no limit can "+
			"be approved. Use feeMode input, or prepare a separate review.", what).With("field", "transactions[].intent")
}

// losses returns the account's maximum loss of each coin in any outcome. If a loss has no maximum,
// unbounded is its coin.
func losses(p plan.Promise) (most []plan.Amount, unbounded plan.Asset) {
	largest := map[sui.CoinType]*big.Int{}
	coins := map[sui.CoinType]plan.Asset{}
	for _, o := range p.Outcomes {
		sum := map[sui.CoinType]*big.Int{}
		for _, b := range o.Bounds {
			if !b.Party.IsAccount() || b.Role == plan.RoleOutput {
				continue
			}
			n := b.Loses()
			if n == nil {
				return nil, b.Coin
			}
			coins[b.Coin.CoinType] = b.Coin
			if sum[b.Coin.CoinType] == nil {
				sum[b.Coin.CoinType] = new(big.Int)
			}
			sum[b.Coin.CoinType].Add(sum[b.Coin.CoinType], n)
		}
		for coin, n := range sum {
			if largest[coin] == nil || largest[coin].Cmp(n) < 0 {
				largest[coin] = n
			}
		}
	}
	for coin, n := range largest {
		if !n.IsUint64() {
			return nil, coins[coin]
		}
		if n.Sign() > 0 {
			most = append(most, coins[coin].Of(sui.Raw(n.Uint64())))
		}
	}
	slices.SortFunc(most, func(a, b plan.Amount) int { return strings.Compare(string(a.CoinType), string(b.CoinType)) })
	return most, plan.Asset{}
}

// exceeds describes how a computed review exceeds the approval of its step. It returns "" if the
// review does not, or if nothing was built yet.
func (s Step) exceeds(r record.Session) string {
	if r.Protocol != s.Protocol {
		return "it would use another protocol than you approved"
	}
	//mutant:never ./internal/request TestModel
	if r.Intent.Recipient != s.Intent.Recipient {
		return "it would pay another recipient than you approved"
	}
	if r.Facts == nil {
		return ""
	}
	return beyond(r.Facts.Promise(), func(a plan.Amount) bool {
		i := slices.IndexFunc(s.Most, func(m plan.Amount) bool { return m.CoinType == a.CoinType })
		return i >= 0 && a.Raw <= s.Most[i].Raw
	})
}

// Outflow is the maximum of one coin that may leave the account in all steps together.
type Outflow struct {
	plan.Asset
	Raw string `json:"rawAmount"` // may exceed 64 bits
	// Besides lists steps, counted from 1, whose whole results leave the account again. Their
	// amounts are not known yet.
	Besides []int `json:"besides,omitempty"`
}

// Display returns the exact amount in whole coins.
func (o Outflow) Display() string {
	n, ok := new(big.Int).SetString(o.Raw, 10)
	if !ok {
		return o.Raw
	}
	one := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(o.Decimals)), nil)
	text := new(big.Rat).SetFrac(n, one).FloatString(int(o.Decimals))
	if o.Decimals > 0 {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Limits returns the maximum that may leave the account in all steps, without gas.
func (req *Request) Limits() (all []Outflow) {
	at := func(a plan.Asset) *Outflow {
		i := slices.IndexFunc(all, func(o Outflow) bool { return o.CoinType == a.CoinType })
		if i < 0 {
			all = append(all, Outflow{Asset: a, Raw: "0"})
			i = len(all) - 1
		}
		return &all[i]
	}
	for _, s := range req.Steps {
		if from := s.Intent.From.ResultOf; from > 0 {
			o := at(req.Steps[from-1].Result)
			o.Besides = append(o.Besides, from)
			continue
		}
		for _, a := range s.Most {
			o := at(a.Asset)
			n, _ := new(big.Int).SetString(o.Raw, 10)
			o.Raw = n.Add(n, plan.BigInt(a.Raw)).String()
		}
	}
	return all
}

// received returns how much of a coin the account received in a transaction, according to its
// receipt and without gas. It returns false if there was no gain.
func received(r *record.Receipt, coin sui.CoinType) (sui.Raw, bool) {
	n := new(big.Int)
	for _, c := range r.BalanceChanges {
		if c.Coin == coin {
			n.Add(n, c.Amount.Big())
		}
	}
	if coin == sui.SUI {
		n.Add(n, r.Gas.Net().Big())
	}
	if n.Sign() <= 0 || !n.IsUint64() {
		return 0, false
	}
	return sui.Raw(n.Uint64()), true
}
