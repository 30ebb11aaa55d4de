package plan

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Party is a holder of coins: the account of the review (the zero Party), another address, or an
// object that holds coins for somebody, such as a balance manager.
type Party struct {
	Kind PartyKind   `json:"kind,omitempty"`
	ID   sui.Address `json:"id,omitzero"` // zero for the account
}

// PartyKind is the kind of a holder of coins.
type PartyKind string

// The kinds of parties other than the account, whose kind is "". An AddressParty with the zero
// address is not the account.
const (
	KindAddress PartyKind = "address"
	KindObject  PartyKind = "object"
)

// AddressParty returns an address other than the account.
func AddressParty(a sui.Address) Party { return Party{KindAddress, a} }

// ObjectParty returns an object that holds coins for somebody.
func ObjectParty(id sui.ObjectID) Party { return Party{KindObject, id} }

// IsObject reports whether the party is an object.
func (p Party) IsObject() bool { return p.Kind == KindObject }

// IsAccount reports whether the party is the account of the review.
func (p Party) IsAccount() bool { return p == Party{} }

// Role is the meaning of a bound for the user. It selects texts and affects no rule.
type Role string

// The roles of a bound.
const (
	RoleInput   Role = "input"   // leaves the account
	RoleFee     Role = "fee"     // leaves the account for a fee; the unused part comes back
	RoleOutput  Role = "output"  // arrives in the account
	RolePayment Role = "payment" // arrives at the address that the user named
	RoleHolding Role = "holding" // enters or leaves an object that holds coins
	RoleOffer   Role = "offer"   // leaves an object when an order trades
	RoleNet     Role = "net"     // net of several steps with the same coin
)

// Bound limits the net change of a party's holding of a coin, in raw units, to at least Least and
// at most Most; nil means unlimited. Gas is not part of it.
type Bound struct {
	Role        Role
	Party       Party
	Coin        Asset
	Least, Most *big.Int
}

// Exact returns the bound of a change that is known exactly.
func Exact(role Role, party Party, coin Asset, change *big.Int) Bound {
	return Bound{role, party, coin, change, change}
}

// Leaves returns the bound for at most amount leaving the account.
func Leaves(role Role, most Amount) Bound {
	return Bound{role, Party{}, most.Asset, new(big.Int).Neg(BigInt(most.Raw)), new(big.Int)}
}

// Arrives returns the bound for at least amount arriving in the account.
func Arrives(least Amount) Bound {
	return Bound{Role: RoleOutput, Coin: least.Asset, Least: BigInt(least.Raw)}
}

// Moves returns the bound for exactly amount, which the party receives, or pays if gives is set.
func Moves(role Role, party Party, amount Amount, gives bool) Bound {
	n := BigInt(amount.Raw)
	if gives {
		n.Neg(n)
	}
	return Exact(role, party, amount.Asset, n)
}

// Exact reports whether the bound is one number.
func (b Bound) Exact() bool { return b.Least != nil && b.Most != nil && b.Least.Cmp(b.Most) == 0 }

// Within reports whether a change is within the bound.
func (b Bound) Within(change *big.Int) bool {
	//mutant:never ./internal/plan TestPromise/less than the least
	if b.Least != nil && change.Cmp(b.Least) < 0 {
		return false
	}
	//mutant:never ./internal/plan TestPromise/an object that got more
	if b.Most != nil && change.Cmp(b.Most) > 0 {
		return false
	}
	return true
}

// Loses returns the maximum that the party may lose: nil if unlimited, zero if nothing.
func (b Bound) Loses() *big.Int {
	if b.Least == nil {
		return nil
	}
	if b.Least.Sign() >= 0 {
		return new(big.Int)
	}
	return new(big.Int).Neg(b.Least)
}

// Amount returns the number that the page shows: the maximum that leaves or the minimum that
// arrives, zero if unlimited.
func (b Bound) Amount() Amount {
	n := b.Least
	if n == nil {
		n = b.Most
	}
	if n == nil {
		n = new(big.Int)
	}
	n = new(big.Int).Abs(n)
	if !n.IsUint64() {
		n.SetUint64(1<<64 - 1)
	}
	return b.Coin.Of(sui.Raw(n.Uint64()))
}

// Equal reports whether two bounds have the same role, party, coin and limits.
func (b Bound) Equal(o Bound) bool {
	same := func(x, y *big.Int) bool { return (x == nil) == (y == nil) && (x == nil || x.Cmp(y) == 0) }
	return b.Role == o.Role && b.Party == o.Party && b.Coin == o.Coin && same(b.Least, o.Least) && same(b.Most, o.Most)
}

// Outcome is one way in which a transaction may end, as a table of bounds. The holding
// of a party without a row for a coin stays exactly the same.
type Outcome struct {
	Name   string  `json:"name"` // as in "swapped", "nothing is swapped"
	Bounds []Bound `json:"bounds,omitempty"`
	// Why and Do describe an outcome that was not requested: its cause, and what the user can do.
	Why string `json:"-"`
	Do  string `json:"-"`
}

// Promise lists the possible outcomes of a transaction. The first is the requested one. The
// transaction may also fail, and then only gas is spent.
type Promise struct {
	Outcomes []Outcome `json:"outcomes"`
}

// Equal reports whether two promises have the same tables. Their texts may differ.
func (p Promise) Equal(o Promise) bool {
	return slices.EqualFunc(p.Outcomes, o.Outcomes,
		func(a, b Outcome) bool { return slices.EqualFunc(a.Bounds, b.Bounds, Bound.Equal) })
}

// Bounds returns the rows of the requested outcome.
func (p Promise) Bounds() []Bound {
	if len(p.Outcomes) == 0 {
		return nil
	}
	return p.Outcomes[0].Bounds
}

// Of returns the rows of the requested outcome that have one of the roles.
func (p Promise) Of(roles ...Role) (list []Bound) {
	for _, b := range p.Bounds() {
		if slices.Contains(roles, b.Role) {
			list = append(list, b)
		}
	}
	return list
}

// Amount returns the amount that the page shows for the first row with the role, or the zero Amount
// if there is none.
func (p Promise) Amount(role Role) Amount {
	for _, b := range p.Bounds() {
		if b.Role == role {
			return b.Amount()
		}
	}
	return Amount{}
}

// Amounts returns the amounts that the page shows for the rows with the roles.
func (p Promise) Amounts(roles ...Role) (list []Amount) {
	for _, b := range p.Of(roles...) {
		list = append(list, b.Amount())
	}
	return list
}

// Payee returns the recipient of a payment, or zero if there is none.
func (p Promise) Payee() sui.Address {
	for _, b := range p.Of(RolePayment) {
		return b.Party.ID
	}
	return sui.Address{}
}

// EveryCoin is the coin of a plan's row that names no coin. Exact amounts of one or more coins
// arrive; which coins is read later.
var EveryCoin = Asset{}

// TakesEvery reports whether a plan does not name the coins that arrive.
func (p Promise) TakesEvery() bool {
	gets := p.Of(RoleOutput)
	return len(gets) == 1 && gets[0].Coin == EveryCoin
}

// Refines reports whether the promise contains every row of a plan. A row that depends on a price
// has no limits in the plan and may have any in the promise.
func (p Promise) Refines(plan Promise) bool {
	if plan.TakesEvery() {
		gets := p.Of(RoleOutput)
		//mutant:always ./internal/plan TestRefinesEveryCoin
		return len(gets) > 0 && !slices.ContainsFunc(gets, func(b Bound) bool {
			return !b.Exact() ||
				!b.Party.IsAccount()
		}) &&
			len(p.Of(RoleInput, RolePayment)) == 0
	}
	return slices.EqualFunc(p.Of(RoleInput, RoleOutput, RolePayment), plan.Of(RoleInput, RoleOutput, RolePayment),
		func(a, b Bound) bool {
			if b.Least == nil && b.Most == nil {
				return a.Role == b.Role && a.Party == b.Party && a.Coin == b.Coin
			}
			return a.Equal(b)
		})
}

// mostOutcomes bounds the number of ways in which a transaction of several steps may
// end.
const mostOutcomes = 16

// Sum returns the promise of several steps in one transaction: every combination of their outcomes,
// the combination of all first outcomes first. An amount that one step takes from another cancels
// out. Sum returns fault.InputInvalid if there are too many combinations to show to a user.
func Sum(parts ...Promise) (Promise, error) {
	all := []Outcome{{}}
	for _, p := range parts {
		var next []Outcome
		for _, a := range all {
			for _, b := range p.Outcomes {
				if o, ok := a.plus(b); ok {
					next = append(next, o)
				}
			}
		}
		//mutant:never ./review/gate TestTooMuchForOne
		if all = distinct(next); len(all) > mostOutcomes {
			return Promise{}, fault.New(fault.InputInvalid,
				"Together these steps can end in more than %d ways, which is more than one review can show. "+
					"Take fewer at once, or use steps: one transaction for each step.", mostOutcomes)
		}
	}
	for _, o := range all {
		//mutant:never ./internal/plan TestFedSum
		if slices.ContainsFunc(o.Bounds, func(b Bound) bool { return b.Party.IsResult() }) {
			return Promise{}, fault.New(fault.InputInvalid, "A step’s result is not taken by exactly one later step.")
		}
	}
	//mutant:never ./internal/plan TestFedSum
	if len(all) == 0 {
		return Promise{}, fault.New(fault.InputInvalid, "No step can take what the step before it results in.")
	}
	return Promise{all}, nil
}

// plus adds two tables, row by row. A result that one step takes from another cancels out. It
// returns false if the tables contain different results and so cannot happen together.
func (o Outcome) plus(other Outcome) (Outcome, bool) {
	out := Outcome{Name: o.Name, Why: o.Why, Do: o.Do, Bounds: slices.Clone(o.Bounds)}
	switch {
	case o.Name == "":
		out.Name = other.Name
	case other.Name != o.Name:
		out.Name += "; " + other.Name
	}
	if out.Why == "" {
		out.Why, out.Do = other.Why, other.Do
	}
	for _, b := range other.Bounds {
		i := slices.IndexFunc(out.Bounds,
			func(a Bound) bool { return a.Party == b.Party && a.Coin.CoinType == b.Coin.CoinType })
		if i < 0 {
			out.Bounds = append(out.Bounds, b)
			continue
		}
		if b.Party.IsResult() {
			//mutant:never ./internal/plan TestFedSum
			if !passes(out.Bounds[i], b) {
				return out, false
			}
			out.Bounds = slices.Delete(out.Bounds, i, i+1)
			continue
		}
		out.Bounds[i] = out.Bounds[i].plus(b)
	}
	return out, true
}

func (b Bound) plus(o Bound) Bound {
	sum := func(x, y *big.Int) *big.Int {
		if x == nil || y == nil {
			return nil
		}
		return new(big.Int).Add(x, y)
	}
	out := Bound{b.Role, b.Party, b.Coin, sum(b.Least, o.Least), sum(b.Most, o.Most)}
	if b.Role != o.Role {
		switch {
		case !b.Party.IsAccount():
			out.Role = RoleHolding
		case out.Least != nil && out.Least.Sign() >= 0:
			out.Role = RoleOutput
		case out.Most != nil && out.Most.Sign() <= 0:
			out.Role = RoleInput
		default:
			out.Role = RoleNet
		}
	}
	return out
}

// distinct drops outcomes with a repeated table.
func distinct(all []Outcome) (out []Outcome) {
	for _, o := range all {
		if !slices.ContainsFunc(out, func(x Outcome) bool { return slices.EqualFunc(x.Bounds, o.Bounds, Bound.Equal) }) {
			out = append(out, o)
		}
	}
	return out
}

// boundText is a stored bound, with numbers as decimal text.
type boundText struct {
	Role  Role   `json:"role"`
	Party Party  `json:"party,omitzero"`
	Coin  Asset  `json:"coin"`
	Least string `json:"least,omitempty"`
	Most  string `json:"most,omitempty"`
}

// MarshalJSON writes the numbers as decimal text.
func (b Bound) MarshalJSON() ([]byte, error) {
	text := func(n *big.Int) string {
		if n == nil {
			return ""
		}
		return n.String()
	}
	return json.Marshal(boundText{b.Role, b.Party, b.Coin, text(b.Least), text(b.Most)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Bound) UnmarshalJSON(data []byte) error {
	var t boundText
	if err := json.Unmarshal(data, &t); err != nil {
		return err
	}
	*b = Bound{Role: t.Role, Party: t.Party, Coin: t.Coin}
	for _, n := range []struct {
		text string
		to   **big.Int
	}{{t.Least, &b.Least}, {t.Most, &b.Most}} {
		if n.text == "" {
			continue
		}
		v, ok := new(big.Int).SetString(n.text, 10)
		if !ok || len(n.text) > 80 {
			return fault.New(fault.InputInvalid, "A bound is a whole number.")
		}
		*n.to = v
	}
	return nil
}

// Unlike describes how the observed changes differ from the requested outcome, with the reason and
// the advice where they are known; "" if they agree.
func (p Promise) Unlike(asked Compared) (reason Reason, message, do string) {
	for _, l := range asked.broken() {
		switch {
		case l.Role == RolePayment:
			return EffectsMismatch, "the recipient does not gain exactly what was stated.", ""
		case l.Role == RoleOutput && l.Exact():
			return EffectsMismatch, "not exactly what was stated leaves or arrives.", ""
		case l.Role == RoleOutput && l.Change.Sign() <= 0:
			for _, o := range p.Outcomes[1:] {
				//mutant:never ./review TestLyingNode/nothing arrives
				if o.Why != "" {
					return AmountMismatch, o.Name + ": " + o.Why, o.Do
				}
			}
			return EffectsMismatch, "less than the guaranteed minimum arrives.", ""
		case l.Role == RoleOutput:
			return EffectsMismatch, "less than the guaranteed minimum arrives.", ""
		}
	}
	broken := asked.broken()
	if len(broken) == 0 {
		return "", "", ""
	}
	switch l := broken[0]; {
	case l.Exact() && (l.Role != RoleInput || l.Change.Cmp(l.Least) > 0):
		message = "not exactly what was stated leaves or arrives."
	case l.Role == RoleFee && l.Change.Sign() < 0:
		message = "more " + l.Coin.Symbol + " leaves for the fee than was stated."
	default:
		message = "more leaves your account than was stated."
	}
	return EffectsMismatch, message, ""
}
