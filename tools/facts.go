package tools

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Facts in answers, which the accompanying lines need not repeat.

// endedAs is the part of a task's result that states how the transaction of a review or step ended.
type endedAs struct {
	Review string `json:"review_session_id"`
	Status string `json:"status"`
	TxHash string `json:"tx_hash"`
	Reason string `json:"failure_reason"`
}

// confirmed is the status of a step that succeeded on chain; the status of its review is success.
const confirmed = "confirmed"

func (e endedAs) fact() tool.Fact {
	if e.Status == confirmed {
		e.Status = string(record.Success)
	}
	return tool.Fact{Review: e.Review, Status: e.Status, Digest: e.TxHash, Reason: e.Reason}
}

// Tells implements tool.Teller.
func (o executionOut) Tells() []tool.Fact {
	f := tool.Fact{Review: o.Session, Status: string(o.Status)}
	if o.Result != nil {
		f.Digest, f.Reason = o.Result.TxDigest, string(o.Result.Failure)
	}
	return []tool.Fact{f}
}

// Tells implements tool.Teller. The fact has no digest or reason, because the answer does not
// contain the execution.
func (o reviewStatusOut) Tells() []tool.Fact {
	return []tool.Fact{{Review: o.Session, Status: string(o.Internal)}}
}

// Tells implements tool.Teller. The facts are the task's outcome and the transactions in its
// result.
func (o taskOut) Tells() []tool.Fact {
	t := o.Task
	if !bus.TaskState(t.State).Ended() {
		return nil
	}
	var result struct {
		endedAs
		Transactions []endedAs `json:"transactions"`
	}
	_ = json.Unmarshal([]byte(t.Result), &result) // a result in another form has no transactions
	facts := []tool.Fact{{Task: t.ID, Outcome: t.Outcome}, result.fact()}
	for _, step := range result.Transactions {
		facts = append(facts, step.fact())
	}
	return facts
}

// Tells implements tool.Teller.
func (o eventsListOut) Tells() []tool.Fact { return shownEvents(o.Events) }

// Tells implements tool.Teller.
func (o eventsWaitOut) Tells() []tool.Fact { return shownEvents(o.Events) }

func shownEvents(list []busEvent) (facts []tool.Fact) {
	for _, e := range list {
		facts = append(facts, tool.Fact{Event: e.Seq})
	}
	return facts
}

// repeats reports whether an event's line would only repeat one of the facts.
func (t *Telling) repeats(ctx context.Context, e bus.Event, facts []tool.Fact) bool {
	if len(facts) == 0 {
		return false
	}
	body, err := bus.Decode(e.Payload)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(facts, func(f tool.Fact) bool {
		if f.Event == int64(e.Seq) {
			return true
		}
		switch v := body.(type) {
		case bus.ToolResult:
			return f.Task == v.TaskID && f.Outcome == outcomeOf(v.Error) || t.sameEnd(ctx, e, f, v)
		case bus.WalletTxResponse:
			return t.sameAnswer(ctx, e, f, v)
		}
		return false
	})
}

// sameEnd reports whether a fact states the same end as a task's result.
func (t *Telling) sameEnd(ctx context.Context, e bus.Event, f tool.Fact, v bus.ToolResult) bool {
	var end endedAs
	if f.Status == "" || json.Unmarshal(v.Result, &end) != nil {
		return false
	}
	return end.Status == f.Status && end.TxHash == f.Digest && end.Reason == f.Reason && t.means(ctx, e, f)
}

// sameAnswer reports whether a fact states the same end as a wallet's response.
func (t *Telling) sameAnswer(ctx context.Context, e bus.Event, f tool.Fact, v bus.WalletTxResponse) bool {
	digest := ""
	if v.TxHash != nil {
		digest = *v.TxHash
	}
	status := bus.Failed
	switch {
	case f.Status == string(record.Success):
		status = bus.Confirmed
	case f.Status != string(record.Failure):
		return false
	case f.Reason == string(record.FailureWalletRejected):
		status = bus.Rejected
	}
	return !v.Claimed && v.Status == status && digest == f.Digest && t.means(ctx, e, f)
}

// means reports whether an event and a fact are about the same transaction or review.
func (t *Telling) means(ctx context.Context, e bus.Event, f tool.Fact) bool {
	return f.Digest != "" || f.Review != "" && t.concerns(ctx, e, &tool.About{Reviews: []string{f.Review}})
}
