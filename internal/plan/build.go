package plan

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// CoinRequest requests an amount of one of the account's coins, as a single coin for the step. Role
// is RoleInput or RoleFee. Otherwise is the advice for a user whose balance is too low; "" selects
// the platform's text.
type CoinRequest struct {
	Role      Role
	Amount    Amount
	Otherwise string
}

// Selection is the platform's choice of coins for all requests of one coin type. With Gas, Coins
// are merged into the gas coin and amounts are split from it; otherwise Coins[0] takes that role.
// Withdraw is the remainder, which is taken from the address balance and merged like a coin.
type Selection struct {
	Coin     sui.CoinType
	Gas      bool
	Coins    []sui.ObjectRef
	Withdraw sui.Raw
}

// empty reports whether nothing was chosen.
func (s Selection) empty() bool { return !s.Gas && len(s.Coins) == 0 && s.Withdraw == 0 }

// Builder builds one programmable transaction from the calls of several steps.
type Builder struct {
	Account    sui.Address
	Gasless    bool // built in the form for gas-free payments
	Plain      bool // built in the form that hardware wallets display
	kind       sui.Kind
	selections []Selection
	sources    map[sui.CoinType]sui.Argument // the coins that amounts are split from, once merged
	rest       map[sui.CoinType]sui.Raw      // what is left of coins made only from a withdrawal

	step    int                  // number of the step being built
	parts   []Amount             // fixed parts of its result that go to later steps
	passes  bool                 // its result, or what the parts leave, goes to a later step
	takes   Party                // the result that it takes
	results map[Party]ResultCoin // results taken by steps

	made   []sui.Argument // objects that steps created
	shares []sui.Command  // commands that share the created objects, after the last step
}

// NewBuilder returns a Builder of an empty transaction of account.
func NewBuilder(account sui.Address, selections ...Selection) *Builder {
	return &Builder{Account: account, selections: selections, sources: map[sui.CoinType]sui.Argument{},
		rest:    map[sui.CoinType]sui.Raw{},
		results: map[Party]ResultCoin{}}
}

// Kind returns the transaction built so far, followed by the commands that share the objects it
// created.
func (b *Builder) Kind() sui.Kind {
	return sui.Kind{Inputs: b.kind.Inputs, Commands: slices.Concat(b.kind.Commands, b.shares)}
}

// Make keeps a created object for later steps, and the command that shares it at the end.
func (b *Builder) Make(object sui.Argument, share sui.Command) {
	b.made, b.shares = append(b.made, object), append(b.shares, share)
}

// Made returns the nth object that the steps so far created, counted from 1.
func (b *Builder) Made(n int) (sui.Argument, error) {
	if n < 1 || n > len(b.made) {
		return sui.Argument{}, fault.New(fault.InternalError, "No step made the object that a step uses.")
	}
	return b.made[n-1], nil
}

// Input adds an input. The chain requires that a shared object is only one input, however often it
// is used; that input is mutable if any use is.
func (b *Builder) Input(in sui.Input) sui.Argument {
	if shared, ok := in.(sui.SharedInput); ok {
		for i, old := range b.kind.Inputs {
			if before, ok := old.(sui.SharedInput); ok && before.ID == shared.ID {
				before.Mutable = before.Mutable || shared.Mutable
				b.kind.Inputs[i] = before
				return sui.InputArg(i)
			}
		}
	}
	b.kind.Inputs = append(b.kind.Inputs, in)
	return sui.InputArg(len(b.kind.Inputs) - 1)
}

// Add appends a command and returns its result.
func (b *Builder) Add(c sui.Command) sui.Argument {
	b.kind.Commands = append(b.kind.Commands, c)
	return sui.ResultArg(len(b.kind.Commands) - 1)
}

// Next returns the index of the command that Add will append.
func (b *Builder) Next() int { return len(b.kind.Commands) }

// Begin begins a step. feeds lists what later steps take from its result, and takes is what it
// takes from an earlier one.
func (b *Builder) Begin(feeds []Fed, takes Fed) {
	b.step++
	b.parts, b.passes, b.takes = nil, passesOn(feeds), takes.Party()
	for _, f := range feeds {
		if f.Part > 0 {
			b.parts = append(b.parts, f.Least)
		}
	}
}

// Pass keeps a step's result for later steps, after splitting off their parts. It returns false if
// no step takes the rest; the adapter then sends it to the account.
func (b *Builder) Pass(coin sui.CoinType, value sui.Argument) bool {
	if len(b.parts) > 0 {
		var amounts []sui.Argument
		for _, a := range b.parts {
			amounts = append(amounts, b.Input(sui.PureU64(uint64(a.Raw))))
		}
		at := b.Next()
		b.Add(sui.SplitCoins{Coin: value, Amounts: amounts})
		for i := range b.parts {
			b.results[ResultParty(b.step, i+1)] = ResultCoin{coin, sui.NestedArg(at, i)}
		}
	}
	if b.passes {
		b.results[ResultParty(b.step, 0)] = ResultCoin{coin, value}
	}
	return b.passes
}

// Passes reports whether the step's result, or what the parts leave of it, goes to a later step.
func (b *Builder) Passes() bool { return b.passes }

// Fund appends commands that make the amount from its selected coins, and returns the coin. If the
// step takes a result, Fund returns that.
func (b *Builder) Fund(a Amount) (sui.Argument, error) {
	if got, taken := b.results[b.takes]; taken && got.Coin == a.CoinType {
		delete(b.results, b.takes)
		return got.Value, nil
	}
	source, begun := b.sources[a.CoinType]
	if !begun {
		i := slices.IndexFunc(b.selections, func(s Selection) bool { return s.Coin == a.CoinType })
		if i < 0 || b.selections[i].empty() {
			return source, fault.New(fault.InternalError, "No coin was chosen for %s.", a)
		}
		source = b.merge(b.selections[i])
		b.sources[a.CoinType] = source
		if s := b.selections[i]; !s.Gas && len(s.Coins) == 0 {
			b.rest[a.CoinType] = s.Withdraw
		}
	}
	// A coin made in this transaction must not be left over, even if empty, so the last amount
	// takes all of it.
	if rest, made := b.rest[a.CoinType]; made {
		if b.rest[a.CoinType] = rest - a.Raw; rest == a.Raw {
			return source, nil
		}
	}
	amount := b.Input(sui.PureU64(uint64(a.Raw)))
	at := b.Next()
	b.Add(sui.SplitCoins{Coin: source, Amounts: []sui.Argument{amount}})
	return sui.NestedArg(at, 0), nil
}

// Withdrawn reports whether an amount comes only from the address balance.
func (b *Builder) Withdrawn(a Amount) bool {
	return slices.ContainsFunc(b.selections, func(s Selection) bool {
		return s.Coin == a.CoinType && !s.Gas && len(s.Coins) == 0 && s.Withdraw == a.Raw
	})
}

// Rest returns the coin from which amounts of a coin type were split, or the zero Argument if none
// was.
func (b *Builder) Rest(of sui.CoinType) sui.Argument { return b.sources[of] }

// Redeem takes an amount out of the address balance and returns it as a balance, not as an object.
func (b *Builder) Redeem(a Amount) sui.Argument {
	coin := a.CoinType.Tag()
	in := b.Input(sui.WithdrawalInput{MaxAmount: a.Raw, Coin: coin, From: sui.WithdrawSender})
	return b.Add(sui.MoveCall{Package: readback.Framework, Module: readback.BalanceModule,
		Function: readback.RedeemFunction,
		TypeArgs: []sui.TypeTag{coin}, Arguments: []sui.Argument{in}})
}

// redeem turns a withdrawal into a coin.
func (b *Builder) redeem(s Selection) sui.Argument {
	coin := s.Coin.Tag()
	in := b.Input(sui.WithdrawalInput{MaxAmount: s.Withdraw, Coin: coin, From: sui.WithdrawSender})
	return b.Add(sui.MoveCall{Package: readback.Framework, Module: readback.RedeemModule,
		Function: readback.RedeemFunction,
		TypeArgs: []sui.TypeTag{coin}, Arguments: []sui.Argument{in}})
}

// Edit replaces the transaction with one that no adapter would build, so that tests can show that
// the gates detect it.
func (b *Builder) Edit(change func(*sui.Kind)) {
	b.kind, b.shares = b.Kind(), nil
	change(&b.kind)
}

// merge combines the coins of a selection into one and returns it.
func (b *Builder) merge(s Selection) sui.Argument {
	var sources []sui.Argument
	if s.Withdraw > 0 {
		sources = append(sources, b.redeem(s))
	}
	into, rest := sui.GasCoin, s.Coins
	switch {
	case s.Gas:
	case len(s.Coins) == 0:
		return sources[0]
	default:
		into, rest = b.Input(sui.OwnedInput{Ref: s.Coins[0]}), s.Coins[1:]
	}
	for _, c := range rest {
		sources = append(sources, b.Input(sui.OwnedInput{Ref: c}))
	}
	if len(sources) > 0 {
		b.Add(sui.MergeCoins{Into: into, Sources: sources})
	}
	return into
}

// Ahead is the start of a transaction that is only simulated: all steps before a given one. A quote
// simulated after it reflects their effects on a market.
type Ahead struct {
	Transaction sui.Transaction
	Paid        sui.Argument // coin with exactly the amount that the step pays, if requested
}

// Before returns the steps before this one, with a coin of the amount that it pays if that is above
// zero. It returns nil if they do not affect a quote.
func (s *Step) Before(ctx context.Context, pays Amount) (*Ahead, error) {
	if s.Earlier == nil {
		return nil, nil
	}
	return s.Earlier(ctx, pays)
}

// Funded is like Before. Without earlier steps, it returns a transaction that makes a coin of the
// amount, or nil if nodes can simulate the coin, as for SUI.
func (s *Step) Funded(ctx context.Context, pays Amount) (*Ahead, error) {
	a, err := s.Before(ctx, pays)
	if a != nil || err != nil || pays.Raw == 0 || pays.CoinType == sui.SUI || s.Funding == nil {
		return a, err
	}
	return s.Funding(ctx, pays)
}

// Ahead completes what was built so far: it makes a coin of the amount if that is above zero, and
// sends every unused coin to the account.
func (b *Builder) Ahead(pays Amount) (k sui.Kind, paid sui.Argument, err error) {
	var left []sui.Argument
	if pays.Raw > 0 {
		got, fed := b.results[b.takes]
		if paid, err = b.Fund(pays); err != nil {
			return k, paid, err
		}
		if fed && got.Coin == pays.CoinType {
			at := b.Next()
			b.Add(sui.SplitCoins{Coin: paid, Amounts: []sui.Argument{b.Input(sui.PureU64(uint64(pays.Raw)))}})
			left, paid = append(left, got.Value), sui.NestedArg(at, 0)
		}
	}
	for step := 1; step <= b.step; step++ {
		for part := range b.step + mostOfBundle {
			if r, open := b.results[ResultParty(step, part)]; open {
				left = append(left, r.Value)
			}
		}
	}
	if len(left) > 0 {
		to := b.Input(sui.PureAddress(b.Account))
		b.Add(sui.TransferObjects{Objects: left, Recipient: to})
	}
	return b.Kind(), paid, nil
}
