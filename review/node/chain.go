// Package node asks full nodes for a review: the interfaces that a node client
// implements, and whether the epoch that a node reports can be true.
package node

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Chain reads what a build needs from a node. A transport error is
// fault.ProviderUnavailable, a refusal fault.ProviderRefused.
type Chain interface {
	// ChainIdentifier returns the genesis digest of the node's chain.
	ChainIdentifier(ctx context.Context) (sui.Digest, error)
	// Epoch returns the current epoch and its gas price.
	Epoch(ctx context.Context) (sui.Epoch, error)
	// Coins lists at most max coins of one type, largest first.
	Coins(ctx context.Context, owner sui.Address, coin sui.CoinType, max int) ([]sui.Coin, error)
	// Balance returns what the owner holds of one coin type, in all forms.
	Balance(ctx context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error)
	// Objects reads objects; one that does not exist is a fault.
	Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error)
	// Metadata reads the metadata of coins.
	Metadata(ctx context.Context, coin sui.CoinType) (sui.Metadata, error)
	// GaslessCoins returns the coins that the chain moves without gas in the current epoch, with
	// the least amount of such a payment. An error means that they are unknown.
	GaslessCoins(ctx context.Context) (map[sui.CoinType]sui.Raw, error)
}

// Simulator asks a node what a transaction would do. A simulated failure is an
// answer, not an error.
type Simulator interface {
	// Simulate simulates a transaction whose gas may be empty when checks is false.
	Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error)
	// SimulateBytes simulates exactly these bytes.
	SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error)
}

// Executor sends signed transactions and looks up their results, and what became
// of the coins they use.
type Executor interface {
	// Execute sends bytes and signature once and never retries by itself.
	Execute(ctx context.Context, bytes, signature []byte) (sui.Executed, error)
	// Transaction looks up a transaction; false means that the node does not know it.
	Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error)
	// Object reads one version of an object with the transaction that made it; version 0 is the
	// current one. False means that the node does not have it.
	Object(ctx context.Context, id sui.ObjectID, version uint64) (sui.Object, bool, error)
	// KeepsEpoch reports whether the node still has every transaction since an epoch
	// began, so that one which it does not know did not execute since.
	KeepsEpoch(ctx context.Context, epoch uint64) (bool, error)
}

// Feed hears of transactions as the node executes them.
type Feed interface {
	// Executed calls each for every checkpoint from now on, until the node's
	// subscription ends, which is always an error.
	Executed(ctx context.Context, each func(checkpoint uint64, digests []sui.Digest) error) error
}

// Undescribed reports whether a node answered that a coin has no metadata.
func Undescribed(err error) bool {
	return fault.Is(err, fault.ProviderRefused) && fault.As(err).Detail.Get("code") == "NotFound"
}
