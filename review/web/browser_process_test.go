package web_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestMain ends the shared browser after the last test.
func TestMain(m *testing.M) {
	double.Hurry()
	beside()
	code := m.Run()
	if err := theChromium.end(); err != nil {
		println("the browser's profile stays:", err.Error())
		code = max(code, 1)
	}
	os.Exit(code)
}

// beside runs twice as many tests in parallel as there are processors, because tests wait for pages
// half of the time. A number on the command line takes precedence.
func beside() {
	flag.Parse()
	if at := flag.Lookup("test.parallel"); at.Value.String() == at.DefValue {
		_ = at.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0)))
	}
}

// theChromium is started by the first test that needs it. Each test has its own browser context,
// which shares no storage, permissions or windows with others.
var theChromium chromiumProcess

type chromiumProcess struct {
	mu      sync.Mutex
	ctx     context.Context
	stop    func()
	profile string
}

// context returns a context of the running browser. It starts a new browser if the previous one
// crashed.
func (c *chromiumProcess) context(t *testing.T) context.Context {
	t.Helper()
	long.Skip(t, "it drives a browser")
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx != nil && c.ctx.Err() == nil {
		return c.ctx
	}
	if err := c.leave(); err != nil {
		t.Fatal(err)
	}
	path := chromium(t)
	var err error
	if c.profile, err = os.MkdirTemp("", "sayurintent-browser-"); err != nil {
		t.Fatal(err)
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.WSURLReadTimeout(waitTime),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck, chromedp.UserDataDir(c.profile),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("disable-extensions", true), chromedp.Flag("disable-background-timer-throttling", true),
		chromedp.Flag("disable-renderer-backgrounding", true), chromedp.Flag("disable-backgrounding-occluded-windows", true),
		chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("hide-scrollbars", true),
		// The tabs of a browser context share a process, and no process waits for a page in
		// advance. The back button uses the cache, as it does for users.
		chromedp.Flag("process-per-site", true), chromedp.Flag("disable-site-isolation-trials", true),
		chromedp.Flag("disable-features", "SpareRendererForSitePerProcess"),
		// Pages that live for a second are not worth a process that draws nor optimized code.
		chromedp.Flag("in-process-gpu", true), chromedp.Flag("js-flags", "--no-opt --max-lazy"))
	ctx, done := chromedp.NewContext(allocator)
	c.stop = func() { done(); cancel() }
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	c.ctx = ctx
	return ctx
}

// end stops the browser and deletes its profile.
func (c *chromiumProcess) end() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leave()
}

// leave waits until the browser has exited, and then until nothing writes to its profile, because
// helper processes can run a little longer.
func (c *chromiumProcess) leave() error {
	if c.stop != nil {
		c.stop()
	}
	profile := c.profile
	c.ctx, c.stop, c.profile = nil, nil, ""
	if profile == "" {
		return nil
	}
	var err error
	double.Await(func() bool { err = os.RemoveAll(profile); return err == nil })
	return err
}

// chromium returns the browser to use: the headless shell if it is installed, because it has the
// same engine and takes less than half of the time. Without a browser the test fails.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser",
		"google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("No Chromium in PATH. On Debian: apt-get install chromium-headless-shell")
	return ""
}
