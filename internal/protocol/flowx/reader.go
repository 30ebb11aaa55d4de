// Package flowx reads FlowX's CLMM pools by simulating swaps that are never signed. It reports what
// each fee tier of a pair would pay for an amount, according to one node's state of the chain.
//
// It queries no router, trades nothing, and caches no prices. Its results describe the pools at the
// time of the read and promise nothing.
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

// Chain is the part of a node that the reader uses. Transport failures are fault.ProviderUnavailable.
// A simulation that aborts is a result, not an error.
type Chain interface {
	Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error)
	Coins(ctx context.Context, owner sui.Address, coin sui.CoinType, most int) ([]sui.Coin, error)
	Balance(ctx context.Context, owner sui.Address, coin sui.CoinType) (sui.Balance, error)
}

// mostCoins is the maximum number of an account's coins that are merged for one simulation.
const mostCoins = 32

// Reader quotes swaps in the pools of the pinned registry. It is safe for concurrent use.
type Reader struct {
	chain Chain
	now   func() time.Time
}

// New returns a Reader. now is this machine's clock.
func New(chain Chain, now func() time.Time) *Reader { return &Reader{chain, now} }

// Tier is the result of simulating a swap in one pool.
type Tier struct {
	Pool    registry.Pool
	Out     sui.Raw
	Swap    *Swapped      // from the pool's event in the same simulation, or nil
	Partial bool          // the pool would not take the whole input
	Refused string        // why the pool pays nothing; empty if Out is valid
	Abort   sui.MoveAbort // set if Refused explains a Move abort
	At      time.Time     // when this machine received the result
}

// Usable reports whether the pool takes the whole input and pays something for it.
func (t Tier) Usable() bool { return t.Refused == "" && !t.Partial && t.Out > 0 }

// TooLittle is the "reason" detail of a fault. It means that the account holds less of the coin than a
// simulation needs.
const TooLittle = "account_holds_too_little"

// Tiers simulates the swap in every pinned pool of a pair, with one simulation per pool, and returns
// the results in the registry's order. Simulations spend real coins, so the account must hold the
// amount unless the coin is SUI. If it does not, Tiers returns fault.QuoteUnavailable with the reason
// TooLittle in the details. If after is set, each swap runs after that transaction and pays with the
// coin that the transaction produced.
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

// funds holds what a simulation pays with: coins, and an amount withdrawn from the address balance.
type funds struct {
	coins    []sui.ObjectRef
	withdraw sui.Raw
	after    *After
}

// After is a transaction that runs before a simulated swap, in the same simulation. Paid is the coin
// in that transaction that the swap pays with.
type After struct {
	Transaction sui.Transaction
	Paid        sui.Argument
}

// question builds the transaction to simulate: the earlier commands, a swap of the coin that they
// produced, and a transfer of the output to the account.
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

// funds returns what to pay with in a simulation. For SUI it returns nothing, because the node adds a
// gas coin.
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
		// The list of coins may be incomplete, so compare it with the balance first.
		b, err := r.chain.Balance(ctx, account, from.Type)
		if err != nil {
			return funds{}, err
		}
		if !b.Fits(coins, mostCoins) {
			return funds{}, fault.New(fault.ProviderUnavailable,
				"The Sui node lists coins of %s that do not add up to the balance that it reports. Try again in a moment.",
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

// question builds the transaction to simulate. It takes the amount, swaps it without a minimum or
// deadline, and transfers the output to the account.
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
	paid := sui.ResultArg(0) // without any coin, the withdrawal is the whole payment
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
	// The pool returns the part of the input that it does not take as a new coin.
	t.Partial = slices.ContainsFunc(sim.Objects, func(o sui.ObjectChange) bool {
		return o.Change == "created" && o.Type == from.Type.Object()
	})
	events := sim.Events
	if given.after != nil {
		// The earlier commands may create coins of that type too, so use the amount in the event.
		if events, t.Partial, err = lastSwap(events, account, amount); err != nil {
			return Tier{}, err
		}
	}
	t.Swap, err = swapOf(events, account, t, from, amount)
	return t, err
}

// lastSwap returns the event of the last swap, and whether that swap took less than the amount. If no
// swap is reported, it returns no event and true, because the amount taken is unknown.
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

// swapOf reads the event of a simulated swap. It returns nil if the node reports no event. It returns
// fault.ProviderMismatch if the event contradicts the returned coin or has an impossible price.
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

// betterThanBefore reports whether a swap paid out more than the price before it implies. No real pool
// does that.
func (s Swapped) betterThanBefore(in, out sui.Raw) bool {
	given, due := new(big.Int).SetUint64(uint64(out)), new(big.Int).SetUint64(uint64(in))
	square := new(big.Int).Mul(s.Before, s.Before)
	if s.SellsX {
		return given.Lsh(given, 128).Cmp(due.Mul(due, square)) > 0
	}
	return given.Mul(given, square).Cmp(due.Lsh(due, 128)) > 0
}

// leastRoot and mostRoot are FlowX's limits on the square root of a price.
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

// Price returns the pool's price before the swap, in whole Y per whole X.
func (s Swapped) Price() *big.Rat {
	ten := func(n uint8) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
	square := new(big.Int).Mul(s.Before, s.Before)
	price := new(big.Rat).SetFrac(square, new(big.Int).Lsh(big.NewInt(1), 128))
	return price.Mul(price, new(big.Rat).SetFrac(ten(s.Pool.X.Decimals), ten(s.Pool.Y.Decimals)))
}

// MovedBy reports whether the swap moved the pool's price by at most most basis points.
func (s Swapped) MovedBy(most int64) bool {
	before, after := new(big.Int).Mul(s.Before, s.Before), new(big.Int).Mul(s.After, s.After)
	moved := after.Sub(after, before)
	return moved.Abs(moved).Mul(moved, big.NewInt(10_000)).Cmp(before.Mul(before, big.NewInt(most))) <= 0
}

// Meaning describes an abort in part of a sentence. For an unknown code, or an abort outside FlowX, it
// returns a text with the module and the code.
func Meaning(a sui.MoveAbort) string {
	if words := known(a); words != "" {
		return words
	}
	return fmt.Sprintf("the contract refused for a reason that this program does not know (%s, code %d)", named(a.Module),
		a.Code)
}

// Known reports whether an abort has a specific description.
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
		{"versioned", 999, "FlowX was upgraded, and the package that this program knows no longer works"},
		{"versioned", 1001, "FlowX paused all swaps"},
	}
}

// named returns a reported module's name for display. A text that is not a plausible name is replaced.
func named(module string) string {
	if !sui.ValidIdentifier(module) || len(module) > 64 {
		return "an unnamed module"
	}
	return "module " + module
}
