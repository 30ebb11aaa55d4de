package activity

import (
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Role is the part that an account had in a transaction.
type Role string

// The roles. RoleAffected means that the account appeared in the effects without being the sender.
const (
	RoleSender   Role = "sender"
	RoleAffected Role = "affected_only"
	RoleUnknown  Role = "unknown" // the sender was not reported
)

// BalanceEvidence classifies what the reported balance changes prove about an account.
type BalanceEvidence string

// The kinds of evidence. The last two do not prove that nothing changed.
const (
	ChangesReturned    BalanceEvidence = "account_balance_changes_returned"
	NoChangesReturned  BalanceEvidence = "no_account_balance_changes_returned"
	ChangesIncomplete  BalanceEvidence = "incomplete_account_balance_changes"
	ChangesUnavailable BalanceEvidence = "account_balance_changes_unavailable"
)

// Inference is the policy for drawing conclusions about an account's balances.
type Inference string

// Values of Inference.
const (
	UseReturned   Inference = "use_returned_account_balance_changes"
	AbsenceProven Inference = "absence_of_account_balance_changes_proven"
	DoNotInfer    Inference = "do_not_infer_from_transaction_context"
)

// ScopeRequested is the scope of every Effect.
const ScopeRequested = "requested_account"

// Effect is the effect of a transaction on one account. Amounts are raw integers.
type Effect struct {
	Scope         string          `json:"scope"`
	Role          Role            `json:"role"`
	Evidence      BalanceEvidence `json:"balanceChangeEvidence"`
	Completeness  Completeness    `json:"balanceChangeCompleteness"`
	AbsenceProven bool            `json:"accountBalanceChangeAbsenceProven"`
	Inference     Inference       `json:"accountBalanceChangeInferencePolicy"`
	Balances      []Balance       `json:"balanceChanges"`
	Flows         []Flow          `json:"coinFlows"`
	Limitations   []string        `json:"limitations"`
	// GasPaid is the net cost of gas if this account is known to have paid it; otherwise nil.
	GasPaid *sui.Delta `json:"-"`
	// Report contains the account's actions, as reported by events. It is empty if the account is not
	// the sender. Gains are the amounts that others received from the account, if all changes are
	// known. Stored rows have none, because they name no other party.
	Report sui.Report `json:"-"`
	Gains  []Balance  `json:"-"`
	// Funds lists the coins that arrived only in the account's address balance. It is known only if
	// every object was reported, so stored rows have none.
	Funds []sui.CoinType `json:"-"`

	GasKnown, FeesKnown bool `json:"-"` // whether the gas payer, and the fees in events, are known
}

// Flow is the sum of changes of one coin, in raw units. Count is the number of changes.
type Flow struct {
	Coin     sui.CoinType `json:"coinType"`
	Increase string       `json:"increaseRaw"`
	Decrease string       `json:"decreaseRaw"`
	Net      string       `json:"netRaw"`
	Count    int          `json:"count"`
}

// Limitations of an effect.
const (
	limitTruncated   = "balance_changes_truncated"
	limitUnavailable = "balance_changes_unavailable"
	limitRefused     = "balance_changes_contradicted_effects_and_were_left_out"
	limitOwnerless   = "balance_changes_without_owner"
	limitGas         = "gas_that_the_account_paid_is_missing_from_balance_changes"
	limitSender      = "sender_not_told"
)

// effectOn describes a transaction's effect on an account. Changes without an owner may be the
// account's, so they make the evidence incomplete.
func effectOn(account sui.Address, p sui.PastTransaction) Effect {
	e := Effect{Scope: ScopeRequested, Role: RoleUnknown, Balances: []Balance{}, Limitations: []string{}}
	switch {
	case p.Sender == nil:
		e.Limitations = append(e.Limitations, limitSender)
	case *p.Sender == account:
		e.Role = RoleSender
	default:
		e.Role = RoleAffected
	}
	ownerless := false
	for i, b := range p.Balances.Items {
		if b.Owner == nil {
			ownerless = true
		} else if *b.Owner == account {
			e.Balances = append(e.Balances, balanceOf(i, b))
		}
	}
	switch {
	case p.BalancesRefused:
		e.Completeness, e.Limitations = Unavailable, append(e.Limitations, limitUnavailable, limitRefused)
	case !p.Balances.Known:
		e.Completeness, e.Limitations = Unavailable, append(e.Limitations, limitUnavailable)
	case p.Balances.More:
		e.Completeness, e.Limitations = Truncated, append(e.Limitations, limitTruncated)
	case ownerless:
		e.Completeness, e.Limitations = Truncated, append(e.Limitations, limitOwnerless)
	case paidGas(account, p) && !e.changes(sui.SUI):
		e.Completeness, e.Limitations = Truncated, append(e.Limitations, limitGas)
	default:
		e.Completeness = Complete
	}
	if payer := p.GasPayer; payer != nil && p.Gas != nil {
		e.GasKnown = true
		if *payer == account {
			net := p.Gas.Net()
			e.GasPaid = &net
		}
	}
	if e.Role == RoleSender && e.Completeness == Complete {
		for i, b := range p.Balances.Items {
			refund := p.GasPayer != nil && *b.Owner == *p.GasPayer && b.Coin == sui.SUI // a gas refund to another payer
			if *b.Owner != account && !refund && !b.Amount.Negative && b.Amount.Amount > 0 {
				e.Gains = append(e.Gains, balanceOf(i, b))
			}
		}
	}
	e.Flows = flowsOf(e.Balances)
	e.judge()
	e.Funds = intoFunds(account, e.Balances, p.Objects)
	return e
}

// told copies the actions that a detail reports, if the account is the sender.
func (e *Effect) report(d *Detail) {
	if d != nil && e.Role == RoleSender {
		e.Report, e.FeesKnown = d.Report, d.Lists.Events == Complete
	}
}

// intoFunds lists the coins that arrived without a coin object of the account, so only its address
// balance can hold them.
func intoFunds(account sui.Address, changes []Balance, objects sui.Listed[sui.PastObject]) (list []sui.CoinType) {
	if !objects.Whole() {
		return nil
	}
	for _, b := range changes {
		held := func(o sui.PastObject) bool {
			gone := o.Change == "deleted" || o.Change == "wrapped"
			others := o.Owner != nil && o.Owner.Address != account
			return !gone && !others && (o.Type == "" || o.Type == b.Coin.Object())
		}
		if b.Direction == Increase && !slices.Contains(list, b.Coin) && !slices.ContainsFunc(objects.Items, held) {
			list = append(list, b.Coin)
		}
	}
	return list
}

// paidGas reports whether the account paid the gas. The payer's balance of SUI always changes, even
// if the list of changes is incomplete. If no payer was reported, it is the sender. A cost that was
// not reported is unknown, not zero.
func paidGas(account sui.Address, p sui.PastTransaction) bool {
	payer := p.GasPayer
	if payer == nil {
		payer = p.Sender
	}
	return payer != nil && *payer == account && (p.Gas == nil || p.Gas.Net().Amount != 0)
}

// changes reports whether the effect includes a change of the coin.
func (e *Effect) changes(coin sui.CoinType) bool {
	return slices.ContainsFunc(e.Balances, func(b Balance) bool { return b.Coin == coin })
}

// judge sets the evidence and the inference policy.
func (e *Effect) judge() {
	switch {
	case e.Completeness == Unavailable:
		e.Evidence, e.Inference = ChangesUnavailable, DoNotInfer
	case e.Completeness == Truncated:
		e.Evidence, e.Inference = ChangesIncomplete, DoNotInfer
	case len(e.Balances) == 0:
		e.Evidence, e.Inference, e.AbsenceProven = NoChangesReturned, AbsenceProven, true
	default:
		e.Evidence, e.Inference = ChangesReturned, UseReturned
	}
}

// tally adds up flows of coins without rounding.
type tally struct {
	order []sui.CoinType
	coins map[sui.CoinType]*sum
}

type sum struct {
	in, out big.Int
	count   int
}

func (t *tally) add(coin sui.CoinType, amount sui.Delta) {
	if t.coins == nil {
		t.coins = map[sui.CoinType]*sum{}
	}
	s := t.coins[coin]
	if s == nil {
		s = &sum{}
		t.coins[coin] = s
		t.order = append(t.order, coin)
	}
	n := new(big.Int).SetUint64(uint64(amount.Amount))
	if amount.Negative {
		s.out.Add(&s.out, n)
	} else {
		s.in.Add(&s.in, n)
	}
	s.count++
}

func (s *sum) net() *big.Int { return new(big.Int).Sub(&s.in, &s.out) }

// flows returns the sums by coin type.
func (t *tally) flows() []Flow {
	slices.Sort(t.order)
	out := []Flow{}
	for _, coin := range t.order {
		s := t.coins[coin]
		out = append(out, Flow{coin, s.in.String(), s.out.String(), s.net().String(), s.count})
	}
	return out
}

func flowsOf(list []Balance) []Flow {
	var t tally
	for _, b := range list {
		t.add(b.Coin, b.Amount)
	}
	return t.flows()
}

// suiAmount returns an amount in MIST with its exact display form.
func suiAmount(mist *big.Int) SuiAmount {
	digits := new(big.Int).Abs(mist).String()
	for len(digits) < 10 {
		digits = "0" + digits
	}
	shown := trimZeros(digits[:len(digits)-9] + "." + digits[len(digits)-9:])
	if mist.Sign() < 0 {
		shown = "-" + shown
	}
	return SuiAmount{mist.String(), shown, "SUI"}
}
