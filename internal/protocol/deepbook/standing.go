package deepbook

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Permissions returns a reader of an account's standing permissions, including the caps of its own
// balance managers.
func (i *Inventory) Permissions(chain standing.Chain, now func() time.Time) standing.Reader {
	capType := func(name string) string {
		return sui.StructTag{Address: registry.OriginalPackage, Module: "balance_manager", Name: name}.String()
	}
	accounts := standing.AccountPackage{Registry: registry.AccountRegistry, Package: registry.AccountPackage,
		Sessions: registry.SessionsPackage}
	return standing.Reader{Chain: chain, Managers: i.owned, Accounts: &accounts, Now: now, ManagerType: managerType(),
		CapTypes: map[string]string{
			standing.Trade: capType("TradeCap"), standing.Deposit: capType("DepositCap"),
			standing.Withdraw: capType("WithdrawCap"),
		}}
}

// owned lists the managers that belong to the account.
func (i *Inventory) owned(ctx context.Context, account sui.Address) (ids []sui.ObjectID, more bool, err error) {
	found, err := i.Discover(ctx, account, sui.ObjectID{})
	for _, m := range found.Managers {
		if m.Own() {
			ids = append(ids, m.ID)
		}
	}
	return ids, found.Truncated, err
}
