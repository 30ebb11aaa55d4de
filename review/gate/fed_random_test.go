package gate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/gate"
)

// randomFed makes a bundle of two to eight steps, in which later ones take results of
// earlier ones, or shares of them.
func randomFed(r *rand.Rand, all []plan.Intent) plan.Intent {
	manager := all[10].Manager
	n := 2 + r.IntN(7)
	open := map[int]string{} // unused results with their coin
	var steps []plan.Intent
	swaps, withdrawn := 0, false
	begun := map[int]bool{} // results of which a step took a share
	for len(steps) < n {
		var free []int
		for of := range open {
			free = append(free, of)
		}
		slices.Sort(free)
		var in plan.Intent
		if len(free) > 0 && r.IntN(4) > 0 {
			of := free[r.IntN(len(free))]
			coin := open[of]
			other := map[string]string{"SUI": "USDC", "USDC": "SUI"}[coin]
			switch r.IntN(3) {
			case 0:
				in = plan.Intent{Type: "transfer", From: result(of, coin), Recipient: testkit.Friend.String()}
			case 1:
				in = plan.Intent{Type: "manager-deposit", From: result(of, coin), Manager: manager}
			default:
				in = tradedOn(of, coin, other, []string{"deep", "flowx"}[r.IntN(2)])
			}
			if in.Type == "swap" && swaps == 3 {
				continue
			}
			switch {
			case begun[of]:
				in.From.Share = []string{"1/3", "66.6%", "2/3"}[r.IntN(3)]
				delete(open, of)
			case r.IntN(4) > 0:
				in.From.Share, begun[of] = []string{"1/3", "25%"}[r.IntN(2)], true
			default:
				delete(open, of)
			}
		} else {
			if in = all[r.IntN(len(all))]; in.Recipient == thief.String() {
				continue // an address nobody has
			}
			if in.Type == "manager-withdraw" && withdrawn {
				continue // two that are alike could change places without any difference
			}
			withdrawn = withdrawn || in.Type == "manager-withdraw"
		}
		if in.Type == "swap" {
			if swaps++; swaps > 3 {
				swaps--
				continue // too many outcomes to show
			}
			if in.FeeMode != "deep" {
				open[len(steps)+1] = in.To.Symbol
			}
		}
		if in.Type == "manager-withdraw" {
			open[len(steps)+1] = in.To.Symbol
		}
		steps = append(steps, in)
	}
	return bundle(steps...)
}

// tamperings are edits of one command of a transaction: dropping it, exchanging it with its
// neighbor, redirecting one of its arguments or its result, and changing what it splits off.
func tamperings(tx *sui.Transaction, r *rand.Rand) map[string]func(*sui.Transaction) {
	edits := map[string]func(*sui.Transaction){}
	other := func(a sui.Argument) sui.Argument {
		for {
			var b sui.Argument
			switch r.IntN(3) {
			case 0:
				b = sui.InputArg(r.IntN(len(tx.Inputs) + 1)) // one past the last: an input that there is not
			case 1:
				b = sui.NestedArg(r.IntN(len(tx.Commands)), r.IntN(3))
			default:
				b = sui.GasCoin
			}
			if b != a {
				return b
			}
		}
	}
	for i := range tx.Commands {
		edits[fmt.Sprint("drop ", i)] = func(t *sui.Transaction) { t.Commands = slices.Delete(t.Commands, i, i+1) }
		edits[fmt.Sprint("twice ", i)] = func(t *sui.Transaction) { t.Commands = slices.Insert(t.Commands, i, t.Commands[i]) }
		if i > 0 {
			edits[fmt.Sprint("exchange ", i)] = func(t *sui.Transaction) {
				t.Commands[i-1], t.Commands[i] = t.Commands[i],
					t.Commands[i-1]
			}
		}
		switch c := tx.Commands[i].(type) {
		case sui.MoveCall:
			for n, a := range c.Arguments {
				to := other(a)
				edits[fmt.Sprint("redirect argument ", n, " of ", i)] = func(t *sui.Transaction) {
					c := t.Commands[i].(sui.MoveCall)
					c.Arguments[n] = to
					t.Commands[i] = c
				}
			}
		case sui.TransferObjects:
			for n, a := range c.Objects {
				to := other(a)
				edits[fmt.Sprint("send another object ", n, " of ",
					i)] = func(t *sui.Transaction) { t.Commands[i].(sui.TransferObjects).Objects[n] = to }
			}
			edits[fmt.Sprint("send to a thief ", i)] = func(t *sui.Transaction) {
				c := t.Commands[i].(sui.TransferObjects)
				t.Inputs = append(t.Inputs, sui.PureAddress(thief))
				c.Recipient = sui.InputArg(len(t.Inputs) - 1)
				t.Commands[i] = c
			}
		case sui.SplitCoins:
			edits[fmt.Sprint("split from another coin ", i)] = func(t *sui.Transaction) {
				c := t.Commands[i].(sui.SplitCoins)
				c.Coin = other(c.Coin)
				t.Commands[i] = c
			}
			for n, a := range c.Amounts {
				edits[fmt.Sprint("change share ", n, " of ", i)] = func(t *sui.Transaction) {
					t.Inputs[a.Index] = sui.PureU64(split(t, c, n) - 1)
				}
			}
			if len(c.Amounts) > 1 && split(tx, c, 0) != split(tx, c, 1) {
				edits[fmt.Sprint("exchange shares of ",
					i)] = func(t *sui.Transaction) { slices.Reverse(t.Commands[i].(sui.SplitCoins).Amounts) }
			}
		}
	}
	edits["a stolen result"] = func(t *sui.Transaction) {
		t.Inputs = append(t.Inputs, sui.PureAddress(thief))
		t.Commands = append(t.Commands, sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(r.IntN(len(tx.Commands)),
			0)},
			Recipient: sui.InputArg(len(t.Inputs) - 1)})
	}
	return edits
}

// split returns the amount that a command splits off.
func split(tx *sui.Transaction, c sui.SplitCoins, n int) uint64 {
	amount, _ := tx.Inputs[c.Amounts[n].Index].(sui.PureInput).U64()
	return amount
}

// TestRandomFedSteps builds random bundles with steps that feed each other, and edits the bytes of
// each in every known way. A check must name every edit.
func TestRandomFedSteps(t *testing.T) {
	long.Skip(t, "it edits random bundles in every way")
	const products, each = 3, 20
	for product := range products {
		t.Run(fmt.Sprint("product ", product), func(t *testing.T) {
			t.Parallel()
			h, all := stepped(t)
			ready, edited, shared := 0, 0, 0
			for round := range each {
				r := rand.New(rand.NewPCG(uint64(product), uint64(round)))
				in := randomFed(r, all)
				s := h.Open(in)
				judged, stop := gate.Judge(t.Context(), h.Gates(), s)
				if stop != nil {
					if stop.Check.ID == "" || stop.Check.Do == "" {
						t.Errorf("round %d: %+v", round, stop)
					}
					continue
				}
				ready++
				if slices.ContainsFunc(in.Steps, func(s plan.Intent) bool { return s.From.Share != "" }) {
					shared++
				}
				if stop := judged.Alone(t.Context(), judged.Bytes()); stop != nil {
					t.Fatalf("round %d: its own bytes: %v", round, stop)
				}
				tx, err := sui.DecodeTransaction(judged.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				for name, edit := range tamperings(tx, r) {
					other, _ := sui.DecodeTransaction(judged.Bytes())
					edit(other)
					raw, err := other.Encode()
					if err != nil || string(raw) == string(judged.Bytes()) {
						continue // it cannot be encoded, or nothing changed
					}
					edited++
					if judged.Alone(t.Context(), raw) != nil {
						continue
					}
					// Bytes do not contain the coin type of an owned object; a simulation shows it.
					state := gate.Tampered(t.Context(), h.Gates(), s, func([]byte) []byte { return raw })
					if len(state.Checks) == 0 || state.Checks[0].Status != plan.CheckFail {
						t.Errorf("round %d: nothing names %q\nof %+v", round, name, in)
					}
				}
			}
			if ready < each/2 || edited < 20*ready || shared < ready/4 {
				t.Errorf("%d ready, %d edits, %d with shares", ready, edited, shared)
			}
		})
	}
}
