package record_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// TestReviewTask checks the bus events for every change of a review.
func TestReviewTask(t *testing.T) {
	now := time.Unix(1_700_000_000, 0).UTC()
	at := func(status record.Status, edit func(*record.Session)) record.Session {
		s := record.Session{ID: "r1", Status: status, Intent: plan.Intent{Asked: "swap 1 SUI to USDC"},
			ExpiresAt: now.Add(time.Hour), BuildExpiresAt: now.Add(time.Minute)}
		if edit != nil {
			edit(&s)
		}
		return s
	}
	handed := func(outcome string) func(*record.Session) {
		return func(s *record.Session) { s.Releases = []record.Release{{Outcome: outcome}} }
	}
	ended := func(reason record.FailureReason, digest string) func(*record.Session) {
		return func(s *record.Session) {
			s.Execution = &record.Execution{Status: s.Status, FailureReason: reason, TxDigest: digest}
		}
	}
	ready := at(record.Ready, nil)
	for _, c := range []struct {
		name          string
		before, after record.Session
		want          string // the types of the events, in their order
		line          string // the last one that the agent hears
		state         bus.TaskState
		waits         string
	}{
		{"opened", at(record.Proposed, nil), at(record.AwaitingWallet, nil), "ToolProgress", "", bus.Working, "person"},
		{"R003-31 ready", at(record.WalletConnected, nil), ready, "ToolProgress WalletTxRequest", "", bus.Working, "wallet"},
		{"same", ready, ready, "", "", bus.Working, "person"},
		{"blocked recovers", ready, at(record.Blocked, nil), "ToolProgress", "", bus.Working, "person"},
		{"handed out", ready, at(record.Ready, handed("")), "ToolProgress", "", bus.Working, "wallet"},
		{"R003-72 rejected", at(record.Ready, handed("")), at(record.RefreshRequired, handed(record.OutcomeRejected)),
			"ToolProgress WalletTxResponse", "tx rejected by the user", bus.Working, "person"},
		{"submitted", at(record.Ready, handed("")), at(record.SignedPendingResult, handed("")), "ToolProgress", "",
			bus.Working, "chain"},
		{"R003-74 success", at(record.SignedPendingResult, nil), at(record.Success, ended("", "D1")),
			"ToolProgress WalletTxResponse ToolResult", "completed: {", bus.Completed, ""},
		{"failed on chain", at(record.SignedPendingResult, nil), at(record.Failure, ended(record.FailureChainExecution,
			"D1")),
			"ToolProgress WalletTxResponse ToolResult", "failed: chain_execution_failed", bus.Completed, ""},
		{"declined", ready, at(record.Failure, ended(record.FailureWalletRejected, "")),
			"ToolProgress WalletTxResponse ToolResult", "failed: wallet_rejected", bus.Completed, ""},
		{"expired", ready, at(record.Expired, nil), "ToolProgress ToolResult", "failed: expired", bus.Completed, ""},
		{"after the end", at(record.Success, nil), at(record.Success, handed("")), "", "", bus.Working, "person"},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := c.before.Task("conv")
			task.ID, task.Stage = "t1", "before"
			var told []bus.Event
			if step, ok := c.after.StepSince(c.before); ok {
				var err error
				if task, told, _, err = task.Take(step, now); err != nil {
					t.Fatal(err)
				}
			}
			var types []string
			line := ""
			for _, e := range told {
				if err := e.Check(); err != nil || e.Session != "conv" || e.Subject != "task/t1" {
					t.Errorf("%+v: %v", e, err)
				}
				types = append(types, string(e.Type))
				if l, ok := bus.LineOf(e); ok {
					line = l.Text
				}
				if strings.Contains(string(e.Payload), "digest") {
					t.Errorf("an event has a digest: %s", e.Payload)
				}
			}
			if got := strings.Join(types, " "); got != c.want || !strings.Contains(line, c.line) ||
				(c.line == "") != (line == "") {
				t.Errorf("told %q, the agent %q; want %q, %q", got, line, c.want, c.line)
			}
			if task.State != c.state || task.WaitingFor != c.waits {
				t.Errorf("the task is %s and waits for %q", task.State, task.WaitingFor)
			}
		})
	}
}

// A review that failed without effects and turns out to have executed tells its task so.
func TestStepOfACorrection(t *testing.T) {
	s := func(status record.Status, x *record.Execution) record.Session {
		return record.Session{ID: "r", Status: status, Execution: x}
	}
	dead := s(record.Failure, &record.Execution{FailureReason: record.FailureCannotExecute})
	executed := s(record.Success, &record.Execution{TxDigest: "D1", Receipt: &record.Receipt{OK: true}})
	step, ok := executed.StepSince(dead)
	if !ok || !step.Corrects || step.Error != "" || step.Response == nil || step.Response.Status != bus.Confirmed {
		t.Errorf("%t %+v", ok, step)
	}
	for name, pair := range map[string][2]record.Session{
		"nothing new":      {dead, dead},
		"the same again":   {executed, executed},
		"a late signature": {dead, s(record.SignedPendingResult, nil)},
	} {
		if step, ok := pair[1].StepSince(pair[0]); ok {
			t.Errorf("%s: %+v", name, step)
		}
	}
}
