package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/install"
)

const aboutProgram = `Say Ur Intent lets an AI client prepare Sui transactions that only you can sign.
You review each transaction in your browser and sign it in your own wallet.

AI clients start this program without a command, and talk to it over standard
input and output. To add it to yours, run 'say-ur-intent install'.`

// Groups of commands in the help.
const (
	groupStart  = "start"
	groupUse    = "use"
	groupRemote = "remote"
	groupMore   = "more"
)

// newRoot returns the command tree.
func newRoot(p process) *cobra.Command {
	flags := newServerFlags()
	flags.hide("idle")
	root := &cobra.Command{
		Use: "say-ur-intent", Short: "Sui transactions that you review before your wallet signs",
		Long: aboutProgram, Version: version, SilenceErrors: true, SilenceUsage: true,
		Example: examples("say-ur-intent demo --tour    Try it on a practice chain",
			"say-ur-intent install        List the AI clients on this computer",
			"say-ur-intent doctor         Check the installation"),
		Args: unknownCommand, SuggestionsMinimumDistance: 2,
		RunE: func(*cobra.Command, []string) error { return runMCP(p, flags.args()) },
	}
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	root.SetVersionTemplate("say-ur-intent {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if cmd.Name() == "serve" {
			door.StartedBy().Ready(err)
		}
		return badFlags(cmd.Flags(), err)
	})
	root.Flags().AddFlagSet(flags.set)
	root.AddGroup(&cobra.Group{ID: groupStart, Title: "Get started:"}, &cobra.Group{ID: groupUse, Title: "Daily use:"},
		&cobra.Group{ID: groupRemote, Title: "AI clients on another machine:"}, &cobra.Group{ID: groupMore, Title: "More:"})
	grouped := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
		}
		root.AddCommand(commands...)
	}
	grouped(groupStart, demoCommand(p), installCommand(p), uninstallCommand(p), doctorCommand(p))
	grouped(groupUse, pagesCommand(p), statusCommand(p), stopCommand(p), txCommand(p), recordCommand(p))
	grouped(groupRemote, shareCommand(p), connectCommand(p))
	grouped(groupMore, serveCommand(p), sandboxCommand(p), toolsCommand(p), updateCheckCommand(p), manualCommand(p),
		versionCommand(p))
	root.SetCompletionCommandGroupID(groupMore)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd()
	for _, c := range append(root.Commands(), root) {
		completeFlags(c)
		for _, part := range c.Commands() {
			completeFlags(part)
		}
		if c != root && c.HasSubCommands() {
			needsPart(p, c)
		}
	}
	return root
}

// helpCommand replaces cobra's help command, which does not fail for an unknown command.
func helpCommand() *cobra.Command {
	return &cobra.Command{Use: "help [COMMAND]", Short: "Explain a command", GroupID: groupMore,
		Example: examples("say-ur-intent help install"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if of, _, err := cmd.Root().Find(args); err == nil {
				for _, c := range of.Commands() {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil {
				return misused(err)
			}
			if err := unknownCommand(of, rest); err != nil {
				return err
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		}}
}

// needsPart makes a command require a subcommand.
func needsPart(p process, cmd *cobra.Command) {
	cmd.Args, cmd.SuggestionsMinimumDistance = unknownCommand, 2
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cmd.SetOut(p.Stderr)
		return errors.Join(cmd.Help(), exitStatus(exitBadInput))
	}
}

// completeFlags enables shell completion of flag values. The placeholder in a flag's help says what
// to complete: FILE, DIR, or alternatives separated by "|".
func completeFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch value, _ := pflag.UnquoteUsage(f); {
		case value == "FILE":
			_ = cmd.RegisterFlagCompletionFunc(f.Name, files)
		case value == "DIR":
			_ = cmd.MarkFlagDirname(f.Name)
		case strings.Contains(value, "|"):
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(strings.Split(value, "|"),
				cobra.ShellCompDirectiveNoFileComp))
		}
	})
}

// examples formats the examples of a command.
func examples(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }

// clientNames returns the arguments that install and uninstall accept.
func clientNames() []string {
	names := []string{"all"}
	for _, c := range install.Clients() {
		names = append(names, c.Name)
	}
	return names
}

func versionCommand(p process) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: noArguments,
		Example: examples("say-ur-intent version"),
		Run:     func(*cobra.Command, []string) { fmt.Fprintln(p.Stdout, "say-ur-intent", version) }}
}
