// Package pages assembles the pages of the program. The program and the tests of the pages use the
// same list.
package pages

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/backup"
	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/calls"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/material"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/book"
	"github.com/sayurintent/sayurintent/internal/web/connect"
	"github.com/sayurintent/sayurintent/internal/web/console"
	"github.com/sayurintent/sayurintent/internal/web/doors"
	"github.com/sayurintent/sayurintent/internal/web/editor"
	"github.com/sayurintent/sayurintent/internal/web/holdings"
	"github.com/sayurintent/sayurintent/internal/web/home"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/onchain"
	"github.com/sayurintent/sayurintent/internal/web/receipts"
	"github.com/sayurintent/sayurintent/internal/web/reviews"
	settingspage "github.com/sayurintent/sayurintent/internal/web/settings"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/internal/wschat"
	"github.com/sayurintent/sayurintent/review"
	signing "github.com/sayurintent/sayurintent/review/web"
	"github.com/sayurintent/sayurintent/store"
)

// Config holds what the pages use. The fields up to Sharing are required, except Waiting, which New
// sets. The configurations of the pages describe the functions.
type Config struct {
	web.Config
	Sources
	DB       *store.DB
	Reviews  *review.Service
	Bundles  *request.Service
	Names    *names.Service
	Settings *settings.Service
	Backup   *backup.Service
	Actions  *actions.Executor
	Keys     *pagetoken.Keys
	Calls    *calls.Recent
	Edits    editor.Edits
	Protocol editor.Workspace
	Locate   func(ctx context.Context, pkg, module, function string) (workspace.Place, bool)
	Nth      signing.Nth
	Sharing  func() settingspage.Shared

	Requests   doors.Requests
	Hold       time.Duration
	Restart    func()
	ManualTest []string
	Timing     wschat.Timing
	More       []web.Page // further pages, after the others
}

// Sources provide data about the chain, its markets and past transactions. All fields are required.
type Sources struct {
	OnChain   holdings.OnChain
	Prices    holdings.Prices
	DayBefore func(context.Context, coins.Coin) (sui.Decimal, bool)
	Pictures  signing.Pictures
	Changes   func(ctx context.Context, owner sui.Address) (text []byte, more bool, err error)
	Receipts  receipts.Source
	Booked    receipts.Booked
	ProofFile signing.ProofFile
	Held      func(ctx context.Context, account sui.Address, coin sui.CoinType) (sui.Raw, error)
	Reading   func(ctx context.Context, account sui.Address, chainID string, tx *sui.Transaction,
		raw []byte) (material.Reading, error)
}

// New returns a server with all pages, and the editor. Add new pages here. Error messages list them
// in this order.
func New(c Config) (*web.Server, *editor.Editor, error) {
	lists := &listing.Lists{Accounts: c.Accounts, Book: c.Names, Reviews: c.Reviews, Waiting: c.DB.WaitingReviews,
		Past: c.DB.PastReviews, Orders: onchain.Orders(c.DB.Resting), Headline: signing.Headline, Now: c.Now, Log: c.Log}
	bundles := signing.NewBundles(signing.BundleConfig{Requests: c.Bundles, Reviews: c.Reviews, Bus: c.DB, Lists: lists,
		Nth: c.Nth, Client: c.DB.ClientOf, Now: c.Now})
	lists.Bundles = bundles.Live
	projects := editor.New(editor.Config{Folders: c.DB, Edits: c.Edits, Workspace: c.Protocol, Keys: c.Keys, Bus: c.DB,
		Now: c.Now, ManualTest: c.ManualTest, Timing: c.Timing})
	waits := home.Config{Lists: lists, Bus: c.DB, Today: home.Limits(c.Settings),
		Worth: holdings.NewValuer(c.OnChain, c.Prices).Worth}
	c.Waiting = waits.Waiting
	server, err := web.New(c.Config, append([]web.Page{
		signing.NewReview(signing.ReviewConfig{Reviews: c.Reviews, Requests: c.Bundles, Settings: c.Settings, Lists: lists,
			Nth: c.Nth, Payments: c.DB.Payments, Client: c.DB.ClientOf, ProofFile: c.ProofFile, Locate: c.Locate,
			Pictures: c.Pictures, Now: c.Now}),
		signing.NewCosign(signing.CosignConfig{Lists: lists, Held: c.Held, Now: c.Now, Read: c.Reading}),
		connect.New(c.Accounts, c.DB.Clients),
		home.New(waits),
		reviews.New(lists),
		holdings.New(holdings.Config{Lists: lists, OnChain: c.OnChain, Prices: c.Prices, DayBefore: c.DayBefore,
			Past: c.DB.ReviewActivity, Changes: c.Changes, OnDevice: c.Settings.SignsOnDevice,
			Mark: c.Settings.SetHardware}),
		settingspage.New(settingspage.Config{Settings: c.Settings, Backup: c.Backup, Record: c.DB, Accounts: c.Accounts,
			Keys: c.Keys, Clients: c.DB.Clients, Prices: c.Prices, Remotes: c.DB, Sharing: c.Sharing, Editor: projects,
			Now: c.Now, Restart: c.Restart}),
		book.New(book.Config{Names: c.Names, PaidNames: c.DB, Lists: lists, Journal: c.Journal}),
		console.New(console.Config{Lists: lists, Bus: c.DB, Bundle: bundles.OfTask, Editor: projects}),
		bundles.Page(),
		receipts.New(receipts.Config{Source: c.Receipts, Booked: c.Booked}),
		doors.New(doors.Config{Bus: c.DB, Calls: c.Calls, Desk: c.Desk, Keys: c.Keys, Actions: c.Actions, Hub: c.Hub,
			Now: c.Now, Requests: c.Requests, Hold: c.Hold}),
		projects.Page(),
	}, c.More...)...)
	return server, projects, err
}
