package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/sayurintent/sayurintent/internal/settings"
)

// welcome is what a person reads who types the program's name: an AI client starts it
// without a terminal.
const welcome = `Say Ur Intent lets an AI client prepare transactions on Sui, which you read in your browser
and sign in your own wallet. It never has a key. An AI client starts it by itself; here you may want:

  say-ur-intent demo         the whole job on a practice chain, where nothing is real
  say-ur-intent demo --tour  the same, with you as the person: it opens the pages one after another
  say-ur-intent install      put it into your AI client: Claude, Cursor and others
  say-ur-intent doctor       what works on this computer, and what to do where something does not
  say-ur-intent pages        a link to what waits for you

All commands: say-ur-intent help
`

// runManual prints the manual page in the format of man.
func runManual(p process, args []string) int {
	if len(args) > 0 {
		fmt.Fprintln(p.Stderr, "usage: say-ur-intent manual > say-ur-intent.1")
		return exitBadInput
	}
	writeManual(p.Stdout)
	return exitOK
}

// roff writes a text so that man takes no part of it for a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func writeManual(w io.Writer) {
	flags := func(command string) {
		for _, f := range flagWords(command) {
			value := ""
			if f.value != "" {
				value = ` \fI` + roff(f.value) + `\fR`
			}
			fmt.Fprintf(w, ".TP\n\\fB%s\\fR%s\n%s\n", roff("--"+f.name), value, roff(f.summary))
		}
	}
	fmt.Fprintf(w, ".TH SAY-UR-INTENT 1 \"\" \"say-ur-intent %s\"\n.SH NAME\nsay-ur-intent \\- transactions on Sui that a person reads before a wallet signs\n", roff(version))
	fmt.Fprint(w, ".SH SYNOPSIS\n\\fBsay-ur-intent\\fR [\\fIflags\\fR]\n.br\n\\fBsay-ur-intent\\fR \\fIcommand\\fR [\\fIarguments\\fR]\n.SH DESCRIPTION\n")
	fmt.Fprintln(w, roff("Without a command it serves an AI client over standard input and output. The client prepares transactions; "+
		"a person reads them in a browser and signs in a wallet. The program holds no keys."))
	flags("")
	fmt.Fprint(w, ".SH COMMANDS\n")
	for _, c := range commands() {
		fmt.Fprintf(w, ".SS %s\n%s\n", c.name, roff(c.summary))
		if after := wordsAfter(c.name); after != nil {
			fmt.Fprintf(w, ".br\nOne of: %s\n", roff(strings.Join(after, ", ")))
		}
		flags(c.name)
	}
	fmt.Fprint(w, ".SH ENVIRONMENT\n")
	variables := [][2]string{{dataDirVariable, "where the data is, an absolute path"}, {portVariable, "the port of the pages"}}
	for w := range settings.Count {
		about := w.Info()
		variables = append(variables, [2]string{about.Variable, about.Hint + " The variable wins over the setting \"" + about.Title + "\"."})
	}
	for _, v := range variables {
		fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n%s\n", roff(v[0]), roff(v[1]))
	}
	fmt.Fprint(w, ".SH EXIT STATUS\n0: done. 1: failed. 2: the input was bad. 3: something outside could not be reached.\n")
}
