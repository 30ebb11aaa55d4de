package sandbox

import (
	"encoding/json"
	"math/big"
	"net/http"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/sandbox/clmm"
	"github.com/sayurintent/sayurintent/internal/sandbox/httpjson"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// quoterPath is the only path of FlowX's aggregator that the sandbox serves.
const quoterPath = "/flowx-ag-routing/api/v1/quote"

// flowxSource is the quoter's name for FlowX's CLMM.
const flowxSource = "FLOWX_CLMM"

// quoterAnswer is the body of an answer. Code 0 is success; others come with a message.
type quoterAnswer struct {
	Code    int         `json:"code"`
	Message string      `json:"message"`
	Data    *quoterData `json:"data"`
}

// quoterData is a route with its amounts as decimal strings in raw units.
type quoterData struct {
	TokenIn        string                 `json:"tokenIn"`
	TokenOut       string                 `json:"tokenOut"`
	AmountIn       string                 `json:"amountIn"`
	AmountOut      string                 `json:"amountOut"`
	AmountInUSD    string                 `json:"amountInUsd"`
	AmountOutUSD   string                 `json:"amountOutUsd"`
	PriceImpact    json.Number            `json:"priceImpact"`
	FeeToken       string                 `json:"feeToken"`
	FeeAmount      string                 `json:"feeAmount"`
	Paths          [][]quoterHop          `json:"paths"`
	ProtocolConfig map[string]quoterPlace `json:"protocolConfig"`
}

// quoterHop is one swap of a route.
type quoterHop struct {
	PoolID     string      `json:"poolId"`
	Source     string      `json:"source"`
	SourceType string      `json:"sourceType"`
	TokenIn    string      `json:"tokenIn"`
	TokenOut   string      `json:"tokenOut"`
	AmountIn   string      `json:"amountIn"`
	AmountOut  string      `json:"amountOut"`
	Extra      quoterExtra `json:"extra"`
}

// quoterExtra has integers above 2^53, as real answers do.
type quoterExtra struct {
	XToY          bool        `json:"swapXToY"`
	Fee           uint64      `json:"fee"`
	NextPrice     json.Number `json:"nextStateSqrtRatioX64"`
	NextLiquidity json.Number `json:"nextStateLiquidity"`
	NextTick      int32       `json:"nextStateTickCurrent"`
	MinPrice      json.Number `json:"minSqrtPriceHasLiquidity"`
	MaxPrice      json.Number `json:"maxSqrtPriceHasLiquidity"`
}

// quoterPlace names the objects and the package used to call a source.
type quoterPlace struct {
	Registry string `json:"poolRegistryObjectId"`
	Versions string `json:"versionedObjectId"`
	Router   string `json:"wrappedRouterPackageId"`
}

// serve registers the quoter with a mux of its own, which refuses other methods.
func serve(mux *http.ServeMux, l *ledger.Ledger) {
	own := http.NewServeMux()
	own.HandleFunc("GET "+quoterPath, func(w http.ResponseWriter, r *http.Request) { quote(l, w, r) })
	mux.Handle(quoterPath, own)
}

// quote answers like FlowX's aggregator, for its own CLMM and one hop: the best pool, computed
// exactly.
func quote(l *ledger.Ledger, w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	in, inErr := sui.ParseCoinType(query.Get("tokenIn"))
	out, outErr := sui.ParseCoinType(query.Get("tokenOut"))
	amount, err := strconv.ParseUint(query.Get("amountIn"), 10, 64)
	switch {
	case inErr != nil || outErr != nil || err != nil || amount == 0:
		httpjson.Write(w, http.StatusBadRequest, quoterAnswer{Code: 4000, Message: "Bad request"})
		return
	case !strings.Contains(","+query.Get("includeSources")+",", ","+flowxSource+","):
		httpjson.Write(w, http.StatusOK, quoterAnswer{Code: 4221, Message: "No route found"})
		return
	}
	data := routed(pools(l), in, out, amount)
	if data == nil {
		httpjson.Write(w, http.StatusOK, quoterAnswer{Code: 4221, Message: "No route found"})
		return
	}
	httpjson.Write(w, http.StatusOK, quoterAnswer{Message: "Successfully", Data: data})
}

// routed returns the quote of the best pool, or nil if none can swap the whole amount for
// something.
func routed(pools []*clmm.Pool, in, out sui.CoinType, amount uint64) *quoterData {
	var best *clmm.Pool
	var done clmm.Swapped
	for _, p := range pools {
		xForY := p.X.Type == in
		if !(xForY && p.Y.Type == out) && !(p.Y.Type == in && p.X.Type == out) {
			continue
		}
		one, stopped := p.Swap(xForY, amount, nil)
		if stopped == nil && one.In == amount && one.Out > done.Out {
			best, done = p, one
		}
	}
	if best == nil {
		return nil
	}
	text := func(n uint64) string { return strconv.FormatUint(n, 10) }
	least, most := clmm.PriceAt(best.Ticks[0].Index), clmm.PriceAt(best.Ticks[len(best.Ticks)-1].Index)
	return &quoterData{
		TokenIn: string(in), TokenOut: string(out), AmountIn: text(amount), AmountOut: text(done.Out),
		PriceImpact: impact(done), FeeAmount: "0",
		Paths: [][]quoterHop{{{
			PoolID: best.ID.String(), Source: flowxSource, SourceType: flowxSource, TokenIn: string(in),
			TokenOut: string(out),
			AmountIn: text(amount), AmountOut: text(done.Out),
			Extra: quoterExtra{
				XToY: best.X.Type == in, Fee: best.Fee, NextPrice: json.Number(done.After.String()),
				NextLiquidity: json.Number(done.Liquidity.String()), NextTick: done.Tick,
				MinPrice: json.Number(least.String()), MaxPrice: json.Number(most.String()),
			},
		}}},
		ProtocolConfig: map[string]quoterPlace{strings.ToLower(flowxSource): {
			registry.Object.String(), registry.Versioned.String(), registry.WrappedRouter.String(),
		}},
	}
}

// impact returns the relative change of the square root of the price.
func impact(s clmm.Swapped) json.Number {
	moved := new(big.Int).Sub(s.After, s.Before)
	return json.Number(new(big.Rat).SetFrac(moved.Abs(moved), s.Before).FloatString(8))
}
