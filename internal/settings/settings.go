// Package settings is what a person sets on this machine: which nodes are
// asked, what may be spent and with whom, and the copy of all local data that
// can be taken out and put back.
//
// It holds the words and the laws. It reaches no node, no file and no page:
// those are handed in. Tools read through it; only the settings page changes
// anything.
package settings

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"io"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/review"
)

// Stored is everything that a person set. The zero Stored is a machine on
// which nothing was set: defaults, and everything allowed.
type Stored struct {
	// GRPC is the Sui node to ask, "" for the default.
	GRPC string `json:"suiGrpcUrl,omitempty"`
	// GraphQL is the Sui GraphQL service to ask, "" for the default.
	GraphQL string `json:"suiGraphqlUrl,omitempty"`
	// Allowance is what may be spent, on which protocols and to whom.
	Allowance policy.Allowance `json:"allowance"`
}

// endpoint gives where the address of a service is stored.
func (s *Stored) endpoint(w Which) *string {
	if w == GraphQL {
		return &s.GraphQL
	}
	return &s.GRPC
}

// Store keeps settings durably.
type Store interface {
	// Settings gives what is stored. A setting that cannot be read back is an
	// error, never its default: a limit that is lost must not allow.
	Settings(ctx context.Context) (Stored, error)
	// ChangeSettings lets law edit what is stored and writes the difference,
	// with one journal row for each changed setting, in one write transaction;
	// then it wakes those who watch the settings. What law left as it was is
	// not written. An error of law rolls back and is returned as it is.
	ChangeSettings(ctx context.Context, law func(*Stored) error) error
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

// InForce is the address that this process has asked since it was started.
type InForce struct {
	URL    string
	Source Source
}

// Config is what a Service needs. Records, Resolver, Prober, Now, Network and
// the addresses serve the page and the tools; who reads the allowance alone
// needs Store.
type Config struct {
	Store    Store
	Records  Records
	Resolver Resolver
	Prober   Prober
	Now      func() time.Time
	Network  string // of this server, as in sui:mainnet

	GRPC, GraphQL               InForce
	DefaultGRPC, DefaultGraphQL string // in words where there is no address

	Protocols []policy.Protocol
}

// Service reads and changes the settings of one machine.
type Service struct {
	c Config

	mu     sync.Mutex
	staged *staged // the copy that was looked at last, waiting to be put in
}

// New gives a Service.
func New(c Config) *Service { return &Service{c: c} }

// Allowance gives what the person allows, as it is stored at this moment. An
// error means that it is not known, and then nothing may be taken as allowed.
func (s *Service) Allowance(ctx context.Context) (policy.Allowance, error) {
	stored, err := s.c.Store.Settings(ctx)
	return stored.Allowance, err
}

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
	Stored  string // "" where nothing is stored
	InForce InForce
	Default string
	// AfterRestart says that the stored address, or the default where nothing is
	// stored, takes effect when the program is started again.
	AfterRestart bool
}

// Overridden reports whether a flag or the environment wins over what is stored.
func (a Address) Overridden() bool {
	return a.InForce.Source == FromFlag || a.InForce.Source == FromEnvironment
}

// View is everything that is set, for the page and the tools.
type View struct {
	GRPC, GraphQL          Address
	PerTransaction, PerDay []policy.Line
	Allowance              policy.Allowance
	Protocols              []policy.Protocol
	// Unsettled are the reviews that keep all data from being replaced.
	Unsettled []review.ID
}

// View reads everything that is set.
func (s *Service) View(ctx context.Context) (View, error) {
	present, err := s.c.Records.Present(ctx)
	if err != nil {
		return View{}, err
	}
	stored := present.Settings
	return View{
		Unsettled:      present.Unsettled,
		GRPC:           address(GRPC, stored.GRPC, s.c.GRPC, s.c.DefaultGRPC),
		GraphQL:        address(GraphQL, stored.GraphQL, s.c.GraphQL, s.c.DefaultGraphQL),
		PerTransaction: policy.Lines(stored.Allowance.PerTransaction),
		PerDay:         policy.Lines(stored.Allowance.PerDay),
		Allowance:      stored.Allowance,
		Protocols:      s.c.Protocols,
	}, nil
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
