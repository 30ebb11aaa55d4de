package record

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Kinds of record entries about a review. docs/RECORD.md describes their members.
const (
	EntryReleased = "released" // the transaction went to the wallet
	EntryAnswered = "answered" // the wallet's or user's answer
	EntrySettled  = "settled"  // the chain executed it
	EntryProved   = "proved"   // validators signed the result
	EntryRefuted  = "refuted"  // validators signed another result
	EntryDead     = "dead"     // it can never execute
	EntryEnded    = "ended"    // the review ended
)

// reviewed identifies the transaction that an entry is about.
type reviewed struct {
	Request string     `json:"request,omitempty"`
	Review  ID         `json:"review"`
	Digest  sui.Digest `json:"digest,omitzero"` // digest of the transaction's bytes
}

// released describes a released transaction as the user saw it.
type released struct {
	reviewed
	Hash     sui.SigningHash `json:"signingHash"`
	Network  string          `json:"network"`
	ChainID  string          `json:"chainId"`
	Account  sui.Address     `json:"account"`
	Revision int64           `json:"revision"`
	Accepted []string        `json:"accepted,omitempty"`
	Facts    plan.Facts      `json:"facts"`
}

// answered is a wallet's or user's answer about a released transaction. It says nothing about the
// chain.
type answered struct {
	reviewed
	Answer string `json:"answer"`
}

// settled is a node's report about an executed transaction.
type settled struct {
	reviewed
	OK         bool                `json:"success"`
	Failure    string              `json:"failureKind,omitempty"`
	Epoch      uint64              `json:"epoch,string"`
	Checkpoint *uint64             `json:"checkpoint,omitempty,string"`
	Timestamp  time.Time           `json:"timestamp,omitzero"`
	GasNet     sui.Delta           `json:"gasNetRaw"`
	Changes    []sui.BalanceChange `json:"accountBalanceChanges"`
	Promises   []PromiseResult     `json:"promises"`
}

// proved has the digests that a proof file must match.
type proved struct {
	reviewed
	Effects    sui.Digest `json:"effects"`
	Checkpoint uint64     `json:"checkpoint,string"`
	Certified  sui.Digest `json:"checkpointDigest"`
	Epoch      uint64     `json:"epoch,string"`
	Power      uint64     `json:"power"`
}

// ended describes how a review ended.
type ended struct {
	reviewed
	Status Status        `json:"status"`
	Reason FailureReason `json:"reason,omitempty"`
}

// Entries returns the record entries for a change of a review that belongs to a request. release is
// the release that the change adds, or nil.
func (r Row) Entries(before Session, release *Release, request string) (list []hashchain.Draft) {
	s := r.Session
	about := reviewed{Request: request, Review: s.ID}
	put := func(what string, v any) { list = append(list, hashchain.Draft{What: what, About: v}) }
	for _, rel := range s.Releases {
		about := about
		about.Digest = rel.Digest
		was := before.Released(rel.Digest)
		if was == nil {
			was = &Release{}
		}
		if release != nil && release.Digest == rel.Digest {
			put(EntryReleased, released{about, r.signingHash(rel.Digest), s.Network, s.ChainID, s.Account, rel.Revision,
				rel.Accepted, rel.Facts})
		}
		if rel.Signed() && !was.Signed() {
			put(EntryAnswered, answered{about, "signed"})
		}
		if rel.Outcome != was.Outcome && rel.Outcome != "" {
			put(EntryAnswered, answered{about, rel.Outcome})
		}
		if rel.Dead && !was.Dead {
			put(EntryDead, about)
		}
	}
	list = append(list, s.chainEntries(before, about)...)
	if s.Status.Terminal() && s.Status != before.Status {
		end := ended{reviewed: about, Status: s.Status}
		if s.Execution != nil {
			end.Reason = s.Execution.FailureReason
		}
		put(EntryEnded, end)
	}
	return list
}

// chainEntries returns the entries for what is new in the chain's result and its proof.
func (s Session) chainEntries(before Session, about reviewed) (list []hashchain.Draft) {
	x := s.Execution
	if x == nil || x.Receipt == nil {
		return nil
	}
	about.Digest, _ = sui.ParseDigest(x.TxDigest) // zero if the text is not a digest
	if before.Execution == nil || before.Execution.Receipt == nil {
		r := x.Receipt
		list = append(list, hashchain.Draft{What: EntrySettled,
			About: settled{about, r.OK, r.FailureKind, r.Epoch, r.Checkpoint,
				r.Timestamp, r.GasNet, r.BalanceChanges, r.Promises}})
	}
	p := x.Proof()
	if p.State == before.Execution.Proof().State && len(list) == 0 {
		return list
	}
	switch p.State {
	case Proved:
		list = append(list, hashchain.Draft{What: EntryProved,
			About: proved{about, p.Effects, p.Checkpoint, p.Certified, p.Epoch, p.Power}})
	case Mismatched:
		list = append(list, hashchain.Draft{What: EntryRefuted, About: about})
	}
	return list
}

// signingHash returns the hash that a wallet shows for a transaction, or zero if its bytes are
// gone.
func (r Row) signingHash(d sui.Digest) (h sui.SigningHash) {
	if m, ok := r.Material(d); ok {
		h = m.Bytes.SigningHash()
	}
	return h
}
