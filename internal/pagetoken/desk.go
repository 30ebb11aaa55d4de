package pagetoken

import (
	"context"
	"crypto/sha256"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// touchEvery is the maximum age of the stored time of last use. The desk keeps the exact time in
// memory. The stored one matters only after a restart.
const touchEvery = 15 * time.Second

// Desk issues links, exchanges their codes for tokens, and checks tokens.
type Desk struct {
	store Store
	now   func() time.Time
	rand  io.Reader

	mu   sync.Mutex
	used map[Hash]time.Time // exact last use of live passes, by token
}

// NewDesk returns a desk over store. rand is a cryptographic source; it must be
// safe for concurrent use.
func NewDesk(store Store, now func() time.Time, rand io.Reader) *Desk {
	return &Desk{store: store, now: now, rand: rand, used: map[Hash]time.Time{}}
}

// unauthorised returns the same error for every code or token that is malformed, unknown, expired
// or for another page, so that callers cannot tell which.
func unauthorised() error {
	return fault.New(fault.SessionMismatch,
		"This page has no right, or no longer the right, to use this session. Ask your AI client for a new link.")
}

func openedTwice() error {
	return fault.New(fault.InvalidSessionTransition,
		"This link was opened twice. If you did not open it a second time yourself, do not sign anything on "+
			"either page; ask your AI client for a new link.")
}

// Link issues a one-time code for the page of a subject. The code expires after life, or after
// LinkLife if life is zero or longer. If the subject already has MostLinks unopened links, Link
// returns fault.RateLimited.
func (d *Desk) Link(ctx context.Context, kind Kind, subject string, life time.Duration) (Code, error) {
	return d.link(ctx, kind, subject, life, false)
}

// OwnLink issues a link that begins a browser session. It must reach the user without passing
// through an AI client.
func (d *Desk) OwnLink(ctx context.Context, kind Kind, subject string) (Code, error) {
	return d.link(ctx, kind, subject, 0, true)
}

func (d *Desk) link(ctx context.Context, kind Kind, subject string, life time.Duration, own bool) (Code, error) {
	if !kind.Valid() || subject == "" {
		return Code{}, fault.New(fault.InternalError, "A link needs a kind of page and a subject.")
	}
	if life <= 0 || life > LinkLife {
		life = LinkLife
	}
	text, err := random(d.rand, secretBytes)
	if err != nil {
		return Code{}, fault.Wrap(err, fault.InternalError, "This machine gave no random numbers; no link was made.")
	}
	err = d.store.ChangePage(ctx, kind, subject, func(p *Page) (string, error) {
		now := d.now()
		p.prune(now)
		if p.unopened(now) >= MostLinks {
			return "", fault.New(fault.RateLimited,
				"There are %d unopened links to this page already. Open one of them, or wait until they expire.", MostLinks)
		}
		p.Links = append(p.Links, Link{Code: sha256.Sum256([]byte(text)), IssuedAt: now, ExpiresAt: now.Add(life),
			Own: own})
		return "", nil
	})
	if err != nil {
		return Code{}, err
	}
	return Code{text: text}, nil
}

// Check returns the pass of a token and records the use of the pass and of its browser session. For
// an unknown, malformed or expired token it returns fault.SessionMismatch with the same text.
func (d *Desk) Check(ctx context.Context, token string) (Pass, error) {
	hash, ok := hashOf(token)
	if !ok {
		return Pass{}, unauthorised()
	}
	p, found, err := d.store.FindPass(ctx, hash)
	if err != nil {
		return Pass{}, err
	}
	if !found {
		d.forget(hash)
		return Pass{}, unauthorised()
	}
	if p, err = d.use(ctx, Held{hash, p}); err != nil || !p.Wide() {
		return p, err
	}
	session, found, err := d.store.FindSession(ctx, p.Session)
	if err == nil && !found {
		err = unauthorised()
	}
	if err == nil {
		_, err = d.use(ctx, session)
	}
	if err != nil {
		return Pass{}, err
	}
	return p, nil
}

// use records a use of a live pass, and deletes one that has ended.
func (d *Desk) use(ctx context.Context, h Held) (Pass, error) {
	p := h.Pass
	stored := p.LastUsedAt
	p.LastUsedAt = d.lastUse(h.Token, stored)
	now := d.now()
	if !p.live(now) {
		// Delete it, so that setting back the clock cannot revive it.
		err := d.store.ChangePage(ctx, p.Kind, p.Subject, func(page *Page) (string, error) {
			page.drop(h.Token)
			return "", nil
		})
		if err != nil {
			return Pass{}, err
		}
		d.forget(h.Token)
		return Pass{}, unauthorised()
	}
	p.LastUsedAt = now
	d.remember(h.Token, now)
	if now.Sub(stored) >= touchEvery {
		if err := d.store.TouchPass(ctx, h.Token, now); err != nil {
			return Pass{}, err
		}
	}
	return p, nil
}

// Right returns a check that state transitions run inside a write transaction of the same store:
// the token must be valid and, if active is set, belong to the active page. It reads committed data
// and writes nothing, not even the use.
func (d *Desk) Right(token string, active bool) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		hash, ok := hashOf(token)
		if !ok {
			return unauthorised()
		}
		p, found, err := d.store.FindPass(ctx, hash)
		if err != nil {
			return err
		}
		if p.LastUsedAt = d.lastUse(hash, p.LastUsedAt); !found || !p.live(d.now()) {
			return unauthorised()
		}
		if p.Wide() {
			if err := d.lives(ctx, p.Session); err != nil {
				return err
			}
		}
		if active {
			return Acting(p)
		}
		return nil
	}
}

// Acting returns an error unless p is the active pass of its subject.
func Acting(p Pass) error {
	if p.Access == Active {
		return nil
	}
	return fault.New(fault.InvalidSessionTransition,
		"Another tab has taken over. Choose “Use it here” to act from this page.").With("access", string(p.Access))
}

// OpenedTwice reports whether a link of the subject was exchanged twice.
func (d *Desk) OpenedTwice(ctx context.Context, kind Kind, subject string) (bool, error) {
	return d.store.OpenedTwice(ctx, kind, subject)
}

// Withdraw revokes an unopened link by its code. It does nothing for opened and unknown links.
func (d *Desk) Withdraw(ctx context.Context, kind Kind, subject, code string) error {
	hash, ok := hashOf(code)
	if !ok {
		return nil
	}
	return d.store.ChangePage(ctx, kind, subject, func(p *Page) (string, error) {
		p.Links = slices.DeleteFunc(p.Links, func(l Link) bool { return l.Code == hash && l.UsedAt.IsZero() })
		return "", nil
	})
}

// Unopened reports whether there is a subject whose first link is younger than age and was never
// opened. A server without clients keeps running while there is one. Later links, such as those of
// a polling client, do not extend the time.
func (d *Desk) Unopened(ctx context.Context, age time.Duration) (bool, error) {
	now := d.now()
	n, err := d.store.UnopenedLinks(ctx, now.Add(-age), now)
	return n > 0, err
}

func (d *Desk) remember(token Hash, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used[token] = at
}

func (d *Desk) forget(token Hash) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.used, token)
}

// lastUse returns the later of the stored time and the one in memory.
func (d *Desk) lastUse(token Hash, stored time.Time) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, ok := d.used[token]; ok && at.After(stored) {
		return at
	}
	return stored
}
