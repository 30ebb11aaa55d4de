package holdings

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Stake is one stake. Its amounts are exact amounts of SUI. Validator is the name that the operator
// chose, and Address the validator's address. Both are "" if no current validator has the pool.
// Reward and Pays are estimates for the current epoch, or "" if unknown.
type Stake struct {
	ID                 sui.ObjectID
	Validator, Address string
	Principal          sui.Decimal // "" for fungible staked SUI
	Starts             uint64      // the epoch in which it begins to earn; 0 if it already does
	Reward, Pays       sui.Decimal
}

// Position is an object that represents something in a protocol. It has no value here.
type Position struct {
	ID             sui.ObjectID
	Kind, Protocol string
}

// Lent is what an account supplied to a lending protocol, and what it owes there; "" means nothing.
// If Smallest is set, amounts are in the coin's smallest unit. If Receipts is set, Supplied is an
// amount of receipts, not of coins.
type Lent struct {
	Protocol           string
	Coin               sui.CoinType
	Supplied, Borrowed sui.Decimal
	Smallest, Receipts bool
}

// Staked is what an account holds other than coins. Epoch is the current epoch, or 0 if there are
// no stakes. More means that there are further objects.
type Staked struct {
	Epoch     uint64
	Stakes    []Stake
	Positions []Position
	Lent      []Lent
	Unread    []string // protocols whose data could not be read
	More      bool
	At        time.Time
}

type stakedView struct {
	chainPart
	Epoch     string
	Stakes    []stakeLine
	Positions []positionLine
	Lent      []lentLine
	Unread    string
	More      bool
}

// lentLine is one coin in a lending protocol. Value is "" without a price.
type lentLine struct{ Symbol, Says, Value string }

type stakeLine struct{ Validator, Address, Amount, Says string }

type positionLine struct{ ID, Says string }

// positionWords describe the kinds of positions.
var positionWords = map[string]string{
	"pool_position":        "Liquidity in a pool of ",
	"lending_position_cap": "Key to a lending position in ",
}

// staked responds with the account's stakes and positions.
func (p *page) staked(c *web.Call) error {
	_, owner, ctx, stop, err := asking[struct{}](c)
	defer stop()
	if err != nil {
		return err
	}
	found, err := p.OnChain.Staked(ctx, owner)
	if err != nil {
		return web.Fragment(c, "staked", stakedView{chainPart: failed("Stakes and positions", err)})
	}
	v := stakedView{chainPart: chainPart{At: words.At(found.At)}, More: found.More,
		Epoch: strconv.FormatUint(found.Epoch, 10)}
	v.Announce = "Staked: " + words.Plural(len(found.Stakes), "stake found.", "stakes found.")
	for _, s := range found.Stakes {
		v.Stakes = append(v.Stakes, lineOfStake(s))
	}
	for _, one := range found.Positions {
		v.Positions = append(v.Positions, positionLine{one.ID.String(),
			positionWords[one.Kind] + words.Shown(one.Protocol, mostNameOfOne)})
	}
	for _, l := range found.Lent {
		v.Lent = append(v.Lent, p.lineOfLent(ctx, l))
	}
	v.Unread = strings.Join(found.Unread, " and ")
	return web.Fragment(c, "staked", v)
}

// lineOfLent formats what was supplied and owed. It adds a value if Supplied is an amount of a coin
// with a price.
func (p *page) lineOfLent(ctx context.Context, l Lent) lentLine {
	unit, coin, known := "units of "+words.ShortType(string(l.Coin)), coins.Coin{}, false
	if coin, known = coins.ByType(l.Coin); known && !l.Smallest {
		unit = coin.Symbol
	}
	out := lentLine{Symbol: coin.Symbol}
	if l.Supplied != "" {
		out.Says = "About " + number(l.Supplied) + " " + unit + " supplied to " + l.Protocol
		if l.Receipts {
			out.Says = number(l.Supplied) + " receipts for " + unit + " in " + l.Protocol
		}
	}
	if l.Borrowed != "" {
		out.Says = strings.TrimSpace(out.Says + ". About " + number(l.Borrowed) + " " + unit + " owed to " + l.Protocol)
		out.Says = strings.TrimPrefix(out.Says, ". ")
	}
	if raw, err := l.Supplied.Raw(coin.Decimals); err == nil && known && l.Supplied != "" && !l.Smallest && !l.Receipts {
		ctx, stop := context.WithTimeout(ctx, priceTimeout)
		defer stop()
		if price, ok := p.Prices.InUSDC(ctx, coin); ok {
			if worth, ok := price.Of(raw); ok {
				out.Value = number(worth.Decimal(usdcDecimals))
			}
		}
	}
	return out
}

// usdcDecimals is the number of decimals of USDC.
const usdcDecimals = 6

func lineOfStake(s Stake) stakeLine {
	l := stakeLine{Validator: words.Shown(s.Validator, mostNameOfOne), Address: words.Whole(s.Address)}
	if s.Principal != "" {
		l.Amount = number(s.Principal) + " SUI"
	}
	switch {
	case s.Starts > 0:
		l.Says = "Starts to earn in epoch " + strconv.FormatUint(s.Starts,
			10) + ". Until then a withdrawal pays the stake only."
	case s.Pays == "":
		l.Says = "Its reward is unknown."
	case s.Reward == "":
		l.Says = "A withdrawal pays about " + number(s.Pays) + " SUI now."
	default:
		l.Says = "It has earned about " + number(s.Reward) + " SUI; a withdrawal pays about " + number(s.Pays) + " SUI now."
	}
	return l
}
