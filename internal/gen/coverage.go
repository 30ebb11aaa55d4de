package main

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// requirements lists the specifications, and the requirements that no subtest names.
//
//go:embed requirements.txt
var requirements string

// Reasons why no subtest names a requirement.
const (
	informative = "informative"
	decided     = "decided"
	open        = "open"
)

// specification is a specification that this program implements. Its text is not in the repository.
type specification struct {
	prefix, title string
	count         int
	untested      map[string]untested // by ID of the requirement
}

// untested is a requirement that no subtest names.
type untested struct{ class, state, reason string }

// id returns the ID of the nth requirement, counting from 1.
func (s specification) id(n int) string { return s.prefix + "-" + strconv.Itoa(n) }

// specifications parses the list of specifications.
func specifications(list string) (all []specification, err error) {
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		word := strings.SplitN(line, " ", 4)
		if len(word) < 4 {
			return nil, fmt.Errorf("requirements.txt: %q has too few fields", line)
		}
		if word[0] == "spec" {
			count, err := strconv.Atoi(word[2])
			if err != nil {
				return nil, fmt.Errorf("requirements.txt: %q: %w", line, err)
			}
			all = append(all, specification{word[1], word[3], count, map[string]untested{}})
			continue
		}
		known := false
		for _, s := range all {
			if prefix, _, _ := strings.Cut(word[0], "-"); prefix == s.prefix {
				s.untested[word[0]], known = untested{word[1], word[2], word[3]}, true
			}
		}
		if !known {
			return nil, fmt.Errorf("requirements.txt: %s is of no specification", word[0])
		}
	}
	return all, nil
}

// proof is a run of consecutive requirements that one test names.
type proof struct {
	first, last int
	by          claim
}

// proofs returns the requirements that tests name, in runs that are as long as possible.
func (s specification) proofs(tests map[string][]claim) (runs []proof) {
	for n := 1; n <= s.count; {
		run := proof{n, n - 1, claim{}}
		for _, c := range tests[s.id(n)] {
			last := n
			for last < s.count && has(tests[s.id(last+1)], c) {
				last++
			}
			if last > run.last {
				run.last, run.by = last, c
			}
		}
		if run.last < n {
			n++
			continue
		}
		runs = append(runs, run)
		n = run.last + 1
	}
	return runs
}

func has(list []claim, c claim) bool {
	for _, other := range list {
		if other == c {
			return true
		}
	}
	return false
}

// coverage renders the page that lists a test for each requirement.
func coverage(root string) ([]byte, error) {
	all, err := specifications(requirements)
	if err != nil {
		return nil, err
	}
	tests, err := named(root)
	if err != nil {
		return nil, err
	}
	m := &markdown{}
	m.line(generated)
	m.line("# Coverage of the specifications\n")
	m.line("This program was built from four specifications. Their requirements are numbered, and the name of a subtest starts with the " +
		"ids that it proves, such as `R004-17`. This page names one test for each requirement. To find all of them, run " +
		"`git grep -n 'R004-17\\b'`; to run one, `go test ./PACKAGE -run 'TEST/R004-17'`. The tables say which requirements no test " +
		"names, and why.\n")
	m.table("Specification", "Requirements", "Tested", "Informative", "Decided otherwise", "Open")
	for _, s := range all {
		states := map[string]int{}
		for _, u := range s.untested {
			states[u.state]++
		}
		tested := 0
		for n := 1; n <= s.count; n++ {
			if len(tests[s.id(n)]) > 0 {
				tested++
			}
		}
		m.row(fmt.Sprintf("%s %s", s.prefix, s.title), strconv.Itoa(s.count), strconv.Itoa(tested),
			strconv.Itoa(states[informative]), strconv.Itoa(states[decided]), strconv.Itoa(states[open]))
	}
	for _, s := range all {
		s.render(m, tests)
	}
	return m.bytes(), nil
}

// render writes one specification's section.
func (s specification) render(m *markdown, tests map[string][]claim) {
	m.line("\n## %s %s\n", s.prefix, s.title)
	if len(s.untested) > 0 {
		m.table("Requirement", "Class", "State", "Reason")
		for n := 1; n <= s.count; n++ {
			if u, ok := s.untested[s.id(n)]; ok {
				m.row(s.id(n), u.class, u.state, u.reason)
			}
		}
		m.line("")
	}
	m.table("Requirements", "Package", "Test")
	for _, p := range s.proofs(tests) {
		ids := s.id(p.first)
		if p.last > p.first {
			ids += " to " + strconv.Itoa(p.last)
		}
		m.row(ids, code(p.by.pkg), code(p.by.test))
	}
}
