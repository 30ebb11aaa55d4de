//go:build unix

package main

import (
	"database/sql"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

var (
	doorCalls = flag.Int("calls", 300, "calls of TestCallsAcrossKills")
	doorKills = flag.Int("kills", 5, "kills of TestCallsAcrossKills")
)

// busy does work that takes a short time, without using a clock.
func busy(turns int) {
	for range turns {
		_ = rand.Int()
	}
}

// hardJob is the main job of the program while the server is killed at each step.
type hardJob struct {
	t    *testing.T
	dir  string
	c    *joined
	when string // when to kill the server: before, in or after the step
	tell *demo
}

// step takes one step. It kills the server before it reads the request, while it works on it, or
// after it has responded.
func (j *hardJob) step(take func() error) error {
	j.t.Helper()
	pid := 0
	double.Until(j.t, "a server is there", func() bool { pid = serverOf(j.dir); return pid != 0 })
	done := make(chan error, 1)
	go func() { done <- take() }()
	var err error
	switch j.when {
	case "before":
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			j.t.Fatal(err)
		}
		busy(1_000_000)
	case "in":
		busy(rand.N(6_000_000))
	case "after":
		err = <-done
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		j.t.Fatal(err)
	}
	if j.when != "after" {
		err = <-done
	}
	return err
}

// call calls a tool while the server is killed. If the outcome is unknown, it calls the tool again
// and returns true.
func (j *hardJob) call(name string, arguments map[string]any, into any) (unknown bool) {
	j.t.Helper()
	err := j.step(func() error { return j.c.call(name, arguments, into) })
	if unknown = err != nil && strings.Contains(err.Error(), "unknown_outcome"); unknown {
		err = j.c.call(name, arguments, into)
	}
	if err != nil {
		j.t.Fatalf("%s: %v", name, err)
	}
	return unknown
}

// person makes a request to a page while the server is killed, and repeats it until a server
// responds. lost reports whether the first request was not answered.
func (j *hardJob) person(do func() error) (lost bool, err error) {
	j.t.Helper()
	err = j.step(do)
	for lost = unanswered(err); unanswered(err); err = do() {
		double.Until(j.t, "the pages are served", func() bool { return serverOf(j.dir) != 0 })
	}
	return lost, err
}

// unanswered reports whether an error means that no server responded to a page.
func unanswered(err error) bool {
	var network interface{ Timeout() bool }
	return err != nil && errors.As(err, &network)
}

// TestServerKilledInJob kills the server before, during or after each step of the main job. Nothing
// is lost or done twice, and the client receives the receipt.
func TestServerKilledInJob(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "in", "after"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			_, node := outside(t)
			dir := shelter(t)
			j := &hardJob{t: t, dir: dir, when: when, c: joins(t, dir, node)}
			j.tell = &demo{process: process{Stdout: io.Discard, Now: time.Now}, client: j.c.mcpClient}
			j.connect()
			id, page := j.prepare()
			if shown, ok := j.release(id, page); ok {
				j.sign(id, page, shown)
			}
		})
	}
}

func (j *hardJob) connect() {
	j.t.Helper()
	var session struct {
		ID  string `json:"walletSessionId"`
		URL string `json:"walletUrl"`
	}
	j.call("session.create_wallet_identity", map[string]any{}, &session)
	var page *person
	if _, err := j.person(func() (err error) { page, err = openLink(session.URL); return err }); err != nil ||
		page == nil {
		// The first server exchanged the code of the link but did not respond, so the user requests
		// another link.
		if err := j.c.call("session.create_wallet_identity", map[string]any{}, &session); err != nil {
			j.t.Fatal(err)
		}
		if page, err = openLink(session.URL); err != nil {
			j.t.Fatal(err)
		}
	}
	if _, err := j.person(func() error { return chooseAccount(page) }); err != nil {
		j.t.Logf("choosing once more: %v", err)
	}
	var identity struct{ Status string }
	if unknown := j.call("session.wait_wallet_identity", map[string]any{"walletSessionId": session.ID},
		&identity); unknown || identity.Status != "connected" {
		j.t.Fatalf("%+v; the outcome of a wait was unknown: %v", identity, unknown)
	}
}

// prepare requests a review. If the outcome of the call is unknown, the client does not know the
// review, but at most one exists.
func (j *hardJob) prepare() (id string, page *person) {
	j.t.Helper()
	var prepared struct {
		ID  string `json:"reviewSessionId"`
		URL string `json:"reviewUrl"`
	}
	unknown := j.call("action.prepare_sui_action_review", swapRequest("10"), &prepared)
	n := reviews(j.t, j.c.mcpClient)
	if most := map[bool]int{false: 1, true: 2}[unknown]; n < 1 || n > most {
		j.t.Fatalf("there are %d reviews, unknown is %v", n, unknown)
	}
	page, err := openLink(prepared.URL)
	if err != nil {
		j.t.Fatal(err)
	}
	return prepared.ID, page
}

// computed waits until a review can be signed. If a server ended during the computation, it
// requests another one.
func (j *hardJob) computed(page *person) (shown shownReview) {
	j.t.Helper()
	path := "/api/review/" + page.id
	double.Until(j.t, "the review is ready", func() bool {
		if err := page.get(path+"/state", &shown); err != nil {
			if unanswered(err) {
				return false
			}
			j.t.Fatal(err)
		}
		if !shown.Computing && shown.Status != record.Ready {
			_ = page.post(path+"/compute", map[string]any{"revision": shown.Revision}, nil)
		}
		return !shown.Computing && shown.Status == record.Ready && shown.Facts != nil
	})
	return shown
}

// handed is a transaction that was released to the wallet.
type handed struct {
	JSON  string `json:"transactionJson"`
	Nonce string `json:"releaseNonce"`
}

// release computes the review and releases its transaction. If the response to the release was
// lost, it is not requested again, and ok is false.
func (j *hardJob) release(id string, page *person) (h handed, ok bool) {
	j.t.Helper()
	path := "/api/review/" + id
	var shown shownReview
	if err := page.get(path+"/state", &shown); err != nil {
		j.t.Fatal(err)
	}
	_, _ = j.person(func() error { return page.post(path+"/compute", map[string]any{"revision": shown.Revision}, nil) })
	shown = j.computed(page)
	body := map[string]any{"revision": shown.Revision, "commitment": shown.Commitment}
	lost, err := j.person(func() error { return page.post(path+"/handoff", body, &h) })
	if err != nil && strings.Contains(err.Error(), "handoff_unavailable") && lost {
		var after struct{ Released bool }
		double.Until(j.t, "the page tells the state", func() bool { return page.get(path+"/state", &after) == nil })
		if !after.Released {
			j.t.Errorf("nobody knows of a release, and it is refused: %v", err)
		}
		j.t.Log("the transaction was handed out and did not arrive")
		return h, false
	}
	if err != nil && strings.Contains(err.Error(), "409") {
		shown = j.computed(page) // computed again, because the server was killed
		body["revision"], body["commitment"] = shown.Revision, shown.Commitment
		err = page.post(path+"/handoff", body, &h)
	}
	if err != nil {
		j.t.Fatal(err)
	}
	if err := page.post(path+"/handoff", body, nil); err == nil {
		j.t.Error("one transaction was handed out twice")
	}
	return h, true
}

// sign signs the released transaction and waits for the receipt.
func (j *hardJob) sign(id string, page *person, h handed) {
	j.t.Helper()
	var signed struct{ Bytes, Signature []byte }
	double.Until(j.t, "the wallet signs", func() bool {
		return page.post("/sandbox/wallet/sign", map[string]any{"transaction": h.JSON}, &signed) == nil
	})
	body := map[string]any{"releaseNonce": h.Nonce, "bytes": base64.StdEncoding.EncodeToString(signed.Bytes),
		"signature": base64.StdEncoding.EncodeToString(signed.Signature)}
	lost, err := j.person(func() error { return page.post("/api/review/"+id+"/signed", body, nil) })
	if err != nil && !lost {
		j.t.Fatal(err)
	}
	if err := j.step(func() error { return j.tell.receipt(id) }); err != nil {
		j.t.Errorf("the client is not told the receipt: %v", err)
	}
	if err := j.tell.receipt(id); err != nil {
		j.t.Error(err)
	}
}

// TestCallsAcrossKills calls tools while the server is killed again and again. Read-only calls are
// answered. Other calls are answered or have an unknown outcome, and none takes effect twice.
func TestCallsAcrossKills(t *testing.T) {
	t.Parallel()
	_, node := outside(t)
	dir := shelter(t)
	clients := make([]*joined, 4)
	for i := range clients {
		clients[i] = joins(t, dir, node)
	}
	var answered atomic.Int64
	var mu sync.Mutex
	var acknowledged []string
	var unknown int
	var calling sync.WaitGroup
	for _, c := range clients {
		calling.Go(func() {
			for i := range *doorCalls / len(clients) {
				var err error
				var session struct {
					ID string `json:"walletSessionId"`
				}
				if i%2 == 0 {
					err = c.call("read.get_server_status", map[string]any{}, &struct{}{})
				} else {
					err = c.call("session.create_wallet_identity", map[string]any{}, &session)
				}
				mu.Lock()
				switch {
				case err == nil && i%2 == 1:
					acknowledged = append(acknowledged, session.ID)
				case err != nil && i%2 == 1 && strings.Contains(err.Error(), "unknown_outcome"):
					unknown++
				case err != nil:
					t.Errorf("call %d: %v", i, err)
				}
				mu.Unlock()
				answered.Add(1)
			}
		})
	}
	for kill := range *doorKills {
		due := int64((kill + 1) * *doorCalls / (*doorKills + 1))
		double.Until(t, fmt.Sprint(due, " calls are answered"), func() bool { return answered.Load() >= due })
		busy(rand.N(300_000))
		killServer(t, dir)
	}
	calling.Wait()
	made := identities(t, dir)
	for _, id := range acknowledged {
		if n := len(slices.DeleteFunc(slices.Clone(made), func(other string) bool { return other != id })); n != 1 {
			t.Errorf("%s was acknowledged and is there %d times", id, n)
		}
	}
	if n := len(made); n < len(acknowledged) || n > len(acknowledged)+unknown {
		t.Errorf("%d took effect, %d were acknowledged and %d are unknown", n, len(acknowledged), unknown)
	}
	t.Logf("%d calls, %d kills: %d writes acknowledged, %d unknown, %d took effect", answered.Load(), *doorKills,
		len(acknowledged), unknown, len(made))
}

// identities returns the IDs of the wallet sessions in the store.
func identities(t *testing.T, dir string) (ids []string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "sandbox", "say-ur-intent.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT id FROM identities")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return ids
}
