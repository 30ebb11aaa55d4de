package main

import (
	"context"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	flowxpins "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// maxBalancePages limits the number of pages of balances that are read. No real account needs as
// many, but a faulty node may return pages forever.
const (
	balancePage     = 100
	maxBalancePages = 50
)

// labels identify protocols in past transactions. The protocols that nearly every transaction uses
// come last.
func labels() []sui.Label {
	return append([]sui.Label{deepbook.Label(), flowxpins.Label()}, sui.ChainLabels()...)
}

// openActivity creates the reader of past transactions and its GraphQL client, which connects on
// first use.
func (a *app) openActivity() error {
	const w = settings.GraphQL
	h, err := rpc.NewHistory(rpc.Config{URL: a.options.services[w].URL, Now: a.now, Admit: a.options.network.accept,
		Reach: a.options.reach(w),
		Heard: a.heard(w)})
	if err != nil {
		return fmt.Errorf("%s: %w", w.Info().Variable, err)
	}
	a.later(h.Close)
	a.past = h
	a.activity = activity.New(activity.Config{
		Source: h, Chain: a.node.ChainIdentifier, Store: a.db.ActivityCache, Accounts: a.accounts, Now: a.now,
		Balances: a.allBalances, Labels: labels(), Prove: a.proofs.Prove,
	})
	return nil
}

// allBalances reads every balance of an account.
func (o *external) allBalances(ctx context.Context, owner sui.Address) ([]sui.Balance, error) {
	var all []sui.Balance
	var token []byte
	for range maxBalancePages {
		list, next, err := o.node.Balances(ctx, owner, token, balancePage)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
		if len(next) == 0 {
			return all, nil
		}
		token = next
	}
	return nil, fault.New(fault.TooLarge,
		"The account holds too many kinds of coins to calculate earlier holdings.")
}

// changes returns the stored balance changes of an account as CSV, and whether some were omitted.
func (a *app) changes(ctx context.Context, owner sui.Address) ([]byte, bool, error) {
	return a.activity.CSV(ctx, activity.Span{Account: owner})
}
