package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/sayurintent/sayurintent/internal/record"
)

// demoVenue is the protocol that the demo user chooses when asked.
const demoVenue = "flowx"

// fields is a JSON object, such as an intent in a model's request.
type fields map[string]any

// choose requests a swap without naming a protocol. The tool refuses, because only the user may
// choose.
func (d *demo) choose() error {
	d.stage("“Swap 5 SUI to USDC”, without a protocol")
	w := fields{"type": "swap", "from": fields{"symbol": "SUI", "amount": "5"}, "to": fields{"symbol": "USDC"},
		"maxSlippageBps": 100}
	_, err := d.prepareIntent(w)
	var no *refusal
	if !errors.As(err, &no) {
		return fmt.Errorf("a swap without a protocol was not refused: %w", err)
	}
	var refusal struct {
		Error struct {
			Message string `json:"message"`
			Details struct {
				Reason  string   `json:"reason"`
				Slugs   []string `json:"availableProtocols"`
				Choices []struct {
					Label    string `json:"label"`
					Expected string `json:"expected"`
				} `json:"choices"`
			} `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(no.Text), &refusal); err != nil ||
		refusal.Error.Details.Reason != "protocol_choice_required" || len(refusal.Error.Details.Slugs) < 2 {
		return fmt.Errorf("the refusal lists fewer than two protocols: %s", no.Text)
	}
	d.say("Refused: %s", refusal.Error.Message)
	for _, c := range refusal.Error.Details.Choices {
		d.say("%-18s %s", c.Label+":", c.Expected)
	}
	d.say("The AI asks the user: %s? It must not choose. The user answers: %s.", strings.Join(refusal.Error.Details.Slugs,
		" or "), demoVenue)
	w["protocol"] = demoVenue
	_, err = d.carry(w)
	return err
}

// protocols stakes, swaps on another venue than DeepBook, supplies and withdraws. Each transaction
// contains the guaranteed minimum.
func (d *demo) protocols() error {
	d.stage("“Stake, swap on Cetus, lend and withdraw”, each with a minimum in the transaction")
	var listed struct {
		Validators []struct {
			Address string `json:"address"`
		} `json:"validators"`
	}
	if err := d.client.call("read.list_validators", map[string]any{}, &listed); err != nil {
		return err
	}
	if len(listed.Validators) == 0 {
		return errors.New("no validator is listed")
	}
	for _, w := range []fields{
		{"type": "stake", "from": fields{"symbol": "SUI", "amount": "2"}, "validator": listed.Validators[0].Address},
		{"type": "swap", "protocol": "springsui", "from": fields{"symbol": "SUI", "amount": "3"},
			"to": fields{"symbol": "sSUI"}, "maxSlippageBps": 10},
		{"type": "swap", "protocol": "cetus", "from": fields{"symbol": "USDC", "amount": "4"}, "to": fields{"symbol": "SUI"},
			"maxSlippageBps": 100},
		{"type": "supply", "protocol": "suilend", "from": fields{"symbol": "USDC", "amount": "5"}},
		{"type": "supply-withdraw", "protocol": "suilend", "to": fields{"symbol": "USDC", "amount": "2"}},
		{"type": "supply-withdraw", "protocol": "suilend", "to": fields{"symbol": "USDC"}},
	} {
		if _, err := d.carry(w); err != nil {
			return err
		}
	}
	return nil
}

// demoFriend is the address that the demo user pays.
const demoFriend = "0x5afe0000000000000000000000000000000000000000000000000000000000aa"

// together requests, in one transaction, a swap and a payment of everything it returns.
func (d *demo) together() error {
	d.stage("“Swap 8 SUI to USDC and send all of it to my friend”, in one transaction")
	step := func(id string, place int, w fields, more fields) fields {
		s := fields{"id": id, "sequence": place, "chain": "Sui", "intent": w}
		maps.Copy(s, more)
		return s
	}
	var prepared struct {
		URL string `json:"reviewUrl"`
	}
	err := d.client.call("agent.sign_transaction_bundle", map[string]any{"mode": "atomic", "transactions": []fields{
		step("swap", 0, fields{"type": "swap", "from": fields{"symbol": "SUI", "amount": "8"}, "to": fields{"symbol": "USDC"},
			"maxSlippageBps": 50, "protocol": "deep"}, nil),
		step("send", 1, fields{"type": "transfer", "from": fields{"symbol": "USDC"}, "recipient": demoFriend},
			fields{"resultOf": "swap"}),
	}}, &prepared)
	if err != nil {
		return err
	}
	d.say("One review, one signature: both steps happen, or neither.")
	page, err := openLink(prepared.URL)
	if err != nil {
		return err
	}
	_, err = d.carryOut(page)
	return err
}

// fundManager creates a balance manager, which pays for orders, and deposits into it.
func (d *demo) fundManager() error {
	d.stage("“I want to place orders”: create and fund a balance manager")
	if _, err := d.carry(fields{"type": "manager-create"}); err != nil {
		return err
	}
	_, err := d.carry(fields{"type": "manager-deposit", "from": fields{"symbol": "SUI", "amount": "30"}})
	return err
}

// demoPrice is the order's price for one SUI, a few percent above the market.
const demoPrice = "1.35"

// order places a limit order and cancels it.
func (d *demo) order() error {
	d.stage("“Sell 10 SUI at " + demoPrice + " USDC each, or better”")
	done, err := d.carry(fields{"type": "limit-order", "order": fields{"pool": "SUI_USDC", "side": "sell",
		"price": demoPrice, "quantity": "10"}})
	if err != nil {
		return err
	}
	number := ""
	for _, t := range done.Receipt.Outcome {
		if t.Name == "Order number" {
			number = t.Value
		}
	}
	if number == "" {
		return errors.New("the receipt does not have the order's number")
	}
	d.stage("“Cancel that order”")
	_, err = d.carry(fields{"type": "cancel-order", "order": fields{"pool": "SUI_USDC"}, "orderId": number})
	return err
}

// prepareIntent creates a review of an intent and opens its link.
func (d *demo) prepareIntent(w fields) (*person, error) {
	var prepared struct {
		URL string `json:"reviewUrl"`
	}
	if err := d.client.call("action.prepare_sui_action_review", map[string]any{"intent": w}, &prepared); err != nil {
		return nil, err
	}
	return openLink(prepared.URL)
}

// carry requests a review, carries it through to the receipt, and prints what the user sees.
func (d *demo) carry(w fields) (*record.Execution, error) {
	page, err := d.prepareIntent(w)
	if err != nil {
		return nil, err
	}
	return d.carryOut(page)
}

// carryOut signs the review on a page, waits for its result, and prints both.
func (d *demo) carryOut(page *person) (*record.Execution, error) {
	shown, err := d.ready(page)
	if err != nil {
		return nil, err
	}
	h := shown.ReviewState.HumanReview
	if h == nil {
		return nil, errors.New("the review is not in words")
	}
	d.say("Review:            %s", h.ProposedAction.Title)
	for _, t := range shown.Facts.Terms() {
		d.say("%-18s %s", t.Name+":", t.Value)
	}
	d.say("Promised:          %s", h.Guarantee)
	if _, err := d.handOff(page, shown); err != nil {
		return nil, err
	}
	done, headline, err := d.result(page.id)
	if err != nil {
		return nil, err
	}
	d.say("Signed and done:   %s, every promise kept", done.TxDigest)
	d.restsOn(done)
	d.say("%s", headline)
	if r := done.Receipt.Result; r != nil {
		for _, text := range r.Steps {
			d.say("%s", text)
		}
	}
	for _, t := range done.Receipt.Outcome {
		d.say("%-18s %s", t.Name+":", t.Value)
	}
	return done, nil
}
