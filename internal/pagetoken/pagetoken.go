// Package pagetoken controls access to loopback pages. A link carries a one-time code, which a tab
// exchanges for a token.
//
// It decides who may act on which subject and for how long. It does not serve HTTP, knows nothing
// about reviews or wallets, and never stores a secret: its [Store] receives only SHA-256 hashes.
package pagetoken

import (
	"context"
	"strings"
	"time"
)

// Kind is the kind of a page, and the first element of its path, except for the home page.
type Kind string

// The kinds of pages that others link to or open. A page can also declare a kind of its own: the
// server accepts those of its pages.
const (
	Review   Kind = "review"
	Connect  Kind = "connect"
	Settings Kind = "settings"
	// Home is the list of what waits. It has one subject, HomeSubject, and its
	// page has the shortest path, /.
	Home Kind = "home"
	// Account is the page of one account: its subject is the account's address.
	Account Kind = "account"
	// Book is the address book. It has one subject, BookSubject.
	Book Kind = "book"
	// Console is the page for the day of one AI client: its subject is a conversation,
	// and it follows the newest one of the same client.
	Console Kind = "console"
	// Bundle is the page on which a bundle of transactions is approved.
	Bundle Kind = "bundle"
	// Reviews lists past and current requests. It has one subject, ReviewsSubject.
	Reviews Kind = "reviews"
	// Sign is the page on which a member of a multisig account signs. It has one subject, SignSubject.
	Sign Kind = "sign"
	// Session has no page: its pass is the right of one browser, for which passes of all
	// pages are issued. It has one subject, SessionSubject.
	Session Kind = "session"
)

// HomeSubject is the only subject of the home page.
const HomeSubject = "home"

// Subjects of pages whose address has no id.
const (
	BookSubject    = "book"
	ReviewsSubject = "reviews"
	SignSubject    = "sign"
	// SettingsSubject is the settings page of a browser session. A link of a tool has a
	// subject of its own.
	SettingsSubject = "settings"
	SessionSubject  = "browser"
)

// maxKind is the maximum length of a kind.
const maxKind = 20

// Valid reports whether k can be the kind of a page: a word in small letters.
func (k Kind) Valid() bool {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	return k != "" && k != Session && len(k) <= maxKind && strings.Trim(string(k), letters) == ""
}

// lives returns how long a pass of the kind lives without any call, and in all.
func (k Kind) lives() (idle, all time.Duration) {
	switch k {
	case Console:
		return ConsoleIdle, ConsoleLife
	case Session:
		return PassIdle, SessionLife
	}
	return PassIdle, PassLife
}

// Access is what the holder of a pass may do.
type Access string

// The two accesses. Of all live passes of a subject at most one is Active.
const (
	Active   Access = "active"
	ReadOnly Access = "read_only"
)

// Lifetimes and maximum numbers.
const (
	LinkLife = 30 * time.Minute // maximum; a link may have less
	PassIdle = 30 * time.Minute // without any call
	PassLife = 2 * time.Hour    // in all
	// A browser session with all its passes.
	SessionLife = 24 * time.Hour
	// A console stays open for days. It releases no bytes and changes no setting.
	ConsoleIdle = 24 * time.Hour
	ConsoleLife = 7 * 24 * time.Hour
	MostPasses  = 25  // live passes of one subject, of which the one unused longest is dropped
	MostLinks   = 384 // unopened, of one subject; polling every 5 s makes 360 in 30 minutes
)

// Pass is the right of one tab to use the page of one subject. It holds no
// secret and may be shown and logged.
type Pass struct {
	ID         string    `json:"id"`
	Kind       Kind      `json:"kind"`
	Subject    string    `json:"subject"`
	Access     Access    `json:"access"`
	IssuedAt   time.Time `json:"issuedAt"`
	LastUsedAt time.Time `json:"lastUsedAt"`
	ExpiresAt  time.Time `json:"expiresAt"` // the latest; idle passes end earlier
	// Session is the ID of the browser session that the pass ends with; "" if it was issued
	// for a link that opens one page.
	Session string `json:"session"`
}

// Wide reports whether the pass is one of a browser session.
func (p Pass) Wide() bool { return p.Session != "" }

// clockPlay is how far a clock may be set back unnoticed, as time servers do.
const clockPlay = time.Minute

// setBack reports whether the clock was set back since at by more than that. A
// right that was to end at a time of that clock could otherwise live on by as
// much, so it ends.
func setBack(at, now time.Time) bool { return at.Sub(now) > clockPlay }

// live reports whether p may still be used at t.
func (p Pass) live(t time.Time) bool {
	idle, _ := p.Kind.lives()
	if p.Wide() {
		idle = SessionLife // the session's own pass is checked separately
	}
	return t.Before(p.ExpiresAt) && t.Before(p.LastUsedAt.Add(idle)) && !setBack(p.LastUsedAt, t)
}

// live reports whether l may be opened at t, if it was not opened yet.
func (l Link) live(t time.Time) bool { return t.Before(l.ExpiresAt) && !setBack(l.IssuedAt, t) }

// Link is one issued code, by its hash. UsedAt is zero until the exchange. Session is the
// browser session that used it; "" for none.
type Link struct {
	Code      Hash
	IssuedAt  time.Time
	ExpiresAt time.Time
	UsedAt    time.Time
	Session   string
	Own       bool // opening it begins a browser session: the user got it without an AI client
}

// Held is a pass with the hash of its token.
type Held struct {
	Token Hash
	Pass  Pass
}

// Page is all that is remembered of one subject's links and passes. OpenedTwice
// stays once it is set.
type Page struct {
	Kind        Kind
	Subject     string
	OpenedTwice bool
	Links       []Link
	Passes      []Held
}

// Store stores links and passes, with times to the millisecond.
type Store interface {
	// ChangePage loads the page of a subject (empty if there is none), lets law edit it, and stores
	// the difference, in one write transaction that excludes every other process. what goes into
	// the journal; if it is empty, nothing is recorded and nobody is woken. An unchanged page is
	// not written. An error of law rolls back and is returned unchanged.
	ChangePage(ctx context.Context, kind Kind, subject string, law func(*Page) (what string, err error)) error
	// FindPass returns the pass that belongs to a token's hash, false when there
	// is none.
	FindPass(ctx context.Context, token Hash) (Pass, bool, error)
	// FindSession returns the pass of a browser session by its ID, false when there is none.
	FindSession(ctx context.Context, id string) (Held, bool, error)
	// PassesOf lists the passes that were issued for a browser session.
	PassesOf(ctx context.Context, session string) ([]Held, error)
	// TouchPass records the latest use of a pass. An unknown token is not an error.
	TouchPass(ctx context.Context, token Hash, at time.Time) error
	// OpenedTwice reports whether a link of the subject was exchanged twice.
	OpenedTwice(ctx context.Context, kind Kind, subject string) (bool, error)
	// UnopenedLinks counts the usable links of subjects whose first link was issued after a time
	// and that were never opened. Further links of older or opened subjects do not count.
	UnopenedLinks(ctx context.Context, issuedAfter, now time.Time) (int, error)
}
