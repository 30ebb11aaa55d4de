package bus

import (
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Type identifies the kind of an event.
type Type string

// Types defined in the specification.
const (
	TypeSystemNotice      Type = "SystemNotice"
	TypeSystemError       Type = "SystemError"
	TypeBackendConnecting Type = "BackendConnecting"
	TypeBackendConnected  Type = "BackendConnected"
	TypeMissingAPIKey     Type = "MissingApiKey"
	TypeWalletTxRequest   Type = "WalletTxRequest"
	TypeWalletTxResponse  Type = "WalletTxResponse"
	TypeToolProgress      Type = "ToolProgress"
	TypeToolResult        Type = "ToolResult"
	TypeAsyncUpdate       Type = "AsyncUpdate"
	TypeInlineDisplay     Type = "InlineDisplay"
	TypeUserRequest       Type = "UserRequest"
	TypeUserResponse      Type = "UserResponse"
)

// Types of changes of stored data. They wake waiting calls and page streams, and are never sent to
// clients or pages.
const (
	TypeReviewChanged   Type = "review.changed"
	TypeReviewReleased  Type = "review.released" // bytes were released to a wallet
	TypeReviewSettled   Type = "review.settled"  // the chain's receipt was stored
	TypeIdentityChanged Type = "identity.changed"
	TypeAccountChanged  Type = "account.changed"
	TypeSettingsChanged Type = "settings.changed"
	TypeListChanged     Type = "list.changed" // a list changed other than by a change of one review
	TypeAllReplaced     Type = "all.replaced" // everything was erased or restored
	TypePageChanged     Type = "page.changed" // access to a page changed
	// TypeRecorded is an entry in the record of requests, which is never trimmed.
	TypeRecorded Type = "record.entry"
)

// inside lists the types whose audience is Inside.
var inside = []Type{TypeReviewChanged, TypeReviewReleased, TypeReviewSettled, TypeIdentityChanged,
	TypeAccountChanged, TypeSettingsChanged, TypeListChanged, TypeAllReplaced, TypePageChanged,
	TypeRecorded}

// Body is the content of an event.
type Body interface {
	// Tag returns the type of the event.
	Tag() Type
}

// Bodies of events, with the members of the specification.
type (
	// SystemNotice is a message to the user.
	SystemNotice struct {
		Message string `json:"message"`
	}
	// SystemError is an error shown to the user and, if LLMNotify is set, to the agent.
	SystemError struct {
		Message   string `json:"message"`
		LLMNotify bool   `json:"llm_notify,omitempty"`
	}
	// BackendConnecting reports that a node is being queried.
	BackendConnecting struct {
		Message string `json:"message"`
	}
	// BackendConnected reports that a node answered.
	BackendConnected struct{}
	// MissingAPIKey reports that a configured server requires credentials.
	MissingAPIKey struct{}
	// WalletTxRequest asks the user to sign. Its payload describes the transaction and contains no
	// bytes.
	WalletTxRequest struct {
		Payload json.RawMessage `json:"payload"`
	}
	// WalletTxResponse reports the outcome of a wallet request.
	WalletTxResponse struct {
		Status    WalletStatus `json:"status"`
		TxHash    *string      `json:"tx_hash"`
		Detail    *string      `json:"detail"`
		RequestID string       `json:"request_id,omitempty"`
		// Claimed reports that a client reported the outcome, which the chain has not confirmed.
		Claimed bool `json:"claimed,omitempty"`
	}
	// ToolProgress reports the progress of a task.
	ToolProgress struct {
		TaskID   string   `json:"task_id"`
		ToolName string   `json:"tool_name"`
		Stage    string   `json:"stage"`
		Progress *float64 `json:"progress,omitempty"` // 0 to 1
		Message  *string  `json:"message,omitempty"`
	}
	// ToolResult reports the end of a task.
	ToolResult struct {
		TaskID   string          `json:"task_id"`
		ToolName string          `json:"tool_name"`
		Result   json.RawMessage `json:"result"`
		Error    *string         `json:"error"`
	}
	// AsyncUpdate carries a value; see Value.
	AsyncUpdate struct {
		Value json.RawMessage `json:"value"`
	}
	// InlineDisplay carries a value for pages to show; see Value.
	InlineDisplay struct {
		Value json.RawMessage `json:"value"`
	}
	// UserRequest is a request that a page sends to the program.
	UserRequest struct {
		RequestID *string         `json:"request_id,omitempty"`
		Kind      string          `json:"kind"`
		Payload   json.RawMessage `json:"payload"`
	}
	// UserResponse is the response to a UserRequest.
	UserResponse struct {
		RequestID *string         `json:"request_id"`
		Kind      string          `json:"kind"`
		Payload   json.RawMessage `json:"payload"`
		Error     *string         `json:"error"`
	}
)

// WalletStatus is the outcome of a wallet request.
type WalletStatus string

// The statuses in the specification.
const (
	Confirmed WalletStatus = "confirmed"
	Rejected  WalletStatus = "rejected"
	Failed    WalletStatus = "failed"
)

// Tag implements Body.
func (SystemNotice) Tag() Type { return TypeSystemNotice }

// Tag implements Body.
func (SystemError) Tag() Type { return TypeSystemError }

// Tag implements Body.
func (BackendConnecting) Tag() Type { return TypeBackendConnecting }

// Tag implements Body.
func (BackendConnected) Tag() Type { return TypeBackendConnected }

// Tag implements Body.
func (MissingAPIKey) Tag() Type { return TypeMissingAPIKey }

// Tag implements Body.
func (WalletTxRequest) Tag() Type { return TypeWalletTxRequest }

// Tag implements Body.
func (WalletTxResponse) Tag() Type { return TypeWalletTxResponse }

// Tag implements Body.
func (ToolProgress) Tag() Type { return TypeToolProgress }

// Tag implements Body.
func (ToolResult) Tag() Type { return TypeToolResult }

// Tag implements Body.
func (AsyncUpdate) Tag() Type { return TypeAsyncUpdate }

// Tag implements Body.
func (InlineDisplay) Tag() Type { return TypeInlineDisplay }

// Tag implements Body.
func (UserRequest) Tag() Type { return TypeUserRequest }

// Tag implements Body.
func (UserResponse) Tag() Type { return TypeUserResponse }

// readers decode the members of each type except the type itself.
var readers = map[Type]func([]byte) (Body, error){
	TypeSystemNotice:      read[SystemNotice],
	TypeSystemError:       read[SystemError],
	TypeBackendConnecting: read[BackendConnecting],
	TypeBackendConnected:  read[BackendConnected],
	TypeMissingAPIKey:     read[MissingAPIKey],
	TypeWalletTxRequest:   read[WalletTxRequest],
	TypeWalletTxResponse:  read[WalletTxResponse],
	TypeToolProgress:      read[ToolProgress],
	TypeToolResult:        read[ToolResult],
	TypeAsyncUpdate:       read[AsyncUpdate],
	TypeInlineDisplay:     read[InlineDisplay],
	TypeUserRequest:       read[UserRequest],
	TypeUserResponse:      read[UserResponse],
}

func read[B Body](members []byte) (Body, error) { return strictjson.Decode[B](members) }

// Encode returns a body as a JSON object with its type.
func Encode(b Body) (json.RawMessage, error) {
	members, err := strictjson.Encode(b)
	if err != nil {
		return nil, err
	}
	rest := members[1:]
	out := append([]byte(`{"type":"`), b.Tag()...)
	out = append(out, '"')
	if len(rest) > 1 {
		out = append(out, ',')
	}
	return append(out, rest...), nil
}

// Decode strictly decodes a JSON object with a type. It returns fault.InputInvalid if that fails or
// the type is unknown.
func Decode(data []byte) (Body, error) {
	if err := strictjson.Check(data); err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	var tag Type
	if json.Unmarshal(data, &members) != nil || json.Unmarshal(members["type"], &tag) != nil {
		return nil, fault.New(fault.InputInvalid, "An event must be an object with a type.")
	}
	reader := readers[tag]
	if reader == nil {
		return nil, fault.New(fault.InputInvalid, "Unknown event type %q.", screen.Text(string(tag), 100).Text)
	}
	delete(members, "type")
	rest, err := json.Marshal(members)
	if err != nil {
		return nil, fault.Wrap(err, fault.InputInvalid, "The event cannot be read.")
	}
	body, err := reader(rest)
	if err != nil {
		return nil, err
	}
	return body, complete(body)
}

// complete returns an error if a required member is missing.
func complete(b Body) error {
	missing := ""
	switch v := b.(type) {
	case WalletTxResponse:
		switch v.Status {
		case Confirmed, Rejected, Failed:
		default:
			return fault.New(fault.InputInvalid, "The status of a wallet response must be confirmed, rejected or failed.")
		}
		if v.Status == Confirmed && (v.TxHash == nil || *v.TxHash == "") {
			missing = "tx_hash"
		}
	case UserRequest:
		if v.Kind == "" {
			missing = "kind"
		}
	case UserResponse:
		if v.Kind == "" {
			missing = "kind"
		}
	case ToolProgress:
		if v.TaskID == "" || v.Stage == "" {
			missing = "task_id or stage"
		} else if v.Progress != nil && (*v.Progress < 0 || *v.Progress > 1) {
			return fault.New(fault.InputInvalid, "Progress must be from 0 to 1.")
		}
	case ToolResult:
		if v.TaskID == "" {
			missing = "task_id"
		}
	}
	if missing != "" {
		return fault.New(fault.InputInvalid, "%s needs %s.", b.Tag(), missing)
	}
	return nil
}
