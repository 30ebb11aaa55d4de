// Package account manages the wallet account used for reads and reviews: how a user connects one,
// and which one is active.
//
// The package never talks to a wallet or a node, and an account is not a login. An address reported
// by a wallet is only claimed: it selects the public data to read and the expected signer. A signed
// message can prove that the wallet holds the address's key, but that is not a login either.
package account

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// IdentityStatus is the state of a wallet identity session.
type IdentityStatus string

// The statuses follow each other in the order pending, opened, connecting, and then connected,
// rejected or failed. A session can expire in any of the first three.
const (
	Pending    IdentityStatus = "pending"    // the link was not opened yet
	Opened     IdentityStatus = "opened"     // a page shows the session
	Connecting IdentityStatus = "connecting" // the user chose a wallet
	Connected  IdentityStatus = "connected"
	Rejected   IdentityStatus = "rejected"
	Failed     IdentityStatus = "failed"
	Expired    IdentityStatus = "expired"
)

// Terminal reports whether the status is final.
func (s IdentityStatus) Terminal() bool {
	return s == Connected || s == Rejected || s == Failed || s == Expired
}

// UserRejected is the reason of Rejected. The others are reasons of Failed.
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
	PollInterval = 5 * time.Second  // recommended polling interval of clients
	MostWait     = 45 * time.Second // maximum duration of one Wait
	MostName     = 100              // code points in a wallet's name or ID
	MostDetail   = 500              // code points in the detail of a failure
	MostKnown    = 50               // known accounts; a new one replaces the one unused longest
)

// Identity is one attempt to connect a wallet account. The page reports Account, Chain and the
// wallet's name and ID; they are shown to the user and prove nothing. Account is nil until the
// status is Connected. Replaced is the previously active account, or nil. ProvenAt is when a
// signature proved that the wallet holds the account's key, or zero if the account is only claimed.
// OpenedTwice reports that the link's one-time code was used a second time; it is set by the store,
// not by transitions.
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

// Active is the active account. Proven reports whether a signature proved, at ProvenAt, that the
// wallet holds the account's key; otherwise the wallet only claims it. ConnectedAt is when the
// account last became active.
type Active struct {
	Account     sui.Address `json:"account"`
	Chain       string      `json:"chain"`
	WalletName  string      `json:"walletName,omitempty"`
	WalletID    string      `json:"walletId,omitempty"`
	Proven      bool        `json:"proven"`
	ProvenAt    time.Time   `json:"provenAt,omitzero"`
	ConnectedAt time.Time   `json:"connectedAt"`
}

// Report is a report of the connect page. Status is Connecting, Connected, Rejected or Failed. All
// other fields are untrusted text.
type Report struct {
	Status        IdentityStatus `json:"status" screen:"name"`
	Account       string         `json:"account"` // 0x and 64 hexadecimal digits; only if Connected
	WalletName    string         `json:"walletName" screen:"name"`
	WalletID      string         `json:"walletId" screen:"name"`
	Chain         string         `json:"chain" screen:"name"` // wallet chain such as sui:mainnet; only if Connected
	FailureReason string         `json:"failureReason" screen:"name"`
	FailureDetail string         `json:"failureDetail" screen:"name"`
}

// Row is the state that a transition reads and edits inside the store's write transaction: one
// session, and all accounts of this installation.
type Row struct {
	Identity Identity
	Accounts Accounts
}

// Store stores identities and accounts. Times have millisecond precision.
type Store interface {
	// CreateIdentity stores a new session.
	CreateIdentity(ctx context.Context, i Identity) error
	// Identity returns a session, or fault.SessionNotFound.
	Identity(ctx context.Context, id string) (Identity, error)
	// ChangeIdentity loads a session and the accounts, calls law to edit them, and stores the
	// result with a journal row named after the new status, all in one write transaction. It then
	// wakes everyone who waits for a changed value. Unchanged values are not written. If law
	// returns an error, nothing is stored and the error is returned as is.
	ChangeIdentity(ctx context.Context, id string, law func(*Row) error) (Identity, error)
	// ActiveAccount returns the active account, or false if there is none.
	ActiveAccount(ctx context.Context) (Active, bool, error)
	// KnownAccounts returns the known accounts, most recently connected first.
	KnownAccounts(ctx context.Context) ([]Known, error)
	// ChangeAccounts loads the accounts, calls law to edit them, and stores the result with journal
	// rows, as ChangeIdentity does.
	ChangeAccounts(ctx context.Context, law func(*Accounts) error) error
}
