// Package outbox keeps the events of a remote machine's conversations where that machine
// can read them while the person's computer is off. The outbox copies them from the log
// into letters; the mirror at the other end is a reader of the bus over these letters.
//
// A letter says that something happened and which task, request or transaction it is
// about. It has no amounts, addresses, links or words of anybody: those are read from the
// person's program when it is there.
package outbox

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
)

// Letter is one event of a remote's conversation as it is kept elsewhere. One without a
// type only names the log, with which the letters behind it begin.
type Letter struct {
	Log     string    `json:"log"`     // the id of the log
	Run     string    `json:"run"`     // of letters, since the stream was made or emptied
	Network string    `json:"network"` // of the person's program
	Seq     bus.Seq   `json:"seq"`     // of the event in the log, 0 for none
	At      time.Time `json:"at"`
	// Prev is the place of the event before it that the same conversation's agent was told,
	// also of one that the log does not have any more. By it a reader notices a gap.
	Prev    bus.Seq         `json:"prev,omitempty"`
	Session string          `json:"session,omitempty"`
	Type    bus.Type        `json:"type,omitempty"`
	Subject string          `json:"subject,omitempty"` // "task/<id>" or nothing
	Payload json.RawMessage `json:"payload,omitempty"` // what reduced left of the event
}

// ReadThere stands where an event has words or values that stay on the person's machine.
const ReadThere = "the rest is read when the person's machine is on"

// What may be in a letter besides constants of this program.
var (
	someID     = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)
	someTool   = regexp.MustCompile(`^[a-z_]{1,40}(\.[a-z_]{1,60})?$`)
	someCode   = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)
	someDigest = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{32,50}$`)
)

func only(form *regexp.Regexp, text string) string {
	if form.MatchString(text) {
		return text
	}
	return ""
}

// letterOf writes the letter of an event, with nothing of it but what is named here.
func letterOf(e bus.Outgoing, log, network string) (Letter, error) {
	l := Letter{Log: log, Network: network, Seq: e.Seq, At: e.At.UTC(), Prev: e.Prev, Session: only(someID, e.Session)}
	if id, ok := strings.CutPrefix(e.Subject, "task/"); ok && someID.MatchString(id) {
		l.Subject = e.Subject
	}
	body, err := bus.Decode(e.Payload)
	if err != nil {
		body = nil // it is told that something happened
	}
	kept := reduced(body, e.Type)
	l.Type = kept.Tag()
	l.Payload, err = bus.Encode(kept)
	return l, err
}

// reduced returns what a letter says of an event.
func reduced(b bus.Body, t bus.Type) bus.Body {
	there, _ := json.Marshal(ReadThere) // a string always encodes
	switch v := b.(type) {
	case bus.ToolResult:
		out := bus.ToolResult{TaskID: only(someID, v.TaskID), ToolName: only(someTool, v.ToolName), Result: there}
		if v.Error != nil {
			code, _, _ := strings.Cut(*v.Error, ":")
			if code = only(someCode, code); code == "" {
				code = ReadThere
			}
			out.Error, out.Result = &code, json.RawMessage("null")
		}
		return out
	case bus.WalletTxResponse:
		out := bus.WalletTxResponse{Status: v.Status, RequestID: only(someID, v.RequestID), Claimed: v.Claimed}
		if v.TxHash != nil && !v.Claimed && someDigest.MatchString(*v.TxHash) { // the chain has it
			out.TxHash = v.TxHash
		}
		if v.Status != bus.Confirmed || out.TxHash != nil {
			return out
		}
	case bus.AsyncUpdate:
		return update(reducedValue(v.Read()))
	case bus.SystemError:
		return bus.SystemError{Message: "the person's program reported an error: " + ReadThere, LLMNotify: true}
	}
	return update(bus.OrderChanged{Message: "an event of the type " + string(t) + " happened: " + ReadThere})
}

// update is an update of which the agent hears.
func update(v bus.Value) bus.Body {
	told, _ := bus.Update(v, true) // strings and booleans always encode
	return told
}

// reducedValue keeps the kind of a value and the names in it.
func reducedValue(v bus.Value) bus.Value {
	switch v := v.(type) {
	case bus.CallResult:
		out := bus.CallResult{Tool: only(someTool, v.Tool), Call: only(someID, v.Call)}
		out.Result.OK = v.Result.OK
		out.Result.Value, _ = json.Marshal(ReadThere) // a string always encodes
		return out
	case bus.UserNote:
		return bus.UserNote{Message: ReadThere}
	case bus.Interrupt:
		return v
	case bus.OrderChanged:
		return bus.OrderChanged{Message: "an order in the book changed: " + ReadThere}
	case bus.BundleStep:
		return bus.BundleStep{Message: "a step of a bundle changed after it was reported: " + ReadThere}
	case bus.WalletReported:
		return bus.WalletReported{Status: only(someCode, v.Status), TxHash: ReadThere}
	}
	return bus.OrderChanged{Message: "something changed: " + ReadThere}
}

// event is the letter's event as readers of the bus have it.
func (l Letter) event() bus.Event {
	return bus.Event{Seq: l.Seq, At: l.At, Type: l.Type, Subject: l.Subject, Session: l.Session, Audience: bus.Agent,
		Payload: l.Payload}
}
