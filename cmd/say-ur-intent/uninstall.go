package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/install"
)

func uninstallCommand(p process) *cobra.Command {
	in := &installing{p: p, removes: true}
	cmd := &cobra.Command{Use: "uninstall CLIENT...", Short: "Remove this program from an AI client",
		Long:      "Removes the entry from the configuration of AI clients. Your data remains.",
		Example:   examples("say-ur-intent uninstall cursor", "say-ur-intent uninstall all"),
		ValidArgs: clientNames(),
		RunE:      func(_ *cobra.Command, args []string) error { return in.uninstall(args) }}
	in.flags(cmd.Flags())
	return cmd
}

// uninstall removes the entries of the named clients. It does not delete data.
func (in *installing) uninstall(names []string) error {
	if err := in.choose(names); err != nil {
		return bad(err)
	}
	if len(in.targets) == 0 {
		return misused(errors.New("name a client, or all; say-ur-intent status shows which have an entry"))
	}
	err := in.each(in.takeOut)
	if s, unread := parseOptions(in.p, nil); unread == nil && !in.dryRun && err == nil {
		s.endUnused(in.p)
		fmt.Fprintf(in.p.Stdout, "\nYour data remains in %s.\n", filepath.Dir(s.dataDir))
	}
	return err
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
		fmt.Fprintln(out, "Nothing to remove: the file does not exist.")
		return exitOK
	}
	change, err := t.client.Uninstall(f.Raw, in.spec.Name, in.spec.Force)
	if err != nil {
		return in.unreadable(t, err)
	}
	code := in.write(t, f, change, fmt.Sprintf("Nothing to remove: no entry %q.", in.spec.Name))
	if code != exitOK {
		return code
	}
	for _, other := range change.Others {
		fmt.Fprintf(out, "This program has another entry: --name %s removes it.\n", other)
	}
	in.single(change)
	if change.Changes() && !in.dryRun {
		fmt.Fprintf(out, "A running session of %s continues until it ends.\n", t.client.Title)
	}
	return exitOK
}
