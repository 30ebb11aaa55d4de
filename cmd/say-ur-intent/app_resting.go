package main

import (
	"context"
	"sync"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/resting"
)

// followOrders follows resting orders of all known accounts until ending is called.
func (a *app) followOrders() (ending func()) {
	ctx, stop := context.WithCancel(context.Background())
	f := &resting.Follower{Inventory: deepbook.NewInventory(a.deepbook, a.node), Store: a.db.RestingOrders,
		Accounts: a.knownAddresses, Conversations: a.conversations, Now: a.now}
	// A changed review or a new account may mean that there is a new order.
	placed := make(chan struct{}, 1)
	reviews, accounts := a.hub.Watch(events.Subject{Kind: events.Home}), a.hub.Watch(events.Subject{Kind: events.Account})
	var work sync.WaitGroup
	work.Go(func() {
		defer reviews.Close()
		defer accounts.Close()
		for {
			select {
			case <-ctx.Done():
				return
			case <-reviews.C:
			case <-accounts.C:
			}
			select {
			case placed <- struct{}{}:
			default:
			}
		}
	})
	work.Go(func() { f.Run(ctx, a.node, placed) })
	return func() { stop(); work.Wait() }
}

// conversations lists the newest conversation of each remembered AI client.
func (a *app) conversations(ctx context.Context) ([]string, error) {
	clients, err := a.db.Clients(ctx)
	var list []string
	for _, client := range clients {
		session, ok, failed := a.db.Conversation(ctx, client)
		if failed != nil {
			return list, failed
		}
		if ok {
			list = append(list, session)
		}
	}
	return list, err
}
