package graphql

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/sandbox/past"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// transactionFilter is the schema's TransactionFilter without objects and kinds.
type transactionFilter struct {
	AffectedAddress  *string `json:"affectedAddress"`
	SentAddress      *string `json:"sentAddress"`
	Function         *string `json:"function"`
	AtCheckpoint     *uint64 `json:"atCheckpoint"`
	AfterCheckpoint  *uint64 `json:"afterCheckpoint"`
	BeforeCheckpoint *uint64 `json:"beforeCheckpoint"`
}

// matchesOf returns a function that reports whether a transaction matches the filter of a query.
func matchesOf(args map[string]json.RawMessage) (func(*past.Transaction) bool, error) {
	var f transactionFilter
	if raw, ok := args["filter"]; ok {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if d.Decode(&f) != nil {
			return nil, badInput("Invalid filter, or one that the sandbox does not have")
		}
	}
	if f.AffectedAddress != nil && f.Function != nil {
		return nil, badInput("At most one of [affectedAddress, affectedObject, function, kind] may be used")
	}
	var tests []func(*past.Transaction) bool
	for _, a := range []struct {
		sent *string
		test func(*past.Transaction, sui.Address) bool
	}{
		{f.AffectedAddress, (*past.Transaction).Affects},
		{f.SentAddress, func(p *past.Transaction, a sui.Address) bool { return p.Tx.Sender == a }},
	} {
		if a.sent == nil {
			continue
		}
		address, err := sui.NormalizeAddress(*a.sent)
		if err != nil {
			return nil, badInput("Invalid SuiAddress")
		}
		tests = append(tests, func(p *past.Transaction) bool { return a.test(p, address) })
	}
	if f.Function != nil {
		function, err := parseFunction(*f.Function)
		if err != nil {
			return nil, err
		}
		tests = append(tests, func(p *past.Transaction) bool { return function.calledBy(p) })
	}
	tests = append(tests, f.within)
	return func(p *past.Transaction) bool {
		return p != nil && !slices.ContainsFunc(tests, func(test func(*past.Transaction) bool) bool { return !test(p) })
	}, nil
}

// within reports whether a transaction is in a checkpoint within the filter's bounds. After and
// before are exclusive.
func (f transactionFilter) within(p *past.Transaction) bool {
	if p.Checkpoint == nil {
		return false
	}
	at := *p.Checkpoint
	return (f.AtCheckpoint == nil || at == *f.AtCheckpoint) && (f.AfterCheckpoint == nil || at > *f.AfterCheckpoint) &&
		(f.BeforeCheckpoint == nil || at < *f.BeforeCheckpoint)
}

// transactions lists matching transactions, oldest first.
func (v view) transactions(args map[string]json.RawMessage) (reply, error) {
	matches, err := matchesOf(args)
	if err != nil {
		return reply{}, err
	}
	all := v.all()
	var places []int
	for i, p := range all {
		if matches(p) {
			places = append(places, i)
		}
	}
	if v.faults.Take(v.method, faults.RepeatPage) != nil {
		args = map[string]json.RawMessage{"last": args["last"]}
	}
	w, err := pageOf(args, places, maxPage)
	if err != nil {
		return reply{}, err
	}
	foreign, bare := v.faults.Take(v.method, faults.OtherSender) != nil, v.faults.Take(v.method, faults.NullDetails) != nil
	page := func(at int) reply {
		sender := all[at].Tx.Sender
		if foreign {
			sender = sui.Address(bcs.Hash("say-ur-intent/sandbox/stranger", nil))
		}
		return transactionReply(all[at], sender, bare)
	}
	if v.faults.Take(v.method, faults.ReversePage) != nil {
		shown, straight := slices.Clone(w.places[w.from:w.to]), page
		page = func(at int) reply {
			i, _ := slices.BinarySearch(shown, at)
			return straight(shown[len(shown)-1-i])
		}
	}
	return w.reply("TransactionConnection", page), nil
}

// transaction returns a transaction by digest, or null.
func (v view) transaction(args map[string]json.RawMessage) (reply, error) {
	var sent string
	if err := argument(args, "digest", &sent); err != nil {
		return reply{}, err
	}
	digest, err := sui.ParseDigest(sent)
	if err != nil {
		return reply{}, badInput("Invalid digest")
	}
	if v.faults.Take(v.method, faults.Miss) != nil {
		return reply{}, nil
	}
	for _, p := range v.all() {
		if p != nil && p.Digest == digest {
			return transactionReply(p, p.Tx.Sender, v.faults.Take(v.method, faults.NullDetails) != nil), nil
		}
	}
	return reply{}, nil
}

// checkpointAt returns a checkpoint, or null if it was pruned or does not exist.
func (v view) checkpointAt(n uint64) reply {
	if n < v.first || n >= uint64(len(v.checkpoints)) {
		return reply{}
	}
	c := v.checkpoints[n]
	return typed("Checkpoint", map[string]field{
		"sequenceNumber": fixed(number(n)), "timestamp": fixed(dateTime(c.At)), "digest": fixed(text(c.Digest.String())),
	})
}

// checkpoint returns a checkpoint by number, the newest by default.
func (v view) checkpoint(args map[string]json.RawMessage) (reply, error) {
	n := uint64(len(v.checkpoints) - 1)
	if err := argument(args, "sequenceNumber", &n); err != nil {
		return reply{}, err
	}
	return v.checkpointAt(n), nil
}

// multiGetCheckpoints returns checkpoints in the order of their keys, with null for missing ones.
func (v view) multiGetCheckpoints(args map[string]json.RawMessage) (reply, error) {
	var keys []uint64
	if err := argument(args, "keys", &keys); err != nil {
		return reply{}, err
	}
	if len(keys) > maxMultiGet {
		return reply{}, badInput("Request too many keys at once")
	}
	var found []reply
	for _, n := range keys {
		found = append(found, v.checkpointAt(n))
	}
	return list(found), nil
}

// serviceConfig reports the limits of this service.
func (v view) serviceConfig() reply {
	most := func(args map[string]json.RawMessage) (reply, error) {
		var typ, field string
		if err := argument(args, "type", &typ); err != nil {
			return reply{}, err
		}
		if err := argument(args, "field", &field); err != nil {
			return reply{}, err
		}
		switch typ + "." + field {
		case "Query.transactions", "ProgrammableTransaction.commands", "ProgrammableTransaction.inputs",
			"TransactionEffects.balanceChanges", "TransactionEffects.events":
			return number(maxPage), nil
		case "TransactionEffects.objectChanges":
			return number(maxObjectPage), nil
		}
		return reply{}, nil
	}
	return typed("ServiceConfig", map[string]field{
		"maxPageSize": most, "maxMultiGetSize": fixed(number(maxMultiGet)), "maxQueryDepth": fixed(number(maxDepth)),
		"maxQueryNodes": fixed(number(maxNodes)), "maxQueryPayloadSize": fixed(number(maxPayload)),
		"availableRange": fixed(typed("AvailableRange", map[string]field{
			"first": fixed(v.checkpointAt(v.first)), "last": fixed(v.checkpointAt(uint64(len(v.checkpoints) - 1))),
		})),
	})
}
