package proof

import (
	"fmt"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Anchor is the last checkpoint of an epoch, trusted without a signature and identified by its
// sequence number and digest. Chain is the chain's identifier. Source describes how the digest was
// obtained.
type Anchor struct {
	Network  string
	Chain    sui.Digest
	Epoch    uint64
	Sequence uint64
	Digest   sui.Digest
	Source   string
}

// SandboxAnchor returns the anchor of a sandbox, given the summary that lists the validators of its
// first epoch. They are the same in every sandbox. Epoch and Sequence are zero if the summary cannot
// be decoded.
func SandboxAnchor(chain sui.Digest, summary []byte) Anchor {
	a := Anchor{Network: "sandbox", Chain: chain, Digest: SummaryDigest(summary), Source: "the sandbox of this program"}
	if s, err := readSummary(summary); err == nil {
		a.Epoch, a.Sequence = s.Epoch, s.Sequence
	}
	return a
}

// AnchorAt returns the anchor for the verified last checkpoint of an epoch, on the chain of an
// earlier anchor.
func AnchorAt(from Anchor, step FileStep) (Anchor, error) {
	s, err := readSummary(step.Summary)
	if err != nil {
		return Anchor{}, err
	}
	source := fmt.Sprintf("signed by the validators, followed from epoch %d; the epoch ended on %s", from.Epoch,
		time.UnixMilli(int64(s.TimestampMS)).UTC().Format(time.DateOnly))
	return Anchor{from.Network, from.Chain, s.Epoch, s.Sequence, SummaryDigest(step.Summary), source}, nil
}

// Chain follows the committees of a chain from an anchor. It holds only the newest committee and never
// goes back.
type Chain struct {
	anchor Anchor
	newest *Committee
}

// NewChain starts at the anchor. Its summary may come from an untrusted source.
func NewChain(a Anchor, summary []byte) (*Chain, error) {
	if len(summary) > mostSummary {
		return nil, mismatch(0, "The anchor's summary is too large.")
	}
	//mutant:never ./internal/sui/proof TestAnchor/summary
	if SummaryDigest(summary) != a.Digest {
		return nil, mismatch(0, "The summary of checkpoint %d does not match the anchor.", a.Sequence)
	}
	s, err := readSummary(summary)
	if err != nil {
		return nil, err
	}
	//mutant:never ./internal/sui/proof TestAnchor/place
	if s.Epoch != a.Epoch || s.Sequence != a.Sequence {
		return nil, mismatch(0, "The anchor is checkpoint %d of epoch %d.", s.Sequence, s.Epoch)
	}
	c, err := nextOf(s, nil)
	if err != nil {
		return nil, err
	}
	return &Chain{anchor: a, newest: c}, nil
}

// ResumeChain continues from a stored committee that was verified before.
func ResumeChain(a Anchor, epoch uint64, members []sui.Validator) (*Chain, error) {
	//mutant:never ./internal/sui/proof TestAnchor/kept before it
	if epoch <= a.Epoch {
		return nil, mismatch(0, "The stored committee is of epoch %d, and the anchor of epoch %d.", epoch, a.Epoch)
	}
	c, err := NewCommittee(epoch, members, nil)
	if err != nil {
		return nil, err
	}
	return &Chain{anchor: a, newest: c}, nil
}

// Anchor returns the anchor at which the chain started.
func (c *Chain) Anchor() Anchor { return c.anchor }

// Newest returns the newest known committee.
func (c *Chain) Newest() *Committee { return c.newest }

// Advance moves to the next epoch. On an error it changes nothing.
func (c *Chain) Advance(summary []byte, cert Certificate) error {
	next, err := c.newest.Next(summary, cert)
	if err != nil {
		return err
	}
	c.newest = next
	return nil
}
