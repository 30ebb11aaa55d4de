//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// planWords are the script commands for plans:
//
//	plan NAME JSON    the client sets a plan and waits for the event with the result
//	groups NAME       the client requests the next groups and waits for the event with the result;
//	                  the user opens the first group on the console and approves it if asked
//
// Both print the tool's notice to the client, and the whole result.
func planWords() map[string]func(a *actor, out io.Writer, args []string) error {
	return map[string]func(a *actor, out io.Writer, args []string) error{"plan": (*actor).plan, "groups": (*actor).groups}
}

// called calls a tool whose result arrives as an event, and returns that result.
func (a *actor) called(out io.Writer, tool string, args map[string]any) (json.RawMessage, error) {
	var ack struct {
		Accepted bool   `json:"accepted"`
		Call     string `json:"call_id"`
		Plan     string `json:"plan_id"`
	}
	if err := a.client.call(tool, args, &ack); err != nil {
		return nil, err
	}
	a.planned = ack.Plan
	for end := time.Now().Add(unhurried); time.Now().Before(end); {
		var told struct {
			Events []struct{ Text, ResultJSON string }
		}
		if err := a.client.call("events.wait", fields{"after_seq": 0, "types": []string{"AsyncUpdate"}, "timeoutMs": 1000},
			&told); err != nil {
			return nil, err
		}
		for _, e := range told.Events {
			if strings.Contains(e.Text, ack.Call) {
				fmt.Fprintf(out, "%s\n%s\n", e.Text, e.ResultJSON)
				return json.RawMessage(e.ResultJSON), nil
			}
		}
	}
	return nil, errors.New("the call is never answered")
}

func (a *actor) plan(out io.Writer, args []string) error {
	arguments, err := jsonOf(args)
	if err == nil {
		_, err = a.called(out, "agent.set_execution_plan", arguments)
	}
	return err
}

func (a *actor) groups(out io.Writer, _ []string) error {
	result, err := a.called(out, "agent.next_groups", fields{"plan_id": a.planned})
	if err != nil {
		return err
	}
	var value struct {
		Console string `json:"console_tool"`
		Groups  []struct {
			State  string `json:"state"`
			Bundle string `json:"bundle_id"`
			Task   string `json:"task_id"`
		} `json:"groups"`
	}
	if err := json.Unmarshal(result, &value); err != nil || len(value.Groups) == 0 ||
		value.Groups[0].State != "awaiting_approval" {
		return err
	}
	if a.console == nil {
		var link struct {
			URL string `json:"consoleUrl"`
		}
		err := a.client.call(value.Console, map[string]any{}, &link)
		if err == nil {
			a.console, err = openLink(link.URL)
		}
		if err != nil {
			return err
		}
	}
	path := "/api/console/" + a.console.id
	page, err := a.console.text(path + "/view")
	if err != nil {
		return err
	}
	fmt.Fprintln(out, page)
	var led struct {
		URL string `json:"url"`
	}
	if err := a.console.post(path+"/bundle", map[string]any{"id": value.Groups[0].Bundle}, &led); err != nil {
		return err
	}
	a.asked = bundled{ID: value.Groups[0].Bundle, Task: value.Groups[0].Task}
	if a.asked.page, err = openLink(led.URL); err != nil {
		return err
	}
	return a.asked.answer("approve")
}
