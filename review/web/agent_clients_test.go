//go:build clients

package web_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestAgentBackendInNode runs a backend and a frontend in another language through a whole cycle:
// actions, the user's decisions, and results.
func TestAgentBackendInNode(t *testing.T) {
	long.Skip(t, "it starts Node")
	r := newRig(t, func(c *config) { c.Hold = 200 * time.Millisecond })
	node := "node"
	if own, err := filepath.Abs("../../bin/node/node_modules/.bin/node"); err == nil {
		if _, err := os.Stat(own); err == nil {
			node = own
		}
	}
	cmd := exec.CommandContext(t.Context(), node, "../../test/clients/agent_backend.mjs", r.origin,
		agentKey(t, r.db, pagetoken.AgentBackend, false), agentKey(t, r.db, pagetoken.AgentFrontend, false))
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	var out struct {
		Status   int
		Accepted []string
		Offered  []string
		Said     []bool
		Results  []actions.Result
	}
	if err != nil || json.Unmarshal(b, &out) != nil {
		t.Fatalf("%v: %s", err, b)
	}
	if out.Status != 202 || len(out.Accepted) != 2 || len(out.Offered) != 2 || out.Offered[0] != "Add Alice" ||
		!out.Said[0] || out.Said[1] {
		t.Errorf("%+v", out)
	}
	if out.Results[0].ActionID != "yes" || !out.Results[0].Success || out.Results[1].ActionID != "no" ||
		out.Results[1].Error != actions.UserRejected {
		t.Errorf("%+v", out.Results)
	}
}
