package policy

import (
	"math"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Takes contains the maximum that a transaction may take of each coin, in raw units, without gas.
type Takes map[sui.CoinType]Taken

// Taken is the maximum that may be taken of one coin. Values that overflow are replaced by the
// largest one.
type Taken struct {
	Leaves   sui.Raw // from the account, including Deposits
	Deposits sui.Raw // part of Leaves that goes to an object of the user
	Offers   sui.Raw // amounts that orders can pay from such an object
}

// Total returns the amount that counts toward a limit: everything that leaves the account, and the
// part of orders that deposits do not cover. A deposit and the order that it funds therefore count
// once.
func (t Taken) Total() sui.Raw { return plus(t.Leaves, t.Offers-min(t.Offers, t.Deposits)) }

// And returns the sum of t and o.
func (t Taken) And(o Taken) Taken {
	return Taken{plus(t.Leaves, o.Leaves), plus(t.Deposits, o.Deposits), plus(t.Offers, o.Offers)}
}

// larger returns t or o, whichever has the larger total.
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

// Group identifies transactions of which at most one can be executed: those of one review that pay
// for gas with the same version of the same coin.
type Group struct {
	Review string
	Gas    sui.ObjectRef
}

// Transaction is a transaction to check.
type Transaction struct {
	Group
	Protocols  []string      // slugs of the protocols that it uses
	Recipients []sui.Address // other than the account itself
	Takes      Takes
}

// Release is an earlier release of a transaction. It may belong to the review being checked.
type Release struct {
	Group
	Takes        Takes
	At, SignedAt time.Time
	Dead         bool // proved unable to execute
	Executed     bool // the chain reported its effects
	Succeeded    bool // executed successfully; if it failed, it took only gas
}

// Rule identifies a rule.
type Rule string

// The rules, in the order in which they are checked.
const (
	OfProtocol    Rule = "protocol"
	OfRecipient   Rule = "recipient"
	OfTransaction Rule = "per_transaction"
	OfDay         Rule = "per_day"
)

// Violation is the first rule that a transaction breaks. For a limit, it contains the coin and the
// limit, the amount that the transaction takes, and the amount that others took within a Day.
type Violation struct {
	Rule        Rule
	Protocol    string      // the protocol that is not allowed
	Recipient   sui.Address // the recipient that is not allowed
	Limit       CoinLimit
	Takes, Past sui.Raw
	Together    sui.Raw // sum within a Day; a deposit and the order that it funds count once
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

// UsedOf returns the amount of a coin that counts toward a daily limit at now.
func UsedOf(released []Release, coin sui.CoinType, now time.Time) sui.Raw {
	used, _ := taken(released, coin, Group{}, now)
	return used.Total()
}

// taken adds up the amounts of a coin that transactions released within a Day may take. own is the
// amount of the group at, and others that of all other groups. It counts generously: the maximum of
// each transaction counts in full, and so does a transaction with an unknown outcome, because a
// wallet may have signed it. It omits only transactions that cannot take anything: those proved
// dead, those that failed on chain, and those whose gas coin was used by an executed one. Only the
// largest transaction of each group counts.
func taken(released []Release, coin sui.CoinType, at Group, now time.Time) (others, own Taken) {
	used := map[Group]bool{} // groups with an executed transaction, successful or not
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
		// Without a gas coin, further transactions of the review can be executed too.
		if group == at && at.Gas != (sui.ObjectRef{}) {
			own = one
			continue
		}
		others = others.And(one)
	}
	return others, own
}
