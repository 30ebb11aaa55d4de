package record

import (
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Judged returns the stop of a transaction that the user's limits do not allow, or nil.
func Judged(allowed policy.Allowance, s Session, f plan.Facts, handed []Handed, now time.Time) *plan.Stop {
	t := policy.Transaction{Group: policy.Group{Review: string(s.ID)}, Takes: takesOf(f)}
	if len(s.Intent.Steps) == 0 {
		t.Protocols = []string{s.Protocol}
	}
	for _, in := range s.Intent.Steps {
		t.Protocols = append(t.Protocols, in.Protocol)
	}
	for _, step := range f.Steps {
		if step.Sends != s.Account && !step.Sends.IsZero() {
			t.Recipients = append(t.Recipients, step.Sends)
		}
	}
	if len(f.Gas.Payment) == 1 {
		t.Gas = f.Gas.Payment[0]
	}
	v := allowed.Judge(t, ReleasesOf(handed), now)
	if v == nil {
		return nil
	}
	asset := assetOf(f, v.Limit.CoinType)
	takes := "Up to " + asset.Of(v.Takes).String() + goes(f)
	switch v.Rule {
	case policy.OfProtocol:
		return beyond(v, "Protocol", "The protocol "+v.Protocol+" is not among those you allow: "+
			strings.Join(allowed.Protocols, ", ")+".")
	case policy.OfRecipient:
		return beyond(v, "Recipient", "The recipient "+v.Recipient.String()+" is not among those you allow.")
	case policy.OfTransaction:
		return beyond(v, "Limit of one transaction",
			takes+". Your limit of one transaction is "+asset.Of(v.Limit.Most).String()+".")
	}
	return beyond(v, "Limit of a day", takes+", and transactions handed to a wallet in the last 24 hours may take "+
		asset.Of(v.Past).String()+together(v, asset)+". Your limit of 24 hours is "+asset.Of(v.Limit.Most).String()+".")
}

// together returns the sum if it is less than its parts.
func together(v *policy.Violation, asset plan.Asset) string {
	if uint64(v.Together-v.Past) == uint64(v.Takes) {
		return ""
	}
	return ", together " + asset.Of(v.Together).String() + " as a deposit and the order that it pays for count once"
}

// takesOf returns the maximum that may leave the account or be traded by an order. A limit on coins
// in the wallet also applies to those in a balance manager. Gas is omitted: it has its own rules,
// and its cost is known only after execution.
func takesOf(f plan.Facts) policy.Takes {
	takes := policy.Takes{}
	for _, b := range f.Promise().Bounds() {
		if b.Party.IsAccount() {
			takes[b.Coin.CoinType] = takes[b.Coin.CoinType].And(policy.Taken{Leaves: rawOf(b.Loses())})
		}
	}
	// A deposit and an order offering it cancel out in the sum, so read them step by step.
	for _, step := range f.Steps {
		for _, b := range step.Promise.Bounds() {
			var one policy.Taken
			switch {
			case b.Role == plan.RoleOffer:
				one.Offers = rawOf(b.Loses())
			case b.Party.IsObject() && b.Least != nil && b.Least.Sign() > 0:
				one.Deposits = rawOf(b.Least)
			}
			takes[b.Coin.CoinType] = takes[b.Coin.CoinType].And(one)
		}
	}
	return takes
}

// rawOf returns an amount in raw units. A nil or too large amount becomes the maximum.
func rawOf(n *big.Int) sui.Raw {
	if n == nil || !n.IsUint64() {
		return math.MaxUint64
	}
	return sui.Raw(n.Uint64())
}

// assetOf returns the asset that a transaction takes of a coin type, or the zero Asset.
func assetOf(f plan.Facts, coin sui.CoinType) (asset plan.Asset) {
	for _, b := range f.Promise().Bounds() {
		if b.Coin.CoinType == coin {
			asset = b.Coin
		}
	}
	return asset
}

// goes returns the end of a sentence about the coins that a transaction takes.
func goes(f plan.Facts) string {
	if len(f.Promise().Of(plan.RoleOffer)) > 0 {
		return " would be offered by the order"
	}
	return " would leave"
}

// beyond returns the stop of a violated limit.
func beyond(v *policy.Violation, label, message string) *plan.Stop {
	return &plan.Stop{Reason: plan.AllowlistViolation,
		Check: plan.Fail(plan.SourceAdapter, "allowance_"+string(v.Rule), label, message,
			"Only you can change this, on the settings page of this program; no AI client can. Then check again, or "+
				"ask for a smaller amount.")}
}

// Stopped returns the error for a release while the user has paused signing.
func Stopped() error {
	return fault.New(fault.Blocked, "You stopped everything, so nothing is sent to a wallet. "+
		"Only you can lift that, on the settings page.").WithTrue("frozen")
}

// Unreadable returns the stop for limits that cannot be read. Nothing is allowed then, although the
// transaction itself is not at fault.
func Unreadable(err error) *plan.Stop {
	return &plan.Stop{Reason: plan.ProviderUnavailable,
		Check: plan.Fail(plan.SourceAdapter, "allowance_unreadable", "Your own limits",
			"Your limits could not be read, so nothing can be allowed: "+fault.As(err).Text, "Check again in a moment.")}
}

// ReleasesOf converts released transactions to the form that limits count.
func ReleasesOf(handed []Handed) []policy.Release {
	var released []policy.Release
	for _, h := range handed {
		gas := h.Release.GasCoin
		if h.Release.Coinless() {
			gas = sui.ObjectRef{Digest: h.Release.Digest} // no other release excludes it, so it is its own group
		}
		released = append(released, policy.Release{Group: policy.Group{Review: string(h.Review), Gas: gas},
			Takes: takesOf(h.Release.Facts), At: h.Release.At, SignedAt: h.Release.SignedAt, Dead: h.Release.Dead,
			Executed: h.Settled == h.Release.Digest.String(), Succeeded: h.Moved})
	}
	return released
}
