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

// Chain is the part of a node that is used.
type Chain interface {
	// ChainIdentifier reports which chain the node is on.
	ChainIdentifier(ctx context.Context) (sui.Digest, error)
	// Balances lists up to most coin types of owner, starting at token, and returns the next page's
	// token, or nil after the last.
	Balances(ctx context.Context, owner sui.Address, token []byte, most int) ([]sui.Balance, []byte, error)
	// Balance returns owner's balance of one coin.
	Balance(ctx context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error)
	// CoinInfo describes a coin; false means that the chain has no description.
	CoinInfo(ctx context.Context, coin sui.CoinType) (sui.Metadata, bool, error)
}

// Described is a chain's description of a coin at one time. Found false is also an answer: the
// chain had no description. Name and symbol are untrusted text.
type Described struct {
	Coin     sui.CoinType
	Found    bool
	Decimals uint8
	Symbol   string
	Name     string
	At       time.Time
}

// Cache stores descriptions of coins across restarts, per chain.
type Cache interface {
	// Descriptions returns what is known of coins, newer than since and not from
	// the future.
	Descriptions(ctx context.Context, chain sui.Digest, coins []sui.CoinType, since time.Time) ([]Described, error)
	// KeepDescriptions stores descriptions over older ones and forgets those
	// of every chain that are not newer than since.
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
	// Watched lists the coins that a user wants to see for an account, even without a balance; may
	// be nil.
	Watched func(ctx context.Context, owner sui.Address) ([]sui.CoinType, error)
}

// Service reads holdings and answers questions about settlement assets. It is
// safe for concurrent use.
type Service struct {
	c       Config
	symbols []string // of the pinned registry
	known   screen.Known
}

// New returns a Service.
func New(c Config) *Service {
	symbols := coins.Symbols()
	return &Service{c: c, symbols: symbols, known: screen.NewKnown(symbols)}
}

// MostParallel is the maximum number of concurrent queries per call.
const MostParallel = 16

// each runs do for 0 to n-1, at most MostParallel at a time, and returns when all are done. It
// re-panics here if one panicked, so that the caller can recover.
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
