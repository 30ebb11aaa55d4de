// Package settings is what a person sets on this machine: which nodes are
// asked, what may be spent and with whom, and the copy of all local data that
// can be taken out and put back.
//
// It holds the words and the laws. It reaches no node, no file and no page:
// those are handed in. Nothing here can be called by a tool but reading.
package settings

import (
	"context"

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
	Allowance review.Allowance `json:"allowance"`
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

// Config is what a Service needs.
type Config struct {
	Store Store
}

// Service reads and changes the settings of one machine.
type Service struct{ c Config }

// New gives a Service.
func New(c Config) *Service { return &Service{c: c} }

// Allowance gives what the person allows, as it is stored at this moment. An
// error means that it is not known, and then nothing may be taken as allowed.
func (s *Service) Allowance(ctx context.Context) (review.Allowance, error) {
	stored, err := s.c.Store.Settings(ctx)
	return stored.Allowance, err
}
