package holdings

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// dayTimeout is the maximum time to wait for the prices of 24 hours ago.
const dayTimeout = 3 * time.Second

// figure is an amount. Pages emphasize Number, which ends with the first two decimals.
type figure struct{ Number, Rest string }

// coinLine is a row of the table of coins.
type coinLine struct {
	Symbol               string
	Free, Inside, Staked figure // the zero figure means none
	Value, Price         string // "" without a price
	Day                  string // change of the price in 24 hours, in words
	Notes                []string
}

// orderLine is an open order, with the request that cancels it.
type orderLine struct {
	Says, Note, Base, Quote string
	Cancel                  *listing.Wish
}

// managerLine is a balance manager. Free can be withdrawn.
type managerLine struct {
	ID       string
	Owned    bool
	Free     []string
	Symbols  []string // symbols of the coins in Free
	Note     string
	Problem  string
	Withdraw *listing.Wish
	Inside   *insideView // its holdings in pools; nil if they could not be read
}

// holdingsView is what the account has on chain, valued at DeepBook's prices.
type holdingsView struct {
	chainPart
	Account                  string
	Total, Without           string
	Coins                    []coinLine
	Unlisted                 []heldLine
	UnlistedCount, Imitation string
	Next                     string
	Stalled, Unread, Empty   bool
	Orders                   []orderLine
	Managers                 []managerLine
	ManagersProblem          string
	MoreManagers             bool
	Acts                     bool // the account is in use and this tab is active
	Priced                   bool
	InDeepBook, HasStakes    bool // the table needs that column
}

// holdings reads what the account has, values it, and lists what is tied up.
func (p *page) holdings(c *web.Call) error {
	_, owner, ctx, stop, err := asking[struct{}](c)
	defer stop()
	if err != nil {
		return err
	}
	f, err := NewValuer(p.OnChain, p.Prices).read(ctx, owner)
	if err != nil {
		return web.Fragment(c, "holdings", holdingsView{chainPart: failed("What this account holds", err)})
	}
	v := holdingsView{chainPart: chainPart{At: words.At(f.worth.At)}, Account: owner.String(), Next: f.next,
		Stalled: f.stalled,
		Unread:  f.worth.Unread, MoreManagers: f.managers.More || len(f.managers.List) > mostManagers}
	if v.Acts, err = acts(c); err != nil {
		return err
	}
	v.value(f, p.before(ctx, f.worth.Coins))
	v.unlisted(f.unlisted)
	v.managers(f, owner)
	v.Empty = len(v.Coins) == 0 && len(v.Unlisted) == 0 && f.next == "" && !f.stalled
	v.Announce = "Holdings: about " + v.Total + " USDC."
	return web.Fragment(c, "holdings", v)
}

// acts reports whether the account is in use and the calling tab is active.
func acts(c *web.Call) (bool, error) {
	used, err := c.Used()
	if err != nil {
		return false, err
	}
	head, err := c.Head()
	return used.Address == c.ID && !head.ReadOnly, err
}

// before returns the values of coins 24 hours ago, as far as they arrive in time.
func (p *page) before(ctx context.Context, list []listing.WorthCoin) map[string]sui.Decimal {
	ctx, stop := context.WithTimeout(ctx, dayTimeout)
	defer stop()
	var lock sync.Mutex
	var reading sync.WaitGroup
	out := map[string]sui.Decimal{}
	for _, one := range list {
		c, ok := coins.BySymbol(one.Symbol)
		if !ok || one.Price == "" || p.DayBefore == nil {
			continue
		}
		reading.Go(func() {
			if price, ok := p.DayBefore(ctx, c); ok {
				lock.Lock()
				defer lock.Unlock()
				out[c.Symbol] = price
			}
		})
	}
	reading.Wait()
	return out
}

// value fills in the coins of the registry and their total.
func (v *holdingsView) value(f found, before map[string]sui.Decimal) {
	free, inside, staked, without := f.worth.Totals()
	v.Total = listing.USDC(free + inside + staked)
	if without > 0 {
		v.Without = "without " + words.Plural(without, "coin", "coins")
	}
	for _, one := range f.worth.Coins {
		line := coinLine{Symbol: words.Shown(one.Symbol, mostNameOfOne), Free: figureOf(one.Free, one.Decimals),
			Inside: figureOf(one.Inside, one.Decimals), Staked: figureOf(one.Staked, one.Decimals)}
		v.InDeepBook, v.HasStakes = v.InDeepBook || one.Inside > 0, v.HasStakes || one.Staked > 0
		if one.Price != "" {
			v.Priced = true
			line.Value, line.Price = listing.USDC(one.Value()), number(one.Price)
			line.Day = changed(before[one.Symbol], one.Price)
		}
		if h, ok := f.pinned[one.Symbol]; ok {
			line.Notes = lineOfHeld(h).Notes
		}
		v.Coins = append(v.Coins, line)
	}
}

// unlisted fills in the other coins, and the number of those that imitate a listed coin.
func (v *holdingsView) unlisted(list []Held) {
	names := map[string]bool{}
	imitating := 0
	for _, h := range list {
		v.Unlisted = append(v.Unlisted, lineOfHeld(h))
		if slices.Contains(h.Flags, imitates) || slices.Contains(h.Flags, samesymbol) {
			imitating++
			names[words.Shown(h.Claimed, mostNameOfOne)] = true
		}
	}
	v.UnlistedCount = words.Plural(len(list), "coin we do not know", "coins we do not know")
	switch {
	case imitating == 1:
		for name := range names {
			v.Imitation = "one copies the name “" + name + "”"
		}
	case imitating > 1:
		v.Imitation = fmt.Sprintf("%d copy names of known coins", imitating)
	}
}

// managers fills in what is tied up in balance managers.
func (v *holdingsView) managers(f found, owner sui.Address) {
	if f.refused != nil {
		v.ManagersProblem = failed("What lies inside DeepBook", f.refused).Problem
		return
	}
	for _, m := range f.managers.List[:min(len(f.managers.List), mostManagers)] {
		line := managerLine{ID: m.ID.String(), Owned: m.Owned}
		i := slices.IndexFunc(f.inside, func(in managed) bool { return in.id == m.ID })
		if i < 0 {
			v.Managers = append(v.Managers, line)
			continue
		}
		in := f.inside[i].inside
		if err := f.inside[i].err; err != nil {
			line.Problem = words.Shown(fault.As(err).Text, 400)
			v.Managers = append(v.Managers, line)
			continue
		}
		inside := insideOf(in, owner)
		line.Free, line.Inside = sums(in.Free), &inside
		for _, s := range in.Free {
			line.Symbols = append(line.Symbols, words.Shown(s.Symbol, mostNameOfOne))
		}
		orders := 0
		for _, pool := range in.Pools {
			orders += len(pool.Orders)
			for _, o := range pool.Orders[:min(len(pool.Orders), mostOrders)] {
				v.Orders = append(v.Orders, orderOf(o, pool.Pool, line.ID))
			}
		}
		line.Note = "nothing in orders"
		if orders > 0 {
			line.Note = words.Plural(orders, "open order", "open orders")
		}
		if len(in.Free) > 0 {
			line.Withdraw = &listing.Wish{Do: "withdraw", Manager: line.ID}
		}
		v.Managers = append(v.Managers, line)
	}
}

// orderOf formats an open order, with the request that cancels it.
func orderOf(o Resting, pool, manager string) orderLine {
	base, quote := words.Shown(o.Base, mostNameOfOne), words.Shown(o.Quote, mostNameOfOne)
	l := orderLine{Base: base, Quote: quote, Says: fmt.Sprintf("Sell %s %s at %s %s", number(o.Remaining), base,
		number(o.Price), quote),
		Note: "Waits, frees " + number(o.Remaining) + " " + base}
	if o.Bid {
		l.Says = fmt.Sprintf("Buy %s %s at %s %s", number(o.Remaining), base, number(o.Price), quote)
		l.Note = "Waits"
	}
	if !o.Expires.IsZero() {
		l.Note += ", until " + words.At(o.Expires)
	}
	if o.ID != "" {
		l.Cancel = &listing.Wish{Do: "cancel", Manager: manager, Pool: pool, Order: o.ID}
	}
	return l
}

// changed describes how a price differs from an earlier one. It returns "" if the earlier price is
// unknown.
func changed(from, to sui.Decimal) string {
	a, ok := new(big.Rat).SetString(string(from))
	b, fine := new(big.Rat).SetString(string(to))
	if !ok || !fine || a.Sign() <= 0 {
		return ""
	}
	percent, _ := new(big.Rat).Mul(new(big.Rat).Sub(new(big.Rat).Quo(b, a), big.NewRat(1, 1)),
		big.NewRat(100, 1)).Float64()
	text := fmt.Sprintf("%.1f%%", max(percent, -percent))
	switch {
	case text == "0.0%":
		return "unchanged"
	case percent > 0:
		return "up " + text
	}
	return "down " + text
}

// figureOf formats an amount. For a zero amount, it returns the zero figure.
func figureOf(raw sui.Raw, decimals uint8) figure {
	if raw == 0 {
		return figure{}
	}
	text := words.Spaced(string(raw.Decimal(decimals)))
	const strong = 3 // length of the point and two decimals
	if i := strings.IndexByte(text, '.'); i >= 0 && len(text) > i+strong {
		return figure{text[:i+strong], text[i+strong:]}
	}
	return figure{Number: text}
}
