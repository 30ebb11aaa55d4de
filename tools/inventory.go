package tools

import (
	"context"
	"math"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Parts of an answer about holdings inside DeepBook.

// inventory finds balance managers and reads their holdings in pools.
type inventory interface {
	Discover(ctx context.Context, account sui.Address, named sui.ObjectID) (deepbook.Discovery, error)
	Account(ctx context.Context, poolKey string, manager sui.ObjectID) (deepbook.PoolAccount, error)
	Accounts(ctx context.Context, manager sui.ObjectID) ([]deepbook.PoolAccount, time.Time, error)
	Holder(ctx context.Context, manager sui.ObjectID) (deepbook.Holder, error)
	BalancesAfter(ctx context.Context, after *sui.Transaction, h deepbook.Holder, coins []sui.CoinType) ([]sui.Raw,
		error)
}

// mostOpenOrders is the maximum number of open orders in an answer.
const mostOpenOrders = 50

// detailStatus states how complete an answer is.
type detailStatus string

// Statuses of an answer. Only detailAvailable comes with details.
const (
	detailAvailable      detailStatus = "available"
	detailDiscoveryOnly  detailStatus = "manager_discovery_only"
	detailPoolRequired   detailStatus = "pool_key_required"
	detailManagerMissing detailStatus = "manager_address_required"
	detailNotDiscovered  detailStatus = "manager_address_not_discovered_for_active_account"
	detailNoAccount      detailStatus = "account_not_found"
)

// Values lists the statuses.
func (detailStatus) Values() []string {
	return []string{string(detailAvailable), string(detailDiscoveryOnly), string(detailPoolRequired),
		string(detailManagerMissing), string(detailNotDiscovered), string(detailNoAccount)}
}

// requested repeats the arguments in the answer.
type requested struct {
	Pool    string        `json:"poolKey,omitempty" description:"requested pool"`
	Manager *sui.ObjectID `json:"managerAddress,omitempty" description:"requested manager"`
}

// eventReading states whether events could be read.
type eventReading deepbook.EventReading

// Values lists the values.
func (eventReading) Values() []string {
	return []string{string(deepbook.EventsRead), string(deepbook.EventsNotOffered), string(deepbook.EventsRefused)}
}

// foundManager is a balance manager and how it was found.
type foundManager struct {
	Address sui.ObjectID      `json:"address" description:"address of the manager"`
	By      []deepbook.Method `json:"discoveredBy" description:"registry, event and owner_field: it is the account's; cap: the account could act for it, and may have lost that right"`
}

// discovery describes how balance managers were found.
type discovery struct {
	Method      string         `json:"discoveryMethod" description:"which methods found managers, joined by _and_; none if none did"`
	Tried       []string       `json:"tried" description:"methods that were asked"`
	NotTried    []string       `json:"notTried" description:"existing methods that returned no result"`
	Events      eventReading   `json:"events" description:"read, or why the node's events were not"`
	Managers    []foundManager `json:"managers" description:"managers, and how each was found"`
	Truncated   bool           `json:"truncated" description:"there are more"`
	MayBeMore   bool           `json:"mayBeIncomplete" description:"always true: a manager that someone else created is found only if it is registered, has a cap or is named"`
	Limitations []string       `json:"limitations" description:"conclusions that an empty result does not support"`
}

func discoveryOf(d deepbook.Discovery) discovery {
	out := discovery{
		Method: "none", Tried: []string{"registry", "events", "caps"}, NotTried: []string{}, Truncated: d.Truncated,
		MayBeMore: true,
		Limitations: []string{"registry_lists_registered_managers_only", "events_are_selected_by_sender_not_by_owner",
			"a_cap_may_have_been_revoked", "not_a_complete_list_of_balance_managers"},
		Managers: []foundManager{}, Events: eventReading(d.Events),
	}
	if d.Events != deepbook.EventsRead {
		out.Tried, out.NotTried = []string{"registry", "caps"}, []string{"events"}
		out.Limitations[1] = "events_" + string(d.Events)
	}
	for _, name := range []struct {
		method string
		of     []deepbook.Method
	}{
		{"registry", []deepbook.Method{deepbook.ByRegistry}},
		{"events", []deepbook.Method{deepbook.ByEvent}},
		{"caps", []deepbook.Method{deepbook.ByTradeCap, deepbook.ByDepositCap, deepbook.ByWithdrawCap}},
		{"owner_field", []deepbook.Method{deepbook.ByOwner}},
	} {
		switch found := foundBy(d, name.of); {
		case found && out.Method == "none":
			out.Method = name.method
		case found:
			out.Method += "_and_" + name.method
		}
	}
	if foundBy(d, []deepbook.Method{deepbook.ByOwner}) {
		out.Tried = append(out.Tried, "owner_field")
	}
	for _, m := range d.Managers {
		out.Managers = append(out.Managers, foundManager{m.ID, m.Methods})
	}
	return out
}

func foundBy(d deepbook.Discovery, methods []deepbook.Method) bool {
	for _, m := range d.Managers {
		for _, by := range m.Methods {
			for _, wanted := range methods {
				if by == wanted {
					return true
				}
			}
		}
	}
	return false
}

// coinAmounts holds amounts of a pool's coins and of DEEP in display form.
type coinAmounts struct {
	Base  sui.Decimal `json:"base" description:"base coins"`
	Quote sui.Decimal `json:"quote" description:"quote coins"`
	Deep  sui.Decimal `json:"deep" description:"DEEP beyond what base or quote count"`
}

// deepDecimals is the number of decimals of DEEP and of stakes in it.
const deepDecimals = 6

func amountsOf(a deepbook.Amounts, p registry.Pool) coinAmounts {
	return coinAmounts{a.Base.Decimal(p.Base.Decimals), a.Quote.Decimal(p.Quote.Decimals), a.Deep.Decimal(deepDecimals)}
}

// accountSummary describes a balance manager's account in a pool.
type accountSummary struct {
	Settled     coinAmounts `json:"settledBalances" description:"settled but not withdrawn; lockedBalances include it, so never add both"`
	Owed        coinAmounts `json:"owedBalances" description:"owed to the pool"`
	Rebates     coinAmounts `json:"unclaimedRebateBalances" description:"rebates not claimed"`
	ActiveStake sui.Decimal `json:"activeStake" description:"DEEP staked in this pool"`
	NewStake    sui.Decimal `json:"inactiveStake" description:"DEEP that counts from the next epoch on"`
	Epoch       uint64      `json:"epoch" description:"epoch of the ledger's last change"`
}

// openOrder is an open order in a pool's book.
type openOrder struct {
	ID        string      `json:"orderId" description:"the chain's number of the order"`
	Side      string      `json:"side" description:"bid or ask"`
	Price     sui.Decimal `json:"price" description:"quote coins per base coin"`
	Quantity  sui.Decimal `json:"quantity" description:"base coins ordered"`
	Remaining sui.Decimal `json:"remaining" description:"base coins not filled yet"`
	Expires   string      `json:"expiresAt" description:"UTC, or never"`
	Expired   bool        `json:"expired" description:"true if expired when read; it rests until it is matched"`
	FeeInDeep bool        `json:"feeInDeep" description:"its fee is counted in DEEP"`
}

// neverFrom is the lowest expiry that counts as never. Clients use several values for it.
const neverFrom = 1844674407370955161

func openOrderOf(o deepbook.OpenOrder, p registry.Pool, at time.Time) openOrder {
	out := openOrder{
		ID: o.ID, Side: "ask", Price: o.Price.Decimal(p.PriceDecimals()), Quantity: o.Quantity.Decimal(p.Base.Decimals),
		Remaining: o.Remaining.Decimal(p.Base.Decimals), Expires: "never", FeeInDeep: o.FeeInDeep,
	}
	if o.IsBid {
		out.Side = "bid"
	}
	if o.ExpireMs < min(neverFrom, math.MaxInt64) {
		expires := time.UnixMilli(int64(o.ExpireMs)).UTC()
		out.Expires, out.Expired = expires.Format(time.RFC3339), at.After(expires)
	}
	return out
}

// activeScope returns the scope of the active account, or fault.ActiveAccountNotSet.
func activeScope(c tool.Call, accounts accounts) (accountScope, error) {
	active, ok, err := accounts.Active(c.Context())
	if err == nil && !ok {
		err = fault.New(fault.ActiveAccountNotSet,
			"No wallet account is connected, and only its own managers are read. Connect a wallet first.").
			With("action", "connect_wallet_identity")
	}
	return activeScopeOf(active), err
}

// readInventory returns the holdings in as much detail as the arguments allow.
func readInventory(c tool.Call, inv inventory, network string, scope accountScope, in inventoryIn) (inventoryOut,
	error) {
	out := inventoryOut{Network: network, Scope: scope, Semantics: evidence.DisplayInventory()}
	var asked sui.ObjectID
	var err error
	if in.Pool != "" {
		p, err := registry.FindPool(string(in.Pool))
		if err != nil {
			return out, err
		}
		out.Requested.Pool = p.Key
	}
	if in.Manager != "" {
		if asked, err = sui.ParseAccount(string(in.Manager)); err != nil {
			return out, named("managerAddress", err)
		}
		out.Requested.Manager = &asked
	}
	found, err := inv.Discover(c.Context(), scope.Account, asked)
	if err != nil {
		return out, err
	}
	out.Discovery, out.FetchedAt = discoveryOf(found), readAt(found.At)
	out.Source = sourceOf(deepbook.Source{Package: found.Package}, "registry::get_balance_manager_ids")
	for _, m := range found.Managers {
		out.Managers = append(out.Managers, m.ID)
	}
	if only, one := onlyManager(found); in.Manager == "" && in.Pool != "" && one {
		asked = only
	}
	switch {
	case in.Pool == "" && in.Manager == "":
		out.Detail = detailDiscoveryOnly
	case in.Pool == "":
		out.Detail = detailPoolRequired
	case asked.IsZero():
		out.Detail = detailManagerMissing
	case !found.Has(asked):
		out.Detail = detailNotDiscovered
	default:
		a, err := inv.Account(c.Context(), string(in.Pool), asked)
		if err != nil {
			return out, err
		}
		out.fill(a)
	}
	if in.Pool == "" {
		err = out.hold(c.Context(), inv, found, asked)
	}
	return out, err
}

// onlyManager returns the account's own balance manager if exactly one was found.
func onlyManager(found deepbook.Discovery) (id sui.ObjectID, one bool) {
	for _, m := range found.Managers {
		if m.Own() {
			id, one = m.ID, id.IsZero()
			if !one {
				return sui.ObjectID{}, false
			}
		}
	}
	return id, one && !found.Truncated
}

// fill adds a balance manager's holdings in a pool.
func (o *inventoryOut) fill(a deepbook.PoolAccount) {
	o.Detail, o.Exists, o.FetchedAt = detailNoAccount, &a.Exists, readAt(a.At)
	o.Source = sourceOf(a.Source, a.Functions[0])
	o.Source.Method = "one_simulated_transaction"
	if !a.Exists {
		return
	}
	o.Detail = detailAvailable
	p := poolOf(a.Pool)
	owns, free, locked := a.Owner == o.Scope.Account, amountsOf(a.Free, a.Pool), amountsOf(a.Locked, a.Pool)
	o.Pool, o.Owned, o.Free, o.Locked = &p, &owns, &free, &locked
	o.Summary = &accountSummary{
		Settled: amountsOf(a.Settled, a.Pool), Owed: amountsOf(a.Owed, a.Pool), Rebates: amountsOf(a.Rebates, a.Pool),
		ActiveStake: a.ActiveStake.Decimal(deepDecimals), NewStake: a.NewStake.Decimal(deepDecimals), Epoch: a.LedgerEpoch,
	}
	count, cut := len(a.Orders), len(a.Orders) > mostOpenOrders
	o.Count, o.Truncated = &count, &cut
	for _, order := range a.Orders[:min(count, mostOpenOrders)] {
		o.IDs = append(o.IDs, order.ID)
		o.Orders = append(o.Orders, openOrderOf(order, a.Pool, a.At))
	}
}
