package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestSignatureOfATabThatWasTakenOver checks that a tab that received the bytes can return their
// signature after another tab took over, because no other tab has their nonce. It can do nothing
// else.
func TestSignatureOfATabThatWasTakenOver(t *testing.T) {
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
	_, code, _ := strings.Cut(o.link(pagetoken.Review, string(o.id)), "#")
	other := o.do("POST", "/api/exchange", "", map[string]string{"kind": "review", "id": string(o.id), "code": code})
	if a := o.do("POST", o.path+"/continue", other.text("token"),
		map[string]int64{"revision": o.session(o.id).Revision}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	o.refused(o.post("outcome", map[string]string{"releaseNonce": handed.text("releaseNonce"),
		"outcome": "wallet_rejected"}),
		http.StatusConflict, "invalid_session_transition")
	o.refused(o.post("signed", map[string]string{"releaseNonce": strings.Repeat("A", 43), "bytes": b64(raw),
		"signature": b64(signature)}),
		http.StatusConflict, "handoff_unavailable")
	signed := map[string]string{"releaseNonce": handed.text("releaseNonce"), "bytes": b64(raw),
		"signature": b64(signature)}
	if a := o.post("signed", signed); a.status != http.StatusAccepted {
		t.Fatalf("%d %s", a.status, a.body)
	}
	o.until(record.Success)
}
