//go:build clients

package clients_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/built"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestSharedInstallation has two processes of the official MCP client share one server:
// connect in one, review in the other, kill the server in between.
func TestSharedInstallation(t *testing.T) {
	long.Skip(t, "it starts Node and the program")
	_, url := serve(t)
	var got struct {
		Before                  [2][2]string
		Connected, ReviewOrigin string
		Killed, Next            int // processes
		After                   [2][2]string
		Ready, Result, Digest   string
		Joined, Receipt         string
	}
	node(t, &got, nil, "shared.mjs", built.Program(t), shelter(t), url)
	origin := got.Before[0][1]
	want := [2][2]string{{"served", origin}, {"served", origin}}
	if origin == "" || got.Before != want || got.ReviewOrigin != origin {
		t.Errorf("two clients: %v; the second one's link leads to %s", got.Before, got.ReviewOrigin)
	}
	if got.Connected != "connected" {
		t.Errorf("the second client hears of the first one's page: %q", got.Connected)
	}
	if got.After != want || got.Next == got.Killed || got.Next == 0 {
		t.Errorf("after process %d was killed, process %d serves: %v", got.Killed, got.Next, got.After)
	}
	if got.Ready != "ready_for_wallet_review" || got.Result != "success" || got.Digest == "" {
		t.Errorf("the review that was open: %s, then %s (%s)", got.Ready, got.Result, got.Digest)
	}
	if got.Joined != origin || got.Receipt != "success" {
		t.Errorf("a third client: %s, %s", got.Joined, got.Receipt)
	}
}

// shelter returns a place for data directories, whose servers are ended with the test.
func shelter(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		stop := exec.Command(built.Program(t), "stop", "--network", "sandbox")
		stop.Env = append(os.Environ(), "SAY_UR_INTENT_DATA_DIR="+dir)
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return dir
}
