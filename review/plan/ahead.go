package plan

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Ahead is the beginning of a transaction that nobody signs: all steps before one. A quote
// that is simulated behind it sees what those steps change in a market.
type Ahead struct {
	Transaction sui.Transaction
	Paid        sui.Argument // a coin of exactly the amount that the step pays, where it was asked for
}

// Before returns the steps before this one, with a coin of the amount that it pays where
// that is above zero; nil where nothing before it matters to a quote.
func (s *Step) Before(ctx context.Context, pays Amount) (*Ahead, error) {
	if s.Earlier == nil {
		return nil, nil
	}
	return s.Earlier(ctx, pays)
}

// Ahead ends what was built so far: a coin of the amount is made of what the step takes,
// where that is above zero, and every coin that nobody took goes to the account.
func (b *Builder) Ahead(pays Amount) (k sui.Kind, paid sui.Argument, err error) {
	var left []sui.Argument
	if pays.Raw > 0 {
		got, fed := b.results[b.takes]
		if paid, err = b.Fund(pays); err != nil {
			return k, paid, err
		}
		if fed && got.Coin == pays.CoinType {
			at := b.Next()
			b.Add(sui.SplitCoins{Coin: paid, Amounts: []sui.Argument{b.Input(sui.PureU64(uint64(pays.Raw)))}})
			left, paid = append(left, got.Value), sui.NestedArg(at, 0)
		}
	}
	for step := 1; step <= b.step; step++ {
		for part := range b.step + mostOfBundle {
			if r, open := b.results[ResultParty(step, part)]; open {
				left = append(left, r.Value)
			}
		}
	}
	if len(left) > 0 {
		to := b.Input(sui.PureAddress(b.Account))
		b.Add(sui.TransferObjects{Objects: left, Recipient: to})
	}
	return b.kind, paid, nil
}
