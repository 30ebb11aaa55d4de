package worker

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Node is the part of a node client that the handlers need.
type Node interface {
	Epoch(ctx context.Context) (sui.Epoch, error)
	Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error)
	Balance(ctx context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error)
	Functions(ctx context.Context, id sui.ObjectID) (sui.Interface, error)
}

// Sources holds the dependencies of the handlers. All fields are required.
type Sources struct {
	Node Node
	// Active returns the active account, or false if there is none.
	Active func(ctx context.Context) (record.Account, bool, error)
	// Name returns the address book's information about an address.
	Name func(ctx context.Context, address string) (book.Name, error)
	// TaskOf returns the task of a review, which names its conversation, like bus.TaskReader.
	TaskOf func(ctx context.Context, subject string) (bus.Task, bool, error)
	// Review returns a review. Compute starts the computation of a revision.
	Review  func(ctx context.Context, id record.ID) (record.Session, error)
	Compute func(ctx context.Context, id record.ID, revision int64) error
	// Transaction returns the current transaction of a review, or nil.
	Transaction func(ctx context.Context, id record.ID) (*sui.Transaction, error)
}

// Kinds returns the handlers by kind of request.
func Kinds(s Sources) map[string]Handler {
	return map[string]Handler{
		"gas_price":         s.gasPrice,
		"tx_status":         s.txStatus,
		"decode_calldata":   s.decodeCalldata,
		"balance_check":     s.balanceCheck,
		"package_interface": s.packageInterface,
		"address_check":     s.addressCheck,
		"review_refresh":    s.reviewRefresh,
	}
}
