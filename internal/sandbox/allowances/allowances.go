// Package allowances is the inside of the chain's allowances: their bounds and windows
// with exact numbers, how they are written, and the codes with which they refuse. It is
// made from the description of the Move module and shares nothing with the product.
package allowances

import (
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Allowance lets Spender take Coin out of the address balance of Funder. A bound that is
// nil is none; times are milliseconds since 1970.
type Allowance struct {
	Funder, Spender sui.Address // a zero spender: the app alone decides
	App             string      // the type name of the app whose code must agree
	Coin            sui.CoinType
	Cap             *big.Int
	Start, End      *uint64
	Rate            *Rate
	Name            string
	Taken           *big.Int
}

// Rate lets Limit be taken in each window, and has what was spent in the window with
// number Index. Exactly one of Period (milliseconds) and Months is set.
type Rate struct {
	Limit, Spent *big.Int
	Anchor       *uint64 // when the first window began; nil before the first spend
	Index        uint64
	Period       uint64
	Months       uint8
}

// Wide writes a number of 256 bits.
func Wide(b bcs.Bytes, n *big.Int) bcs.Bytes {
	raw := n.FillBytes(make([]byte, 32))
	for i := range raw {
		b = append(b, raw[len(raw)-1-i])
	}
	return b
}

// Encode writes the fields in the order of the Move struct.
func (a *Allowance) Encode(id sui.ObjectID) bcs.Bytes {
	b := bcs.Bytes(nil).Raw(id[:]).Raw(a.Funder[:])
	some := func(set bool, value func()) {
		if b = b.Bool(set); set {
			value()
		}
	}
	time := func(n *uint64) { some(n != nil, func() { b = b.U64(*n) }) }
	some(!a.Spender.IsZero(), func() { b = b.Raw(a.Spender[:]) })
	some(a.App != "", func() { b = b.Text(a.App) })
	some(a.Cap != nil, func() { b = Wide(b, a.Cap) })
	time(a.Start)
	time(a.End)
	some(a.Rate != nil, func() {
		b = Wide(Wide(append(b, 0), a.Rate.Limit), a.Rate.Spent)
		time(a.Rate.Anchor)
		if b = b.U64(a.Rate.Index); a.Rate.Period > 0 {
			b = append(b, 0).U64(a.Rate.Period)
		} else {
			b = append(b, 1, a.Rate.Months)
		}
	})
	return Wide(b.Text(a.Name), a.Taken)
}

// Clone returns a copy that a spend may change.
func (a *Allowance) Clone() *Allowance {
	c := *a
	c.Taken = new(big.Int).Set(a.Taken)
	if a.Rate != nil {
		r := *a.Rate
		c.Rate = &r
	}
	return &c
}

// The codes with which the module aborts.
const (
	NotSpender     = 0
	Ended          = 2
	OverCap        = 3
	OverRate       = 4
	NoLimit        = 5
	OtherAllowance = 6
	BadRate        = 7
	NotStarted     = 8
	HasApp         = 9
	WrongCap       = 11
	LongName       = 12
	ZeroCap        = 13
	BadTimes       = 14
	NoEnd          = 15
)

// mostName is how many bytes the name of an allowance has at most.
const mostName = 128

// Flaw is the code with which new refuses the bounds of a grant; wrong is false for bounds
// that it takes.
func (a *Allowance) Flaw() (code uint64, wrong bool) {
	switch {
	case len(a.Name) > mostName:
		return LongName, true
	//mutant:never ./internal/sandbox TestGrantsRefused/no bound
	case a.Cap == nil && a.Rate == nil:
		return NoLimit, true
	case a.Cap != nil && a.Cap.Sign() == 0:
		return ZeroCap, true
	//mutant:never ./internal/sandbox TestGrantsRefused/no end
	case a.End == nil && a.Rate == nil:
		return NoEnd, true
	case a.Start != nil && a.End != nil && *a.Start >= *a.End:
		return BadTimes, true
	}
	return 0, false
}

// Spend takes an amount at a time, or returns the code of the bound that it breaks.
func (a *Allowance) Spend(amount *big.Int, now uint64) (code uint64, ok bool) {
	switch {
	case a.Start != nil && now < *a.Start:
		return NotStarted, false
	//mutant:never ./internal/sandbox TestAllowanceSpends/after the end
	case a.End != nil && now >= *a.End:
		return Ended, false
	}
	taken := new(big.Int).Add(a.Taken, amount)
	//mutant:never ./internal/sandbox TestAllowanceSpends/above the cap
	if a.Cap != nil && taken.Cmp(a.Cap) > 0 {
		return OverCap, false
	}
	if r := a.Rate; r != nil {
		index := r.window(now)
		spent := new(big.Int).Set(amount)
		if r.Anchor != nil && index == r.Index {
			spent.Add(spent, r.Spent)
		}
		//mutant:never ./internal/sandbox TestAllowanceSpends/above the rate
		if spent.Cmp(r.Limit) > 0 {
			return OverRate, false
		}
		if r.Anchor == nil {
			r.Anchor = &now
		}
		r.Index, r.Spent = index, spent
	}
	a.Taken = taken
	return 0, true
}

// window numbers the window in which a time lies: the first begins with the first spend.
func (r *Rate) window(now uint64) uint64 {
	if r.Anchor == nil {
		return 0
	}
	if r.Period > 0 {
		return (now - *r.Anchor) / r.Period
	}
	from, to := time.UnixMilli(int64(*r.Anchor)).UTC(), time.UnixMilli(int64(now)).UTC()
	months := 0
	for !civil(from, months+1).After(to) {
		months++
	}
	return uint64(months) / uint64(r.Months)
}

// civil is the midnight at which the n-th month after a day is over: the same day of that
// month, or its last one.
func civil(from time.Time, n int) time.Time {
	first := time.Date(from.Year(), from.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(from.Day(), last)-1)
}
