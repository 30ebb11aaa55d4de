//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// installed makes an installation with a session in it, and gives its data.
func installed(t *testing.T, dir string) (data, session string) {
	t.Helper()
	c, _ := startAnother(t, dir)
	var made struct {
		ID string `json:"walletSessionId"`
	}
	if err := c.call("session.create_wallet_identity", map[string]any{}, &made); err != nil {
		t.Fatal(err)
	}
	c.stop()
	return filepath.Join(dir, "sandbox"), made.ID
}

// refusedStart starts the server where it must not come up, and gives what it
// tells the person.
func refusedStart(t *testing.T, dir string) string {
	t.Helper()
	long.Skip(t, "it starts the program")
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), executable, "--network", "sandbox")
	child.Env = append(os.Environ(), asProgram+"=1", "SAY_UR_INTENT_DATA_DIR="+dir)
	var log bytes.Buffer
	child.Stderr = &log
	err = child.Run()
	if child.ProcessState == nil || child.ProcessState.ExitCode() != exitFailed {
		t.Fatalf("it ended with %v: %s", err, log.String())
	}
	return log.String()
}

// Every fault of the data directory is refused with a sentence, nothing of it is
// changed, and once it is mended everything is there.
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
		}, "can be used by other users. Run: chmod 600 "},
		"a symbolic link in the directory's place": {func(t *testing.T, data string) func() {
			must(t, os.Rename(data, data+"-moved"))
			must(t, os.Symlink(data+"-moved", data))
			return func() { must(t, os.Remove(data)); must(t, os.Rename(data+"-moved", data)) }
		}, "is a symbolic link. Name the real directory."},
		"a symbolic link in the lock's place": {func(t *testing.T, data string) func() {
			lock := filepath.Join(data, "pages.lock")
			must(t, os.Remove(lock))
			must(t, os.Symlink(filepath.Join(data, "elsewhere"), lock))
			return func() { must(t, os.Remove(lock)) }
		}, "is a symbolic link."},
		"a damaged database": {func(t *testing.T, data string) func() {
			return poke(t, file(data), 0, bytes.Repeat([]byte("garbage "), 200))
		}, "is damaged, or is no database. Move the data directory away to start anew. The file is "},
		"a newer format": {func(t *testing.T, data string) func() {
			return poke(t, file(data), 60, binary.BigEndian.AppendUint32(nil, 999)) // user_version
		}, "was written by a newer version of Say Ur Intent (format 999"},
		"another program's database": {func(t *testing.T, data string) func() {
			return poke(t, file(data), 68, []byte{0, 0, 0, 7}) // application_id
		}, "is a database of another program."},
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
			again, _ := startAnother(t, dir)
			var found struct{ Status string }
			if err := again.call("session.get_wallet_identity", map[string]any{"walletSessionId": session}, &found); err != nil || found.Status != "pending" {
				t.Errorf("mended, but %+v, %v", found, err)
			}
		})
	}
}

// Processes that start at the same instant on nothing agree on one owner.
func TestManyStartTogether(t *testing.T) {
	long.Skip(t, "it starts the program")
	t.Parallel()
	dir := t.TempDir()
	_, node := outside(t)
	const many = 5
	clients := make([]*mcpClient, many)
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var starting sync.WaitGroup
	for i := range clients {
		log := &logged{t: t}
		starting.Go(func() {
			c, err := startClient(executable, []string{"--network", "sandbox"},
				[]string{asProgram + "=1", "SAY_UR_INTENT_DATA_DIR=" + dir, node}, log)
			if err != nil {
				t.Error(err, log)
				return
			}
			clients[i] = c
			t.Cleanup(c.stop)
		})
	}
	starting.Wait()
	if t.Failed() {
		return
	}
	for alive := many; alive > 0; alive-- {
		var origin string
		owner, owners := -1, 0
		for i, c := range clients {
			if c == nil {
				continue
			}
			link, err := connectLink(c) // waits until somebody serves the pages
			if err != nil {
				t.Fatalf("with %d alive: %v", alive, err)
			}
			if status := pagesOf(t, c); status.Pages == "served" {
				owner, owners = i, owners+1
			}
			if at, _, _ := strings.Cut(link, "/connect/"); origin == "" {
				origin = at
			} else if at != origin {
				t.Errorf("with %d alive there are links to %s and %s", alive, origin, at)
			}
		}
		if owners != 1 {
			t.Fatalf("with %d alive %d serve the pages", alive, owners)
		}
		killed(t, clients[owner])
		clients[owner] = nil
	}
}

// The clock of the machine is set back a day while nobody runs: no link and no
// session of before lives a day longer.
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
	c, _ := startAnother(t, dir, node)
	if _, err := openLink(link); err == nil || !strings.Contains(err.Error(), "Ask your AI client for a new link") {
		t.Errorf("a link of tomorrow: %v", err)
	}
	var found struct{ Status string }
	if err := c.call("session.get_wallet_identity", map[string]any{"walletSessionId": identity.ID}, &found); err != nil || found.Status != "expired" {
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
