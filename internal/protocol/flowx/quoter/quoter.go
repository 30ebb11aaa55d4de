// Package quoter requests quotes from FlowX's aggregator for a swap of one hop through FlowX's CLMM.
// The aggregator is an outside service. The package does not read the chain.
//
// It rejects a response that does not match the request, or that names pools, packages or objects that
// are not pinned. It chooses no route.
package quoter

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/provider"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// DefaultURL is the aggregator that FlowX runs for mainnet.
const DefaultURL = "https://api.flowx.finance"

// Path is the only path requested. Source is the aggregator's name for FlowX's CLMM.
const (
	Path   = "/flowx-ag-routing/api/v1/quote"
	Source = "FLOWX_CLMM"
)

// Limits of one response.
const (
	maxBody  = 256 << 10
	maxPaths = 16
	maxKept  = 30 * time.Second // maximum age in an HTTP cache
)

// Config configures a client.
type Config struct {
	URL     string           // https://host[:port], or http:// to a numeric loopback address
	Now     func() time.Time // this machine's clock; required
	Timeout time.Duration    // of one request; 0 means ten seconds
	Reach   provider.Reach   // checks every dialed address; nil allows all
	Heard   provider.Heard   // receives the outcome of each request
}

// Client queries one aggregator. It is safe for concurrent use.
type Client struct {
	server *provider.Client
	now    func() time.Time
}

// New returns a client without sending a request. It returns fault.InputInvalid for an address without
// TLS, unless it is on this machine.
func New(c Config) (*Client, error) {
	if c.Now == nil {
		return nil, errors.New("quoter: no clock")
	}
	server, err := provider.New(provider.Config{
		URL: c.URL, Name: "the FlowX quoter", Advice: "the pinned pools are listed without it.", MaxBody: maxBody,
		Timeout: c.Timeout,
		Reach:   c.Reach, Heard: c.Heard,
	})
	if err != nil {
		return nil, err
	}
	return &Client{server: server, now: c.Now}, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.server.Close() }

// Request asks for a quote for paying exactly Amount of From to receive To.
type Request struct {
	From, To coins.Coin
	Amount   sui.Raw
}

// Leg is a pool that the router chose, with the amounts that pass through it.
type Leg struct {
	Pool    registry.Pool
	XForY   bool // the swap pays X of the pool
	In, Out sui.Raw
}

// Quote is the router's response after it was checked against the pins and the request. Each leg is a
// route of one hop, and the legs' amounts add up to Amount and Out.
type Quote struct {
	Request
	Out  sui.Raw
	Legs []Leg
	At   time.Time // when this machine received the response
}

// Quote requests an indicative quote. It returns fault.RegistryMiss for coins without a common pinned
// pool, and fault.QuoteUnavailable if the router has no usable route. For a response that contradicts
// the request or the pins, it returns fault.ProviderMismatch. The details of the last two name the
// violated rule.
func (c *Client) Quote(ctx context.Context, r Request) (Quote, error) {
	if _, err := registry.Between(r.From, r.To); err != nil {
		return Quote{}, err
	}
	if r.Amount == 0 {
		return Quote{}, fault.New(fault.InputInvalid, "The amount is zero. Give how much %s would be paid.", r.From.Symbol)
	}
	answer, err := c.server.Get(ctx, Path, url.Values{
		"tokenIn":        {string(r.From.Type)},
		"tokenOut":       {string(r.To.Type)},
		"amountIn":       {r.Amount.String()},
		"includeSources": {Source},
		"maxHops":        {"1"},
	})
	if err != nil {
		return Quote{}, err
	}
	if answer.Age > maxKept {
		return Quote{}, unusable("fresh",
			"The FlowX quoter's answer was in a cache for longer than a quote is valid. Ask again.")
	}
	response, err := provider.Decode[response](c.server, answer.Body)
	if err != nil {
		return Quote{}, err
	}
	if response.Code.String() != "0" || response.Data == nil {
		return Quote{}, unusable("answered",
			"The FlowX quoter has no route of one hop through FlowX for this amount now. Try another amount, or ask again later.")
	}
	q, err := response.Data.check(r)
	q.At = c.now().UTC()
	return q, err
}

// unusable returns the error for a route that this program does not use. rule identifies the reason.
func unusable(rule, text string) *fault.Error {
	return fault.New(fault.QuoteUnavailable, "%s", text).With("rule", rule)
}

// contradicts returns the error for a response that violates a rule.
func contradicts(rule, text string) *fault.Error {
	return fault.New(fault.ProviderMismatch, "The FlowX quoter's answer %s. Nothing of it is used.", text).With("rule",
		rule)
}

// response is the aggregator's response. Amounts may be strings or numbers. Other fields are ignored.
type response struct {
	Code json.Number    `json:"code"`
	Data *routeResponse `json:"data"`
}

type routeResponse struct {
	TokenIn   string                   `json:"tokenIn"`
	TokenOut  string                   `json:"tokenOut"`
	AmountIn  json.RawMessage          `json:"amountIn"`
	AmountOut json.RawMessage          `json:"amountOut"`
	Paths     [][]hopResponse          `json:"paths"`
	Config    map[string]placeResponse `json:"protocolConfig"`
}

type hopResponse struct {
	PoolID    string          `json:"poolId"`
	Source    string          `json:"source"`
	TokenIn   string          `json:"tokenIn"`
	TokenOut  string          `json:"tokenOut"`
	AmountIn  json.RawMessage `json:"amountIn"`
	AmountOut json.RawMessage `json:"amountOut"`
	Extra     struct {
		XToY *bool           `json:"swapXToY"`
		Fee  json.RawMessage `json:"fee"`
	} `json:"extra"`
}

type placeResponse struct {
	Registry string `json:"poolRegistryObjectId"`
	Versions string `json:"versionedObjectId"`
	Router   string `json:"wrappedRouterPackageId"`
}

// raw reads an amount in decimal digits, quoted or not. It returns false for signs, points, exponents,
// leading zeros and numbers over 64 bits.
func raw(amount json.RawMessage) (sui.Raw, bool) {
	text := string(amount)
	if len(text) >= 2 && text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	if len(text) > 20 {
		return 0, false
	}
	n, err := sui.ParseRaw(text)
	return n, err == nil
}

// is reports whether a reported coin type, in any notation, is the type of coin.
func is(reported string, coin coins.Coin) bool {
	if len(reported) > 300 {
		return false
	}
	t, err := sui.ParseCoinType(reported)
	return err == nil && t == coin.Type
}

// names reports whether a reported id, in any notation, is id.
func names(reported string, id sui.ObjectID) bool {
	a, err := sui.ParseAddress(reported)
	return err == nil && a == id
}

// check verifies a response and returns an error for the first rule that it violates.
func (t *routeResponse) check(r Request) (Quote, error) {
	in, inOK := raw(t.AmountIn)
	out, outOK := raw(t.AmountOut)
	switch {
	case !is(t.TokenIn, r.From) || !is(t.TokenOut, r.To):
		return Quote{}, contradicts("coins", "is about other coins than were asked for")
	case !inOK || in != r.Amount:
		return Quote{}, contradicts("input_echoed", "is about another amount than was asked for")
	case !outOK:
		return Quote{}, contradicts("output_amount", "has an output that is no whole number of raw units")
	case out == 0:
		return Quote{}, unusable("output_amount", "The FlowX quoter reports an output of zero. Try a larger amount.")
	case len(t.Paths) == 0 || len(t.Paths) > maxPaths:
		return Quote{}, unusable("single_hop", "The FlowX quoter returned no route, or too many.")
	}
	if err := t.placed(); err != nil {
		return Quote{}, err
	}
	q := Quote{Request: r, Out: out}
	var sumIn, sumOut sui.Raw
	for _, path := range t.Paths {
		leg, err := leg(path, r)
		if err != nil {
			return Quote{}, err
		}
		for _, other := range q.Legs {
			if other.Pool.ID == leg.Pool.ID {
				return Quote{}, contradicts("pool_once", "goes through one pool twice")
			}
		}
		if sumIn+leg.In < sumIn || sumOut+leg.Out < sumOut {
			return Quote{}, contradicts("sums", "has parts that exceed every amount")
		}
		sumIn, sumOut = sumIn+leg.In, sumOut+leg.Out
		q.Legs = append(q.Legs, leg)
	}
	if sumIn != in || sumOut != out {
		return Quote{}, contradicts("sums", "has parts that do not add up to its amounts")
	}
	return q, nil
}

// placed checks that the packages and objects in the response are the pinned ones.
func (t *routeResponse) placed() error {
	p, ok := t.Config[strings.ToLower(Source)]
	if !ok || !names(p.Registry, registry.Object) || !names(p.Versions, registry.Versioned) || !names(p.Router,
		registry.WrappedRouter) {
		return contradicts("protocol_config", "names other packages or objects of FlowX than the pinned ones")
	}
	return nil
}

// leg checks one route of the response and returns its only hop.
func leg(path []hopResponse, r Request) (Leg, error) {
	for _, hop := range path {
		if hop.Source != Source {
			return Leg{}, unusable("source",
				"The FlowX quoter chose a venue other than FlowX's own CLMM, which is not used here. Ask again later.")
		}
	}
	if len(path) != 1 {
		return Leg{}, unusable("single_hop",
			"The FlowX quoter chose a route over several pools, which is not used here. Try another amount.")
	}
	hop := path[0]
	id, err := sui.ParseAddress(hop.PoolID)
	if err != nil {
		return Leg{}, contradicts("pool_pinned", "names a pool by an unreadable id")
	}
	pool, ok := registry.PoolByID(id)
	if !ok {
		return Leg{}, unusable("pool_pinned",
			"The FlowX quoter chose a pool that is not in the pinned registry, so it is not used. Ask again later.")
	}
	fee, ok := raw(hop.Extra.Fee)
	if !ok || uint64(fee) != pool.Fee {
		return Leg{}, contradicts("fee_rate", "gives the chosen pool another fee than the pinned one")
	}
	xForY := pool.Sells(r.From)
	if hop.Extra.XToY == nil || *hop.Extra.XToY != xForY || !is(hop.TokenIn, r.From) || !is(hop.TokenOut, r.To) ||
		(!xForY && pool.Y.Type != r.From.Type) {
		return Leg{}, contradicts("direction", "goes through the chosen pool in another direction than was asked for")
	}
	in, inOK := raw(hop.AmountIn)
	out, outOK := raw(hop.AmountOut)
	if !inOK || !outOK || in == 0 || out == 0 {
		return Leg{}, contradicts("hop_amounts", "has a pool whose amounts are zero or unreadable")
	}
	return Leg{Pool: pool, XForY: xForY, In: in, Out: out}, nil
}
