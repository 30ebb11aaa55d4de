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

// touchEvery is how far the stored time of last use may lag behind. The desk
// itself remembers the exact time; the stored one matters after a restart.
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

// unauthorised is the one answer to every code or token that is malformed,
// unknown, expired, or of another page, so that the answer tells nothing.
func unauthorised() error {
	return fault.New(fault.SessionMismatch,
		"This page has no right, or no longer the right, to use this session. Ask your AI client for a new link.")
}

func openedTwice() error {
	return fault.New(fault.InvalidSessionTransition,
		"This link was opened twice. If you did not open it a second time yourself, do not sign anything on "+
			"either page; ask your AI client for a new link.")
}

// Link issues a one-time code for the page of a subject. life is at most
// LinkLife; zero or more than that means LinkLife. More than MostLinks unopened
// links of one subject are fault.RateLimited.
func (d *Desk) Link(ctx context.Context, kind Kind, subject string, life time.Duration) (Code, error) {
	return d.link(ctx, kind, subject, life, false)
}

// Lead issues a link as Link does, for a page that leads and goes on to another one: that
// one takes the lead over from whoever has it.
func (d *Desk) Lead(ctx context.Context, kind Kind, subject string) (Code, error) {
	return d.link(ctx, kind, subject, 0, true)
}

func (d *Desk) link(ctx context.Context, kind Kind, subject string, life time.Duration, leads bool) (Code, error) {
	if !kind.Known() || subject == "" {
		return Code{}, fault.New(fault.InternalError, "A link needs a known kind of page and a subject.")
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
		p.Links = append(p.Links, Link{Code: sha256.Sum256([]byte(text)), IssuedAt: now, ExpiresAt: now.Add(life), Leads: leads})
		return "", nil
	})
	if err != nil {
		return Code{}, err
	}
	return Code{text: text}, nil
}

// Exchange trades the code of a link for the token of a tab, once. The first
// pass of a subject is Active; a later one is ReadOnly while an Active one
// lives, except that of a link by Lead, which makes the others ReadOnly. A second exchange of one code is fault.InvalidSessionTransition and
// marks the subject as opened twice, which wakes those who watch it; a settings
// subject loses all its passes then and gets no new ones. Any other code is
// fault.SessionMismatch with one text for all reasons.
func (d *Desk) Exchange(ctx context.Context, kind Kind, subject, code string) (Token, Pass, error) {
	hash, ok := hashOf(code)
	if !ok || !kind.Known() || subject == "" {
		return Token{}, Pass{}, unauthorised()
	}
	text, err := random(d.rand, secretBytes)
	id := ""
	if err == nil {
		id, err = random(d.rand, 9)
	}
	if err != nil {
		return Token{}, Pass{}, fault.Wrap(err, fault.InternalError, "This machine gave no random numbers; open the link again.")
	}
	held := Held{Token: sha256.Sum256([]byte(text)), Pass: Pass{ID: id, Kind: kind, Subject: subject}}
	var refused error
	err = d.store.ChangePage(ctx, kind, subject, func(p *Page) (string, error) {
		var what string
		what, refused = d.redeem(p, hash, &held)
		return what, nil
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return Token{}, Pass{}, err
	}
	d.remember(held.Token, held.Pass.IssuedAt)
	return Token{text: text}, held.Pass, nil
}

// redeem is the law of the exchange. What it refuses may still change the page,
// so the refusal is not the law's error.
func (d *Desk) redeem(p *Page, code Hash, held *Held) (what string, refused error) {
	now := d.now()
	link := p.link(code)
	switch {
	case link == nil:
		return "", unauthorised()
	case !link.UsedAt.IsZero():
		p.OpenedTwice = true
		if p.Kind == Settings {
			p.Passes = nil
		}
		return "opened_twice", openedTwice()
	case !link.live(now):
		return "", unauthorised()
	case p.Kind == Settings && p.OpenedTwice:
		return "", openedTwice()
	}
	link.UsedAt = now
	d.pruneEnded(p, now)
	d.makeRoom(p)
	held.Pass.Access = Active
	for i := range p.Passes {
		switch access := &p.Passes[i].Pass.Access; {
		//mutant:never ./internal/pagetoken TestLead
		case link.Leads:
			*access = ReadOnly
		case *access == Active:
			held.Pass.Access = ReadOnly
		}
	}
	_, life := p.Kind.lives()
	held.Pass.IssuedAt, held.Pass.LastUsedAt, held.Pass.ExpiresAt = now, now, now.Add(life)
	p.Passes = append(p.Passes, *held)
	return "link_opened", nil
}

// Check returns the pass of a token and counts as a use of it. An unknown,
// malformed or expired token is fault.SessionMismatch with one text.
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
	stored := p.LastUsedAt
	p.LastUsedAt = d.lastUse(hash, stored)
	now := d.now()
	if !p.live(now) {
		// Gone for good: a clock that is set back must not revive it.
		err := d.store.ChangePage(ctx, p.Kind, p.Subject, func(page *Page) (string, error) {
			page.drop(hash)
			return "", nil
		})
		if err != nil {
			return Pass{}, err
		}
		d.forget(hash)
		return Pass{}, unauthorised()
	}
	p.LastUsedAt = now
	d.remember(hash, now)
	if now.Sub(stored) >= touchEvery {
		if err := d.store.TouchPass(ctx, hash, now); err != nil {
			return Pass{}, err
		}
	}
	return p, nil
}

// Right returns a judgement that a law asks inside a write transaction of the same
// store: that the token still lives, and, with active, is the page that acts. It
// reads what is committed and writes nothing, not even that it was used.
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
		if active {
			return Acting(p)
		}
		return nil
	}
}

// Acting judges that p is the page that acts on its subject.
func Acting(p Pass) error {
	if p.Access == Active {
		return nil
	}
	return fault.New(fault.InvalidSessionTransition,
		"Another tab has taken over. Choose “continue here” to act from this page.").With("access", string(p.Access))
}

// Continue makes p the Active pass of its subject and every other one ReadOnly.
// A pass that has ended is fault.SessionMismatch.
func (d *Desk) Continue(ctx context.Context, p Pass) error {
	return d.store.ChangePage(ctx, p.Kind, p.Subject, func(page *Page) (string, error) {
		d.pruneEnded(page, d.now())
		found, changed := false, false
		for i := range page.Passes {
			access := ReadOnly
			if page.Passes[i].Pass.ID == p.ID {
				found, access = true, Active
			}
			changed = changed || page.Passes[i].Pass.Access != access
			page.Passes[i].Pass.Access = access
		}
		if !found {
			return "", unauthorised()
		}
		if !changed {
			return "", nil
		}
		return "continued", nil
	})
}

// OpenedTwice reports whether a link of the subject was exchanged twice.
func (d *Desk) OpenedTwice(ctx context.Context, kind Kind, subject string) (bool, error) {
	return d.store.OpenedTwice(ctx, kind, subject)
}

// Withdraw takes an unopened link back by its code. A link that was opened, or
// never was, is left alone.
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

// Unopened reports whether a subject whose first link is younger than age waits
// to be opened; a server whose client has gone stays for it. Links that come
// later, as from a client that polls, prolong nothing.
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

// lastUse returns the later of what is stored and what this desk remembers.
func (d *Desk) lastUse(token Hash, stored time.Time) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, ok := d.used[token]; ok && at.After(stored) {
		return at
	}
	return stored
}
