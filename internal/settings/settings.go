// Package settings holds what a user sets on this computer: which nodes are asked, and the policy
// for transactions.
//
// It has the texts and the rules of changes. It accesses no node, file or page: callers provide
// those. Tools read settings; only the settings page changes them.
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

// Stored is everything that a user set. The zero Stored means that nothing was set: defaults, and
// no limits.
type Stored struct {
	// Addresses are those of the services to ask, "" for the default. In JSON each that is
	// set is a member of the settings.
	Addresses [Count]string `json:"-"`
	// Allowance limits amounts, protocols and recipients.
	Allowance policy.Allowance `json:"allowance"`
	// Switches are on or off. In JSON each that is on and has a member is one of the settings.
	Switches [Switches]bool `json:"-"`
	// Hardware are the accounts whose transactions are built so that a device can show them.
	Hardware Hardware `json:"hardwareAccounts,omitempty"`
	// Told are keys of notices that the user got and does not get again. Copies leave it out.
	Told Told `json:"-"`
	// Sharing is with whom else this computer's program is shared. It is no part of a copy.
	Sharing Sharing `json:"-"`
}

// Check reads the addresses as if a user had typed them, into their canonical form, and checks the
// allowance.
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
	// Settings returns what is stored. A setting that cannot be read back is an
	// error, never its default: a limit that is lost must not allow.
	Settings(ctx context.Context) (Stored, error)
	// ChangeSettings lets edit change the stored settings and writes the difference, with a journal
	// row per changed setting, in one write transaction. Then it wakes the watchers of the
	// settings. Unchanged settings are not written. An error of edit rolls back and is returned
	// unchanged.
	ChangeSettings(ctx context.Context, edit func(*Stored) error) error
	// Frozen reports whether the user stopped all releases; one that cannot be read back is a stop.
	Frozen(ctx context.Context) (bool, error)
	// SetFrozen stops all releases of every process, or lifts that, with its event in
	// the same transaction, in which the rights are judged too.
	SetFrozen(ctx context.Context, on bool, rights ...Right) error
}

// Source is where an effective address comes from; each takes precedence over those after it.
type Source string

// The sources.
const (
	FromFlag        Source = "flag"
	FromEnvironment Source = "environment"
	FromStored      Source = "stored"
	FromDefault     Source = "default"
)

// Words describes to a user where an address comes from.
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

// InForce is the address that this process has asked since it was started, "" for none.
type InForce struct {
	URL    string
	Source Source
}

// Config has a Service's dependencies. Resolver, Prober and the addresses serve the page and the
// tools; reading only limits needs only Store.
type Config struct {
	Store    Store
	Resolver Resolver
	Prober   Prober

	InForce  [Count]InForce
	Defaults [Count]string // in words if there is no address
	// Asked returns the address that the configuration of an AI client names and the user has not
	// said yes to, or "". It may be nil.
	Asked  func(Which) string
	Forced [Switches]bool // on whatever is stored

	Protocols []policy.Protocol
	// Released lists the transactions that count toward the 24-hour limits, and the current time.
	// If it is nil, the use of a limit is unknown.
	Released func(ctx context.Context) ([]policy.Release, time.Time, error)
}

// Service reads and changes the settings of one machine.
type Service struct{ c Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c: c} }

// Allowance returns the current limits. An error means that they are unknown, and then nothing is
// allowed.
func (s *Service) Allowance(ctx context.Context) (policy.Allowance, error) {
	stored, err := s.c.Store.Settings(ctx)
	return stored.Allowance, err
}

// InForce returns the effective address of a service, and where it comes from.
func (s *Service) InForce(w Which) InForce { return s.c.InForce[w] }

// Session makes the id of a settings page: 18 random bytes in base64url.
func (s *Service) Session() (string, error) {
	b := make([]byte, 18)
	if _, err := io.ReadFull(rand.Reader, b); err != nil {
		return "", fault.Wrap(err, fault.InternalError, "This machine gave no random numbers; no page was made.")
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// Address is one service's address as stored and as in force.
type Address struct {
	Which   Which
	Stored  string // "" if nothing is stored
	InForce InForce
	Default string
	// Asked is the address that the configuration of an AI client names, if the user has not said
	// yes to it: it is not used.
	Asked string
	// AfterRestart means that the stored address, or the default if nothing is stored, takes effect
	// after a restart.
	AfterRestart bool
}

// Shown returns the address in force without what could be a secret in it, or "none".
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

// View is everything that is set, for the page and the tools.
type View struct {
	Addresses              [Count]Address
	PerTransaction, PerDay []policy.Line
	Allowance              policy.Allowance
	Protocols              []policy.Protocol
	Frozen                 bool // nothing is released
	Switches               [Switches]bool
	Forced                 [Switches]bool // on as long as this server runs, whatever is stored
	Sharing                Sharing
}

// View reads everything that is set.
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
