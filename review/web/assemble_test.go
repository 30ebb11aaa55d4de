package web_test

import (
	"cmp"
	"context"
	"github.com/sayurintent/sayurintent/internal/material"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/backup"
	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/calls"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/book"
	"github.com/sayurintent/sayurintent/internal/web/connect"
	"github.com/sayurintent/sayurintent/internal/web/console"
	"github.com/sayurintent/sayurintent/internal/web/doors"
	"github.com/sayurintent/sayurintent/internal/web/draw"
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

// config holds the dependencies of the pages of a rig. fill replaces those that a test omits.
type config struct {
	web.Config
	Reviews  *review.Service
	Bundles  *request.Service
	DB       *store.DB
	Actions  *actions.Executor
	Requests doors.Requests
	Keys     *pagetoken.Keys
	Settings *settings.Service // nil means no settings page
	Backup   *backup.Service
	Names    *names.Service
	Edits    *workspace.Local
	Protocol workspace.Protocol
	Sharing  func() settingspage.Shared
	Restart  func()
	Test     []string // projects in the window for the manual test
	Timing   wschat.Timing
	Hold     time.Duration

	Locate        func(ctx context.Context, pkg, module, function string) (workspace.Place, bool)
	RequestNumber signing.Nth
	Booked        receipts.Booked
	OnChain       holdings.OnChain
	Prices        holdings.Prices
	DayBefore     func(context.Context, coins.Coin) (sui.Decimal, bool)
	Receipts      receipts.Source
	Pictures      signing.Pictures
	Calls         *calls.Recent
	Changes       func(ctx context.Context, owner sui.Address) (text []byte, more bool, err error)
	ProofFile     signing.ProofFile
	Reading       func(ctx context.Context, account sui.Address, chainID string, tx *sui.Transaction,
		raw []byte) (material.Reading, error)
	Held func(ctx context.Context, account sui.Address, coin sui.CoinType) (sui.Raw, error)
}

// none is a source of chain and market data without any data.
type none struct{}

func (none) err() error {
	return fault.New(fault.ProviderUnavailable, "This program has no Sui node to ask.")
}

func (n none) Holdings(context.Context, sui.Address, string, int) (holdings.Holdings, error) {
	return holdings.Holdings{}, n.err()
}

func (n none) InUSDC(context.Context, coins.Coin) (listing.Price, bool) {
	return listing.Price{}, false
}

func (n none) Managers(context.Context, sui.Address) (holdings.Managers, error) {
	return holdings.Managers{}, n.err()
}

func (n none) Staked(context.Context, sui.Address) (holdings.Staked, error) {
	return holdings.Staked{}, n.err()
}

func (n none) Permissions(context.Context, sui.Address) (holdings.Permissions, error) {
	return holdings.Permissions{}, n.err()
}

func (n none) Inside(context.Context, sui.ObjectID) (holdings.Inside, error) {
	return holdings.Inside{}, n.err()
}

func (n none) Transaction(context.Context, sui.Digest) (sui.PastTransaction, bool, error) {
	return sui.PastTransaction{}, false, n.err()
}

func (none) Coin(sui.CoinType) (string, uint8, bool) { return "", 0, false }

func (none) Name(sui.ObjectID) (string, bool) { return "", false }

func (n none) Book(context.Context, string, sui.ObjectID) (draw.Book, error) {
	return draw.Book{}, n.err()
}

func (n none) Past(context.Context, string, sui.ObjectID) (draw.PastPrices, error) {
	return draw.PastPrices{}, n.err()
}

// fill sets stand-ins for what a test omitted.
func (c *config) fill() {
	if c.Locate == nil {
		c.Locate = func(context.Context, string, string, string) (workspace.Place, bool) { return workspace.Place{}, false }
	}
	if c.RequestNumber == nil {
		c.RequestNumber = func(context.Context, sui.Address, time.Time) (int, error) { return 0, nil }
	}
	if c.OnChain == nil {
		c.OnChain = none{}
	}
	if c.Prices == nil {
		c.Prices, _ = c.OnChain.(holdings.Prices)
	}
	if c.Prices == nil {
		c.Prices = none{}
	}
	if c.Receipts == nil {
		c.Receipts = none{}
	}
	if c.Calls == nil {
		c.Calls = calls.New(c.Hub, c.Now)
	}
	if c.Pictures == nil {
		c.Pictures = none{}
	}
	if c.Changes == nil {
		c.Changes = func(context.Context, sui.Address) ([]byte, bool, error) { return nil, false, nil }
	}
	if c.ProofFile == nil {
		c.ProofFile = func(context.Context, sui.Digest) ([]byte, error) { return nil, none{}.err() }
	}
	if c.Sharing == nil {
		c.Sharing = func() settingspage.Shared { return settingspage.Shared{} }
	}
	if c.Frozen == nil {
		c.Frozen = c.DB.Frozen
	}
}

// assemble returns a server with all pages, like the program's.
func assemble(c config) (*web.Server, *editor.Editor, error) {
	c.fill()
	prefs := c.Settings
	if prefs == nil {
		prefs = settings.New(settings.Config{Store: c.DB})
	}
	lists := &listing.Lists{Accounts: c.Accounts, Book: c.Names, Reviews: c.Reviews, Waiting: c.DB.WaitingReviews,
		Past:   c.DB.PastReviews,
		Orders: onchain.Orders(c.DB.Resting), Deed: signing.Deed, Now: c.Now, Log: c.Log}
	bundles := signing.NewBundles(signing.BundleConfig{Requests: c.Bundles, Reviews: c.Reviews, Bus: c.DB, Lists: lists,
		Nth: c.RequestNumber, Client: c.DB.ClientOf, Now: c.Now})
	lists.Bundles = bundles.Live
	projects := editor.New(editor.Config{Folders: c.DB, Edits: c.Edits, Workspace: c.Protocol, Keys: c.Keys, Bus: c.DB,
		Now:        c.Now,
		ManualTest: c.Test, Timing: c.Timing})
	list := []web.Page{
		signing.NewReview(signing.ReviewConfig{Reviews: c.Reviews, Requests: c.Bundles, Settings: prefs, Lists: lists,
			Nth: c.RequestNumber, Payments: c.DB.Payments, Client: c.DB.ClientOf, ProofFile: c.ProofFile, Locate: c.Locate,
			Pictures: c.Pictures, Now: c.Now}),
		signing.NewCosign(signing.CosignConfig{Lists: lists, Held: c.Held, Now: c.Now, Read: c.Reading}),
		connect.New(c.Accounts, c.DB.Clients),
		home.New(home.Config{Lists: lists, Bus: c.DB, Today: home.Limits(prefs), Worth: holdings.NewValuer(c.OnChain,
			c.Prices).Worth}),
		reviews.New(lists),
		holdings.New(holdings.Config{Lists: lists, OnChain: c.OnChain, Prices: c.Prices, DayBefore: c.DayBefore,
			Past: c.DB.ReviewActivity, Changes: c.Changes,
			OnDevice: prefs.SignsOnDevice, Mark: prefs.SetHardware}),
		book.New(book.Config{Names: c.Names, PaidNames: c.DB, Lists: lists, Journal: c.Journal}),
		console.New(console.Config{Lists: lists, Bus: c.DB, Bundle: bundles.OfTask, Editor: projects}),
		bundles.Page(),
		receipts.New(receipts.Config{Source: c.Receipts, Booked: c.Booked}),
		doors.New(doors.Config{Bus: c.DB, Calls: c.Calls, Desk: c.Desk, Keys: c.Keys, Actions: c.Actions, Hub: c.Hub,
			Now: c.Now, Requests: c.Requests,
			Hold: c.Hold}),
		projects.Page(),
	}
	if c.Settings != nil {
		list = append(list, settingspage.New(settingspage.Config{Settings: c.Settings,
			Prices: cmp.Or[settingspage.Prices](c.Prices, noPrices{}), Backup: c.Backup, Accounts: c.Accounts, Keys: c.Keys,
			Clients: c.DB.Clients, Remotes: c.DB, Record: c.DB, Sharing: c.Sharing, Editor: projects, Now: c.Now,
			Restart: c.Restart}))
	}
	server, err := web.New(c.Config, list...)
	return server, projects, err
}

// noPrices knows no prices.
type noPrices struct{}

func (noPrices) InUSDC(context.Context, coins.Coin) (listing.Price, bool) {
	return listing.Price{}, false
}
