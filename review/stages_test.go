package review_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

// The log has every stage of a computation in its order, and the request to the wallet
// after all of them.
func TestStagesInTheLog(t *testing.T) {
	var h *testkit.Harness
	h = testkit.Start(t, time.Now, func(c *review.Config) {
		c.Stages = func(ctx context.Context, id record.ID, stages []plan.StageID) error {
			return h.Store.TellStages(ctx, id, stages)
		}
	})
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	task, ok, err := h.Store.TaskOf(t.Context(), record.Subject(s.ID))
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	page, err := h.Store.Since(t.Context(), bus.Cursor{}, bus.Filter{Session: h.Store.Bus(t.Context()), Sees: bus.UI},
		1000)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range page.Events {
		b, err := bus.Decode(e.Payload)
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := b.(bus.ToolProgress); ok && p.TaskID == task.ID {
			told = append(told, p.Stage)
		} else {
			told = append(told, string(e.Type))
		}
	}
	var want []string
	for _, stage := range h.Reviews.Progress(s.ID) {
		want = append(want, string(stage.ID))
	}
	t.Run("R003-12 R003-148 in their order", func(t *testing.T) {
		if got := strings.Join(told, " "); len(want) < 5 || !strings.Contains(got, strings.Join(want, " ")+
			" awaiting_wallet WalletTxRequest") {
			t.Errorf("told %s\nwant %s", got, want)
		}
	})
}
