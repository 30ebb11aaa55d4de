package web_test

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/calls"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pages"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/draw"
	"github.com/sayurintent/sayurintent/internal/web/editor"
	"github.com/sayurintent/sayurintent/internal/web/holdings"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	settingspage "github.com/sayurintent/sayurintent/internal/web/settings"
	"github.com/sayurintent/sayurintent/internal/workspace"
)

// config holds what the pages of a rig use. fill replaces what a test omits.
type config = pages.Config

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
func fill(c *config) {
	if c.Settings == nil {
		c.Settings = settings.New(settings.Config{Store: c.DB})
	}
	if c.Locate == nil {
		c.Locate = func(context.Context, string, string, string) (workspace.Place, bool) { return workspace.Place{}, false }
	}
	if c.Nth == nil {
		c.Nth = func(context.Context, sui.Address, time.Time) (int, error) { return 0, nil }
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

// assemble returns the program's pages over the services of a test.
func assemble(c config) (*web.Server, *editor.Editor, error) {
	fill(&c)
	return pages.New(c)
}
