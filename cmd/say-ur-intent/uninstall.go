package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sayurintent/sayurintent/internal/install"
)

// runUninstall takes entries out. Data stays where it is.
func runUninstall(p process, args []string) int {
	in, done, code := readInstalling(p, "uninstall", args)
	if done {
		return code
	}
	if len(in.targets) == 0 {
		return in.bad(errors.New("name a client, or all; say-ur-intent status shows which have an entry"))
	}
	worst := exitOK
	for i, t := range in.targets {
		if i > 0 {
			fmt.Fprintln(p.Stdout)
		}
		worst = max(worst, in.takeOut(t))
	}
	if s, err := parseOptions(p, nil); err == nil && !in.dryRun && worst == exitOK {
		s.endUnused(p)
		fmt.Fprintf(p.Stdout, "\nYour data stays in %s.\n", filepath.Dir(s.dataDir))
	}
	return worst
}

// takeOut removes the entry from one file.
func (in *installing) takeOut(t target) int {
	out := in.p.Stdout
	fmt.Fprintf(out, "%s: %s\n", t.client.Title, t.place.File)
	f, err := install.ReadFile(t.place.File)
	if err != nil {
		return in.failed(err)
	}
	if f.Raw == nil {
		fmt.Fprintln(out, "Nothing to remove: there is no such file.")
		return exitOK
	}
	change, err := t.client.Uninstall(f.Raw, in.wish.Name, in.wish.Force)
	if err != nil {
		return in.unreadable(t, err)
	}
	code := in.write(t, f, change, fmt.Sprintf("Nothing to remove: there is no entry %q.", in.wish.Name))
	if code != exitOK {
		return code
	}
	for _, other := range change.Others {
		fmt.Fprintf(out, "There is another entry of this program: --name %s takes it out.\n", other)
	}
	in.single(change)
	if change.Changes() && !in.dryRun {
		fmt.Fprintf(out, "A session of %s that runs is served until it ends.\n", t.client.Title)
	}
	return exitOK
}
