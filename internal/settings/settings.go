// Package settings manages what the user sets on this computer, such as the addresses of nodes and
// the limits for transactions.
//
// It contains the texts and the rules for changes. It accesses no node, file or page; callers
// provide them. Tools read settings; only the settings page changes them.
package settings

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"io"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
)

// Stored holds everything that the user set. The zero value means defaults and no limits.
type Stored struct {
	// Addresses are the services' addresses; "" means the default. In JSON, each set address is a
	// member of the settings.
	Addresses [Count]string `json:"-"`
	// Allowance limits amounts, protocols and recipients.
	Allowance policy.Allowance `json:"allowance"`
	// Switches are on or off. In JSON, each one that is on and has a member name is a member.
	Switches [Switches]Position `json:"-"`
	// Hardware lists the accounts whose transactions are built so that a device can display them.
	Hardware Hardware `json:"hardwareAccounts,omitempty"`
	// Shown lists the keys of notices that were shown and are not repeated. Backups omit it.
	Shown Notices `json:"-"`
	// Sharing configures sharing with other machines. Backups omit it.
	Sharing Sharing `json:"-"`
}

// Check replaces the addresses by their canonical form, as if the user had typed them, and checks
// the other settings.
func (s *Stored) Check() error {
	for w, text := range s.Addresses {
		if text == "" {
			continue
		}
		e, err := ParseEndpoint(Which(w), text)
		if err != nil {
			return err
		}
		s.Addresses[w] = e.URL
	}
	if err := s.Hardware.Check(); err != nil {
		return err
	}
	return s.Allowance.Check()
}

// Store stores settings.
type Store interface {
	// Settings returns the stored settings. It returns an error, not the default, for a damaged
	// setting, because losing a limit would allow more.
	Settings(ctx context.Context) (Stored, error)
	// ChangeSettings calls edit with the stored settings and writes the differences, with a journal
	// row for each, in one write transaction. It then wakes the settings' watchers. An error of
	// edit rolls back and is returned unchanged.
	ChangeSettings(ctx context.Context, edit func(*Stored) error) error
	// Frozen reports whether the user paused all releases. It is true if the setting is damaged.
	Frozen(ctx context.Context) (bool, error)
	// SetFrozen pauses or resumes the releases of every process. It stores the event and checks the
	// rights in the same transaction.
	SetFrozen(ctx context.Context, on bool, rights ...Right) error
}

// Source is where an effective address comes from. Each takes precedence over those after it.
type Source string

// The sources.
const (
	FromFlag        Source = "flag"
	FromEnvironment Source = "environment"
	FromStored      Source = "stored"
	FromDefault     Source = "default"
)

// Words describes the source to a user.
func (f Source) Words() string {
	switch f {
	case FromFlag:
		return "set by a command-line flag"
	case FromEnvironment:
		return "set by an environment variable"
	case FromStored:
		return "stored here"
	}
	return "the default"
}

// InForce is the address that this process has used since it started, or "".
type InForce struct {
	URL    string
	Source Source
}

// Config holds a Service's dependencies. The page and the tools need Resolver, Prober and the
// addresses. Reading limits needs only Store.
type Config struct {
	Store    Store
	Resolver Resolver
	Prober   Prober

	InForce  [Count]InForce
	Defaults [Count]string // text for a service without an address
	// Asked returns the address in an AI client's configuration that the user has not accepted, or
	// "". It may be nil.
	Asked  func(Which) string
	Forced [Switches]bool // on, regardless of the stored position

	Protocols []policy.Protocol
	// Released lists the transactions that count toward the 24-hour limits, and the current time.
	// If it is nil, the use of a limit is unknown.
	Released func(ctx context.Context) ([]policy.Release, time.Time, error)
}

// Service reads and changes the settings of one machine.
type Service struct{ c Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c: c} }

// Allowance returns the current limits. If it returns an error, callers must not allow anything.
func (s *Service) Allowance(ctx context.Context) (policy.Allowance, error) {
	stored, err := s.c.Store.Settings(ctx)
	return stored.Allowance, err
}

// InForce returns the effective address of a service, and where it comes from.
func (s *Service) InForce(w Which) InForce { return s.c.InForce[w] }

// Session returns the id for a settings page: 18 random bytes in base64url.
func (s *Service) Session() (string, error) {
	b := make([]byte, 18)
	if _, err := io.ReadFull(rand.Reader, b); err != nil {
		return "", fault.Wrap(err, fault.InternalError, "No random numbers are available, so no page was created.")
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// Address is one service's stored and effective address.
type Address struct {
	Which   Which
	Stored  string // "" if nothing is stored
	InForce InForce
	Default string
	// Asked is the address in an AI client's configuration, which is not used until the user
	// accepts it.
	Asked string
	// AfterRestart reports that the stored address, or the default, takes effect after a restart.
	AfterRestart bool
}

// Shown returns the effective address without parts that could be secret, or "none".
func (a Address) Shown() string {
	if a.InForce.URL == "" {
		return "none"
	}
	return Shown(a.InForce.URL)
}

// Overridden reports whether a flag or the environment takes precedence over the stored address.
func (a Address) Overridden() bool {
	return a.InForce.Source == FromFlag || a.InForce.Source == FromEnvironment
}

// View holds all settings for the page and the tools.
type View struct {
	Addresses              [Count]Address
	PerTransaction, PerDay []policy.Line
	Allowance              policy.Allowance
	Protocols              []policy.Protocol
	Frozen                 bool // releases are paused
	Switches               [Switches]Position
	Forced                 [Switches]bool // on while this server runs, regardless of the stored position
	Sharing                Sharing
}

// View returns all settings.
func (s *Service) View(ctx context.Context) (View, error) {
	stored, err := s.c.Store.Settings(ctx)
	if err != nil {
		return View{}, err
	}
	frozen, err := s.c.Store.Frozen(ctx)
	if err != nil {
		return View{}, err
	}
	v := View{
		Frozen:         frozen,
		Switches:       stored.Switches,
		Forced:         s.c.Forced,
		Sharing:        stored.Sharing,
		PerTransaction: policy.Lines(stored.Allowance.PerTransaction),
		PerDay:         policy.Lines(stored.Allowance.PerDay),
		Allowance:      stored.Allowance,
		Protocols:      s.c.Protocols,
	}
	if s.c.Released != nil && len(v.PerDay) > 0 {
		released, now, err := s.c.Released(ctx)
		if err != nil {
			return View{}, err
		}
		for i := range v.PerDay {
			v.PerDay[i].Since(released, now)
		}
	}
	for w := range Count {
		v.Addresses[w] = address(w, stored.Addresses[w], s.c.InForce[w], s.c.Defaults[w])
		if s.c.Asked == nil {
			continue
		}
		if asked := s.c.Asked(w); !Same(asked, stored.Addresses[w]) {
			v.Addresses[w].Asked = asked
		}
	}
	return v, nil
}

func address(w Which, stored string, inForce InForce, standard string) Address {
	a := Address{Which: w, Stored: stored, InForce: inForce, Default: standard}
	switch {
	case a.Overridden():
	case stored == "":
		a.AfterRestart = inForce.Source == FromStored
	default:
		a.AfterRestart = inForce.Source != FromStored || inForce.URL != stored
	}
	return a
}
