package worker

import (
	"context"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

type balanceIn struct {
	Account  string `json:"account,omitempty"`   // default: the active account
	CoinType string `json:"coin_type,omitempty"` // default: SUI
}

type balanceOut struct {
	Account  sui.Address  `json:"account"`
	CoinType sui.CoinType `json:"coin_type"`
	Total    sui.Raw      `json:"total"` // in the coin's smallest unit
}

// balanceCheck reports an account's balance of one coin.
func (s Sources) balanceCheck(ctx context.Context, _ string, payload json.RawMessage) (any, error) {
	in, err := read[balanceIn](payload)
	if err != nil {
		return nil, err
	}
	if in.CoinType == "" {
		in.CoinType = "0x2::sui::SUI"
	}
	var out balanceOut
	if out.CoinType, err = sui.ParseCoinType(in.CoinType); err != nil {
		return nil, bad("coin_type must be the type of a coin.")
	}
	if in.Account == "" {
		active, ok, err := s.Active(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fault.New(fault.ActiveAccountNotSet, "No wallet account is connected. Pass an account.")
		}
		out.Account = active.Address
	} else if out.Account, err = sui.ParseAccount(in.Account); err != nil {
		return nil, fault.As(err).With("field", "account")
	}
	b, err := s.Node.Balance(ctx, out.Account, out.CoinType)
	out.Total = b.Total
	return out, err
}
