package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
)

// bundled is the response to a bundle request, together with the opened page of the bundle.
type bundled struct {
	ID     string `json:"bundle_id"`
	Task   string `json:"task_id"`
	URL    string `json:"reviewUrl"`
	Advice string `json:"advice"`
	page   *person
	opened string // id of the last review that the user opened
}

// payments requests two payments that the user approves together and signs one after the other.
func (d *demo) payments() error {
	d.stage("“Send 2 SUI to Alice and 1 to Bob”: two transactions, approved once")
	pay := func(id string, place int, amount, to string) fields {
		return fields{"id": id, "sequence": place, "chain": "Sui", "action": "Send " + amount + " SUI",
			"wait_for_receipt": true,
			"intent":           fields{"type": "transfer", "from": fields{"symbol": "SUI", "amount": amount}, "recipient": to}}
	}
	zeros := strings.Repeat("0", 58)
	b, err := d.askBundle(fields{"bundle_label": "Two payments", "transactions": []fields{
		pay("alice", 0, "2", "0x5afe"+zeros+"aa"), pay("bob", 1, "1", "0x5afe"+zeros+"bb")}})
	if err != nil {
		return err
	}
	d.say("The AI immediately receives a task and a link to a page. Its advice: %s", b.Advice)
	if err := b.answer("approve"); err != nil {
		return err
	}
	d.say("The user approves the maximum that leaves the account, and the recipients. This signs nothing.")
	for range 2 {
		review, err := d.nextStep(&b)
		if err != nil {
			return err
		}
		shown, err := d.ready(review)
		if err != nil {
			return err
		}
		digest, err := d.handOff(review, shown)
		if err != nil {
			return err
		}
		d.say("Signed:            %s, %s", shown.Facts.Promise().Outcomes[0].Name, digest)
	}
	result, err := d.taskResult(b)
	if err != nil {
		return err
	}
	d.say("Result:            %s", result)
	if !strings.Contains(result, `"bundle_success":true`) {
		return errors.New("the bundle did not succeed")
	}
	return nil
}

// askBundle requests a bundle and opens its page.
func (d *demo) askBundle(args fields) (b bundled, err error) {
	if err := d.client.call("agent.sign_transaction_bundle", args, &b); err != nil {
		return b, err
	}
	b.page, err = openLink(b.URL)
	return b, err
}

// answer posts the user's answer on the bundle's page, such as "approve".
func (b bundled) answer(word string) error {
	path := "/api/bundle/" + b.ID
	var shown struct {
		Revision int64 `json:"revision"`
	}
	if err := b.page.get(path+"/state", &shown); err != nil {
		return err
	}
	return b.page.post(path+"/"+word, map[string]any{"revision": shown.Revision}, nil)
}

// nextStep waits for the review of the next step and opens it.
func (d *demo) nextStep(b *bundled) (*person, error) {
	open := "/api/bundle/" + b.ID + "/open"
	for end := d.Now().Add(demoTimeout); d.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var led struct {
			URL string `json:"url"`
		}
		if err := b.page.post(open, map[string]any{}, &led); err != nil {
			continue // wait for the previous step
		}
		page, _, _ := strings.Cut(led.URL, "#")
		review := path.Base(page)
		if review == b.opened {
			continue
		}
		b.opened = review
		return b.page.follow(led.URL)
	}
	return nil, errors.New("no step of the bundle became ready")
}

// taskResult waits for the result of a bundle like an AI client.
func (d *demo) taskResult(b bundled) (string, error) {
	for end := d.Now().Add(demoTimeout); d.Now().Before(end); {
		var task struct {
			Task struct {
				State   string `json:"state"`
				Outcome string `json:"outcome"`
				Result  string `json:"resultJson"`
			} `json:"task"`
		}
		if err := d.client.call("task.get", fields{"task_id": b.Task, "waitSeconds": 5}, &task); err != nil {
			return "", err
		}
		if t := task.Task; t.State != "working" {
			if !json.Valid([]byte(t.Result)) {
				return "", fmt.Errorf("the task of the bundle has no result: %s", t.Outcome)
			}
			return t.Outcome + " " + t.Result, nil
		}
	}
	return "", errors.New("the bundle is not over")
}
