//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

var filmFile = flag.String("film", "", "write the moving picture of the README to this file")

// TestFilm takes the tour in a browser and checks that each page does what the tour says. With
// -film, it also records the README's pictures (make film).
func TestFilm(t *testing.T) {
	long.Skip(t, "it starts a browser")
	t.Parallel()
	b, err := openBrowser(t)
	if err != nil {
		t.Fatalf("%v\nmake setup installs chromium", err)
	}
	var out bytes.Buffer
	d := newTour(t, &out)
	d.plays = "an AI client" // shown in the film
	f := &film{browser: b}
	step := 0
	err = guide{d, func(_ context.Context, link string) error {
		if step++; step > len(scenes) {
			return fmt.Errorf("the tour shows more pages than the %d that are known", len(scenes))
		}
		if err := scenes[step-1](f, link); err != nil {
			t.Errorf("page %d of the tour: %v", step, err)
		}
		return nil
	}}.lead(t.Context())
	if err != nil || step != len(scenes) {
		t.Fatalf("%d pages of %d: %v\n%s", step, len(scenes), err, &out)
	}
	if *filmFile != "" {
		if err := writeFilm(*filmFile, f.frames); err != nil {
			t.Fatal(err)
		}
	}
}

// Sizes in pixels: the whole picture, and the part that shows a page.
const (
	width, height = 960, 600
	pageWidth     = 640
)

// frame is one picture, and how long it is shown.
type frame struct {
	png   []byte
	stays time.Duration
}

// film collects what the user sees: the conversation on one side, the page on the other.
type film struct {
	browser *filmBrowser
	said    []string // speech bubbles, as HTML
	frames  []frame
}

// act does something on the page, or waits for something to happen on it.
type act func(f *film) error

func (f *film) you(text string) { f.bubble("you", text) }

func (f *film) assistant(text string) { f.bubble("ai", text) }

func (f *film) bubble(who, text string) {
	f.said = append(f.said, `<p class="`+who+`">`+html.EscapeString(text)+`</p>`)
}

// play opens a page, unless link is "", and then runs acts in order.
func (f *film) play(link string, acts ...act) error {
	if link != "" {
		// A page with unsaved input asks before it is left, which would block this forever.
		timed, stop := context.WithTimeout(f.browser.page, 2*time.Minute)
		defer stop()
		if err := chromedp.Do(timed, chromedp.Navigate(link)); err != nil {
			return fmt.Errorf("opening %s: %w", link, err)
		}
	}
	for _, a := range acts {
		if err := a(f); err != nil {
			return err
		}
	}
	return nil
}

// waitFor waits until an expression is true on the page.
func waitFor(expression string) act {
	return func(f *film) error {
		_, err := chromedp.Run(f.browser.page, chromedp.Poll[chromedp.Void](expression,
			chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(40*time.Second)))
		if err != nil {
			return fmt.Errorf("waiting for %s: %w", expression, err)
		}
		return nil
	}
}

// ready waits until the review can be signed and its button is enabled.
func ready(f *film) error {
	return waitFor(`document.getElementById('view')?.dataset.stage === 'ready' && ` +
		`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)(f)
}

// press presses the sign button and waits for the result on chain.
func press(f *film) error {
	for _, a := range []act{clickOn(`[data-action="sign"]`),
		waitFor(`document.getElementById('view')?.dataset.stage === 'success'`)} {
		if err := a(f); err != nil {
			return err
		}
	}
	return nil
}

func clickOn(selector string) act {
	return func(f *film) error {
		if err := waitFor(fmt.Sprintf(`document.querySelector(%q)?.checkVisibility() === true`, selector))(f); err != nil {
			return err
		}
		return chromedp.Do(f.browser.page, chromedp.Click(chromedp.CSS(selector)))
	}
}

// fill types into a field.
func fill(selector, text string) act {
	return func(f *film) error {
		if err := waitFor(fmt.Sprintf(`(at => { at?.focus(); return document.activeElement === at; })(document.querySelector(%q))`, selector))(f); err != nil {
			return err
		}
		return chromedp.Do(f.browser.page, chromedp.KeyEvent(text))
	}
}

func scroll(to int) act { return runScript(fmt.Sprintf("scrollTo(0, %d)", to)) }

// showAt brings an element near the top.
func showAt(selector string) act {
	return runScript(fmt.Sprintf("scrollTo(0, document.querySelector(%q).getBoundingClientRect().top + scrollY - 120)",
		selector))
}

func runScript(text string) act {
	return func(f *film) error {
		_, err := chromedp.Run(f.browser.page, chromedp.Evaluate[string](text+", ''"))
		return err
	}
}

// take takes a picture of conversation and page together.
func take(stays time.Duration) act {
	return func(f *film) error {
		if *filmFile == "" {
			return nil
		}
		time.Sleep(150 * time.Millisecond) // until the page's transitions have ended
		shot, err := chromedp.Run(f.browser.page, chromedp.CaptureScreenshot())
		if err != nil {
			return err
		}
		file, err := os.CreateTemp("", "say-ur-intent-frame-*.html")
		if err != nil {
			return err
		}
		defer func() { _ = os.Remove(file.Name()) }()
		_, err = file.WriteString(sheet(f.said, shot))
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			return err
		}
		if err := chromedp.Do(f.browser.table, chromedp.Navigate("file://"+file.Name())); err != nil {
			return err
		}
		picture, err := chromedp.Run(f.browser.table, chromedp.CaptureScreenshot())
		if err == nil {
			f.frames = append(f.frames, frame{picture, stays})
		}
		return err
	}
}

// filmBrowser is a Chromium with two tabs: one for the user, and one to lay out pictures.
type filmBrowser struct{ page, table context.Context }

// openBrowser starts a Chromium that is closed when the test ends.
func openBrowser(t *testing.T) (*filmBrowser, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	allocator, end := chromedp.NewExecAllocator(t.Context(), chromedp.ExecPath(path), chromedp.Headless,
		chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("hide-scrollbars", true))
	page, done := chromedp.NewContext(allocator)
	t.Cleanup(func() { done(); end() })
	b := &filmBrowser{page: page}
	if err := chromedp.Do(page, chromedp.EmulateViewport(pageWidth, height)); err != nil {
		return nil, err
	}
	b.table, _ = chromedp.NewContext(page)
	return b, chromedp.Do(b.table, chromedp.EmulateViewport(width, height))
}

// sheet returns the HTML of one picture: the end of the conversation, and the page.
func sheet(said []string, shot []byte) string {
	const ground, ink, you, ai, line = "#f3f5f6", "#14262b", "#0d5a66", "#ffffff", "#d5dde0"
	style := fmt.Sprintf(`body{margin:0;width:%dpx;height:%dpx;overflow:hidden;display:flex;background:%s;font:15px/1.4 sans-serif;color:%s}
main{width:%dpx;box-sizing:border-box;padding:20px 18px;display:flex;flex-direction:column;justify-content:flex-end;gap:12px;border-right:1px solid %s}
p{margin:0;padding:10px 14px;border-radius:16px;max-width:236px}.you{align-self:flex-end;background:%s;color:#fff;border-bottom-right-radius:4px}
.ai{background:%s;border:1px solid %s;border-bottom-left-radius:4px}h1{font-size:13px;margin:0 0 auto;opacity:.65;font-weight:600}
img{display:block;width:%dpx;height:%dpx}`, width, height, ground, ink, width-pageWidth, line, you, ai, line, pageWidth,
		height)
	return `<!doctype html><meta charset="utf-8"><style>` + style + `</style><main><h1>Your AI client</h1>` +
		strings.Join(said[max(0, len(said)-6):], "") + `</main><img src="data:image/png;base64,` +
		base64.StdEncoding.EncodeToString(shot) + `" alt="">`
}
