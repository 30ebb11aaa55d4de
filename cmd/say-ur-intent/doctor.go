package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

const doctorUsage = `Checks what works here, and says what to do where something does not. It changes nothing.

  say-ur-intent doctor [--json] [flags of the server, as --network sandbox]

Ends with 0 when nothing failed, 3 when only a service outside could not be reached, else 1.
`

// doctorTime bounds all checks together: each of five services may be slow.
const doctorTime = 60 * time.Second

// Levels of a finding.
const (
	levelOK   = "ok"
	levelWarn = "warn"
	levelFail = "fail"
)

// finding is one line of the doctor.
type finding struct {
	Check string `json:"check"` // what was looked at, one word
	Level string `json:"level"` // ok, warn, fail
	What  string `json:"what"`  // what was found, a sentence
	Next  string `json:"next,omitempty"`
	// Unreachable marks a failure that lies outside this machine.
	Unreachable bool `json:"unreachable,omitempty"`
}

// doctor looks at one installation.
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

// runDoctor checks the installation that the server's own flags and environment
// mean.
func runDoctor(p process, args []string) int {
	asJSON, rest := false, []string{}
	for _, a := range args {
		switch a {
		case "-h", "-help", "--help":
			fmt.Fprint(p.Stdout, doctorUsage)
			return exitOK
		case "-json", "--json":
			asJSON = true
		default:
			rest = append(rest, a)
		}
	}
	s, err := parseOptions(p, rest)
	if err != nil {
		fmt.Fprintf(p.Stderr, "say-ur-intent doctor: %s\n", words(err))
		return exitBadInput
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
		if code := printJSON(p, struct {
			Version  string    `json:"version"`
			Network  string    `json:"network"`
			Findings []finding `json:"findings"`
		}{version, s.network.answer, d.findings}); code != exitOK {
			return code
		}
	} else {
		d.print()
	}
	return d.code()
}

// print writes one line for each finding, and below it what to do.
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
		fmt.Fprintln(d.p.Stdout, "Everything that was checked works.")
	default:
		fmt.Fprintf(d.p.Stdout, "Failed: %d. To look at: %d.\n", failed, warned)
	}
}

// code is the exit code of the findings.
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
