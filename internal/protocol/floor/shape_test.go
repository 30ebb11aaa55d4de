package floor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// shape describes a transaction independently of the order of its inputs and of commands that may be in
// any position: each command with its arguments written out, sorted.
func shape(tx *sui.Transaction, without func(sui.MoveCall) bool) (list []string) {
	var command func(int) string
	argument := func(a sui.Argument) string {
		switch a.Kind {
		case sui.ArgGasCoin:
			return "a coin"
		case sui.ArgInput:
			if _, own := tx.Inputs[a.Index].(sui.OwnedInput); own {
				return "a coin"
			}
			return fmt.Sprintf("%v", tx.Inputs[a.Index])
		}
		return fmt.Sprintf("%s.%d", command(int(a.Index)), key(a).Nested)
	}
	written := func(args []sui.Argument) string {
		var texts []string
		for _, a := range args {
			texts = append(texts, argument(a))
		}
		return strings.Join(texts, ", ")
	}
	command = func(i int) string {
		switch c := tx.Commands[i].(type) {
		case sui.SplitCoins:
			return "split(" + argument(c.Coin) + ": " + written(c.Amounts) + ")"
		case sui.MergeCoins:
			return "merge(" + argument(c.Into) + ": " + written(c.Sources) + ")"
		case sui.TransferObjects:
			slices.SortFunc(c.Objects, func(a, b sui.Argument) int { return strings.Compare(argument(a), argument(b)) })
			return "send(" + written(c.Objects) + " to " + argument(c.Recipient) + ")"
		case sui.MoveCall:
			var types []string
			for _, t := range c.TypeArgs {
				types = append(types, t.String())
			}
			return fmt.Sprintf("%s::%s::%s<%s>(%s)", c.Package.Short(), c.Module, c.Function, strings.Join(types, ","),
				written(c.Arguments))
		}
		return "?"
	}
	var sends []string
	for i, c := range tx.Commands {
		if call, ok := c.(sui.MoveCall); ok && without(call) {
			continue
		}
		if send, ok := c.(sui.TransferObjects); ok { // one transfer of several objects equals several transfers
			for _, o := range send.Objects {
				sends = append(sends, "send "+argument(o)+" to "+argument(send.Recipient))
			}
			continue
		}
		list = append(list, command(i))
	}
	list = append(list, sends...)
	slices.Sort(list)
	return list
}

// TestBuiltAsOfficial compares the built transactions with the vectors that the protocols' SDKs built.
func TestBuiltAsOfficial(t *testing.T) {
	all, c := loadVectors(t), catalog(t)
	built := map[string]int{}
	for _, v := range all.Valid {
		tx := v.decode(t)
		r, err := c.Read(tx)
		if err != nil || r.Function.Action == "" && r.Function.ID != "staking.unstake" || r.Bound != nil ||
			v.Form == "plain" && r.Function.Floor != nil {
			continue
		}
		own := map[sui.ObjectID]sui.ObjectRef{}
		for _, in := range tx.Inputs {
			if o, ok := in.(sui.OwnedInput); ok {
				own[o.Ref.ID] = o.Ref
			}
		}
		again, err := rebuild(r, own)
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		left := func(call sui.MoveCall) bool {
			for _, s := range r.Function.Steps {
				if s.Optional && len(s.only) == 0 && s.Fn == call.Module+"::"+call.Function {
					return true
				}
			}
			return false
		}
		if diff := cmp.Diff(shape(tx, left), shape(again, left)); diff != "" {
			t.Errorf("%s: %s", v.Name, diff)
		}
		built[r.Function.ID]++
	}
	for _, f := range []string{"springsui.mint", "springsui.redeem", "suilend.redeem", "navi.supply", "navi.withdraw",
		"cetus.swap_a_to_b", "cetus.swap_b_to_a", "momentum.swap_x_to_y", "staking.unstake"} {
		if built[f] == 0 {
			t.Errorf("%s is not built", f)
		}
	}
}
