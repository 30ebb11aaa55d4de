package bus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Value is the content of an AsyncUpdate or an InlineDisplay. On the wire it is an object whose
// member "type" is its kind. A new kind consists of a Go type, its method kind and its texts for
// the agent and the user, all in this file. The kind of an update also needs an entry in
// valueReaders.
type Value interface{ kind() string }

// ForAgent is implemented by values with a message for the agent.
type ForAgent interface{ Agent() string }

// ForUser is implemented by values that pages list among recent events. agents reports whether the
// update notifies the agent. text is this program's own text, and quote is text from others. If
// text is "", the value is not listed.
type ForUser interface {
	User(agents bool) (text, quote string)
}

// Values of updates. This program writes their messages, except in a UserNote.
type (
	// CallResult is the result of a tool call that returned before the result was available.
	CallResult struct {
		Tool   string `json:"tool_name"`
		Call   string `json:"call_id"`
		Result struct {
			OK    bool            `json:"ok"`
			Value json.RawMessage `json:"value"`
		} `json:"result"`
	}
	// UserNote is a note from the user to the agent.
	UserNote struct {
		Message string `json:"message"`
	}
	// Interrupt reports that the user asks the agent to stop.
	Interrupt struct{}
	// OrderChanged reports a change of a resting order.
	OrderChanged struct {
		Status  string `json:"status,omitempty"`
		Message string `json:"message"`
		Pool    string `json:"pool,omitempty"`
		Order   string `json:"order_id,omitempty"`
		Manager string `json:"manager,omitempty"`
	}
	// BundleStep reports the result of a step in a bundle that arrived after the result of the
	// bundle.
	BundleStep struct {
		Bundle  string `json:"bundle_id,omitempty"`
		Step    string `json:"step_id,omitempty"`
		Status  string `json:"status,omitempty"`
		TxHash  string `json:"tx_hash"`
		Message string `json:"message"`
	}
	// Earlier summarizes events that the client's earlier conversation did not receive, in one
	// line.
	Earlier struct {
		Message string `json:"message"`
		Bus     string `json:"bus"`
	}
	// WalletReported is a page's report of a transaction that the chain has not confirmed.
	WalletReported struct {
		Status string `json:"status"`
		TxHash string `json:"tx_hash"`
	}
)

// Values of displays.
type (
	// Modified reports which of the user's lists changed.
	Modified struct {
		Areas []string `json:"areas"`
	}
	// Approval reports that a bundle is waiting for the user's approval.
	Approval struct {
		Bundle  string `json:"bundle_id"`
		Task    string `json:"task_id"`
		Steps   int    `json:"steps"`
		Message string `json:"message"`
	}
	// Password reports that the user may have to unlock their wallet.
	Password struct {
		Bundle  string `json:"bundle_id"`
		Message string `json:"message"`
	}
	// Diff reports that a change of a file was proposed or ended.
	Diff struct {
		ID      string `json:"id"`
		Project string `json:"project"`
		Path    string `json:"path"`
		State   string `json:"state"`
	}
	// Prompt is a question to the user.
	Prompt struct {
		Request string `json:"request_id"`
		Kind    string `json:"kind"`
		Question
	}
)

func (CallResult) kind() string     { return "tool_async_result" }
func (UserNote) kind() string       { return "user_note" }
func (Interrupt) kind() string      { return "interrupt" }
func (OrderChanged) kind() string   { return "order_changed" }
func (BundleStep) kind() string     { return "bundle_step" }
func (Earlier) kind() string        { return "earlier_conversation" }
func (WalletReported) kind() string { return "wallet_reported" }
func (Modified) kind() string       { return "vault_modified" }
func (Approval) kind() string       { return "tx_bundle_approval" }
func (Password) kind() string       { return "password_required" }
func (Diff) kind() string           { return "diff" }
func (Prompt) kind() string         { return PromptKind }

// valueReaders decode the values of updates, by kind.
var valueReaders = map[string]func(json.RawMessage) Value{
	CallResult{}.kind(): readValue[CallResult], UserNote{}.kind(): readValue[UserNote],
	Interrupt{}.kind(): readValue[Interrupt], OrderChanged{}.kind(): readValue[OrderChanged],
	BundleStep{}.kind(): readValue[BundleStep], Earlier{}.kind(): readValue[Earlier],
	WalletReported{}.kind(): readValue[WalletReported],
}

// Agent implements ForAgent.
func (v CallResult) Agent() string {
	how := "failed"
	if v.Result.OK {
		how = "completed"
	}
	return fmt.Sprintf("Tool %s (task %s) %s: %s", v.Tool, v.Call, how, cutTo(string(v.Result.Value), moreOfCall))
}

// Agent implements ForAgent.
func (v UserNote) Agent() string { return "note from the user: " + cut(v.Message) }

// User implements ForUser.
func (v UserNote) User(bool) (text, quote string) {
	return "Your note to the AI client", screen.Line(v.Message, MostNote)
}

// Agent implements ForAgent.
func (Interrupt) Agent() string { return "the user asks to stop" }

// Agent implements ForAgent.
func (v OrderChanged) Agent() string { return cut(v.Message) }

// User implements ForUser. It ignores the update that notifies the agent, because pages receive a
// second one.
func (v OrderChanged) User(agents bool) (text, quote string) {
	if agents {
		return "", ""
	}
	return screen.Line(v.Message, MostNote), ""
}

// Agent implements ForAgent.
func (v BundleStep) Agent() string { return cut(v.Message) }

// User implements ForUser.
func (v BundleStep) User(bool) (text, quote string) {
	text = screen.Line(v.Message, MostNote)
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text + ".", ""
}

// Agent implements ForAgent.
func (v Earlier) Agent() string { return cut(v.Message) }

// Agent implements ForAgent.
func (v WalletReported) Agent() string {
	return "tx reported as " + cut(v.Status) + ", not yet confirmed by the chain: " + cut(v.TxHash)
}

func readValue[V Value](text json.RawMessage) Value {
	var v V
	if json.Unmarshal(text, &v) != nil {
		return nil
	}
	return v
}

// Update returns an AsyncUpdate with a value. If notify is set, the update notifies the agent.
func Update(v Value, notify bool) (AsyncUpdate, error) {
	text, err := write(kindOf(v), v, struct {
		Notify bool `json:"llm_notify"`
	}{notify})
	return AsyncUpdate{text}, err
}

// Display returns an InlineDisplay with a value.
func Display(v Value) (InlineDisplay, error) {
	text, err := write(kindOf(v), v)
	return InlineDisplay{text}, err
}

func kindOf(v Value) any {
	return struct {
		Type string `json:"type"`
	}{v.kind()}
}

// write encodes the members of several objects as one object. It does not escape HTML characters.
func write(objects ...any) (json.RawMessage, error) {
	var members [][]byte
	for _, o := range objects {
		whole, err := strictjson.Encode(o)
		if err != nil {
			return nil, err
		}
		if inside := whole[1 : len(whole)-1]; len(inside) > 0 {
			members = append(members, inside)
		}
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), nil
}

// Read returns the value of an update, or nil if its kind is unknown.
func (u AsyncUpdate) Read() Value {
	var v struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(u.Value, &v) != nil || valueReaders[v.Type] == nil {
		return nil
	}
	return valueReaders[v.Type](u.Value)
}

// Notifies reports whether the update notifies the agent.
func (u AsyncUpdate) Notifies() bool {
	var v struct {
		Notify bool `json:"llm_notify"`
	}
	return json.Unmarshal(u.Value, &v) == nil && v.Notify
}
