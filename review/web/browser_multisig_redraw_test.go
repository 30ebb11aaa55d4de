package web_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/record"
)

// TestBrowserFileWhileRedrawn lets another member sign while the dialog for a signature file is
// open. The page is redrawn, and the chosen file is not lost.
func TestBrowserFileWhileRedrawn(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	one, two, three := newMember(21), newMember(22), newMember(23)
	m := accountOf(one, two, three)
	j.fund(m.Address())
	a := newBrowser(t)
	one.give(a)
	j.connectMultiSig(a, "", m, one, two, three)
	id, link := j.prepare(pay("1.5", "SUI", payee))
	a.open(link)
	a.waitStage("ready")
	a.click(`[data-action="collect"]`)
	a.waitText("Signatures: 0 of 2")
	_, text := a.savedFile("to-sign.json")
	raw := transactionOf(t, text)
	back := base64.StdEncoding.EncodeToString(two.sign(raw))
	signature := filepath.Join(t.TempDir(), "signature.txt")
	if err := os.WriteFile(signature, []byte(back), 0o600); err != nil {
		t.Fatal(err)
	}

	// This is the element to which the browser's dialog passes the file.
	held, err := chromedp.Call(a.ctx, runtime.Evaluate,
		runtime.EvaluateParams{Expression: `window.dialog = document.querySelector('[data-part="signature-file"]')`})
	if err != nil {
		t.Fatal(err)
	}
	anybody := func(context.Context) error { return nil }
	if _, err := j.reviews.Collect(t.Context(), record.ID(id), anybody, three.sign(raw)); err != nil {
		t.Fatal(err)
	}
	a.waitText("Signatures: 1 of 2")
	if a.eval(`String(window.dialog.isConnected)`) != "false" {
		t.Log("the page kept the element when it was drawn again")
	}
	if _, err := chromedp.Call(a.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: []string{signature},
		ObjectID: held.Result.ObjectID}); err != nil {
		t.Fatal(err)
	}
	a.wait(fmt.Sprintf(`document.querySelector('[data-part="signature"]').value === %q`, back))
	a.click(`[data-action="add"]`)
	a.waitStage("success")
}
