package web

import (
	"context"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

// ProofFile makes the proof of a transaction as a file that can be checked anywhere.
type ProofFile func(ctx context.Context, digest sui.Digest) ([]byte, error)

// proofOut is such a file as text.
type proofOut struct {
	File string `json:"file"`
	Name string `json:"name"`
}

// reviewProof returns the proof of the review's own transaction, and of no other.
func (s *Server) reviewProof(c *call) error {
	if _, err := body[struct{}](c); err != nil {
		return err
	}
	session, err := s.Reviews.Get(c.ctx(), record.ID(c.id))
	if err != nil {
		return err
	}
	x := session.Execution
	if s.ProofFile == nil || x == nil || x.Receipt == nil || x.Proof().State != record.Proved {
		return fault.New(fault.UnsupportedAction, "There is no proof of this result that could be saved.")
	}
	digest, err := sui.ParseDigest(x.TxDigest)
	if err != nil {
		return err
	}
	b, err := s.ProofFile(c.ctx(), digest)
	if err != nil {
		return fault.Wrap(err, fault.ProviderUnavailable, "The proof could not be put together now: %s", err)
	}
	s.unhurried(c)
	writeJSON(c.w, http.StatusOK, proofOut{File: string(b), Name: "proof-" + x.TxDigest + ".json"})
	return nil
}
