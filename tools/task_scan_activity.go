package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const toolScanTask = "task.scan_activity"

// mostScanPages is the maximum number of requests to the provider in one scan.
const mostScanPages = 20

// scanPages is the maximum number of pages to read from the provider.
type scanPages int64

// Shape implements tool.Shaped.
func (scanPages) Shape() tool.Shape { return tool.Between(1, mostScanPages) }

type scanActivityIn struct {
	Account      wholeAddress          `json:"account,omitempty" brief:"" description:"default: active account"`
	Relationship activity.Relationship `json:"relationship" default:"affected" brief:"" description:"sent: signed by it"`
	Pages        scanPages             `json:"pages" default:"20" brief:"" description:"max pages of the provider"`
	Cursor       string                `json:"cursor,omitempty" brief:"" description:"continuationCursor of an earlier result"`
	Since        when                  `json:"fromTimestamp,omitempty" description:"ISO 8601"`
	Until        when                  `json:"toTimestamp,omitempty" description:"ISO 8601"`
}

// scannedTotal is the result of a scan: sums without rows. The rows are stored on this machine if
// the account is known here.
type scannedTotal struct {
	Account      sui.Address           `json:"account"`
	Relationship activity.Relationship `json:"relationship"`
	Rows         int                   `json:"transactionCount"`
	Sent         int                   `json:"sentCount"`
	Net          []string              `json:"netChanges"` // sums over the rows, including gas
	Fees         feesPaid              `json:"feesPaid"`   // sums over the rows
	Completeness activity.Completeness `json:"balanceChangeCompleteness"`
	Incomplete   int                   `json:"incompleteBalanceRowCount"`
	Newest       *time.Time            `json:"newestAt,omitempty"`
	Oldest       *time.Time            `json:"oldestAt,omitempty"`
	Stored       int                   `json:"storedCount"`
	Skipped      int                   `json:"skippedCount"`
	Reason       string                `json:"notStoredReason,omitempty"`
	Pages        int                   `json:"providerPageCount"`
	HasMore      bool                  `json:"hasMore"`
	Cursor       string                `json:"continuationCursor,omitempty"`
	Complete     *bool                 `json:"windowComplete"`
	Next         string                `json:"next,omitempty"`
	Boundary     string                `json:"boundary"`
}

// taskScanActivity starts a task that scans more pages than one call can.
func taskScanActivity(r runner, d activityReader, a accounts, c conversations, network string) tool.Tool {
	return tool.Declare(tool.Spec[scanActivityIn, begunOut]{
		Name:      toolScanTask,
		Title:     "Scan activity over several pages",
		Summary:   "Counts and sums an account's past transactions, as a task; rows of the user's accounts are stored here.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.AddsLocal,
		Toolset:   toolsetBus,
		Errors:    []fault.Code{fault.ActiveAccountNotSet, fault.RateLimited},
		Cases:     begunCases("It scans page by page; the result has counts and sums."),
		Examples: []tool.Example{
			{Name: "own", Given: givenConnected, In: `{"pages":2}`, Case: caseBegun},
			{Name: "nobody connected", Given: givenNothing, In: `{}`, Fault: fault.ActiveAccountNotSet},
			{Name: "too many tasks", Given: givenBusy, In: `{}`, Fault: fault.RateLimited},
			{Name: "too many", Given: givenConnected, In: `{"pages":21}`, Fault: fault.InputInvalid},
		},
		Run: func(call tool.Call, in scanActivityIn) (begunOut, error) {
			scope, err := in.Account.scope(call, a)
			if err != nil {
				return begunOut{}, err
			}
			q := activity.Query{Account: scope.Account, Relationship: in.Relationship}
			if err := (windowIn{Cursor: in.Cursor, Since: in.Since, Until: in.Until}).into(&q); err != nil {
				return begunOut{}, err
			}
			if err := q.Check(); err != nil {
				return begunOut{}, err
			}
			t, err := r.Start(call.Context(), worker.Job{Session: c.Bus(call.Context()), Kind: bus.KindScan, Tool: toolScanTask},
				func(ctx context.Context, tell worker.Tell) (any, error) {
					total, err := d.ScanPages(ctx, q, int(in.Pages), func(t activity.Total) error {
						return tell(fmt.Sprintf("page_%d", t.Pages), fmt.Sprintf("%d transactions so far", t.Rows),
							min(1, float64(t.Pages)/float64(in.Pages)))
					})
					return scannedAll(q, total), err
				})
			return beganAs(call, network, t), err
		},
		Undo: unbegin(c),
	})
}

func scannedAll(q activity.Query, t activity.Total) scannedTotal {
	out := scannedTotal{Account: q.Account, Relationship: q.Relationship, Rows: t.Rows, Sent: t.Requested.Sent,
		Net: flowTexts(t.Requested.Flows), Fees: showFees(t.Requested.Fees), Completeness: t.Requested.Completeness,
		Incomplete: t.Requested.Incomplete,
		Newest:     t.Newest, Oldest: t.Oldest, Stored: t.Stored, Skipped: t.Skipped, Reason: t.Reason, Pages: t.Pages,
		HasMore: t.Cursor != "", Cursor: t.Cursor, Complete: t.Complete, Boundary: pageBoundary}
	if t.Stored > 0 {
		out.Next = "The rows are kept on this machine: " + toolStoredActivity + " reads them."
	}
	return out
}
