//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

var (
	lowerJobs  = flag.Bool("lower", false, "write the costs of the jobs that became cheaper, and of new ones")
	jobAnswers = flag.String("answers", "", "folder that gets what each call of a job costs: its arguments and its answer")
)

const (
	jobCosts  = jobs + "/costs.json"
	jobsSlack = 10 // tokens by which two runs of a job may differ, because numbers vary in length
)

// bounds limits the total cost of jobs.
var bounds = []struct {
	name string
	of   func(job string) bool
	most cost
}{
	{"all jobs", func(string) bool { return true }, cost{Calls: 65, Tokens: 38_600}},
	{"the first 25 jobs", func(job string) bool { return job < "26" }, cost{Calls: 42, Tokens: 26_000}},
}

// cost is what a job costs a model: the number of calls, and the bytes and tokens (o200k) of
// arguments and results.
type cost struct {
	Calls  int `json:"calls"`
	Bytes  int `json:"bytes"`
	Tokens int `json:"tokens"`
}

// random matches values that differ between runs and would change the number of tokens.
var random = []struct {
	pattern *regexp.Regexp
	sample  string
}{
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z`), "2026-01-02T03:04:05.678Z"},
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{4,9}Z`), "2026-01-02T03:04:05.678912345Z"},
	// candles at the start of an hour in which nothing was traded yet
	{regexp.MustCompile(`"incompleteReasons":\[[^]]*\],"candles":\[[^]]*\],"gaps":\[[^]]*\]`),
		`"incompleteReasons":["running_interval"],"candles":[` + oneCandle + "," + oneCandle + `],"gaps":[]`},
	{regexp.MustCompile(`"ttl_ms":\d+`), `"ttl_ms":86401234`},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:45678"},
	{regexp.MustCompile(`#[A-Za-z0-9_-]{43}`), "#mRrskttlzfL4xoZB3xMIVB4RhJWn8jDWUMJqZr5X7Jg"},
	{regexp.MustCompile(`0x0{0,7}[1-9a-f][0-9a-f]{56,63}\b`),
		"0xf0e1d2c3b4a5968778695a4b3c2d1e0f0123456789abcdef1032547698badcfe"},
	{regexp.MustCompile(`\b[1-9A-HJ-NP-Za-km-z]{43,44}\b`), "8tRaQBLbvzNQSDcUSd5VyVzLfLd3vU3Zy7Ybcm92FbQr"},
	{regexp.MustCompile(`_[0-9a-f]{32}\b`), "_0f1e2d3c4b5a69788796a5b4c3d2e1f0"},
	{regexp.MustCompile(`act_[A-Z2-7]{26}\b`), "act_XQ6RUD3A5DP2UGNFXRIELSS5I5"},
	{regexp.MustCompile(`\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b`),
		"1a8232bb-c021-4c02-96b2-d852a0ec2592"},
	{regexp.MustCompile(`((?:Id|_id)\\?": ?\\?"|127\.0\.0\.1:45678/[a-z]+/)[A-Za-z0-9_-]{24}(["\\#])`),
		"${1}LrQk6lGM7XWx5_y_gLfO2v2q${2}"},
}

const oneCandle = `{"openTime":"2026-01-02T03:04:05.678Z","closeTime":"2026-01-02T03:04:05.678Z","open":"1.2882","high":"1.2975",` +
	`"low":"1.2863","close":"1.2967","baseVolume":"929","final":true}`

// steady replaces IDs, digests, links and times with fixed samples.
func steady(text string) string {
	for _, r := range random {
		text = r.pattern.ReplaceAllString(text, r.sample)
	}
	return text
}

// judgeJobs compares the costs of jobs with the recorded ones.
func judgeJobs(t *testing.T, costs map[string]cost) {
	t.Helper()
	raw, err := os.ReadFile(jobCosts)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	before := map[string]cost{}
	if err == nil {
		if err := json.Unmarshal(raw, &before); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(costs)) {
		now := costs[name]
		old, known := before[name]
		switch {
		case !known && !*lowerJobs:
			t.Errorf("%s is not in %s: -lower adds it", name, jobCosts)
		case known && (now.Calls > old.Calls || now.Tokens > old.Tokens+jobsSlack):
			t.Errorf("%s costs %d calls and %d tokens, before %d and %d", name, now.Calls, now.Tokens, old.Calls, old.Tokens)
		case !known || now.Tokens < old.Tokens || now.Calls < old.Calls:
			before[name] = now
		}
	}
	for _, b := range bounds {
		var sum cost
		for job, c := range costs {
			if b.of(job) {
				sum = cost{sum.Calls + c.Calls, sum.Bytes + c.Bytes, sum.Tokens + c.Tokens}
			}
		}
		t.Logf("%s: %d calls, %d bytes, %d tokens", b.name, sum.Calls, sum.Bytes, sum.Tokens)
		if sum.Calls > b.most.Calls || sum.Tokens > b.most.Tokens {
			t.Errorf("%s take %d calls and %d tokens, at most %d and %d are wanted", b.name, sum.Calls, sum.Tokens, b.most.Calls,
				b.most.Tokens)
		}
	}
	if !*lowerJobs {
		return
	}
	text, err := json.MarshalIndent(before, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(jobCosts, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
