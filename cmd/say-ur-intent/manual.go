package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sayurintent/sayurintent/internal/settings"
)

func manualCommand(p process) *cobra.Command {
	return &cobra.Command{Use: "manual", Short: "Print the manual page, for man", Args: noArguments,
		Example: examples("say-ur-intent manual > say-ur-intent.1", "man ./say-ur-intent.1"),
		Run:     func(cmd *cobra.Command, _ []string) { writeManual(p.Stdout, cmd.Root()) }}
}

// roff escapes a line of text so that man does not interpret any of it.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// roffLines writes a text and keeps its line breaks.
func roffLines(w io.Writer, text string) {
	fmt.Fprintln(w, ".nf")
	for line := range strings.Lines(text) {
		fmt.Fprintln(w, roff(strings.TrimSuffix(line, "\n")))
	}
	fmt.Fprintln(w, ".fi")
}

// roffCommand writes the help of a command without its examples.
func roffCommand(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintf(w, "\\fB%s\\fR\n", roff(cmd.UseLine()))
	if cmd.HasSubCommands() {
		for _, c := range cmd.Commands() {
			fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n%s\n", roff(c.Name()), roff(c.Short))
			roffFlags(w, c)
		}
		return
	}
	fmt.Fprintln(w, ".br")
	roffLines(w, cmd.Short+".\n"+cmd.Long)
	roffFlags(w, cmd)
}

func roffFlags(w io.Writer, cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			value = ` \fI` + roff(value) + `\fR`
		}
		fmt.Fprintf(w, ".TP\n\\fB%s\\fR%s\n%s\n", roff("--"+f.Name), value, roff(usage))
	})
}

func writeManual(w io.Writer, root *cobra.Command) {
	fmt.Fprintf(w, ".TH SAY-UR-INTENT 1 \"\" \"say-ur-intent %s\"\n.SH NAME\nsay-ur-intent \\- %s\n", roff(version),
		roff(root.Short))
	fmt.Fprint(w, ".SH SYNOPSIS\n\\fBsay-ur-intent\\fR [\\fIflags\\fR]\n.br\n\\fBsay-ur-intent\\fR \\fIcommand\\fR [\\fIflags\\fR] [\\fIarguments\\fR]\n.SH DESCRIPTION\n")
	roffLines(w, root.Long)
	fmt.Fprint(w, ".SH OPTIONS\n")
	roffFlags(w, root)
	fmt.Fprint(w, ".SH COMMANDS\n")
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(w, ".SS %s\n", c.Name())
			roffCommand(w, c)
		}
	}
	fmt.Fprint(w, ".SH EXAMPLES\n")
	roffLines(w, root.Example)
	for _, c := range root.Commands() {
		if c.Example != "" {
			roffLines(w, c.Example)
		}
	}
	fmt.Fprint(w, ".SH ENVIRONMENT\n")
	variables := [][2]string{{dataDirVariable, "Directory of the data, an absolute path."}, {portVariable,
		"Port of the pages."}}
	for w := range settings.Count {
		about := w.Info()
		variables = append(variables, [2]string{about.Variable, about.Hint + " The variable takes precedence over the " +
			"setting \"" +
			about.Title + "\"."})
	}
	roffTerms(w, variables)
	fmt.Fprint(w, ".SH FILES\n")
	roffTerms(w, [][2]string{
		{"~/.local/share/say-ur-intent", "Data on Linux, or below XDG_DATA_HOME. One directory for each network."},
		{"~/Library/Application Support/say-ur-intent", "Data on macOS."},
		{`%AppData%\say-ur-intent`, "Data on Windows."},
		{"mainnet/say-ur-intent.db", "In the data directory: reviews, settings and the record of events."},
		{"mainnet/server.log", "In the data directory: the log of the server, JSON lines."},
		{"client-files/",
			"In the data directory: copies of AI clients' configuration files from before install changed them."},
	})
	fmt.Fprint(w, ".SH EXIT STATUS\n0: done. 1: failed. 2: invalid input. 3: an outside service could not be reached.\n")
	fmt.Fprint(w, ".SH SEE ALSO\nhttps://github.com/sayurintent/sayurintent/tree/main/docs\n")
}

func roffTerms(w io.Writer, terms [][2]string) {
	for _, t := range terms {
		fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n%s\n", roff(t[0]), roff(t[1]))
	}
}
