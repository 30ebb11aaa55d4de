//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// installed creates an installation with a wallet session, and returns its data directory.
func installed(t *testing.T, dir string) (data, session string) {
	t.Helper()
	c, _ := startAlone(t, dir)
	var made struct {
		ID string `json:"walletSessionId"`
	}
	if err := c.call("session.create_wallet_identity", map[string]any{}, &made); err != nil {
		t.Fatal(err)
	}
	c.stop()
	data = filepath.Join(dir, "sandbox")
	// An interrupted reader may leave a write-ahead log, which would hide changes made to the file.
	// Opening the store again merges the log into the file.
	db, err := store.Open(t.Context(), store.Config{Dir: data, Now: time.Now, Hub: &events.Hub{}})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return data, made.ID
}

// refusedStart starts a server that must fail, and returns its error message.
func refusedStart(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	long.Skip(t, "it starts the program")
	child := exec.CommandContext(t.Context(), program(t), append([]string{"--network", "sandbox"}, flags...)...)
	child.Env = append(os.Environ(), asProgram+"=1", "SAY_UR_INTENT_DATA_DIR="+dir)
	var log bytes.Buffer
	child.Stderr = &log
	err := child.Run()
	if child.ProcessState == nil || child.ProcessState.ExitCode() != exitFailed {
		t.Fatalf("it ended with %v: %s", err, log.String())
	}
	return log.String()
}

// TestFaultyData checks that a fault in the data directory stops the start with a clear message and
// without any change. When the fault is fixed, all data is there.
func TestFaultyData(t *testing.T) {
	t.Parallel()
	file := func(data string) string { return filepath.Join(data, "say-ur-intent.db") }
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	poke := func(t *testing.T, path string, at int64, b []byte) func() {
		t.Helper()
		sound, err := os.ReadFile(path)
		must(t, err)
		bad := bytes.Clone(sound)
		copy(bad[at:], b)
		must(t, os.WriteFile(path, bad, 0o600))
		return func() { must(t, os.WriteFile(path, sound, 0o600)) }
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, data string) (mend func())
		says  string
	}{
		"a directory that others can write to": {func(t *testing.T, data string) func() {
			must(t, os.Chmod(data, 0o777))
			return func() { must(t, os.Chmod(data, 0o700)) }
		}, "can be written by other users. Run: chmod 700 "},
		"a file that others can read": {func(t *testing.T, data string) func() {
			must(t, os.Chmod(file(data), 0o644))
			return func() { must(t, os.Chmod(file(data), 0o600)) }
		}, "is accessible to other users. Run: chmod 600 "},
		"a symbolic link in the directory's place": {func(t *testing.T, data string) func() {
			must(t, os.Rename(data, data+"-moved"))
			must(t, os.Symlink(data+"-moved", data))
			return func() { must(t, os.Remove(data)); must(t, os.Rename(data+"-moved", data)) }
		}, "is a symbolic link. Specify the real directory."},
		"a symbolic link in the lock's place": {func(t *testing.T, data string) func() {
			lock := filepath.Join(data, "pages.lock")
			must(t, os.Remove(lock))
			must(t, os.Symlink(filepath.Join(data, "elsewhere"), lock))
			return func() { must(t, os.Remove(lock)) }
		}, "is a symbolic link."},
		"a damaged database": {func(t *testing.T, data string) func() {
			return poke(t, file(data), 0, bytes.Repeat([]byte("garbage "), 200))
		}, "is damaged, or is not a database. To start over, move the data directory away. The file is "},
		"a newer format": {func(t *testing.T, data string) func() {
			return poke(t, file(data), 60, binary.BigEndian.AppendUint32(nil, 999)) // user_version
		}, "was written by a newer version of Say Ur Intent (format 999"},
		"another program's database": {func(t *testing.T, data string) func() {
			return poke(t, file(data), 68, []byte{0, 0, 0, 7}) // application_id
		}, "is another program's database."},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			data, session := installed(t, dir)
			mend := c.spoil(t, data)
			before, err := os.ReadFile(file(data))
			must(t, err)
			if said := refusedStart(t, dir); !strings.Contains(said, c.says) || strings.Contains(said, "goroutine") {
				t.Errorf("it says: %s", said)
			}
			after, err := os.ReadFile(file(data))
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the refused file was changed: %v", err)
			}
			mend()
			again, _ := startAlone(t, dir)
			var found struct{ Status string }
			if err := again.call("session.get_wallet_identity", map[string]any{"walletSessionId": session},
				&found); err != nil || found.Status != "pending" {
				t.Errorf("mended, but %+v, %v", found, err)
			}
		})
	}
}

// TestManyStartTogether starts clients at the same time, with no server and after killing one. They
// must all use the same server.
func TestManyStartTogether(t *testing.T) {
	long.Skip(t, "it starts the program")
	t.Parallel()
	dir := shelter(t)
	clients := make([]*joined, 5)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			var err error
			if clients[i], err = joining(t, dir); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for round := range 4 {
		if t.Failed() {
			return
		}
		// The last server is kept running. Otherwise a client could start one while the directory
		// is removed.
		if round > 0 {
			killServer(t, dir)
		}
		at := make([]string, len(clients))
		for i, c := range clients {
			all.Go(func() {
				var status pagesStatus
				if err := c.call("read.get_server_status", map[string]any{}, &status); err != nil {
					t.Error(err)
				}
				at[i] = status.Origin
			})
		}
		all.Wait()
		if slices.Sort(at); len(slices.Compact(at)) != 1 {
			t.Errorf("there are pages at %q", at)
		}
	}
}

// TestClockSetBackADay sets the clock back by a day while no server is running. This must not
// extend the life of links and sessions.
func TestClockSetBackADay(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "sandbox")
	_, node := outside(t)
	tomorrow := func() time.Time { return time.Now().Add(24 * time.Hour) }
	a, err := newApp(t.Context(), process{Stderr: &logged{t: t}, Now: tomorrow}, options{
		network: networks["sandbox"], dataDir: data,
		services: [settings.Count]settings.InForce{settings.GRPC: {URL: strings.TrimPrefix(node, "SUI_GRPC_URL=")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	identity, err := a.accounts.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	link, err := a.link(t.Context(), "connect", identity.ID)
	if err != nil {
		t.Fatal(err)
	}
	a.close()
	c, _ := startAlone(t, dir, node)
	if _, err := openLink(link); err == nil || !strings.Contains(err.Error(), "Ask your AI client for a new link") {
		t.Errorf("a link of tomorrow: %v", err)
	}
	var found struct{ Status string }
	if err := c.call("session.get_wallet_identity", map[string]any{"walletSessionId": identity.ID}, &found); err != nil ||
		found.Status != "expired" {
		t.Errorf("%+v, %v", found, err)
	}
	fresh, err := connectLink(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openLink(fresh); err != nil {
		t.Errorf("a new link works at once: %v", err)
	}
}
