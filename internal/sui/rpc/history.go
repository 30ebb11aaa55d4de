package rpc

import (
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/shurcooL/graphql"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/provider"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of a history request and its response.
const (
	idleTime  = 30 * time.Second // of an unused connection
	maxCursor = 1 << 10          // bytes of a cursor
	limitsAge = time.Hour        // how long a service's reported limits are cached
)

// Numbers of items requested of each list in every transaction of a page, and the smaller numbers
// requested if the response was too large.
const (
	mostCalls, mostInputs, mostBalances, mostObjects, mostEvents = 50, 50, 100, 100, 50

	leanItems = 4
)

// History queries a GraphQL service for past transactions. It is safe for concurrent use and connects
// on first use. Every response names its chain, which Config.Admit checks before anything else is used.
// It caches only the service's limits.
type History struct {
	queries *queries
	now     func() time.Time
	timeout time.Duration
	admit   func(sui.Digest) error
	heard   provider.Heard

	mu     sync.Mutex
	limits sui.PastLimits
	until  time.Time // when the cached limits expire
}

// NewHistory returns a client without connecting. The URL is https://host[:port]/path, or
// http://ADDRESS:port/path with a numeric loopback address. It returns fault.InputInvalid for anything
// else. Admit may receive a digest of which only the first four bytes are known, as with GraphQLChain.
func NewHistory(cfg Config) (*History, error) {
	if err := checkGraphQL(cfg.URL); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		return nil, fault.New(fault.InternalError, "The GraphQL client needs a clock.")
	}
	h := &History{queries: newQueries(cfg.URL, cfg.Reach), now: cfg.Now, timeout: cfg.Timeout,
		admit: cfg.Admit, heard: cfg.Heard}
	if h.timeout <= 0 {
		h.timeout = defaultTimeout
	}
	return h, nil
}

// checkGraphQL rejects an address that is not valid for a GraphQL service.
func checkGraphQL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return fault.New(fault.InputInvalid,
			"This is not a valid GraphQL URL. Use https://host[:port]/path, without a query.")
	}
	host := *u
	host.Path, host.RawPath = "", ""
	if _, _, err := endpoint(host.String()); err != nil || u.Scheme == "" {
		return fault.New(fault.InputInvalid,
			"A GraphQL address is https://host[:port]/path, or http://127.0.0.1:port/path for a service on this machine.")
	}
	return nil
}

// Close ends idle connections.
func (h *History) Close() { h.queries.close() }

// put sends a query with the client's timeout.
func (h *History) put(ctx context.Context, query any, variables map[string]any) error {
	bounded, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	err := h.queries.put(bounded, query, variables)
	h.heard.Tell(provider.OutcomeOf(ctx, err))
	return err
}

// onChain checks the chain that a response names.
func (h *History) onChain(reported string) error {
	_, err := h.chain(reported)
	return err
}

// chain checks the chain that a response names and returns its mark.
func (h *History) chain(reported string) (sui.ChainMark, error) {
	chain, err := graphChain(reported)
	if err != nil {
		return sui.ChainMark{}, mismatch("its chain identifier is not a digest")
	}
	if h.admit != nil {
		err = h.admit(chain)
	}
	return sui.MarkOf(chain), err
}

// Transactions returns one page of transactions, newest first as far as the service orders them, at
// most q.Most and at most the service's page size. A short or empty page with a cursor is not the last.
// Order and senders are as reported. It returns fault.ProviderMismatch for a page with a repeated
// transaction, too many transactions, or no progress. If a response is too large, it requests fewer
// transactions, and finally a single one with little detail.
func (h *History) Transactions(ctx context.Context, q sui.PastQuery) (sui.PastPage, error) {
	if (q.Affected == nil) == (q.Sent == nil) || (q.Function != "" && q.Sent == nil) || len(q.Cursor) > maxCursor {
		return sui.PastPage{}, fault.New(fault.InputInvalid,
			"Query either the transactions that an address sent or those that affected it. A function requires the former.")
	}
	if q.From != nil && q.To != nil && *q.From > *q.To {
		return sui.PastPage{}, fault.New(fault.InputInvalid, "The first checkpoint of the range is after the last one.")
	}
	limits, err := h.Limits(ctx)
	if err != nil {
		return sui.PastPage{}, err
	}
	size := min(max(q.Most, 1), limits.Transactions)
	page, err := h.page(ctx, q, size, limits)
	for fault.Is(err, fault.TooLarge) && size > 1 {
		size = max(size/8, 1)
		page, err = h.page(ctx, q, size, limits)
	}
	if fault.Is(err, fault.TooLarge) {
		page, err = h.page(ctx, q, 1, lean(limits))
	}
	return page, err
}

// lean returns limits that keep a response small.
func lean(l sui.PastLimits) sui.PastLimits {
	for _, n := range []*int{&l.Calls, &l.Inputs, &l.Balances, &l.Objects, &l.Events} {
		*n = min(*n, leanItems)
	}
	return l
}

// page requests one page with the given limits.
func (h *History) page(ctx context.Context, q sui.PastQuery, size int, limits sui.PastLimits) (sui.PastPage, error) {
	type pageOf struct {
		Nodes    []*graphTransaction
		PageInfo struct {
			HasPreviousPage bool
			StartCursor     *string
		}
	}
	var answer struct {
		ChainIdentifier string
		Transactions    *pageOf `graphql:"transactions(last: $last, before: $before, filter: $filter)"`
	}
	variables := listSizes(limits)
	variables["last"] = graphql.Int(size)
	variables["before"] = (*graphql.String)(nil)
	if q.Cursor != "" {
		variables["before"] = graphql.NewString(graphql.String(q.Cursor))
	}
	type TransactionFilter pastFilter // its name in the schema
	variables["filter"] = TransactionFilter(filterOf(q))
	if err := h.put(ctx, &answer, variables); err != nil {
		return sui.PastPage{}, err
	}
	chain, err := h.chain(answer.ChainIdentifier)
	if err != nil {
		return sui.PastPage{}, err
	}
	reported := answer.Transactions
	if reported == nil {
		return sui.PastPage{}, mismatch("it has no list of transactions")
	}
	if len(reported.Nodes) > size {
		return sui.PastPage{}, mismatch("a page of transactions is larger than requested")
	}
	page := sui.PastPage{Chain: chain}
	seen := map[sui.Digest]bool{}
	for i := len(reported.Nodes) - 1; i >= 0; i-- { // the service returns the oldest first
		t, err := pastOf(reported.Nodes[i], limits)
		if err != nil {
			return sui.PastPage{}, err
		}
		if seen[t.Digest] {
			return sui.PastPage{}, mismatch("it lists one transaction twice")
		}
		seen[t.Digest] = true
		page.Transactions = append(page.Transactions, t)
	}
	if !reported.PageInfo.HasPreviousPage {
		return page, nil
	}
	cursor := reported.PageInfo.StartCursor
	if cursor == nil || *cursor == "" || len(*cursor) > maxCursor || *cursor == q.Cursor {
		return sui.PastPage{}, mismatch("its list of transactions does not advance")
	}
	page.Cursor = *cursor
	return page, nil
}

// pastFilter is the part of the schema's TransactionFilter that is used.
type pastFilter struct {
	AffectedAddress  *sui.Address `json:"affectedAddress,omitempty"`
	SentAddress      *sui.Address `json:"sentAddress,omitempty"`
	Function         string       `json:"function,omitempty"`
	AfterCheckpoint  *uint64      `json:"afterCheckpoint,omitempty"`
	BeforeCheckpoint *uint64      `json:"beforeCheckpoint,omitempty"`
}

// filterOf converts inclusive bounds to the service's exclusive ones.
func filterOf(q sui.PastQuery) pastFilter {
	f := pastFilter{AffectedAddress: q.Affected, SentAddress: q.Sent, Function: q.Function}
	if q.From != nil && *q.From > 0 {
		f.AfterCheckpoint = ptr(*q.From - 1)
	}
	if q.To != nil && *q.To < maxCheckpoint {
		f.BeforeCheckpoint = ptr(*q.To + 1)
	}
	return f
}

// listSizes returns the variables that limit lists inside a transaction.
func listSizes(l sui.PastLimits) map[string]any {
	return map[string]any{
		"calls": graphql.Int(l.Calls), "inputs": graphql.Int(l.Inputs), "balances": graphql.Int(l.Balances),
		"objects": graphql.Int(l.Objects), "events": graphql.Int(l.Events),
	}
}

// Limits returns the service's own limits, capped at the client's. They are requested once an hour.
func (h *History) Limits(ctx context.Context) (sui.PastLimits, error) {
	h.mu.Lock()
	known, until := h.limits, h.until
	h.mu.Unlock()
	if h.now().Before(until) {
		return known, nil
	}
	var answer struct {
		ChainIdentifier string
		ServiceConfig   struct {
			Transactions *int `graphql:"transactions: maxPageSize(type: \"Query\", field: \"transactions\")"`
			Calls        *int `graphql:"calls: maxPageSize(type: \"ProgrammableTransaction\", field: \"commands\")"`
			Inputs       *int `graphql:"inputs: maxPageSize(type: \"ProgrammableTransaction\", field: \"inputs\")"`
			Balances     *int `graphql:"balances: maxPageSize(type: \"TransactionEffects\", field: \"balanceChanges\")"`
			Objects      *int `graphql:"objects: maxPageSize(type: \"TransactionEffects\", field: \"objectChanges\")"`
			Events       *int `graphql:"events: maxPageSize(type: \"TransactionEffects\", field: \"events\")"`
			Checkpoints  *int `graphql:"maxMultiGetSize" json:"maxMultiGetSize"`
		}
	}
	if err := h.put(ctx, &answer, nil); err != nil {
		return sui.PastLimits{}, err
	}
	if err := h.onChain(answer.ChainIdentifier); err != nil {
		return sui.PastLimits{}, err
	}
	// Without a reported limit, assume the smallest useful one.
	bound := func(reported *int, most int) int {
		if reported == nil || *reported < 1 {
			return min(most, 10)
		}
		return min(*reported, most)
	}
	c := answer.ServiceConfig
	l := sui.PastLimits{
		Transactions: bound(c.Transactions, 100), Calls: bound(c.Calls, mostCalls), Inputs: bound(c.Inputs, mostInputs),
		Balances: bound(c.Balances, mostBalances), Objects: bound(c.Objects, mostObjects), Events: bound(c.Events,
			mostEvents),
		Checkpoints: bound(c.Checkpoints, probes),
	}
	h.mu.Lock()
	h.limits, h.until = l, h.now().Add(limitsAge)
	h.mu.Unlock()
	return l, nil
}
