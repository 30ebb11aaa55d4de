package record

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	validators "github.com/sayurintent/sayurintent/internal/sui/proof"
)

// ProofState tells whether the chain's validators signed a result or only a node reported it.
type ProofState string

// The states of a result.
const (
	Proved      ProofState = "proved"
	ReportedNow ProofState = "told_pending" // the signatures are being checked
	Reported    ProofState = "told"         // no proof; Reason explains why
	Mismatched  ProofState = "mismatch"     // the node's report differs from what was signed
)

// Proof describes how validators' signatures prove a result. Reason explains in one sentence why
// there is no proof. The other values come from the checkpoint and are set if State is Proved.
// Power is out of 10,000.
type Proof struct {
	State      ProofState `json:"state"`
	Reason     string     `json:"reason,omitempty"`
	Checkpoint uint64     `json:"checkpoint,omitempty,string"`
	Epoch      uint64     `json:"epoch,omitempty,string"`
	Power      uint64     `json:"power,omitempty"`
	Signers    int        `json:"signers,omitempty"`
	Members    int        `json:"members,omitempty"`
	// Effects and Certified are the digests of the effects and of the checkpoint.
	Effects   sui.Digest `json:"effects,omitzero"`
	Certified sui.Digest `json:"certified,omitzero"`
	// Amounts reports that balance changes are proved too, from the coins before and after.
	Amounts bool      `json:"amounts,omitempty"`
	At      time.Time `json:"at,omitzero"` // when this program checked it
}

const notCertified = "the validators' signatures did not come in time. They are still looked for."

// ProofOf converts the result of an attempt to prove a transaction. o is what validators signed;
// err explains why there is no proof.
func ProofOf(o *validators.Outcome, err error, at time.Time) Proof {
	var refused *validators.Refusal
	switch {
	case err == nil:
		c := o.Checkpoint
		return Proof{State: Proved, Checkpoint: c.Summary.Sequence, Epoch: c.Summary.Epoch, Power: c.Power,
			Signers: c.Signers, Members: c.Members, Effects: o.EffectsDigest, Certified: c.Digest, At: at}
	//mutant:never ./review TestForgedProofSettlesNothing
	case validators.ReasonOf(err) == validators.Mismatch || fault.Is(err, fault.ProviderMismatch):
		return Proof{State: Mismatched, At: at}
	case errors.As(err, &refused) && refused.Reason == validators.Newer:
		return Proof{State: Reported, Reason: "the chain is newer than this program: " + refused.Text, At: at}
	case errors.As(err, &refused):
		return Proof{State: Reported, Reason: refused.Text, At: at}
	}
	return Proof{State: ReportedNow, Reason: notCertified, At: at}
}

// Proof returns what is known about the result's proof. Results that were stored before proofs
// existed count as reported by a node.
func (x *Execution) Proof() Proof {
	switch {
	case x == nil:
		return Proof{}
	case x.Proved != nil:
		return *x.Proved
	case x.Receipt != nil:
		return Proof{State: Reported, Reason: "It was settled without asking for the validators' signatures."}
	}
	return Proof{}
}

// Sentence describes the proof, or returns "" if nothing is known about the transaction.
func (p Proof) Sentence() string {
	switch p.State {
	case Proved:
		return fmt.Sprintf("Proved. Validators with more than two thirds of Sui's voting power (%d of %d validators) signed "+
			"checkpoint %s, which contains this transaction and its result.", p.Signers, p.Members, grouped(p.Checkpoint))
	case ReportedNow:
		return "Reported by one node. The validators' signatures are being checked."
	case Reported:
		return "Reported by one node. Not proved: " + p.Reason
	case Mismatched:
		return "This node's answer does not match what the validators signed. Do not trust it; set another one."
	}
	return ""
}

// Short returns a shorter form of Sentence, or "" if there is nothing to add to the headline.
func (p Proof) Short() string {
	switch p.State {
	case Proved:
		return fmt.Sprintf("Proved: signed by %d of %d validators", p.Signers, p.Members)
	case Reported, ReportedNow:
		return "Reported by one node, not proved"
	}
	return ""
}

// grouped formats a number with commas between groups of three digits.
func grouped(n uint64) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
