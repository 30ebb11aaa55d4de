// Package policy defines the limits that a user sets on this computer: how much may be spent in a
// transaction and in a day, on which protocols, and who may receive coins.
//
// It contains the values, their validation and text form, and the check of a transaction. It does
// no I/O: package settings changes a policy, and package review enforces it.
package policy

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Allowance contains the user's limits. They can be changed only on the settings page, never by a
// tool. The zero Allowance sets no limits.
type Allowance struct {
	// PerTransaction limits the amount of a coin that one transaction may take.
	PerTransaction []CoinLimit `json:"perTransaction,omitempty"`
	// PerDay limits the amount of a coin that the transaction and all transactions released within
	// the last Day may take together, over all accounts.
	PerDay []CoinLimit `json:"perDay,omitempty"`
	// Protocols lists the slugs of allowed protocols. If it is empty, all are allowed.
	Protocols []string `json:"protocols,omitempty"`
	// Recipients lists the addresses, other than the account itself, that may receive something. If
	// it is empty, all are allowed.
	Recipients []sui.Address `json:"recipients,omitempty"`
	// ProvedOnly makes a result final only after validators have signed it, rather than on the
	// report of one node.
	ProvedOnly bool `json:"provedOnly,omitempty"`
	// Requests is the maximum number of requests that AI clients and programs may make for one
	// account in ten minutes. 0 means UsualRequests.
	Requests int `json:"requests,omitempty"`
}

// The default and the largest permitted value of Allowance.Requests.
const (
	UsualRequests = 120
	maxRequests   = 10_000
)

// MostRequests returns the maximum number of requests for one account in ten minutes.
func (a Allowance) MostRequests() int { return cmp.Or(a.Requests, UsualRequests) }

// CoinLimit is a limit for one coin, in raw units.
type CoinLimit struct {
	CoinType sui.CoinType `json:"coinType"`
	Most     sui.Raw      `json:"most"`
}

// Day is the period of daily limits.
const Day = 24 * time.Hour

// Limited reports whether there is any limit.
func (a Allowance) Limited() bool {
	return len(a.PerTransaction)+len(a.PerDay)+len(a.Protocols)+len(a.Recipients) > 0
}

// Maximum lengths of the lists in an allowance.
const (
	maxLimits     = 64
	maxProtocols  = 32
	maxRecipients = 128
)

// Check validates an allowance from any source: user input, the store or a backup. It returns
// fault.InputInvalid with the field.
func (a Allowance) Check() error {
	for field, list := range map[string][]CoinLimit{"perTransaction": a.PerTransaction, "perDay": a.PerDay} {
		if len(list) > maxLimits {
			return refuseField(field, "There are more than %d limits.", maxLimits)
		}
		seen := map[sui.CoinType]bool{}
		for _, l := range list {
			if canonical, err := sui.ParseCoinType(string(l.CoinType)); err != nil || canonical != l.CoinType {
				return refuseField(field, "The limit's coin %q is not a full coin type.", l.CoinType)
			}
			if seen[l.CoinType] {
				return refuseField(field, "There are two limits for one coin. Keep one of them.")
			}
			seen[l.CoinType] = true
		}
	}
	if len(a.Protocols) > maxProtocols || len(a.Recipients) > maxRecipients {
		return refuseField("recipients", "There are more than %d protocols or %d recipients.", maxProtocols, maxRecipients)
	}
	if a.Requests < 0 || a.Requests > maxRequests {
		return refuseField("requests", "Requests for one account in ten minutes are 1 to %d.", maxRequests)
	}
	for i, p := range a.Protocols {
		if len(p) > 40 || strings.Trim(p, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || p == "" ||
			slices.Contains(a.Protocols[:i], p) {
			return refuseField("protocols", "The protocol %q is not a protocol's short name, or is listed twice.",
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
