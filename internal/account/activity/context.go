package activity

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func trimZeros(s string) string { return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") }

// Counted is a word and the number of its occurrences.
type Counted struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// Context describes a whole transaction. It has no balance changes, because those of a whole
// transaction prove nothing about one account.
type Context struct {
	Kind    string     `json:"transactionKind,omitempty"`
	Calls   []Counted  `json:"moveCallTargets"`
	Objects []Counted  `json:"objectChangeCounts"`
	Events  []Counted  `json:"eventTypes"`
	GasNet  *sui.Delta `json:"gasNetCostRaw,omitempty"`
	GasCost *SuiAmount `json:"gasCost,omitempty"`
	Failure *Failure   `json:"executionError,omitempty"`
	Lists   Lists      `json:"truncation"`
	Matches []Match    `json:"protocolMatches"`
}

// Compact is a Context with the transaction's balance changes. Equal changes without an owner are
// counted together. The changes are facts of the transaction, not evidence about one account.
type Compact struct {
	Context
	Balances []CompactBalance `json:"balanceChanges"`
}

// CompactBalance is one balance change, or Count equal ones.
type CompactBalance struct {
	Owner  *sui.Address `json:"owner,omitempty"`
	Coin   sui.CoinType `json:"coinType"`
	Amount sui.Delta    `json:"amountRaw"`
	Count  int          `json:"count"`
}

// contextOf summarizes a detail. It returns nil for nil.
func (s *Service) contextOf(d *Detail) *Context {
	if d == nil {
		return nil
	}
	var calls, objects, events counter
	for _, c := range d.Calls {
		calls.add(c.Target)
	}
	for _, o := range d.Objects {
		objects.add(o.Change)
	}
	for _, e := range d.Events {
		events.add(e.Type)
	}
	c := &Context{Kind: d.Kind, Calls: calls.top(mostListed), Objects: objects.top(mostListed),
		Events:  events.top(mostListed),
		Failure: d.Failure, Lists: d.Lists, Matches: s.labels.match(d)}
	if d.Gas != nil {
		net, cost := d.Gas.Net, d.Gas.Cost
		c.GasNet, c.GasCost = &net, &cost
	}
	return c
}

// compactOf summarizes a detail with its balance changes. It returns nil for nil.
func (s *Service) compactOf(d *Detail) *Compact {
	if d == nil {
		return nil
	}
	c := &Compact{Context: *s.contextOf(d), Balances: []CompactBalance{}}
	type key struct {
		coin   sui.CoinType
		amount sui.Delta
	}
	at := map[key]int{}
	for _, b := range d.Balances {
		k := key{b.Coin, b.Amount}
		if i, ok := at[k]; ok && b.Owner == nil {
			c.Balances[i].Count++
			continue
		}
		if b.Owner == nil {
			at[k] = len(c.Balances)
		}
		c.Balances = append(c.Balances, CompactBalance{b.Owner, b.Coin, b.Amount, 1})
	}
	return c
}
