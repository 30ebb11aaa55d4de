//go:build unix

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/testkit/natskit"
)

// whatIsKnown is the text of the error for a call that was interrupted.
const whatIsKnown = "This call may have been executed: read the current state before you call again."

// reviews returns the number of reviews that were ever prepared.
func reviews(t *testing.T, c *mcpClient) int {
	t.Helper()
	var out struct{ Activities []struct{} }
	if err := c.call("read.list_review_activity", map[string]any{}, &out); err != nil {
		t.Fatal(err)
	}
	return len(out.Activities)
}

// steps are the times after the start of a call at which something is killed. How far the call has
// come by then depends on the machine. The checks afterwards hold in any case.
var steps = map[string]time.Duration{"as the call is said": 0, "on its way": time.Millisecond,
	"as it is carried out": 4 * time.Millisecond,
	"later":                12 * time.Millisecond, "later still": 18 * time.Millisecond,
	"as it is answered":   24 * time.Millisecond,
	"once it is answered": 150 * time.Millisecond}

// twoMachines returns paired machines with a connected account, and a client that has made a call.
func twoMachines(t *testing.T) (a *apart, c *mcpClient) {
	t.Helper()
	long.Skip(t, "it starts the program")
	_, node := outside(t)
	a = &apart{t: t, urls: natskit.Server(t, 0), home: shelter(t), away: t.TempDir(), env: []string{node}}
	a.startSharing()
	a.useAccount()
	a.pair("all_tools")
	c, _ = a.connect()
	if n := reviews(t, c); n != 0 {
		t.Fatalf("there are %d reviews", n)
	}
	return a, c
}

// TestShareKilled kills the user's program at each step of a call. The client must learn that the
// outcome is unknown, the call must take effect at most once, and the next program must serve the
// client.
func TestShareKilled(t *testing.T) {
	t.Parallel()
	for name, after := range steps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, c := twoMachines(t)
			killed := make(chan struct{})
			time.AfterFunc(after, func() { defer close(killed); a.killShare() })
			begun := time.Now()
			err := c.call("action.prepare_sui_action_review", swapRequest("10"), &struct{}{})
			said := time.Since(begun)
			<-killed
			least := 1
			if err != nil {
				least = 0
				if !strings.Contains(err.Error(), "person_offline") || !strings.Contains(err.Error(), whatIsKnown) {
					t.Errorf("the client is told: %v", err)
				}
			}
			a.startSharing()
			double.Until(t, "the next call works", func() bool {
				return c.call("read.get_server_status", map[string]any{}, &struct{}{}) == nil
			})
			n := reviews(t, c)
			t.Logf("answered after %s with %v; carried out %d times", said.Round(time.Millisecond), err, n)
			if n < least || n > 1 {
				t.Errorf("it was carried out %d times", n)
			}
			if err := c.call("action.prepare_sui_action_review", swapRequest("10"), &struct{}{}); err != nil || reviews(t, c) != n+
				1 {
				t.Errorf("the client's next call: %v", err)
			}
		})
	}
}

// TestConnectKilled kills the client's side at each step of a call. The call must take effect at
// most once, and the next client on that machine must be served.
func TestConnectKilled(t *testing.T) {
	t.Parallel()
	for name, after := range steps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, c := twoMachines(t)
			time.AfterFunc(after, func() { _ = c.child.Process.Kill() })
			err := c.call("action.prepare_sui_action_review", swapRequest("10"), &struct{}{})
			<-c.wait()
			next, _ := a.connect()
			n := reviews(t, next)
			if n > 1 || err == nil && n != 1 {
				t.Errorf("the call was carried out %d times (%v)", n, err)
			}
		})
	}
	t.Run("what it had begun goes on, and the machine's next client ends it", func(t *testing.T) {
		t.Parallel()
		a, c := twoMachines(t)
		var task struct {
			ID string `json:"task_id"`
		}
		if err := c.call("task.watch_price", map[string]any{"poolKey": "SUI_USDC", "above": "1000"}, &task); err != nil {
			t.Fatal(err)
		}
		_ = c.child.Process.Kill()
		<-c.wait()
		next, _ := a.connect()
		state := func() string {
			t.Helper()
			var out struct {
				Task struct{ State, Outcome string } `json:"task"`
			}
			if err := next.call("task.get", map[string]any{"task_id": task.ID}, &out); err != nil {
				t.Fatal(err)
			}
			return out.Task.State + " " + out.Task.Outcome
		}
		if got := state(); !strings.HasPrefix(got, "working") {
			t.Errorf("it is %q", got)
		}
		if err := next.call("task.cancel", map[string]any{"task_id": task.ID}, &struct{}{}); err != nil {
			t.Fatal(err)
		}
		double.Until(t, "the task has ended", func() bool { return strings.HasPrefix(state(), "cancelled") })
	})
}
