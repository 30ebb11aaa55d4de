package review_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// The oracle of TestPaidTwiceModel. It knows what the chain executed and what the user ticked, and
// uses nothing of the product's own comparison.

// notice remembers when the user could first read that a transaction happened.
func (h *house) notice() {
	for _, tx := range h.handed {
		if !tx.told.IsZero() || !h.executed(tx) {
			continue
		}
		s, err := openHouse.dbs[0].Review(h.ctx, tx.review)
		if err == nil && s.Status == record.Success && s.Execution.TxDigest == sui.TransactionDigest(tx.raw).String() {
			tx.told = openHouse.now
		}
	}
}

func (h *house) executed(tx *handedTx) bool {
	_, ok := h.chain.executed[sui.TransactionDigest(tx.raw)]
	return ok
}

// judge holds what happened against what the user said.
func (h *house) judge() {
	for i, second := range h.handed {
		if !h.executed(second) {
			continue
		}
		h.seen["executed"]++
		if tx, err := sui.DecodeTransaction(second.raw); err == nil && len(tx.Gas.Payment) == 0 {
			h.seen["coinless executed"]++
		}
		if second.secret {
			h.seen["secretly executed"]++
		}
		if second.told.IsZero() {
			h.wrong = append(h.wrong, fmt.Sprintf("review %s was executed, and nobody is told", second.review))
		}
		for _, first := range h.handed[:i] {
			if h.executed(first) && slices.ContainsFunc(first.payments,
				func(p pays) bool { return slices.Contains(second.payments, p) }) {
				h.twice(first, second)
			}
		}
	}
}

// twice judges two transactions that happened and make a payment both.
func (h *house) twice(first, second *handedTx) {
	switch {
	case first.bundle != "" && first.bundle == second.bundle && first.review != second.review:
		h.seen["equal steps"]++
	case slices.Contains(second.accepted, "again:"+string(first.review)),
		first.bundle != "" && slices.Contains(second.accepted, "again:"+first.bundle):
		h.seen["twice on the person's word"]++
	case !first.told.IsZero() && second.at.Sub(first.told) >= 10*time.Minute:
		h.seen["twice after a while"]++
	default:
		h.wrong = append(h.wrong, fmt.Sprintf("%s and then %s made the same payment, without a word: %v, %v", first.review,
			second.review,
			first.payments, second.accepted))
	}
}

// freeLedger is the ledger's node, which also executes what uses several coins, or none.
type freeLedger struct{ *ledger }

// run executes a transaction; false if the chain's rules forbid it.
func (l freeLedger) run(raw []byte) bool {
	d := sui.TransactionDigest(raw)
	if _, done := l.executed[d]; done {
		return true
	}
	tx, err := sui.DecodeTransaction(raw)
	if err != nil {
		return false
	}
	switch e := tx.Expiration.(type) {
	case sui.EpochExpiration:
		if l.epoch > e.Epoch {
			return false
		}
	case sui.ValidDuring:
		if l.epoch != *e.MaxEpoch {
			return false
		}
	}
	uses := slices.Clone(tx.Gas.Payment)
	for _, in := range tx.Inputs {
		if o, ok := in.(sui.OwnedInput); ok {
			uses = append(uses, o.Ref)
		}
	}
	for _, ref := range uses {
		if l.present(ref.ID) != ref {
			return false
		}
	}
	e := sui.Effects{Digest: d, Sender: tx.Sender, Epoch: l.epoch, Status: sui.ExecutionStatus{OK: true}}
	for _, ref := range uses {
		next := sui.ObjectRef{ID: ref.ID, Version: ref.Version + 3, Digest: l.fresh()}
		l.coins[ref.ID] = append(l.coins[ref.ID], held{ref: next, by: d})
		e.Objects = append(e.Objects, sui.ObjectChange{ID: ref.ID, Change: "mutated", Input: ref.Version,
			Output: next.Version})
	}
	l.executed[d] = sui.Executed{Effects: e}
	return true
}

// Execute implements node.Executor.
func (l freeLedger) Execute(_ context.Context, b, _ []byte) (sui.Executed, error) {
	if err := l.answers(); err != nil {
		return sui.Executed{}, err
	}
	if l.refuses || !l.run(b) {
		return sui.Executed{}, fault.New(fault.ProviderRefused, "The Sui node refused the request.")
	}
	if l.drops {
		return sui.Executed{}, fault.New(fault.ProviderUnavailable, "The answer was lost.")
	}
	return l.executed[sui.TransactionDigest(b)], nil
}

// hastyNode is the ledger's node, which may tell an epoch that has not come.
type hastyNode struct {
	*ledger
	h *house
}

// Epoch implements node.Chain.
func (n hastyNode) Epoch(ctx context.Context) (sui.Epoch, error) {
	e, err := n.ledger.Epoch(ctx)
	e.Number += n.h.ahead
	return e, err
}
