package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// fill replaces the content of a field by typing, as a user does.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	text, enters := strings.CutSuffix(text, "\r")
	for end := time.Now().Add(waitTime); ; { // a redraw may replace the field meanwhile
		b.click(selector)
		b.eval(fmt.Sprintf("document.querySelector(%q)?.select()", selector))
		b.press(text)
		if b.eval(fmt.Sprintf("document.querySelector(%q)?.value", selector)) == text {
			break
		}
		if time.Now().After(end) {
			b.t.Fatalf("%s does not take %q\n%s", selector, text, b.main())
		}
	}
	if enters {
		b.press("\r")
	}
}

// unfold opens a tab of the settings page and a fold in it.
func (b *tab) unfold(tab, fold string) {
	b.t.Helper()
	b.click("#tab-" + tab)
	b.wait(fmt.Sprintf("document.getElementById('panel-%s').checkVisibility()", tab))
	if b.eval(fmt.Sprintf("document.getElementById('fold-%s').open", fold)) == "false" {
		b.click("#fold-" + fold + " > summary")
	}
}

// saveTo lets the browser of this tab save files to a directory.
func (b *tab) saveTo(dir string) {
	b.t.Helper()
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
		BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID}); err != nil {
		b.t.Fatal(err)
	}
}

// savedFile waits until the only download with a name is complete. Chromium renames a complete
// download over an empty file that already has its name, so there must be no incomplete one.
func savedFile(t *testing.T, dir, pattern string) string {
	t.Helper()
	list := func(pattern string) []string {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	var files []string
	double.Until(t, "a file is saved", func() bool {
		files = list(pattern)
		return len(files) == 1 && len(list("*.crdownload")) == 0
	})
	return files[0]
}

// TestBrowserSettings uses the page as a user does: limits, an address, exporting and importing a
// backup, and deleting everything.
func TestBrowserSettings(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	s, materials := sample(t, record.Success)
	r.put(s, materials)
	b := newBrowser(t)
	dir := screenshotDir(t)
	b.open(r.link(pagetoken.Settings, settingsID))
	b.waitText("Spending limits")
	b.pictures(dir, "settings-fresh")

	t.Run("a limit is added with the keyboard alone", func(t *testing.T) {
		b.t = t
		b.enter(`[data-action="add"]`)
		b.wait(`document.activeElement.name === 'coin'`)
		b.press("\t10.5\r")
		b.waitText("It applies from now on")
		if got := r.stored().Allowance; len(got.PerTransaction) != 1 ||
			got.PerTransaction[0] != (policy.CoinLimit{CoinType: sui.SUI, Most: 10_500_000_000}) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a limit of a coin that the list lacks", func(t *testing.T) {
		b.t = t
		const row = `.limits .new `
		b.click(`[data-action="add"]`)
		b.wait(`getComputedStyle(document.querySelector('` + row + `.other')).display === 'none'`)
		b.fill(row+`[name="day"]`, "250")
		b.eval("document.querySelector('" + row + `[name="coin"]').value = ''`)
		b.wait(`getComputedStyle(document.querySelector('` + row + `.other')).display !== 'none'`)
		b.fill(row+`[name="type"]`, "0x2::x::X")
		b.pictures(dir, "settings-another-coin")
		b.click(`[data-form="limits"] button.main`)
		b.waitText("It applies from now on")
		b.wait(`document.querySelector('[data-row]:last-child').dataset.coin.endsWith('::x::X')`)
		if got := r.stored().Allowance.PerDay; len(got) != 1 || !strings.HasSuffix(string(got[0].CoinType), "::x::X") ||
			got[0].Most != 250 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("loosening shows old and new and waits", func(t *testing.T) {
		b.t = t
		b.click(`[data-action="edit"]`)
		b.fill(`[name="each"]`, "20")
		b.click(`[data-form="limits"] button.main`)
		b.waitText("10.5 SUI")
		b.waitText("This allows more than before")
		b.pictures(dir, "settings-loosen")
		b.click(`[data-answer="limits"] [data-part="no"]`)
		b.waitText("Nothing was changed")
		if got := r.stored().Allowance.PerTransaction[0].Most; got != 10_500_000_000 {
			t.Errorf("stored %s", got)
		}
		b.click(`[data-action="edit"]`)
		b.fill(`[name="each"]`, "20")
		b.click(`[data-form="limits"] button.main`)
		b.click(`[data-answer="limits"] [data-part="yes"]`)
		b.waitText("It applies from now on")
		if got := r.stored().Allowance.PerTransaction[0].Most; got != 20_000_000_000 {
			t.Errorf("stored %s", got)
		}
	})
	t.Run("what is refused says why and keeps what was typed", func(t *testing.T) {
		b.t = t
		b.click(`[name="only"]`)
		b.fill(`[name="recipient"]`, "0xa11ce")
		b.click(`[data-form="limits"] button.main`)
		b.waitText("Enter each recipient as a full Sui address")
		if b.eval(`document.querySelector('[name="recipient"]').value`) != "0xa11ce" {
			t.Error("what was typed is gone")
		}
	})
	t.Run("a change elsewhere does not throw away what is not saved", func(t *testing.T) {
		b.t = t
		r.set(func(s *settings.Stored) { s.Addresses[settings.GRPC] = "https://other.example" })
		b.waitText("The settings have changed")
		if b.eval(`document.querySelector('[name="recipient"]').value`) != "0xa11ce" {
			t.Error("what was typed is gone")
		}
		b.click(`[data-action="reload"]`)
		b.wait(`document.querySelector('#url-grpc').value === 'https://other.example'`)
	})
	t.Run("an address is checked, shown and stored", func(t *testing.T) {
		b.t = t
		b.unfold("network", "grpc")
		b.fill("#url-grpc", "https://far.example\r")
		b.waitText("another chain")
		b.fill("#url-grpc", "https://here.example\r")
		b.waitText("serves the chain 4c78adac")
		b.pictures(dir, "settings-address")
		b.click(`[data-answer="grpc"] [data-part="yes"]`)
		b.waitText("Saved. It takes effect")
		if got := r.stored().Addresses[settings.GRPC]; got != "https://here.example" {
			t.Errorf("stored %q", got)
		}
	})
	t.Run("services that are folded away are set and reset in the same way", func(t *testing.T) {
		b.t = t
		const shown = `document.querySelector('#url-indexer').checkVisibility()`
		if b.eval(shown) == "true" {
			t.Error("nothing of them is set, and they are shown")
		}
		b.unfold("network", "indexer")
		b.wait(shown)
		b.fill("#url-indexer", "https://here.example\r")
		b.waitText("nothing was asked there")
		b.pictures(dir, "settings-services")
		b.click(`[data-answer="indexer"] [data-part="yes"]`)
		b.wait(`document.querySelector('[data-answer="indexer"] .said')?.innerText.includes('Saved. It takes effect')`)
		if got := r.stored().Addresses[settings.Indexer]; got != "https://here.example" {
			t.Errorf("stored %q", got)
		}
		b.click(`[data-form="indexer"] [data-action="default"]`)
		b.click(`[data-answer="indexer"] [data-part="yes"]`)
		b.wait(`document.querySelector('#url-indexer').value === ''`)
		b.wait(`document.querySelector('[data-answer="indexer"] .said')?.checkVisibility()`)
		if got := r.stored().Addresses[settings.Indexer]; got != "" {
			t.Errorf("stored %q", got)
		}
	})
	t.Run("a page that is open shows at once what is set elsewhere", func(t *testing.T) {
		b.t = t
		r.set(func(s *settings.Stored) { s.Allowance.Protocols = []string{"flowx"} })
		b.wait(`document.querySelector('[name="protocol"][value="flowx"]').checked`)
	})
	t.Run("a copy goes out, is looked at, and goes in", func(t *testing.T) {
		b.t = t
		saved := t.TempDir()
		b.saveTo(saved)
		b.unfold("data", "copy")
		b.click(`[data-action="export"]`)
		b.waitText("Your browser has the backup")
		copied := savedFile(t, saved, "*.json.gz")
		r.set(func(s *settings.Stored) { s.Allowance = policy.Allowance{}; s.Addresses[settings.GRPC] = "" })
		b.wait(`document.querySelector('#url-grpc').value === ''`)
		b.unfold("data", "import")
		b.choose("#copy", copied)
		b.waitText("Restore this backup")
		b.pictures(dir, "settings-import")
		b.click(`[data-choice="limits"] input`)
		b.click(`[data-answer="import"] [data-part="yes"]`)
		b.waitText("The backup was imported")
		if got := r.stored(); len(got.Allowance.PerTransaction) != 1 || got.Addresses[settings.GRPC] != "" {
			t.Errorf("%+v", got)
		}
		broken := filepath.Join(saved, "broken.json.gz")
		whole, err := os.ReadFile(copied)
		if err == nil {
			err = os.WriteFile(broken, whole[:len(whole)/2], 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		b.choose("#copy", broken)
		b.waitText("This backup is truncated")
	})
	t.Run("everything is forgotten after typing it", func(t *testing.T) {
		b.t = t
		b.unfold("data", "reset")
		b.fill("#typed", "please\r")
		b.waitText("To erase everything, type the words")
		b.fill("#typed", backup.ResetWords+"\r")
		b.waitText("All local data is erased")
		if got := r.stored(); len(got.Allowance.PerTransaction) != 0 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("scripts of the page", func(t *testing.T) {
		sum := 0
		for _, name := range []string{"settings.js", "token.js", "api.js", "page.js", "live.js", "sandbox.js"} {
			a := r.do("GET", "/assets/"+name, "", nil)
			sum += len(a.body)
		}
		// The modules of all pages include support for several subjects on one page, so that a
		// bundle's steps can be reviewed and signed on the page of the bundle. The scripts of a
		// page are at most 45 KB.
		if sum > 29500 {
			t.Errorf("%d bytes", sum)
		}
	})
	b.t = t
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// set changes settings as another process would.
func (r *rig) set(edit func(*settings.Stored)) {
	r.t.Helper()
	err := r.db.ChangeSettings(context.Background(), func(s *settings.Stored) error { edit(s); return nil })
	if err != nil {
		r.t.Fatal(err)
	}
}

// choose sets the file of a file field. It tries again if the page was redrawn meanwhile.
func (b *tab) choose(selector, file string) {
	b.t.Helper()
	for end := time.Now().Add(waitTime); ; {
		err := chromedp.Do(b.ctx, chromedp.SetUploadFiles(chromedp.CSS(selector), []string{file}))
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "-32000") || time.Now().After(end) {
			b.t.Fatalf("%v\n%s", err, b.main())
		}
	}
}

// TestBrowserSettingsTabs moves through the tabs with the keyboard, checks that a reload opens the
// tab in the address, and limits the number of words on each.
func TestBrowserSettingsTabs(t *testing.T) {
	inBrowser(t)
	r := newRig(t, func(c *config) {
		set := (&rig{db: c.DB}).settingsConfig()
		set.Released = func(context.Context) ([]policy.Release, time.Time, error) {
			now := time.Now()
			return []policy.Release{{At: now, Takes: policy.Takes{sui.SUI: {Leaves: 265_000_000_000}}}}, now, nil
		}
		c.Settings = settings.New(set)
	})
	b := newBrowser(t)
	dir := screenshotDir(t)
	b.open(r.link(pagetoken.Settings, settingsID))
	b.waitText("Spending limits")
	t.Run("a preset fills the table and holds when it is saved", func(t *testing.T) {
		b.t = t
		b.click(`[data-preset="Everyday"]`)
		b.wait(`document.querySelector('[data-part="saving"]').checkVisibility() && document.querySelectorAll('[data-row].editing').length === 4`)
		if got := r.stored().Allowance; len(got.PerDay) != 0 {
			t.Errorf("it holds before it is saved: %+v", got)
		}
		b.pictures(dir, "settings-preset")
		b.click(`[data-form="limits"] button.main`)
		b.says([]string{"It applies from now on", "265 of 300"}, nil)
		b.wait(`document.querySelector('[data-preset="Everyday"]').ariaPressed === 'true'`)
		if got := r.stored().Allowance; len(got.PerDay) != 4 || len(got.PerTransaction) != 4 {
			t.Errorf("%+v", got)
		}
	})
	b.t = t
	b.do(chromedp.Reload())
	b.waitText("265 of 300")
	for _, tab := range []string{"limits", "network", "access", "projects", "data"} {
		b.wait(fmt.Sprintf(`document.querySelector('[aria-selected="true"]').id === 'tab-%s' && document.getElementById('panel-%[1]s').checkVisibility()`, tab))
		b.pictures(dir, "settings-tab-"+tab)
		b.wordBudget(t, "the tab "+tab, 120)
		b.eval(fmt.Sprintf("document.getElementById('tab-%s').focus()", tab))
		b.press(kb.ArrowRight)
	}
	b.wait(`document.activeElement.id === 'tab-limits' && document.activeElement.ariaSelected === 'true'`)
	b.press(kb.End)
	b.wait(`location.hash === '#data'`)
	b.do(chromedp.Reload())
	b.says([]string{"Back up", "About this program"}, []string{"Spending limits"})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
