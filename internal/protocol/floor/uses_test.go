package floor

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// joined returns a transaction that consists of the commands of a, then those of b.
func joined(a, b *sui.Transaction) *sui.Transaction {
	inputs, commands := len(a.Inputs), len(a.Commands)
	at := map[int]int{} // indexes of b's inputs
	for i, in := range b.Inputs {
		n := slices.IndexFunc(a.Inputs[:inputs], func(o sui.Input) bool {
			was, ok := o.(sui.SharedInput)
			is, same := in.(sui.SharedInput)
			return ok && same && was.ID == is.ID
		})
		if n < 0 {
			n, a.Inputs = len(a.Inputs), append(a.Inputs, in)
		}
		at[i] = n
	}
	for _, c := range b.Commands {
		c = arguments(c, func(_ int, arg sui.Argument) sui.Argument {
			switch arg.Kind {
			case sui.ArgInput:
				arg.Index = uint16(at[int(arg.Index)])
			case sui.ArgResult, sui.ArgNestedResult:
				arg.Index += uint16(commands)
			}
			return arg
		})
		if send, ok := c.(sui.TransferObjects); ok {
			send.Recipient.Index = uint16(at[int(send.Recipient.Index)])
			c = send
		}
		a.Commands = append(a.Commands, c)
	}
	return a
}

// TestSeveralUses describes transactions with several uses if no use takes the result of another.
func TestSeveralUses(t *testing.T) {
	for _, c := range []struct {
		first, second string
		say           []string
	}{
		{"stake the least", "spring mint under a floor", []string{"Sui staking: Stake 1 SUI with the validator 0x7a7a",
			"SpringSui: Turn 10 SUI into staked SUI for at least 9.4 sSUI."}},
		{"withdraw a stake under a floor", "navi withdraw SUI under a floor",
			[]string{"and receive at least 25.31 SUI.", "NAVI: Withdraw up to 2 SUI"}},
		{"cetus router SUI to USDC under a floor", "suilend redeem held ctokens under a floor",
			[]string{"Cetus: Swap up to 10 SUI for at least", "Suilend: Redeem"}},
	} {
		d := Describe(joined(valid(t, c.first), valid(t, c.second)))
		text := strings.Join(d.Summary, "\n")
		for _, want := range c.say {
			if !strings.Contains(text, want) {
				t.Errorf("%s, %s: %q is not in\n%s\n%q", c.first, c.second, want, text, d.Warnings)
			}
		}
	}
	// The second use takes the result of the first.
	tx := joined(valid(t, "spring redeem under a floor"), valid(t, "stake the least"))
	send := slices.IndexFunc(tx.Commands, func(c sui.Command) bool { _, ok := c.(sui.TransferObjects); return ok })
	split := tx.Commands[send+1].(sui.SplitCoins)
	split.Coin = tx.Commands[send-1].(sui.MergeCoins).Into
	stake := arguments(tx.Commands[send+2], func(i int, a sui.Argument) sui.Argument {
		if i == 1 {
			return sui.NestedArg(send, 0)
		}
		return a
	})
	tx.Commands = append(tx.Commands[:send:send], split, stake, tx.Commands[send])
	if d := Describe(tx); len(d.Summary) > 0 {
		t.Errorf("connected uses: %q", d.Summary)
	}
	// A protocol's objects in calls of an unknown package.
	tx = valid(t, "navi supply USDC")
	p, _ := catalog(t).Function("navi.supply")
	d := Describe(moved(tx, p.protocol))
	if text := strings.Join(d.Warnings, " "); len(d.Summary) > 0 || !strings.Contains(text,
		"This is not a use of NAVI that Say Ur Intent understands. It calls incentive_v3::entry_deposit of the package 0x") {
		t.Errorf("%q, %q", d.Summary, d.Warnings)
	}
}

// TestPartOfWholeCoins: the description states an amount that is split off whole coins.
func TestPartOfWholeCoins(t *testing.T) {
	tx := valid(t, "stake several coins, all of them")
	for i, in := range tx.Inputs {
		if pure, ok := in.(sui.PureInput); ok && len(pure.Bytes) == 1 {
			tx.Inputs[i] = sui.PureInput{Bytes: append([]byte{1}, sui.PureU64(7e9).Bytes...)}
		}
	}
	d := Describe(tx)
	if len(d.Summary) == 0 || !strings.HasPrefix(d.Summary[0], "Sui staking: Stake 7 SUI out of 2 whole coins of SUI "+
		"with") {
		t.Errorf("%q", d.Summary)
	}
}
