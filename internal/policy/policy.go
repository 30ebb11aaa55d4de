// Package policy is what a user allows on this machine: how much may be spent in one transaction
// and in a day, on which protocols, and who may receive it.
//
// It defines the values, their validation, their text form, and the check of a transaction. It does
// no I/O: package settings changes a policy, package review enforces it.
package policy

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Allowance is what the user allows. Only the settings page changes it; no tool can. The zero
// Allowance allows everything that other rules allow.
type Allowance struct {
	// PerTransaction limits what one reviewed transaction may take of a coin.
	PerTransaction []CoinLimit `json:"perTransaction,omitempty"`
	// PerDay limits what all transactions released in the last Day, and the current one, may take
	// of a coin together, over all accounts.
	PerDay []CoinLimit `json:"perDay,omitempty"`
	// Protocols are the slugs that may be used; none means every one.
	Protocols []string `json:"protocols,omitempty"`
	// Recipients are the addresses, other than the account itself, that may receive something;
	// empty means any.
	Recipients []sui.Address `json:"recipients,omitempty"`
	// ProvedOnly makes a result final only after validators signed it: one node's word is not
	// enough.
	ProvedOnly bool `json:"provedOnly,omitempty"`
	// Requests is the number of requests that AI clients and programs may make for one account in
	// ten minutes; 0 means UsualRequests.
	Requests int `json:"requests,omitempty"`
}

// The default and the maximum of requests for one account in ten minutes.
const (
	UsualRequests = 120
	mostRequests  = 10_000
)

// MostRequests returns how many requests may be made for one account in ten minutes.
func (a Allowance) MostRequests() int { return cmp.Or(a.Requests, UsualRequests) }

// CoinLimit is a limit for one coin, in raw units.
type CoinLimit struct {
	CoinType sui.CoinType `json:"coinType"`
	Most     sui.Raw      `json:"most"`
}

// Day is the time over which the limits of a day are summed.
const Day = 24 * time.Hour

// Limited reports whether anything is limited.
func (a Allowance) Limited() bool {
	return len(a.PerTransaction)+len(a.PerDay)+len(a.Protocols)+len(a.Recipients) > 0
}

// How many lines an allowance may have.
const (
	mostLimits     = 64
	mostProtocols  = 32
	mostRecipients = 128
)

// Check validates an allowance from any source: typed, stored or in a backup. It returns a
// fault.InputInvalid that names the field.
func (a Allowance) Check() error {
	for field, list := range map[string][]CoinLimit{"perTransaction": a.PerTransaction, "perDay": a.PerDay} {
		if len(list) > mostLimits {
			return refuseField(field, "There are more than %d limits.", mostLimits)
		}
		seen := map[sui.CoinType]bool{}
		for _, l := range list {
			if canonical, err := sui.ParseCoinType(string(l.CoinType)); err != nil || canonical != l.CoinType {
				return refuseField(field, "The limit's coin %q is not a coin type in full.", l.CoinType)
			}
			if seen[l.CoinType] {
				return refuseField(field, "There are two limits for one coin. Keep one of them.")
			}
			seen[l.CoinType] = true
		}
	}
	if len(a.Protocols) > mostProtocols || len(a.Recipients) > mostRecipients {
		return refuseField("recipients", "There are more than %d protocols or %d recipients.", mostProtocols, mostRecipients)
	}
	if a.Requests < 0 || a.Requests > mostRequests {
		return refuseField("requests", "Requests for one account in ten minutes are 1 to %d.", mostRequests)
	}
	for i, p := range a.Protocols {
		if len(p) > 40 || strings.Trim(p, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || p == "" ||
			slices.Contains(a.Protocols[:i], p) {
			return refuseField("protocols", "The protocol %q is not the short name of one, or is there twice.",
				fault.Clip(p, 40))
		}
	}
	for i, r := range a.Recipients {
		if r.IsZero() || slices.Contains(a.Recipients[:i], r) {
			return refuseField("recipients", "The recipient %s is listed twice, or is not a valid address.", r)
		}
	}
	return nil
}

func refuseField(field, format string, args ...any) error {
	return fault.New(fault.InputInvalid, format, args...).With("field", field)
}
