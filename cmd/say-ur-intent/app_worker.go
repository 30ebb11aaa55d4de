package main

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/review/record"
)

// settleBeat is how often expired tasks and those of dead processes are ended, so that this does
// not depend on a query.
const settleBeat = 10 * time.Second

// openWorker creates the handlers of page requests and of tools' tasks.
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

// settleTasks ends due tasks, and answers calls for plans whose process is gone, until
// ending is called. Where none is due it reads little and writes nothing.
func (a *app) settleTasks() (ending func()) {
	return every(0, settleBeat, func(ctx context.Context) {
		if err := a.db.SettleTasks(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("tasks that are over could not be ended", "cause", err)
		}
		if err := a.plans.Sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("a call for a plan could not be answered; it is tried again", "cause", err)
		}
	})
}

// bookedAddress returns the address of an address book entry, or false if it no longer exists.
func (a *app) bookedAddress(ctx context.Context, entry string) (string, bool, error) {
	all, err := a.db.Book(ctx)
	e, refused := book.Match(book.Live(all), book.Target{ID: entry})
	return e.Address, refused == "", err
}

// runBundles carries bundles on until ending is called.
func (a *app) runBundles() (ending func()) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.bundles.Run(ctx, func(err error) {
			a.log.Error("a bundle could not be carried on; it is tried again", "cause",
				err)
		})
	}()
	return func() { stop(); <-done }
}
