// Package allowances implements the chain's allowances: limits and windows with exact numbers,
// encoding, and abort codes. It follows the description of the Move module and shares no code with
// the product.
package allowances

import (
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Allowance permits Spender to take Coin from Funder's address balance. A nil limit means none. Times
// are milliseconds since 1970.
type Allowance struct {
	Funder, Spender sui.Address // a zero spender means that only the app decides
	App             string      // type name of the app whose code must approve
	Coin            sui.CoinType
	Cap             *big.Int
	Start, End      *uint64
	Rate            *Rate
	Name            string
	Taken           *big.Int
}

// Rate permits taking Limit per window. It records what was spent in window number Index. Exactly one
// of Period (milliseconds) and Months is set.
type Rate struct {
	Limit, Spent *big.Int
	Anchor       *uint64 // start of the first window; nil before the first spend
	Index        uint64
	Period       uint64
	Months       uint8
}

// Wide appends a 256-bit number.
func Wide(b bcs.Bytes, n *big.Int) bcs.Bytes {
	raw := n.FillBytes(make([]byte, 32))
	for i := range raw {
		b = append(b, raw[len(raw)-1-i])
	}
	return b
}

// Encode returns the fields in the order of the Move struct.
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

// Abort codes of the module.
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

// mostName is the maximum length of an allowance's name in bytes.
const mostName = 128

// Flaw returns the code with which new rejects the limits of a grant. wrong is false if they are valid.
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

// Spend takes an amount, or returns the abort code of the violated limit.
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

// window returns the number of the window that contains a time. The first starts with the first
// spend.
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

// civil returns midnight n months after a day: the same day of that month, or its last day.
func civil(from time.Time, n int) time.Time {
	first := time.Date(from.Year(), from.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(from.Day(), last)-1)
}
