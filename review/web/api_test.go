package web_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/crypto/blake2b"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// opened is a review page whose script is played by the test.
type opened struct {
	*job
	id    record.ID
	path  string
	token string
}

// openReview connects the sandbox account, prepares a swap and opens its page.
func openReview(t *testing.T) *opened {
	t.Helper()
	return newJob(t, nil).openReview()
}

// openReview does the same over the existing back end of j.
func (j *job) openReview() *opened {
	t := j.t
	t.Helper()
	j.house.Connect(sandbox.Account)
	id, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	_, code, _ := strings.Cut(link, "#")
	a := j.do("POST", "/api/exchange", "", map[string]string{"kind": "review", "id": string(id), "code": code})
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	return &opened{j, id, "/api/review/" + string(id), a.text("token")}
}

func (o *opened) post(step string, body any) answer {
	o.t.Helper()
	return o.do("POST", o.path+"/"+step, o.token, body)
}

// until reads the state until it has a status.
func (o *opened) until(status record.Status) answer {
	o.t.Helper()
	var a answer
	double.Until(o.t, "the review is "+string(status), func() bool {
		a = o.do("GET", o.path+"/state", o.token, nil)
		return a.text("status") == string(status)
	})
	return a
}

// refused checks that an answer is an error.
func (o *opened) refused(a answer, status int, kind string) {
	o.t.Helper()
	if a.status != status || a.text("error.kind") != kind || len(a.text("error.message")) < 20 {
		o.t.Errorf("%d %s, want %d %s", a.status, a.body, status, kind)
	}
	o.hardened(a)
}

// compute computes the review and returns the view that the page shows then.
func (o *opened) compute() answer {
	o.t.Helper()
	revision := o.session(o.id).Revision
	if a := o.post("compute", map[string]int64{"revision": revision}); a.status != http.StatusAccepted {
		o.t.Fatalf("%d %s", a.status, a.body)
	}
	return o.until(record.Ready)
}

// TestReviewAPI takes one review through its whole life. At every step, it tries what a wrong page
// or a wrong wallet might do.
func TestReviewAPI(t *testing.T) {
	o := openReview(t)
	o.refused(o.post("compute", map[string]int64{"revision": 99}), http.StatusConflict, "invalid_session_transition")
	o.refused(o.post("handoff", map[string]any{"revision": 3, "commitment": "x"}), http.StatusConflict,
		"handoff_unavailable")
	ready := o.compute()
	s := o.session(o.id)
	if ready.text("commitment") != s.Commitment || ready.text("released") != "false" {
		t.Errorf("%s", ready.body)
	}
	show := map[string]any{"revision": s.Revision, "commitment": s.Commitment}
	o.refused(o.post("handoff", map[string]any{"revision": s.Revision, "commitment": strings.Repeat("0", 64)}),
		http.StatusConflict, "handoff_commitment_mismatch")
	o.refused(o.post("handoff", map[string]any{"revision": s.Revision - 1, "commitment": s.Commitment}),
		http.StatusConflict, "invalid_session_transition")

	handed := o.post("handoff", show)
	if handed.status != http.StatusOK {
		t.Fatalf("%d %s", handed.status, handed.body)
	}
	raw, err := base64.StdEncoding.DecodeString(handed.text("bytes"))
	if err != nil || sui.Commitment(sui.TransactionDigest(raw)) != s.Commitment {
		t.Fatalf("the bytes are not the ones that were shown: %v", err)
	}
	// R004-399: exactly what was reviewed is released, and only once.
	o.refused(o.post("handoff", show), http.StatusConflict, "handoff_unavailable")
	if view := o.do("GET", o.path+"/view", o.token, nil).body; leaks(view, raw) || !strings.Contains(view,
		"Not known whether it was signed") {
		t.Error("after the handoff the view leaks the bytes or does not say that the outcome is unknown")
	}

	tx, err := sui.ParseWalletJSON([]byte(handed.text("transactionJson")))
	if err != nil {
		t.Fatal(err)
	}
	o.refuseSignatures(handed.text("releaseNonce"), *tx)
	good, signature, err := o.house.Sandbox.Sign(tx)
	if err != nil {
		t.Fatal(err)
	}
	signed := map[string]string{"releaseNonce": handed.text("releaseNonce"), "bytes": b64(good),
		"signature": b64(signature)}
	if a := o.post("signed", signed); a.status != http.StatusAccepted {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := o.post("signed", signed); a.status != http.StatusAccepted {
		t.Errorf("a repetition: %d %s", a.status, a.body)
	}
	final := o.until(record.Success)
	if final.text("execution.txDigest") != sui.TransactionDigest(raw).String() || final.text("category") != "final" {
		t.Errorf("%s", final.body)
	}
	o.refused(o.post("compute", map[string]int64{"revision": o.session(o.id).Revision}), http.StatusConflict,
		"execution_result_finalized")
	o.refused(o.post("outcome", map[string]string{"outcome": "declined"}), http.StatusConflict,
		"execution_result_finalized")
}

// refuseSignatures tries responses of a wallet that must be rejected.
func (o *opened) refuseSignatures(nonce string, tx sui.Transaction) {
	o.t.Helper()
	raw, signature, err := o.house.Sandbox.Sign(&tx)
	if err != nil {
		o.t.Fatal(err)
	}
	changed := tx
	changed.Gas.Budget++
	otherBytes, otherSignature, err := o.house.Sandbox.Sign(&changed)
	if err != nil {
		o.t.Fatal(err)
	}
	broken := append([]byte{}, signature...)
	broken[5] ^= 1
	o.refused(o.post("signed", map[string]string{"releaseNonce": nonce, "bytes": b64(otherBytes),
		"signature": b64(otherSignature)}),
		http.StatusConflict, "handoff_commitment_mismatch")
	o.refused(o.post("signed", map[string]string{"releaseNonce": nonce, "bytes": b64(raw),
		"signature": b64(strangersSignature(raw))}),
		http.StatusConflict, "signer_mismatch")
	for name, body := range map[string]map[string]string{
		"a broken signature": {"bytes": b64(raw), "signature": b64(broken)},
		"no base64":          {"bytes": "???", "signature": "!"},
		"no signature":       {"bytes": b64(raw)},
		"nothing":            {},
		"digest and bytes": {"bytes": b64(raw), "signature": b64(signature),
			"digest": sui.TransactionDigest(raw).String()},
		"a digest that is no": {"digest": "0OIl"},
	} {
		body["releaseNonce"] = nonce
		a := o.post("signed", body)
		if a.status != http.StatusBadRequest || a.text("error.kind") != "input_invalid" {
			o.t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	o.refused(o.post("signed", map[string]string{"releaseNonce": "made-up", "bytes": b64(raw),
		"signature": b64(signature)}),
		http.StatusConflict, "handoff_unavailable")
	if s := o.session(o.id); s.Status != record.Ready || s.Execution != nil {
		o.t.Errorf("a refused signature changed the review: %s", s.Status)
	}
}

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// strangersSignature signs bytes with a key of another account.
func strangersSignature(raw []byte) []byte {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	message := blake2b.Sum256(append([]byte{0, 0, 0}, raw...))
	return append(append([]byte{0}, ed25519.Sign(key, message[:])...), key.Public().(ed25519.PublicKey)...)
}

// TestOutageInWords makes the node unavailable, and checks that the page reports an outage and not
// a rejection.
func TestOutageInWords(t *testing.T) {
	o := openReview(t)
	o.house.Inject(sandbox.Fault{Kind: sandbox.Fail})
	if a := o.post("compute", map[string]int64{"revision": o.session(o.id).Revision}); a.status != http.StatusAccepted {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := o.until(record.RefreshRequired); a.text("reason") != "provider_unavailable" {
		t.Errorf("%s", a.body)
	}
	view := o.do("GET", o.path+"/view", o.token, nil).body
	if !strings.Contains(view, "The Sui node cannot be reached.") || !strings.Contains(view, `data-action="refresh"`) ||
		strings.Contains(view, `data-action="sign"`) {
		t.Error("the view does not tell the outage, or offers to sign")
	}
	o.house.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	o.compute()
	t.Run("the technical details say which node is asked, and who chose it", func(t *testing.T) {
		view := plain(o.do("GET", o.path+"/view", o.token, nil).body)
		if !strings.Contains(view, "Sui node http://127.0.0.1:9000 the default") || strings.Contains(view,
			"Second Sui node") {
			t.Error(view)
		}
	})
}

// TestUnknownInWords loses the node's response to the execution. The page says what is unknown, and
// the same bytes can be sent again.
func TestUnknownInWords(t *testing.T) {
	o := openReview(t)
	o.compute()
	s := o.session(o.id)
	handed := o.post("handoff", map[string]any{"revision": s.Revision, "commitment": s.Commitment})
	tx, err := sui.ParseWalletJSON([]byte(handed.text("transactionJson")))
	if err != nil {
		t.Fatal(err)
	}
	raw, signature, err := o.house.Sandbox.Sign(tx)
	if err != nil {
		t.Fatal(err)
	}
	nonce := handed.text("releaseNonce")
	o.house.Inject(sandbox.Fault{Kind: sandbox.Fail})
	if a := o.post("signed", map[string]string{"releaseNonce": nonce, "bytes": b64(raw),
		"signature": b64(signature)}); a.status != http.StatusAccepted {
		t.Fatalf("%d %s", a.status, a.body)
	}
	ok := func(s record.Session) bool {
		return s.Execution != nil && s.Execution.Submission != record.SubmissionNone
	}
	if _, reached, err := o.reviews.Wait(context.Background(), o.id, waitTime, ok); err != nil || !reached {
		t.Fatal("the submission was never judged", err)
	}
	view := o.do("GET", o.path+"/view", o.token, nil).body
	if !strings.Contains(view, "Signed, and not known whether it arrived") || !strings.Contains(view,
		`data-action="submit"`) {
		t.Error("the view does not say that the outcome is unknown, or offers no way to send again")
	}
	o.refused(o.post("outcome", map[string]string{"outcome": "declined"}), http.StatusConflict,
		"invalid_session_transition")
	o.refused(o.post("submit", map[string]string{"releaseNonce": "made-up"}), http.StatusConflict, "handoff_unavailable")
	o.house.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	if a := o.post("submit", map[string]string{"releaseNonce": nonce}); a.status != http.StatusAccepted {
		t.Errorf("%d %s", a.status, a.body)
	}
	o.until(record.Success)
	view = o.do("GET", o.path+"/view", o.token, nil).body
	if !strings.Contains(view, "Kept") || strings.Contains(view, "Not kept") {
		t.Error("the receipt does not show the promises kept")
	}
}

// TestBoundAccount opens a review after another account was connected.
func TestBoundAccount(t *testing.T) {
	j := newJob(t, nil)
	j.house.Connect(sandbox.Account)
	id, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	j.house.Connect(sui.MustAddress("0x" + strings.Repeat("7", 64)))
	_, code, _ := strings.Cut(link, "#")
	a := j.do("POST", "/api/exchange", "", map[string]string{"kind": string(pagetoken.Review), "id": string(id),
		"code": code})
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	s := j.session(id)
	view := j.do("GET", "/api/review/"+string(id)+"/view", a.text("token"), nil).body
	if s.Reason != plan.WalletMismatch || !strings.Contains(view, "Another account is connected now.") {
		t.Errorf("status %s, reason %s", s.Status, s.Reason)
	}
}
