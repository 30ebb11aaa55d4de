package assets

import (
	"context"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Chain reads balances and coin descriptions from a node.
type Chain interface {
	// ChainIdentifier reports which chain the node is on.
	ChainIdentifier(ctx context.Context) (sui.Digest, error)
	// Balances lists up to most of owner's coin balances, starting at token. It returns the token
	// of the next page, or nil after the last page.
	Balances(ctx context.Context, owner sui.Address, token []byte, most int) ([]sui.Balance, []byte, error)
	// Balance returns owner's balance of one coin.
	Balance(ctx context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error)
	// CoinInfo returns the description of a coin, or false if the chain has none.
	CoinInfo(ctx context.Context, coin sui.CoinType) (sui.Metadata, bool, error)
}

// Described is the description of a coin on a chain at one time. If Found is false, the chain had
// no description at that time. Name and Symbol are untrusted text.
type Described struct {
	Coin     sui.CoinType
	Found    bool
	Decimals uint8
	Symbol   string
	Name     string
	At       time.Time
}

// Cache stores coin descriptions across restarts, by chain.
type Cache interface {
	// Descriptions returns the stored descriptions of coins that are newer than since and not in
	// the future.
	Descriptions(ctx context.Context, chain sui.Digest, coins []sui.CoinType, since time.Time) ([]Described, error)
	// KeepDescriptions stores descriptions, replacing older ones. It deletes the descriptions on
	// all chains that are not newer than since.
	KeepDescriptions(ctx context.Context, chain sui.Digest, list []Described, since time.Time) error
}

// Pools prices and quotes pools of the pinned registry.
type Pools interface {
	MidPrice(ctx context.Context, poolKey string) (deepbook.Mid, error)
	Quote(ctx context.Context, r deepbook.Request) (deepbook.Quote, error)
}

// Config has a Service's dependencies.
type Config struct {
	Chain Chain
	Cache Cache
	Pools Pools
	Now   func() time.Time
	// Watched lists the coins to include for an account even without a balance. It may be nil.
	Watched func(ctx context.Context, owner sui.Address) ([]sui.CoinType, error)
}

// Service reads coin balances and answers questions about settlement assets. It is safe for
// concurrent use.
type Service struct {
	c       Config
	symbols []string // symbols in the pinned registry
	known   screen.Known
}

// New returns a Service.
func New(c Config) *Service {
	symbols := coins.Symbols()
	return &Service{c: c, symbols: symbols, known: screen.NewKnown(symbols)}
}

// MostParallel is the maximum number of concurrent queries per call.
const MostParallel = 16

// each runs do for 0 to n-1, at most MostParallel at a time, and returns when all have returned. If
// one panics, each panics in the caller's goroutine, so that the caller can recover.
func each(n int, do func(i int)) {
	var running sync.WaitGroup
	panics := make([]error, n)
	slots := make(chan struct{}, MostParallel)
	for i := range n {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			defer fault.Recover(&panics[i])
			do(i)
		})
	}
	running.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
}
