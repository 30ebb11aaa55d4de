package activity

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Maximum lengths of lists in an analysis.
const (
	mostListed = 20
	mostFlows  = 50
)

// Analysis is a deterministic summary of rows. It contains labeled counts only: no profit, no
// positions, and nothing that a transaction could be built from.
type Analysis struct {
	Overview  Overview        `json:"overview"`
	Flows     []Flow          `json:"coinFlows"`
	Gas       GasTotal        `json:"gas"`
	Calls     []Counted       `json:"moveCallTargets"`
	Objects   []Counted       `json:"objectChanges"`
	Events    EventCount      `json:"events"`
	Failures  []FailureCount  `json:"failures"`
	Protocols []ProtocolCount `json:"protocols"`
	Limits    []string        `json:"limitations"`
}

// Overview counts rows. Analyzed counts those with details, which the rest of the analysis uses.
type Overview struct {
	Transactions int        `json:"transactionCount"`
	Analyzed     int        `json:"analyzedTransactionCount"`
	Succeeded    int        `json:"successCount"`
	Failed       int        `json:"failureCount"`
	Unknown      int        `json:"unknownCount"`
	Earliest     *time.Time `json:"earliest,omitempty"`
	Latest       *time.Time `json:"latest,omitempty"`
}

// GasTotal is the total gas cost of all transactions, regardless of who paid. Count is the number
// of transactions with a reported cost.
type GasTotal struct {
	Net   string     `json:"netGasCostRaw"`
	Cost  *SuiAmount `json:"netGasCost,omitempty"`
	Count int        `json:"transactionCount"`
}

// EventCount counts the listed events by type.
type EventCount struct {
	Count int       `json:"count"`
	Types []Counted `json:"types"`
}

// FailureCount is a failure, and the number of times it occurred.
type FailureCount struct {
	Failure
	Count int `json:"count"`
}

// ProtocolCount is the number of transactions that touched a protocol.
type ProtocolCount struct {
	ID      string           `json:"protocolId"`
	Name    string           `json:"name"`
	Count   int              `json:"transactionCount"`
	Actions []sui.ActionKind `json:"primaryActions"`
}

// Limitations of an analysis.
const (
	LimitEmpty       = "empty_result"
	LimitNoDetails   = "details_missing"
	LimitTruncated   = "detail_truncated"
	LimitNoLabels    = "protocol_labels_absent"
	LimitNoError     = "failed_without_error_detail"
	LimitNotWallet   = "coin_flows_are_transaction_aggregates_not_wallet_evidence"
	LimitRows        = "analysis_rows_truncated"
	LimitWindow      = "window_incomplete"
	LimitLatest      = "window_latest_only"
	LimitOrdering    = "ordering_unverified"
	LimitStored      = "stored_scan_incomplete"
	LimitCalls       = "move_call_targets_truncated"
	LimitFlows       = "coin_flows_truncated"
	LimitEvents      = "event_types_truncated"
	LimitNotComplete = "bounded_rows_not_complete_history"
)

// summing accumulates an analysis.
type summing struct {
	out                    Analysis
	flows                  tally
	gas                    big.Int
	calls, objects, events counter
	failures               map[string]int
	limits                 map[string]bool
	protocols              map[string]int
}

// analyse summarizes rows. all is the total number of rows; notes are additional limitations.
func (s *Service) analyse(rows []Transaction, all int, notes ...string) Analysis {
	a := summing{failures: map[string]int{}, limits: map[string]bool{LimitNotWallet: true, LimitNotComplete: true},
		protocols: map[string]int{}}
	a.out.Overview.Transactions = all
	a.out.Failures, a.out.Protocols = []FailureCount{}, []ProtocolCount{}
	for _, n := range notes {
		a.limits[n] = true
	}
	a.limits[LimitRows] = all > len(rows)
	a.limits[LimitEmpty] = len(rows) == 0
	for _, t := range rows {
		a.overview(t)
		if t.Detail == nil {
			a.limits[LimitNoDetails] = true
			continue
		}
		a.detail(t, s.labels.match(t.Detail))
	}
	slices.SortFunc(a.out.Protocols, func(a, b ProtocolCount) int { return s.labels.compare(a.ID, b.ID) })
	return a.done()
}

func (a *summing) overview(t Transaction) {
	o := &a.out.Overview
	switch t.Status {
	case sui.PastSuccess:
		o.Succeeded++
	case sui.PastFailed:
		o.Failed++
		if t.Detail == nil || t.Detail.Failure == nil {
			a.limits[LimitNoError] = true
		}
	default:
		o.Unknown++
	}
	if t.At != nil {
		if o.Earliest == nil || t.At.Before(*o.Earliest) {
			o.Earliest = t.At
		}
		if o.Latest == nil || t.At.After(*o.Latest) {
			o.Latest = t.At
		}
	}
}

func (a *summing) detail(t Transaction, matches []Match) {
	d := t.Detail
	a.out.Overview.Analyzed++
	a.limits[LimitTruncated] = a.limits[LimitTruncated] || !d.Lists.Whole()
	for _, b := range d.Balances {
		a.flows.add(b.Coin, b.Amount)
	}
	if d.Gas != nil {
		a.gas.Add(&a.gas, d.Gas.Net.Big())
		a.out.Gas.Count++
	}
	for _, c := range d.Calls {
		a.calls.add(c.Target)
	}
	for _, o := range d.Objects {
		a.objects.add(o.Change)
	}
	for _, e := range d.Events {
		a.events.add(e.Type)
		a.out.Events.Count++
	}
	if d.Failure != nil {
		a.failed(*d.Failure)
	}
	a.limits[LimitNoLabels] = a.limits[LimitNoLabels] || len(matches) == 0
	for _, m := range matches {
		a.matched(m)
	}
}

func (a *summing) failed(f Failure) {
	key := f.Message + "\x00" + f.Module + "\x00" + f.Function
	if f.Code != nil {
		key += "\x00" + sui.Raw(*f.Code).String()
	}
	if i, ok := a.failures[key]; ok {
		a.out.Failures[i].Count++
	} else if len(a.out.Failures) < mostListed {
		a.failures[key] = len(a.out.Failures)
		a.out.Failures = append(a.out.Failures, FailureCount{f, 1})
	}
}

func (a *summing) matched(m Match) {
	i, ok := a.protocols[m.ID]
	if !ok {
		i = len(a.out.Protocols)
		a.protocols[m.ID] = i
		a.out.Protocols = append(a.out.Protocols, ProtocolCount{ID: m.ID, Name: m.Name, Actions: []sui.ActionKind{}})
	}
	p := &a.out.Protocols[i]
	p.Count++
	if !slices.Contains(p.Actions, m.Action) {
		p.Actions = append(p.Actions, m.Action)
	}
}

func (a *summing) done() Analysis {
	o := &a.out
	flows := a.flows.flows()
	a.limits[LimitFlows] = len(flows) > mostFlows
	a.limits[LimitCalls] = len(a.calls.order) > mostListed
	a.limits[LimitEvents] = len(a.events.order) > mostListed
	o.Flows = flows[:min(len(flows), mostFlows)]
	o.Calls, o.Objects, o.Events.Types = a.calls.top(mostListed), a.objects.top(mostListed), a.events.top(mostListed)
	o.Gas.Net = a.gas.String()
	if o.Gas.Count > 0 {
		cost := suiAmount(&a.gas)
		o.Gas.Cost = &cost
	}
	o.Limits = []string{}
	for word, there := range a.limits {
		if there {
			o.Limits = append(o.Limits, word)
		}
	}
	slices.Sort(o.Limits)
	return *o
}

// counter counts occurrences of words.
type counter struct {
	order []string
	n     map[string]int
}

func (c *counter) add(word string) {
	if c.n == nil {
		c.n = map[string]int{}
	}
	if c.n[word] == 0 {
		c.order = append(c.order, word)
	}
	c.n[word]++
}

// top returns the most frequent words; equal counts are sorted by text.
func (c *counter) top(most int) []Counted {
	out := []Counted{}
	for _, word := range c.order {
		out = append(out, Counted{word, c.n[word]})
	}
	slices.SortFunc(out, func(a, b Counted) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What,
			b.What))
	})
	return out[:min(len(out), most)]
}
