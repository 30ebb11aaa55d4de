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

// mostBalancePages bounds how long a list of balances is read: more than any
// account needs, and an end for a node that never comes to one.
const (
	balancePage      = 100
	mostBalancePages = 50
)

// labels are how protocols are recognised in past transactions. What nearly
// every transaction uses is reported last.
func labels() []sui.Label {
	return append([]sui.Label{deepbook.Label(), flowxpins.Label()}, sui.ChainLabels()...)
}

// openActivity makes the look at past transactions, with the one client that asks
// for them; a sandbox has its own. It connects when it is first asked.
func (a *app) openActivity() error {
	const w = settings.GraphQL
	h, err := rpc.NewHistory(rpc.Config{URL: a.options.services[w].URL, Now: a.now, Admit: a.options.network.admit, Reach: a.options.reach(w),
		Heard: a.heard(w)})
	if err != nil {
		return fmt.Errorf("%s: %w", w.Info().Variable, err)
	}
	a.later(h.Close)
	a.past = h
	a.activity = activity.New(activity.Config{
		Source: h, Chain: a.node.ChainIdentifier, Store: a.db, Accounts: a.accounts, Now: a.now, Balances: a.allBalances,
		Labels: labels(), Prove: a.proofs.Prove,
	})
	return nil
}

// allBalances reads every balance of an account.
func (a *app) allBalances(ctx context.Context, owner sui.Address) ([]sui.Balance, error) {
	var all []sui.Balance
	var token []byte
	for range mostBalancePages {
		list, next, err := a.node.Balances(ctx, owner, token, balancePage)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
		if len(next) == 0 {
			return all, nil
		}
		token = next
	}
	return nil, fault.New(fault.TooLarge, "The account holds more kinds of coins than are read at once, so what it held earlier is not reckoned.")
}

// changes returns what is stored of changes of an account's coins.
func (a *app) changes(ctx context.Context, owner sui.Address) ([]byte, bool, error) {
	return a.activity.CSV(ctx, activity.Span{Account: owner})
}
