//go:build unix

package main

import (
	"encoding/base64"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// pair is two AI clients of the same server, on a chain that keeps running when the server ends. An
// account is connected.
type pair struct {
	t             *testing.T
	chain         *sandbox.Sandbox
	first, second *mcpClient
	dir, node     string
	origin        string
	asked         int // number of reviews prepared
}

func startPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{t: t, dir: shelter(t)}
	p.chain, p.node = outside(t)
	p.first = joins(t, p.dir, p.node).mcpClient
	p.second = joins(t, p.dir, p.node).mcpClient
	p.origin = pagesOf(t, p.first).Origin
	if err := p.played(p.first).connect(); err != nil {
		t.Fatal(err)
	}
	return p
}

// played returns a demo that uses the client c.
func (p *pair) played(c *mcpClient) *demo {
	return &demo{process: process{Stdout: &logged{t: p.t}, Now: time.Now}, client: c}
}

// prepared prepares a review with the client c and opens its page.
func (p *pair) prepared(c *mcpClient) (id string, page *person) {
	p.t.Helper()
	amount := strconv.Itoa(10 + p.asked) // an identical request would need the user's consent
	p.asked++
	id, page, err := p.played(c).prepare(amount)
	if err != nil {
		p.t.Fatal(err)
	}
	return id, page
}

func (p *pair) inject(f sandbox.Fault) {
	p.t.Helper()
	if err := p.chain.Inject(f); err != nil {
		p.t.Fatal(err)
	}
}

// state returns the review from its page, waiting while no server is running.
func (p *pair) state(page *person) shownReview {
	p.t.Helper()
	var s shownReview
	var err error
	if !double.Await(func() bool { err = page.get("/api/review/"+page.id+"/state", &s); return err == nil }) {
		p.t.Fatal(err)
	}
	return s
}

// endings are the ways in which a server is ended during its work.
var endings = map[string]func(*testing.T, *pair){
	"SIGKILL": func(t *testing.T, p *pair) { killServer(t, p.dir) },
	"SIGTERM": func(t *testing.T, p *pair) {
		pid := 0
		double.Until(t, "a server is there", func() bool { pid = serverOf(p.dir); return pid != 0 })
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		double.Until(t, "it has ended", func() bool { return serverOf(p.dir) != pid })
	},
}

func TestServerEndsInTheMiddle(t *testing.T) {
	for name, end := range endings {
		t.Run(name+" of a computation: the next server computes it again", func(t *testing.T) {
			p := startPair(t)
			id, page := p.prepared(p.second)
			p.inject(sandbox.Fault{Kind: sandbox.Slow, Method: "SimulateTransaction", Milliseconds: 30_000, Times: 1})
			before := p.state(page)
			if err := page.post("/api/review/"+id+"/compute", map[string]any{"revision": before.Revision}, nil); err != nil {
				t.Fatal(err)
			}
			if s := p.state(page); !s.Computing {
				t.Fatalf("it does not compute: %+v", s)
			}
			end(t, p)
			pagesOf(t, p.second) // starts the next server if none was killed
			s := p.state(page)
			// A server that receives SIGTERM still records that it interrupted the computation.
			if s.Computing || (s.Status != before.Status && s.Status != record.RefreshRequired) || len(s.Commitment) > 0 {
				t.Errorf("the review is %s (%s); it was %s", s.Status, s.Reason, before.Status)
			}
			p.inject(sandbox.Fault{Kind: sandbox.ClearFaults})
			if _, err := p.played(p.second).read(page); err != nil {
				t.Errorf("computed again: %v", err)
			}
		})
		t.Run(name+" before a signed transaction was sent: the next server sends it and tells its result",
			func(t *testing.T) {
				p := startPair(t)
				id, page := p.prepared(p.first)
				shown, err := p.played(p.first).read(page)
				if err != nil {
					t.Fatal(err)
				}
				p.inject(sandbox.Fault{Kind: sandbox.Slow, Method: "ExecuteTransaction", Milliseconds: 600_000, Times: 1})
				if err := p.played(p.first).sign(page, shown); err != nil {
					t.Fatal(err)
				}
				time.Sleep(150 * time.Millisecond) // until the node, which will not answer, has the call
				if s := p.state(page); s.Status != record.SignedPendingResult {
					t.Fatalf("%s", s.Status)
				}
				end(t, p)
				if err := p.played(p.second).receipt(id); err != nil {
					t.Error(err)
				}
				if s := p.state(page); s.Status != record.Success || !strings.HasPrefix(page.origin, p.origin) {
					t.Errorf("the open tab reads %s", s.Status)
				}
			})
		t.Run(name+" between handing out and signing: the signature is taken by the next server", func(t *testing.T) {
			p := startPair(t)
			id, page := p.prepared(p.first)
			shown, err := p.played(p.first).read(page)
			if err != nil {
				t.Fatal(err)
			}
			path := "/api/review/" + id
			var handed struct {
				JSON  string `json:"transactionJson"`
				Nonce string `json:"releaseNonce"`
			}
			release := map[string]any{"revision": shown.Revision, "commitment": shown.Commitment}
			if err := page.post(path+"/handoff", release, &handed); err != nil {
				t.Fatal(err)
			}
			end(t, p)
			pagesOf(t, p.second) // starts the next server if none was killed
			if err := page.post(path+"/handoff", release, nil); err == nil || !strings.Contains(err.Error(),
				"handoff_unavailable") {
				t.Errorf("one transaction was handed out twice: %v", err)
			}
			var signed struct{ Bytes, Signature []byte }
			if err := page.post("/sandbox/wallet/sign", map[string]any{"transaction": handed.JSON}, &signed); err != nil {
				t.Fatal(err)
			}
			if err := page.post(path+"/signed", map[string]any{"releaseNonce": handed.Nonce,
				"bytes":     base64.StdEncoding.EncodeToString(signed.Bytes),
				"signature": base64.StdEncoding.EncodeToString(signed.Signature)}, nil); err != nil {
				t.Fatal(err)
			}
			if err := p.played(p.second).receipt(id); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEndOfInputWithAnUnsettledRelease checks that the server stays after its client has left,
// until the result of the transaction is known.
func TestEndOfInputWithAnUnsettledRelease(t *testing.T) {
	p := &pair{t: t, dir: shelter(t)}
	p.chain, p.node = outside(t)
	p.first, _ = startAlone(t, p.dir, p.node)
	if err := p.played(p.first).connect(); err != nil {
		t.Fatal(err)
	}
	id, page := p.prepared(p.first)
	shown, err := p.played(p.first).read(page)
	if err != nil {
		t.Fatal(err)
	}
	// The node accepts the transaction but does not report its result.
	p.inject(sandbox.Fault{Kind: sandbox.Fail, Method: "GetTransaction"})
	p.inject(sandbox.Fault{Kind: sandbox.Drop, Times: 1})
	if err := p.played(p.first).sign(page, shown); err != nil {
		t.Fatal(err)
	}
	_ = p.first.in.Close()
	if gone, _ := ended(p.first, 700*time.Millisecond); gone {
		t.Fatal("it ended with an unsettled release")
	}
	p.inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	if gone, _ := ended(p.first, unhurried); !gone {
		t.Error("it stays although everything is settled")
	}
	again, _ := startAlone(t, p.dir, p.node)
	var result struct {
		Status string `json:"pollingStatus"`
	}
	if err := again.call("session.get_review_status", map[string]any{"reviewSessionId": id}, &result); err != nil ||
		result.Status != "success" {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestWaitsAndRestarts(t *testing.T) {
	p := &pair{t: t, dir: shelter(t)}
	p.first, _ = startAlone(t, p.dir)
	p.second = joins(t, p.dir).mcpClient
	var session struct {
		ID  string `json:"walletSessionId"`
		URL string `json:"walletUrl"`
	}
	if err := p.second.call("session.create_wallet_identity", map[string]any{}, &session); err != nil {
		t.Fatal(err)
	}
	wait := func(c *mcpClient) (chan error, *struct{ Status string }) {
		heard, result := make(chan error, 1), &struct{ Status string }{}
		go func() {
			heard <- c.call("session.wait_wallet_identity", map[string]any{"walletSessionId": session.ID, "timeoutMs": 20000},
				result)
		}()
		time.Sleep(50 * time.Millisecond)
		return heard, result
	}
	interrupted, _ := wait(p.first)
	going, result := wait(p.second)
	page, err := openLink(session.URL)
	if err != nil {
		t.Fatal(err)
	}
	killed(t, p.first)
	t.Run("R004-433 a wait of the server that ended is interrupted", func(t *testing.T) {
		select {
		case err := <-interrupted:
			if err == nil || !strings.Contains(err.Error(), "the server ended") {
				t.Errorf("%v", err)
			}
		case <-time.After(unhurried):
			t.Error("the client still waits")
		}
	})
	t.Run("a wait of another client goes on with the next server", func(t *testing.T) {
		var err error
		state := "/api/wallet/" + page.id + "/state"
		report := map[string]any{"status": "connecting", "walletName": demoWalletName, "walletId": demoWalletID}
		// This succeeds when the next server has the pages.
		if !double.Await(func() bool { err = page.post(state, report, nil); return err == nil }) {
			t.Fatal(err)
		}
		report["status"], report["account"], report["chain"] = "connected", sandbox.Account.String(), "sui:localnet"
		if err := page.post(state, report, nil); err != nil {
			t.Fatal(err)
		}
		if err := <-going; err != nil || result.Status != "connected" {
			t.Errorf("%+v, %v", result, err)
		}
	})
	t.Run("R004-433 after a restart the same session is waited for anew", func(t *testing.T) {
		restarted := joins(t, p.dir)
		var found struct{ Status string }
		err := restarted.call("session.wait_wallet_identity", map[string]any{"walletSessionId": session.ID}, &found)
		if err != nil || found.Status != "connected" {
			t.Errorf("%+v, %v", found, err)
		}
	})
}
