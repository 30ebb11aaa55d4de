package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// counts holds the number of violations by kind of text and rule.
type counts map[string]map[string]int

var kinds = []string{docs, pages, literals, comments}

func count(hits []hit) counts {
	c := counts{}
	for _, h := range hits {
		if c[h.rule] == nil {
			c[h.rule] = map[string]int{}
		}
		c[h.rule][h.kind]++
	}
	return c
}

// format writes one line per violated rule, and a line with the sums.
func format(c counts) string {
	var b strings.Builder
	line := func(name string, n map[string]int) {
		fmt.Fprintf(&b, "%-12s", name)
		for _, kind := range kinds {
			fmt.Fprintf(&b, " %s %d", kind, n[kind])
		}
		b.WriteString("\n")
	}
	sum := map[string]int{}
	for _, rule := range slices.Sorted(maps.Keys(c)) {
		line(rule, c[rule])
		for kind, n := range c[rule] {
			sum[kind] += n
		}
	}
	line(total, sum)
	return b.String()
}

// total begins the line with the sums.
const total = "sum"

func parse(text string) counts {
	c := counts{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) != 1+2*len(kinds) || words[0] == total {
			continue
		}
		c[words[0]] = map[string]int{}
		for i := 1; i < len(words); i += 2 {
			n := 0
			if _, err := fmt.Sscan(words[i+1], &n); err == nil {
				c[words[0]][words[i]] = n
			}
		}
	}
	return c
}

// higher lists the counts that increased.
func higher(now, before counts) (worse []string) {
	for _, rule := range slices.Sorted(maps.Keys(now)) {
		for _, kind := range kinds {
			//mutant:never ./internal/prose TestCountsOnlyFall
			if n, was := now[rule][kind], before[rule][kind]; n > was {
				worse = append(worse, fmt.Sprintf("  %s in %s: %d, not %d", rule, kind, n, was))
			}
		}
	}
	return worse
}
