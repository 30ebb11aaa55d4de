package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// bench runs tests of the code as it is and with a broken guard. It writes overlays to dir.
type bench struct {
	dir, tags string
	search    bool              // run every test of the package, and print those that fail
	binaries  map[string]string // test binaries with all guards switchable, by package
}

// event is one line of go test -json.
type event struct{ Action, Test, Output string }

// pattern returns the go test expression that matches exactly one test. Go prints spaces in names
// as underscores.
func pattern(test string) string {
	parts := strings.Split(strings.ReplaceAll(test, " ", "_"), "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// test runs the tests of a package that match an expression. It returns the outcome of each ("run"
// if the process ended first) and the output.
func (b bench) test(pkg, expression, overlay string) (map[string]string, string) {
	args := []string{"test", "-json", "-count=1", "-timeout", "5m", "-tags", b.tags, "-run", expression}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	return outcome(exec.Command("go", append(args, pkg)...))
}

// outcome runs a command that prints the events of go test -json. It returns the last action of
// each test, and the output of all.
func outcome(cmd *exec.Cmd) (map[string]string, string) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the events contain the failures
	became := map[string]string{}
	var text strings.Builder
	decoder := json.NewDecoder(&out)
	for {
		var e event
		if err := decoder.Decode(&e); err != nil {
			break
		}
		text.WriteString(e.Output)
		if e.Test != "" && slices.Contains([]string{"run", "pass", "fail", "skip"}, e.Action) {
			became[e.Test] = e.Action
		}
	}
	return became, text.String() + errs.String()
}

// unbroken requires that every named test exists, and passes by itself while nothing is broken. A
// test that depends on its siblings would always fail.
func (b bench) unbroken(chosen []mutant) error {
	tests := map[string][]string{}
	for _, m := range chosen {
		if name := pattern(m.test); !slices.Contains(tests[m.pkg], name) {
			tests[m.pkg] = append(tests[m.pkg], name)
		}
	}
	var errs []error
	for pkg, names := range tests {
		became, output := b.switchedTest(pkg, strings.Join(names, "|"), "")
		for _, m := range chosen {
			if name := strings.ReplaceAll(m.test, " ", "_"); m.pkg == pkg && became[name] != "pass" {
				errs = append(errs, fmt.Errorf("%s: unbroken, %s %s does not pass: %q\n%s", m, pkg, m.test, became[name],
					tail(output)))
			}
		}
	}
	return errors.Join(errs...)
}

// try breaks one guard and returns nil if the named test fails. If the test passes in the switched
// build, try breaks the guard again in a separate build, because the switched build drops no
// statements, and a test can hide the variable from processes that it starts.
func (b bench) try(i int, m mutant) error {
	expression := pattern(m.test)
	if b.search {
		expression = "."
	}
	became, output := b.switchedTest(m.pkg, expression, m.name())
	if b.search {
		printFailed(m, became)
	}
	if judge(m, became, output) == nil {
		return nil
	}
	source, err := os.ReadFile(m.file)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		return err
	}
	broken := filepath.Join(b.dir, fmt.Sprintf("%d.go", i))
	if err := os.WriteFile(broken, m.broken(source), 0o600); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {path: broken}})
	if err != nil {
		return err
	}
	list := filepath.Join(b.dir, fmt.Sprintf("%d.json", i))
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return err
	}
	became, output = b.test(m.pkg, pattern(m.test), list)
	return judge(m, became, output)
}

func printFailed(m mutant, became map[string]string) {
	fmt.Printf("%s\n", m)
	for name, what := range became {
		if what == "fail" || what == "run" {
			fmt.Printf("  fails: %s\n", name)
		}
	}
}

// judge returns nil if the mutant's test failed.
func judge(m mutant, became map[string]string, output string) error {
	switch became[strings.ReplaceAll(m.test, " ", "_")] {
	case "fail", "run":
		return nil
	case "":
		return fmt.Errorf("the broken code was not tested:\n%s", tail(output))
	}
	return fmt.Errorf("the test passes although the guard is broken")
}

// tail returns the last lines of an output.
func tail(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
