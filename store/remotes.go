package store

import (
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/remotes"
)

// RemoteAccess stores the other machines that may connect, with their permissions.
type RemoteAccess struct{ *engine }

var _ remotes.Store = RemoteAccess{}

const selectRemotes = `SELECT key, profile, code, name, scope, asked_at, ends_at, revoked_at, seen_at FROM remotes`

func (RemoteAccess) readAll(ctx context.Context, s *survey) error {
	return checkRows(ctx, s, scanRemote, selectRemotes)
}

// scanRemote reads a row; a damaged one grants no access.
func scanRemote(r *sql.Rows, m *remotes.Remote) error {
	var key []byte
	var asked, ends, revoked, seen int64
	c := scanColumns(r, "remotes", nil, &key, &m.Profile, &m.Code, &m.Name, &m.Scope, &asked, &ends, &revoked, &seen)
	c.key = shownHash(key)
	c.hash("key", (*[32]byte)(&m.Key), key)
	for what, text := range map[string]string{"profile": m.Profile, "code": m.Code, "name": m.Name} {
		c.text(what, text, maxName)
	}
	c.must(m.Scope == "" || m.Scope == remotes.ReadOnly || m.Scope == remotes.AllTools, "its scope is unknown")
	m.AskedAt, m.EndsAt = c.time("asked_at", asked), c.time("ends_at", ends)
	m.RevokedAt, m.SeenAt = c.time("revoked_at", revoked), c.time("seen_at", seen)
	return c.err
}

// Remotes implements remotes.Store.
func (db RemoteAccess) Remotes(ctx context.Context) ([]remotes.Remote, error) {
	return remotesOf(ctx, db)
}

func remotesOf(ctx context.Context, r rower) ([]remotes.Remote, error) {
	return validRows(ctx, r, nil, scanRemote, selectRemotes+` ORDER BY asked_at DESC, key`)
}

// Remote implements remotes.Store.
func (db RemoteAccess) Remote(ctx context.Context, k remotes.Key) (remotes.Remote, bool, error) {
	return remoteOf(ctx, db, k)
}

func remoteOf(ctx context.Context, r rower, k remotes.Key) (remotes.Remote, bool, error) {
	found, err := validRows(ctx, r, nil, scanRemote, selectRemotes+` WHERE key = ?`, k[:])
	if err != nil || len(found) == 0 {
		return remotes.Remote{}, false, err
	}
	return found[0], true, nil
}

// AskRemote implements remotes.Store.
func (db RemoteAccess) AskRemote(ctx context.Context, asked remotes.Remote) error {
	return db.change(ctx, func(x *tx) error {
		all, err := remotesOf(ctx, x) // latest first
		if err != nil {
			return err
		}
		m, waiting, kept := asked, 1, 0
		for _, other := range all {
			gone := other.Scope == "" && !other.Asks(x.now) // its request expired or was dismissed
			switch {
			case other.Key == asked.Key:
				m, gone = other.Ask(asked, x.now), true
			case gone:
			case other.Scope == "":
				waiting++
				//mutant:never ./store TestRemotes/of too many that wait the oldest gives way
				if waiting > remotes.MostWait {
					gone = true
				}
			case other.State(x.now) == remotes.Admitted || kept+1 < remotes.MostKept:
				kept++
			default: // its access ended, and MostKept newer ones are stored
				gone = true
			}
			if gone {
				if _, err := x.exec(ctx, `DELETE FROM remotes WHERE key = ?`, other.Key[:]); err != nil {
					return err
				}
			}
		}
		if kept >= remotes.MostKept {
			return fault.New(fault.RateLimited, "%d machines already have access. Revoke one first.", kept)
		}
		err = x.one(ctx, `INSERT INTO remotes (key, profile, code, name, scope, asked_at, ends_at, revoked_at, seen_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, m.Key[:], m.Profile, m.Code, m.Name, string(m.Scope), nanoseconds(m.AskedAt),
			nanoseconds(m.EndsAt), nanoseconds(m.RevokedAt), nanoseconds(m.SeenAt))
		if err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Settings, To: "remote", What: "asked"})
	})
}

// AdmitRemote implements remotes.Store.
func (db RemoteAccess) AdmitRemote(ctx context.Context, a remotes.Admission, may func(context.Context) error) error {
	return db.change(ctx, func(x *tx) error {
		if err := may(ctx); err != nil {
			return err
		}
		m, known, err := remoteOf(ctx, x, a.Key)
		if err != nil {
			return err
		}
		if !known {
			return fault.New(fault.InvalidSessionTransition, "This machine is no longer waiting. Start the pairing there again.")
		}
		if m, err = m.Admit(a, x.now); err != nil {
			return err
		}
		if err := x.one(ctx, `UPDATE remotes SET code = ?, name = ?, scope = ?, ends_at = ? WHERE key = ?`,
			m.Code, m.Name, string(m.Scope), nanoseconds(m.EndsAt), m.Key[:]); err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Settings, To: "remote", What: "admitted"})
	})
}

// RevokeRemote implements remotes.Store. It deletes a request that was not accepted.
func (db RemoteAccess) RevokeRemote(ctx context.Context, k remotes.Key,
	may func(context.Context) error) (gone bool, err error) {
	err = db.change(ctx, func(x *tx) error {
		if err := may(ctx); err != nil {
			return err
		}
		n, err := x.exec(ctx, `UPDATE remotes SET revoked_at = ? WHERE key = ? AND revoked_at = 0`, nanoseconds(x.now), k[:])
		if err != nil {
			return err
		}
		if gone = n > 0; !gone {
			return errUnchanged
		}
		return x.record(ctx, events.Entry{Kind: events.Settings, To: "remote", What: "revoked"})
	})
	return gone && err == nil, err
}

// SawRemote implements remotes.Store.
func (db RemoteAccess) SawRemote(ctx context.Context, k remotes.Key) error {
	return db.change(ctx, func(x *tx) error {
		_, err := x.exec(ctx, `UPDATE remotes SET seen_at = max(seen_at, ?) WHERE key = ?`, nanoseconds(x.now), k[:])
		return err
	})
}
