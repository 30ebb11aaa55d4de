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

// mostBalancePages limits how much of a list of balances is read: more than any account needs, in
// case a node never ends it.
const (
	balancePage      = 100
	mostBalancePages = 50
)

// labels identify protocols in past transactions. Those that nearly every transaction uses come
// last.
func labels() []sui.Label {
	return append([]sui.Label{deepbook.Label(), flowxpins.Label()}, sui.ChainLabels()...)
}

// openActivity creates the reader of past transactions with its only client; a sandbox has its own.
// It connects on first use.
func (a *app) openActivity() error {
	const w = settings.GraphQL
	h, err := rpc.NewHistory(rpc.Config{URL: a.options.services[w].URL, Now: a.now, Admit: a.options.network.admit,
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
	for range mostBalancePages {
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
		"The account holds more kinds of coins than are read at once, so earlier holdings are not calculated.")
}

// changes returns the stored changes of an account's coins.
func (a *app) changes(ctx context.Context, owner sui.Address) ([]byte, bool, error) {
	return a.activity.CSV(ctx, activity.Span{Account: owner})
}
