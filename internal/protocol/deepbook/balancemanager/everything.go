package balancemanager

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review/plan"
)

// collect is the function of a pool that moves what it owes a manager into it.
const collect = "withdraw_settled_amounts"

// termCollected names the markets that are asked for what they owe. No event reports it.
const termCollected = "Collected first"

// Settled reads balance managers, and what one has in every pinned pool:
// deepbook.Inventory.
type Settled interface {
	managed.Source
	// AccountsAfter reads it as a transaction would leave it; nil for none.
	AccountsAfter(ctx context.Context, after *sui.Transaction, manager sui.ObjectID) ([]deepbook.PoolAccount, time.Time, error)
}

// Market returns the version at which a pool was shared: deepbook.Reader.
type Market interface {
	SharedVersion(ctx context.Context, poolKey string) (uint64, error)
}

// Everything prepares taking everything of a coin out of a balance manager that no order
// ties up: what lies in it, and what filled orders earned in markets. It implements
// plan.Adapter.
//
// The amount is read when the review is computed, as the steps before this one leave it,
// and is in the bytes, so that exactly
// what the page says arrives. What is earned after that stays in the manager.
type Everything struct {
	market Market
	source Settled
}

// NewWithdrawAll returns the Adapter, which reads markets and managers.
func NewWithdrawAll(market Market, source Settled) *Everything { return &Everything{market, source} }

// Meta implements plan.Adapter.
func (*Everything) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"managerwithdrawall", "withdrawall", "withdraweverything", "emptybalancemanager"}, Takes: []string{"to"},
		Harmless: true,
		Action:   "manager-withdraw-all", Slug: managed.Slug, Protocol: managed.Protocol, Label: managed.Label, AdapterID: "deepbook-manager-withdraw-all",
		StageCatalog: "deepbook_manager_withdraw_all_review_v1", CheckPrefix: managed.Prefix,
		Stages: []plan.StageID{plan.StageIntent, managed.StageManager, managed.StagePolicy}, Words: managed.Words(nil),
		Packages: registry.PackageIDs(), Functions: []string{"pool::" + collect, managed.Module + "::" + withdraw},
		Unreported: []string{termCollected},
	}
}

// Plan implements plan.Adapter. Errors name the field.
func (*Everything) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("to", "manager"); err != nil {
		return plan.Plan{}, err
	}
	coin, err := managed.Coin("intent.to.symbol", in.To.Symbol)
	if err != nil {
		return plan.Plan{}, err
	}
	named, err := managed.Named(in.Manager)
	if err != nil {
		return plan.Plan{}, err
	}
	return plan.Plan{
		Title: "Withdraw all " + coin.Symbol + " from DeepBook", Asked: "take all your free " + coin.Symbol + " out of your DeepBook balance manager",
		Summary: "Take all " + coin.Symbol + " that no order ties up out of your DeepBook balance manager, into your account.",
		Subject: named,
		Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "moved", Bounds: []plan.Bound{{Role: plan.RoleOutput, Coin: coin}}}}},
	}, nil
}

// sweep is one computation of such a review.
type sweep struct {
	market Market
	source Settled
	coin   plan.Asset
	holder deepbook.Holder
	pools  []place
	out    plan.Amount
}

// place is a market that owes the manager something of the coin.
type place struct {
	pool   registry.Pool
	shared uint64
	pkg    sui.ObjectID
}

// Stages implements plan.Adapter.
func (e *Everything) Stages(p plan.Plan) []plan.Stage {
	w := &sweep{market: e.market, source: e.source, coin: p.Promise.Bounds()[0].Coin}
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

// look reads what is free in the manager, and what markets owe it.
func (w *sweep) look(ctx context.Context, s *plan.Step) error {
	after, err := managed.After(ctx, s)
	if err != nil {
		return err
	}
	free, err := w.source.FreeAfter(ctx, after, w.holder, w.coin.CoinType)
	if err != nil {
		return err
	}
	s.Read(managed.Free(w.coin.Of(free)))
	accounts, _, err := w.source.AccountsAfter(ctx, after, w.holder.ID)
	if err != nil {
		return err
	}
	sum, tied, from, left := uint64(free), uint64(0), []string{}, ""
	for _, a := range accounts {
		owed, locked := of(a.Pool, w.coin.CoinType, a.Settled), of(a.Pool, w.coin.CoinType, a.Locked)
		//mutant:never `owed > locked` ./internal/protocol/deepbook/managed TestWithdrawAll/a market that owes more than it holds
		if owed > locked {
			return stopped(plan.ObjectResolutionFailed, "As the node reports, "+a.Pool.Key+" owes your balance manager more than it holds for it.",
				"Check again, or use another node.")
		}
		tied = plan.AddSaturating(tied, uint64(locked-owed))
		if owed == 0 {
			continue
		}
		// A package that the pool admits is one that its account was read with. All
		// commands call the same one.
		if a.Package != w.holder.Package {
			left += " What " + a.Pool.Key + " owes stays there: it admits another version of DeepBook only."
			continue
		}
		shared, err := w.market.SharedVersion(ctx, a.Pool.Key)
		if err != nil {
			return err
		}
		w.pools = append(w.pools, place{a.Pool, shared, a.Package})
		sum = plan.AddSaturating(sum, uint64(owed))
		from = append(from, w.coin.Of(owed).String()+" in "+a.Pool.Key)
		s.Read(plan.Reading{Name: "owed by " + a.Pool.Key, Value: owed.String(), Moves: true})
	}
	w.out = w.coin.Of(sui.Raw(sum))
	bound := left
	if tied > 0 {
		bound += " Open orders tie up " + w.coin.Of(sui.Raw(tied)).String() + " besides, which stays."
	}
	if sum == 0 {
		do := "There is nothing to take out. Look at what the balance manager holds."
		if tied > 0 {
			do = "Cancel the orders first."
		}
		return stopped(plan.InsufficientBalance, "As the node reports, the balance manager has no free "+w.coin.Symbol+"."+bound, do)
	}
	text := "As the node reports, " + w.coin.Of(free).String() + " lies free in the balance manager"
	if len(from) > 0 {
		text += ", and orders earned " + strings.Join(from, ", ")
	}
	s.Check(plan.Pass(plan.SourceWallet, managed.Prefix+"_manager_balance", "Balance manager", text+": "+w.out.String()+" in all."+bound))
	if after, ok := plan.Holds(w.coin, free, sum-uint64(free), sum); ok {
		s.Outlook.Holder = []plan.HolderBalance{after}
	}
	return nil
}

func stopped(reason plan.Reason, message, do string) error {
	return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceWallet, managed.Prefix+"_manager_balance", "Balance manager", message, do)}
}

// of returns an amount of one coin among those of a pool. DEEP of a pool that does not
// trade it is what fees gave back.
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
	s.Promise = plan.Promise{Outcomes: []plan.Outcome{{Name: "moved", Bounds: promise(withdraw, w.out, w.holder.ID)}}}
	s.Target = plan.Target{Package: w.holder.Package, Function: managed.Module + "::" + withdraw, RouteID: w.holder.ID, Shared: w.holder.Initial,
		TypeArgs: []sui.TypeTag{w.coin.CoinType.Tag()}}
	for _, p := range w.pools {
		s.Target.Also = append(s.Target.Also, plan.SharedObject{ID: p.pool.ID, Initial: p.shared})
	}
	s.Terms = allTerms(w.holder.ID, w.out, keys)
	s.Explain = managed.Refused
	s.Append = func(b *plan.Builder) error {
		for _, p := range w.pools {
			if err := managed.AppendTrade(b, p.pkg, collect, p.pool, p.shared, w.holder); err != nil {
				return err
			}
		}
		return AppendWithdraw(b, w.holder, w.out)
	}
	s.Guarantee = "Exactly " + w.out.String() + " arrives in your own account, or the transaction fails and only gas is spent."
	s.Locks = []string{"What orders earn, or give back, after this was read stays in your balance manager: it can be taken out later."}
}

func (w *sweep) keys() (list []string) {
	for _, p := range w.pools {
		list = append(list, p.pool.Key)
	}
	return list
}

// allTerms says what comes out of which manager, and what is collected before.
func allTerms(manager sui.ObjectID, out plan.Amount, keys []string) []plan.Term {
	terms := managed.Moved(manager, false, out)
	if len(keys) > 0 {
		terms = append(terms, plan.Term{Name: termCollected, Value: "What orders earned in " + strings.Join(keys, ", ")})
	}
	return terms
}

// Read implements plan.Adapter: any number of distinct markets that pay what they owe
// into the manager, then a withdrawal from it.
func (*Everything) Read(r *readback.Reader) (plan.StepFacts, error) {
	var keys, commands []string
	var trades []managed.Trade
	for managed.Trades(r, collect) {
		t, err := managed.ReadTrade(r, collect, 0)
		if err != nil {
			return plan.StepFacts{}, err
		}
		if slices.Contains(keys, t.Pool.Key) {
			return plan.StepFacts{}, readback.Unlike("It collects from one market twice.")
		}
		trades, keys = append(trades, t), append(keys, t.Pool.Key)
		commands = append(commands, "Prove that you own the balance manager.", "Collect into it what its orders earned in "+t.Pool.Key+".")
		r.Again() // the manager is used again
	}
	f, err := readWithdraw(r)
	if err != nil {
		return plan.StepFacts{}, err
	}
	if plan.MadeAs(f.Holder.ID) > 0 {
		return plan.StepFacts{}, readback.Unlike("It takes everything out of a balance manager that an earlier step makes.")
	}
	for _, t := range trades {
		//mutant:never ./internal/protocol/deepbook/managed TestWithdrawAll/of two managers
		if t.Manager != f.RouteID || t.Call.Package != f.Package {
			return plan.StepFacts{}, readback.Unlike("It collects into another manager than the one that it takes from.")
		}
	}
	f.Terms = allTerms(f.RouteID, f.Promise.Amount(plan.RoleOutput), keys)
	f.Commands = append(commands, f.Commands...)
	return f, nil
}

// FromEvents implements plan.Adapter: which manager gave how much of which coin.
func (*Everything) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	return managed.MovesFromEvents(events, account, false)
}
