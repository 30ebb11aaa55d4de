// Package record is what is stored of a review, with pure methods on it, and the
// interface of the store.
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

// Session is a stored review. Account never changes. Revision increases with every change of what
// the user sees. ChainID is empty until a node was asked.
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
	// set for a review of a proposal, which has no adapter
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
	// the current build repeats an open request at the user's wish
	Again       bool      `json:"again,omitempty"`
	OpenedTwice bool      `json:"openedTwice,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
	ExpiresAt   time.Time `json:"expiresAt"` // without a release
}

// Holding is the account's balance of one coin before and, by simulation, after the
// transaction. A node reported both.
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

// The outcomes of a release. An empty Outcome means that none was reported. A page can
// report all but the last two, which only the server finds.
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

// Outcomes lists every outcome of a release but the empty one.
func Outcomes() []string {
	return []string{OutcomeDeclined, OutcomeRejected, OutcomeProviderError, OutcomeDisconnected, OutcomeChanged,
		OutcomeSignerMismatch, OutcomeWithheld}
}

// Release records that one built transaction was released. It is never deleted, so
// that no transaction is released twice.
type Release struct {
	Digest      sui.Digest      `json:"digest"`
	Commitment  string          `json:"commitment"`
	NonceHash   Hash            `json:"nonceHash"`
	Revision    int64           `json:"revision"` // the revision that was shown
	At          time.Time       `json:"at"`
	Accepted    []string        `json:"accepted,omitempty"` // what the user accepted or typed on the page
	Outcome     string          `json:"outcome,omitempty"`
	GasCoin     sui.ObjectRef   `json:"gasCoin"`
	Inputs      []sui.ObjectRef `json:"inputs,omitempty"` // every owned object that it uses up, the gas coin too
	LastEpoch   uint64          `json:"lastEpoch,string"`
	Facts       plan.Facts      `json:"facts"` // what was displayed, for the receipt
	SignedAt    time.Time       `json:"signedAt,omitzero"`
	SubmittedAt time.Time       `json:"submittedAt,omitzero"` // the last time it was sent to a node
	Dead        bool            `json:"dead,omitempty"`       // it can never execute
	// OverAt is when a node first said that LastEpoch is over; zero: none did.
	OverAt time.Time `json:"overAt,omitzero"`
	// BelievedAt is since when it is believed dead; zero: it is not. See BelievedDead.
	BelievedAt time.Time `json:"believedAt,omitzero"`
	// LookUntil is the epoch up to which effects of a dead release, or of one that is
	// believed dead, are still looked for; 0: they are not.
	LookUntil uint64 `json:"lookUntil,omitempty,string"`
	// MultiSig lists the members whose signatures are collected; nil for a single wallet.
	MultiSig *sui.MultiSig `json:"multiSig,omitempty"`
	// Collected is the total weight of members who signed.
	Collected uint16 `json:"collected,omitempty"`
}

// BelievedDead reports whether the release counts as dead because one node said so, without proof.
// It blocks no other release and holds no coins. Repeating it still needs the user's consent, and
// the program still looks for its effects.
func (r Release) BelievedDead() bool { return !r.BelievedAt.IsZero() }

// Signed reports whether a signature, or the wallet's own execution, is known.
func (r Release) Signed() bool { return !r.SignedAt.IsZero() }

// The states of a submission.
const (
	SubmissionNone     = ""               // not sent yet
	SubmissionAccepted = "accepted"       // a node executed it
	SubmissionUnknown  = "unknown"        // sent, and no answer: it may have executed
	SubmissionRefused  = "refused"        // a node refused; it can still execute later
	SubmissionWallet   = "sent_by_wallet" // the wallet sends by itself
)

// Execution is what is known about a signed transaction. Note states in one sentence what is
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
	Told          bool          `json:"told,omitempty"`  // a node reports the result, and its proof is waited for
	Proved        *Proof        `json:"proof,omitempty"` // nil in results of earlier versions; read it by Proof
}

// Receipt compares what the chain reports with what was promised.
type Receipt struct {
	TxDigest       string              `json:"txDigest"`
	Sender         sui.Address         `json:"sender"`
	OK             bool                `json:"success"`
	FailureKind    string              `json:"failureKind,omitempty"` // the node's name of the error
	Abort          *sui.MoveAbort      `json:"abort,omitempty"`       // why it failed, if Move aborted
	Why            string              `json:"why,omitempty"`         // it failed, in one sentence; "" in earlier versions
	Epoch          uint64              `json:"epoch,string"`
	Checkpoint     *uint64             `json:"checkpoint,omitempty"`
	Timestamp      time.Time           `json:"timestamp,omitzero"`
	Gas            sui.GasCost         `json:"gasCostSummary"`
	GasNet         sui.Delta           `json:"gasNetRaw"`
	BalanceChanges []sui.BalanceChange `json:"accountBalanceChanges"`
	// objects that it created and shared, from the protocol's events
	Made     []sui.ObjectID  `json:"made,omitempty"`
	Promises []PromiseResult `json:"promises"`
	Outcome  []plan.Term     `json:"outcome,omitempty"` // other facts about what happened, as reported by the node
	// Result is nil in receipts of earlier versions, and after a failure.
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

// Material returns the material of a digest.
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

// Wanted returns the intent by the stored names of its action and protocol.
func (s Session) Wanted() plan.Intent {
	in := s.Intent
	if len(in.Steps) == 0 {
		in.Type, in.Protocol = s.Action, s.Protocol
	}
	return in
}

// Current returns the release of the present build, or nil when it is unreleased.
func (s *Session) Current() *Release {
	i := slices.IndexFunc(s.Releases, func(r Release) bool { return r.Commitment == s.Commitment })
	if i < 0 || s.Commitment == "" {
		return nil
	}
	return &s.Releases[i]
}

// Outstanding returns the releases that are not known to be dead. Those that are only
// believed dead are among them.
func (s *Session) Outstanding() []Release {
	var out []Release
	for _, r := range s.Releases {
		if !r.Dead {
			out = append(out, r)
		}
	}
	return out
}

// Watched returns the releases whose effects are still unknown.
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

// WalletAnswer returns a release's outcome, a colon and its headline, if a client should know what
// the wallet did. Changed bytes come first, because they concern every later transaction; otherwise
// it is the last outcome of the current release. "" means nothing to report.
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

// answer writes a headline as the answer of a wallet.
func (h Headline) answer(outcome string) string {
	return outcome + ": " + h.Sentences()
}

// ExecutedAt returns when the chain executed the transaction, by its checkpoint if that is known,
// else when this program learned of it; zero without a receipt.
func (s Session) ExecutedAt() time.Time {
	if s.Execution == nil || s.Execution.Receipt == nil {
		return time.Time{}
	}
	if at := s.Execution.Receipt.Timestamp; !at.IsZero() {
		return at
	}
	return s.Execution.FinalAt
}

// Claimable refuses a client's report that contradicts what is known: another transaction than the
// released one, or, if digest is "", that nothing was signed although something was.
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
