package sui

import (
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// AllowanceCapType returns the type of the objects that revoke allowances. The paying account owns one
// for each allowance that it granted, so they also serve as an index. Omitting the type parameter
// matches every coin.
func AllowanceCapType() string {
	return StructTag{Address: framework, Module: "allowance", Name: "AllowanceCap"}.String()
}

// AliasesType returns the type of the list of keys that may sign for an account.
func AliasesType() string {
	return StructTag{Address: framework, Module: "address_alias", Name: "AddressAliases"}.String()
}

// Allowance is an object of 0x2::allowance: the granted limits and the amount taken so far. Amounts
// are raw units of its coin.
type Allowance struct {
	ID     ObjectID
	Funder Address
	Grant              // Spender is zero if only an app decides who spends
	AppID  string      // type of the app that must approve each use, or ""
	Taken  *big.Int    // total amount taken so far
	window *rateWindow // nil without a rate
}

// rateWindow is the state of a rate as of the last spend.
type rateWindow struct {
	spent  *big.Int // amount spent in window number index
	anchor *uint64  // start of the first window in milliseconds; nil before the first spend
	index  uint64
}

// ReadAllowance decodes an allowance. It returns fault.ProviderMismatch for an object of another
// type or with malformed contents.
func ReadAllowance(o Object) (Allowance, error) {
	unlike := func(err error) error {
		return fault.Wrap(err, fault.ProviderMismatch, "The object %s is not a readable allowance.", o.Ref.ID)
	}
	t, err := ParseTypeTag(o.Type)
	if err != nil || t.Kind != TypeStruct || t.Struct.Address != framework ||
		t.Struct.Module != "allowance" || t.Struct.Name != "Allowance" ||
		len(t.Struct.Params) != 1 {
		return Allowance{}, unlike(err)
	}
	coin, ok := balanceOf(t.Struct.Params[0])
	if !ok {
		return Allowance{}, unlike(nil)
	}
	a := Allowance{Grant: Grant{Coin: coin}}
	c := &bcs{reading: true, in: o.Contents}
	a.read(c)
	if err := c.finish(); err != nil || a.ID != o.Ref.ID {
		return Allowance{}, unlike(err)
	}
	return a, nil
}

func (a *Allowance) read(c *bcs) {
	c.fixed(a.ID[:], "the id")
	c.fixed(a.Funder[:], "the funder")
	var spender *Address
	option(c, &spender, "the spender", func(to *Address) { c.fixed(to[:], "the spender") })
	if spender != nil {
		a.Spender = *spender
	}
	var app *string
	option(c, &app, "the app", func(s *string) { c.text(s, "the app") })
	if app != nil {
		a.AppID = *app
	}
	a.Cap = optionalU256(c)
	option(c, &a.Start, "the start", func(n *uint64) { c.u64(n, "the start") })
	option(c, &a.End, "the end", func(n *uint64) { c.u64(n, "the end") })
	var some *struct{}
	option(c, &some, "the rate", func(*struct{}) { a.Rate, a.window = readRate(c) })
	c.text(&a.Name, "the name")
	a.Taken = c.wide("what was taken")
}

func readRate(c *bcs) (*Rate, *rateWindow) {
	r, w := &Rate{}, &rateWindow{}
	c.variant(0, "RateLimit", "Windowed")
	r.Limit, w.spent = c.wide("the limit"), c.wide("what was spent")
	option(c, &w.anchor, "the first window", func(n *uint64) { c.u64(n, "the first window") })
	c.u64(&w.index, "the window")
	if c.variant(0, "Window", "PeriodicMs", "CalendarMonths") == 0 {
		c.u64(&r.PeriodMs, "the period")
	} else {
		c.u8(&r.Months, "the months")
	}
	if c.err == nil && r.PeriodMs == 0 && r.Months == 0 {
		c.fail(c.pos, "a window has no length")
	}
	return r, w
}

// wide reads a u256.
func (c *bcs) wide(what string) *big.Int {
	var b [32]byte
	c.fixed(b[:], what)
	return littleEndian(b[:])
}

// Over reports whether nothing more can be taken at or after now, in milliseconds since 1970.
func (a Allowance) Over(now uint64) bool {
	worst := a.Worst(now)
	return worst != nil && worst.Sign() == 0
}

// Left returns the maximum that can be taken at now, in milliseconds since 1970.
func (a Allowance) Left(now uint64) *big.Int {
	if a.ended(now) || a.Start != nil && now < *a.Start {
		return new(big.Int)
	}
	return least(a.ofCap(), a.ofWindow(now))
}

// Worst returns the maximum that can be taken from now on. It returns nil if nothing limits it, such
// as a rate without an end.
func (a Allowance) Worst(now uint64) *big.Int {
	if a.Start != nil {
		now = max(now, *a.Start)
	}
	//mutant:never ./internal/sui TestAllowances/a start after the end
	if a.ended(now) {
		return new(big.Int)
	}
	var byRate *big.Int
	if a.Rate != nil && a.End != nil {
		later := a.index(now, *a.End-1) - a.index(now, now)
		byRate = new(big.Int).Mul(a.Rate.Limit, new(big.Int).SetUint64(later))
		byRate.Add(byRate, a.ofWindow(now))
	}
	return least(a.ofCap(), byRate)
}

// Ends returns the time at which the allowance expires. It returns false if the allowance never
// expires, or if the year has more than four digits.
func (a Allowance) Ends() (time.Time, bool) {
	if a.End == nil || *a.End >= mostCivil {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(*a.End)).UTC(), true
}

func (a Allowance) ended(now uint64) bool { return a.End != nil && now >= *a.End }

// ofCap returns the unspent part of the cap, or nil without a cap.
func (a Allowance) ofCap() *big.Int {
	if a.Cap == nil {
		return nil
	}
	return notNegative(new(big.Int).Sub(a.Cap, a.Taken))
}

// ofWindow returns the unspent part of the window that contains now, or nil without a rate.
func (a Allowance) ofWindow(now uint64) *big.Int {
	if a.Rate == nil {
		return nil
	}
	//mutant:never `a.index(now, now) != a.window.index` ./internal/sui TestAllowances/a new window has begun
	if a.window.anchor == nil || a.index(now, now) != a.window.index {
		return new(big.Int).Set(a.Rate.Limit)
	}
	return notNegative(new(big.Int).Sub(a.Rate.Limit, a.window.spent))
}

// index returns the number of the window that contains a time. Windows begin with the first spend. If
// nothing has been spent, it assumes that the first window begins now, which yields the most windows.
func (a Allowance) index(now, at uint64) uint64 {
	from := now
	if a.window.anchor != nil {
		from = min(*a.window.anchor, at)
	}
	if p := a.Rate.PeriodMs; p > 0 {
		return (at - from) / p
	}
	return elapsedMonths(from, at) / uint64(a.Rate.Months)
}

func notNegative(n *big.Int) *big.Int {
	if n.Sign() < 0 {
		return new(big.Int)
	}
	return n
}

// least returns the smaller of two bounds, or nil if both are nil.
func least(a, b *big.Int) *big.Int {
	if a == nil || b != nil && b.Cmp(a) < 0 {
		return b
	}
	return a
}
