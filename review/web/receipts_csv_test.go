package web_test

import (
	"context"
	"encoding/csv"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// receiptsOf requests the receipts of a period and returns the lines of the table.
func (r *rig) receiptsOf(token, from, to string) (a answer, lines [][]string) {
	r.t.Helper()
	a = r.do("POST", "/api/reviews/reviews/receipts", token, map[string]string{"from": from, "to": to})
	if a.status != http.StatusOK {
		return a, nil
	}
	lines, err := csv.NewReader(strings.NewReader(a.text("csv"))).ReadAll()
	if err != nil {
		r.t.Fatal(err)
	}
	return a, lines[1:]
}

func TestReceiptsCSV(t *testing.T) {
	r := newRig(t, nil)
	id := map[string]string{}
	add := func(name string, status record.Status, at time.Time, edit func(*record.Session)) {
		s, materials := sample(t, status)
		s.Execution.Receipt.Timestamp = at
		if edit != nil {
			edit(&s)
		}
		id[name] = r.put(s, materials)
	}
	day := func(n int) time.Time { return time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, n) }
	const formula = `=HYPERLINK("http://evil.test","x")`
	manager := plan.ObjectParty(sui.MustAddress("0x77"))
	add("sold", record.Success, day(-3).Add(time.Hour), func(s *record.Session) {
		s.Execution.Receipt.BalanceChanges = []sui.BalanceChange{{Owner: person, Coin: sui.SUI,
			Amount: sui.Delta{Negative: true, Amount: 3_758_120}}}
		s.Facts.Steps[0].Holder = &plan.Holder{ID: manager.ID, Term: "Balance manager"}
		s.Execution.Receipt.Result = &plan.Result{Title: formula, Moved: []plan.Moved{
			{Holder: manager, Asset: suiCoin, Change: sui.Delta{Negative: true, Amount: 10_000_000_000}, Why: plan.ForTrade},
			{Holder: manager, Asset: usdcCoin, Change: sui.Delta{Amount: 12_926_000}, Why: plan.ForTrade},
			{Holder: manager, Asset: suiCoin, Change: sui.Delta{Negative: true, Amount: 1_000_000}, Why: plan.ForFee},
			{Holder: manager, Asset: suiCoin, Change: sui.Delta{Amount: 5}, Why: plan.ForRelease}}}
	})
	add("swapped", record.Success, day(-2).Add(time.Hour), nil)
	add("failed", record.Failure, day(-1).Add(time.Hour), func(s *record.Session) {
		s.Execution.Receipt.GasNet = sui.Delta{Negative: true, Amount: 1000}
		s.Execution.Receipt.BalanceChanges = []sui.BalanceChange{{Owner: person, Coin: sui.SUI,
			Amount: sui.Delta{Amount: 1000}}}
	})
	ready, materials := sample(t, record.Ready)
	r.put(ready, materials)
	token := r.token(pagetoken.Reviews, pagetoken.ReviewsSubject)
	a, lines := r.receiptsOf(token, "", "")
	account, network := person.String(), "sui:sandbox"
	digest := sampleDigest(t)
	at := func(n int) string { return day(n).Add(time.Hour).Format(time.RFC3339) }
	want := [][]string{
		{at(-3), network, account, "'" + formula, "balance manager", "SUI", "10", "", "", "0.00375812", "success", digest,
			id["sold"], "told"},
		{at(-3), network, account, "'" + formula, "balance manager", "USDC", "", "12.926", "", "", "success", digest,
			id["sold"], "told"},
		{at(-3), network, account, "'" + formula, "balance manager", "SUI", "", "", "0.001", "", "success", digest,
			id["sold"], "told"},
		{at(-2), network, account, "Swapped 10 SUI for 12.975485 USDC", "account", "USDC", "", "12.975485", "", "0.00375812",
			"success", digest, id["swapped"], "told"},
		{at(-2), network, account, "Swapped 10 SUI for 12.975485 USDC", "account", "SUI", "10", "", "", "", "success", digest,
			id["swapped"], "told"},
		{at(-1), network, account, "The chain ran it, and it failed. Only gas was spent.", "account", "", "", "", "",
			"-0.000001", "failure", digest, id["failed"], "told"},
	}
	for i := range max(len(want), len(lines)) {
		if i >= len(want) || i >= len(lines) || !slices.Equal(want[i], lines[i]) {
			t.Fatalf("line %d of %d\n%s", i, len(lines), a.text("csv"))
		}
	}
	t.Run("lines end as RFC 4180 has it, and quotes are doubled", func(t *testing.T) {
		if text := a.text("csv"); strings.Count(text, "\r\n") != len(want)+1 || !strings.Contains(text,
			`"'=HYPERLINK(""http`) {
			t.Error(text)
		}
	})
	t.Run("a text that is a formula", func(t *testing.T) {
		for _, line := range lines {
			for i, text := range line {
				if _, err := sui.ParseDecimal(strings.TrimPrefix(text, "-")); err != nil && text != "" &&
					strings.ContainsAny(text[:1], "=+-@") {
					t.Errorf("column %d: %q", i, text)
				}
			}
		}
	})
	for name, c := range map[string]struct {
		from, to string
		lines    int
	}{
		"one day":       {day(-2).Format(time.RFC3339), day(-1).Format(time.RFC3339), 2},
		"from a day on": {day(-1).Format(time.RFC3339), "", 1},
		"to a day":      {"", day(-2).Format(time.RFC3339), 3}, "nothing": {day(1).Format(time.RFC3339), "", 0},
		"in another time zone": {day(-2).In(time.FixedZone("", 5400)).Format(time.RFC3339), day(-1).Format(time.RFC3339), 2},
	} {
		t.Run(name, func(t *testing.T) {
			if _, lines := r.receiptsOf(token, c.from, c.to); len(lines) != c.lines {
				t.Errorf("%d lines, want %d", len(lines), c.lines)
			}
		})
	}
	for name, in := range map[string][2]string{"no day": {"yesterday", ""}, "backwards": {day(0).Format(time.RFC3339),
		day(-1).Format(time.RFC3339)}} {
		t.Run(name, func(t *testing.T) {
			if a, _ := r.receiptsOf(token, in[0], in[1]); a.status != http.StatusBadRequest {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	t.Run("only the page of all reviews may ask", func(t *testing.T) {
		for _, token := range []string{"", r.token(pagetoken.Account, person.String())} {
			if a, _ := r.receiptsOf(token, "", ""); a.status != http.StatusUnauthorized {
				t.Errorf("%d", a.status)
			}
		}
	})
}

// TestBrowserReceiptsCSV saves the receipts of a period from the page of all reviews.
func TestBrowserReceiptsCSV(t *testing.T) {
	inBrowser(t)
	var from, to time.Time
	var found []record.Session
	r := newRig(t, func(c *config) {
		c.Booked = func(_ context.Context, a, b time.Time, _ int) ([]record.Session, bool, error) {
			from, to = a, b
			return found, len(found) > 0, nil
		}
	})
	b := newBrowser(t)
	past, materials := sample(t, record.Success)
	r.put(past, materials)
	saved := t.TempDir()
	b.saveTo(saved)
	b.open(r.link(pagetoken.Reviews, pagetoken.ReviewsSubject))
	b.click(`.folds summary`)
	b.click(`[data-action="receipts"]`)
	b.waitText("There are no receipts in this period.")
	if !from.IsZero() || !to.IsZero() {
		t.Errorf("without a day it asks from %s to %s", from, to)
	}
	s, _ := sample(t, record.Success)
	found = []record.Session{s}
	b.eval(`[['from', '2026-11-01'], ['to', '2026-11-30']].map(([name, day]) => { document.querySelector('[data-part="receipts-' + name + '"]').value = day; })`)
	b.click(`[data-action="receipts"]`)
	b.waitText("Saved: 1 receipt. There are more: choose fewer days")
	if want := b.eval(`new Date(2026, 10, 1).toISOString() + new Date(2026, 11, 1).toISOString()`); want != from.Format("2006-01-02T15:04:05.000Z")+to.Format("2006-01-02T15:04:05.000Z") {
		t.Errorf("it asks from %s to %s, want %s", from, to, want)
	}
	b.pictures(screenshotDir(t), "reviews-receipts")
	if got, err := os.ReadFile(savedFile(t, saved, "*receipts.csv")); err != nil || !strings.Contains(string(got),
		"Swapped 10 SUI for 12.975485 USDC") {
		t.Errorf("saved is %q, %v", got, err)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
