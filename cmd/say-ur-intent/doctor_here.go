package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// program reports the path of this program, and warns if it is in a temporary folder.
func (d *doctor) program() {
	path, temporary, err := ownPath()
	switch {
	case err != nil:
		d.warn("program", "Version "+version+"; its path is unknown.", "Start it with its full path.")
	case temporary:
		d.warn("program", fmt.Sprintf("Version %s at %s, which is in a temporary folder.", version, path),
			"Copy it to a permanent folder and run install from there, so that clients can still find it.")
	default:
		d.ok("program", "Version %s for %s/%s at %s.", version, runtime.GOOS, runtime.GOARCH, path)
	}
}

// browser reports how pages can be opened. A missing browser is not a failure, because every
// response contains the link.
func (d *doctor) browser() {
	here := "No browser was found"
	if found := browsers(runtime.GOOS, d.p.Getenv); len(found) > 0 {
		here = "Installed: " + strings.Join(found, ", ")
	}
	const wallet = "Open links on this computer's desktop, in the browser that has your wallet."
	command := browserCommand(d.p.Getenv, exec.LookPath)
	switch {
	case d.s.openBrowser == openNever:
		d.ok("browser", "Never started (--open-browser=never). Links are in the results. %s.", here)
	case command == nil:
		d.warn("browser", "Cannot be started from this session. "+here+".", wallet)
	case d.s.openBrowser == openAlways:
		d.ok("browser", "%s opens each page. %s.", filepath.Base(command[0]), here)
	default:
		d.ok("browser", "%s opens pages when you agree in your AI client. %s.", filepath.Base(command[0]), here)
	}
}

// browsers returns the names of the installed browsers. system is a value of runtime.GOOS.
func browsers(system string, getenv func(string) string) []string {
	var found []string
	switch system {
	case "darwin":
		for _, name := range []string{"Safari", "Google Chrome", "Brave Browser", "Firefox", "Microsoft Edge", "Arc",
			"Chromium"} {
			if _, err := os.Stat(filepath.Join("/Applications", name+".app")); err == nil {
				found = append(found, name)
			}
		}
	case "windows":
		for _, variable := range []string{"ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"} {
			for _, rel := range []string{`Google\Chrome\Application\chrome.exe`, `Microsoft\Edge\Application\msedge.exe`,
				`BraveSoftware\Brave-Browser\Application\brave.exe`, `Mozilla Firefox\firefox.exe`} {
				if dir := getenv(variable); dir != "" {
					if _, err := os.Stat(filepath.Join(dir, rel)); err == nil {
						found = append(found, rel[strings.LastIndexByte(rel, '\\')+1:])
					}
				}
			}
		}
	default:
		for _, name := range []string{"google-chrome", "chromium", "chromium-browser", "brave-browser", "firefox",
			"microsoft-edge", "vivaldi", "opera"} {
			if _, err := exec.LookPath(name); err == nil {
				found = append(found, name)
			}
		}
	}
	return found
}

// clients checks the configuration of each installed AI client.
func (d *doctor) clients() {
	list, err := allStatus(d.p, entryName, "")
	if err != nil {
		d.warn("clients", "Not checked: "+words(err)+".", "Set HOME.")
		return
	}
	configured := 0
	for _, c := range list {
		configured += len(c.Entries)
		switch {
		case c.Problem != "":
			d.fail(c.Client, fmt.Sprintf("%s: %s.", c.File, strings.TrimSuffix(c.Problem, ".")), c.Next)
		case len(c.Entries) == 0 && c.Present:
			d.ok(c.Client, "%s has no entry for this program. To add one: say-ur-intent install %s.", c.Title, c.Client)
		}
		for _, e := range c.Entries {
			switch {
			case e.Problem != "" && e.Network != "" && !e.CommandExists:
				d.fail(c.Client, fmt.Sprintf("The entry %s does not start: %s.", e.Label(), e.Problem), e.Next)
			case e.Problem != "":
				d.warn(c.Client, fmt.Sprintf("The entry %s: %s.", e.Label(), e.Problem), e.Next)
			case e.URL != "":
				d.ok(c.Client, "%s connects over HTTP to the server on %s, entry %s.", c.Title, e.Network, e.Label())
			default:
				d.ok(c.Client, "%s starts this version on %s, entry %s.", c.Title, e.Network, e.Label())
			}
		}
	}
	if configured == 0 {
		d.warn("clients", "No AI client has an entry for this program.",
			"say-ur-intent install lists the clients on this computer.")
	}
}
