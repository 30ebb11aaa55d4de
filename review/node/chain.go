// Package node queries full nodes for reviews. It defines the interfaces that node clients
// implement, and checks whether the epoch that a node reports is plausible.
package node

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Chain reads what a build needs from a node. Transport errors are fault.ProviderUnavailable, and
// refusals fault.ProviderRefused.
type Chain interface {
	// ChainIdentifier returns the genesis digest of the node's chain.
	ChainIdentifier(ctx context.Context) (sui.Digest, error)
	// Epoch returns the current epoch and its gas price.
	Epoch(ctx context.Context) (sui.Epoch, error)
	// Coins lists at most max coins of one type, largest first.
	Coins(ctx context.Context, owner sui.Address, coin sui.CoinType, max int) ([]sui.Coin, error)
	// Balance returns the owner's balance of one coin type, in coins and in the address balance.
	Balance(ctx context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error)
	// Objects reads objects. It returns an error if one does not exist.
	Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error)
	// Metadata reads the metadata of a coin.
	Metadata(ctx context.Context, coin sui.CoinType) (sui.Metadata, error)
	// GaslessCoins returns the coins that the chain moves without gas in the current epoch, each
	// with the minimum amount of such a payment. On an error they are unknown.
	GaslessCoins(ctx context.Context) (map[sui.CoinType]sui.Raw, error)
}

// Simulator asks a node what a transaction would do. A simulated failure is a result, not an error.
type Simulator interface {
	// Simulate simulates a transaction. Its gas may be empty if checks is false.
	Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error)
	// SimulateBytes simulates exactly these bytes.
	SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error)
}

// Executor sends signed transactions and looks up their results and the objects that they use.
type Executor interface {
	// Execute sends bytes and signature once. It never retries.
	Execute(ctx context.Context, bytes, signature []byte) (sui.Executed, error)
	// Transaction looks up a transaction. It returns false if the node does not know it.
	Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error)
	// Object reads one version of an object with the transaction that created that version; version
	// 0 means the current one. It returns false if the node does not have it.
	Object(ctx context.Context, id sui.ObjectID, version uint64) (sui.Object, bool, error)
	// KeepsEpoch reports whether the node still has every transaction since the start of an epoch.
	// If so, a transaction that it does not know has not executed since.
	KeepsEpoch(ctx context.Context, epoch uint64) (bool, error)
}

// Feed reports transactions as the node executes them.
type Feed interface {
	// Executed calls each for every checkpoint from now on. It returns an error when the node's
	// subscription ends.
	Executed(ctx context.Context, each func(checkpoint uint64, digests []sui.Digest) error) error
}

// Undescribed reports whether err means that a coin has no metadata.
func Undescribed(err error) bool {
	return fault.Is(err, fault.ProviderRefused) && fault.As(err).Detail.Get("code") == "NotFound"
}
