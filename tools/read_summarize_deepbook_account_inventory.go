package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type inventoryIn struct {
	Pool    poolKey       `json:"poolKey,omitempty" description:"such as SUI_USDC; default: all"`
	Manager publicAddress `json:"managerAddress,omitempty" description:"default: all of the account"`
}

type inventoryOut struct {
	Network   string                      `json:"network" description:"network of this server"`
	Detail    detailStatus                `json:"detailStatus" description:"available if balances and orders are included; otherwise the missing part"`
	Scope     accountScope                `json:"accountScope" description:"account of the managers"`
	Requested requested                   `json:"requested" description:"the request"`
	Managers  []sui.ObjectID              `json:"managerAddresses" description:"balance managers that were found"`
	Discovery discovery                   `json:"discovery" description:"how they were found; may be incomplete"`
	Exists    *bool                       `json:"accountExists,omitempty" description:"whether the manager has an account in the pool"`
	Semantics evidence.InventorySemantics `json:"quantitySemantics" description:"meaning and limits of the quantities"`
	Pool      *pool                       `json:"pool,omitempty" description:"pool that was read"`
	Owned     *bool                       `json:"managerOwnedByActiveAccount,omitempty" description:"false if the account only holds a cap"`
	Summary   *accountSummary             `json:"accountSummary,omitempty" description:"the pool's ledger of the manager"`
	Free      *coinAmounts                `json:"managerBalances,omitempty" description:"in the manager, not locked in any order"`
	Locked    *coinAmounts                `json:"lockedBalances,omitempty" description:"locked in open orders of this pool, including settled, not withdrawn amounts"`
	Count     *int                        `json:"openOrderCount,omitempty" description:"open orders in this pool"`
	IDs       []string                    `json:"openOrderIds,omitempty" description:"at most 50 of them, bids first, best price first"`
	Truncated *bool                       `json:"openOrderIdsTruncated,omitempty" description:"true if there are more open orders"`
	Orders    []openOrder                 `json:"openOrders,omitempty" description:"the listed orders, decoded"`
	Holdings  []managerHoldings           `json:"holdings,omitempty" description:"without a poolKey: each manager's contents"`
	NotRead   *notRead                    `json:"notRead,omitempty" description:"what holdings omits"`
	Source    evidence.Source             `json:"source" description:"source of the last read"`
	FetchedAt time.Time                   `json:"fetchedAt" description:"time this machine received the response, UTC; does not prove freshness"`
}

// readSummarizeDeepbookAccountInventory returns what the active account holds in DeepBook: either
// in one balance manager and pool, with the account data of that pool, or in the account's own
// managers and all pools. It does not withdraw or cancel anything.
func readSummarizeDeepbookAccountInventory(i inventory, accounts accounts, network string) tool.Tool {
	const name = "read.summarize_deepbook_account_inventory"
	return tool.Declare(tool.Spec[inventoryIn, inventoryOut]{
		Name:    name,
		Title:   "Summarize DeepBook account inventory",
		Summary: "Lists the active account's DeepBook balance managers with balances and open orders.",
		Effect:  tool.ReadsChain,
		Errors:  append(chainErrors(), fault.ActiveAccountNotSet),
		Cases: []tool.Case[inventoryOut]{
			{
				Name: "available",
				When: func(o inventoryOut) bool { return o.Detail == detailAvailable },
				Use: evidence.Use{
					Can:    evidence.Claims{evidence.PoolAccountInventory, evidence.ManagerDiscovery},
					Cannot: evidence.NotInventory(),
					Answer: []string{"detailStatus", "managerAddresses", "requested", "accountExists", "pool.key", "accountSummary",
						"managerBalances", "lockedBalances", "openOrderCount", "openOrderIds", "openOrderIdsTruncated", "openOrders",
						"fetchedAt"},
					Rules: []string{"quantitySemantics.kind", "quantitySemantics.notFor", "discovery.mayBeIncomplete",
						"managerOwnedByActiveAccount"},
					Diagnostic: []string{"source", "discovery.discoveryMethod", "discovery.events", "pool.id"},
				},
			},
			{
				Name: "holdings",
				When: func(o inventoryOut) bool { return len(o.Holdings) > 0 },
				Use: evidence.Use{
					Can:    evidence.Claims{evidence.ManagerHoldings, evidence.ManagerDiscovery},
					Cannot: evidence.Claims{evidence.PoolAccountInventory}.And(evidence.NotInventory()),
					Answer: []string{"detailStatus", "managerAddresses", "requested", "holdings"},
					Rules: []string{"quantitySemantics.notFor", "notRead", "discovery.mayBeIncomplete",
						"discovery.limitations"},
					Diagnostic: []string{"source", "discovery.discoveryMethod", "discovery.events"},
					Next: evidence.Ask(name, "A pool's account data needs a poolKey and one of the managerAddresses.").
						With("managerAddresses").Reading("accountSummary", "lockedBalances", "openOrders"),
				},
			},
			{
				Name: "no_details",
				Use: evidence.Use{
					Can:        evidence.Claims{evidence.ManagerDiscovery},
					Cannot:     evidence.Claims{evidence.PoolAccountInventory}.And(evidence.NotInventory()),
					Answer:     []string{"detailStatus", "managerAddresses", "requested", "accountExists"},
					Rules:      []string{"discovery.mayBeIncomplete", "discovery.limitations"},
					Diagnostic: []string{"source", "discovery.discoveryMethod", "discovery.events"},
					Next: evidence.Ask(name, "Balances and orders need a poolKey and one of the managerAddresses.").
						With("managerAddresses").Reading("accountSummary", "lockedBalances", "openOrders"),
				},
			},
		},
		Examples: inventoryExamples(),
		Run: func(c tool.Call, in inventoryIn) (inventoryOut, error) {
			scope, err := activeScope(c, accounts)
			if err != nil {
				return inventoryOut{}, err
			}
			return readInventory(c, i, network, scope, in)
		},
	})
}

func inventoryExamples() []tool.Example {
	const (
		manager = `"managerAddress":"0x3333333333333333333333333333333333333333333333333333333333333333"`
		other   = `"managerAddress":"0x4444444444444444444444444444444444444444444444444444444444444444"`
		both    = `{"poolKey":"SUI_USDC",` + manager + `}`
	)
	refusal := func(name, situation, in string, code fault.Code) tool.Example {
		return tool.Example{Name: name, Given: situation, In: in, Fault: code}
	}
	return []tool.Example{
		{Name: "one pool of one manager", Given: givenManager, In: both, Case: "available"},
		{Name: "every manager in every pool", Given: givenManager, In: `{}`, Case: "holdings"},
		{Name: "one manager in every pool", Given: givenManager, In: "{" + manager + "}", Case: "holdings"},
		{Name: "the only manager", Given: givenManager, In: `{"poolKey":"SUI_USDC"}`, Case: "available"},
		{Name: "somebody else's manager", Given: givenManager,
			In: `{"poolKey":"SUI_USDC",` + other + "}", Case: "no_details"},
		{Name: "nothing in that pool", Given: givenManager,
			In: `{"poolKey":"DEEP_SUI",` + manager + "}", Case: "no_details"},
		{Name: "no managers at all", Given: givenConnected, In: `{}`, Case: "no_details"},
		refusal("unknown pool", givenManager, `{"poolKey":"NOPE_USDC"}`, fault.RegistryMiss),
		refusal("no account", givenNothing, `{}`, fault.ActiveAccountNotSet),
		refusal("retired versions", givenNoVersion, `{}`, fault.QuoteUnavailable),
		refusal("node down", givenNodeDown, `{}`, fault.ProviderUnavailable),
		refusal("node refuses", givenNodeRefuses, `{}`, fault.ProviderRefused),
		refusal("node lies", givenNodeLies, `{}`, fault.ProviderMismatch),
	}
}
