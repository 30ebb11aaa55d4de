// Package flowx reads FlowX's CLMM pools by simulating swaps that nobody signs:
// what each fee tier of a pair would give for an amount, on one node's state of
// the chain.
//
// It asks no router, trades nothing, and caches no prices. What it returns is an
// answer at one moment, not a promise.
package flowx

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Chain is what the reader asks of a node. Transport trouble is
// fault.ProviderUnavailable; a simulation that aborts is a value.
type Chain interface {
	Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error)
	Coins(ctx context.Context, owner sui.Address, coin sui.CoinType, most int) ([]sui.Coin, error)
	Balance(ctx context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error)
}

// mostCoins is how many coins of an account are put together for one question.
const mostCoins = 32

// Reader asks pools of the pinned registry. It is safe for concurrent use.
type Reader struct {
	chain Chain
	now   func() time.Time
}

// New makes a Reader. now is this machine's clock.
func New(chain Chain, now func() time.Time) *Reader { return &Reader{chain, now} }

// Tier is the answer of one pool.
type Tier struct {
	Pool    registry.Pool
	Out     sui.Raw
	Swap    *Swapped      // as the pool's event of the same simulation reports it; nil if there is none
	Partial bool          // the pool would not take the whole input
	Refused string        // why it gives nothing; empty when Out is its answer
	Abort   sui.MoveAbort // where Refused is a Move abort
	At      time.Time     // when this machine had the answer
}

// Usable reports whether the pool takes the whole input and gives something.
func (t Tier) Usable() bool { return t.Refused == "" && !t.Partial && t.Out > 0 }

// TooLittle is the "reason" detail of a fault that says that the account holds
// too little of the coin to ask with.
const TooLittle = "account_holds_too_little"

// Tiers asks every pinned pool of a pair what it would give for the amount, each
// in a simulation of its own, in the registry's order. A coin other than SUI has
// to be in the account: a node simulates with real coins. Where it is not, that is
// fault.QuoteUnavailable with the reason TooLittle in the details. With after, the pools
// are asked behind it, for the coin that it made.
func (r *Reader) Tiers(ctx context.Context, account sui.Address, from, to coins.Coin, amount sui.Raw,
	after *After) ([]Tier, error) {
	pools, err := registry.Between(from, to)
	if err != nil {
		return nil, err
	}
	given := funds{after: after}
	if after == nil {
		if given, err = r.funds(ctx, account, from, amount); err != nil {
			return nil, err
		}
	}
	tiers, errs := make([]Tier, len(pools)), make([]error, len(pools))
	var asking sync.WaitGroup
	for i, p := range pools {
		asking.Go(func() {
			defer fault.Recover(&errs[i])
			tiers[i], errs[i] = r.ask(ctx, account, p, from, amount, given)
		})
	}
	asking.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return tiers, nil
}

// funds are the coins to ask with, and what is taken out of the address balance besides.
type funds struct {
	coins    []sui.ObjectRef
	withdraw sui.Raw
	after    *After
}

// After is what happens before a pool is asked, in the same simulation, and the coin of
// the amount that it makes.
type After struct {
	Transaction sui.Transaction
	Paid        sui.Argument
}

// question builds the transaction that nobody signs: what happens before, the swap of
// the coin that it made, and keep what comes out.
func (a After) question(account sui.Address, p registry.Pool, from coins.Coin) *sui.Transaction {
	tx := a.Transaction
	tx.Inputs, tx.Commands = slices.Clone(tx.Inputs), slices.Clone(tx.Commands)
	input := func(in sui.Input) sui.Argument {
		if s, ok := in.(sui.SharedInput); ok {
			for i, other := range tx.Inputs {
				if before, is := other.(sui.SharedInput); is && before.ID == s.ID {
					before.Mutable = before.Mutable || s.Mutable
					tx.Inputs[i] = before
					return sui.InputArg(i)
				}
			}
		}
		tx.Inputs = append(tx.Inputs, in)
		return sui.InputArg(len(tx.Inputs) - 1)
	}
	call := Call{Pool: p, From: from, Deadline: math.MaxUint64}.MoveCall(input, a.Paid)
	tx.Commands = append(tx.Commands, call)
	out := sui.ResultArg(len(tx.Commands) - 1)
	tx.Commands = append(tx.Commands, sui.TransferObjects{Objects: []sui.Argument{out},
		Recipient: input(sui.PureAddress(account))})
	return &tx
}

// funds returns what to ask with; nothing for SUI, which the node makes up.
func (r *Reader) funds(ctx context.Context, account sui.Address, from coins.Coin, amount sui.Raw) (funds, error) {
	if from.Type == sui.SUI {
		return funds{}, nil
	}
	coins, err := r.chain.Coins(ctx, account, from.Type, mostCoins)
	if err != nil {
		return funds{}, err
	}
	var refs []sui.ObjectRef
	held := sui.Raw(0)
	for _, c := range coins {
		if held >= amount {
			break
		}
		if c.Consensus {
			continue
		}
		refs = append(refs, c.Ref)
		held += min(c.Balance, math.MaxUint64-held)
	}
	if held < amount {
		// Too little is said only where the balance says so, too.
		b, err := r.chain.Balance(ctx, account, from.Type)
		if err != nil {
			return funds{}, err
		}
		if !b.Fits(coins, mostCoins) {
			return funds{}, fault.New(fault.ProviderUnavailable,
				"The Sui node lists coins of %s that do not add up to the balance that it tells. Try again in a moment.",
				from.Symbol)
		}
		if b.Address >= amount-held {
			return funds{coins: refs, withdraw: amount - held}, nil
		}
		return funds{}, fault.New(fault.QuoteUnavailable, "The account holds %s %s, which is less than the %s to be swapped.",
			b.Total.Decimal(from.Decimals), from.Symbol, amount.Decimal(from.Decimals)).With("reason", TooLittle)
	}
	return funds{coins: refs}, nil
}

// question builds the transaction that nobody signs: take the amount, swap it
// with no minimum and no deadline, and keep what comes out.
func question(account sui.Address, p registry.Pool, from coins.Coin, amount sui.Raw, given funds) *sui.Transaction {
	if given.after != nil {
		return given.after.question(account, p, from)
	}
	k := sui.Kind{Inputs: []sui.Input{sui.PureU64(uint64(amount)), sui.PureAddress(account)}}
	into := sui.GasCoin
	var rest []sui.Argument
	if given.withdraw > 0 {
		coin := from.Type.Tag()
		k.Inputs = append(k.Inputs, sui.WithdrawalInput{MaxAmount: given.withdraw, Coin: coin, From: sui.WithdrawSender})
		k.Commands = append(k.Commands, sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin",
			Function: "redeem_funds",
			TypeArgs: []sui.TypeTag{coin}, Arguments: []sui.Argument{sui.InputArg(len(k.Inputs) - 1)}})
		rest = append(rest, sui.ResultArg(0))
	}
	for i, c := range given.coins {
		k.Inputs = append(k.Inputs, sui.OwnedInput{Ref: c})
		if at := sui.InputArg(len(k.Inputs) - 1); i == 0 {
			into = at
		} else {
			rest = append(rest, at)
		}
	}
	if len(rest) > 0 && len(given.coins) > 0 {
		k.Commands = append(k.Commands, sui.MergeCoins{Into: into, Sources: rest})
	}
	paid := sui.ResultArg(0) // if there is no coin, all that was withdrawn
	if len(given.coins) > 0 || given.withdraw == 0 {
		k.Commands = append(k.Commands, sui.SplitCoins{Coin: into, Amounts: []sui.Argument{sui.InputArg(0)}})
		paid = sui.NestedArg(len(k.Commands)-1, 0)
	}
	k.Commands = append(k.Commands, Call{Pool: p, From: from,
		Deadline: math.MaxUint64}.MoveCall(func(in sui.Input) sui.Argument {
		k.Inputs = append(k.Inputs, in)
		return sui.InputArg(len(k.Inputs) - 1)
	}, paid))
	out := sui.ResultArg(len(k.Commands) - 1)
	k.Commands = append(k.Commands, sui.TransferObjects{Objects: []sui.Argument{out}, Recipient: sui.InputArg(1)})
	return &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands, Sender: account, Gas: sui.Gas{Owner: account},
		Expiration: sui.NoExpiration{}}
}

func (r *Reader) ask(ctx context.Context, account sui.Address, p registry.Pool, from coins.Coin, amount sui.Raw,
	given funds) (Tier, error) {
	tx := question(account, p, from, amount, given)
	sim, err := r.chain.Simulate(ctx, tx, false)
	if err != nil {
		return Tier{}, err
	}
	t := Tier{Pool: p, At: sim.At}
	if t.At.IsZero() {
		t.At = r.now()
	}
	if !sim.Status.OK {
		t.Refused = "the simulation failed"
		if a := sim.Status.Abort; a != nil {
			t.Abort, t.Refused = *a, Meaning(*a)
		}
		return t, nil
	}
	swap := len(tx.Commands) - 2
	if swap >= len(sim.Returns) || len(sim.Returns[swap]) != 1 || len(sim.Returns[swap][0].BCS) != 40 {
		return Tier{}, fault.New(fault.ProviderMismatch,
			"The Sui node's simulation of the pool %s returned values of another shape than the function has.", p.Key())
	}
	t.Out = sui.Raw(binary.LittleEndian.Uint64(sim.Returns[swap][0].BCS[32:]))
	// What a pool does not take comes back as a new coin of the kind that was paid.
	t.Partial = slices.ContainsFunc(sim.Objects, func(o sui.ObjectChange) bool {
		return o.Change == "created" && o.Type == from.Type.Object()
	})
	events := sim.Events
	if given.after != nil {
		// Coins of that kind may come of what happened before; the event says what was taken.
		if events, t.Partial, err = lastSwap(events, account, amount); err != nil {
			return Tier{}, err
		}
	}
	t.Swap, err = swapOf(events, account, t, from, amount)
	return t, err
}

// lastSwap returns the event of the last swap alone, and whether that took less than the
// amount. Where none is reported, nothing is known to be taken.
func lastSwap(events []sui.Event, account sui.Address, amount sui.Raw) (last []sui.Event, partial bool, err error) {
	for _, e := range slices.Backward(events) {
		swaps, err := Swaps([]sui.Event{e}, account)
		if err != nil {
			return nil, false, err
		}
		if len(swaps) == 0 {
			continue
		}
		in := swaps[0].Y
		if swaps[0].SellsX {
			in = swaps[0].X
		}
		return []sui.Event{e}, in < amount, nil
	}
	return nil, true, nil
}

// swapOf reads the event of the one swap of a simulation, or nil if the node reports none. It must
// be of the same swap as the returned coin, at a price that a pool can have.
func swapOf(events []sui.Event, account sui.Address, t Tier, from coins.Coin, amount sui.Raw) (*Swapped, error) {
	swaps, err := Swaps(events, account)
	if err != nil || len(swaps) == 0 {
		return nil, err
	}
	s := swaps[0]
	in, out, down := s.Y, s.X, s.Before.Cmp(s.After)
	if s.SellsX {
		in, out = s.X, s.Y
	} else {
		down = -down
	}
	for _, root := range []*big.Int{s.Before, s.After} {
		//mutant:never ./internal/protocol/flowx TestEventOfTheSimulation
		if root.Cmp(leastRoot()) < 0 || root.Cmp(mostRoot()) > 0 {
			return nil, contradicted(t.Pool)
		}
	}
	//mutant:never `out != t.Out` ./internal/protocol/flowx TestEventOfTheSimulation
	if len(swaps) > 1 || s.Pool.ID != t.Pool.ID || s.SellsX != t.Pool.Sells(from) || out != t.Out ||
		in > amount || !t.Partial && in != amount || down < 0 || s.betterThanBefore(in, out) {
		return nil, contradicted(t.Pool)
	}
	return &s, nil
}

// betterThanBefore reports whether a swap brought more than the price before it, which
// no pool does.
func (s Swapped) betterThanBefore(in, out sui.Raw) bool {
	given, due := new(big.Int).SetUint64(uint64(out)), new(big.Int).SetUint64(uint64(in))
	square := new(big.Int).Mul(s.Before, s.Before)
	if s.SellsX {
		return given.Lsh(given, 128).Cmp(due.Mul(due, square)) > 0
	}
	return given.Mul(given, square).Cmp(due.Lsh(due, 128)) > 0
}

// leastRoot and mostRoot are FlowX's own bounds of a price's square root.
func leastRoot() *big.Int { return big.NewInt(4295048016) }

func mostRoot() *big.Int {
	n, _ := new(big.Int).SetString("79226673515401279992447579055", 10)
	return n
}

func contradicted(p registry.Pool) error {
	return fault.New(fault.ProviderMismatch,
		"The Sui node's simulation of the pool %s reports an event that does not fit what the swap returned. "+
			"Nothing was concluded from it.", p.Key())
}

// Price returns the pool's price before the swap: Y for one X, in whole coins of each.
func (s Swapped) Price() *big.Rat {
	ten := func(n uint8) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
	square := new(big.Int).Mul(s.Before, s.Before)
	price := new(big.Rat).SetFrac(square, new(big.Int).Lsh(big.NewInt(1), 128))
	return price.Mul(price, new(big.Rat).SetFrac(ten(s.Pool.X.Decimals), ten(s.Pool.Y.Decimals)))
}

// MovedBy reports whether the swap moved the pool's price by at most so many basis
// points.
func (s Swapped) MovedBy(most int64) bool {
	before, after := new(big.Int).Mul(s.Before, s.Before), new(big.Int).Mul(s.After, s.After)
	moved := after.Sub(after, before)
	return moved.Abs(moved).Mul(moved, big.NewInt(10_000)).Cmp(before.Mul(before, big.NewInt(most))) <= 0
}

// Meaning says in words what an abort of FlowX's package means: part of a
// sentence. An abort of another package, or a code that is not known, is named.
func Meaning(a sui.MoveAbort) string {
	if words := known(a); words != "" {
		return words
	}
	return fmt.Sprintf("the contract refused for a reason that this program does not know (%s, code %d)", named(a.Module),
		a.Code)
}

// Known reports whether the meaning of an abort is known.
func Known(a sui.MoveAbort) bool { return known(a) != "" }

func known(a sui.MoveAbort) string {
	if a.Package == registry.Package || a.Package == registry.OriginalPackage {
		for _, m := range meanings() {
			if m.module == a.Module && m.code == a.Code {
				return m.words
			}
		}
	}
	return ""
}

type meaning struct {
	module string
	code   uint64
	words  string
}

func meanings() []meaning {
	return []meaning{
		{"utils", 0, "the deadline of the swap has passed"},
		{"swap_router", 1, "the pool would give less than the guaranteed minimum"},
		{"pool_manager", 5, "the pool does not exist"},
		{"pool", 3, "the pool is locked"},
		{"pool", 4, "the pool has no liquidity left in this direction"},
		{"pool", 6, "the pool has too little liquidity"},
		{"versioned", 999, "FlowX was upgraded, and the package that this program knows works no more"},
		{"versioned", 1001, "FlowX paused all swaps"},
	}
}

// named shows a module's name that a node told, where it looks like one.
func named(module string) string {
	if !sui.ValidIdentifier(module) || len(module) > 64 {
		return "an unnamed module"
	}
	return "module " + module
}
