package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/install"
	"github.com/sayurintent/sayurintent/internal/remotes"
)

const aboutInstall = `Adds this program to the configuration of AI clients, and checks that it starts.
Without CLIENT it lists the AI clients on this computer. Flags after -- go to the server.

Server variables set in this shell (SAY_UR_INTENT_DATA_DIR and the others) go into
the entry. The rest of the file is unchanged, and this program's data keeps a copy.
To use the program on another machine, pair the two first: say-ur-intent connect --pair`

// entryName is the default name of the entry.
const entryName = "say-ur-intent"

// installing holds the options of install and uninstall.
type installing struct {
	p       process
	spec    install.EntrySpec
	dryRun  bool
	removes bool // whether the command is uninstall
	project string
	relay   relayOptions // for an entry that connects to another machine, if url is set
	targets []target
	// unchecked skips the check that starts the server of a new entry.
	unchecked bool
	// http connects the client to the running server by URL, with a token read from standard input.
	// flagged reports whether flags for the server were given too.
	http, flagged bool
}

// target is a client's configuration file to change.
type target struct {
	client install.Client
	place  install.Place
}

func installCommand(p process) *cobra.Command {
	in := &installing{p: p}
	cmd := &cobra.Command{Use: "install [CLIENT...]", Short: "Add this program to an AI client", Long: aboutInstall,
		Example: examples("say-ur-intent install                       List the AI clients on this computer",
			"say-ur-intent install cursor --dry-run      Show what would change",
			"say-ur-intent install all                   Every AI client on this computer",
			"say-ur-intent install cursor -- --toolsets core"),
		ValidArgs: clientNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				args, in.spec.Flags, in.flagged = args[:at], append([]string{}, args[at:]...), true
			}
			if err := in.elsewhere(); err != nil {
				return bad(err)
			}
			return in.run(args)
		}}
	in.flags(cmd.Flags())
	f := cmd.Flags()
	f.BoolVar(&in.unchecked, "no-check", false, "do not start the server afterwards")
	f.Var(&choice{&in.spec.Network, networkNames}, "network", "chain to work on (default mainnet)")
	f.Var(&choice{&in.spec.ToolNames, "dotted|underscore"}, "tool-names", "spelling of tool names (default underscore)")
	f.BoolVar(&in.http, "http", false, "connect to the running server over HTTP, with a token from standard input")
	f.StringVar(&in.relay.url, "connect", "", "use the program on another machine, over the NATS server at `URL`")
	in.relay.profileFlags(f)
	return cmd
}

// flags adds the flags of install and uninstall.
func (in *installing) flags(f *pflag.FlagSet) {
	f.BoolVar(&in.dryRun, "dry-run", false, "show the difference and write nothing")
	f.BoolVar(&in.spec.Force, "force", false, "also change an entry that install did not write")
	f.StringVar(&in.spec.Name, "name", entryName, "`NAME` of the entry")
	f.StringVar(&in.project, "project", "", "use the file of the project in `DIR`, not your own")
}

// run changes the entries of all targets.
func (in *installing) run(names []string) error {
	if err := in.choose(names); err != nil {
		return bad(err)
	}
	if len(in.targets) == 0 {
		return in.offer()
	}
	if err := in.complete(); err != nil {
		return bad(err)
	}
	return in.each(in.put)
}

// each calls do for every target and returns the worst exit code as an error.
func (in *installing) each(do func(target) int) error {
	worst := exitOK
	for i, t := range in.targets {
		if i > 0 {
			fmt.Fprintln(in.p.Stdout)
		}
		worst = max(worst, do(t))
	}
	return exitStatus(worst)
}

// elsewhere makes the new entry connect to another machine, if the flags ask for that.
func (in *installing) elsewhere() error {
	o := in.relay
	switch {
	case o == relayOptions{}:
		return nil
	case o.url == "":
		return errors.New("--profile and --nats-creds belong to --connect URL, which names your NATS server")
	case in.flagged || in.spec.Network != "" || in.spec.ToolNames != "":
		return errors.New("with --connect, give the server's flags to share on the other machine")
	}
	if err := remotes.CheckProfile(o.profile); err != nil {
		return err
	}
	in.spec.Connect = []string{"connect", "--nats", o.url, "--profile", o.profile}
	if o.credentials != "" {
		file, err := filepath.Abs(o.credentials)
		if err != nil {
			return err
		}
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("cannot read the credentials file: %w", err)
		}
		in.spec.Connect = append(in.spec.Connect, "--nats-creds", file)
	}
	return nil
}

// choose selects the files of the named clients. The name "all" selects every installed client.
func (in *installing) choose(names []string) error {
	if !regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`).MatchString(in.spec.Name) {
		return fmt.Errorf("--name is up to 32 letters, digits, - and _, not %q", in.spec.Name)
	}
	env, err := machineOf(in.p)
	if err != nil {
		return err
	}
	if in.project != "" {
		if in.project, err = filepath.Abs(in.project); err != nil {
			return err
		}
		if info, err := os.Stat(in.project); err != nil || !info.IsDir() {
			return fmt.Errorf("--project %s is not a directory", in.project)
		}
	}
	all := slices.Contains(names, "all")
	if all {
		names = nil
		for _, c := range install.Clients() {
			names = append(names, c.Name)
		}
	}
	for _, name := range names {
		known := clientsHere()
		i := slices.IndexFunc(known, func(c install.Client) bool { return c.Name == name })
		if i < 0 {
			return in.unknown(name)
		}
		c := known[i]
		places := c.Places(env)
		if in.project != "" {
			file, ok := c.ProjectFile(in.project)
			if !ok && !all {
				return fmt.Errorf("%s has no project configuration", c.Title)
			}
			places = nil
			if ok {
				places = []install.Place{{File: file, Here: true}}
			}
		}
		for _, place := range places {
			if place.Here || !all {
				in.targets = append(in.targets, target{c, place})
			}
		}
	}
	if all && len(in.targets) == 0 {
		return errors.New("no known client was found; name one to write its file anyway")
	}
	return nil
}

// unknown returns the error for an unknown client name. It suggests a similar name, or an
// entry to paste into the file of a client that install does not support.
func (in *installing) unknown(name string) error {
	var known []string
	for _, c := range install.Clients() {
		known = append(known, c.Name)
	}
	text := fmt.Sprintf("unknown client %q; known are %s, and all", name, strings.Join(known, ", "))
	for _, near := range known {
		if fault.Edits(name, near) <= 2 {
			return fmt.Errorf("%s. Did you mean %s?", text, near)
		}
	}
	program, _, err := ownPath()
	if err != nil || in.removes {
		return errors.New(text)
	}
	snippet, err := install.Snippet(in.spec.Name, install.Entry{Command: program, Args: []string{"--tool-names",
		"underscore"}})
	if err != nil {
		return err
	}
	return fmt.Errorf("%s.\nFor another client, add this to its configuration:\n%s", text, strings.TrimSpace(snippet))
}

// complete sets the command and the environment of the new entry, or else its URL, and checks its
// flags.
func (in *installing) complete() error {
	if in.http {
		return in.overHTTP()
	}
	program, temporary, err := ownPath()
	if err != nil {
		return fmt.Errorf("the path of this program is unknown: %w", err)
	}
	in.spec.Command = program
	if in.spec.Connect == nil {
		in.spec.Command = clientNextTo(program)
	}
	if temporary {
		fmt.Fprintf(in.p.Stderr,
			"Warning: this program is in a temporary folder (%s), and the entry stops working when that is "+
				"cleared. Copy the program to a permanent folder, or use npm install --global say-ur-intent if npx started it; "+
				"then run install there.\n", filepath.Dir(program))
	}
	in.spec.Env = in.environment()
	in.spec.Accepts = func(args []string) error { return in.accepts(args, nil) }
	probe := install.Entry{}
	for flag, value := range map[string]string{"network": in.spec.Network, "tool-names": in.spec.ToolNames} {
		if value != "" {
			probe = probe.WithFlag(flag, value)
		}
	}
	return in.accepts(append(probe.Args, in.spec.Flags...), in.spec.Env)
}

// accepts checks arguments and environment variables as the server would.
func (in *installing) accepts(args []string, env map[string]string) error {
	if (install.Entry{Args: args}).Connects() {
		_, err := connectOptions(args[1:])
		return err
	}
	p := in.p
	p.Getenv = func(name string) string {
		if name == "SAY_UR_INTENT_DATA_DIR" && env[name] == "" {
			return os.TempDir() // any value; the place for data is not checked here
		}
		return env[name]
	}
	_, err := parseOptions(p, args)
	return err
}

// words returns the text of an error without its code.
func words(err error) string {
	var e *fault.Error
	if errors.As(err, &e) {
		return e.Text
	}
	return err.Error()
}

// put writes the entry into one file and checks the result.
func (in *installing) put(t target) int {
	out := in.p.Stdout
	fmt.Fprintf(out, "%s: %s\n", t.client.Title, t.place.File)
	if !t.place.Here {
		fmt.Fprintf(out, "%s was not found here. Writing its file anyway.\n", t.client.Title)
	}
	if why := t.client.Refuses(in.spec.Name, longestTool()); why != "" {
		return in.failed(errors.New(why + " Nothing was written."))
	}
	f, err := install.ReadFile(t.place.File)
	if err != nil {
		return in.failed(err)
	}
	change, err := t.client.Install(f.Raw, in.spec)
	if err != nil {
		return in.unreadable(t, err)
	}
	code := in.write(t, f, change, fmt.Sprintf("Nothing to change: the entry %q already exists.", change.Name))
	if code != exitOK {
		return code
	}
	in.remark(t, change)
	if in.dryRun {
		return exitOK
	}
	if !in.unchecked && !in.http { // overHTTP has already checked an HTTP entry
		if code := in.checkWritten(t, change.Name); code != exitOK {
			return code
		}
	}
	fmt.Fprintln(out, t.client.Restart)
	return exitOK
}

// write shows a change to a file and, unless this is a dry run, makes it. If there is
// nothing to change, it prints the message nothing.
func (in *installing) write(t target, f install.File, change install.Change, nothing string) int {
	out := in.p.Stdout
	if !change.Changes() && change.Refused == "" {
		fmt.Fprintln(out, nothing)
		return exitOK
	}
	fmt.Fprint(out, change.Diff(t.place.File, shownVariables()))
	if change.Refused != "" {
		return in.failed(errors.New(change.Refused))
	}
	if in.dryRun {
		fmt.Fprintln(out, "Dry run: nothing was written.")
		return exitOK
	}
	copies, err := copiesDir(in.p)
	if err != nil {
		return in.failed(err)
	}
	backup, err := f.Write(change.After, copies, in.p.Now())
	if err != nil {
		return in.failed(err)
	}
	if backup == "" {
		fmt.Fprintln(out, "Written.")
	} else {
		fmt.Fprintf(out, "Written. Backup: %s\n", backup)
	}
	return exitOK
}

// remark prints what the user should know in addition to the diff.
func (in *installing) remark(t target, change install.Change) {
	out := in.p.Stdout
	for _, name := range slices.Sorted(maps.Keys(in.spec.Env)) {
		fmt.Fprintf(out, "The entry includes %s, which is set here.\n", name)
		if name != dataDirVariable && name != portVariable && in.spec.Network != "sandbox" {
			fmt.Fprintln(out,
				"It takes effect once you save it on the settings page, because AI clients share one server: say-ur-intent pages")
		}
	}
	for _, other := range change.Others {
		fmt.Fprintf(out, "This program has another entry, %q. To remove it: say-ur-intent uninstall %s --name %s.\n",
			other, t.client.Name, other)
	}
	in.single(change)
	if in.project != "" {
		fmt.Fprintln(out,
			"This file belongs to the project and contains a path on this computer. Other people on the project need their own.")
	}
}

// single lists entries that apply to one project only. install and uninstall do not change them.
func (in *installing) single(change install.Change) {
	for _, f := range change.Scoped {
		fmt.Fprintf(in.p.Stdout, "The project %s keeps its own entry. To remove it, run this there: %s\n",
			f.Project, removeScoped(f))
	}
}

// removeScoped returns the command that removes an entry of one project. Only Claude Code has such
// entries.
func removeScoped(f install.Found) string { return "claude mcp remove " + f.Label + " -s local" }

// unreadable reports that a file's text cannot be parsed.
func (in *installing) unreadable(t target, err error) int {
	if !fault.Is(err, fault.InputInvalid) {
		return in.failed(err)
	}
	return in.failed(fault.New(fault.Blocked,
		"%s cannot be read, either here or by %s: %s. Nothing was written. Correct the file, then run this again.",
		t.place.File, t.client.Title, words(err)))
}

func (in *installing) failed(err error) int {
	fmt.Fprintln(in.p.Stderr, words(err))
	return exitFailed
}
