package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Values of --open-browser.
const (
	openAsk    = "ask"    // after the user agrees in the AI client; the default
	openAlways = "always" // without asking; only set by --open-browser
	openNever  = "never"

	// openHere opens the browser without asking, if there is one. No flag selects it.
	openHere = "here"
)

// openChoice implements the flag --open-browser, whose value is optional.
type openChoice string

// String implements pflag.Value.
func (o *openChoice) String() string { return string(*o) }

// Type implements pflag.Value.
func (o *openChoice) Type() string { return "ask|always|never" }

// Set implements pflag.Value.
func (o *openChoice) Set(text string) error {
	switch text {
	case openAsk, openAlways, openNever:
		*o = openChoice(text)
	default:
		return fmt.Errorf("use %s, %s or %s, not %q", openAsk, openAlways, openNever, text)
	}
	return nil
}

// A link is never passed to a browser on its command line. Every user of a machine can read the
// arguments of all processes, and the code in a link is secret until it is used. The browser gets
// the path of a file that only this user can read. The file redirects to the link and is removed
// soon after. Serving the redirect from a loopback address would not help, because another user who
// reads the arguments could request it first.
const (
	launchDir  = "launch"
	launchLife = 60 * time.Second // slow machines take a while to start a browser
	launchWait = 2 * time.Second  // for a command that fails
)

var launchPage = template.Must(template.New("launch").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={{.}}">
<title>Say Ur Intent</title>
<p>Opening Say Ur Intent. If nothing happens: <a href="{{.}}">open the page</a>.</p>
</html>
`))

// launcher starts this machine's browser.
type launcher struct {
	dir     string   // holds launch files
	command []string // argv; the file's path is appended
	env     []string // environment of the command
	log     *slog.Logger

	mu    sync.Mutex
	files map[string]*time.Timer
}

// openBrowser returns the browser for tools, or a zero Browser if there is none or the user wants
// none. done removes the launcher's files.
func (s *setup) openBrowser(choice string, getenv func(string) string) (browser tool.Browser, done func()) {
	if choice == openNever {
		return tool.Browser{}, func() {}
	}
	command := browserCommand(getenv, exec.LookPath)
	if command == nil {
		if choice == openAlways {
			s.log.Warn("cannot start a browser here; links are only in answers")
		}
		return tool.Browser{}, func() {}
	}
	l := &launcher{dir: filepath.Join(s.options.dataDir, launchDir), command: command, env: displayed(getenv), log: s.log,
		files: map[string]*time.Timer{}}
	l.sweep(s.now())
	return tool.Browser{Start: l.start, Unasked: choice == openAlways || choice == openHere}, l.close
}

// displayed returns this process's environment with the desktop variables of getenv. It removes
// BROWSER, because the program named there would get the link as an argument.
func displayed(getenv func(string) string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "BROWSER=") })
	for _, name := range door.DisplayVariables() {
		env = append(env, name+"="+getenv(name)) // the last value counts
	}
	return env
}

// start opens link in the browser. It waits briefly for a command that fails. A command that keeps
// running may outlive this process.
func (l *launcher) start(ctx context.Context, link string) error {
	file, err := l.write(link)
	if err != nil {
		l.log.Warn("the browser was not started", "cause", err)
		return err
	}
	child := exec.Command(l.command[0], append(l.command[1:len(l.command):len(l.command)], file)...)
	child.Dir, child.Env = l.dir, l.env
	detach(child)
	if err := child.Start(); err != nil {
		l.remove(file)
		l.log.Warn("the browser was not started", "cause", err)
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	wait := time.NewTimer(launchWait)
	defer wait.Stop()
	select {
	case err = <-ended:
	case <-wait.C:
	case <-ctx.Done():
	}
	if err != nil {
		l.remove(file)
		l.log.Warn("the browser could not be started", "cause", err)
	}
	return err
}

// write creates a file that redirects to link and that only this user can read.
func (l *launcher) write(link string) (string, error) {
	if !strings.HasPrefix(link, "http://127.0.0.1:") {
		return "", errors.New("only this program's pages can be opened")
	}
	var page bytes.Buffer
	if err := launchPage.Execute(&page, link); err != nil {
		return "", err
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return "", err
	}
	file := filepath.Join(l.dir, rand.Text()+".html")
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(page.Bytes())
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(file)
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files[file] = time.AfterFunc(launchLife, func() { l.remove(file) })
	return file, nil
}

func (l *launcher) remove(file string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.files[file]; t != nil {
		t.Stop()
		delete(l.files, file)
		_ = os.Remove(file)
	}
}

// close removes the remaining files.
func (l *launcher) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for file, t := range l.files {
		t.Stop()
		_ = os.Remove(file)
	}
	l.files = map[string]*time.Timer{}
}

// sweep removes files that a killed process left.
func (l *launcher) sweep(now time.Time) {
	list, err := os.ReadDir(l.dir)
	if err != nil {
		return
	}
	for _, e := range list {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > launchLife {
			_ = os.Remove(filepath.Join(l.dir, e.Name()))
		}
	}
}
