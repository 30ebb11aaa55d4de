package actions

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// The types of actions.
const (
	AddToken   = "add_token"
	AddChain   = "add_chain"
	GetBook    = "get_address_book"
	AddBook    = "add_address_book"
	DeleteBook = "delete_address_book"
	SignBundle = "sign_transaction_bundle"
)

// Limits of actions.
const (
	MostAtOnce  = 32 // actions in a request, and entries in an action
	MostSteps   = 16 // transactions in a bundle
	MostWaiting = 100
	MostKept    = 10_000
	Kept        = 30 * 24 * time.Hour // how long results are stored
	AskedFor    = 30 * time.Minute    // how long an action waits for the user's decision
	mostID      = 100                 // bytes of an ID
	mostTitle   = 200                 // characters of a title
	mostText    = 2000                // bytes of any other text
)

// Action is a requested action.
type Action struct {
	ID          string          `json:"id,omitempty"`
	Type        string          `json:"type"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Params      json.RawMessage `json:"params"`
	AutoExecute bool            `json:"auto_execute"`
}

// Result is the result of an action.
type Result struct {
	Action   string          `json:"action"`
	ActionID string          `json:"action_id"`
	Success  bool            `json:"success"`
	Data     json.RawMessage `json:"data,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// Error codes of an action as a whole.
const (
	InvalidParams    = "invalid_params"
	UnknownType      = "unknown_action_type"
	UnsupportedChain = "unsupported_chain"
	UserRejected     = "user_rejected"
	Expired          = "expired"
	IDReused         = "action_id_reused"
	NotAllowed       = "not_allowed"      // the caller lacks the permission
	TooMany          = "too_many_waiting" // the caller already has MostWaiting actions that wait for the user
	Failed           = "failed"
)

// Caller identifies the program or AI client that requests an action.
type Caller struct {
	// ID identifies the caller. Action IDs are unique per caller. It is "" for the AI client of
	// this process, whose actions have no IDs and are not stored.
	ID string
	// Client is the AI client whose conversation owns the requests. "" means the client of this
	// process.
	Client string
	Acts   bool // may change local lists with auto_execute, without asking the user
	Reads  bool // may read the address book
}

// Local returns the AI client of this process. Its host asks the user before each call.
func Local() Caller { return Caller{Acts: true, Reads: true} }

// legacy maps earlier names of action types to current ones.
var legacy = map[string]string{
	"add_coin":               AddToken,
	"add_address_book_entry": AddBook, "address_book_add": AddBook,
	"remove_address_book_entry": DeleteBook, "address_book_remove": DeleteBook,
	"sign_tx": SignBundle,
}

// lists maps action types to the names of the members that contain their entries.
var lists = map[string]string{AddToken: "tokens", AddChain: "chains", AddBook: "entries", DeleteBook: "entries",
	SignBundle: "transactions"}

// read parses an action. The returned action has the current type; named is the type as requested.
// word is the error code, or "". The ID is set if it could be read, even if there is an error.
func read(raw json.RawMessage) (a Action, named string, word string) {
	a, err := strictjson.Decode[Action](raw)
	if err != nil {
		var head struct{ ID, Type any }
		_ = json.Unmarshal(raw, &head)
		a.ID, _ = head.ID.(string)
		named, _ = head.Type.(string)
		return Action{ID: plainID(a.ID)}, plainID(named), InvalidParams
	}
	named = plainID(a.Type)
	if a.ID != plainID(a.ID) || utf8.RuneCountInString(a.Title) > mostTitle || len(a.Description) > mostText {
		return Action{ID: plainID(a.ID)}, named, InvalidParams
	}
	if len(a.Params) == 0 || string(a.Params) == "null" {
		a.Params = json.RawMessage(`{}`)
	}
	a.Title, a.Description = screen.Line(a.Title, mostTitle), screen.Line(a.Description, mostText)
	now, old := legacy[a.Type]
	if old {
		a.Type = now
	}
	if _, known := lists[a.Type]; !known && a.Type != GetBook {
		return a, named, UnknownType
	}
	if old || a.Type == AddChain {
		a.Params = wrapped(a.Type, a.Params)
	}
	return a, named, ""
}

// plainID returns s if it is an ID or name that is safe to repeat in a response, otherwise "".
func plainID(s string) string {
	if len(s) > mostID || !utf8.ValidString(s) {
		return ""
	}
	for _, r := range s {
		if r > unicode.MaxASCII || !unicode.IsPrint(r) {
			return ""
		}
	}
	return s
}

// wrapped converts the single object of the earlier form to the current list. It adds missing IDs,
// sequence numbers and the chain to bundle steps.
func wrapped(kind string, params json.RawMessage) json.RawMessage {
	tree, err := strictjson.Tree(params)
	object, ok := tree.Tree.(map[string]any)
	if err != nil || !ok {
		return params
	}
	list, ok := object[lists[kind]].([]any)
	if _, there := object[lists[kind]]; there && !ok {
		return params
	}
	if !ok {
		list, object = []any{object}, map[string]any{}
	}
	if kind == SignBundle {
		for i, v := range list {
			if step, ok := v.(map[string]any); ok {
				list[i] = modern(step, i)
			}
		}
	}
	object[lists[kind]] = list
	b, err := json.Marshal(object)
	if err != nil {
		return params
	}
	return b
}

// ways lists the members that can specify the transaction of a step.
var ways = []string{"keysign_payload", "unsigned_tx_hex", "intent", "review_session_id", "reviewSessionId"}

// modern converts a step of the earlier form, which supported only EVM chains. Members that are not
// used are dropped.
func modern(step map[string]any, i int) map[string]any {
	says := func(name string) bool { return step[name] != nil }
	if chain, ok := step["chain"]; ok && slices.ContainsFunc(ways, says) {
		step["chain"] = chain
	} else {
		kept := map[string]any{"chain": "Ethereum", "keysign_payload": "-"}
		for _, name := range []string{"id", "sequence", "chain"} {
			if v, ok := step[name]; ok {
				kept[name] = v
			}
		}
		step = kept
	}
	if step["id"] == nil {
		step["id"] = "step-" + strconv.Itoa(i)
	}
	if step["sequence"] == nil {
		step["sequence"] = i
	}
	return step
}

// digest returns a hash of an action's type and parameters that does not depend on their
// formatting.
func digest(a Action) [32]byte {
	tree, err := strictjson.Tree(a.Params)
	text, other := json.Marshal(tree.Tree)
	if err != nil || other != nil {
		text = bytes.TrimSpace(a.Params)
	}
	return sha256.Sum256(append([]byte(a.Type+"\n"), text...))
}
