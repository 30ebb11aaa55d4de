// Command mutants breaks every marked guard in the code, one at a time, and runs the test named in
// the mark. If the test still passes, it does not test its guard, and the run fails. No file is
// changed: the compiler gets an overlay, in which an environment variable selects the guard to
// break.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

func main() {
	tags := flag.String("tags", "", "build tags for the tests")
	only := flag.String("run", "", "only mutants whose file, package or test matches this expression")
	list := flag.Bool("list", false, "list the mutants and run nothing")
	part := flag.String("part", "1/1", "run one part of the chosen mutants, such as 2/6")
	search := flag.Bool("search", false,
		"run every test of the package for each mutant, and print which fail, to help choose one")
	workers := flag.Int("p", 2, "how many to run at once")
	flag.Parse()
	if err := run(*only, *part, *list, *workers, bench{tags: *tags, search: *search}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(only, part string, list bool, workers int, b bench) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	all, err := find(".")
	if err != nil {
		return err
	}
	var chosen []mutant
	for _, m := range all {
		if pattern.MatchString(m.file + " " + m.pkg + " " + m.test) {
			chosen = append(chosen, m)
		}
	}
	if chosen, err = partOf(chosen, part); err != nil {
		return err
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no marked guard matches")
	}
	if list {
		for _, m := range chosen {
			fmt.Printf("%s  %s %s\n", m, m.pkg, m.test)
		}
		return nil
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b.dir = dir
	if err := b.build(all, chosen); err != nil {
		return err
	}
	if err := b.unbroken(chosen); err != nil {
		return err
	}
	return b.all(chosen, workers)
}

// partOf returns every n-th mutant, starting with the i-th, for a part written "i/n". The parts 1/n
// to n/n together contain all mutants.
func partOf(all []mutant, part string) ([]mutant, error) {
	first, count, _ := strings.Cut(part, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || i < 1 || i > n {
		return nil, fmt.Errorf("-part %q: write it as 2/6, the second of six parts", part)
	}
	var chosen []mutant
	for k := i - 1; k < len(all); k += n {
		chosen = append(chosen, all[k])
	}
	return chosen, nil
}

// all runs the mutants and reports those that no test noticed.
func (b bench) all(chosen []mutant, workers int) error {
	queue := make(chan int)
	results := make([]error, len(chosen))
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			for i := range queue {
				m := chosen[i]
				if results[i] = b.try(i, m); results[i] == nil {
					fmt.Printf("noticed   %s  %s\n", m, m.test)
				} else {
					fmt.Printf("SURVIVED  %s  %s %s: %v\n", m, m.pkg, m.test, results[i])
				}
			}
		})
	}
	for i := range chosen {
		queue <- i
	}
	close(queue)
	wg.Wait()
	missed := 0
	for _, err := range results {
		if err != nil {
			missed++
		}
	}
	fmt.Printf("mutants: %d of %d were noticed by the test in their mark\n", len(chosen)-missed, len(chosen))
	if missed > 0 {
		return fmt.Errorf("%d broken guards were not noticed", missed)
	}
	return nil
}
