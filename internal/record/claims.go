package record

import (
	"fmt"
	"slices"
	"time"
)

// TruthSource is a source of claims: the record that was read, its origin and time, and the fields
// used.
type TruthSource struct {
	ID         string     `json:"id"`
	Kind       SourceKind `json:"kind"`
	Source     string     `json:"source"`
	VerifiedAt time.Time  `json:"verifiedAt"`
	Fields     []string   `json:"fields"`
}

// Claim is one fact of a contract, with the source and its field that state it.
type Claim struct {
	ID     string `json:"id"`
	Fact   Fact   `json:"fact"`
	Source string `json:"sourceId"`
	Field  string `json:"field"`
}

// Validate checks a contract by itself: it is complete, every fact has a claim, every claim relies
// on a source that may back it, and all parts are about one transaction. It returns the first error
// as a sentence, or "".
func (c *Contract) Validate() string {
	for _, judge := range []func() string{c.named, c.unique, c.resolved, c.bound, c.amounts, c.numbers, c.owned,
		c.evidence} {
		if wrong := judge(); wrong != "" {
			return wrong
		}
	}
	return ""
}

func (c *Contract) named() string {
	for name, text := range map[string]string{
		"adapterId": c.AdapterID, "protocol": c.Protocol, "actionKind": c.ActionKind, "network": c.Network,
		"chainIdentifier": c.ChainID, "inputProvenance": c.Provenance.SourceID,
	} {
		if text == "" {
			return "the field " + name + " is empty"
		}
	}
	p, b := c.Provenance, Boundary()
	switch {
	case c.ContractVersion != ContractVersion:
		return "the version of the contract is unknown"
	case p.Kind != "mcp_action_request" || p.Authority != "untrusted_request" || p.CapturedAt.IsZero():
		return "the source of the request is missing"
	case c.OutputBoundary.RuntimeStatus != b.RuntimeStatus || !slices.Equal(c.OutputBoundary.MayExpose, b.MayExpose) ||
		!slices.Equal(c.OutputBoundary.Prohibited, b.Prohibited):
		return "the boundary of what may be shown is another one"
	}
	return ""
}

// unique checks that no id is empty or used twice.
func (c *Contract) unique() string {
	seen := map[string]bool{}
	take := func(id string) string {
		if id == "" || seen[id] {
			return fmt.Sprintf("the id %q is used twice or is empty", id)
		}
		seen[id] = true
		return ""
	}
	for _, s := range c.Sources {
		if wrong := take(s.ID); wrong != "" {
			return wrong
		}
	}
	for _, one := range c.Claims {
		if wrong := take(one.ID); wrong != "" {
			return wrong
		}
	}
	for _, a := range c.Amounts {
		if wrong := take(a.ID); wrong != "" {
			return wrong
		}
	}
	return ""
}

// resolved checks every claim against the matrix and its record.
func (c *Contract) resolved() string {
	for _, one := range c.Claims {
		i := slices.IndexFunc(c.Sources, func(s TruthSource) bool { return s.ID == one.Source })
		if i < 0 {
			return "the claim " + string(one.Fact) + " lacks its source"
		}
		s := c.Sources[i]
		if s.Source == "" || s.VerifiedAt.IsZero() || s.VerifiedAt.After(c.AssembledAt) {
			return "the source " + string(s.Kind) + " was not verified before the contract"
		}
		if !slices.Contains(s.Fields, one.Field) || !backs(one.Fact, s.Kind, one.Field) {
			return fmt.Sprintf("the claim %s may not rest on %s of %s", one.Fact, one.Field, s.Kind)
		}
	}
	return ""
}

// claimed returns the error of a reference to a claim, or "".
func (c *Contract) claimed(id string, f Fact) string {
	i := slices.IndexFunc(c.Claims, func(one Claim) bool { return one.ID == id })
	if i < 0 {
		return "the fact " + string(f) + " has no claim"
	}
	if c.Claims[i].Fact != f {
		return fmt.Sprintf("the fact %s refers to a claim about %s", f, c.Claims[i].Fact)
	}
	return ""
}

// bound checks that every part is about the same transaction.
func (c *Contract) bound() string {
	digits := len(c.TransactionMaterialCommitment) == 64
	for _, b := range []string{c.Ownership.BoundToCommitment, c.Simulation.BoundToCommitment,
		c.HumanReview.BoundToCommitment} {
		if !digits || b != c.TransactionMaterialCommitment {
			return "a part of the evidence is about another transaction"
		}
	}
	return ""
}
