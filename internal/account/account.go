// Package account is the wallet account that reads and reviews are about: how a
// person names one on the connect page, and which one is active.
//
// It never connects a wallet, asks a node, or treats the account as a login:
// an address that a wallet gave is claimed, and only says whose public data to
// read and who is expected to sign. A signed message can prove that the wallet
// holds the address's key; that is no login either.
package account

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// IdentityStatus is where a wallet identity session stands.
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
	MostKnown    = 50               // remembered accounts; beyond, the one unused longest is forgotten
)

// Identity is one attempt to connect a wallet account. Account, Chain and the wallet's name and id
// are what the page reported; they are shown to the user and are no proof. Account is nil until
// Connected. Replaced is the other account that was in use when this one was connected, nil when
// there was none. ProvenAt is when a signature showed that the wallet holds the account's key, zero
// while the account is claimed only. OpenedTwice says that somebody tried the link's one-time code
// a second time; the store reads it, and no law changes it.
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

// Active is the account in use: the one that reads and reviews are about. Proven
// says whether a signature showed that the wallet holds its key, and ProvenAt
// when; without one the address is the wallet's word. ConnectedAt is when it was
// last taken into use.
type Active struct {
	Account     sui.Address `json:"account"`
	Chain       string      `json:"chain"`
	WalletName  string      `json:"walletName,omitempty"`
	WalletID    string      `json:"walletId,omitempty"`
	Proven      bool        `json:"proven"`
	ProvenAt    time.Time   `json:"provenAt,omitzero"`
	ConnectedAt time.Time   `json:"connectedAt"`
}

// Report is what the connect page says happened. Status is Connecting,
// Connected, Rejected or Failed; the rest is untrusted text.
type Report struct {
	Status        IdentityStatus `json:"status" screen:"name"`
	Account       string         `json:"account"` // 0x and 64 hexadecimal digits; with Connected only
	WalletName    string         `json:"walletName" screen:"name"`
	WalletID      string         `json:"walletId" screen:"name"`
	Chain         string         `json:"chain" screen:"name"` // the wallet chain, as in sui:mainnet; with Connected only
	FailureReason string         `json:"failureReason" screen:"name"`
	FailureDetail string         `json:"failureDetail" screen:"name"`
}

// Row is what a law sees and edits inside the store's write transaction: one
// session, and the accounts of this installation.
type Row struct {
	Identity Identity
	Accounts Accounts
}

// Store keeps identities and accounts durably. Times are kept to the
// millisecond.
type Store interface {
	// CreateIdentity stores a new session.
	CreateIdentity(ctx context.Context, i Identity) error
	// Identity returns a session, or fault.SessionNotFound.
	Identity(ctx context.Context, id string) (Identity, error)
	// ChangeIdentity loads a session and the accounts, lets law edit them, and
	// stores the result with a journal row named after the new status, in one
	// write transaction; then it wakes those who watch what changed. What law left
	// as it was is not written. An error of law rolls back and is returned as it is.
	ChangeIdentity(ctx context.Context, id string, law func(*Row) error) (Identity, error)
	// ActiveAccount returns the active account, false when there is none.
	ActiveAccount(ctx context.Context) (Active, bool, error)
	// KnownAccounts returns the remembered accounts, last connected first.
	KnownAccounts(ctx context.Context) ([]Known, error)
	// ChangeAccounts loads the accounts, lets law edit them and stores the result
	// with journal rows, as ChangeIdentity does.
	ChangeAccounts(ctx context.Context, law func(*Accounts) error) error
}
