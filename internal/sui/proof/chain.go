package proof

import "github.com/sayurintent/sayurintent/internal/sui"

// Anchor is the last checkpoint of an epoch that is believed without a signature:
// its 32 bytes of digest and its place. Chain is the chain's identifier, and Source
// says where the digest was taken from.
type Anchor struct {
	Network  string
	Chain    sui.Digest
	Epoch    uint64
	Sequence uint64
	Digest   sui.Digest
	Source   string
}

// Anchors returns every anchor that was ever shipped, the oldest first. One is
// never taken out, so that an old proof can still be checked.
func Anchors() []Anchor {
	return []Anchor{{
		Network: "mainnet", Chain: mustDigest("4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S"),
		Epoch: 245, Sequence: 20873329, Digest: mustDigest("6jarMnq4LWspjWmLGXT4dFqBpiXTD1nmJvYocakT4yte"),
		Source: "MystenLabs/sui pull request 15187, crates/sui-light-client/example_config/20873329.yaml",
	}}
}

// SandboxAnchor is the anchor of a sandbox: the summary that names the validators of
// its first epoch, which are those of every sandbox. The summary must be one.
func SandboxAnchor(chain sui.Digest, summary []byte) Anchor {
	a := Anchor{Network: "sandbox", Chain: chain, Digest: SummaryDigest(summary), Source: "the sandbox of this program"}
	if s, err := readSummary(summary); err == nil {
		a.Epoch, a.Sequence = s.Epoch, s.Sequence
	}
	return a
}

func mustDigest(s string) sui.Digest {
	d, err := sui.ParseDigest(s)
	if err != nil {
		panic(err)
	}
	return d
}

// Chain is the committees of one chain, from an anchor on. It holds the newest one
// alone, and only goes forward.
type Chain struct {
	anchor Anchor
	newest *Committee
}

// NewChain starts at the anchor, whose summary somebody not believed may have given.
func NewChain(a Anchor, summary []byte) (*Chain, error) {
	if len(summary) > mostSummary {
		return nil, mismatch(0, "The anchor's summary is too large.")
	}
	//mutant:never ./internal/sui/proof TestAnchor/summary
	if SummaryDigest(summary) != a.Digest {
		return nil, mismatch(0, "The summary of checkpoint %d is not that of the anchor.", a.Sequence)
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

// ResumeChain goes on from a committee that was verified and kept.
func ResumeChain(a Anchor, epoch uint64, members []sui.Validator) (*Chain, error) {
	//mutant:never ./internal/sui/proof TestAnchor/kept before it
	if epoch <= a.Epoch {
		return nil, mismatch(0, "The kept committee is of epoch %d, and the anchor of epoch %d.", epoch, a.Epoch)
	}
	c, err := NewCommittee(epoch, members, nil)
	if err != nil {
		return nil, err
	}
	return &Chain{anchor: a, newest: c}, nil
}

// Anchor is where the chain started.
func (c *Chain) Anchor() Anchor { return c.anchor }

// Newest is the newest committee that is known.
func (c *Chain) Newest() *Committee { return c.newest }

// Advance goes one epoch forward. It changes nothing where it returns an error.
func (c *Chain) Advance(summary []byte, cert Certificate) error {
	next, err := c.newest.Next(summary, cert)
	if err != nil {
		return err
	}
	c.newest = next
	return nil
}
