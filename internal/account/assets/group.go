package assets

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
)

// USDGroup is the ID of the only group in this release.
const USDGroup = "SUI_USD_SETTLEMENT_ASSETS"

// DefaultReference is the symbol of the coin that parity is measured against, unless the caller
// names another. It is a unit of measure, not a choice of coin.
const DefaultReference = "USDC"

// Reasons why a pinned coin is not in the group.
const (
	ProtocolFeeAsset = "protocol_fee_asset"
	GasOrVolatile    = "gas_or_volatile_asset"
	VolatileOrNonUSD = "volatile_or_non_usd_asset"
	NotInGroup       = "not_in_usd_settlement_asset_group"
	NotTraded        = "not_referenced_by_a_pinned_pool"
)

// Group is a set of coins that count as one denomination, at equal value. Aliases are common words
// for it. The set is fixed in the pinned registry and says nothing about liquidity, pegs or bank
// money.
type Group struct {
	ID       string
	Aliases  []string
	Members  []Member
	Excluded []Exclusion
}

// Member is a coin in a group, with the keys of the pinned pools that trade it.
type Member struct {
	coins.Coin
	Pools []string
}

// Exclusion is a pinned coin that is not in the group, with the reason.
type Exclusion struct {
	coins.Coin
	Reason string
}

// usdSymbols are the members of USDGroup, and usdAliases are the common words for it.
var (
	usdSymbols = [...]string{"USDC", "USDT", "WUSDC", "WUSDT", "AUSD", "USDSUI", "SUIUSDE"}
	usdAliases = [...]string{"dollar", "dollars", "usd", "usd-like", "stablecoin", "stablecoins", "달러"}
)

// excluded lists coins that a user might expect in the group, with the reason why they are not.
var excluded = map[string]string{
	"DEEP": ProtocolFeeAsset, "SUI": GasOrVolatile, "BETH": VolatileOrNonUSD, "LZWBTC": VolatileOrNonUSD,
	"WETH": VolatileOrNonUSD, "WBTC": VolatileOrNonUSD, "XBTC": VolatileOrNonUSD,
}

// Groups lists the groups of this release. It returns fault.InternalError if the pinned registry
// lacks a required coin.
func Groups() ([]Group, error) {
	if err := registry.Check(); err != nil {
		return nil, err
	}
	return []Group{group(coins.All(), registry.Pools())}, nil
}

// group divides coins into members, in the order of usdSymbols, and exclusions. A coin that no pool
// trades is excluded.
func group(list []coins.Coin, pools []registry.Pool) Group {
	g := Group{ID: USDGroup, Aliases: usdAliases[:]}
	for _, symbol := range usdSymbols {
		i := slices.IndexFunc(list, func(c coins.Coin) bool { return c.Symbol == symbol })
		if i < 0 {
			continue
		}
		keys := []string{}
		for _, p := range pools {
			if p.Has(list[i].Type) {
				keys = append(keys, p.Key)
			}
		}
		if len(keys) == 0 {
			g.Excluded = append(g.Excluded, Exclusion{list[i], NotTraded})
			continue
		}
		g.Members = append(g.Members, Member{list[i], keys})
	}
	for _, c := range list {
		if usdMember(c) {
			continue
		}
		reason := excluded[c.Symbol]
		if reason == "" {
			reason = NotInGroup
		}
		g.Excluded = append(g.Excluded, Exclusion{c, reason})
	}
	return g
}

func usdMember(c coins.Coin) bool { return slices.Contains(usdSymbols[:], c.Symbol) }

// maxWord is the maximum length of an unknown word that an error quotes.
const maxWord = 40

// GroupOf returns the group for a common word, ignoring case and Unicode form. For an unknown word
// it returns fault.InputInvalid, which lists the known ones.
func GroupOf(denomination string) (Group, error) {
	groups, err := Groups()
	if err != nil {
		return Group{}, err
	}
	word := strings.ToLower(strings.TrimSpace(norm.NFKC.String(denomination)))
	var aliases []string
	for _, g := range groups {
		if slices.Contains(g.Aliases, word) {
			return g, nil
		}
		aliases = append(aliases, g.Aliases...)
	}
	shown := []rune(strings.ToValidUTF8(denomination, "\uFFFD"))
	return Group{}, fault.New(fault.InputInvalid,
		"No settlement asset group is known by %q. Known words: %s.", string(shown[:min(len(shown), maxWord)]),
		strings.Join(aliases, ", ")).
		With("field", "denomination").With("reason", "not_allowed").WithList("allowed", aliases)
}

// Symbols lists the members' symbols.
func (g Group) Symbols() []string {
	symbols := make([]string, len(g.Members))
	for i, m := range g.Members {
		symbols[i] = m.Symbol
	}
	return symbols
}

// member returns the member with the given symbol, ignoring case. If there is none, it returns
// fault.InputInvalid for field.
func (g Group) member(symbol, field string) (coins.Coin, error) {
	for _, m := range g.Members {
		if strings.EqualFold(m.Symbol, symbol) {
			return m.Coin, nil
		}
	}
	shown := []rune(strings.ToValidUTF8(symbol, "\uFFFD"))
	return coins.Coin{}, fault.New(fault.InputInvalid, "%q is not in the group %s. Its assets: %s.",
		string(shown[:min(len(shown), maxWord)]), g.ID, strings.Join(g.Symbols(), ", ")).
		With("field", field).With("reason", "not_allowed").WithList("allowed", g.Symbols())
}

// places returns the largest number of decimals of any member.
func (g Group) places() int {
	most := uint8(0)
	for _, m := range g.Members {
		most = max(most, m.Decimals)
	}
	return int(most)
}
