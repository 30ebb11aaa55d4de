package pagetoken

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Opened is the result of opening a page.
type Opened struct {
	Token Token
	Pass  Pass
	// Session is the token of the browser session that this call began, or the zero value.
	Session Token
}

// Exchange trades a link's code for a token of a tab. A code can be used once. With the token of a
// browser session, code may be "" or one that the session has already used, and the tab belongs to
// the session.
//
// The first pass of a subject is Active. A later pass of a session becomes Active and makes the
// others ReadOnly. Any other later pass is ReadOnly as long as an Active one is live.
//
// If a code is used again, or outside a session that has the page open, Exchange marks the subject
// as opened twice and wakes its watchers. Without a session, using a code again is also
// fault.InvalidSessionTransition. A settings subject that was opened twice loses all passes and
// gets no new ones. For any other code, or an ended session, Exchange returns fault.SessionMismatch
// with the same text for all reasons.
func (d *Desk) Exchange(ctx context.Context, kind Kind, subject, code, session string) (Opened, error) {
	hash, hasCode := hashOf(code)
	if !kind.Valid() || subject == "" || (!hasCode && (code != "" || session == "")) {
		return Opened{}, unauthorised()
	}
	by, err := d.session(ctx, session)
	if err != nil && !hasCode {
		return Opened{}, err
	}
	held, text, err := d.issue(kind, subject)
	if err != nil {
		return Opened{}, err
	}
	began, secret, err := d.issue(Session, SessionSubject)
	if err != nil {
		return Opened{}, err
	}
	x := exchange{code: hash, hasCode: hasCode, by: by, held: &held, began: began.Pass}
	if x.sessions, err = d.sessions(ctx); err != nil {
		return Opened{}, err
	}
	var refused error
	err = d.store.ChangePage(ctx, kind, subject, func(p *Page) (string, error) {
		var what string
		what, refused = d.redeem(p, &x)
		return what, nil
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return Opened{}, err
	}
	out := Opened{Token: Token{text: text}, Pass: held.Pass}
	if x.begins {
		if err := d.keepSession(ctx, began); err != nil {
			return Opened{}, err
		}
		out.Session = Token{text: secret}
	}
	d.remember(held.Token, held.Pass.IssuedAt)
	return out, nil
}

// Begin begins a browser session at the page of p, after the user has proven to own it, and makes
// that page the Active one of its subject.
func (d *Desk) Begin(ctx context.Context, p Pass) (Token, error) {
	session, text, err := d.issue(Session, SessionSubject)
	if err != nil {
		return Token{}, err
	}
	if err := d.keepSession(ctx, session); err != nil {
		return Token{}, err
	}
	return Token{text: text}, d.lead(ctx, p, session.Pass.ID)
}

// End ends the browser session of a pass, including all its pages.
func (d *Desk) End(ctx context.Context, p Pass) error {
	return d.store.ChangePage(ctx, Session, SessionSubject, func(page *Page) (string, error) {
		for _, h := range page.Passes {
			if h.Pass.ID == p.Session {
				page.drop(h.Token)
				return "session_ended", nil
			}
		}
		return "", nil
	})
}

// Leave ends the pass of a closed tab. In a session, the newest remaining tab of the subject
// becomes Active.
func (d *Desk) Leave(ctx context.Context, p Pass) error {
	return d.store.ChangePage(ctx, p.Kind, p.Subject, func(page *Page) (string, error) {
		led := p.Access == Active
		page.Passes = slices.DeleteFunc(page.Passes, func(h Held) bool { return h.Pass.ID == p.ID })
		for i := len(page.Passes) - 1; led && i >= 0; i-- {
			if next := &page.Passes[i].Pass; next.Session == p.Session {
				next.Access, led = Active, false
			}
		}
		return "left", nil
	})
}

// PagesOf lists the newest passes of a browser session.
func (d *Desk) PagesOf(ctx context.Context, session Pass) ([]Pass, error) {
	held, err := d.store.PassesOf(ctx, session.ID)
	held = held[max(0, len(held)-MostPasses):]
	pages := make([]Pass, len(held))
	for i, h := range held {
		pages[i] = h.Pass
	}
	return pages, err
}

// issue returns a new pass and the text of its token. It stores nothing.
func (d *Desk) issue(kind Kind, subject string) (Held, string, error) {
	text, err := random(d.rand, secretBytes)
	id := ""
	if err == nil {
		id, err = random(d.rand, 9)
	}
	if err != nil {
		return Held{}, "", fault.Wrap(err, fault.InternalError,
			"This machine gave no random numbers; open the link again.")
	}
	_, life := kind.lives()
	now := d.now()
	return Held{Token: sha256.Sum256([]byte(text)),
		Pass: Pass{ID: id, Kind: kind, Subject: subject, Access: Active, IssuedAt: now,
			LastUsedAt: now, ExpiresAt: now.Add(life)}}, text, nil
}

func (d *Desk) keepSession(ctx context.Context, session Held) error {
	err := d.store.ChangePage(ctx, Session, SessionSubject, func(p *Page) (string, error) {
		d.pruneEnded(p, d.now(), nil)
		d.makeRoom(p)
		p.Passes = append(p.Passes, session)
		return "session_began", nil
	})
	if err == nil {
		d.remember(session.Token, session.Pass.IssuedAt)
	}
	return err
}

// session returns the pass of the browser session with a token.
func (d *Desk) session(ctx context.Context, token string) (Pass, error) {
	if token == "" {
		return Pass{}, nil
	}
	p, err := d.Check(ctx, token)
	//mutant:never `p.Kind != Session` ./internal/pagetoken TestOnlyASessionOpensPages
	if err == nil && p.Kind != Session {
		err = unauthorised()
	}
	if err != nil {
		return Pass{}, err
	}
	return p, nil
}

// sessions returns the IDs of the live browser sessions.
func (d *Desk) sessions(ctx context.Context) (map[string]bool, error) {
	live := map[string]bool{}
	err := d.store.ChangePage(ctx, Session, SessionSubject, func(p *Page) (string, error) {
		d.pruneEnded(p, d.now(), nil)
		for _, h := range p.Passes {
			live[h.Pass.ID] = true
		}
		return "", nil
	})
	return live, err
}

// lives returns an error if a browser session has ended. It records no use.
func (d *Desk) lives(ctx context.Context, session string) error {
	h, found, err := d.store.FindSession(ctx, session)
	if err != nil {
		return err
	}
	if h.Pass.LastUsedAt = d.lastUse(h.Token, h.Pass.LastUsedAt); !found || !h.Pass.live(d.now()) {
		return unauthorised()
	}
	return nil
}

// exchange is the state of one call of Exchange.
type exchange struct {
	code    Hash
	hasCode bool
	by      Pass  // pass of the browser session, if any
	held    *Held // the new pass
	began   Pass  // pass of the session that it may begin
	begins  bool

	sessions map[string]bool // IDs of the live sessions
}

// redeem performs an exchange inside the update. A rejected exchange can still change the page, so
// the rejection is not an error of the update.
func (d *Desk) redeem(p *Page, x *exchange) (what string, refused error) {
	now := d.now()
	d.pruneEnded(p, now, x.sessions)
	session := x.by
	if x.hasCode {
		link := p.link(x.code)
		again := link != nil && !link.UsedAt.IsZero() && (session.ID == "" || link.Session != session.ID)
		twice := again || link != nil && link.UsedAt.IsZero() && link.live(now) && session.ID == "" && !link.Own &&
			p.wide()
		//mutant:never ./internal/pagetoken TestCodeOutsideOfTheSession
		if twice {
			p.OpenedTwice = true
		}
		if p.Kind == Settings && twice {
			p.Passes = nil
		}
		switch {
		case again && session.ID == "":
			return "opened_twice", openedTwice()
		case (link == nil || !link.live(now) && link.UsedAt.IsZero()) && session.ID == "":
			return "", unauthorised()
		}
		if link != nil && link.UsedAt.IsZero() && link.live(now) {
			if link.Own && session.ID == "" {
				session, x.begins = x.began, true
			}
			link.UsedAt, link.Session = now, session.ID
		}
	}
	if p.Kind == Settings && p.OpenedTwice {
		return "opened_twice", openedTwice()
	}
	d.makeRoom(p)
	d.place(p, x.held, session)
	return "link_opened", nil
}

// place adds a pass to a page and decides which pass is Active. session is the pass of its session,
// or the zero value.
func (d *Desk) place(p *Page, held *Held, session Pass) {
	if held.Pass.Session = session.ID; session.ID != "" {
		held.Pass.ExpiresAt = session.ExpiresAt
		if last := held.Pass.IssuedAt.Add(SessionLife); last.Before(held.Pass.ExpiresAt) {
			held.Pass.ExpiresAt = last
		}
	}
	for i := range p.Passes {
		switch access := &p.Passes[i].Pass.Access; {
		//mutant:never ./internal/pagetoken TestTheNewestTabLeads
		case held.Pass.Wide():
			*access = ReadOnly
		case *access == Active:
			held.Pass.Access = ReadOnly
		}
	}
	p.Passes = append(p.Passes, *held)
}

// Continue makes p the Active pass of its subject and all others ReadOnly. It returns
// fault.SessionMismatch if p has ended, and fault.InvalidSessionTransition if p belongs to no
// session but the Active pass does.
func (d *Desk) Continue(ctx context.Context, p Pass) error { return d.lead(ctx, p, "") }

// lead implements Continue. If session is not "", it also becomes the session of p.
func (d *Desk) lead(ctx context.Context, p Pass, session string) error {
	now := d.now()
	sessions, err := d.sessions(ctx)
	if err != nil {
		return err
	}
	return d.store.ChangePage(ctx, p.Kind, p.Subject, func(page *Page) (string, error) {
		d.pruneEnded(page, now, sessions)
		own := page.pass(p.ID)
		if own == nil {
			return "", unauthorised()
		}
		if session != "" {
			own.Session, own.IssuedAt, own.ExpiresAt = session, now, now.Add(SessionLife)
		}
		changed := session != ""
		for i := range page.Passes {
			other := &page.Passes[i].Pass
			//mutant:never ./internal/pagetoken TestCodeOutsideOfTheSession
			if other.Access == Active && other.Wide() && !own.Wide() {
				return "", fault.New(fault.InvalidSessionTransition,
					"A browser with your own session has this page open. Act there, or unlock all pages here first.")
			}
			access := ReadOnly
			if other == own {
				access = Active
			}
			changed = changed || other.Access != access
			other.Access = access
		}
		if !changed {
			return "", nil
		}
		return "continued", nil
	})
}
