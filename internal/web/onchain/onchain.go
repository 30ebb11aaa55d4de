// Package onchain reads the data of the account page in the same way as the tools: coin balances
// and DeepBook holdings.
//
// It formats the results for the page and stores nothing.
package onchain

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/positions"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/holdings"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

// Reader implements holdings.OnChain. It is safe for concurrent use.
type Reader struct {
	coins     *assets.Service
	inventory *deepbook.Inventory
	standing  standing.Reader
	positions *positions.Reader
}

// New returns a Reader.
func New(
	coins *assets.Service, inventory *deepbook.Inventory, standing standing.Reader, positions *positions.Reader,
) *Reader {
	return &Reader{coins, inventory, standing, positions}
}

var (
	_ holdings.OnChain = (*Reader)(nil)
	_ holdings.Prices  = (*Reader)(nil)
)

// Holdings implements holdings.OnChain.
func (o *Reader) Holdings(ctx context.Context, owner sui.Address, cursor string, most int) (holdings.Holdings, error) {
	page, err := o.coins.Holdings(ctx, owner, cursor, most)
	if err != nil {
		return holdings.Holdings{}, err
	}
	out := holdings.Holdings{Next: page.Next, Stalled: page.Stalled, At: page.At}
	for _, h := range page.Holdings {
		held := holdings.Held{
			Coin: h.Balance.Type, Total: h.Balance.Total, Coins: h.Balance.Coins, InAddress: h.Balance.Address,
			Amount: h.Amount, Unverified: h.Unit.Reason,
		}
		if h.Pinned != nil {
			held.Symbol = h.Pinned.Symbol
		}
		if h.Label != nil {
			held.Claimed, held.Name = h.Label.Symbol, h.Label.Name
			for _, flag := range h.Label.Flags {
				held.Flags = append(held.Flags, string(flag))
			}
		}
		out.List = append(out.List, held)
	}
	return out, nil
}

// InUSDC implements holdings.Prices. The price of USDC is 1.
func (o *Reader) InUSDC(ctx context.Context, c coins.Coin) (listing.Price, bool) {
	if usdc, err := coins.Find(assets.DefaultReference); err == nil && c.Type == usdc.Type {
		return listing.Price{USDC: "1", Of: func(r sui.Raw) (sui.Raw, bool) { return r, true }}, true
	}
	p, ok := o.coins.Price(ctx, c)
	return listing.Price{USDC: p.USDC, Of: p.Of}, ok
}

// Managers implements holdings.OnChain.
func (o *Reader) Managers(ctx context.Context, owner sui.Address) (holdings.Managers, error) {
	found, err := o.inventory.Discover(ctx, owner, sui.ObjectID{})
	if err != nil {
		return holdings.Managers{}, err
	}
	out := holdings.Managers{More: found.Truncated, At: found.At}
	for _, m := range found.Managers {
		caps := []deepbook.Method{deepbook.ByTradeCap, deepbook.ByDepositCap, deepbook.ByWithdrawCap}
		owned := slices.ContainsFunc(m.Methods, func(how deepbook.Method) bool { return !slices.Contains(caps, how) })
		out.List = append(out.List, holdings.Manager{ID: m.ID, Owned: owned})
	}
	return out, nil
}

// Staked implements holdings.OnChain.
func (o *Reader) Staked(ctx context.Context, owner sui.Address) (holdings.Staked, error) {
	found, err := o.positions.Of(ctx, owner)
	if err != nil {
		return holdings.Staked{}, err
	}
	out := holdings.Staked{Epoch: found.Stakes.Epoch, More: found.More, At: found.Stakes.At}
	for _, s := range found.Stakes.List {
		one := holdings.Stake{ID: s.ID}
		if s.Tokens == 0 {
			one.Principal = s.Principal.Decimal(suiDecimals)
		}
		if s.Starts(found.Stakes.Epoch) {
			one.Starts = s.Activation
		}
		if v := s.Validator; v != nil {
			one.Validator, one.Address = v.Name, v.Address.String()
		}
		if s.Pays != nil {
			one.Pays = s.Pays.Decimal(suiDecimals)
		}
		if r := s.Reward(); r != nil {
			one.Reward = r.Decimal(suiDecimals)
		}
		out.Stakes = append(out.Stakes, one)
	}
	for _, p := range found.Positions {
		out.Positions = append(out.Positions, holdings.Position{ID: p.ID, Kind: string(p.Kind), Protocol: p.Protocol})
	}
	for _, s := range found.Supplies {
		if c, known := coins.ByType(s.Coin); known {
			out.Lent = append(out.Lent, holdings.Lent{Protocol: s.Protocol, Coin: s.Coin,
				Supplied: s.Amount.Decimal(c.Decimals)})
		} else {
			out.Lent = append(out.Lent, holdings.Lent{Protocol: s.Protocol, Coin: s.Coin, Supplied: s.Amount.Decimal(0),
				Smallest: true})
		}
	}
	for _, l := range found.Lent {
		out.Lent = append(out.Lent, holdings.Lent{Protocol: l.Protocol, Coin: l.Coin, Supplied: l.Supplied,
			Borrowed: l.Borrowed,
			Smallest: l.Smallest, Receipts: l.Receipts})
	}
	out.Unread = found.Unread
	return out, nil
}

// suiDecimals is the number of decimals of SUI.
const suiDecimals = 9

// Permissions implements holdings.OnChain.
func (o *Reader) Permissions(ctx context.Context, owner sui.Address) (holdings.Permissions, error) {
	found, err := o.standing.List(ctx, owner)
	out := holdings.Permissions{More: found.More, At: found.At}
	for _, p := range found.Permissions {
		danger := p.Live(found.At) && p.Right != standing.Deposit && p.Kind != standing.TradingAccount
		out.List = append(out.List, holdings.Permission{Kind: string(p.Kind), ID: p.ID, Manager: p.Manager,
			Says: p.Says(found.At), Ask: ask(p), Danger: danger})
	}
	return out, err
}

// ask returns the request with which an AI client prepares the revocation of a permission, or "".
func ask(p standing.Permission) string {
	switch p.Kind {
	case standing.Allowance:
		return "End the allowance " + p.ID.String() + "."
	case standing.ManagerCap:
		return "End the cap " + p.ID.String() + " of my balance manager " + p.Manager.String() + "."
	}
	return ""
}

// parallelPools is the number of a manager's pools that are queried concurrently.
const parallelPools = 8

// Inside implements holdings.OnChain. It queries every pinned pool, and counts those that do not
// respond. It returns an error only if none responds.
func (o *Reader) Inside(ctx context.Context, manager sui.ObjectID) (holdings.Inside, error) {
	pools := registry.Pools()
	found, failed := make([]deepbook.PoolAccount, len(pools)), make([]error, len(pools))
	slots := make(chan struct{}, parallelPools)
	var running sync.WaitGroup
	for i, p := range pools {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			defer fault.Recover(&failed[i])
			found[i], failed[i] = o.inventory.Account(ctx, p.Key, manager)
		})
	}
	running.Wait()
	out := holdings.Inside{Looked: len(pools)}
	free := map[sui.CoinType]bool{}
	for i, a := range found {
		if err := failed[i]; err != nil {
			if out.Unread++; out.Unread == len(pools) || fault.Is(err, fault.InputInvalid) {
				return holdings.Inside{}, err
			}
			continue
		}
		if a.At.After(out.At) {
			out.At = a.At
		}
		out.Owner = a.Owner
		if !a.Exists {
			continue
		}
		out.Free = append(out.Free, fresh(a.Free, a.Pool, free)...)
		out.Pools = append(out.Pools, shareOf(a))
	}
	return out, nil
}

// deepCoin returns DEEP, for pools that do not trade it.
func deepCoin() coins.Coin {
	c, _ := coins.ByType(coins.DEEP)
	return c
}

// fresh returns the amounts of coins that are not in told, and adds them to it. Every pool reports
// the same free balance of a manager, so each coin must be counted only once.
func fresh(a deepbook.Amounts, p registry.Pool, listed map[sui.CoinType]bool) []holdings.Sum {
	var out []holdings.Sum
	for _, s := range coinsOf(a, p) {
		if s.amount > 0 && !listed[s.coin.Type] {
			listed[s.coin.Type] = true
			out = append(out, s.sum())
		}
	}
	return out
}

// counted is an amount of a pinned coin.
type counted struct {
	coin   coins.Coin
	amount sui.Raw
}

func (c counted) sum() holdings.Sum {
	return holdings.Sum{Symbol: c.coin.Symbol, Amount: c.amount.Decimal(c.coin.Decimals)}
}

func coinsOf(a deepbook.Amounts, p registry.Pool) []counted {
	return []counted{{p.Base, a.Base}, {p.Quote, a.Quote}, {deepCoin(), a.Deep}}
}

func sumsOf(a deepbook.Amounts, p registry.Pool) []holdings.Sum {
	return fresh(a, p, map[sui.CoinType]bool{})
}

// shareOf converts a manager's holdings in one pool to exact amounts.
func shareOf(a deepbook.PoolAccount) holdings.PoolShare {
	p := a.Pool
	s := holdings.PoolShare{Pool: p.Key, Locked: sumsOf(a.Locked, p), Rebates: sumsOf(a.Rebates, p), Owed: sumsOf(a.Owed,
		p)}
	if staked := a.ActiveStake + a.NewStake; staked > 0 {
		s.Staked = staked.Decimal(deepCoin().Decimals)
	}
	for _, o := range a.Orders {
		r := holdings.Resting{ID: o.ID, Bid: o.IsBid, Price: o.Price.Decimal(p.PriceDecimals()),
			Remaining: o.Remaining.Decimal(p.Base.Decimals),
			Base:      p.Base.Symbol, Quote: p.Quote.Symbol}
		if o.ExpireMs < never {
			r.Expires = time.UnixMilli(int64(o.ExpireMs))
		}
		s.Orders = append(s.Orders, r)
	}
	return s
}
