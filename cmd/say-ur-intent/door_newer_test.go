//go:build unix

package main

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/door"
)

// TestNewerClient checks that the server of a client with a newer version replaces an older one.
// The other clients continue with it.
func TestNewerClient(t *testing.T) {
	t.Parallel()
	dir := shelter(t)
	_, node := outside(t)
	older := joins(t, dir, node, asVersion+"=1.4.0")
	task := watchPrice(t, older.mcpClient)
	before := serverOf(dir)
	newest := joins(t, dir, node, asVersion+"=1.5.0")
	after := versionOfServer(t, dir)
	if after.Version != "1.5.0" || after.PID == before {
		t.Fatalf("the server is process %d of version %s; the older one was %d", after.PID, after.Version, before)
	}
	if ids, _ := tasks(t, older.mcpClient); len(ids) != 1 || ids[0] != task {
		t.Errorf("the older client is told of the tasks %v, not of %s", ids, task)
	}
	_ = joins(t, dir, node, asVersion+"=1.4.0")
	if now := versionOfServer(t, dir); now.PID != after.PID {
		t.Errorf("an older client replaced the server: process %d of version %s", now.PID, now.Version)
	}
	if err := newest.call("read.get_server_status", map[string]any{}, &struct{}{}); err != nil {
		t.Error(err)
	}
}

func versionOfServer(t *testing.T, dir string) (is serverStatus) {
	t.Helper()
	if err := askedServer(dir, door.KindStatus, &is); err != nil {
		t.Fatal(err)
	}
	return is
}
