package policy

import (
	"math"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Takes is the maximum that a transaction may take, in raw units by coin, excluding gas.
type Takes map[sui.CoinType]Taken

// Taken is the maximum that may be taken of one coin. Larger numbers are stored as the largest one.
type Taken struct {
	Leaves   sui.Raw // from the account, including deposits
	Deposits sui.Raw // part of Leaves that goes to the user's own object
	Offers   sui.Raw // amounts that orders pay from such an object when they fill
}

// Total returns what counts toward a limit: what leaves the account, and the part of orders that
// deposits do not cover, so that a deposit and the order that it funds count once.
func (t Taken) Total() sui.Raw { return plus(t.Leaves, t.Offers-min(t.Offers, t.Deposits)) }

// And returns the sum of both.
func (t Taken) And(o Taken) Taken {
	return Taken{plus(t.Leaves, o.Leaves), plus(t.Deposits, o.Deposits), plus(t.Offers, o.Offers)}
}

// larger returns the larger of two values.
func (t Taken) larger(o Taken) Taken {
	if o.Total() > t.Total() {
		return o
	}
	return t
}

func plus(a, b sui.Raw) sui.Raw {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// Group identifies transactions of which the chain executes at most one: those of one review that
// pay gas with the same version of the same coin.
type Group struct {
	Review string
	Gas    sui.ObjectRef
}

// Transaction is the transaction to check.
type Transaction struct {
	Group
	Protocols  []string      // slugs
	Recipients []sui.Address // without the account itself
	Takes      Takes
}

// Release is an earlier release of a transaction, which may be of the current review.
type Release struct {
	Group
	Takes        Takes
	At, SignedAt time.Time
	Dead         bool // proved that it cannot execute
	Executed     bool // the chain reported its effects
	Succeeded    bool // the effects report success; otherwise it took only gas
}

// Rule identifies a rule.
type Rule string

// Rules in the order of evaluation.
const (
	OfProtocol    Rule = "protocol"
	OfRecipient   Rule = "recipient"
	OfTransaction Rule = "per_transaction"
	OfDay         Rule = "per_day"
)

// Violation describes the first rule that a transaction breaks. For a limit it has the coin, the
// amount that the transaction takes, the amount that others took within a Day, and the limit.
type Violation struct {
	Rule        Rule
	Protocol    string      // not allowed
	Recipient   sui.Address // not allowed
	Limit       CoinLimit
	Takes, Past sui.Raw
	Together    sui.Raw // within a Day; a deposit and the order that it funds count once
}

// Judge returns the first violation of a transaction, or nil if it is allowed.
func (a Allowance) Judge(t Transaction, released []Release, now time.Time) *Violation {
	for _, p := range t.Protocols {
		//mutant:never ./review/gate TestAllowance/protocol
		if len(a.Protocols) > 0 && !slices.Contains(a.Protocols, p) {
			return &Violation{Rule: OfProtocol, Protocol: p}
		}
	}
	for _, to := range t.Recipients {
		//mutant:never ./review/gate TestAllowanceOfARecipient
		if len(a.Recipients) > 0 && !slices.Contains(a.Recipients, to) {
			return &Violation{Rule: OfRecipient, Recipient: to}
		}
	}
	for _, limit := range a.PerTransaction {
		//mutant:never ./review/gate TestAllowance/limit of one transaction: one unit under it blocks
		if raw := t.Takes[limit.CoinType].Total(); raw > limit.Most {
			return &Violation{Rule: OfTransaction, Limit: limit, Takes: raw}
		}
	}
	for _, limit := range a.PerDay {
		present := t.Takes[limit.CoinType]
		past, own := taken(released, limit.CoinType, t.Group, now)
		together := past.And(present.larger(own)).Total()
		//mutant:always ./review/gate TestAllowanceOfADayAcrossProcesses
		if present.Total() == 0 || together <= limit.Most {
			continue
		}
		return &Violation{Rule: OfDay, Limit: limit, Takes: present.Total(), Past: past.Total(), Together: together}
	}
	return nil
}

// UsedOf returns how much of a coin currently counts toward the limit of a Day.
func UsedOf(released []Release, coin sui.CoinType, now time.Time) sui.Raw {
	used, _ := taken(released, coin, Group{}, now)
	return used.Total()
}

// taken sums the amounts of a coin that transactions released within a Day may take. own is the sum
// of the current group, others that of all other groups. It errs on the side of counting: stated
// amounts count in full, and so do transactions with an unknown outcome, because a wallet may have
// signed them. It omits only transactions that cannot take anything anymore: those proved dead,
// those that failed on chain, and those that needed a gas coin that an executed one used. Of each
// group it counts only the largest.
func taken(released []Release, coin sui.CoinType, at Group, now time.Time) (others, own Taken) {
	used := map[Group]bool{} // executed, with any outcome
	for _, r := range released {
		if r.Executed {
			used[r.Group] = true
		}
	}
	largest := map[Group]Taken{}
	for _, r := range released {
		switch since := now.Add(-Day); {
		case r.Dead, r.Executed && !r.Succeeded, used[r.Group] && !r.Executed:
			continue
		case !r.At.After(since) && !r.SignedAt.After(since):
			continue
		}
		largest[r.Group] = largest[r.Group].larger(r.Takes[coin])
	}
	for group, one := range largest {
		// Without a gas coin, nothing excludes another transaction of the review.
		if group == at && at.Gas != (sui.ObjectRef{}) {
			own = one
			continue
		}
		others = others.And(one)
	}
	return others, own
}
