package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func doctorCommand(p process) *cobra.Command {
	flags, asJSON := newServerFlags(), false
	flags.hide(sessionFlags...)
	cmd := &cobra.Command{Use: "doctor", Short: "Check the installation",
		Long: "Checks the installation and suggests fixes. It changes nothing.\n\n" +
			"Exit status: 0 if nothing failed, 3 if only an outside service could not be reached, 1 otherwise.",
		Example: examples("say-ur-intent doctor", "say-ur-intent doctor --network sandbox --json"),
		Args:    noArguments, RunE: func(*cobra.Command, []string) error { return runDoctor(p, flags, asJSON) }}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON for programs")
	cmd.Flags().AddFlagSet(flags.set)
	return cmd
}

// doctorTime limits all checks together. Each of five services may be slow.
const doctorTime = 60 * time.Second

// Levels of a finding.
const (
	levelOK   = "ok"
	levelWarn = "warn"
	levelFail = "fail"
)

// finding is one line of doctor's output.
type finding struct {
	Check string `json:"check"` // what was checked, as one word
	Level string `json:"level"` // ok, warn, fail
	What  string `json:"what"`  // what was found, as a sentence
	Next  string `json:"next,omitempty"`
	// Unreachable is set if the cause is outside this machine.
	Unreachable bool `json:"unreachable,omitempty"`
}

// doctor checks one installation.
type doctor struct {
	p        process
	s        options
	findings []finding
	followed map[sui.Digest]uint64 // see store.Inspection
}

func (d *doctor) ok(check, format string, args ...any) {
	d.findings = append(d.findings, finding{Check: check, Level: levelOK, What: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(check, what, next string) {
	d.findings = append(d.findings, finding{Check: check, Level: levelWarn, What: what, Next: next})
}

func (d *doctor) fail(check, what, next string) {
	d.findings = append(d.findings, finding{Check: check, Level: levelFail, What: what, Next: next})
}

// runDoctor checks the installation that a server with the same flags and environment would use.
func runDoctor(p process, flags *serverFlags, asJSON bool) error {
	s, err := flags.options(p)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), doctorTime)
	defer cancel()
	d := &doctor{p: p, s: s}
	d.program()
	d.data(ctx)
	d.node(ctx)
	d.outside(ctx)
	d.browser()
	d.wallet()
	d.clients()
	if asJSON {
		if err := printJSON(p, struct {
			Version  string    `json:"version"`
			Network  string    `json:"network"`
			Findings []finding `json:"findings"`
		}{version, s.network.answer, d.findings}); err != nil {
			return err
		}
	} else {
		d.print()
	}
	return exitStatus(d.code())
}

// print writes one line for each finding, followed by the suggested fixes.
func (d *doctor) print() {
	widest, failed, warned := 0, 0, 0
	for _, f := range d.findings {
		widest = max(widest, len(f.Check))
	}
	for _, f := range d.findings {
		fmt.Fprintf(d.p.Stdout, "%-4s  %-*s  %s\n", f.Level, widest, f.Check, f.What)
		if f.Next != "" {
			fmt.Fprintf(d.p.Stdout, "%s-> %s\n", strings.Repeat(" ", 4+2+widest+2), f.Next)
		}
		switch f.Level {
		case levelFail:
			failed++
		case levelWarn:
			warned++
		}
	}
	switch {
	case failed+warned == 0:
		fmt.Fprintln(d.p.Stdout, "All checks passed.")
	default:
		fmt.Fprintf(d.p.Stdout, "Failed: %d. Warnings: %d.\n", failed, warned)
	}
}

// code returns the exit code that the findings call for.
func (d *doctor) code() int {
	code := exitOK
	for _, f := range d.findings {
		switch {
		case f.Level != levelFail:
		case !f.Unreachable:
			return exitFailed
		default:
			code = exitUnreachable
		}
	}
	return code
}
