package record

import (
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// mostLife exceeds the lifetime of every build and review.
const mostLife = 24 * time.Hour

// CheckStored returns what is wrong with a stored session, or "" if this program could have written
// it. It checks form, ranges and lists but does not compare times with the clock, because an old
// session is not damaged.
func (s Session) CheckStored() string {
	switch {
	case !slices.Contains(Statuses(), s.Status):
		return "its status is unknown"
	case s.Reason != "" && StatusOf(s.Reason) == "":
		return "its reason is unknown"
	case s.Revision < 0 || s.Revision > 1<<40:
		return "its revision is out of range"
	case s.Commitment != "" && !isHash(s.Commitment):
		return "its commitment is none"
	case s.State.Status != "" && !slices.Contains(Statuses(), s.State.Status):
		return "the status of its state is unknown"
	case s.BuildExpiresAt.Sub(s.BuiltAt) > mostLife || s.ExpiresAt.Sub(s.CreatedAt) > mostLife:
		return "it would last for too long"
	case (s.Status == Success || s.Status == SignedPendingResult) && s.Execution == nil:
		return "it says " + string(s.Status) + " and nothing about a transaction"
	case slices.ContainsFunc(s.State.Outlook, func(o plan.Outlook) bool { return !o.Written() }):
		return "what was reported around it is written as no price or amount is"
	case s.Proposal != nil && (s.Status == Ready || s.Proposal.Check(s.Network) != nil):
		return "its proposal is none"
	}
	if x := s.Execution; x != nil {
		submissions := []string{SubmissionNone, SubmissionAccepted, SubmissionUnknown, SubmissionRefused, SubmissionWallet}
		switch {
		case !slices.Contains([]Status{SignedPendingResult, Success, Failure}, x.Status):
			return "the status of its execution is unknown"
		case !slices.Contains(submissions, x.Submission):
			return "its submission is unknown"
		}
	}
	seen := map[sui.Digest]bool{}
	for _, r := range s.Releases {
		if what := r.CheckStored(); what != "" {
			return "one of its releases is damaged: " + what
		}
		if seen[r.Digest] {
			return "a release is there twice"
		}
		seen[r.Digest] = true
		if !r.Facts.Sender.IsZero() && r.Facts.Sender != s.Account {
			return "a release of it was sent by another account"
		}
	}
	return ""
}

// CheckStored returns what is wrong with a stored release, or "" if this program could have written
// it.
func (r Release) CheckStored() string {
	switch {
	case r.Digest.IsZero():
		return "its digest is empty"
	case r.Commitment != sui.Commitment(r.Digest):
		return "its commitment is not that of its digest"
	case r.Outcome != "" && !slices.Contains(Outcomes(), r.Outcome):
		return "its outcome is unknown"
	case r.Revision < 0 || r.Revision > 1<<40:
		return "its revision is out of range"
	case r.At.IsZero():
		return "it has no time"
	case r.GasCoin != sui.ObjectRef{} && (r.GasCoin.ID.IsZero() || r.GasCoin.Digest.IsZero() || r.GasCoin.Version == 0):
		return "its gas coin is none"
	case r.GasCoin != r.Facts.Gas.Coin() || len(r.Facts.Gas.Payment) > 1:
		return "its gas coin is not that of what was shown"
	case len(r.Inputs) > 0 && !r.Coinless() && r.Inputs[0] != r.GasCoin ||
		slices.ContainsFunc(r.Inputs, func(o sui.ObjectRef) bool { return o.ID.IsZero() || o.Version == 0 }):
		return "what it uses up does not begin with its gas coin, or is none"
	case r.Facts.LastEpoch != r.LastEpoch:
		return "its last epoch is not that of what was shown"
	case r.Facts.Sender.IsZero() || len(r.Facts.Steps) == 0:
		return "what was shown of it names no account"
	}
	for _, step := range r.Facts.Steps {
		if len(step.Promise.Outcomes) == 0 {
			return "what was shown of it promises nothing"
		}
		if step.Expected != (plan.Amount{}) && step.Expected != step.Expected.Of(step.Expected.Raw) {
			return "an amount that was shown of it is written as another one"
		}
	}
	return ""
}

// CheckBytes describes how built bytes differ from the stored sender, gas and expiry, as far as
// that can be checked without their adapter. It returns "" if they agree.
func (s Session) CheckBytes(m Material) string {
	tx, err := m.Bytes.Transaction()
	if err != nil {
		return "its bytes are not a transaction"
	}
	f := s.Facts
	if rel := s.Released(m.Digest); rel != nil {
		f = &rel.Facts
	} else if sui.Commitment(m.Digest) != s.Commitment {
		return "it is of no build of its review"
	}
	gas := plan.GasOf(tx)
	if tx.Sender != s.Account || f == nil || f.Sender != tx.Sender || f.LastEpoch != plan.LastEpoch(tx) || !SameJSON(gas,
		f.Gas) {
		return "its bytes say something else than what is stored about them"
	}
	return ""
}

// isHash reports whether a text is 32 bytes in hexadecimal digits.
func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32 && s == fmt.Sprintf("%x", b)
}
