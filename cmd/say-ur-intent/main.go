// Command say-ur-intent serves AI clients over stdio and the person over
// loopback pages, so that a sentence becomes a reviewed transaction that only
// the person's own wallet can sign.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/tools"
)

// Exit codes of every subcommand.
const (
	exitOK          = 0
	exitFailed      = 1
	exitBadInput    = 2
	exitUnreachable = 3
)

// version is stamped by the linker.
var version = "dev"

// process is the outside world of a subcommand; tests give their own.
type process struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Now    func() time.Time
	// claim takes standard input and output for MCP alone.
	claim func() (in, out *os.File)
	// terminal reports whether a person types the standard input; nil says no.
	terminal func() bool
	// screen reports whether a person sees the standard output as it is written; nil says no.
	screen func() bool
}

// command is one subcommand; run gets the arguments after its name.
type command struct {
	name, summary string
	run           func(p process, args []string) int
}

// commands lists the subcommands in the order in which help shows them.
func commands() []command {
	return []command{
		{"serve", "be the server that AI clients of this data directory share; they start it themselves (--idle)", runServer},
		{"stop", "end that server (AI clients that still run start it again)", runStop},
		{"tx", "inspect or verify a transaction's bytes, offline", runTx},
		{"sandbox", "run only the full-node stand-in: --listen, --books FILE, --seed", runSandbox},
		{"pages", "a link to the pages, in the browser where one is", runPages},
		{"demo", "the whole job on the sandbox, narrated (--once; --tour leads you through the pages)", runDemo},
		{"share", "serve AI clients on other machines over NATS: --nats URL --profile NAME", runShare},
		{"connect", "be the MCP server of a program on another machine: --nats URL --profile NAME (--pair)", runConnect},
		{"install", "write this program into an AI client's configuration (--dry-run, --network; see install --help)", runInstall},
		{"uninstall", "take it out again", runUninstall},
		{"status", "what each AI client has (--json)", runStatus},
		{"doctor", "what works here, and what to do where something does not (--json)", runDoctor},
		{"update-check", "ask which release is the newest: only when you type this (--json)", runUpdateCheck},
		{"completion", "what makes a shell complete commands and flags: bash, zsh, fish, powershell", runCompletion},
		{"manual", "the manual page, for man", runManual},
		{"version", "print the version", runVersion},
	}
}

func main() {
	os.Exit(run(process{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: time.Now, claim: stdio.Claim,
		terminal: func() bool { return isatty.IsTerminal(os.Stdin.Fd()) },
		screen:   func() bool { return isatty.IsTerminal(os.Stdout.Fd()) },
	}, os.Args[1:]))
}

// run picks the subcommand; without one, or with flags first, it serves MCP.
func run(p process, args []string) int {
	if len(args) > 0 && (args[0] == "help" || args[0] == "-h" || args[0] == "--help") {
		usage(p.Stdout)
		return exitOK
	}
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		for _, c := range commands() {
			if c.name == args[0] {
				return c.run(p, args[1:])
			}
		}
		fmt.Fprintf(p.Stderr, "say-ur-intent: there is no command %q. These are:\n", args[0])
		usage(p.Stderr)
		return exitBadInput
	}
	if len(args) == 0 && p.terminal != nil && p.terminal() {
		fmt.Fprint(p.Stdout, welcome)
		return exitOK
	}
	return runMCP(p, args)
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "  say-ur-intent [--network mainnet|sandbox]  serve an AI client over stdio")
	fmt.Fprintln(w, "      --toolsets "+strings.Join(tools.ToolsetNames(), "|"))
	fmt.Fprintln(w, "                                             which tools are served; all unless said")
	fmt.Fprintln(w, "      --open-browser[=ask|always|never]      who opens pages: ask lets a client that can ask, ask you first")
	fmt.Fprintln(w, "      --standalone                           serve in this process, and not by the server that clients share")
	fmt.Fprintln(w, "      --manual-test PROJECT                  with --standalone or serve: open the socket to a project for 15 minutes,")
	fmt.Fprintln(w, "                                             read-only, without a token")
	for _, c := range commands() {
		fmt.Fprintf(w, "  say-ur-intent %-12s %s\n", c.name, c.summary)
	}
}

func runVersion(p process, _ []string) int {
	fmt.Fprintln(p.Stdout, "say-ur-intent", version)
	return exitOK
}
