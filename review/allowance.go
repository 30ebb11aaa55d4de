package review

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Allowance is what the person allows on this machine. Only the settings page
// changes it; no tool can. The zero Allowance allows everything that the rules
// allow.
type Allowance struct {
	// PerTransaction bounds what one reviewed transaction may take of a coin.
	PerTransaction []CoinLimit `json:"perTransaction,omitempty"`
	// PerDay bounds what all transactions handed out in the last 24 hours, and
	// the one at hand, may take of a coin together, over all accounts.
	PerDay []CoinLimit `json:"perDay,omitempty"`
	// Protocols are the slugs that may be used; none means every one.
	Protocols []string `json:"protocols,omitempty"`
	// Recipients are the addresses that may receive something besides the
	// account itself, which always may; none means every one.
	Recipients []sui.Address `json:"recipients,omitempty"`
}

// CoinLimit is the most of one coin, in raw units.
type CoinLimit struct {
	CoinType sui.CoinType `json:"coinType"`
	Most     sui.Raw      `json:"most"`
}

// AllowanceDay is the time over which the limits of a day are summed.
const AllowanceDay = 24 * time.Hour

// Handed is one transaction that was handed out and not proved dead, with what
// the sums of a day need of its review.
type Handed struct {
	Review  ID
	Release Release
	// Settled is the digest of the transaction of the review whose effects the
	// chain told, "" while it told none. Moved says that it succeeded: one that
	// failed on chain took gas alone.
	Settled string
	Moved   bool
}
