package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// PageKeys stores the access tokens of the user's own programs.
type PageKeys struct{ *engine }

var _ pagetoken.KeyStore = PageKeys{}

// Keys implements pagetoken.KeyStore. A damaged row grants no access.
func (db PageKeys) Keys(ctx context.Context) ([]pagetoken.HeldKey, error) {
	return validRows(ctx, db, nil, scanKey,
		`SELECT id, hash, name, scope, client, acts, reads, projects, origin, made_at, used_at FROM access_tokens ORDER BY made_at, id`)
}

func scanKey(r *sql.Rows, k *pagetoken.HeldKey) error {
	var hash []byte
	var acts, reads, made, used int64
	var projects string
	c := scanColumns(r, "access_tokens", &k.ID, &k.ID, &hash, &k.Name, &k.Scope, &k.Client, &acts, &reads, &projects,
		&k.Origin, &made, &used)
	c.hash("hash", (*[32]byte)(&k.Hash), hash)
	k.Acts, k.Reads = c.flag("acts", acts), c.flag("reads", reads)
	c.must(slices.Contains(pagetoken.Scopes(), k.Scope), "its scope is unknown")
	for what, text := range map[string]string{"id": k.ID, "name": k.Name, "client": k.Client} {
		c.text(what, text, maxName)
	}
	k.Projects = strings.Fields(projects)
	c.must(k.Scope.Socket() == (len(k.Projects) > 0), "its projects do not match its scope")
	c.must(k.Origin == "" || k.Scope.Socket() && pagetoken.ValidOrigin(k.Origin), "its origin is invalid")
	k.MadeAt, k.UsedAt = c.time("made_at", made), c.time("used_at", used)
	return c.err
}

// AddKey implements pagetoken.KeyStore.
func (db PageKeys) AddKey(ctx context.Context, k pagetoken.HeldKey, limit int, may func(context.Context) error) error {
	return db.change(ctx, func(x *tx) error {
		if err := may(ctx); err != nil {
			return err
		}
		there, err := single[int](ctx, x, `SELECT count(*) FROM access_tokens`)
		if err != nil {
			return err
		}
		//mutant:never ./internal/pagetoken TestKeys
		if there >= limit {
			return fault.New(fault.RateLimited, "There are already %d access tokens. Revoke an unused one.", limit)
		}
		err = x.one(ctx,
			`INSERT INTO access_tokens (id, hash, name, scope, client, acts, reads, projects, origin, made_at, used_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
			k.ID, k.Hash[:], k.Name, string(k.Scope), k.Client, k.Acts, k.Reads, strings.Join(k.Projects, " "), k.Origin,
			nanoseconds(k.MadeAt))
		if err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Settings, To: "access_token", What: "made"})
	})
}

// RemoveKey implements pagetoken.KeyStore.
func (db PageKeys) RemoveKey(ctx context.Context, id string, may func(context.Context) error) (gone bool, err error) {
	err = db.change(ctx, func(x *tx) error {
		if err := may(ctx); err != nil {
			return err
		}
		n, err := x.exec(ctx, `DELETE FROM access_tokens WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if gone = n > 0; !gone {
			return errUnchanged
		}
		return x.record(ctx, events.Entry{Kind: events.Settings, To: "access_token", What: "revoked"})
	})
	return gone && err == nil, err
}

// TouchKey implements pagetoken.KeyStore.
func (db PageKeys) TouchKey(ctx context.Context, id string, at time.Time) error {
	return db.change(ctx, func(x *tx) error {
		_, err := x.exec(ctx, `UPDATE access_tokens SET used_at = max(used_at, ?) WHERE id = ?`, nanoseconds(at), id)
		return err
	})
}

// maxConversations is the maximum number of remembered conversations.
const maxConversations = 1000

// Converse records the client of a conversation.
func (db Conversations) Converse(ctx context.Context, client string) error {
	if len(client) > maxWord {
		return nil // too long to be named by an access token
	}
	return db.change(ctx, func(x *tx) error {
		if _, err := x.exec(ctx, `INSERT INTO conversations (session, client, begun_at) VALUES (?, ?, ?)
			ON CONFLICT (session) DO UPDATE SET client = excluded.client, ended_at = 0`, x.session, client,
			nanoseconds(x.now)); err != nil {
			return err
		}
		_, err := x.exec(ctx, `DELETE FROM conversations WHERE session NOT IN
			(SELECT session FROM conversations ORDER BY begun_at DESC LIMIT ?)`, maxConversations)
		return err
	})
}

// Conversation returns the newest conversation of a client, or false if there is none.
func (db Conversations) Conversation(ctx context.Context, client string) (string, bool, error) {
	found, err := column[string](ctx, db,
		`SELECT session FROM conversations WHERE client = ? ORDER BY begun_at DESC, session LIMIT 1`, client)
	if err != nil || len(found) == 0 {
		return "", false, err
	}
	return found[0], true, nil
}

// Following returns the newest conversation of a conversation's client, and the client's name. If
// the conversation is unknown, Following returns session itself and no name.
func (db Conversations) Following(ctx context.Context, session string) (newest, client string, err error) {
	type led struct{ session, client string }
	found, err := find(ctx, db, func(r *sql.Rows, l *led) error { return r.Scan(&l.session, &l.client) },
		`SELECT session, client FROM conversations WHERE client = (SELECT client FROM conversations WHERE session = ?)
			ORDER BY begun_at DESC, session LIMIT 1`, session)
	if err != nil || len(found) == 0 {
		return session, "", err
	}
	return found[0].session, found[0].client, nil
}

// ClientOf returns the name that a task's client gave itself, or "" if it is unknown.
func (db Conversations) ClientOf(ctx context.Context, subject string) (string, error) {
	return single[string](ctx, db, `SELECT c.client FROM tasks AS t JOIN conversations AS c ON c.session = t.session
		WHERE t.subject = ? ORDER BY t.created_at LIMIT 1`, subject)
}

// Clients lists the clients of the remembered conversations, latest first.
func (db Conversations) Clients(ctx context.Context) ([]string, error) {
	return column[string](ctx, db,
		`SELECT client FROM conversations GROUP BY client ORDER BY max(begun_at) DESC LIMIT 20`)
}

// KnowsConversation reports whether anything is stored for a conversation.
func (db Conversations) KnowsConversation(ctx context.Context, session string) (bool, error) {
	return single[bool](ctx, db,
		`SELECT ?1 <> '' AND (EXISTS (SELECT 1 FROM conversations WHERE session = ?1)
			OR EXISTS (SELECT 1 FROM tasks WHERE session = ?1)
			OR EXISTS (SELECT 1 FROM log WHERE session = ?1 AND audience <> 1))`, session)
}
