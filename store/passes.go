package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// Pages stores links to pages, page tokens and browser sessions.
type Pages struct{ *engine }

var _ pagetoken.Store = Pages{}

func (Pages) readAll(ctx context.Context, s *survey) error {
	return cmp.Or(checkRows(ctx, s, scanHeld, selectPass), checkRows(ctx, s, scanLink, selectLinks))
}

// subjectKind returns the kind of subject that wakes a page.
func subjectKind(k pagetoken.Kind) events.Kind {
	if k == pagetoken.Connect {
		return events.Identity
	}
	return events.Kind(k)
}

// ChangePage implements pagetoken.Store.
func (db Pages) ChangePage(ctx context.Context, kind pagetoken.Kind, subject string,
	transition func(*pagetoken.Page) (string, error)) error {
	return db.change(ctx, func(x *tx) error {
		before, err := storedPage(ctx, x, kind, subject)
		if err != nil {
			return err
		}
		after := before
		after.Links = append([]pagetoken.Link(nil), before.Links...)
		after.Passes = append([]pagetoken.Held(nil), before.Passes...)
		what, err := transition(&after)
		if err != nil {
			return err
		}
		if err := savePage(ctx, x, before, after); err != nil {
			return err
		}
		if what == "" {
			return nil
		}
		return x.record(ctx, events.Entry{Kind: subjectKind(kind), Subject: subject, What: what})
	})
}

func storedPage(ctx context.Context, x *tx, kind pagetoken.Kind, subject string) (pagetoken.Page, error) {
	p := pagetoken.Page{Kind: kind, Subject: subject}
	var err error
	if p.OpenedTwice, err = openedTwice(ctx, x, kind, subject); err != nil {
		return p, err
	}
	p.Links, err = validRows(ctx, x, nil, scanLink,
		selectLinks+` WHERE kind = ? AND subject = ? ORDER BY issued_at, code_hash`, string(kind), subject)
	if err != nil {
		return p, err
	}
	p.Passes, err = validRows(ctx, x, nil, scanHeld, selectPass+` WHERE kind = ? AND subject = ? ORDER BY issued_at, id`,
		string(kind), subject)
	return p, err
}

// savePage writes the difference between two states of a page.
func savePage(ctx context.Context, x *tx, before, after pagetoken.Page) error {
	if after.OpenedTwice && !before.OpenedTwice {
		if err := x.one(ctx, `INSERT INTO opened_twice (kind, subject, at) VALUES (?, ?, ?)`,
			string(after.Kind), after.Subject, nanoseconds(x.now)); err != nil {
			return err
		}
	}
	if err := saveLinks(ctx, x, before, after); err != nil {
		return err
	}
	return savePasses(ctx, x, before, after)
}

func saveLinks(ctx context.Context, x *tx, before, after pagetoken.Page) error {
	had := map[pagetoken.Hash]pagetoken.Link{}
	for _, l := range before.Links {
		had[l.Code] = l
	}
	for _, l := range after.Links {
		old, known := had[l.Code]
		delete(had, l.Code)
		var err error
		switch {
		case !known:
			err = x.one(ctx, `INSERT INTO links (code_hash, kind, subject, issued_at, expires_at, used_at, own, session)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
				l.Code[:], string(after.Kind), after.Subject, nanoseconds(l.IssuedAt), nanoseconds(l.ExpiresAt),
				nanoseconds(l.UsedAt), l.Own, l.Session)
		case !old.UsedAt.Equal(l.UsedAt):
			err = x.one(ctx, `UPDATE links SET used_at = ?, session = ? WHERE code_hash = ? AND used_at = ?`,
				nanoseconds(l.UsedAt), l.Session, l.Code[:], nanoseconds(old.UsedAt))
		}
		if err != nil {
			return err
		}
	}
	for code := range had {
		if err := x.one(ctx, `DELETE FROM links WHERE code_hash = ?`, code[:]); err != nil {
			return err
		}
	}
	return nil
}

func savePasses(ctx context.Context, x *tx, before, after pagetoken.Page) error {
	had := map[pagetoken.Hash]pagetoken.Pass{}
	for _, h := range before.Passes {
		had[h.Token] = h.Pass
	}
	for _, h := range after.Passes {
		p := h.Pass
		old, known := had[h.Token]
		delete(had, h.Token)
		var err error
		switch {
		case !known:
			err = x.one(ctx,
				`INSERT INTO passes (token_hash, id, kind, subject, access, issued_at, last_used_at, expires_at, session)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				h.Token[:], p.ID, string(after.Kind), after.Subject, string(p.Access),
				nanoseconds(p.IssuedAt), nanoseconds(p.LastUsedAt), nanoseconds(p.ExpiresAt), p.Session)
		case old.Access != p.Access || old.Session != p.Session || !old.LastUsedAt.Equal(p.LastUsedAt):
			err = x.one(ctx, `UPDATE passes SET access = ?, issued_at = ?, last_used_at = ?, expires_at = ?, session = ?
				WHERE token_hash = ?`, string(p.Access), nanoseconds(p.IssuedAt), nanoseconds(p.LastUsedAt),
				nanoseconds(p.ExpiresAt), p.Session, h.Token[:])
		}
		if err != nil {
			return err
		}
	}
	for token := range had {
		if err := x.one(ctx, `DELETE FROM passes WHERE token_hash = ?`, token[:]); err != nil {
			return err
		}
	}
	return nil
}

func scanLink(r *sql.Rows, l *pagetoken.Link) error {
	var code []byte
	var issued, expires, used, own int64
	c := scanColumns(r, "links", nil, &code, &issued, &expires, &used, &own, &l.Session)
	c.key = shownHash(code)
	c.hash("code_hash", (*[32]byte)(&l.Code), code)
	l.IssuedAt, l.ExpiresAt, l.UsedAt = c.time("issued_at", issued), c.time("expires_at", expires), c.time("used_at", used)
	c.must(expires-issued <= int64(maxLife), "it lasts too long")
	l.Own = c.flag("own", own)
	c.text("session", l.Session, maxWord)
	return c.err
}

const selectLinks = `SELECT code_hash, issued_at, expires_at, used_at, own, session FROM links`

const selectPass = `SELECT token_hash, id, kind, subject, access, issued_at, last_used_at, expires_at, session FROM passes`

func scanHeld(r *sql.Rows, h *pagetoken.Held) error {
	var token []byte
	var issued, used, expires int64
	p := &h.Pass
	c := scanColumns(r, "passes", &p.ID, &token, &p.ID, &p.Kind, &p.Subject, &p.Access, &issued, &used, &expires,
		&p.Session)
	c.hash("token_hash", (*[32]byte)(&h.Token), token)
	p.IssuedAt, p.LastUsedAt, p.ExpiresAt = c.time("issued_at", issued), c.time("last_used_at", used),
		c.time("expires_at", expires)
	c.must(p.Access == pagetoken.Active || p.Access == pagetoken.ReadOnly, "its access is unknown")
	limit := maxLife
	if p.Kind == pagetoken.Console {
		limit = pagetoken.ConsoleLife
	}
	c.must(expires-issued <= int64(limit), "it lasts too long")
	c.text("id", p.ID, maxWord)
	c.text("subject", p.Subject, maxWord)
	c.text("session", p.Session, maxWord)
	return c.err
}

// shownHash returns the start of a secret's hash, which identifies a row but does not reveal the
// secret.
func shownHash(hash []byte) string { return hex.EncodeToString(hash[:min(len(hash), 6)]) }

// FindPass implements pagetoken.Store.
func (db Pages) FindPass(ctx context.Context, token pagetoken.Hash) (pagetoken.Pass, bool, error) {
	found, err := validRows(ctx, db, nil, scanHeld, selectPass+` WHERE token_hash = ?`, token[:])
	if err != nil || len(found) == 0 {
		return pagetoken.Pass{}, false, err
	}
	return found[0].Pass, true, nil
}

// FindSession implements pagetoken.Store.
func (db Pages) FindSession(ctx context.Context, id string) (pagetoken.Held, bool, error) {
	found, err := validRows(ctx, db, nil, scanHeld, selectPass+` WHERE id = ? AND kind = ?`, id,
		string(pagetoken.Session))
	if err != nil || len(found) == 0 {
		return pagetoken.Held{}, false, err
	}
	return found[0], true, nil
}

// PassesOf implements pagetoken.Store.
func (db Pages) PassesOf(ctx context.Context, session string) ([]pagetoken.Held, error) {
	return validRows(ctx, db, nil, scanHeld, selectPass+` WHERE session = ? AND session <> '' ORDER BY issued_at, id`,
		session)
}

// TouchPass implements pagetoken.Store.
func (db Pages) TouchPass(ctx context.Context, token pagetoken.Hash, at time.Time) error {
	return db.change(ctx, func(x *tx) error {
		_, err := x.exec(ctx, `UPDATE passes SET last_used_at = ? WHERE token_hash = ? AND last_used_at < ?`,
			nanoseconds(at), token[:], nanoseconds(at))
		return err
	})
}

// OpenedTwice implements pagetoken.Store.
func (db Pages) OpenedTwice(ctx context.Context, kind pagetoken.Kind, subject string) (bool, error) {
	return openedTwice(ctx, db, kind, subject)
}

func openedTwice(ctx context.Context, r rower, kind pagetoken.Kind, subject string) (bool, error) {
	found, err := column[int](ctx, r,
		`SELECT 1 FROM opened_twice WHERE kind = ? AND subject = ?`, string(kind), subject)
	return len(found) > 0, err
}

// UnopenedLinks implements pagetoken.Store.
func (db Pages) UnopenedLinks(ctx context.Context, issuedAfter, now time.Time) (int, error) {
	return single[int](ctx, db, `SELECT count(*) FROM links AS l
		WHERE used_at = 0 AND issued_at > ?1 AND issued_at <= ?2 AND expires_at > ?3
		AND NOT EXISTS (SELECT 1 FROM links AS o WHERE o.kind = l.kind AND o.subject = l.subject
			AND (o.used_at <> 0 OR o.issued_at <= ?1))
		AND length(code_hash) = 32 AND expires_at < ?4`, // a damaged row delays nothing
		nanoseconds(issuedAfter), nanoseconds(now.Add(time.Minute)), nanoseconds(now), nanoseconds(now.Add(maxLife)))
}

// ReadPages counts the pages that a tab with access has used since usedAfter and to which the user
// may return: pages of reviews that are not final, and of wallets being connected. It does not rely
// on open streams, because a hidden page has none.
func (db Pages) ReadPages(ctx context.Context, usedAfter, now time.Time) (int, error) {
	return single[int](ctx, db, `SELECT count(*) FROM passes AS p
		WHERE p.last_used_at > ?1 AND p.expires_at > ?2 AND p.expires_at < ?3 AND (
			p.kind = 'review' AND EXISTS (SELECT 1 FROM reviews AS r WHERE r.id = p.subject
				AND r.status NOT IN ('success', 'failure', 'expired')
				AND NOT (r.expires_at <= ?2 AND r.status <> 'signed_pending_result'))
			OR p.kind = 'connect' AND EXISTS (SELECT 1 FROM identities AS i WHERE i.id = p.subject
				AND i.status IN ('pending', 'opened', 'connecting') AND i.expires_at > ?2))`,
		nanoseconds(usedAfter), nanoseconds(now), nanoseconds(now.Add(maxLife)))
}
