package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type parityIn struct {
	Denomination denomination `json:"denomination" description:"the user's word, such as dollar"`
	Reference    assetSymbol  `json:"referenceAssetSymbol" default:"USDC" brief:"" description:"asset to measure against; not a choice of asset"`
}

// parityPool is the pool that a parity price comes from.
type parityPool struct {
	Key       string      `json:"key" description:"pool that was read"`
	Price     sui.Decimal `json:"price" description:"its mid price, quote per base"`
	PriceRaw  sui.Raw     `json:"priceRaw" description:"the pool's own integer"`
	FetchedAt time.Time   `json:"fetchedAt" description:"time this machine received the response, UTC"`
}

type parityAsset struct {
	coin
	Status string      `json:"status" description:"source of the price, or why it is missing"`
	Price  sui.Decimal `json:"parityPrice,omitempty" description:"reference assets per asset"`
	Pool   *parityPool `json:"pool,omitempty" description:"direct pool evidence"`
	Cause  fault.Code  `json:"cause,omitempty" description:"why the pool gave no price"`
}

type parityExtreme struct {
	Price   sui.Decimal   `json:"parityPrice" description:"reference assets per asset"`
	Symbols []assetSymbol `json:"symbols" description:"assets with that price"`
}

type paritySummary struct {
	Minimum     parityExtreme `json:"minimum" description:"lowest parity price"`
	Maximum     parityExtreme `json:"maximum" description:"highest parity price"`
	Mean        sui.Decimal   `json:"mean" description:"mean of the samples"`
	Median      sui.Decimal   `json:"median" description:"median of the samples"`
	Samples     int           `json:"sampleCount" description:"assets with a price, the reference included"`
	Compared    int           `json:"comparedAssetCount" description:"assets with a price, without the reference"`
	Unavailable int           `json:"unavailableAssetCount" description:"assets without a price"`
	Rounding    string        `json:"rounding" description:"where numbers are rounded"`
}

type parityOut struct {
	Network   string          `json:"network" description:"network of this server"`
	Status    sourceStatus    `json:"answerSourceStatus" description:"whether this server can answer such questions"`
	Group     string          `json:"assetGroupId" description:"group that the denomination means"`
	Reference coin            `json:"referenceAsset" description:"what prices are measured in"`
	Role      string          `json:"referenceAssetRole" description:"meaning and limits of the reference"`
	Unit      string          `json:"parityUnit" description:"unit of a parity price"`
	Summary   paritySummary   `json:"responseSummary" description:"what to answer from"`
	Assets    []parityAsset   `json:"assets" description:"each asset of the group"`
	Source    evidence.Source `json:"source" description:"where the prices came from"`
	FetchedAt time.Time       `json:"fetchedAt" description:"time this machine received the last response, UTC; does not prove freshness"`
}

const referenceRole = "measurement_reference_not_settlement_choice"

// readSummarizeSettlementAssetGroupParity compares the assets of a group by the prices of their
// direct pools. It does not assume a peg or choose an asset.
func readSummarizeSettlementAssetGroupParity(h holdings, about About) tool.Tool {
	return tool.Declare(tool.Spec[parityIn, parityOut]{
		Name:  toolParity,
		Title: "Summarize settlement group parity",
		Summary: "Compares the assets of a settlement group with one of them, by the current mid prices of their " +
			"direct DeepBook pools.",
		Effect: tool.ReadsChain,
		Errors: []fault.Code{fault.ProviderUnavailable, fault.ProviderRefused, fault.ProviderMismatch},
		Cases: []tool.Case[parityOut]{
			{
				Name: "compared", When: func(o parityOut) bool { return o.Summary.Compared > 0 },
				Use: parityUse(evidence.Claims{evidence.SettlementParity, evidence.ParityExtremes},
					"responseSummary.minimum", "responseSummary.maximum", "responseSummary.mean", "responseSummary.median",
					"responseSummary.comparedAssetCount", "referenceAsset.symbol", "fetchedAt"),
			},
			{
				Name: "no pool has a price",
				Use: parityUse(evidence.Claims{evidence.UnpricedAssets}, "responseSummary.unavailableAssetCount", "assets[].symbol",
					"assets[].status", "fetchedAt"),
			},
		},
		Examples: []tool.Example{
			{Name: "dollars", Given: givenNothing, In: `{"denomination":"dollar"}`, Case: "compared"},
			{Name: "against another reference", Given: givenNothing, In: `{"denomination":"달러","referenceAssetSymbol":"USDT"}`,
				Case: "compared"},
			{Name: "retired versions", Given: givenNoVersion, In: `{"denomination":"usd"}`, Case: "no pool has a price"},
			{Name: "unknown denomination", Given: givenNothing, In: `{"denomination":"euro"}`, Fault: fault.InputInvalid},
			{Name: "reference outside the group", Given: givenNothing, In: `{"denomination":"usd","referenceAssetSymbol":"SUI"}`,
				Fault: fault.InputInvalid},
			{Name: "node down", Given: givenNodeDown, In: `{"denomination":"usd"}`, Fault: fault.ProviderUnavailable},
			{Name: "node refuses", Given: givenNodeRefuses, In: `{"denomination":"usd"}`, Fault: fault.ProviderRefused},
			{Name: "node lies", Given: givenNodeLies, In: `{"denomination":"usd"}`, Fault: fault.ProviderMismatch},
		},
		Run: func(c tool.Call, in parityIn) (parityOut, error) {
			p, err := h.Parity(c.Context(), string(in.Denomination), string(in.Reference))
			if err != nil {
				return parityOut{}, err
			}
			return parityOf(p, about), nil
		},
	})
}

func parityUse(can evidence.Claims, answer ...string) evidence.Use {
	return evidence.Use{
		Can: can,
		Cannot: evidence.Claims{evidence.SettlementChoice, evidence.FiatCashOut, evidence.ExternalLookup,
			evidence.StablecoinPeg, evidence.PaymentReadiness, evidence.BestRoute, evidence.RouteRecommendation,
			evidence.TransactionInput, evidence.SigningReadiness, evidence.ProfitAndLoss, evidence.CostBasis},
		Answer:       answer,
		Precondition: []string{sourceStatusPath},
		Rules: []string{"referenceAssetRole", "parityUnit", "responseSummary.unavailableAssetCount",
			"responseSummary.rounding"},
		Diagnostic: []string{"source", "assets[].pool", "answerSourceStatus.requiredTools"},
	}
}

func parityOf(p assets.Parity, about About) parityOut {
	out := parityOut{
		Network: about.Network, Status: sourceStatusOf(about, toolParity), Group: p.Group.ID, Reference: coinOf(p.Reference),
		Role: referenceRole, Unit: "reference_asset_per_group_asset", FetchedAt: readAt(p.At),
		Source: evidence.Source{Kind: evidence.SimulatedRead, Registry: registrySource().Registry,
			Function: "pool::mid_price", Simulation: evidence.SimulationMethod, Precision: evidence.ExactFromRaw},
		Summary: paritySummary{
			Minimum: extremeOf(p.Least), Maximum: extremeOf(p.Most), Mean: p.Mean, Median: p.Median,
			Samples: p.Compared + 1, Compared: p.Compared, Unavailable: p.Missing,
			Rounding: "mid prices are exact; inverted prices, mean and median have at most 9 decimals, half up",
		},
	}
	for _, a := range p.Assets {
		shown := parityAsset{coin: coinOf(a.Coin), Status: string(a.Status), Price: a.Price, Cause: a.Cause}
		if a.Mid != nil {
			shown.Pool = &parityPool{a.PoolKey, a.Mid.Price, a.Mid.Raw, a.Mid.At.UTC()}
		}
		out.Assets = append(out.Assets, shown)
	}
	return out
}

func extremeOf(e assets.Extreme) parityExtreme {
	shown := parityExtreme{Price: e.Price}
	for _, s := range e.Symbols {
		shown.Symbols = append(shown.Symbols, assetSymbol(s))
	}
	return shown
}
