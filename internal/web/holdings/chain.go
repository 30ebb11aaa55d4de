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

// OnChain reads what an account has, for the account page. Every answer is of
// one moment and may be incomplete in the way that it says itself.
type OnChain interface {
	// Holdings gives at most most coin balances of owner, after cursor; "" is the
	// beginning.
	Holdings(ctx context.Context, owner sui.Address, cursor string, most int) (Holdings, error)
	// Managers finds balance managers of owner; never known to be all.
	Managers(ctx context.Context, owner sui.Address) (Managers, error)
	// Staked reads what an account holds that is not a coin: stakes and known positions.
	Staked(ctx context.Context, owner sui.Address) (Staked, error)
	// Permissions lists what lets others act without the wallet; never known to be all.
	Permissions(ctx context.Context, owner sui.Address) (Permissions, error)
	// Inside reads what one balance manager has in the pools that are known here.
	Inside(ctx context.Context, manager sui.ObjectID) (Inside, error)
}

// Held is what an account holds of one coin. Amount is the exact display form,
// "" without verified decimals; then Unverified says why. Symbol is set for
// coins of the pinned registry alone. Claimed and Name are the words of the
// coin's unknown creator, and Flags what was noticed in them.
type Held struct {
	Coin                    sui.CoinType
	Total, Coins, InAddress sui.Raw
	Amount                  sui.Decimal
	Unverified              string
	Symbol                  string
	Claimed, Name           string
	Flags                   []string
}

// Holdings is one page of coin balances. Next continues it, "" at the end.
// Stalled means that the node's list repeats itself and the rest cannot be read.
type Holdings struct {
	List    []Held
	Next    string
	Stalled bool
	At      time.Time
}

// Manager is a balance manager. Owned means that DeepBook says it is the
// account's; otherwise the account holds a right to act for it, or made it.
type Manager struct {
	ID    sui.ObjectID
	Owned bool
}

// Managers is what was found of an account's balance managers.
type Managers struct {
	List []Manager
	More bool // there are more than are told
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

// PoolShare is what a balance manager has in one pool. Locked is tied to its
// orders there, with what is settled and not withdrawn; zero amounts are left out.
type PoolShare struct {
	Pool                  string
	Locked, Rebates, Owed []Sum
	Staked                sui.Decimal // DEEP
	Orders                []Resting
}

// Inside is what a balance manager has: Free is tied to nothing. Looked counts
// the pools that were asked, Unread those that gave no answer.
type Inside struct {
	Owner          sui.Address
	Free           []Sum
	Pools          []PoolShare
	Looked, Unread int
	At             time.Time
}

// Limits of what one answer of the account page holds.
const (
	holdingsPage  = 50
	mostOrders    = 20
	mostManagers  = 20
	onChainTime   = 12 * time.Second // less than an answer may take in all
	mostNameOfOne = 64
	maxNumber     = 100
)

// chainPart is what every part of the account page that comes from the chain
// begins with. With Problem there is nothing else in it.
type chainPart struct{ Announce, Problem, At string }

// failed says what could not be read. The rest of the page stays as it is.
func failed(what string, err error) chainPart {
	text := words.Shown(fault.As(err).Text, 400)
	return chainPart{Announce: what + " could not be read.", Problem: what +
		" could not be read, so nothing is said about it. " + text}
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

// asking begins a part that a node is asked for: what the page sent, whose account it is,
// and how long the answer may take.
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

// unverifiedWords say why the decimals of a coin are not known.
var unverifiedWords = map[string]string{
	"metadata_not_found":                     "the chain has no description of this coin",
	"metadata_lookup_failed":                 "its description could not be read",
	"decimals_disagree_with_pinned_registry": "the chain and this program disagree about it",
	"decimals_out_of_range":                  "what the chain says of it cannot be",
}

// The flags of a name that is meant to be mistaken for another one.
const imitates, samesymbol = "imitation", "same_symbol_as_registered_coin"

// flagWords say what was noticed in the words of a coin's creator.
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
	Foreign string // whose it is, where it is not the account's
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

// inside reads what one balance manager has.
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

// insideOf writes what a manager has, pool by pool.
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
