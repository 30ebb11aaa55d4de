package account

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// Config has a Service's dependencies. Chain is the wallet chain of this server's accounts, such as
// sui:mainnet. A nil Rand means the operating system's source.
type Config struct {
	Store Store
	Hub   *events.Hub
	Now   func() time.Time
	Chain string
	Rand  io.Reader
}

// Service manages connect sessions and the active account.
type Service struct{ c Config }

// New returns a Service.
func New(c Config) *Service {
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	return &Service{c: c}
}

// errUnchanged is returned by a transition that changes nothing, so that nothing is written.
var errUnchanged = errors.New("unchanged")

// Create starts a session with status Pending, which expires after IdentityLife.
func (s *Service) Create(ctx context.Context) (Identity, error) {
	b := make([]byte, 18)
	if _, err := io.ReadFull(s.c.Rand, b); err != nil {
		return Identity{}, fault.Wrap(err, fault.InternalError,
			"This machine provided no random numbers, so no session was created.")
	}
	now := s.c.Now().Truncate(time.Millisecond)
	i := Identity{
		ID: base64.RawURLEncoding.EncodeToString(b), Status: Pending,
		CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(IdentityLife),
	}
	return i, s.c.Store.CreateIdentity(ctx, i)
}

// Identity returns a session. If the session is due, it becomes Expired first. Identity returns
// fault.SessionNotFound for an unknown ID.
func (s *Service) Identity(ctx context.Context, id string) (Identity, error) {
	i, err := s.c.Store.Identity(ctx, id)
	if err != nil || !s.due(i) {
		return i, err
	}
	return s.change(ctx, id, func(*Row) error { return errUnchanged })
}

// Opened records that a page shows the session. It leaves later statuses unchanged: a second page
// of a connected session has no effect.
func (s *Service) Opened(ctx context.Context, id string) error {
	_, err := s.change(ctx, id, func(r *Row) error {
		switch r.Identity.Status {
		case Pending:
			r.Identity.Status = Opened
			return nil
		case Expired:
			return expired()
		default:
			return errUnchanged
		}
	})
	return err
}

// Report applies a report of the connect page. A report of Connected also makes the account active,
// in the same transaction; if the account is on another chain, the session becomes Failed with
// UnsupportedChain. Repeating a report has no effect. Report returns fault.InputInvalid for a
// malformed report, and fault.InvalidSessionTransition for one that the session's status does not
// allow. Neither changes anything.
func (s *Service) Report(ctx context.Context, id string, r Report) (Identity, error) {
	r, err := s.screened(ctx, r)
	if err != nil {
		return Identity{}, err
	}
	next, err := s.read(r)
	if err != nil {
		return Identity{}, err
	}
	return s.change(ctx, id, func(row *Row) error { return s.apply(row, next) })
}

// Wait returns the session once its status is terminal, or when most or MostWait has passed. The
// second result reports whether the status is terminal. If ctx is canceled, Wait returns
// fault.RequestAborted.
func (s *Service) Wait(ctx context.Context, id string, most time.Duration) (Identity, bool, error) {
	within, end := context.WithTimeout(ctx, min(most, MostWait))
	defer end()
	var i Identity
	err := s.c.Hub.Until(within, func() (bool, time.Duration, error) {
		var err error
		i, err = s.Identity(ctx, id)
		return i.Status.Terminal(), max(i.ExpiresAt.Sub(s.c.Now()), 10*time.Millisecond), err
	}, events.Subject{Kind: events.Identity, ID: id})
	switch {
	case ctx.Err() != nil && err != nil:
		return Identity{}, false, aborted(ctx)
	case err == nil:
		return i, true, nil
	case !errors.Is(err, within.Err()):
		return Identity{}, false, err
	}
	i, err = s.Identity(ctx, id)
	return i, err == nil && i.Status.Terminal(), err
}

// Active returns the active account, or false if there is none.
func (s *Service) Active(ctx context.Context) (Active, bool, error) {
	return s.c.Store.ActiveAccount(ctx)
}

// clockPlay is how far the clock may be set back without effect. Time servers make small
// corrections.
const clockPlay = time.Minute

// due reports whether a session must expire: its time is over, or the clock was set back since its
// last change, which would prolong it.
func (s *Service) due(i Identity) bool {
	now := s.c.Now()
	return !i.Status.Terminal() && (!now.Before(i.ExpiresAt) || i.UpdatedAt.Sub(now) > clockPlay)
}

// change calls law to change a session, after expiring the session if it is due. law may return
// errUnchanged.
func (s *Service) change(ctx context.Context, id string, law func(*Row) error) (Identity, error) {
	var present Identity
	var refused error
	i, err := s.c.Store.ChangeIdentity(ctx, id, func(r *Row) error {
		refused = nil
		now := s.c.Now().Truncate(time.Millisecond)
		before := Accounts{Active: r.Accounts.Active, Known: slices.Clone(r.Accounts.Known)}
		lapsed := s.due(r.Identity)
		if lapsed {
			r.Identity.Status, r.Identity.UpdatedAt = Expired, now
		}
		present = r.Identity
		r.Identity.UpdatedAt = now
		err := law(r)
		if lapsed {
			// The expiry is stored even if law fails.
			r.Identity, r.Accounts = present, before
			if err != nil && !errors.Is(err, errUnchanged) {
				refused = err
			}
			return nil
		}
		return err
	})
	if errors.Is(err, errUnchanged) {
		return present, nil
	}
	if err == nil {
		err = refused
	}
	return i, err
}

func expired() error {
	return fault.New(fault.SessionExpired,
		"This connect session is older than %d minutes. Ask your AI client for a new one.", int(IdentityLife.Minutes()))
}

func aborted(ctx context.Context) error {
	return fault.Wrap(context.Cause(ctx), fault.RequestAborted,
		"The wait was cancelled. The session continues; ask for it again.")
}
