package holdings

import (
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Stake is one stake in exact amounts of SUI. Validator is the name that its operator wrote,
// and Address where to stake with it; both are "" if no current validator has the pool. Reward
// and Pays are estimates of the current epoch, "" if they are unknown.
type Stake struct {
	ID                 sui.ObjectID
	Validator, Address string
	Principal          sui.Decimal // "" for fungible staked SUI
	Starts             uint64      // the epoch in which it starts to earn, 0 if it earns
	Reward, Pays       sui.Decimal
}

// Position is an object that stands for something inside a protocol. It is not valued.
type Position struct {
	ID             sui.ObjectID
	Kind, Protocol string
}

// Staked is what an account holds that is not a coin. Epoch is the current one, 0 without
// stakes. More means that there are further objects.
type Staked struct {
	Epoch     uint64
	Stakes    []Stake
	Positions []Position
	More      bool
	At        time.Time
}

type stakedView struct {
	chainPart
	Epoch     string
	Stakes    []stakeLine
	Positions []positionLine
	More      bool
}

type stakeLine struct{ Validator, Address, Amount, Says string }

type positionLine struct{ ID, Says string }

// positionWords name the kinds.
var positionWords = map[string]string{
	"pool_position":        "Liquidity in a pool of ",
	"lending_position_cap": "Key to a lending position in ",
}

// staked reads the account's stakes and positions.
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
	return web.Fragment(c, "staked", v)
}

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
