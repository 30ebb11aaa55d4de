//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tiktoken-go/tokenizer"

	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

const jobs = "../../test/jobs"

// TestJobs replays what an agent does for a user's request, with a user at the pages. Its costs may
// not exceed those in test/jobs/costs.json.
func TestJobs(t *testing.T) {
	long.Skip(t, "it starts the program")
	words, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	costs := map[string]cost{}
	ran := t.Run("each", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir: jobs, Cmds: jobWords(),
			Setup: func(e *testscript.Env) error {
				e.Setenv("SAY_UR_INTENT_DATA_DIR", filepath.Join(e.WorkDir, "data"))
				s := &scene{clients: map[string]*actor{}}
				a := &agent{words: words}
				e.Values[sceneKey{}], e.Values[agentKey{}] = s, a
				name := strings.TrimPrefix(filepath.Base(e.WorkDir), "script-")
				e.Defer(func() { endServer(filepath.Join(e.WorkDir, "data")) })
				e.Defer(func() {
					mu.Lock()
					defer mu.Unlock()
					costs[name] = a.cost
				})
				return os.Mkdir(filepath.Join(e.WorkDir, "data"), 0o700)
			},
		})
	})
	scripts, err := filepath.Glob(filepath.Join(jobs, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if ran && len(costs) == len(scripts) { // all jobs ran
		judgeJobs(t, costs)
	}
}

// agent is the AI client of a job: its costs, the last result, and the last link in a result.
type agent struct {
	words  tokenizer.Codec
	cost   cost
	answer string
	link   string
}

type agentKey struct{}

// jobWords are the script commands of jobs, in addition to scriptWords. They are about the client
// "ai":
//
//	tool NAME [JSON]      a call whose cost counts; prints the result that a model reads
//	keep VARIABLE REGEXP  sets a variable to the group of the pattern in the last result
//	known VARIABLE REGEXP TOOL [JSON]
//	                      the same for the result of a call that does not count, because the
//	                      conversation already has the value
//	order                 funds a balance manager and places an order
//	person DOES...        the user acts on the page of the last link: connects, reads (waits until
//	                      the review can be signed), signs, declines, approves (several steps),
//	                      steps (signs the next one) or answers (the console's question)
func jobWords() map[string]func(*testscript.TestScript, bool, []string) {
	words := scriptWords()
	words["tool"] = jobTool
	words["keep"] = jobKeep
	words["known"] = jobKnown
	words["person"] = jobPerson
	words["order"] = func(ts *testscript.TestScript, _ bool, _ []string) {
		_, a := agentOf(ts)
		ts.Check(a.fundManager())
		ts.Check(a.sell())
	}
	return words
}

func agentOf(ts *testscript.TestScript) (*agent, *actor) {
	a := sceneOf(ts).clients["ai"]
	if a == nil {
		ts.Fatalf("the client ai has no server")
	}
	a.process.Stdout = ts.Stdout()
	return ts.Value(agentKey{}).(*agent), a
}

var linkPattern = regexp.MustCompile(`http://127\.0\.0\.1:\d+/[a-z]+/[A-Za-z0-9_-]+#[A-Za-z0-9_-]+`)

func jobTool(ts *testscript.TestScript, refused bool, args []string) {
	ai, a := agentOf(ts)
	arguments, err := jsonOf(args[1:])
	ts.Check(err)
	var result struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	ts.Check(a.client.request("tools/call", map[string]any{"name": args[0], "arguments": arguments}, &result))
	sent, err := json.Marshal(arguments)
	ts.Check(err)
	var text strings.Builder
	for _, c := range result.Content {
		text.WriteString(c.Text)
	}
	ai.answer = text.String()
	whole := steady(args[0] + string(sent) + ai.answer)
	units, err := ai.words.Count(whole)
	ts.Check(err)
	ai.cost.Calls++
	if *jobAnswers != "" {
		file := filepath.Join(*jobAnswers, fmt.Sprintf("%s.%d", ts.Name(), ai.cost.Calls))
		ts.Check(os.WriteFile(file, []byte(whole), 0o600))
	}
	ai.cost.Bytes += len(whole)
	ai.cost.Tokens += units
	if link := linkPattern.FindString(ai.answer); link != "" {
		ai.link = link
	}
	fmt.Fprintf(ts.Stdout(), "%s\n", ai.answer)
	if result.IsError != refused {
		ts.Fatalf("tool %s: error %v, %d tokens: %.3000s", args[0], result.IsError, units, ai.answer)
	}
}

func jobKeep(ts *testscript.TestScript, _ bool, args []string) {
	ai, _ := agentOf(ts)
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ai.answer)
	if len(found) < 2 {
		ts.Fatalf("keep %s: not in the last answer: %.3000s", args[0], ai.answer)
	}
	ts.Setenv(args[0], found[1])
}

func jobKnown(ts *testscript.TestScript, _ bool, args []string) {
	_, a := agentOf(ts)
	arguments, err := jsonOf(args[3:])
	ts.Check(err)
	var data json.RawMessage
	ts.Check(a.client.call(args[2], arguments, &data))
	found := regexp.MustCompile(args[1]).FindSubmatch(data)
	if len(found) < 2 {
		ts.Fatalf("known %s: not in the answer: %.3000s", args[0], data)
	}
	ts.Setenv(args[0], string(found[1]))
}

func jobPerson(ts *testscript.TestScript, fails bool, args []string) {
	ai, a := agentOf(ts)
	for _, does := range args {
		err := a.does(does, ai.link)
		if err != nil {
			fmt.Fprintln(ts.Stderr(), err)
		}
		if (err != nil) != fails {
			ts.Fatalf("person %s: %v", does, err)
		}
	}
}

// does plays one action of the user on the page of a link.
func (a *actor) does(act, link string) (err error) {
	switch act {
	case "connects":
		page, err := openLink(link)
		if err != nil {
			return err
		}
		return chooseAccount(page)
	case "reads":
		if a.page, err = openLink(link); err == nil {
			a.shown, err = a.ready(a.page)
		}
		return err
	case "signs":
		if err := a.does("reads", link); err != nil {
			return err
		}
		_, err = a.handOff(a.page, a.shown)
		return err
	case "approves": // a request with several steps
		if a.asked.page, err = openLink(link); err != nil {
			return err
		}
		a.asked.ID = a.asked.page.id
		return a.asked.answer("approve")
	case "steps": // signs the next step
		return a.step(nil, nil)
	case "answers": // the console's question, with the first choice
		if a.console, err = openLink(link); err != nil {
			return err
		}
		return a.answers()
	case "declines":
		return a.page.post("/api/review/"+a.page.id+"/outcome", map[string]any{"outcome": "declined"}, nil)
	}
	return fmt.Errorf("a person does not %q", act)
}

// sell places an order far above the market price.
func (a *actor) sell() error {
	_, err := a.carry(fields{"type": "limit-order", "order": fields{"pool": "SUI_USDC", "side": "sell", "price": "9.5",
		"quantity": "10"}})
	return err
}

var questionMarks = regexp.MustCompile(`data-action="choose"[^>]*data-id="([^"]+)"[^>]*data-value="([^"]+)"`)

// answers answers the console's question with the first choice.
func (a *actor) answers() error {
	view, err := a.console.text("/api/console/" + a.console.id + "/view")
	if err != nil {
		return err
	}
	marks, question := consoleMarks.FindStringSubmatch(view), questionMarks.FindStringSubmatch(view)
	if marks == nil || question == nil {
		return fmt.Errorf("the console asks nothing: %s", view)
	}
	a.session = marks[1]
	return a.posts(io.Discard,
		[]string{fmt.Sprintf(`{"type":"UserResponse","request_id":%q,"kind":"user_prompt","payload":{"answer":%q},"error":null}`,
			question[1], question[2])})
}
