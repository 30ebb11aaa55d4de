package sui

import (
	"fmt"
	"math/big"
	"slices"
	"time"
)

// Grant is an allowance granted by a call of 0x2::allowance::new: the spender may take Coin from the
// sender's address balance, for any purpose. Amounts are raw units of Coin. A nil bound is not set.
type Grant struct {
	Name    string // label chosen by the granting account; never verified
	Spender Address
	Coin    TypeTag
	App     *TypeTag // nil, or the app that must approve each use and may choose another spender
	Cap     *big.Int // maximum total
	Start   *uint64  // milliseconds since 1970, inclusive
	End     *uint64  // milliseconds since 1970, exclusive
	Rate    *Rate
}

// Rate allows Limit raw units in each window. The first window begins with the first spend. Exactly
// one of PeriodMs and Months is nonzero.
type Rate struct {
	Limit    *big.Int
	PeriodMs uint64
	Months   uint8 // calendar months, which begin at 00:00 UTC
}

// Worst returns the maximum that can be taken from the grant if nothing is taken before from, in
// milliseconds since 1970. It returns nil if nothing limits it. Otherwise, it is the smaller of the
// cap and the sum of the limits of all windows until the end. The number of windows is largest if the
// first begins as early as possible.
func (g Grant) Worst(from uint64) *big.Int {
	byRate := g.byRate(from)
	switch {
	case byRate == nil:
		return g.Cap
	//mutant:never ./internal/sui TestGrantWorstCases/the rate is less than the cap
	case g.Cap == nil || byRate.Cmp(g.Cap) < 0:
		return byRate
	}
	return g.Cap
}

func (g Grant) byRate(from uint64) *big.Int {
	if g.Rate == nil || g.End == nil {
		return nil
	}
	if g.Start != nil {
		from = max(from, *g.Start)
	}
	if from >= *g.End {
		return new(big.Int)
	}
	var windows uint64
	if p := g.Rate.PeriodMs; p > 0 {
		// The last window counts in full even if the end cuts it short.
		windows = (*g.End-from-1)/p + 1
	} else {
		windows = elapsedMonths(from, *g.End-1)/uint64(g.Rate.Months) + 1
	}
	return new(big.Int).Mul(g.Rate.Limit, new(big.Int).SetUint64(windows))
}

// mostCivil is the first millisecond of the year 10000. Later times are treated as this time, so that
// calendar arithmetic stays within the range of time.Time.
const mostCivil = 253402300800000

// elapsedMonths counts complete calendar months in UTC as the chain does: a month is complete on the
// same day of the next month, or on the last day of a shorter month.
func elapsedMonths(from, to uint64) uint64 {
	a, b := time.UnixMilli(int64(min(from, mostCivil))).UTC(), time.UnixMilli(int64(min(to, mostCivil))).UTC()
	n := (b.Year()*12 + int(b.Month())) - (a.Year()*12 + int(a.Month()))
	last := time.Date(b.Year(), b.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	//mutant:never ./internal/sui TestGrantWorstCases/the month is not over
	if n > 0 && b.Day() < min(a.Day(), last) {
		n--
	}
	return uint64(max(n, 0))
}

// allowanceCall reads a call of the framework's allowance module.
func (s *speaker) allowanceCall(m MoveCall) (permission, bool) {
	switch m.Function {
	case "new", "propose_for_app":
		g, ok := s.grantOf(m)
		if !ok {
			return permission{"Let someone take coins out of the sender's address balance without " +
				"asking the sender's wallet. The recipient, amount and end cannot be read from the bytes.", true}, true
		}
		return permission{s.grantWords(g), true}, true
	case "issue":
		return permission{"Activate an allowance that was proposed for an app.", true}, true
	case "rotate_spender":
		return permission{"Let " + s.addressAt(m, 2) + " spend from the allowance " + s.objectAt(m, 0) +
			" instead of the previous spender. The account that pays is not asked.", true}, true
	case "balance_spend", "app_balance_spend":
		return permission{"Take " + s.coinParam(m) + " out of another account's address balance, under the allowance " +
			s.objectAt(m, 0) + ".", true}, true
	case "revoke":
		return permission{"End the allowance " + s.objectAt(m, 1) + ": nothing more can be taken from it. " +
			"What is spent before this is executed is gone.", false}, true
	}
	return permission{}, false
}

func (s *speaker) coinParam(m MoveCall) string {
	if len(m.TypeArgs) == 0 {
		return "coins"
	}
	return shortType(m.TypeArgs[0])
}

// grantOf reads the arguments of new or propose_for_app. It returns false unless the bytes contain all
// bounds.
func (s *speaker) grantOf(m MoveCall) (Grant, bool) {
	types := 1
	if m.Function == "propose_for_app" {
		types = 2
	}
	if len(m.Arguments) != 6 || len(m.TypeArgs) != types {
		return Grant{}, false
	}
	coin, ok := balanceOf(m.TypeArgs[0])
	if !ok {
		return Grant{}, false
	}
	g := Grant{Coin: coin}
	if types == 2 {
		g.App = &m.TypeArgs[1]
	}
	read := func(i int, f func(c *bcs)) {
		p, pure := s.pureAt(m, i)
		c := &bcs{reading: true, in: p.Bytes}
		f(c)
		//mutant:never ./internal/sui TestGrantsThatCannotBeRead
		if !pure || c.finish() != nil {
			ok = false
		}
	}
	read(0, func(c *bcs) { c.text(&g.Name, "the name") })
	read(1, func(c *bcs) { c.fixed(g.Spender[:], "the spender") })
	read(2, func(c *bcs) { g.Cap = optionalU256(c) })
	read(3, func(c *bcs) { option(c, &g.Start, "the start", func(n *uint64) { c.u64(n, "the start") }) })
	read(4, func(c *bcs) { option(c, &g.End, "the end", func(n *uint64) { c.u64(n, "the end") }) })
	rate, readable := s.rateOf(m.Arguments[5])
	g.Rate = rate
	return g, ok && readable && len(g.Name) <= maxGrantName
}

// maxGrantName is the chain's limit on a grant's label, in bytes.
const maxGrantName = 128

// balanceOf returns C of 0x2::balance::Balance<C>.
func balanceOf(t TypeTag) (TypeTag, bool) {
	if t.Kind != TypeStruct || t.Struct.Address != framework || t.Struct.Module != "balance" ||
		t.Struct.Name != "Balance" || len(t.Struct.Params) != 1 {
		return TypeTag{}, false
	}
	return t.Struct.Params[0], true
}

// optionalU256 reads an Option<u256>.
func optionalU256(c *bcs) *big.Int {
	var n *big.Int
	var some *[32]byte
	option(c, &some, "an amount", func(b *[32]byte) { c.fixed(b[:], "an amount") })
	if some != nil {
		n = littleEndian(some[:])
	}
	return n
}

func littleEndian(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// madeBy returns the call whose only result is a. It returns false for any other argument.
func (s *speaker) madeBy(a Argument) (MoveCall, bool) {
	single := a.Kind == ArgResult || a.Kind == ArgNestedResult && a.Nested == 0
	if !single || int(a.Index) >= len(s.commands) {
		return MoveCall{}, false
	}
	m, ok := s.commands[a.Index].(MoveCall)
	return m, ok
}

// rateOf reads the last argument of a grant, which must be the result of option::none, or of
// option::some with a call that creates a rate limit. ok is false for anything else.
func (s *speaker) rateOf(a Argument) (rate *Rate, ok bool) {
	m, ok := s.madeBy(a)
	if !ok || m.Package != lowID(1) || m.Module != "option" {
		return nil, false
	}
	if m.Function == "none" && len(m.Arguments) == 0 {
		return nil, true
	}
	if m.Function != "some" || len(m.Arguments) != 1 {
		return nil, false
	}
	m, ok = s.madeBy(m.Arguments[0])
	//mutant:never ./internal/sui TestGrantsThatCannotBeRead
	if !ok || m.Package != framework || m.Module != "allowance" {
		return nil, false
	}
	months := map[string]uint8{"monthly_rate_limit": 1, "quarterly_rate_limit": 3, "yearly_rate_limit": 12}
	r := &Rate{Months: months[m.Function]}
	limit := 1
	switch m.Function {
	case "periodic_rate_limit":
		r.PeriodMs, _ = s.u64At(m, 0)
	case "calendar_rate_limit":
		if p, pure := s.pureAt(m, 0); pure && len(p.Bytes) == 1 {
			r.Months = p.Bytes[0]
		}
	default:
		limit = 0
	}
	p, pure := s.pureAt(m, limit)
	if !pure || len(p.Bytes) != 32 || len(m.Arguments) != limit+1 || r.PeriodMs == 0 && r.Months == 0 {
		return nil, false
	}
	r.Limit = littleEndian(p.Bytes)
	return r, true
}

// grantWords describes the spender, the amount and coin, the end, and how to revoke the grant before
// its end.
func (s *speaker) grantWords(g Grant) string {
	text := fmt.Sprintf("Let %s take ", g.Spender)
	switch {
	case g.Cap != nil:
		text += "up to " + s.amount(g.Cap, g.Coin) + " in all"
	case g.Rate != nil:
		text += shortType(g.Coin) + " without a limit in all"
	default:
		text += shortType(g.Coin) + " without any limit, which the chain rejects"
	}
	text += " out of the sender's address balance"
	if r := g.Rate; r != nil {
		text += fmt.Sprintf(", at most %s in each %s (up to twice that within a short time around the change "+
			"from one to the next)", s.amount(r.Limit, g.Coin), r.every())
	}
	if g.Start != nil {
		text += ", from " + moment(*g.Start)
	}
	if g.End != nil {
		text += ", until " + moment(*g.End)
	} else {
		text += ", forever"
	}
	text += ": to anyone, for any purpose, without asking the wallet."
	if g.App != nil {
		text += fmt.Sprintf(" The app %s must agree to each time, and can name another spender.", shortType(*g.App))
	}
	text += s.worstWords(g)
	return text + " It ends earlier when the sender calls allowance::revoke."
}

// worstWords states the maximum loss, if the bytes determine it and it differs from the cap. Without a
// start, the time of the first window is unknown.
func (s *speaker) worstWords(g Grant) string {
	if g.Rate == nil || g.Start == nil || g.End == nil {
		return ""
	}
	worst := g.Worst(*g.Start)
	if g.Cap != nil && worst.Cmp(g.Cap) == 0 {
		return ""
	}
	return " At most " + s.amount(worst, g.Coin) + " can be taken in all."
}

func (r Rate) every() string {
	switch {
	case r.PeriodMs > 0:
		return "window of " + span(r.PeriodMs)
	case r.Months == 1:
		return "month"
	}
	return "window of " + count(int(r.Months), "month")
}

// span formats milliseconds in the largest unit that represents them exactly.
func span(ms uint64) string {
	for _, u := range []struct {
		ms   uint64
		name string
	}{{86_400_000, "day"}, {3_600_000, "hour"}, {60_000, "minute"}, {1000, "second"}} {
		if ms > 0 && ms%u.ms == 0 {
			if ms == u.ms {
				return "1 " + u.name
			}
			return fmt.Sprintf("%d %ss", ms/u.ms, u.name)
		}
	}
	return fmt.Sprintf("%d milliseconds", ms)
}

// amount formats raw units of a coin. For SUI and named coins, it also shows whole coins. The decimals
// of other coins are not in the bytes.
func (s *speaker) amount(n *big.Int, coin TypeTag) string {
	if coin.String() == string(SUI) {
		return fmt.Sprintf("%s SUI (%s MIST)", shift(n.String(), 9), n)
	}
	units := fmt.Sprintf("%s units of %s", n, shortType(coin))
	if s.names != nil {
		if symbol, decimals, ok := s.names(CoinType(coin.String())); ok {
			return fmt.Sprintf("%s %s (%s)", shift(n.String(), decimals), symbol, units)
		}
	}
	return units
}
