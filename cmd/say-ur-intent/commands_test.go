package main

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand returns all commands, including the subcommands of tx.
func everyCommand() []*cobra.Command {
	root := newRoot(process{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard})
	return slices.Concat([]*cobra.Command{root}, root.Commands(), txCommand(process{}).Commands())
}

func commandNames() (names []string) {
	for _, c := range everyCommand()[0].Commands() {
		names = append(names, c.Name())
	}
	return names
}

// line runs a command line without a terminal.
func line(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	p := process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }}
	code = run(p, args)
	return code, out.String(), errs.String()
}

func TestEveryCommandHasHelp(t *testing.T) {
	for _, c := range everyCommand() {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: %q is no short description", c.Name(), c.Short)
		}
		generated := c.Name() == "completion"
		if c.Example == "" && !generated {
			t.Errorf("%s has no example", c.Name())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if value, usage := pflag.UnquoteUsage(f); usage == "" || slices.Contains([]string{"string", "int64", "duration",
				"stringArray", "func"}, value) {
				t.Errorf("%s --%s: its help does not name the value: %q", c.Name(), f.Name, f.Usage)
			}
		})
	}
	for _, name := range commandNames() {
		for _, args := range [][]string{{"help", name}, {name, "--help"}, {name, "-h"}} {
			if code, out, errs := line(args...); code != exitOK || errs != "" || !strings.Contains(out,
				"Usage:\n  say-ur-intent "+name) {
				t.Errorf("%v: code %d, %q, %q", args, code, out, errs)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}, {"-v"}, {"-version"}, {"--network", "sandbox",
		"--version"}} {
		if code, out, errs := line(args...); code != exitOK || out != "say-ur-intent "+version+"\n" || errs != "" {
			t.Errorf("%v: code %d, %q, %q", args, code, out, errs)
		}
	}
}

func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"statsu"},
			"say-ur-intent: unknown command \"statsu\". Did you mean status?\nRun 'say-ur-intent --help' for usage.\n"},
		{[]string{"tx", "verfy"},
			"say-ur-intent tx: unknown command \"verfy\". Did you mean verify?\nRun 'say-ur-intent tx --help' for usage.\n"},
		{[]string{"nonsense"}, "say-ur-intent: unknown command \"nonsense\"\nRun 'say-ur-intent --help' for usage.\n"},
		{[]string{"help", "statsu"},
			"say-ur-intent help: unknown command \"statsu\". Did you mean status?\nRun 'say-ur-intent --help' for usage.\n"},
		{[]string{"--nonsense"}, "say-ur-intent: unknown flag: --nonsense\nRun 'say-ur-intent --help' for usage.\n"},
		{[]string{"-nonsense"}, "say-ur-intent: unknown flag: --nonsense\nRun 'say-ur-intent --help' for usage.\n"},
		{[]string{"doctor", "-yaml"},
			"say-ur-intent doctor: unknown flag: --yaml\nRun 'say-ur-intent doctor --help' for usage.\n"},
		{[]string{"doctor", "--jsn"},
			"say-ur-intent doctor: unknown flag: --jsn. Did you mean --json?\nRun 'say-ur-intent doctor --help' for usage.\n"},
		{[]string{"demo", "--turo"},
			"say-ur-intent demo: unknown flag: --turo. Did you mean --tour?\nRun 'say-ur-intent demo --help' for usage.\n"},
		{[]string{"--versoin"},
			"say-ur-intent: unknown flag: --versoin. Did you mean --version?\nRun 'say-ur-intent --help' for usage.\n"},
		{[]string{"record", "verify"},
			"say-ur-intent record verify: name a record file\nRun 'say-ur-intent record verify --help' for usage.\n"},
		{[]string{"doctor", "--network"},
			"say-ur-intent doctor: flag needs an argument: --network\nRun 'say-ur-intent doctor --help' for usage.\n"},
		{[]string{"stop", "now"},
			"say-ur-intent stop: unexpected argument \"now\"\nRun 'say-ur-intent stop --help' for usage.\n"},
		{[]string{"--network", "sandbox", "doctor"},
			"say-ur-intent: unexpected argument \"doctor\"; a command comes before its flags\nRun 'say-ur-intent --help' for usage.\n"},
		{[]string{"pages", "-network", "devnet"}, "say-ur-intent pages: --network is mainnet or sandbox, not \"devnet\"\n"},
	} {
		if code, out, errs := line(c.args...); code != exitBadInput || out != "" || errs != c.want {
			t.Errorf("%v: code %d, %q\n%q, want\n%q", c.args, code, out, errs, c.want)
		}
	}
}

// TestCompletion requests completions like the shells' scripts do.
func TestCompletion(t *testing.T) {
	for asked, want := range map[string]string{
		"in":                 "install\tAdd this program to an AI client\n:4\n",
		"install claude-c":   "claude-code\n:4\n",
		"install --no-c":     "--no-check\tdo not start the server afterwards\n:4\n",
		"--network sa":       "mainnet\nsandbox\n:4\n",
		"doctor --network m": "mainnet\nsandbox\n:4\n",
		"sandbox --books ":   ":0\n",
		"tx inspect ":        ":0\n",
		"install --project ": ":16\n",
		"tx veri":            "verify\tCheck a transaction's digest, signatures and proof\n:4\n",
	} {
		if code, out, _ := line(append([]string{"__complete"}, strings.Split(asked, " ")...)...); code != exitOK ||
			out != want {
			t.Errorf("%q: code %d, %q, want %q", asked, code, out, want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestOutputThatCannotBeWritten checks that a command fails if its output cannot be written.
func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}, {"help"}, {"manual"}, {"completion", "bash"},
		{"tx", "inspect", txFile("swap.b64")}, {"tx", "verify", txFile("swap.b64")}, {"tx", "inspect", "--json",
			txFile("swap.b64")}} {
		var errs bytes.Buffer
		code := run(process{Stdout: full{}, Stderr: &errs, Getenv: func(string) string { return "" }}, args)
		if code != exitFailed || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%v: code %d, %q", args, code, &errs)
		}
	}
}

// TestTyped checks that the program prints its help if it is started in a terminal without
// arguments. With flags, or when started by a client, it serves.
func TestTyped(t *testing.T) {
	var out, complaint bytes.Buffer
	p := process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaint, Getenv: func(string) string { return "" },
		terminal: func() bool { return true }}
	if code := run(p, nil); code != exitOK || !strings.Contains(out.String(), "say-ur-intent demo") ||
		complaint.Len() > 0 {
		t.Errorf("%d: %s%s", code, &out, &complaint)
	}
	if code := run(p, []string{"--network", "nowhere"}); code != exitBadInput {
		t.Errorf("flags are not read in a terminal: %d", code)
	}
}

// TestPagesOnScreen checks that pages opens the browser only if its output is a terminal.
func TestPagesOnScreen(t *testing.T) {
	for _, c := range []struct {
		screen       bool
		choice, want string
	}{
		{true, openAsk, openHere}, {false, openAsk, openAsk}, {true, openNever, openNever}, {true, openAlways, openAlways},
	} {
		if got := onScreen(process{screen: func() bool { return c.screen }}, c.choice); got != c.want {
			t.Errorf("a screen: %v, %s: %s, want %s", c.screen, c.choice, got, c.want)
		}
	}
}

// TestGivenFlags checks that a command passes its flags on to the server that it starts.
func TestGivenFlags(t *testing.T) {
	f := newServerFlags()
	if err := f.set.Parse([]string{"--network", "sandbox", "--open-browser"}); err != nil {
		t.Fatal(err)
	}
	if got := f.args(); !slices.Equal(got, []string{"--network=sandbox", "--open-browser=always"}) {
		t.Errorf("%q", got)
	}
}

// BenchmarkCommands measures the overhead before a command starts.
func BenchmarkCommands(b *testing.B) {
	for b.Loop() {
		newRoot(process{Stdout: io.Discard, Stderr: io.Discard})
	}
}
