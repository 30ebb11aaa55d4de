package standing

import (
	"fmt"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Says describes the permission at now in one or two sentences. They consist of this program's own
// text, addresses, amounts and times.
func (p Permission) Says(now time.Time) string {
	switch p.Kind {
	case Allowance:
		return p.allowance(uint64(now.UnixMilli()))
	case ManagerCap:
		return p.cap()
	case TradingAccount:
		return "This account owns the DeepBook trading account " + p.ID.String() +
			". Apps that DeepBook's administrators admit can act in it " +
			"without this account's wallet."
	case Session:
		return p.session(now)
	}
	return "The key of " + p.Holder.String() +
		" signs for this account in everything, without a limit and without an end, until the alias is removed."
}

// Headline describes in one line what revoking the permission at now ends. It contains the full address
// of the holder.
func (p Permission) Headline(now time.Time) string {
	who := p.Holder.String()
	switch {
	case p.Kind == Allowance && p.Holder.IsZero():
		who = "an app"
	case p.Kind == ManagerCap && p.Right == "":
		return "End a right to your balance manager whose holder is not known"
	case p.Inside:
		who = "whoever controls " + who
	case p.Holder.IsZero():
		who = "anybody"
	}
	switch {
	case p.Kind == ManagerCap && p.Right == Deposit:
		return "End the right of " + who + " to put coins into your balance manager"
	case p.Kind == ManagerCap && p.Right == Withdraw:
		return "End the right of " + who + " to take everything out of your balance manager"
	case p.Kind == ManagerCap:
		return "End the right of " + who + " to trade everything in your balance manager"
	}
	a, ms := p.Allowance, uint64(now.UnixMilli())
	what := "up to "
	switch worst := a.Worst(ms); {
	case worst == nil && a.Rate == nil:
		what = "any amount of " + a.Coin.String()
	case worst == nil:
		what += Amount(a.Rate.Limit, a.Coin) + " again and again"
	case worst.Sign() == 0:
		return "Clear away the permission of " + who + ", by which nothing can be taken any more"
	default:
		what += Amount(worst, a.Coin)
	}
	return "End the permission of " + who + " to take " + what
}

// Live reports whether the permission can still be used at now.
func (p Permission) Live(now time.Time) bool {
	if p.Kind == Session && !p.Holder.IsZero() {
		return uint64(now.UnixMilli()) < p.Until
	}
	return p.Allowance == nil || !p.Allowance.Over(uint64(now.UnixMilli()))
}

// session describes what a session may do at now.
func (p Permission) session(now time.Time) string {
	where := "this account's DeepBook trading account " + p.ID.String()
	switch {
	case p.Holder.IsZero():
		return "There are sessions of " + where +
			" in a form that this version does not read. They may let everything in there be traded."
	case !p.Live(now):
		return "The session of " + p.Holder.String() + " in " + where + " is over."
	}
	return p.Holder.String() + " may trade everything in " + where + " at any price until " + moment(p.Until) +
		": all of it can be lost."
}

func (p Permission) allowance(now uint64) string {
	a := p.Allowance
	if a.Over(now) {
		return "Nothing can be taken any more: it has ended, or all of it was taken."
	}
	who := a.Spender.String()
	if a.Spender.IsZero() {
		who = "Whoever the app admits"
	}
	text := who + " may take up to " + Amount(a.Left(now), a.Coin) + " now"
	switch worst := a.Worst(now); {
	case worst == nil:
		text += ", and more from time to time without a bound in all"
	case worst.Cmp(a.Left(now)) != 0:
		text += ", and at most " + Amount(worst, a.Coin) + " from now on"
	}
	if a.Start != nil && now < *a.Start {
		text += ", from " + moment(*a.Start)
	}
	if a.End == nil {
		text += ", for ever"
	} else {
		text += ", until " + moment(*a.End)
	}
	text += ": to anybody, for anything, without the wallet being asked."
	if a.AppID != "" {
		text += " An app must agree to each time, and can name another spender."
	}
	return text
}

func (p Permission) cap() string {
	where := "this account's balance manager " + p.Manager.String()
	who := p.Holder.String()
	switch {
	case p.Right == "":
		return "A cap of " + where +
			" is admitted, and the node does not tell who holds it. It may let everything in there be traded or taken."
	case p.Inside:
		who = "Whoever controls the object " + who
	//mutant:never ./internal/standing TestCaps
	case p.Holder.IsZero(): // the cap is shared or immutable, so it has no owner
		who = "Anybody"
	}
	switch p.Right {
	case Deposit:
		return who + " may put coins into " + where + ", and take nothing."
	case Withdraw:
		return who + " may take everything out of " + where + ", now and later, without a limit and without an end."
	}
	return who + " may trade everything in " + where +
		", now and later, at any price and without an end: all of it can be lost."
}

// Amount formats raw units. If the coin is pinned, the result is in whole coins.
func Amount(n *big.Int, coin sui.TypeTag) string {
	symbol, decimals, ok := coins.Name(sui.CoinType(coin.String()))
	if !ok || !n.IsUint64() {
		return fmt.Sprintf("%s units of %s", n, coin)
	}
	return string(sui.Raw(n.Uint64()).Decimal(decimals)) + " " + symbol
}

// moment formats milliseconds since 1970.
func moment(ms uint64) string {
	const maxMillis = 253402300800000 // year 10000
	return time.UnixMilli(int64(min(ms, maxMillis))).UTC().Format("15:04 UTC on 2 January 2006")
}
