package main

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/worker"
)

// settleInterval is how often to settle tasks that are due or whose process has ended, so that they
// are settled even if nobody queries them.
const settleInterval = 10 * time.Second

// openWorker starts the workers that serve page requests and run the tasks of tools.
func (a *app) openWorker() {
	a.requests = worker.NewRequests(a.db.Log, worker.Kinds(worker.Sources{
		Node: a.node, Active: a.activeAccount, TaskOf: a.db.TaskOf, Review: a.reviews.Get, Compute: a.reviews.Compute,
		Transaction: func(ctx context.Context, id record.ID) (*sui.Transaction, error) {
			v, err := a.reviews.View(ctx, id)
			return v.Transaction, err
		},
		Name: func(ctx context.Context, address string) (book.Name, error) {
			naming, err := a.names.Naming(ctx, address)
			return naming.Of(address), err
		},
	}))
	a.later(a.requests.Close)
	a.runner = worker.NewRunner(a.db.Tasks, a.hub, a.now)
	a.later(a.runner.Close)
}

// settleTasks settles tasks that are due, and answers plan calls whose process has ended, until
// ending is called. If nothing is due, it does little work and writes nothing.
func (a *app) settleTasks() (ending func()) {
	return every(0, settleInterval, func(ctx context.Context) {
		if err := a.db.SettleTasks(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("cannot end tasks that are due", "cause", err)
		}
		if err := a.plans.Sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("cannot answer a plan call; retrying", "cause", err)
		}
	})
}

// bookedAddress returns the address of an address book entry, or false if it no longer exists.
func (a *app) bookedAddress(ctx context.Context, entry string) (string, bool, error) {
	all, err := a.db.Book(ctx)
	e, refused := book.Match(book.Live(all), book.Target{ID: entry})
	return e.Address, refused == "", err
}

// runBundles advances bundles until ending is called.
func (a *app) runBundles() (ending func()) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.bundles.Run(ctx, func(err error) {
			a.log.Error("cannot advance a bundle; retrying", "cause",
				err)
		})
	}()
	return func() { stop(); <-done }
}
