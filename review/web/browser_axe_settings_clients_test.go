//go:build clients

package web_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestBrowserAxeSettings checks the settings page with axe-core: new, with limits, asking for
// confirmation, with an error, showing a backup, read-only, and with every hidden part shown.
func TestBrowserAxeSettings(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	b := newBrowser(t)
	b.open(r.link(pagetoken.Settings, settingsID))
	b.waitText("Spending limits")
	for _, tab := range []string{"network", "access", "projects", "data", "limits"} {
		b.click("#tab-" + tab)
		b.accessible()
	}
	r.set(func(s *settings.Stored) {
		s.Addresses[settings.GRPC] = "https://other.example"
		s.Allowance = policy.Allowance{PerTransaction: []policy.CoinLimit{{CoinType: sui.SUI, Most: 5},
			{CoinType: sui.SUI[:len(sui.SUI)-3] + "OTHER", Most: 7}},
			Protocols: []string{"deep", "gone"}, Recipients: []sui.Address{person}}
	})
	b.wait(`document.querySelectorAll('[data-action="edit"]').length === 2`)
	b.click(`[data-action="edit"]`)
	b.fill(`[name="each"]`, "20")
	b.click(`[data-form="limits"] button.main`)
	b.waitText("This allows more than before")
	b.accessible()
	b.click(`[data-answer="limits"] [data-part="no"]`)
	b.unfold("network", "grpc")
	b.waitText("Restore the default")
	b.fill("#url-grpc", "https://10.0.0.1\r")
	b.waitText("private or reserved")
	b.accessible()
	b.unfold("network", "archive")
	b.fill("#url-archive", "https://here.example\r")
	b.waitText("serves the chain")
	b.accessible()
	b.eval(`[...document.querySelectorAll('[data-problem], [data-part], #lost, #gone')].map((at) => { at.hidden = false; })`)
	b.accessible()
	looker := b.another()
	looker.open(r.link(pagetoken.Settings, settingsID))
	looker.waitText("You use this in another tab.")
}
