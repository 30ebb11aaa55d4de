//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
)

// wish is what the user asks for.
const wish = "Connect my wallet, say what 10 SUI are worth in USDC, and swap 10 SUI to USDC, at most 0.5 percent worse."

// step is one call that a model makes for the wish, and what follows from the
// answer as the model got it.
type step struct {
	tool string
	with func(*job) map[string]any
	then func(*job, string) error
}

var nothing = func(*job) map[string]any { return map[string]any{} }

// steps are the whole job. The user acts between the calls, on the pages of the links that reached
// the model.
var steps = []step{
	{"session_create_wallet_identity", nothing, func(j *job, got string) error {
		if err := errors.Join(j.learn(&j.wallet, "walletSessionId", got), j.learn(&j.opening, "opening", got)); err != nil {
			return err
		}
		return j.visit(got, "connect", connects)
	}},
	{"session_wait_wallet_identity", func(j *job) map[string]any {
		return map[string]any{"walletSessionId": j.wallet}
	}, has("connected")},
	{"read_quote_deepbook_display_amount", func(*job) map[string]any {
		return map[string]any{"poolKey": "SUI_USDC", "direction": "base_to_quote", "amountDisplay": "10"}
	}, has("USDC")},
	{"action_prepare_sui_action_review", func(*job) map[string]any {
		return map[string]any{"intent": map[string]any{
			"type": "swap", "from": map[string]any{"symbol": "SUI", "amount": "10"},
			"to": map[string]any{"symbol": "USDC"}, "maxSlippageBps": 50, "protocol": "deep",
		}}
	}, func(j *job, got string) error {
		if err := j.learn(&j.review, "reviewSessionId", got); err != nil {
			return err
		}
		return j.visit(got, "review", signs)
	}},
	{"session_wait_execution_result", func(j *job) map[string]any {
		return map[string]any{"reviewSessionId": j.review}
	}, has("success")},
}

func has(word string) func(*job, string) error {
	return func(_ *job, got string) error {
		if !strings.Contains(got, word) {
			return fmt.Errorf("%q is not in the answer", word)
		}
		return nil
	}
}

// offered is a tool as the client describes it to its model. Group is the name of
// the group that it is in, where the API has groups.
type offered struct{ Name, Group string }

// call is a call of a tool that the stand-in makes.
type call struct {
	ID, Name, Group string
	Args            map[string]any
	Finds           bool // it asks for a tool, and is no step of the job
}

// result is what the client reports to its model of one call; ID is empty if the API has none.
type result struct{ ID, Name, Text string }

// reply is the next word of the model: a call, or a text that ends the turn.
type reply struct {
	Call *call
	Text string
}

// job is the model that wants the tools: the script and how far it has come.
type job struct {
	t   testing.TB
	tap tap

	mu             sync.Mutex
	next           int   // step that is to be called next, or is under way
	waiting        *call // call whose result has not come
	wallet, review string
	opening        string   // what became of the first link, by the server's word
	names          []string // of the tools, as they were called
	sought         map[string]bool
	dropped        int // texts after the first that did not reach the model
	failed         error
	log            []string
}

// done reports how the job ended: nil when every step was answered whole.
func (j *job) done() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed != nil {
		return j.failed
	}
	if j.next < len(steps) {
		return fmt.Errorf("the client ended before %s: %d of %d steps", steps[j.next].tool, j.next, len(steps))
	}
	return nil
}

// fail ends the job with this error, unless another ended it.
func (j *job) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed == nil {
		j.failed = err
	}
}

// answer returns the model's next word to a conversation with these tools and results; prompt is
// all that it was sent.
func (j *job) answer(tools []offered, results []result, prompt []byte) reply {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.failed != nil || len(tools) == 0 {
		return reply{Text: "ok"}
	}
	if j.waiting != nil {
		i := slices.IndexFunc(results, func(r result) bool {
			return r.ID == j.waiting.ID || r.ID == "" && r.Name == j.waiting.Name
		})
		if i < 0 { // the client asks again
			return reply{Call: j.waiting}
		}
		found := j.waiting
		j.waiting = nil
		if found.Finds {
			j.log = append(j.log, fmt.Sprintf("%s: %.300q", found.Name, results[i].Text))
		} else if err := j.took(results[i].Text); err != nil {
			return reply{Text: "This does not work."}
		}
	}
	if j.next == len(steps) {
		return reply{Text: "Your 10 SUI are swapped."}
	}
	want := steps[j.next]
	i := slices.IndexFunc(tools, func(o offered) bool { return strings.Contains(plain(o.Name), want.tool) })
	if i >= 0 {
		j.names = append(j.names, tools[i].Name)
		j.waiting = &call{ID: fmt.Sprintf("call_%d", j.next+1), Name: tools[i].Name, Group: tools[i].Group,
			Args: want.with(j)}
		return reply{Call: j.waiting}
	}
	if j.waiting = j.deferred(tools, want, string(prompt)); j.waiting != nil {
		return reply{Call: j.waiting}
	}
	j.failed = fmt.Errorf("%s is not among the %d tools that the model was listed: %v", want.tool, len(tools), tools)
	return reply{Text: "There is no such tool."}
}

// deferred returns the call that reaches a tool which the client does not list, but names in what
// it wrote to the model: first the one that has it described, then, where the client has such a
// thing, the one that calls it by its name. nil if there is no way.
func (j *job) deferred(tools []offered, want step, prompt string) *call {
	pattern := regexp.MustCompile(`[A-Za-z0-9_-]*` + want.tool + `[A-Za-z0-9_]*`)
	name := "" // the longest: the server's own instructions say it without the client's prefix
	for _, found := range pattern.FindAllString(strings.ReplaceAll(prompt, `\n`, " "), -1) {
		if len(found) > len(name) {
			name = found
		}
	}
	if name == "" {
		return nil
	}
	has := func(name string) bool {
		return slices.ContainsFunc(tools, func(o offered) bool { return o.Name == name })
	}
	for _, search := range []string{"ToolSearch", "tool_search"} {
		if has(search) && !j.sought[want.tool] {
			j.sought[want.tool] = true
			return &call{
				ID: fmt.Sprintf("find_%d", j.next+1), Name: search, Finds: true,
				Args: map[string]any{"query": "select:" + name, "max_results": 5},
			}
		}
	}
	if !has("tool_call") {
		return nil
	}
	j.names = append(j.names, name)
	return &call{
		ID: fmt.Sprintf("call_%d", j.next+1), Name: "tool_call",
		Args: map[string]any{"name": name, "arguments": want.with(j)},
	}
}

// took takes the result of the step under way: it must be what the server sent.
func (j *job) took(got string) error {
	at := steps[j.next]
	j.log = append(j.log, fmt.Sprintf("%s: %.300q", at.tool, got))
	s, ok := j.tap.last(j.t, at.tool)
	arrived, dropped := whole(got, s)
	j.dropped += dropped
	switch {
	case !ok:
		j.failed = fmt.Errorf("%s never reached the server; the model got %.600q", at.tool, got)
	case s.IsError:
		j.failed = fmt.Errorf("%s refused: %.600s", at.tool, s.Texts)
	case !arrived:
		j.failed = fmt.Errorf("the answer of %s, %d bytes, did not reach the model whole: %.1500q", at.tool, s.length(), got)
	default:
		if err := at.then(j, got); err != nil {
			j.failed = fmt.Errorf("after %s: %w; the model got %.600q", at.tool, err, got)
		}
	}
	if j.failed == nil {
		j.next++
	}
	return j.failed
}

// learn takes the value of a field out of an answer, however deep it is quoted.
func (j *job) learn(into *string, field, got string) error {
	found := regexp.MustCompile(`"` + field + `\\*":\s*\\*"([A-Za-z0-9_-]+)`).FindStringSubmatch(got)
	if found == nil {
		return fmt.Errorf("there is no %s", field)
	}
	*into = found[1]
	return nil
}

// visit has the user open the link to a page of this kind.
func (j *job) visit(got, kind string, person func(string) error) error {
	link := regexp.MustCompile(`http://127\.0\.0\.1:\d+/` + kind + `/[A-Za-z0-9_-]+#[A-Za-z0-9_-]+`).FindString(got)
	if link == "" {
		return fmt.Errorf("there is no link to a %s page", kind)
	}
	return person(link)
}

// whole reports whether all that the server answered is in what the model got: the
// first text, or the structured content, as it is or quoted as a string of JSON.
// Texts after the first are notices; dropped counts those that did not arrive.
func whole(got string, s sent) (all bool, dropped int) {
	for i, text := range s.Texts {
		if arrived := holds(got, text, documents([]byte(text))); i == 0 {
			all = arrived
		} else if !arrived {
			dropped++
		}
	}
	return all || holds(got, "", documents(s.Structured)) || covers(got, s), dropped
}

// covers reports whether a result that a client cut in its middle (Cline, to 8,000
// characters) still has every fact: the beginning of the text, which is quoted, and
// the end of the structured content, which is the same document, overlap.
func covers(got string, s sent) bool {
	if len(s.Texts) == 0 || s.Texts[0] != string(s.Structured) {
		return false
	}
	document := s.Texts[0]
	ends := sort.Search(len(document)+1, func(n int) bool { // how much of the end is there
		return n > 0 && !strings.Contains(got, document[len(document)-n:])
	}) - 1
	var quoted strings.Builder
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	err := e.Encode(document[:len(document)-ends])
	return err == nil && strings.Contains(got, strings.TrimSuffix(quoted.String()[1:], "\"\n"))
}

// documents returns a list of the JSON document, or nothing where it is none.
func documents(raw []byte) []any {
	var v any
	if json.Unmarshal(raw, &v) != nil || v == nil {
		return nil
	}
	return []any{v}
}

// holds reports whether a value, or one inside it, is the text or contains it, or
// is one of the documents.
func holds(v any, text string, want []any) bool {
	if slices.ContainsFunc(want, func(w any) bool { return reflect.DeepEqual(v, w) }) {
		return true
	}
	switch v := v.(type) {
	case string:
		if text != "" && strings.Contains(v, text) {
			return true
		}
		// A document, or words and then a document.
		at := strings.IndexAny(v, "{[")
		if at < 0 {
			return false
		}
		var inner any
		if json.NewDecoder(strings.NewReader(v[at:])).Decode(&inner) != nil {
			return false
		}
		return holds(inner, text, want)
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return holds(e, text, want) })
	case map[string]any:
		for _, e := range v {
			if holds(e, text, want) {
				return true
			}
		}
	}
	return false
}
