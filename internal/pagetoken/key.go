package pagetoken

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Scope is what an access token permits.
type Scope string

// UIEvents lets a user's own frontend follow the newest conversation of one client and post to it.
const UIEvents Scope = "ui-events"

// The scopes of programs that request actions.
const (
	// AgentBackend requests actions and follows their results.
	AgentBackend Scope = "agent-backend"
	// AgentFrontend shows waiting actions to the user and reports the user's answers.
	AgentFrontend Scope = "agent-frontend"
)

// The scopes of peers in the WebSocket tool protocol.
const (
	// Editor executes calls of this program on its own projects.
	Editor Scope = "ide"
	// SocketBackend sends calls, which this program executes on its projects.
	SocketBackend Scope = "ws-backend"
)

// AIClient connects an AI client over HTTP. Its token is bound to no existing client, because the
// token itself identifies one.
const AIClient Scope = "ai-client"

// Scopes lists the scopes of access tokens.
func Scopes() []Scope {
	return []Scope{UIEvents, AgentBackend, AgentFrontend, Editor, SocketBackend, AIClient}
}

// follows reports whether the tokens of a scope are bound to an AI client.
func (s Scope) follows() bool { return !s.Socket() && s != AIClient }

// Socket reports whether a scope is for peers in the WebSocket tool protocol. Tokens of these
// scopes are bound to projects.
func (s Scope) Socket() bool { return s == Editor || s == SocketBackend }

// MostKeyProjects is the maximum number of projects to which one token can be bound.
const MostKeyProjects = 32

// MostKeys is the maximum number of access tokens.
const MostKeys = 32

// keyMark is the prefix of every access token, so that users and scanners recognize one.
const keyMark = "sui_events_"

// mostKeyName is the maximum length of the names of a key and its client, in characters.
const mostKeyName = 60

// Key is one access token, without its secret. It lives until it is revoked.
type Key struct {
	ID     string `json:"id"`
	Name   string `json:"name"` // chosen by the user
	Scope  Scope  `json:"scope"`
	Client string `json:"client"` // MCP client whose conversations it may follow
	// For a token with the scope AgentBackend: Acts lets actions that request it change local lists
	// without asking the user, and Reads lets it read the address book. For SocketBackend: Acts
	// lets it change files, if the project allows that at all.
	Acts  bool `json:"acts"`
	Reads bool `json:"reads"`
	// For a token with Scope.Socket: the keys of its projects, sorted, and the only web origin that
	// may use it. Origin is "" for programs other than web pages.
	Projects []string `json:"projects,omitempty"`
	Origin   string   `json:"origin,omitempty"`

	MadeAt time.Time `json:"madeAt"`
	UsedAt time.Time `json:"usedAt"` // zero: never used
}

// HeldKey is a key with the hash of its secret.
type HeldKey struct {
	Hash Hash
	Key
}

// KeyStore stores access tokens.
type KeyStore interface {
	// Keys lists the access tokens, oldest first.
	Keys(ctx context.Context) ([]HeldKey, error)
	// AddKey stores a new key unless there are already most keys. may is checked in the same
	// transaction.
	AddKey(ctx context.Context, k HeldKey, most int, may func(context.Context) error) error
	// RemoveKey deletes a key. It returns false if there is none. may is checked in the same
	// transaction.
	RemoveKey(ctx context.Context, id string, may func(context.Context) error) (bool, error)
	// TouchKey records the last use of a key.
	TouchKey(ctx context.Context, id string, at time.Time) error
}

// Keys creates, checks and revokes access tokens.
type Keys struct {
	store KeyStore
	now   func() time.Time
	rand  io.Reader
}

// NewKeys returns Keys over store. rand is a cryptographic source.
func NewKeys(store KeyStore, now func() time.Time, rand io.Reader) *Keys {
	return &Keys{store: store, now: now, rand: rand}
}

// Make stores a new access token. The returned secret is shown once and not stored.
func (k *Keys) Make(ctx context.Context, name, client string, may func(context.Context) error) (Token, Key, error) {
	return k.MakeOf(ctx, Key{Name: name, Client: client, Scope: UIEvents}, may)
}

// MakeOf is Make for a key of any scope. It returns fault.InputInvalid for an unknown scope, and
// for permissions that the scope does not have.
func (k *Keys) MakeOf(ctx context.Context, want Key, may func(context.Context) error) (Token, Key, error) {
	name, client := want.Name, want.Client
	//mutant:never ./internal/pagetoken TestScopes
	if !want.possible() {
		return Token{}, Key{}, fault.New(fault.InputInvalid, "There is no token of this kind.").With("field", "scope")
	}
	texts := map[string]*string{"name": &name, "client": &client}
	var err error
	if !want.Scope.follows() {
		delete(texts, "client")
	}
	if want.Scope.Socket() {
		if want.Projects, want.Origin, err = bound(want.Projects, want.Origin); err != nil {
			return Token{}, Key{}, err
		}
	}
	for field, text := range texts {
		*text = strings.TrimSpace(*text)
		if *text == "" || utf8.RuneCountInString(*text) > mostKeyName ||
			strings.ContainsFunc(*text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return Token{}, Key{}, fault.New(fault.InputInvalid, "The %s is one line of 1 to %d plain characters.", field,
				mostKeyName).With("field", field)
		}
	}
	secret, err := random(k.rand, secretBytes)
	id := ""
	if err == nil {
		id, err = random(k.rand, 9)
	}
	if err != nil {
		return Token{}, Key{}, fault.Wrap(err, fault.InternalError, "This machine gave no random numbers; no token was made.")
	}
	held := HeldKey{sha256.Sum256([]byte(secret)), Key{ID: id, Name: name, Scope: want.Scope, Client: client,
		Acts: want.Acts, Reads: want.Reads, Projects: want.Projects, Origin: want.Origin, MadeAt: k.now()}}
	if err := k.store.AddKey(ctx, held, MostKeys, may); err != nil {
		return Token{}, Key{}, err
	}
	return Token{text: keyMark + secret}, held.Key, nil
}

// possible reports whether the scope and permissions are a valid combination.
func (k Key) possible() bool {
	switch {
	case !slices.Contains(Scopes(), k.Scope):
		return false
	case k.Reads && k.Scope != AgentBackend, k.Acts && k.Scope != AgentBackend && k.Scope != SocketBackend:
		return false
	}
	return (k.Scope.Socket() || len(k.Projects) == 0) && (k.Origin == "" || k.Scope.Socket()) &&
		(k.Client == "" || k.Scope.follows())
}

var projectForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// bound returns projects and origin in the form in which they are stored.
func bound(projects []string, origin string) ([]string, string, error) {
	projects = slices.Compact(slices.Sorted(slices.Values(projects)))
	for _, key := range projects {
		if !projectForm.MatchString(key) {
			return nil, "", fault.New(fault.InputInvalid, "This is not a project key.").With("field", "projects")
		}
	}
	//mutant:never ./internal/pagetoken TestSocketKeys
	if len(projects) == 0 || len(projects) > MostKeyProjects {
		return nil, "", fault.New(fault.InputInvalid, "Choose 1 to %d projects that the token is for.",
			MostKeyProjects).With("field", "projects")
	}
	if origin = strings.TrimSpace(origin); origin != "" && !ValidOrigin(origin) {
		return nil, "", fault.New(fault.InputInvalid, "Write the origin of the web page as a browser does, without a path: "+
			"https://editor.example or http://127.0.0.1:3000.").With("field", "origin")
	}
	return projects, origin, nil
}

// ValidOrigin reports whether text is an origin exactly as browsers write it: scheme, host in lower
// case, and a port unless it is the scheme's default.
func ValidOrigin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || len(text) > mostOrigin || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" ||
		text != u.Scheme+"://"+u.Host || text != strings.ToLower(text) || strings.ContainsAny(u.Host, "*%") {
		return false
	}
	return !strings.HasSuffix(u.Host, ":") && u.Port() != map[string]string{"https": "443", "http": "80"}[u.Scheme]
}

// mostOrigin is the maximum length of an origin in bytes.
const mostOrigin = 200

// Revoke revokes an access token immediately, which also ends its open streams.
func (k *Keys) Revoke(ctx context.Context, id string, may func(context.Context) error) (bool, error) {
	return k.store.RemoveKey(ctx, id, may)
}

// List lists the access tokens, oldest first.
func (k *Keys) List(ctx context.Context) ([]Key, error) {
	held, err := k.store.Keys(ctx)
	list := make([]Key, 0, len(held))
	for _, h := range held {
		list = append(list, h.Key)
	}
	return list, err
}

// Find returns the key with an id. It returns false if there is none. It records no use.
func (k *Keys) Find(ctx context.Context, id string) (Key, bool, error) {
	held, err := k.store.Keys(ctx)
	for _, h := range held {
		if h.ID == id {
			return h.Key, true, err
		}
	}
	return Key{}, false, err
}

// noKey returns the same error for every invalid access token. On routes for both programs and
// pages, a page whose token is no longer valid also gets it.
func noKey() error {
	return fault.New(fault.SessionMismatch,
		"This token is wrong, expired or revoked. A program needs an access token: make one on the "+
			"settings page, under “Access for your own programs”. A page needs a new link.")
}

// Check returns the key of a token. It records the use at most every 15 seconds. For an invalid
// token, it returns fault.SessionMismatch with the same text for all reasons.
func (k *Keys) Check(ctx context.Context, token string) (Key, error) {
	secret, marked := strings.CutPrefix(token, keyMark)
	hash, ok := hashOf(secret)
	if !marked || !ok {
		return Key{}, noKey()
	}
	held, err := k.store.Keys(ctx)
	if err != nil {
		return Key{}, err
	}
	var found *Key
	for i := range held {
		// All are compared, so that the time reveals neither which one matches nor their number.
		//mutant:never ./internal/pagetoken TestKeys
		if subtle.ConstantTimeCompare(held[i].Hash[:], hash[:]) == 1 {
			found = &held[i].Key
		}
	}
	if found == nil {
		return Key{}, noKey()
	}
	if now := k.now(); now.Sub(found.UsedAt) >= touchEvery || found.UsedAt.After(now) {
		if err := k.store.TouchKey(ctx, found.ID, now); err != nil {
			return Key{}, err
		}
	}
	return *found, nil
}
