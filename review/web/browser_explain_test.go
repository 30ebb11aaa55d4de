package web_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestBrowserExplain pastes transactions of another program into the console, which describes them.
// The description survives a redraw of the page.
func TestBrowserExplain(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	if err := j.db.Converse(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../internal/protocol/floor/testdata/protocols.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Valid []struct{ Name, TransactionData string }
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	data := map[string]string{}
	for _, v := range all.Valid {
		data[v.Name] = v.TransactionData
	}
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	b.open(j.link(pagetoken.Console, j.db.Bus(t.Context())))
	b.waitText("What does this transaction do?")
	paste := func(text string) {
		t.Helper()
		b.eval(fmt.Sprintf(`(document.getElementById('explain').value = %q, 0)`, text))
		b.clickText(`[data-form="explain"] button`, "Explain it")
	}
	paste("nothing of the kind!")
	b.waitText("Paste the bytes of a transaction as base64 or hexadecimal digits.")
	paste(base64.StdEncoding.EncodeToString([]byte("no transaction")))
	b.waitText("This is not a Sui transaction")
	name := "spring mint under a floor"
	if data[name] == "" {
		t.Fatalf("no vector %s of %d", name, len(data))
	}
	paste(data[name])
	b.waitText("SpringSui: Turn")
	b.says([]string{"for at least", "Its developers can upgrade the protocol.", "Steps, all or none",
		"Decoded only from these bytes."}, nil)
	j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.waitText("One thing waits for you")
	b.says([]string{"SpringSui: Turn"}, nil)
	b.pictures(dir, "console-explained")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
