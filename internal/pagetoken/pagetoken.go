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

// The kinds of pages to which other pages link. A page can also declare its own kind: the server
// accepts those of its pages.
const (
	Review   Kind = "review"
	Connect  Kind = "connect"
	Settings Kind = "settings"
	// Home is the home page, which lists pending requests. Its path is /. It has one subject,
	// HomeSubject.
	Home Kind = "home"
	// Account is the page of one account. Its subject is the account's address.
	Account Kind = "account"
	// Book is the page of the address book. It has one subject, BookSubject.
	Book Kind = "book"
	// Console is the page of one AI client. Its subject is a conversation, and the page follows the
	// newest one of the same client.
	Console Kind = "console"
	// Bundle is the page on which the user approves a bundle of transactions.
	Bundle Kind = "bundle"
	// Reviews lists past and current requests. It has one subject, ReviewsSubject.
	Reviews Kind = "reviews"
	// Sign is the page on which a member of a multisig account signs. It has one subject, SignSubject.
	Sign Kind = "sign"
	// Session is the kind of browser sessions, which have no page. The pass of a session permits
	// issuing passes for all pages. It has one subject, SessionSubject.
	Session Kind = "session"
)

// HomeSubject is the only subject of the home page.
const HomeSubject = "home"

// Subjects of pages whose address contains no id.
const (
	BookSubject    = "book"
	ReviewsSubject = "reviews"
	SignSubject    = "sign"
	// SettingsSubject is the settings page in a browser session. A link from a tool has its own
	// subject.
	SettingsSubject = "settings"
	SessionSubject  = "browser"
)

// maxKind is the maximum length of a kind.
const maxKind = 20

// Valid reports whether k can be the kind of a page: a word in lower case.
func (k Kind) Valid() bool {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	return k != "" && k != Session && len(k) <= maxKind && strings.Trim(string(k), letters) == ""
}

// lives returns how long a pass of the kind is valid without any call, and in total.
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

// The two kinds of access. At most one live pass of a subject is Active.
const (
	Active   Access = "active"
	ReadOnly Access = "read_only"
)

// Lifetimes and maximum numbers.
const (
	LinkLife = 30 * time.Minute // maximum; a link can have a shorter life
	PassIdle = 30 * time.Minute // without a call
	PassLife = 2 * time.Hour    // in total
	// Lifetime of a browser session, including all its passes.
	SessionLife = 24 * time.Hour
	// A console can stay open for days. It releases no bytes and changes no setting.
	ConsoleIdle = 24 * time.Hour
	ConsoleLife = 7 * 24 * time.Hour
	MostPasses  = 25  // live passes per subject, of which the least recently used one is dropped
	MostLinks   = 384 // unopened links per subject; polling every 5 s makes 360 in 30 minutes
)

// Pass is the right of one tab to use the page of one subject. It contains no secret, and may be
// shown and logged.
type Pass struct {
	ID         string    `json:"id"`
	Kind       Kind      `json:"kind"`
	Subject    string    `json:"subject"`
	Access     Access    `json:"access"`
	IssuedAt   time.Time `json:"issuedAt"`
	LastUsedAt time.Time `json:"lastUsedAt"`
	ExpiresAt  time.Time `json:"expiresAt"` // latest possible end; idle passes end earlier
	// Session is the ID of the browser session with which the pass ends. It is "" if the pass was
	// issued for a link that opens one page.
	Session string `json:"session"`
}

// Wide reports whether the pass belongs to a browser session.
func (p Pass) Wide() bool { return p.Session != "" }

// clockPlay is how far a clock may be set back without effect. Time servers make such corrections.
const clockPlay = time.Minute

// setBack reports whether the clock was set back by more than clockPlay since at. A right that was
// issued before then ends, because it would otherwise last longer than intended.
func setBack(at, now time.Time) bool { return at.Sub(now) > clockPlay }

// live reports whether p can be used at t.
func (p Pass) live(t time.Time) bool {
	idle, _ := p.Kind.lives()
	if p.Wide() {
		idle = SessionLife // the session's own pass is checked separately
	}
	return t.Before(p.ExpiresAt) && t.Before(p.LastUsedAt.Add(idle)) && !setBack(p.LastUsedAt, t)
}

// live reports whether l can still be opened at t. It does not check UsedAt.
func (l Link) live(t time.Time) bool { return t.Before(l.ExpiresAt) && !setBack(l.IssuedAt, t) }

// Link is an issued code, identified by its hash. UsedAt is zero until the exchange. Session is the
// browser session that used it, or "".
type Link struct {
	Code      Hash
	IssuedAt  time.Time
	ExpiresAt time.Time
	UsedAt    time.Time
	Session   string
	Own       bool // opening it begins a browser session, because it reached the user without an AI client
}

// Held is a pass with the hash of its token.
type Held struct {
	Token Hash
	Pass  Pass
}

// Page is the state of one subject's links and passes. OpenedTwice is never reset.
type Page struct {
	Kind        Kind
	Subject     string
	OpenedTwice bool
	Links       []Link
	Passes      []Held
}

// Store stores links and passes, with times to the millisecond.
type Store interface {
	// ChangePage loads the page of a subject, which is empty if there is none, lets law edit it,
	// and stores the difference, in one write transaction that excludes every other process. what
	// is recorded in the journal. If it is empty, nothing is recorded and no watcher is woken. An
	// unchanged page is not written. An error of law rolls back and is returned unchanged.
	ChangePage(ctx context.Context, kind Kind, subject string, law func(*Page) (what string, err error)) error
	// FindPass returns the pass whose token has the given hash. It returns false if there is none.
	FindPass(ctx context.Context, token Hash) (Pass, bool, error)
	// FindSession returns the pass of a browser session by its ID. It returns false if there is
	// none.
	FindSession(ctx context.Context, id string) (Held, bool, error)
	// PassesOf lists the passes issued for a browser session.
	PassesOf(ctx context.Context, session string) ([]Held, error)
	// TouchPass records the latest use of a pass. An unknown token is not an error.
	TouchPass(ctx context.Context, token Hash, at time.Time) error
	// OpenedTwice reports whether a link of the subject was exchanged twice.
	OpenedTwice(ctx context.Context, kind Kind, subject string) (bool, error)
	// UnopenedLinks counts the usable links of subjects whose first link was issued after
	// issuedAfter and that were never opened. Later links of older or opened subjects do not count.
	UnopenedLinks(ctx context.Context, issuedAfter, now time.Time) (int, error)
}
