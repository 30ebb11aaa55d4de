// Command say-ur-intent is an MCP server that turns an AI client's request into a Sui transaction.
// The user reviews it on a loopback page and signs it in their own wallet.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/stdio"
)

// Exit codes of every command.
const (
	exitOK          = 0
	exitFailed      = 1
	exitBadInput    = 2
	exitUnreachable = 3
)

// version is set by the linker.
var version = door.Unstamped

// process is the environment of a command, which tests replace.
type process struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Now    func() time.Time
	// claim reserves standard input and output for MCP.
	claim func() (in, out *os.File)
	// terminal reports whether standard input is a terminal. If terminal is nil, it is not.
	terminal func() bool
	// screen reports whether standard output is a terminal. If screen is nil, it is not.
	screen func() bool
}

func main() {
	version = door.Version(version)
	os.Exit(run(process{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: time.Now, claim: stdio.Claim,
		terminal: func() bool { return isatty.IsTerminal(os.Stdin.Fd()) },
		screen:   func() bool { return isatty.IsTerminal(os.Stdout.Fd()) },
	}, os.Args[1:]))
}

// run executes a command line and returns its exit code. Without a command, it runs the MCP server
// and does not build the command tree.
func run(p process, args []string) int {
	args = twoDashes(args)
	asks := func(arg string) bool { return slices.Contains([]string{"-h", "--help", "-v", "--version"}, arg) }
	switch {
	case len(args) == 0 && p.terminal != nil && p.terminal():
		args = []string{"help"}
	case len(args) == 0 || strings.HasPrefix(args[0], "-") && !slices.ContainsFunc(args, asks):
		return code(p, "say-ur-intent", runMCP(p, args))
	}
	out := &output{Writer: p.Stdout}
	p.Stdout = out
	root := newRoot(p)
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	if out.err != nil && err == nil {
		err = fmt.Errorf("cannot write the output: %w", out.err)
	}
	return code(p, cmd.CommandPath(), err)
}

// twoDashes adds the second dash to long flags, because older configurations have only one.
func twoDashes(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if a == "--" {
			break
		}
		if len(a) > 2 && a[0] == '-' && 'a' <= a[1] && a[1] <= 'z' {
			args[i] = "-" + a
		}
	}
	return args
}

// output is a Writer that remembers the first error.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// failure is an error with an exit code. If err is nil, the command has printed the reason itself.
type failure struct {
	code   int
	err    error
	misuse bool // suggest the command's help
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("exit status %d", f.code)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// exitStatus returns a failure without a message, or nil for exitOK.
func exitStatus(code int) error {
	if code == exitOK {
		return nil
	}
	return &failure{code: code}
}

// bad marks an error as invalid input, unless it has an exit code already. It returns nil for nil.
func bad(err error) error {
	if f := (*failure)(nil); err == nil || errors.As(err, &f) {
		return err
	}
	return &failure{code: exitBadInput, err: err}
}

// unreachable marks an error whose cause is outside this machine.
func unreachable(err error) error { return &failure{code: exitUnreachable, err: err} }

// misused returns the error for an invalid command line.
func misused(err error) error { return &failure{code: exitBadInput, err: err, misuse: true} }

// code prints the error of a command and returns its exit code.
func code(p process, command string, err error) int {
	if err == nil {
		return exitOK
	}
	f := &failure{code: exitFailed, err: err}
	_ = errors.As(err, &f)
	if f.err != nil {
		fmt.Fprintf(p.Stderr, "%s: %s\n", command, words(f.err))
	}
	if f.misuse {
		command = strings.TrimSuffix(command, " help")
		fmt.Fprintf(p.Stderr, "Run '%s --help' for usage.\n", command)
	}
	return f.code
}

// unknownCommand returns an error that suggests similar commands, or nil if there are no arguments.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text += ". Did you mean " + strings.Join(near, " or ") + "?"
	}
	return misused(errors.New(text))
}

// badFlags returns the error for flags that cannot be parsed. It suggests a flag similar to an
// unknown one.
func badFlags(set *pflag.FlagSet, err error) error {
	unknown := (*pflag.NotExistError)(nil)
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return misused(err)
	}
	name, near := unknown.GetSpecifiedName(), ""
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && similar(name, f.Name) && (near == "" || fault.Edits(name, f.Name) < fault.Edits(name, near)) {
			near = f.Name
		}
	})
	if near == "" {
		return misused(err)
	}
	return misused(fmt.Errorf("%w. Did you mean --%s?", err, near))
}

// similar reports whether name may be a mistyped known flag. At most two letters may differ and,
// unless they are only transposed, fewer than half of a short name.
func similar(name, known string) bool {
	letters := func(s string) string { b := []byte(s); slices.Sort(b); return string(b) }
	edits := fault.Edits(name, known)
	return edits < 2 || edits == 2 && (len(name) > 5 || letters(name) == letters(known)) ||
		len(name) > 2 && (strings.HasPrefix(name, known) || strings.HasPrefix(known, name))
}

// noArguments rejects all arguments that are not flags.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return misused(fmt.Errorf("unexpected argument %q", args[0]))
}
