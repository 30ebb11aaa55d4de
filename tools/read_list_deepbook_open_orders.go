package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type openOrdersIn struct {
	Manager publicAddress `json:"managerAddress,omitempty" description:"default: all of the account"`
	Offset  listOffset    `json:"offset" default:"0" brief:"" description:"how many to skip"`
}

// listedOrder is one open order, with the same fields as an order in an intent.
type listedOrder struct {
	Pool      string        `json:"pool" description:"market, as in an order's intent"`
	ID        string        `json:"orderId" description:"the chain's number, which a cancellation names"`
	Side      string        `json:"side" description:"buy or sell, as in an order's intent"`
	Price     sui.Decimal   `json:"price" description:"quote coins per base coin"`
	Unit      string        `json:"unit" description:"unit of the price"`
	Quantity  sui.Decimal   `json:"quantity" description:"base coins ordered"`
	Remaining sui.Decimal   `json:"remaining" description:"base coins not filled yet"`
	Symbol    string        `json:"symbol" description:"symbol of the base coin"`
	Expires   string        `json:"expiresAt" description:"UTC, or never"`
	Expired   bool          `json:"expired" description:"true if expired; it rests until it is matched"`
	Manager   *sui.ObjectID `json:"managerAddress,omitempty" description:"balance manager that pays for it, if several were read"`
}

type openOrdersOut struct {
	Network   string          `json:"network" description:"network of this server"`
	Scope     accountScope    `json:"accountScope" description:"account of the orders"`
	Orders    []listedOrder   `json:"orders" description:"market by market, purchases first, best price first"`
	Count     int             `json:"count" description:"all open orders that were found"`
	Next      *int            `json:"nextOffset,omitempty" description:"offset of the next page"`
	Managers  []sui.ObjectID  `json:"managerAddresses" description:"balance managers that were read"`
	Markets   int             `json:"marketsRead" description:"pinned markets that were asked for each manager"`
	MayBeMore bool            `json:"mayBeIncomplete" description:"always true: unknown managers and markets are not searched"`
	Source    evidence.Source `json:"source" description:"where the list came from"`
	FetchedAt time.Time       `json:"fetchedAt" description:"time this machine received the first response, UTC; does not prove freshness"`
}

// readListDeepbookOpenOrders lists the open orders of the active account's own balance managers in
// all pinned markets. It does not cover managers of others that the account may trade with.
func readListDeepbookOpenOrders(i inventory, accounts accounts, network string) tool.Tool {
	refusal := func(name, situation, in string, code fault.Code) tool.Example {
		return tool.Example{Name: name, Given: situation, In: in, Fault: code}
	}
	return tool.Declare(tool.Spec[openOrdersIn, openOrdersOut]{
		Name:    "read.list_deepbook_open_orders",
		Toolset: toolsetMoney,
		Title:   "List DeepBook open orders",
		Summary: "Lists the active account's open DeepBook orders in all pinned markets and all of its own balance " +
			"managers.",
		Effect: tool.ReadsChain,
		Errors: []fault.Code{fault.QuoteUnavailable, fault.ProviderUnavailable, fault.ProviderRefused, fault.ProviderMismatch,
			fault.ActiveAccountNotSet},
		Cases: []tool.Case[openOrdersOut]{{
			Name: "orders",
			Use: evidence.Use{
				Can: evidence.Claims{evidence.PoolAccountInventory},
				Cannot: evidence.Claims{evidence.EveryManager, evidence.EveryPosition, evidence.AccountBalance,
					evidence.FundingSource},
				Answer:     []string{"count", "orders", "fetchedAt"},
				Rules:      []string{"nextOffset", "mayBeIncomplete"},
				Diagnostic: []string{"managerAddresses", "marketsRead", "source"},
				Next: evidence.Ask(toolPrepare,
					"To cancel one, use intent type cancel-order with its pool, orderId and manager."),
			},
		}},
		Examples: []tool.Example{
			{Name: "all of them", Given: givenManager, In: `{}`, Case: "orders"},
			{Name: "a page", Given: givenManager, In: `{"offset":1}`, Case: "orders"},
			{Name: "one manager", Given: givenManager,
				In: `{"managerAddress":"0x3333333333333333333333333333333333333333333333333333333333333333"}`, Case: "orders"},
			{Name: "no managers at all", Given: givenConnected, In: `{}`, Case: "orders"},
			refusal("somebody else's manager", givenManager,
				`{"managerAddress":"0x4444444444444444444444444444444444444444444444444444444444444444"}`, fault.InputInvalid),
			refusal("no account", givenNothing, `{}`, fault.ActiveAccountNotSet),
			refusal("unknown market", givenManager, `{"poolKey":"SUI_USDC"}`, fault.InputInvalid),
			refusal("retired versions", givenNoVersion, `{}`, fault.QuoteUnavailable),
			refusal("node down", givenNodeDown, `{}`, fault.ProviderUnavailable),
			refusal("node refuses", givenNodeRefuses, `{}`, fault.ProviderRefused),
			refusal("node lies", givenNodeLies, `{}`, fault.ProviderMismatch),
		},
		Run: func(c tool.Call, in openOrdersIn) (openOrdersOut, error) {
			scope, err := activeScope(c, accounts)
			if err != nil {
				return openOrdersOut{}, err
			}
			return openOrdersOf(c.Context(), i, network, scope, in)
		},
	})
}

func openOrdersOf(ctx context.Context, inv inventory, network string, scope accountScope,
	in openOrdersIn) (openOrdersOut, error) {
	out := openOrdersOut{Network: network, Scope: scope, Orders: []listedOrder{}, Managers: []sui.ObjectID{},
		MayBeMore: true}
	var asked sui.ObjectID
	var err error
	if in.Manager != "" {
		if asked, err = sui.ParseAccount(string(in.Manager)); err != nil {
			return out, named("managerAddress", err)
		}
	}
	found, err := inv.Discover(ctx, scope.Account, asked)
	if err != nil {
		return out, err
	}
	out.FetchedAt = readAt(found.At)
	out.Source = sourceOf(deepbook.Source{Package: found.Package}, "pool::get_account_order_details")
	for _, m := range found.Managers {
		if (asked.IsZero() || m.ID == asked) && m.Own() {
			out.Managers = append(out.Managers, m.ID)
		}
	}
	if !asked.IsZero() && len(out.Managers) == 0 {
		return out, fault.New(fault.InputInvalid,
			"%s is not among the account's own balance managers that were found. "+
				"Omit managerAddress to read all of them.", asked).With("field", "managerAddress")
	}
	for _, manager := range out.Managers {
		accounts, _, err := inv.Accounts(ctx, manager)
		if err != nil {
			return out, err
		}
		for _, a := range accounts {
			if a.Owner == scope.Account {
				out.add(a)
			}
		}
	}
	out.Markets, out.Count = len(registry.Pools()), len(out.Orders)
	out.Orders, out.Next = pageOf(out.Orders, in.Offset, mostFound)
	return out, nil
}

// add appends the orders of one market.
func (o *openOrdersOut) add(a deepbook.PoolAccount) {
	for _, order := range a.Orders {
		one := openOrderOf(order, a.Pool, a.At)
		side := "sell"
		if order.IsBid {
			side = "buy"
		}
		listed := listedOrder{
			Pool: a.Pool.Key, ID: one.ID, Side: side, Price: one.Price, Unit: a.Pool.Quote.Symbol + " per " + a.Pool.Base.Symbol,
			Quantity: one.Quantity, Remaining: one.Remaining, Symbol: a.Pool.Base.Symbol, Expires: one.Expires,
			Expired: one.Expired,
		}
		if len(o.Managers) > 1 {
			listed.Manager = &a.Manager
		}
		o.Orders = append(o.Orders, listed)
	}
}
