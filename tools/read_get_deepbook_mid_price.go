package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type midPriceIn struct {
	Pool poolKey `json:"poolKey" description:"such as SUI_USDC"`
}

// priceSemantics describes what a price means.
type priceSemantics struct {
	Kind       string `json:"kind" description:"what the price is"`
	Unit       string `json:"unit" description:"unit of the price"`
	AllowedUse string `json:"allowedUse" description:"the only valid use"`
}

type midPriceOut struct {
	Network   string          `json:"network" description:"network of this server"`
	Pool      pool            `json:"pool" description:"pool that was read"`
	Direction string          `json:"priceDirection" description:"quote coins per base coin"`
	Semantics priceSemantics  `json:"priceSemantics" description:"meaning and limits of the price"`
	Price     sui.Decimal     `json:"price" description:"exact decimal"`
	PriceRaw  sui.Raw         `json:"priceRaw" description:"the pool's own integer"`
	Source    evidence.Source `json:"source" description:"where the price came from"`
	FetchedAt time.Time       `json:"fetchedAt" description:"time this machine received the response, UTC; does not prove freshness"`
}

// readGetDeepbookMidPrice returns one pool's mid price. It does not compare pools or convert
// amounts.
func readGetDeepbookMidPrice(b book, network string) tool.Tool {
	return tool.Declare(tool.Spec[midPriceIn, midPriceOut]{
		Name:    "read.get_deepbook_mid_price",
		Title:   "Get DeepBook mid price",
		Summary: "Returns a pool's current mid price, in quote coins per base coin.",
		Effect:  tool.ReadsChain,
		Errors:  chainErrors(),
		Cases: []tool.Case[midPriceOut]{{
			Name: "price",
			Use: evidence.Use{
				Can:        evidence.Claims{evidence.PoolMidPrice},
				Cannot:     notMoreThanAPrice(),
				Answer:     []string{"pool.key", "price", "priceSemantics.unit", "fetchedAt"},
				Rules:      []string{"priceSemantics.allowedUse", "priceDirection"},
				Diagnostic: []string{"source", "priceRaw", "pool.id"},
				Next: evidence.Ask("read.quote_deepbook_display_amount",
					"It quotes what an amount would get; a mid price does not.").
					Reading("quote.quoteOut", "quote.baseOut"),
			},
		}},
		Examples: []tool.Example{
			{Name: "SUI in USDC", Given: givenNothing, In: `{"poolKey":"SUI_USDC"}`, Case: "price"},
			{Name: "unknown pool", Given: givenNothing, In: `{"poolKey":"NOPE_USDC"}`, Fault: fault.RegistryMiss},
			{Name: "no pool", Given: givenNothing, In: `{}`, Fault: fault.InputInvalid},
			{Name: "retired versions", Given: givenNoVersion, In: `{"poolKey":"SUI_USDC"}`, Fault: fault.QuoteUnavailable},
			{Name: "node down", Given: givenNodeDown, In: `{"poolKey":"SUI_USDC"}`, Fault: fault.ProviderUnavailable},
			{Name: "node refuses", Given: givenNodeRefuses, In: `{"poolKey":"SUI_USDC"}`, Fault: fault.ProviderRefused},
			{Name: "node lies", Given: givenNodeLies, In: `{"poolKey":"SUI_USDC"}`, Fault: fault.ProviderMismatch},
		},
		Run: func(c tool.Call, in midPriceIn) (midPriceOut, error) {
			mid, err := b.MidPrice(c.Context(), string(in.Pool))
			if err != nil {
				return midPriceOut{}, err
			}
			return midPriceOut{
				Network: network, Pool: poolOf(mid.Pool), Direction: "quote_per_base",
				Semantics: priceSemantics{"deepbook_pool_mid_price_snapshot", mid.Pool.Quote.Symbol + " per " +
					mid.Pool.Base.Symbol,
					"price_snapshot_of_one_pool"},
				Price: mid.Price, PriceRaw: mid.Raw, Source: sourceOf(mid.Source, mid.Function), FetchedAt: readAt(mid.At),
			}, nil
		},
	})
}
