package balancemanager

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// collect is the pool function that pays settled amounts to a manager.
const collect = "withdraw_settled_amounts"

// termCollected names the markets from which the transaction collects. No event reports it.
const termCollected = "Collected first"

// Settled reads balance managers, and their accounts in all pinned pools. deepbook.Inventory implements
// it.
type Settled interface {
	managed.Source
	// BalancesAfter reads a manager's free balances of coins as they would be after a transaction. A
	// nil transaction means the current balances.
	BalancesAfter(ctx context.Context, after *sui.Transaction, h deepbook.Holder, coins []sui.CoinType) ([]sui.Raw,
		error)
	// AccountsAfter is like BalancesAfter for the manager's pool accounts.
	AccountsAfter(ctx context.Context, after *sui.Transaction, manager sui.ObjectID) ([]deepbook.PoolAccount, time.Time,
		error)
}

// Market returns the version at which a pool was shared. deepbook.Reader implements it.
type Market interface {
	SharedVersion(ctx context.Context, poolKey string) (uint64, error)
}

// Everything prepares a withdrawal of all free coins of one type, or of every pinned type if the
// intent names none, from a balance manager. It includes the manager's balance and the proceeds of
// filled orders that are still in pools. It implements plan.Adapter.
//
// The amounts are read when the review is computed, as earlier steps leave them. The transaction
// contains these amounts, so exactly the displayed amounts arrive. Later proceeds stay in the manager.
type Everything struct {
	market Market
	source Settled
}

// NewWithdrawAll returns an Everything that reads markets and managers.
func NewWithdrawAll(market Market, source Settled) *Everything { return &Everything{market, source} }

// Meta implements plan.Adapter.
func (*Everything) Meta() plan.Meta {
	return plan.Meta{
		Aliases:  []string{"managerwithdrawall", "withdrawall", "withdraweverything", "emptybalancemanager"},
		Takes:    []string{"to"},
		Harmless: true,
		Action:   "manager-withdraw-all", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label,
		AdapterID:    "deepbook-manager-withdraw-all",
		StageCatalog: "deepbook_manager_withdraw_all_review_v1", CheckPrefix: managed.Prefix,
		Stages: []plan.StageID{plan.StageIntent, managed.StageManager, managed.StagePolicy}, Words: managed.Words(nil),
		Packages: registry.PackageIDs(), Functions: []string{"pool::" + collect, managed.Module + "::" + withdraw},
		Unreported: []string{termCollected},
	}
}

// Plan implements plan.Adapter. Its errors name the field.
func (*Everything) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("to", "manager"); err != nil {
		return plan.Plan{}, err
	}
	coin, what := plan.EveryCoin, "every coin"
	if in.To.Symbol != "" {
		var err error
		if coin, err = managed.Coin("intent.to.symbol", in.To.Symbol); err != nil {
			return plan.Plan{}, err
		}
		what = "all " + coin.Symbol
	}
	named, err := managed.Named(in.Manager)
	if err != nil {
		return plan.Plan{}, err
	}
	p := plan.Plan{
		Title:   "Withdraw " + what + " from DeepBook",
		Asked:   "withdraw all your free " + coin.Symbol + " out of your DeepBook balance manager",
		Summary: "Take " + what + " that no order ties up out of your DeepBook balance manager, into your account.",
		Subject: named,
		Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "moved", Bounds: []plan.Bound{{Role: plan.RoleOutput,
			Coin: coin}}}}},
	}
	if coin == plan.EveryCoin {
		p.Asked = "withdraw every coin that is free from your DeepBook balance manager"
		p.Summary = "Withdraw all coins that no order ties up from your DeepBook balance manager, into your account."
	}
	return p, nil
}

// sweep holds the state of one computation of a withdrawal.
type sweep struct {
	market Market
	source Settled
	coins  []free // coins that may be withdrawn
	every  bool   // the intent names no coin
	holder deepbook.Holder
	pools  []place
}

// free is the free balance of one coin.
type free struct {
	plan.Asset
	lies   sui.Raw  // in the manager
	all    uint64   // including what markets owe the manager
	tied   uint64   // tied up by open orders
	earned []string // one description per market
}

// place is a market that owes the manager something.
type place struct {
	pool   registry.Pool
	shared uint64
	pkg    sui.ObjectID
}

// Stages implements plan.Adapter.
func (e *Everything) Stages(p plan.Plan) []plan.Stage {
	w := &sweep{market: e.market, source: e.source}
	if coin := p.Promise.Bounds()[0].Coin; coin != plan.EveryCoin {
		w.coins = []free{{Asset: coin}}
	} else {
		w.every = true
		for _, c := range coins.All() {
			w.coins = append(w.coins, free{Asset: managed.Asset(c)})
		}
	}
	return []plan.Stage{
		managed.Asked(p),
		{ID: managed.StageManager, Run: func(ctx context.Context, s *plan.Step) (err error) {
			if w.holder, err = managed.Resolve(ctx, e.source, s, p.Subject); err != nil {
				return err
			}
			return w.look(ctx, s)
		}},
		{ID: managed.StagePolicy, Run: func(_ context.Context, s *plan.Step) error { w.policy(s); return nil }},
	}
}

// look reads the manager's free balances and what markets owe it.
func (w *sweep) look(ctx context.Context, s *plan.Step) error {
	after, err := managed.After(ctx, s)
	if err != nil {
		return err
	}
	types := make([]sui.CoinType, len(w.coins))
	for n, c := range w.coins {
		types[n] = c.CoinType
	}
	lies, err := w.source.BalancesAfter(ctx, after, w.holder, types)
	if err != nil {
		return err
	}
	for n := range w.coins {
		c := &w.coins[n]
		if c.lies, c.all = lies[n], uint64(lies[n]); c.lies > 0 || !w.every {
			s.Read(managed.Free(c.Of(c.lies)))
		}
	}
	accounts, _, err := w.source.AccountsAfter(ctx, after, w.holder.ID)
	if err != nil {
		return err
	}
	left := ""
	for _, a := range accounts {
		stays, err := w.owed(ctx, s, a)
		if err != nil {
			return err
		}
		left += stays
	}
	return w.judge(s, left)
}

// owed adds the amounts that a market owes the manager. stays describes amounts that cannot be
// collected.
func (w *sweep) owed(ctx context.Context, s *plan.Step, a deepbook.PoolAccount) (stays string, err error) {
	owes := false
	for n := range w.coins {
		c := &w.coins[n]
		owed, locked := of(a.Pool, c.CoinType, a.Settled), of(a.Pool, c.CoinType, a.Locked)
		//mutant:never `owed > locked` ./internal/protocol/deepbook/managed TestWithdrawAll/a market that owes more than it holds
		if owed > locked {
			return "", stopped(plan.ObjectResolutionFailed,
				"The node reports that "+a.Pool.Key+" owes your balance manager more than it holds for it.",
				"Check again, or use another node.")
		}
		c.tied = plan.AddSaturating(c.tied, uint64(locked-owed))
		if owed == 0 {
			continue
		}
		// A pool accepts the package with which its account was read, and all commands of the
		// transaction must call the same package.
		if a.Package != w.holder.Package {
			stays = " What " + a.Pool.Key + " owes stays there: it admits only another version of DeepBook."
			continue
		}
		owes = true
		c.all = plan.AddSaturating(c.all, uint64(owed))
		c.earned = append(c.earned, c.Of(owed).String()+" in "+a.Pool.Key)
		name := "owed by " + a.Pool.Key
		if w.every {
			name = c.Symbol + " " + name
		}
		s.Read(plan.Reading{Name: name, Value: owed.String(), Moves: true})
	}
	if !owes {
		return stays, nil
	}
	shared, err := w.market.SharedVersion(ctx, a.Pool.Key)
	w.pools = append(w.pools, place{a.Pool, shared, a.Package})
	return stays, err
}

// judge adds the check that lists the free amounts, and drops coins without any. It stops the review
// if nothing can be withdrawn. left describes amounts that cannot be collected.
func (w *sweep) judge(s *plan.Step, left string) error {
	symbol, bound, tied := w.coins[0].Symbol, left, false
	if w.every {
		symbol = "coin that this program knows"
	}
	var texts []string
	for _, c := range w.coins {
		if c.tied > 0 {
			tied = true
			bound += " Open orders tie up " + c.Of(sui.Raw(c.tied)).String() + " besides, which stays."
		}
		if after, ok := plan.Holds(c.Asset, c.lies, c.all-uint64(c.lies), c.all); ok && c.all > 0 {
			s.Outlook.Holder = append(s.Outlook.Holder, after)
		}
		texts = append(texts, c.said())
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	w.coins = slices.DeleteFunc(w.coins, func(c free) bool { return c.all == 0 })
	if len(w.coins) == 0 {
		do := "There is nothing to withdraw. Check the balance manager's balances."
		if tied {
			do = "Cancel the orders first."
		}
		return stopped(plan.InsufficientBalance,
			"The node reports that the balance manager has no free "+symbol+"."+bound, do)
	}
	if w.every {
		bound += " Coins that this program does not know were not checked."
	}
	s.Check(plan.Pass(plan.SourceWallet, managed.Prefix+"_manager_balance", "Balance manager",
		"The node reports that "+strings.Join(texts, "; ")+"."+bound))
	return nil
}

// said describes the free amount and its sources. It returns "" if nothing is free.
func (c free) said() string {
	if c.all == 0 {
		return ""
	}
	text := c.Of(c.lies).String() + " is free in the balance manager"
	if len(c.earned) > 0 {
		text += ", and orders earned " + strings.Join(c.earned, ", ")
	}
	return text + ": " + c.out().String() + " in all"
}

// out returns the amount to withdraw.
func (c free) out() plan.Amount { return c.Of(sui.Raw(c.all)) }

func stopped(reason plan.Reason, message, do string) error {
	return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceWallet, managed.Prefix+"_manager_balance",
		"Balance manager", message, do)}
}

// of returns a pool's amount of a coin. In a pool that does not trade DEEP, DEEP comes from returned
// fees.
func of(p registry.Pool, coin sui.CoinType, a deepbook.Amounts) (n sui.Raw) {
	switch coin {
	case p.Base.Type:
		n = a.Base
	case p.Quote.Type:
		n = a.Quote
	}
	if coin == coins.DEEP {
		n = sui.Raw(plan.AddSaturating(uint64(n), uint64(a.Deep)))
	}
	return n
}

func (w *sweep) policy(s *plan.Step) {
	keys := w.keys()
	var out []plan.Amount
	s.Target = plan.Target{Package: w.holder.Package, Function: managed.Module + "::" + withdraw, RouteID: w.holder.ID,
		Shared: w.holder.Initial}
	for _, c := range w.coins {
		out = append(out, c.out())
		s.Target.MoreTypeArgs = append(s.Target.MoreTypeArgs, []sui.TypeTag{c.CoinType.Tag()})
	}
	s.Target.TypeArgs, s.Target.MoreTypeArgs = s.Target.MoreTypeArgs[0], s.Target.MoreTypeArgs[1:]
	s.Promise = plan.Promise{Outcomes: []plan.Outcome{{Name: "moved", Bounds: promise(withdraw, w.holder.ID, out...)}}}
	for _, p := range w.pools {
		s.Target.Also = append(s.Target.Also, plan.SharedObject{ID: p.pool.ID, Initial: p.shared})
	}
	s.Terms = allTerms(w.holder.ID, out, keys)
	s.Explain = managed.Refused
	s.Append = func(b *plan.Builder) error {
		for _, p := range w.pools {
			if err := managed.AppendTrade(b, p.pkg, collect, p.pool, p.shared, w.holder); err != nil {
				return err
			}
		}
		return AppendWithdraw(b, w.holder, out[0], out[1:]...)
	}
	arrives := "arrives"
	if len(out) > 1 {
		arrives = "arrive"
	}
	s.Guarantee = "Exactly " + plan.AmountsText(out) + " " + arrives +
		" in your own account, or the transaction fails and only gas is spent."
	s.Locks = []string{"Coins that orders earn or return after this reading stay in your balance manager. You can " +
		"withdraw them later."}
}

func (w *sweep) keys() (list []string) {
	for _, p := range w.pools {
		list = append(list, p.pool.Key)
	}
	return list
}

// allTerms states the amounts, the manager, and the markets from which the transaction collects first.
func allTerms(manager sui.ObjectID, out []plan.Amount, keys []string) []plan.Term {
	terms := managed.Moved(manager, false, out...)
	if len(keys) > 0 {
		terms = append(terms, plan.Term{Name: termCollected, Value: "What orders earned in " + strings.Join(keys, ", ")})
	}
	return terms
}
