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

// OnChain reads an account's holdings for the account page. Each answer is a snapshot, and states
// how it may be incomplete.
type OnChain interface {
	// Holdings returns up to most coin balances of owner after cursor; "" is the beginning.
	Holdings(ctx context.Context, owner sui.Address, cursor string, most int) (Holdings, error)
	// Managers finds balance managers of owner; never known to be all.
	Managers(ctx context.Context, owner sui.Address) (Managers, error)
	// Staked reads an account's holdings other than coins: stakes and known positions.
	Staked(ctx context.Context, owner sui.Address) (Staked, error)
	// Permissions lists what lets others act without the wallet; never known to be all.
	Permissions(ctx context.Context, owner sui.Address) (Permissions, error)
	// Inside reads what one balance manager has in the pools that are known here.
	Inside(ctx context.Context, manager sui.ObjectID) (Inside, error)
}

// Held is an account's balance of one coin. Amount is the exact display form, "" without verified
// decimals; then Unverified says why. Symbol is set only for coins of the pinned registry. Claimed
// and Name come from the coin's unknown creator, and Flags state what was noticed in them.
type Held struct {
	Coin                    sui.CoinType
	Total, Coins, InAddress sui.Raw
	Amount                  sui.Decimal
	Unverified              string
	Symbol                  string
	Claimed, Name           string
	Flags                   []string
}

// Holdings is one page of coin balances. Next continues it, "" at the end. Stalled means that the
// node's list repeats itself and the rest cannot be read.
type Holdings struct {
	List    []Held
	Next    string
	Stalled bool
	At      time.Time
}

// Manager is a balance manager. Owned means that it belongs to the account according to DeepBook;
// otherwise the account has a permission for it, or created it.
type Manager struct {
	ID    sui.ObjectID
	Owned bool
}

// Managers lists the balance managers found for an account.
type Managers struct {
	List []Manager
	More bool // there are more than listed
	At   time.Time
}

// Sum is an exact amount of a coin of the pinned registry.
type Sum struct {
	Symbol string
	Amount sui.Decimal
}

// Resting is an order in a book. Price is quote coins for one base coin, and
// Remaining the base coins that are not filled. A zero Expires is never.
type Resting struct {
	ID               string // its number in the pool
	Bid              bool
	Price, Remaining sui.Decimal
	Base, Quote      string
	Expires          time.Time
}

// PoolShare is a balance manager's holdings in one pool. Locked includes amounts locked in orders
// and those settled but not withdrawn. Zero amounts are omitted.
type PoolShare struct {
	Pool                  string
	Locked, Rebates, Owed []Sum
	Staked                sui.Decimal // DEEP
	Orders                []Resting
}

// Inside is a balance manager's holdings; Free is available. Looked counts the queried pools,
// Unread those without an answer.
type Inside struct {
	Owner          sui.Address
	Free           []Sum
	Pools          []PoolShare
	Looked, Unread int
	At             time.Time
}

// Limits of an account page's answer.
const (
	holdingsPage  = 50
	mostOrders    = 20
	mostManagers  = 20
	onChainTime   = 12 * time.Second // shorter than the timeout of the whole answer
	mostNameOfOne = 64
	maxNumber     = 100
)

// chainPart is the common beginning of the account page's parts from the chain. With Problem, the
// part has nothing else.
type chainPart struct{ Announce, Problem, At string }

// failed reports what could not be read. The rest of the page stays.
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

// moreView is a further part of the list of coins, without values.
type moreView struct {
	chainPart
	List    []heldLine
	Next    string
	Stalled bool
}

type cursorIn struct {
	Cursor string `json:"cursor,omitempty"`
}

// asking begins a part that queries a node: the page's input, the account, and the time limit.
func asking[T any](c *web.Call) (in T, owner sui.Address, ctx context.Context, stop context.CancelFunc, err error) {
	if in, err = web.Body[T](c); err == nil {
		owner, err = sui.ParseAddress(c.ID)
	}
	ctx, stop = context.WithTimeout(c.Ctx(), onChainTime)
	return in, owner, ctx, stop, err
}

// more reads another page of the account's coins.
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

// Flags of a name that imitates another one.
const imitates, samesymbol = "imitation", "same_symbol_as_registered_coin"

// flagWords explain what was noticed in the texts of a coin's creator.
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
	Foreign string // owner, if not the account
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

// number writes an exact amount. It is digits already, and is shown like text of
// others all the same: it came from outside this package.
func number(d sui.Decimal) string { return words.Spaced(words.Shown(string(d), maxNumber)) }
