package pagetoken

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Scope is what an access token opens.
type Scope string

// UIEvents opens the doors of the bus to a person's own frontend: the events of the
// newest conversation of one client, and what may be said there.
const UIEvents Scope = "ui-events"

// The scopes of programs that ask for actions.
const (
	// AgentBackend asks for actions and follows their results.
	AgentBackend Scope = "agent-backend"
	// AgentFrontend shows the person actions that wait, and reports what they said.
	AgentFrontend Scope = "agent-frontend"
)

// Scopes lists what an access token can open.
func Scopes() []Scope { return []Scope{UIEvents, AgentBackend, AgentFrontend} }

// MostKeys is how many access tokens there may be.
const MostKeys = 32

// keyMark begins the text of every access token, so that it is known for one.
const keyMark = "sui_events_"

// mostKeyName bounds the names of a key and of its client, in characters.
const mostKeyName = 60

// Key is one access token, without its secret. It lives until it is revoked.
type Key struct {
	ID     string `json:"id"`
	Name   string `json:"name"` // the person's word for it
	Scope  Scope  `json:"scope"`
	Client string `json:"client"` // the MCP client whose conversations it may follow
	// Of a token of the scope AgentBackend: Acts lets an action that says so change local
	// lists without asking the person, Reads lets it read the address book.
	Acts   bool      `json:"acts"`
	Reads  bool      `json:"reads"`
	MadeAt time.Time `json:"madeAt"`
	UsedAt time.Time `json:"usedAt"` // zero: never
}

// HeldKey is a key together with the hash of its secret.
type HeldKey struct {
	Hash Hash
	Key
}

// KeyStore keeps access tokens durably.
type KeyStore interface {
	// Keys lists them, the oldest first.
	Keys(ctx context.Context) ([]HeldKey, error)
	// AddKey stores a new one, where there are fewer than most; may is asked in the
	// same transaction.
	AddKey(ctx context.Context, k HeldKey, most int, may func(context.Context) error) error
	// RemoveKey forgets one, false where there is none; may is asked in the same
	// transaction.
	RemoveKey(ctx context.Context, id string, may func(context.Context) error) (bool, error)
	// TouchKey records when one was used last.
	TouchKey(ctx context.Context, id string, at time.Time) error
}

// Keys makes, checks and revokes access tokens.
type Keys struct {
	store KeyStore
	now   func() time.Time
	rand  io.Reader
}

// NewKeys returns Keys over store. rand is a cryptographic source.
func NewKeys(store KeyStore, now func() time.Time, rand io.Reader) *Keys {
	return &Keys{store: store, now: now, rand: rand}
}

// Make stores a new access token. The returned secret is shown once and kept nowhere.
func (k *Keys) Make(ctx context.Context, name, client string, may func(context.Context) error) (Token, Key, error) {
	return k.MakeOf(ctx, Key{Name: name, Client: client, Scope: UIEvents}, may)
}

// MakeOf is Make for a key of any scope. A scope that is none, and a right that is none
// of the scope, are fault.InputInvalid.
func (k *Keys) MakeOf(ctx context.Context, want Key, may func(context.Context) error) (Token, Key, error) {
	name, client := want.Name, want.Client
	//mutant:never ./internal/pagetoken TestScopes
	if !slices.Contains(Scopes(), want.Scope) || want.Scope != AgentBackend && (want.Acts || want.Reads) {
		return Token{}, Key{}, fault.New(fault.InputInvalid, "There is no token of this kind.").With("field", "scope")
	}
	for field, text := range map[string]*string{"name": &name, "client": &client} {
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
		Acts: want.Acts, Reads: want.Reads, MadeAt: k.now()}}
	if err := k.store.AddKey(ctx, held, MostKeys, may); err != nil {
		return Token{}, Key{}, err
	}
	return Token{text: keyMark + secret}, held.Key, nil
}

// Revoke ends an access token at once, also for streams that are open.
func (k *Keys) Revoke(ctx context.Context, id string, may func(context.Context) error) (bool, error) {
	return k.store.RemoveKey(ctx, id, may)
}

// List lists the access tokens, the oldest first.
func (k *Keys) List(ctx context.Context) ([]Key, error) {
	held, err := k.store.Keys(ctx)
	list := make([]Key, 0, len(held))
	for _, h := range held {
		list = append(list, h.Key)
	}
	return list, err
}

// Check returns the key of a presented token, and records its use at most every 15 s.
// Everything that is none is fault.SessionMismatch with the one text of all tokens.
func (k *Keys) Check(ctx context.Context, token string) (Key, error) {
	secret, marked := strings.CutPrefix(token, keyMark)
	hash, ok := hashOf(secret)
	if !marked || !ok {
		return Key{}, unauthorised()
	}
	held, err := k.store.Keys(ctx)
	if err != nil {
		return Key{}, err
	}
	var found *Key
	for i := range held {
		// Every one is compared, so that the time tells neither which nor how many.
		//mutant:never ./internal/pagetoken TestKeys
		if subtle.ConstantTimeCompare(held[i].Hash[:], hash[:]) == 1 {
			found = &held[i].Key
		}
	}
	if found == nil {
		return Key{}, unauthorised()
	}
	if now := k.now(); now.Sub(found.UsedAt) >= touchEvery || found.UsedAt.After(now) {
		if err := k.store.TouchKey(ctx, found.ID, now); err != nil {
			return Key{}, err
		}
	}
	return *found, nil
}
