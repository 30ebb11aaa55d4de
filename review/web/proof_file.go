package web

import (
	"context"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/review/record"
)

// ProofFile makes the proof of a transaction as a file that can be checked anywhere.
type ProofFile func(ctx context.Context, digest sui.Digest) ([]byte, error)

// proofOut is such a file as text.
type proofOut struct {
	File string `json:"file"`
	Name string `json:"name"`
}

// proof returns the proof of the review's own transaction, and of no other.
func (p *Reviews) proof(c *web.Call) error {
	session, err := p.Reviews.Get(c.Ctx(), record.ID(c.ID))
	if err != nil {
		return err
	}
	x := session.Execution
	if x == nil || x.Receipt == nil || x.Proof().State != record.Proved {
		return fault.New(fault.UnsupportedAction, "There is no proof of this result that could be saved.")
	}
	digest, err := sui.ParseDigest(x.TxDigest)
	if err != nil {
		return err
	}
	b, err := p.ProofFile(c.Ctx(), digest)
	if err != nil {
		return fault.Wrap(err, fault.ProviderUnavailable, "The proof could not be put together now: %s", err)
	}
	c.Unhurried()
	return web.JSON(c, http.StatusOK, proofOut{File: string(b), Name: "proof-" + x.TxDigest + ".json"})
}
