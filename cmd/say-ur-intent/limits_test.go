//go:build unix

package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestLimitsOfThePerson sets a limit on the settings page while a review is ready. The limit must
// apply when the wallet requests the transaction.
func TestLimitsOfThePerson(t *testing.T) {
	d := &demo{process: process{Stdout: io.Discard, Stderr: io.Discard, Now: time.Now}, client: startServer(t,
		t.TempDir())}
	if err := d.connect(); err != nil {
		t.Fatal(err)
	}
	id, page, err := d.prepare("10")
	if err != nil {
		t.Fatal(err)
	}
	shown, err := d.read(page)
	if err != nil {
		t.Fatal(err)
	}
	var settings struct {
		URL string `json:"settingsUrl"`
	}
	if err := d.client.call("settings.create_local_settings_session", map[string]any{}, &settings); err != nil {
		t.Fatal(err)
	}
	own, err := openLink(settings.URL)
	if err != nil {
		t.Fatal(err)
	}
	var saved struct{ Done bool }
	err = own.post("/api/settings/"+own.id+"/limits", map[string]any{
		"perTransaction": []map[string]any{}, "perDay": []map[string]any{{"coin": sui.SUI, "most": "5"}},
		"protocols": []string{}, "recipients": []string{}, "everyProtocol": true, "everyRecipient": true,
	}, &saved)
	if err != nil || !saved.Done {
		t.Fatalf("%+v %v", saved, err)
	}
	err = page.post("/api/review/"+page.id+"/handoff", map[string]any{"revision": shown.Revision,
		"commitment": shown.Commitment}, nil)
	if err == nil || !strings.Contains(err.Error(), "409") || !strings.Contains(err.Error(),
		"Your limit of 24 hours is 5 SUI") {
		t.Fatalf("handed out: %v", err)
	}
	var status struct {
		Internal string `json:"internalStatus"`
		Reason   string `json:"reason"`
		State    struct {
			Checks []struct{ ID, Message, Do string }
		} `json:"reviewState"`
	}
	if err := d.client.call("session.get_review_status", map[string]any{"reviewSessionId": id}, &status); err != nil {
		t.Fatal(err)
	}
	if status.Internal != "blocked" || status.Reason != "allowlist_violation" ||
		status.State.Checks[0].ID != "allowance_per_day" ||
		!strings.Contains(status.State.Checks[0].Do, "settings page") {
		t.Errorf("%+v", status)
	}
}
