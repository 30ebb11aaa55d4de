// Package record defines the stored form of a review, pure methods on it, and the interface of the
// store.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ID names a review session: 18 random bytes in base64url.
type ID string

// Session is a stored review. Account never changes. Revision increases with every change that the
// user can see. ChainID is empty until a node has been asked.
type Session struct {
	ID         ID          `json:"id"`
	Network    string      `json:"network"`
	ChainID    string      `json:"chainId,omitempty"`
	Account    sui.Address `json:"account"`
	WalletName string      `json:"walletName,omitempty"`
	WalletID   string      `json:"walletId,omitempty"`
	Protocol   string      `json:"protocol"` // slug
	Action     string      `json:"action"`
	Intent     plan.Intent `json:"intent"`
	// Proposal is set for a review of a proposal, which has no adapter.
	Proposal       *proposal.Proposal `json:"proposal,omitempty"`
	Status         Status             `json:"status"`
	Reason         plan.Reason        `json:"reason,omitempty"`
	Revision       int64              `json:"revision"`
	State          State              `json:"state"`
	Facts          *plan.Facts        `json:"facts,omitempty"`
	Holdings       []Holding          `json:"holdings,omitempty"`
	Commitment     string             `json:"commitment,omitempty"`
	BuiltAt        time.Time          `json:"builtAt,omitzero"`
	BuildExpiresAt time.Time          `json:"buildExpiresAt,omitzero"`
	Releases       []Release          `json:"releases,omitempty"`
	Execution      *Execution         `json:"execution,omitempty"`
	// Again reports that the user asked the current build to repeat an open request.
	Again       bool      `json:"again,omitempty"`
	OpenedTwice bool      `json:"openedTwice,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
	ExpiresAt   time.Time `json:"expiresAt"` // applies only until a transaction is released
}

// Holding is the account's balance of one coin before the transaction and, by simulation, after it.
// A node reported both.
type Holding struct {
	plan.Asset
	Before sui.Raw `json:"beforeRaw"`
	After  sui.Raw `json:"afterRaw"`
}

// Hash is the SHA-256 of a secret; its text form is hexadecimal.
type Hash [32]byte

// MarshalText returns lower-case hexadecimal digits.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText reads 64 hexadecimal digits.
func (h *Hash) UnmarshalText(b []byte) error {
	if len(b) != hex.EncodedLen(len(h)) {
		return fault.New(fault.InputInvalid, "A hash is 64 hexadecimal digits.")
	}
	_, err := hex.Decode(h[:], b)
	return err
}

// The outcomes of a release. An empty Outcome means that none was reported. A page can report all
// except the last two, which only the server finds.
const (
	OutcomeDeclined      = "declined"
	OutcomeRejected      = "wallet_rejected"
	OutcomeProviderError = "wallet_provider_error"
	OutcomeDisconnected  = "signing_disconnected"
	// OutcomeChanged: the wallet returned other bytes. No later outcome replaces it, because what
	// the wallet did with them is unknown.
	OutcomeChanged = "wallet_changed_transaction"
	// OutcomeSignerMismatch: another account signed the released bytes.
	OutcomeSignerMismatch = "signer_mismatch"
	// OutcomeWithheld: the build was too old when its bytes were to be written to
	// the page, so they never left this program.
	OutcomeWithheld = "withheld"
)

// Outcomes lists every outcome of a release except the empty one.
func Outcomes() []string {
	return []string{OutcomeDeclined, OutcomeRejected, OutcomeProviderError, OutcomeDisconnected, OutcomeChanged,
		OutcomeSignerMismatch, OutcomeWithheld}
}

// Release records that one built transaction was released. It is never deleted, so that no
// transaction is released twice.
type Release struct {
	Digest      sui.Digest      `json:"digest"`
	Commitment  string          `json:"commitment"`
	NonceHash   Hash            `json:"nonceHash"`
	Revision    int64           `json:"revision"` // revision that the user saw
	At          time.Time       `json:"at"`
	Accepted    []string        `json:"accepted,omitempty"` // what the user accepted or typed on the page
	Outcome     string          `json:"outcome,omitempty"`
	GasCoin     sui.ObjectRef   `json:"gasCoin"`
	Inputs      []sui.ObjectRef `json:"inputs,omitempty"` // all owned objects that it uses up, including the gas coin
	LastEpoch   uint64          `json:"lastEpoch,string"`
	Facts       plan.Facts      `json:"facts"` // what was displayed, for the receipt
	SignedAt    time.Time       `json:"signedAt,omitzero"`
	SubmittedAt time.Time       `json:"submittedAt,omitzero"` // when it was last sent to a node
	Dead        bool            `json:"dead,omitempty"`       // it can never execute
	// OverAt is when a node first reported that LastEpoch had ended; zero if none did.
	OverAt time.Time `json:"overAt,omitzero"`
	// BelievedAt is when it was first considered dead without proof; zero if it is not. See
	// BelievedDead.
	BelievedAt time.Time `json:"believedAt,omitzero"`
	// LookUntil is the last epoch in which the effects of a release that is dead, or considered
	// dead, are still looked up; 0 if they are not.
	LookUntil uint64 `json:"lookUntil,omitempty,string"`
	// MultiSig lists the members whose signatures are collected; nil for a single wallet.
	MultiSig *sui.MultiSig `json:"multiSig,omitempty"`
	// Collected is the total weight of members who signed.
	Collected uint16 `json:"collected,omitempty"`
}

// BelievedDead reports whether the release is considered dead because one node said so, without
// proof. It blocks no other release and reserves no coins. Repeating it still needs the user's
// consent, and the program still looks up its effects.
func (r Release) BelievedDead() bool { return !r.BelievedAt.IsZero() }

// Signed reports whether a signature, or an execution by the wallet, is known.
func (r Release) Signed() bool { return !r.SignedAt.IsZero() }

// The states of a submission.
const (
	SubmissionNone     = ""               // not sent yet
	SubmissionAccepted = "accepted"       // a node executed it
	SubmissionUnknown  = "unknown"        // sent, and no answer: it may have executed
	SubmissionRefused  = "refused"        // a node refused; it can still execute later
	SubmissionWallet   = "sent_by_wallet" // the wallet sends it itself
)

// Execution is the known state of a signed transaction. Note states in one sentence what is
// unknown.
type Execution struct {
	Status        Status        `json:"status"` // signed_pending_result, success or failure
	FailureReason FailureReason `json:"failureReason,omitempty"`
	TxDigest      string        `json:"txDigest,omitempty"`
	Submission    string        `json:"submission,omitempty"`
	Refusal       string        `json:"refusal,omitempty"` // why a node refused, in one sentence
	Note          string        `json:"note,omitempty"`
	ReplacedBy    ID            `json:"replacedBy,omitempty"` // the review of the user's changed request
	SignedAt      time.Time     `json:"signedAt,omitzero"`
	FinalAt       time.Time     `json:"finalAt,omitzero"`
	Receipt       *Receipt      `json:"receipt,omitempty"`
	Reported      bool          `json:"told,omitempty"`  // a node reports the result, which is not proved yet
	Proved        *Proof        `json:"proof,omitempty"` // nil in results of older versions; use the method Proof
}

// Receipt compares what the chain reports with what was promised.
type Receipt struct {
	TxDigest       string              `json:"txDigest"`
	Sender         sui.Address         `json:"sender"`
	OK             bool                `json:"success"`
	FailureKind    string              `json:"failureKind,omitempty"` // the node's name of the error
	Abort          *sui.MoveAbort      `json:"abort,omitempty"`       // why it failed, if Move aborted
	Why            string              `json:"why,omitempty"`         // why it failed; "" in older versions
	Epoch          uint64              `json:"epoch,string"`
	Checkpoint     *uint64             `json:"checkpoint,omitempty"`
	Timestamp      time.Time           `json:"timestamp,omitzero"`
	Gas            sui.GasCost         `json:"gasCostSummary"`
	GasNet         sui.Delta           `json:"gasNetRaw"`
	BalanceChanges []sui.BalanceChange `json:"accountBalanceChanges"`
	// Made lists objects that it created and shared, as reported by the protocol's events.
	Made     []sui.ObjectID  `json:"made,omitempty"`
	Promises []PromiseResult `json:"promises"`
	Outcome  []plan.Term     `json:"outcome,omitempty"` // other facts about what happened, as reported by the node
	// Result is nil after a failure and in receipts from older versions.
	Result    *plan.Result `json:"result,omitempty"`
	FetchedAt time.Time    `json:"fetchedAt"`
}

// PromiseResult compares one promise of the review with what happened.
type PromiseResult struct {
	ID       string `json:"id"` // minimum_arrived, spent_at_most, gas_within_budget, nobody_else_gained
	Label    string `json:"label"`
	Promised string `json:"promised"`
	Actual   string `json:"actual"`
	Kept     bool   `json:"kept"`
}

// Material returns the material with a digest, or false.
func (r *Row) Material(d sui.Digest) (*Material, bool) {
	i := slices.IndexFunc(r.Materials, func(m Material) bool { return m.Digest == d })
	if i < 0 {
		return nil, false
	}
	return &r.Materials[i], true
}

// Released returns the release of a digest, or nil.
func (s *Session) Released(d sui.Digest) *Release {
	i := slices.IndexFunc(s.Releases, func(r Release) bool { return r.Digest == d })
	if i < 0 {
		return nil
	}
	return &s.Releases[i]
}

// Wanted returns the intent with its type and protocol set from the stored action.
func (s Session) Wanted() plan.Intent {
	in := s.Intent
	if len(in.Steps) == 0 {
		in.Type, in.Protocol = s.Action, s.Protocol
	}
	return in
}

// Current returns the release of the current build, or nil if the build is unreleased.
func (s *Session) Current() *Release {
	i := slices.IndexFunc(s.Releases, func(r Release) bool { return r.Commitment == s.Commitment })
	if i < 0 || s.Commitment == "" {
		return nil
	}
	return &s.Releases[i]
}

// Outstanding returns the releases that are not proved dead. It includes those that are considered
// dead without proof.
func (s *Session) Outstanding() []Release {
	var out []Release
	for _, r := range s.Releases {
		if !r.Dead {
			out = append(out, r)
		}
	}
	return out
}

// Watched returns the releases whose effects are still looked up.
func (s *Session) Watched() []Release {
	var out []Release
	for _, r := range s.Releases {
		if r.LookUntil > 0 || !r.Dead && !s.Status.Terminal() {
			out = append(out, r)
		}
	}
	return out
}

// HashOf returns the hash of a secret.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// WalletAnswer returns what a wallet did, if a client should know it: a release's outcome, a colon
// and its headline. Changed bytes come first, because they concern every later transaction;
// otherwise it is the last outcome of the current release. It returns "" if there is nothing to
// report.
func (s Session) WalletAnswer() string {
	if s.Changed() {
		return ChangedHeadline().answer(OutcomeChanged)
	}
	rel := s.Current()
	if rel == nil || s.Status.Terminal() || s.Status == SignedPendingResult {
		return ""
	}
	switch rel.Outcome {
	case OutcomeSignerMismatch, OutcomeProviderError, OutcomeDisconnected:
		return s.handedOut(*rel).answer(rel.Outcome)
	}
	return ""
}

// answer formats a headline as a wallet's answer.
func (h Headline) answer(outcome string) string {
	return outcome + ": " + h.Sentences()
}

// ExecutedAt returns when the chain executed the transaction: the time of its checkpoint if known,
// otherwise when this program learned of it. It is zero without a receipt.
func (s Session) ExecutedAt() time.Time {
	if s.Execution == nil || s.Execution.Receipt == nil {
		return time.Time{}
	}
	if at := s.Execution.Receipt.Timestamp; !at.IsZero() {
		return at
	}
	return s.Execution.FinalAt
}

// Claimable returns an error if a client's report contradicts what is known: it names a transaction
// that was not released, or its digest is "", meaning not signed, although a signature is known.
func (s Session) Claimable(digest string) error {
	if digest == "" {
		//mutant:never ./store TestClaim
		if s.Status == SignedPendingResult {
			return fault.New(fault.InvalidSessionTransition, "This was already signed. Only the chain can show the result.")
		}
		return nil
	}
	for _, rel := range s.Releases {
		if !rel.Dead && rel.Digest.String() == digest {
			return nil
		}
	}
	return fault.New(fault.InvalidSessionTransition, "The reported transaction is not the one that was reviewed. "+
		"Nothing was recorded.").With("reason", "digest_mismatch")
}
