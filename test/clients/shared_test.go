//go:build clients

package clients_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/built"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestSharedInstallation has two processes of the official MCP client share one
// installation: connect in one, review in the other, kill the owner in between.
func TestSharedInstallation(t *testing.T) {
	long.Skip(t, "it starts Node and the program")
	_, url := serve(t)
	var got struct {
		Before                  [2][2]string
		Connected, ReviewOrigin string
		Takeover                float64 // milliseconds
		After                   [2]string
		Ready, Result, Digest   string
		Joined, Receipt, Log    string
	}
	node(t, &got, nil, "shared.mjs", built.Program(t), t.TempDir(), url)
	origin := got.Before[0][1]
	if origin == "" || got.Before != [2][2]string{{"served", origin}, {"served_by_another_process", origin}} || got.ReviewOrigin != origin {
		t.Errorf("two servers: %v; the second one's link leads to %s", got.Before, got.ReviewOrigin)
	}
	if got.Connected != "connected" {
		t.Errorf("the second client hears of the first one's page: %q", got.Connected)
	}
	if got.After != [2]string{"served", origin} || got.Takeover > 1000 {
		t.Errorf("after %.0f ms: %v", got.Takeover, got.After)
	}
	if got.Ready != "ready_for_wallet_review" || got.Result != "success" || got.Digest == "" {
		t.Errorf("the review that was open: %s, then %s (%s)", got.Ready, got.Result, got.Digest)
	}
	if got.Joined != "served_by_another_process" || got.Receipt != "success" {
		t.Errorf("a third client: %s, %s", got.Joined, got.Receipt)
	}
	if !strings.Contains(got.Log, "this one serves them now") {
		t.Errorf("the log does not tell it: %s", got.Log)
	}
	t.Logf("taken over after %.0f ms", got.Takeover)
}
