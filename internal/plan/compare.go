package plan

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Change is the net change in a party's holding in an object, as reported by the protocol's events.
type Change struct {
	Party  Party
	Coin   sui.CoinType
	Amount *big.Int
}

// holds identifies one party's balance of one coin.
type holds struct {
	party Party
	coin  sui.CoinType
}

// Observed has the changes that a transaction made or would make: those of addresses as reported by
// a node, and those of objects as reported by the protocol's events. Gas is excluded from the
// account's change in SUI.
type Observed struct {
	Changes map[holds]*big.Int
	objects map[sui.Address]bool // objects with any reported change
	Gas     *big.Int             // net; negative when the rebate is larger
	Found   bool                 // the account is among the changes
}

// Observe reads the effects of a transaction that the account sent and whose gas it paid.
func Observe(account sui.Address, e sui.Effects, objects ...Change) Observed {
	o := Observed{Changes: map[holds]*big.Int{}, objects: map[sui.Address]bool{}, Gas: e.Gas.Net().Big()}
	add := func(at holds, n *big.Int) {
		if o.Changes[at] == nil {
			o.Changes[at] = new(big.Int)
		}
		o.Changes[at].Add(o.Changes[at], n)
	}
	add(holds{Party{}, sui.SUI}, o.Gas)
	for _, c := range e.Balances {
		party := AddressParty(c.Owner)
		if c.Owner == account {
			party, o.Found = Party{}, true
		}
		add(holds{party, c.Coin}, c.Amount.Big())
	}
	for _, c := range objects {
		o.objects[c.Party.ID] = true
		add(holds{c.Party, c.Coin}, c.Amount)
	}
	return o
}

// of returns the change in a party's balance of a coin, or false if it is unknown. Only changes in
// objects can be unknown.
func (o Observed) of(p Party, coin sui.CoinType) (*big.Int, bool) {
	if n := o.Changes[holds{p, coin}]; n != nil {
		return n, true
	}
	return new(big.Int), !p.IsObject() || o.objects[p.ID]
}

// Line is one bound with the observed change.
type Line struct {
	Bound
	Change   *big.Int
	Observed bool // false: no change of the object was reported
	Within   bool
}

// Compared is an outcome with the observed changes.
type Compared struct {
	Outcome Outcome
	Lines   []Line
	// Lost and Gained are coins that the account lost or gained without a row, the first by type;
	// "" if there is none.
	Lost, Gained sui.CoinType
	Others       bool // an address without a row gained something
}

// Compare compares observed changes with an outcome. The checks of the bytes, the simulation, the
// second node, the receipt and the limits all use it.
func (o Outcome) Compare(seen Observed) Compared {
	c := Compared{Outcome: o}
	rows := map[holds]bool{}
	for _, b := range o.Bounds {
		rows[holds{b.Party, b.Coin.CoinType}] = true
		change, known := seen.of(b.Party, b.Coin.CoinType)
		c.Lines = append(c.Lines, Line{b, change, known, !known || b.Within(change)})
	}
	for at, change := range seen.Changes {
		switch {
		case rows[at] || at.party.IsObject():
		case !at.party.IsAccount():
			//mutant:never ./internal/plan TestPromise/others may lose but never gain
			if change.Sign() > 0 {
				c.Others = true
			}
		//mutant:never ./internal/plan TestPromise/another coin leaves
		case change.Sign() < 0:
			c.Lost = least(c.Lost, at.coin)
		case change.Sign() > 0:
			c.Gained = least(c.Gained, at.coin)
		}
	}
	return c
}

// least returns the first of two coins by type; "" means none.
func least(a, b sui.CoinType) sui.CoinType {
	if a == "" || b < a {
		return b
	}
	return a
}

// Holds reports whether exactly this outcome happened.
func (c Compared) Holds() bool {
	for _, r := range c.Lines {
		if !r.Within {
			return false
		}
	}
	return c.Lost == "" && c.Gained == "" && !c.Others
}

// broken returns the rows outside their bounds.
func (c Compared) broken() (rows []Line) {
	for _, r := range c.Lines {
		if !r.Within {
			rows = append(rows, r)
		}
	}
	return rows
}

// failed returns the outcome of a transaction that fails: only gas is spent.
func (p Promise) failed() Outcome {
	o := Outcome{Name: "nothing happens"}
	for _, b := range p.Bounds() {
		o.Bounds = append(o.Bounds, Exact(b.Role, b.Party, b.Coin, new(big.Int)))
	}
	return o
}

// Happened returns the observed outcome: the first that holds, including failure. If
// none holds, it returns the requested one, which is then broken.
func (p Promise) Happened(seen Observed) Compared {
	if len(p.Outcomes) == 0 {
		return Outcome{}.Compare(seen)
	}
	for _, o := range append(p.Outcomes[:len(p.Outcomes):len(p.Outcomes)], p.failed()) {
		if c := o.Compare(seen); c.Holds() {
			return c
		}
	}
	return p.Outcomes[0].Compare(seen)
}
