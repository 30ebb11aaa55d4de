package review

import "github.com/sayurintent/sayurintent/internal/sui"

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
