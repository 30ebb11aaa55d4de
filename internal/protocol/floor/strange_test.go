package floor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/floorcheck"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// strange inserts framework calls between the commands of a transaction, and replaces arguments.
type strange struct{ liar }

// helpers are framework functions, those that reviews allow first.
var helpers = []string{"coin::split", "coin::into_balance", "coin::from_balance", "balance::destroy_zero",
	"option::none", "coin::zero", "coin::join", "balance::split", "balance::join", "coin::destroy_zero", "coin::value"}

// change makes one to three random changes.
func (s strange) change(tx *sui.Transaction) {
	for range 1 + s.IntN(3) {
		switch at := s.IntN(len(tx.Commands) + 1); s.IntN(4) {
		case 0, 1:
			s.insert(tx, at)
		case 2:
			s.redirect(tx, min(at, len(tx.Commands)-1))
		case 3:
			if len(tx.Inputs) > 0 { // another number
				i := s.IntN(len(tx.Inputs))
				if in, ok := tx.Inputs[i].(sui.PureInput); ok && len(in.Bytes) == 8 {
					tx.Inputs[i] = sui.PureU64(pick(s.liar, []uint64{0, 1, 5, 1e9, 1e12}))
				}
			}
		}
	}
}

// insert adds a framework call as command at, and adjusts references to all later results.
func (s strange) insert(tx *sui.Transaction, at int) {
	module, name := splitName(pick(s.liar, helpers))
	call := sui.MoveCall{Package: suiFramework, Module: module, Function: name,
		TypeArgs: []sui.TypeTag{s.coin(tx)}}
	if module == "option" || s.IntN(20) == 0 {
		call.Package = moveStdlib
	}
	for range map[string]int{"coin::split": 2, "balance::split": 2, "coin::join": 2, "balance::join": 2,
		"option::none": 0, "coin::zero": 0}[module+"::"+name] + s.one(module+"::"+name) {
		call.Arguments = append(call.Arguments, s.argument(tx, at))
	}
	shift := func(a sui.Argument) sui.Argument {
		if (a.Kind == sui.ArgResult || a.Kind == sui.ArgNestedResult) && int(a.Index) >= at {
			a.Index++
		}
		return a
	}
	for i := at; i < len(tx.Commands); i++ {
		tx.Commands[i] = arguments(tx.Commands[i], func(_ int, a sui.Argument) sui.Argument { return shift(a) })
	}
	tx.Commands = slices.Insert(tx.Commands, at, sui.Command(call))
	// The new command's result replaces a later argument, so that it is used.
	if at+1 < len(tx.Commands) && s.IntN(4) > 0 {
		later := at + 1 + s.IntN(len(tx.Commands)-at-1)
		tx.Commands[later] = s.replaced(tx.Commands[later], sui.ResultArg(at))
	}
}

// one returns the number of arguments of functions that take one coin.
func (s strange) one(fn string) int {
	if slices.Contains([]string{"coin::into_balance", "coin::from_balance", "balance::destroy_zero", "coin::destroy_zero",
		"coin::value"}, fn) {
		return 1
	}
	return 0
}

// redirect replaces an argument of a command.
func (s strange) redirect(tx *sui.Transaction, at int) {
	tx.Commands[at] = s.replaced(tx.Commands[at], s.argument(tx, at))
}

// replaced replaces one argument of a command.
func (s strange) replaced(c sui.Command, by sui.Argument) sui.Command {
	n := 0
	arguments(c, func(int, sui.Argument) sui.Argument { n++; return by })
	if n == 0 {
		return c
	}
	place := s.IntN(n)
	return arguments(c, func(i int, a sui.Argument) sui.Argument {
		if i == place {
			return by
		}
		return a
	})
}

// argument returns any earlier result, the gas coin, or an input.
func (s strange) argument(tx *sui.Transaction, before int) sui.Argument {
	switch n := s.IntN(6); {
	case n == 0 && s.IntN(3) == 0:
		return sui.GasCoin
	case n < 4 && before > 0:
		if at := s.IntN(before); s.IntN(2) == 0 {
			return sui.ResultArg(at)
		} else {
			return sui.NestedArg(at, s.IntN(3))
		}
	}
	return sui.InputArg(s.IntN(len(tx.Inputs)))
}

// coin returns the type of a coin that the transaction uses.
func (s strange) coin(tx *sui.Transaction) sui.TypeTag {
	list := []sui.TypeTag{sui.SUI.Tag()}
	for _, c := range tx.Commands {
		if call, ok := c.(sui.MoveCall); ok {
			list = append(list, call.TypeArgs...)
		}
	}
	return pick(s.liar, list)
}

// arguments returns a command whose arguments were replaced by a function.
func arguments(c sui.Command, to func(int, sui.Argument) sui.Argument) sui.Command {
	each := func(list []sui.Argument, from int) (out []sui.Argument) {
		for i, a := range list {
			out = append(out, to(from+i, a))
		}
		return out
	}
	switch c := c.(type) {
	case sui.MoveCall:
		c.Arguments = each(c.Arguments, 0)
		return c
	case sui.SplitCoins:
		c.Coin, c.Amounts = to(0, c.Coin), each(c.Amounts, 1)
		return c
	case sui.MergeCoins:
		c.Into, c.Sources = to(0, c.Into), each(c.Sources, 1)
		return c
	case sui.TransferObjects:
		c.Objects = each(c.Objects, 0)
		return c
	}
	return c
}

// TestStrangeTransactions changes transactions instead of descriptions: framework calls between the
// commands, other arguments, other numbers. Readings that still succeed are compared with what the
// transaction actually does.
func TestStrangeTransactions(t *testing.T) {
	long.Skip(t, "30,000 transactions")
	all, c := loadVectors(t), catalog(t)
	packages := map[string]bool{}
	for _, p := range c.Protocols {
		for _, known := range p.Packages {
			packages[known.Published.String()] = true
		}
	}
	cases := slices.Concat(all.Valid, all.Hostile)
	s := strange{liar{rand.New(rand.NewPCG(42, 17))}}
	helped, read, refused := map[string]int{}, 0, map[Reason]int{}
	for range 3 * lies {
		v := pick(s.liar, cases)
		tx := v.decode(t)
		s.change(tx)
		raw, err := tx.Encode()
		if err != nil {
			continue
		}
		r, err := c.Read(tx)
		if err != nil {
			refused[reasonOf(err)]++
			continue
		}
		read++
		truth, err := floorcheck.Of(raw, packages)
		if err != nil {
			t.Fatal(v.Name, err)
		}
		if wrong := compare(r, truth); wrong != "" {
			t.Fatalf("%s: %s\n%+v\n%q", v.Name, wrong, tx.Commands, r.Sentences(Name))
		}
		for _, command := range tx.Commands {
			if call, ok := command.(sui.MoveCall); ok && framework(call) {
				helped[call.Module+"::"+call.Function]++
			}
		}
	}
	t.Logf("%d are read, with %v; refused: %v", read, helped, refused)
	if read < 1000 {
		t.Errorf("only %d are read: the changes are too random", read)
	}
	for _, fn := range []string{"coin::join", "balance::split", "balance::join", "coin::destroy_zero", "coin::value"} {
		if helped[fn] > 0 {
			t.Errorf("%s is read", fn)
		}
	}
}
