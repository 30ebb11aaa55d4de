package holdings

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// OnChain reads an account's holdings for the account page. Each result is a snapshot, and states
// in which ways it may be incomplete.
type OnChain interface {
	// Holdings returns at most most coin balances of owner after cursor. The cursor "" is the
	// beginning of the list.
	Holdings(ctx context.Context, owner sui.Address, cursor string, most int) (Holdings, error)
	// Managers finds balance managers of owner. There may be others.
	Managers(ctx context.Context, owner sui.Address) (Managers, error)
	// Staked reads an account's holdings other than coins: stakes and known positions.
	Staked(ctx context.Context, owner sui.Address) (Staked, error)
	// Permissions lists what lets others act without the account's wallet. There may be others.
	Permissions(ctx context.Context, owner sui.Address) (Permissions, error)
	// Inside reads a balance manager's holdings in all known pools.
	Inside(ctx context.Context, manager sui.ObjectID) (Inside, error)
}

// Held is an account's balance of one coin. Amount is the exact amount for display. It is "" if the
// decimals are not verified; Unverified then gives the reason. Symbol is set only for coins of the
// pinned registry. Claimed and Name are texts by the coin's unknown creator. Flags are warnings
// about these texts.
type Held struct {
	Coin                    sui.CoinType
	Total, Coins, InAddress sui.Raw
	Amount                  sui.Decimal
	Unverified              string
	Symbol                  string
	Claimed, Name           string
	Flags                   []string
}

// Holdings is one page of coin balances. Next is the cursor of the next page, "" after the last.
// Stalled means that the node's list repeats itself, so the rest cannot be read.
type Holdings struct {
	List    []Held
	Next    string
	Stalled bool
	At      time.Time
}

// Manager is a balance manager. Owned means that DeepBook names the account as its owner. Otherwise
// the account has a permission for it, or created it.
type Manager struct {
	ID    sui.ObjectID
	Owned bool
}

// Managers lists the balance managers found for an account.
type Managers struct {
	List []Manager
	More bool // there are more than those listed
	At   time.Time
}

// Sum is an exact amount of a coin of the pinned registry.
type Sum struct {
	Symbol string
	Amount sui.Decimal
}

// Resting is an order in a book. Price is the amount of the quote coin for one base coin. Remaining
// is the amount of base coins that are not filled. The zero Expires means never.
type Resting struct {
	ID               string // id of the order in the pool
	Bid              bool
	Price, Remaining sui.Decimal
	Base, Quote      string
	Expires          time.Time
}

// PoolShare is a balance manager's holdings in one pool. Locked includes amounts locked in orders,
// and amounts that are settled but not withdrawn. Zero amounts are omitted.
type PoolShare struct {
	Pool                  string
	Locked, Rebates, Owed []Sum
	Staked                sui.Decimal // amount of DEEP
	Orders                []Resting
}

// Inside is a balance manager's holdings. Free is the balance outside of pools. Looked is the
// number of pools that were queried, and Unread the number of those that did not respond.
type Inside struct {
	Owner          sui.Address
	Free           []Sum
	Pools          []PoolShare
	Looked, Unread int
	At             time.Time
}

// Limits of requests for the account page.
const (
	holdingsPage  = 50
	mostOrders    = 20
	mostManagers  = 20
	onChainTime   = 12 * time.Second // shorter than the timeout of the whole response
	mostNameOfOne = 64
	maxNumber     = 100
)

// chainPart is common to all parts of the account page that are read from the chain. If Problem is
// set, the part has no other data.
type chainPart struct{ Announce, Problem, At string }

// failed returns a chainPart that says what could not be read. The other parts of the page are not
// affected.
func failed(what string, err error) chainPart {
	text := words.Shown(fault.As(err).Text, 400)
	return chainPart{Announce: what + " could not be read.", Problem: what +
		" could not be read, so its contents are unknown. " + text}
}

type heldLine struct {
	Symbol, Name, Type, Amount, Unit string
	Registered                       bool
	Warnings, Notes                  []string
}

// moreView is a further page of the list of coins, without values.
type moreView struct {
	chainPart
	List    []heldLine
	Next    string
	Stalled bool
}

type cursorIn struct {
	Cursor string `json:"cursor,omitempty"`
}

// asking begins a part that queries a node. It returns the page's input, the account, and a context
// with a time limit.
func asking[T any](c *web.Call) (in T, owner sui.Address, ctx context.Context, stop context.CancelFunc, err error) {
	if in, err = web.Body[T](c); err == nil {
		owner, err = sui.ParseAddress(c.ID)
	}
	ctx, stop = context.WithTimeout(c.Ctx(), onChainTime)
	return in, owner, ctx, stop, err
}

// more reads a further page of the account's coins.
func (p *page) more(c *web.Call) error {
	in, owner, ctx, stop, err := asking[cursorIn](c)
	defer stop()
	if err != nil {
		return err
	}
	page, err := p.OnChain.Holdings(ctx, owner, in.Cursor, holdingsPage)
	if err != nil {
		return web.Fragment(c, "more", moreView{chainPart: failed("What this account holds", err)})
	}
	v := moreView{chainPart: chainPart{At: words.At(page.At)}, Next: page.Next, Stalled: page.Stalled}
	v.Announce = "Holdings: " + words.Plural(len(page.List), "kind of coin", "kinds of coin") + "."
	for _, h := range page.List {
		v.List = append(v.List, lineOfHeld(h))
	}
	return web.Fragment(c, "more", v)
}

// unverifiedWords explain why a coin's decimals are unknown.
var unverifiedWords = map[string]string{
	"metadata_not_found":                     "the chain has no description of this coin",
	"metadata_lookup_failed":                 "its description could not be read",
	"decimals_disagree_with_pinned_registry": "the chain and this program disagree about it",
	"decimals_out_of_range":                  "what the chain says of it cannot be",
}

// Flags of a name that imitates that of another coin.
const imitates, samesymbol = "imitation", "same_symbol_as_registered_coin"

// flagWords explain warnings about the texts of a coin's creator.
var flagWords = map[string]string{
	imitates:       "Looks like a known coin and is another one.",
	samesymbol:     "Carries the symbol of a known coin and is another one.",
	"mixed_script": "Its name mixes letters of several alphabets.",
	"escaped":      "Its name holds hidden characters; they are shown as numbers.",
}

func lineOfHeld(h Held) heldLine {
	l := heldLine{Registered: h.Symbol != "", Symbol: words.Shown(h.Symbol, mostNameOfOne),
		Type: words.Whole(words.ShortType(string(h.Coin)))}
	if !l.Registered {
		l.Symbol, l.Name = words.Shown(h.Claimed, mostNameOfOne), words.Shown(h.Name, mostNameOfOne)
		for _, flag := range h.Flags {
			if words, ok := flagWords[flag]; ok && !slices.Contains(l.Warnings, words) {
				l.Warnings = append(l.Warnings, words)
			}
		}
	}
	l.Amount, l.Unit = number(h.Amount), l.Symbol
	if !l.Registered {
		l.Unit = "of these"
	}
	if h.Amount == "" {
		why, ok := unverifiedWords[h.Unverified]
		if !ok {
			why = "its decimals are not known"
		}
		l.Amount, l.Unit = words.Spaced(h.Total.String()), "smallest units"
		l.Notes = append(l.Notes, "How many of these make one coin is not known: "+why+".")
	}
	if h.InAddress > 0 {
		part := "Part of it lies"
		if h.Coins == 0 {
			part = "All of it lies"
		}
		l.Notes = append(l.Notes, part+" in the address balance; what your coins do not cover is taken from there.")
	}
	return l
}

type insideIn struct {
	Manager sui.ObjectID `json:"manager"`
}

type insideView struct {
	chainPart
	Foreign string // the owner, if it is not the account
	Free    []string
	Pools   []poolView
	Looked  string
	Unread  int
}

type poolView struct {
	Pool   string
	Lines  []words.Line
	Orders []string
	More   int
}

// inside reads a balance manager's holdings.
func (p *page) inside(c *web.Call, in insideIn) error {
	if in.Manager.IsZero() {
		return web.Refuse(http.StatusBadRequest, "manager", "Name the balance manager.")
	}
	ctx, stop := context.WithTimeout(c.Ctx(), onChainTime)
	defer stop()
	inside, err := p.OnChain.Inside(ctx, in.Manager)
	if err != nil {
		return web.Fragment(c, "inside", insideView{chainPart: failed("This balance manager", err)})
	}
	owner, err := sui.ParseAddress(c.ID)
	if err != nil {
		return err
	}
	return web.Fragment(c, "inside", insideOf(inside, owner))
}

// insideOf lists a manager's holdings by pool.
func insideOf(inside Inside, account sui.Address) insideView {
	v := insideView{chainPart: chainPart{At: words.At(inside.At)}, Looked: words.Plural(inside.Looked, "pool", "pools"),
		Unread: inside.Unread, Free: sums(inside.Free)}
	v.Announce = "Found in " + words.Plural(len(inside.Pools), "pool.", "pools.")
	if inside.Owner != account && !inside.Owner.IsZero() {
		v.Foreign = inside.Owner.String()
	}
	for _, p := range inside.Pools {
		v.Pools = append(v.Pools, poolViewOf(p))
	}
	return v
}

func sums(list []Sum) []string {
	var out []string
	for _, one := range list {
		out = append(out, number(one.Amount)+" "+words.Shown(one.Symbol, mostNameOfOne))
	}
	return out
}

func poolViewOf(p PoolShare) poolView {
	v := poolView{Pool: words.Shown(p.Pool, mostNameOfOne), More: max(0, len(p.Orders)-mostOrders)}
	add := func(name string, list []Sum, note string) {
		if len(list) > 0 {
			v.Lines = append(v.Lines, words.Line{Name: name, Value: strings.Join(sums(list), ", "), Note: note})
		}
	}
	add("Tied up", p.Locked, "in open orders, and settled but not withdrawn")
	add("Rebates", p.Rebates, "not claimed")
	add("Owed", p.Owed, "to the pool")
	if p.Staked != "" && p.Staked != "0" {
		v.Lines = append(v.Lines, words.Line{Name: "Staked", Value: number(p.Staked) + " DEEP"})
	}
	for _, o := range p.Orders[:min(len(p.Orders), mostOrders)] {
		verb, until := "Sell", "no end"
		if o.Bid {
			verb = "Buy"
		}
		if !o.Expires.IsZero() {
			until = "until " + words.At(o.Expires)
		}
		v.Orders = append(v.Orders, fmt.Sprintf("%s %s %s at %s %s, %s", verb, number(o.Remaining), words.Shown(o.Base,
			mostNameOfOne),
			number(o.Price), words.Shown(o.Quote, mostNameOfOne), until))
	}
	return v
}

// number formats an exact amount. It is screened like text of an unknown author, because it comes
// from outside this package.
func number(d sui.Decimal) string { return words.Spaced(words.Shown(string(d), maxNumber)) }
