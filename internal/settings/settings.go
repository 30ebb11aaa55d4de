// Package settings is what a user sets on this machine: which nodes are asked,
// and the policy by which transactions are judged.
//
// It holds the words and the rules of changes. It reaches no node, no file and no
// page: those are handed in. Tools read through it; only the settings page changes
// anything.
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

// Stored is everything that a user set. The zero Stored is a machine on which nothing was set:
// defaults, and everything allowed.
type Stored struct {
	// Addresses are those of the services to ask, "" for the default. In JSON each that is
	// set is a member of the settings.
	Addresses [Count]string `json:"-"`
	// Allowance is what may be spent, on which protocols and to whom.
	Allowance policy.Allowance `json:"allowance"`
	// Material says that transactions which other programs built may be sent here to be
	// read.
	Material bool `json:"externalMaterial,omitempty"`
	// Hardware are the accounts whose transactions are built so that a device can show them.
	Hardware Hardware `json:"hardwareAccounts,omitempty"`
	// HTTP says that AI clients may connect over HTTP. Copies leave it out.
	HTTP bool `json:"-"`
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

// Store keeps settings durably.
type Store interface {
	// Settings returns what is stored. A setting that cannot be read back is an
	// error, never its default: a limit that is lost must not allow.
	Settings(ctx context.Context) (Stored, error)
	// ChangeSettings lets edit change what is stored and writes the difference,
	// with one journal row for each changed setting, in one write transaction;
	// then it wakes those who watch the settings. What edit left as it was is
	// not written. An error of edit rolls back and is returned as it is.
	ChangeSettings(ctx context.Context, edit func(*Stored) error) error
	// Frozen reports whether the user stopped all releases; one that cannot be read back is a stop.
	Frozen(ctx context.Context) (bool, error)
	// SetFrozen stops all releases of every process, or lifts that, with its event in
	// the same transaction, in which the rights are judged too.
	SetFrozen(ctx context.Context, on bool, rights ...Right) error
}

// Source says where an address in force comes from; each wins over those
// after it.
type Source string

// The sources.
const (
	FromFlag        Source = "flag"
	FromEnvironment Source = "environment"
	FromStored      Source = "stored"
	FromDefault     Source = "default"
)

// Words say for a user where an address comes from.
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

// Config is what a Service needs. Resolver, Prober and the addresses serve the
// page and the tools; who reads the allowance alone needs Store.
type Config struct {
	Store    Store
	Resolver Resolver
	Prober   Prober

	InForce  [Count]InForce
	Defaults [Count]string // in words if there is no address
	// Asked returns the address that the configuration of an AI client names and the user has not
	// said yes to, or "". It may be nil.
	Asked func(Which) string
	// HTTP says that AI clients may connect over HTTP whatever is stored.
	HTTP bool

	Protocols []policy.Protocol
	// Released lists the transactions that count against the limits of 24 hours, and the current
	// time. It may be nil: then how much of a limit is used is not known.
	Released func(ctx context.Context) ([]policy.Release, time.Time, error)
}

// Service reads and changes the settings of one machine.
type Service struct{ c Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c: c} }

// Allowance returns what the user allows, as it is stored at this moment. An error means that it is
// not known, and then nothing may be taken as allowed.
func (s *Service) Allowance(ctx context.Context) (policy.Allowance, error) {
	stored, err := s.c.Store.Settings(ctx)
	return stored.Allowance, err
}

// InForce returns the address of a service that is asked, and where it comes from.
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
	// AfterRestart says that the stored address, or the default if nothing is stored, takes effect
	// when the program is started again.
	AfterRestart bool
}

// Shown returns the address in force without what could be a secret in it, or "none".
func (a Address) Shown() string {
	if a.InForce.URL == "" {
		return "none"
	}
	return Shown(a.InForce.URL)
}

// Overridden reports whether a flag or the environment wins over what is stored.
func (a Address) Overridden() bool {
	return a.InForce.Source == FromFlag || a.InForce.Source == FromEnvironment
}

// View is everything that is set, for the page and the tools.
type View struct {
	Addresses              [Count]Address
	PerTransaction, PerDay []policy.Line
	Allowance              policy.Allowance
	Protocols              []policy.Protocol
	Frozen                 bool // nothing is handed to a wallet
	Material               bool // transactions that other programs built may be sent here
	HTTP                   bool // AI clients may connect over HTTP
	HTTPByFlag             bool // they may as long as this server runs, whatever is stored
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
		Material:       stored.Material,
		HTTP:           stored.HTTP,
		HTTPByFlag:     s.c.HTTP,
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
