package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
)

// TestBrowserTimes checks that times are shown in the user's time zone, with UTC next to them.
func TestBrowserTimes(t *testing.T) {
	inBrowser(t)
	r, b := newRig(t, nil), newBrowser(t)
	if _, err := chromedp.Call(b.ctx, emulation.SetTimezoneOverride,
		emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Kathmandu"}); err != nil {
		t.Fatal(err)
	}
	s, materials := sample(t, record.Success)
	s.Execution.Receipt.Timestamp = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	b.open(r.link(pagetoken.Review, r.put(s, materials)))
	b.waitStage("success")
	got := b.eval(`document.querySelector('.result time').textContent + '|' + document.querySelector('.result time').dateTime`)
	if !strings.Contains(got, "17:45") && !strings.Contains(got, "05:45") || !strings.HasSuffix(got,
		"(1 Nov 2026, 12:00:00 UTC)|2026-11-01T12:00:00Z") {
		t.Errorf("it shows %s", got)
	}
}

// TestExplorerLink checks that only mainnet has an explorer, and that only a click contacts it.
func TestExplorerLink(t *testing.T) {
	for network, want := range map[string]bool{"sui:mainnet": true, "sui:sandbox": false} {
		r := newRig(t, func(c *config) { c.Network = network })
		s, materials := sample(t, record.Success)
		s.Network = network
		id := r.put(s, materials)
		body := r.do("GET", "/api/review/"+id+"/view", r.token(pagetoken.Review, id), nil).body
		link := `<a class="button" href="https://suivision.xyz/txblock/` + sampleDigest(t) +
			`" target="_blank" rel="noreferrer noopener">`
		if strings.Contains(body, link) != want || strings.Contains(body, "https://") != want {
			t.Errorf("%s: a link to an explorer is there: %t", network, !want)
		}
		if !strings.Contains(body, `data-copy="`+sampleDigest(t)+`"`) {
			t.Errorf("%s: the digest cannot be copied", network)
		}
	}
}
