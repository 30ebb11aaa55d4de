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
	// Session is the token of the browser session that this began; the zero value if none did.
	Session Token
}

// Exchange trades a link's code for a tab's token, once. With the token of a browser session, the
// code may be "" or already used by that session, and the tab belongs to the session. The first
// pass of a subject is Active. A session's later pass makes the others ReadOnly; any other later
// pass is ReadOnly while an Active one lives. A code that is used again, or outside a session that
// has the page open, marks the subject as opened twice and wakes its watchers; without a session,
// the first case is also fault.InvalidSessionTransition. A settings subject that was opened twice
// loses all passes and gets no new ones. Any other code, or an ended session, is
// fault.SessionMismatch with the same text for all reasons.
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

// Begin begins a browser session at the page of p, which the user has shown to be theirs, and
// makes that page the Active one of its subject.
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

// End ends the browser session of a pass, with all its pages.
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

// Leave ends the pass of a tab that goes away. In a session the newest other tab leads then.
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

// PagesOf lists the newest pages of the browser session of a pass.
func (d *Desk) PagesOf(ctx context.Context, session Pass) ([]Pass, error) {
	held, err := d.store.PassesOf(ctx, session.ID)
	held = held[max(0, len(held)-MostPasses):]
	pages := make([]Pass, len(held))
	for i, h := range held {
		pages[i] = h.Pass
	}
	return pages, err
}

// issue makes a pass that lives from now on, and the text of its token. Nothing is stored.
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

// session returns the pass of a browser session by its token.
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

// sessions returns the IDs of the browser sessions that live.
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

// lives checks that a browser session has not ended. It records no use.
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

// exchange is one opening of a page.
type exchange struct {
	code    Hash
	hasCode bool
	by      Pass  // the browser session, if any
	held    *Held // the pass that it gets
	began   Pass  // the session that it may begin
	begins  bool

	sessions map[string]bool // that live
}

// redeem carries out an exchange inside the update. A refused exchange may still change the
// page, so the refusal is not the update's error.
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

// place adds a pass of a session, "" for none, and settles who leads.
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

// Continue makes p the Active pass of its subject and every other one ReadOnly. A pass that has
// ended is fault.SessionMismatch. One outside of a browser session cannot take the page from it:
// fault.InvalidSessionTransition.
func (d *Desk) Continue(ctx context.Context, p Pass) error { return d.lead(ctx, p, "") }

// lead is Continue. A session that is not "" becomes the session of p.
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
