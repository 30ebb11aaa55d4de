package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// Maximum cost of an answer in o200k tokens. A ready review includes its wallet contract and has
// its own limit.
const (
	plainTokens = 3_000  // an answer without a requested detail
	wholeTokens = 12_000 // any answer
	readyTokens = 5_000
)

// answerCost is the maximum cost of one tool's answers in the examples, in tokens.
type answerCost struct {
	Plain int `json:"plain,omitempty"`
	Whole int `json:"whole,omitempty"` // with detail full, or a requested page size
}

// answerCosts counts the tokens of all examples' answers.
type answerCosts struct {
	words tokenizer.Codec
	most  map[string]answerCost
}

func newAnswerCosts(t *testing.T) answerCosts {
	t.Helper()
	words, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	return answerCosts{words, map[string]answerCost{}}
}

func (a answerCosts) add(t *testing.T, tool, in string, answer []byte) {
	t.Helper()
	n, err := a.words.Count(string(answer))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%5d bytes, %5d tokens", len(answer), n)
	c := a.most[tool]
	limit := plainTokens
	if strings.Contains(in, `"limit"`) || strings.Contains(in, `"full"`) || strings.Contains(in, `"interval"`) {
		limit, c.Whole = wholeTokens, max(c.Whole, n)
	} else {
		c.Plain = max(c.Plain, n)
	}
	a.most[tool] = c
	if tool == "session.get_review_status" && limit == plainTokens {
		limit = readyTokens
	}
	if n > limit {
		t.Errorf("the answer takes %d tokens, its limit is %d", n, limit)
	}
}

// check compares the costs with the recorded ones. They may differ by a few tokens, because ids and
// digests vary.
func (a answerCosts) check(t *testing.T) {
	t.Helper()
	file := filepath.Join("testdata", "answers.json")
	if *update {
		data, err := json.MarshalIndent(a.most, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]answerCost{}
	if err := json.Unmarshal(data, &known); err != nil {
		t.Fatal(err)
	}
	for tool, c := range a.most {
		if tool == "read.get_account_asset_timeline" || tool == "read.get_deepbook_price_history" {
			continue // the current day has more hours later on
		}
		k, ok := known[tool]
		if more := func(n, limit int) bool { return n > limit+limit/20+40 }; !ok || more(c.Plain, k.Plain) ||
			more(c.Whole, k.Whole) {
			t.Errorf("answers of %s cost %+v, and %+v when they were last made cheaper; with -update they may", tool, c, k)
		}
	}
}
