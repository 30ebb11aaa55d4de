package web_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// signedRecord returns the report on the record in the store.
func (r *rig) signedRecord() *hashchain.Report {
	r.t.Helper()
	var file bytes.Buffer
	if err := hashchain.Export(r.t.Context(), r.db, &file, time.Now(), false); err != nil {
		r.t.Fatal(err)
	}
	report, err := hashchain.Verify(&file, nil)
	if err != nil || !report.OK() {
		r.t.Fatal(err, report.Problems)
	}
	return report
}

// TestSettingsRecord checks that the wallet of the account in use signs the record, and that
// nothing else counts as its signature.
func TestSettingsRecord(t *testing.T) {
	j := newJob(t, nil)
	token := j.token(pagetoken.Settings, settingsID)
	view := func() string { return j.do("GET", "/api/settings/"+settingsID+"/view", token, nil).body }
	if v := view(); !strings.Contains(v, "Nothing has been recorded yet.") || strings.Contains(v, `data-action="sign"`) {
		t.Error("an empty record can be signed")
	}
	s, materials := sample(t, record.Success)
	j.put(s, materials)
	if a := j.settingsCall(token, "statement", fields{}); a.status != http.StatusConflict {
		t.Errorf("without an account: %d %s", a.status, a.body)
	}
	j.connectAs(sandbox.Account.String(), "Sandbox test wallet")
	asked := j.settingsCall(token, "statement", fields{})
	message := asked.text("message")
	if !strings.Contains(message, "\nEntry: ") || !strings.Contains(message, "Signed by: "+sandbox.Account.String()) {
		t.Fatal(asked.body)
	}
	raw, err := j.house.Sandbox.SignPersonalMessage([]byte(message))
	if err != nil {
		t.Fatal(err)
	}
	signature := base64.StdEncoding.EncodeToString(raw)
	for name, in := range map[string]fields{
		"another message": {"message": strings.Replace(message, "Entry: ", "Entry: 1", 1), "signature": signature},
		"no signature":    {"message": message, "signature": ""},
		"another signature": {"message": message, "signature": base64.StdEncoding.EncodeToString(append([]byte{0},
			make([]byte, 96)...))},
	} {
		if a := j.settingsCall(token, "sign", in); a.status == http.StatusOK {
			t.Errorf("%s: %s", name, a.body)
		}
	}
	if j.signedRecord().Chains[0].Signed != nil {
		t.Error("a refused signature is kept")
	}
	if a := j.settingsCall(token, "sign", fields{"message": message, "signature": signature}); a.text("done") != "true" {
		t.Error(a.body)
	}
	if signed := j.signedRecord().Chains[0].Signed; signed == nil || signed.Account != sandbox.Account {
		t.Errorf("%+v", signed)
	}
	if v := view(); !strings.Contains(v, "signed by") {
		t.Error("the page does not show who signed")
	}
}

// TestBrowserSignsRecord signs it with the built-in test wallet.
func TestBrowserSignsRecord(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	s, materials := sample(t, record.Success)
	j.put(s, materials)
	j.withWallet()
	b.open(j.link(pagetoken.Settings, settingsID))
	b.unfold("data", "record")
	b.waitText("Record of your requests")
	b.says([]string{"Not signed"}, nil)
	b.click(`[data-action="sign"]`)
	b.waitText("Signed: everything up to entry")
	b.says([]string{"signed by"}, []string{"Not signed"})
	b.pictures(screenshotDir(t), "settings-record")
	if j.signedRecord().Chains[0].Signed == nil {
		t.Error("nothing is signed")
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
