// Package account manages the wallet account that reads and reviews are about: how a user connects
// one, and which one is active.
//
// It never connects a wallet or asks a node, and an account is not a login. An address from a
// wallet is claimed: it only says whose public data to read and who is expected to sign. A signed
// message can prove that the wallet holds the address's key, but that is not a login either.
package account

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// IdentityStatus is the state of a wallet identity session.
type IdentityStatus string

// The statuses: pending → opened → connecting → connected, rejected or failed;
// expired from any of the first three.
const (
	Pending    IdentityStatus = "pending"    // the link was not opened yet
	Opened     IdentityStatus = "opened"     // a page shows it
	Connecting IdentityStatus = "connecting" // the user chose a wallet
	Connected  IdentityStatus = "connected"
	Rejected   IdentityStatus = "rejected"
	Failed     IdentityStatus = "failed"
	Expired    IdentityStatus = "expired"
)

// Terminal reports whether the status never changes again.
func (s IdentityStatus) Terminal() bool {
	return s == Connected || s == Rejected || s == Failed || s == Expired
}

// The reasons of Rejected (the first) and Failed (the others).
const (
	UserRejected         = "user_rejected"
	NoCompatibleWallet   = "no_compatible_wallet"
	NoAccountsAuthorized = "no_accounts_authorized"
	UnsupportedChain     = "unsupported_chain"
	WalletProviderError  = "wallet_provider_error"
)

// Limits of this package.
const (
	IdentityLife = 30 * time.Minute // from creation to Expired
	PollInterval = 5 * time.Second  // how often a client that polls should ask
	MostWait     = 45 * time.Second // one Wait; more is clamped
	MostName     = 100              // code points of a wallet's name or id
	MostDetail   = 500              // code points of a failure's detail
	MostKnown    = 50               // remembered accounts; then the one unused longest is forgotten
)

// Identity is one attempt to connect a wallet account. Account, Chain and the wallet's name and id
// are the page's report, shown to the user, and not proof. Account is nil until Connected. Replaced
// is the account that was active before, or nil. ProvenAt is when a signature proved that the
// wallet holds the account's key; zero while the account is only claimed. OpenedTwice reports a
// second use of the link's one-time code; the store reads it, and no transition changes it.
type Identity struct {
	ID            string         `json:"id"`
	Status        IdentityStatus `json:"status"`
	Account       *sui.Address   `json:"account,omitempty"`
	Chain         string         `json:"chain,omitempty"`
	WalletName    string         `json:"walletName,omitempty"`
	WalletID      string         `json:"walletId,omitempty"`
	Replaced      *sui.Address   `json:"replaced,omitempty"`
	ProvenAt      time.Time      `json:"provenAt,omitzero"`
	OpenedTwice   bool           `json:"openedTwice,omitempty"`
	FailureReason string         `json:"failureReason,omitempty"`
	FailureDetail string         `json:"failureDetail,omitempty"`
	CreatedAt     time.Time      `json:"createdAt"`
	UpdatedAt     time.Time      `json:"updatedAt"`
	ExpiresAt     time.Time      `json:"expiresAt"`
	// Challenge is the message that the wallet was last asked to sign.
	Challenge Challenge `json:"-"`
}

// Active is the active account. Proven reports whether a signature proved that the wallet holds its
// key, and ProvenAt when; otherwise the wallet only claims it. ConnectedAt is when it last became
// active.
type Active struct {
	Account     sui.Address `json:"account"`
	Chain       string      `json:"chain"`
	WalletName  string      `json:"walletName,omitempty"`
	WalletID    string      `json:"walletId,omitempty"`
	Proven      bool        `json:"proven"`
	ProvenAt    time.Time   `json:"provenAt,omitzero"`
	ConnectedAt time.Time   `json:"connectedAt"`
}

// Report is the connect page's report. Status is Connecting, Connected, Rejected or Failed; the
// rest is untrusted text.
type Report struct {
	Status        IdentityStatus `json:"status" screen:"name"`
	Account       string         `json:"account"` // 0x and 64 hexadecimal digits; with Connected only
	WalletName    string         `json:"walletName" screen:"name"`
	WalletID      string         `json:"walletId" screen:"name"`
	Chain         string         `json:"chain" screen:"name"` // the wallet chain, as in sui:mainnet; with Connected only
	FailureReason string         `json:"failureReason" screen:"name"`
	FailureDetail string         `json:"failureDetail" screen:"name"`
}

// Row is what a transition reads and edits inside the store's write transaction: one session, and
// the accounts of this installation.
type Row struct {
	Identity Identity
	Accounts Accounts
}

// Store stores identities and accounts, with times to the millisecond.
type Store interface {
	// CreateIdentity stores a new session.
	CreateIdentity(ctx context.Context, i Identity) error
	// Identity returns a session, or fault.SessionNotFound.
	Identity(ctx context.Context, id string) (Identity, error)
	// ChangeIdentity loads a session and the accounts, lets law edit them, and stores the result
	// with a journal row named after the new status, in one write transaction. Then it wakes the
	// watchers of what changed. Unchanged values are not written. An error of law rolls back and is
	// returned unchanged.
	ChangeIdentity(ctx context.Context, id string, law func(*Row) error) (Identity, error)
	// ActiveAccount returns the active account, false when there is none.
	ActiveAccount(ctx context.Context) (Active, bool, error)
	// KnownAccounts returns the remembered accounts, last connected first.
	KnownAccounts(ctx context.Context) ([]Known, error)
	// ChangeAccounts loads the accounts, lets law edit them and stores the result
	// with journal rows, as ChangeIdentity does.
	ChangeAccounts(ctx context.Context, law func(*Accounts) error) error
}
