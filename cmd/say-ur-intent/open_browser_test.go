//go:build !windows && !darwin

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// starter is a browser command that records its arguments and keeps running, as some do. It ends
// when the test removes its directory.
const starter = `#!/bin/sh
out="$STARTED/$$"
{
	printf '%s\n' "$#" "$1"
	stat -c %a "$1"
	cat "$1"
} > "$out.part" 2>&1
mv "$out.part" "$out.done"
i=0
while [ -d "$STARTED" ] && [ $i -lt 600 ]; do
	sleep 0.1
	i=$((i + 1))
done
`

// withStarter returns the environment of a desktop whose browser command is script, and the
// directory that the script writes to.
func withStarter(t *testing.T, script string) (env []string, started string) {
	t.Helper()
	bin, started := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "DISPLAY=:0", "STARTED=" + started}, started
}

func startDesktop(t *testing.T, dir string, env []string, args ...string) (*mcpClient, *bytes.Buffer) {
	t.Helper()
	long.Skip(t, "it starts the program")
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c, err := startClient(executable, append([]string{"--standalone", "--network", "sandbox"}, args...),
		append([]string{asProgram + "=1", "SAY_UR_INTENT_DATA_DIR=" + dir}, env...), &log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.stop)
	return c, &log
}

// connecting calls the tool that creates a link to the connect page.
func connecting(t *testing.T, c *mcpClient) (link, opening string) {
	t.Helper()
	var out struct {
		URL     string `json:"walletUrl"`
		Opening string `json:"opening"`
	}
	if err := c.call("session.create_wallet_identity", map[string]any{}, &out); err != nil {
		t.Fatal(err)
	}
	return out.URL, out.Opening
}

// exchange exchanges a link's code as the page does, and returns the status.
func exchange(t *testing.T, link string) int {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	body, err := json.Marshal(map[string]string{"kind": parts[0], "id": parts[1], "code": u.Fragment})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post("http://"+u.Host+"/api/exchange", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}

// written waits for the file that the browser command writes.
func written(t *testing.T, started string) string {
	t.Helper()
	var files []string
	double.Until(t, "a browser is started", func() bool {
		files, _ = filepath.Glob(filepath.Join(started, "*.done"))
		return len(files) == 1
	})
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// arguments returns the command lines of all running processes.
func arguments() string {
	var all strings.Builder
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		text, _ := os.ReadFile(f)
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String()
}

func TestOpenBrowser(t *testing.T) {
	dir := t.TempDir()
	env, started := withStarter(t, starter)
	c, _ := startDesktop(t, dir, env, "--open-browser")
	link, opening := connecting(t, c)
	running := arguments() // while the browser command is running
	text := strings.SplitN(written(t, started), "\n", 4)
	t.Run("R004-428 the system's browser is started", func(t *testing.T) {
		if opening != "browser_started" || text[0] != "1" {
			t.Errorf("%s, %q", opening, text)
		}
	})
	file := text[1]
	t.Run("R004-427 HT-20 no argument of any process holds the code; the file is the user's alone", func(t *testing.T) {
		if !strings.Contains(running, file) {
			t.Error("the starter was not among the processes that were looked at")
		}
		shown := regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/connect/[^"#]+#([A-Za-z0-9_-]{43})`).FindStringSubmatch(text[3])
		if shown == nil {
			t.Fatalf("the file leads nowhere: %s", text[3])
		}
		if strings.Contains(running, shown[1]) || strings.Contains(file, shown[1]) {
			t.Error("the code is in a command line")
		}
		if text[2] != "600" {
			t.Errorf("the file has mode %s", text[2])
		}
		if info, err := os.Stat(filepath.Dir(file)); err != nil || info.Mode().Perm() != 0o700 || !strings.HasPrefix(file,
			dir) {
			t.Errorf("%s: %v %v", file, info, err)
		}
		if shown[0] == link {
			t.Error("the browser and the answer share one code")
		}
		if got := exchange(t, shown[0]); got != http.StatusOK {
			t.Errorf("what the browser got is answered with %d", got)
		}
	})
	t.Run("the link of the answer works too", func(t *testing.T) {
		if got := exchange(t, link); got != http.StatusOK {
			t.Errorf("answered with %d", got)
		}
	})
	t.Run("nothing is left of the file", func(t *testing.T) {
		c.stop()
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("%s: %v", file, err)
		}
	})
}

func TestOpenBrowserThatCannotBeStarted(t *testing.T) {
	failing, _ := withStarter(t, "#!/bin/sh\nexit 3\n")
	headless, started := withStarter(t, starter)
	for name, c := range map[string]struct {
		env  []string
		args []string
		want string
		log  string
	}{
		"the starter fails": {failing, []string{"--open-browser"}, "link_only", "could not be started"},
		"no display": {append(headless, "DISPLAY=", "WAYLAND_DISPLAY="), []string{"--open-browser=always"},
			"link_only", "cannot start a browser here"},
		"never":            {headless, []string{"--open-browser=never"}, "link_only", ""},
		"nobody was asked": {headless, nil, "link_only", ""},
	} {
		t.Run(name, func(t *testing.T) {
			client, log := startDesktop(t, t.TempDir(), c.env, c.args...)
			link, opening := connecting(t, client)
			if opening != c.want || exchange(t, link) != http.StatusOK {
				t.Errorf("%s, %s", opening, link)
			}
			client.stop()
			if !strings.Contains(log.String(), c.log) || strings.Contains(log.String(), "#") {
				t.Errorf("logged %s", log)
			}
			if files, _ := filepath.Glob(filepath.Join(started, "*")); len(files) != 0 {
				t.Errorf("started: %v", files)
			}
		})
	}
}

func TestLaunchFilesOfAKilledProcess(t *testing.T) {
	l := &launcher{dir: t.TempDir(), files: map[string]*time.Timer{}}
	file, err := l.write("http://127.0.0.1:1/review/a#b")
	if err != nil {
		t.Fatal(err)
	}
	l.sweep(time.Now())
	if _, err := os.Stat(file); err != nil {
		t.Errorf("a file in use was removed: %v", err)
	}
	l.sweep(time.Now().Add(2 * launchLife))
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("an old file was left: %v", err)
	}
	for _, link := range []string{"https://example.test/", "http://127.0.0.1.example.test/", "javascript:alert(1)", ""} {
		if _, err := l.write(link); err == nil {
			t.Errorf("%q would be opened", link)
		}
	}
}

func TestOpenChoice(t *testing.T) {
	for args, want := range map[string]string{"": "ask", "--open-browser": "always", "--open-browser=ask": "ask",
		"--open-browser=never": "never", "--open-browser=always": "always"} {
		s, err := parseOptions(environment(nil), append([]string{"--network", "sandbox"}, strings.Fields(args)...))
		if err != nil || s.openBrowser != want {
			t.Errorf("%s: %q %v", args, s.openBrowser, err)
		}
	}
	_, err := parseOptions(environment(nil), []string{"--open-browser=maybe"})
	if err == nil || !strings.Contains(fmt.Sprint(err), "ask, always or never") {
		t.Error(err)
	}
}

func TestPagesInTheBrowser(t *testing.T) {
	long.Skip(t, "it starts the program")
	for name, join := range map[string]bool{"by a process of its own": false, "of the server that runs": true} {
		t.Run(name, func(t *testing.T) {
			env, started := withStarter(t, starter)
			dir := shelter(t)
			if join {
				joins(t, dir)
			}
			child := exec.Command(program(t), "pages", "--network", "sandbox", "--open-browser")
			child.Env = append(append(os.Environ(), asProgram+"=1", "SAY_UR_INTENT_DATA_DIR="+dir), env...)
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = child.Process.Signal(os.Interrupt)
				_ = child.Wait()
			}()
			if text := written(t,
				started); !regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+/#[A-Za-z0-9_-]{43}`).MatchString(text) {
				t.Errorf("shown: %s", text)
			}
		})
	}
}

// TestBrowserOfAClient checks that a client's configuration cannot choose the program that receives
// the links to a user's pages.
func TestBrowserOfAClient(t *testing.T) {
	t.Setenv("BROWSER", "/tmp/catches-links")
	for _, v := range displayed(func(name string) string {
		return map[string]string{"BROWSER": "/tmp/other",
			"DISPLAY": ":1"}[name]
	}) {
		if strings.HasPrefix(v, "BROWSER=") {
			t.Errorf("the browser is started with %s", v)
		}
	}
}
