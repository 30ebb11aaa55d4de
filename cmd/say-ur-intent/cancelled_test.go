//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestCancelledCallsLeaveNothing cancels calls that create a session and a link. Both must exist if
// the call was answered, and neither if it was not.
func TestCancelledCallsLeaveNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, node := outside(t)
	c, _ := startAlone(t, dir, node)
	p := &pair{t: t, dir: dir}
	if err := p.played(c).connect(); err != nil {
		t.Fatal(err)
	}
	db := openData(t, dir+"/sandbox")
	kept, known := 0, 0 // the link for connecting was opened
	for name, arguments := range map[string]map[string]any{
		"session.create_wallet_identity":          {},
		"settings.create_local_settings_session":  {},
		"action.prepare_external_proposal_review": proposedPayment(),
		"action.prepare_sui_action_review": {"intent": map[string]any{"type": "swap", "protocol": "deep",
			"maxSlippageBps": 50,
			"from":           map[string]any{"symbol": "SUI", "amount": "10"}, "to": map[string]any{"symbol": "USDC"}}},
	} {
		t.Run(name, func(t *testing.T) {
			count := func(answered int) {
				kept += answered
				if name[:6] == "action" {
					known += answered
				}
			}
			answered := cancelMany(t, c, name, arguments)
			count(answered)
			t.Logf("%d of %d were answered", answered, cancelledCalls)
			links, reviews, looks := 0, 0, 0
			if !double.Await(func() bool {
				// A response that was written before the cancellation may arrive after the response
				// to the last ping.
				looks++
				ping := fmt.Sprintf("look %d %s", looks, name)
				if err := c.send(map[string]any{"jsonrpc": "2.0", "id": ping, "method": "ping"}); err != nil {
					t.Fatal(err)
				}
				count(answersUntil(t, c, ping))
				var err error
				if links, err = db.UnopenedLinks(t.Context(), time.Unix(0, 0), time.Now()); err != nil {
					t.Fatal(err)
				}
				_, reviews, err = db.ReviewActivity(t.Context(), history.Scope{Account: sandbox.Account}, 1)
				if err != nil {
					t.Fatal(err)
				}
				return links == kept && reviews == known
			}) {
				t.Errorf("%d links and %d reviews; %d and %d were answered", links, reviews, kept, known)
			}
		})
	}
}

const cancelledCalls = 120

// cancelMany makes calls, cancels each after a different number of pings, and counts the calls that
// were answered anyway.
func cancelMany(t *testing.T, c *mcpClient, tool string, arguments map[string]any) (answered int) {
	t.Helper()
	send := func(frame map[string]any) {
		frame["jsonrpc"] = "2.0"
		if err := c.send(frame); err != nil {
			t.Error(err)
		}
	}
	go func() {
		for i := range cancelledCalls {
			id := fmt.Sprintf("%s %d", tool, i)
			send(map[string]any{"id": id, "method": "tools/call", "params": map[string]any{"name": tool,
				"arguments": arguments}})
			for j := range 8 * (i % 60) {
				send(map[string]any{"id": fmt.Sprintf("ping %d %d", i, j), "method": "ping"})
			}
			send(map[string]any{"method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
		}
		send(map[string]any{"id": "last " + tool, "method": "ping"})
	}()
	return answersUntil(t, c, "last "+tool)
}

// answersUntil counts the calls that are answered before the ping with the given ID.
func answersUntil(t *testing.T, c *mcpClient, ping string) (answered int) {
	t.Helper()
	for last := false; !last; {
		if !c.out.Scan() {
			t.Fatal("the server has ended")
		}
		var m struct {
			ID     string
			Result *struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		last = m.ID == ping
		if m.Result == nil || len(m.Result.Content) == 0 {
			continue
		}
		if m.Result.IsError {
			// A call over the limit of requests is answered too, but creates nothing.
			if text := m.Result.Content[0].Text; !strings.Contains(text, string(fault.RateLimited)) {
				t.Errorf("refused: %s", text)
			}
			continue
		}
		answered++
	}
	return answered
}

// proposedPayment returns arguments with a payment that another program proposes.
func proposedPayment() map[string]any {
	return map[string]any{"proposal": map[string]any{
		"type": proposal.TypePayment, "id": "p-1", "source": map[string]any{"kind": "other", "name": "shop"},
		"network":   "sui:sandbox",
		"createdAt": time.Now().UTC().Format(time.RFC3339), "purpose": "a book",
		"payment": map[string]any{
			"amount":    map[string]any{"symbol": "USDC", "amountDisplay": "2.5", "amountKind": "display_proposal"},
			"recipient": map[string]any{"address": sandbox.Account.String(), "label": "shop"},
		},
	}}
}
