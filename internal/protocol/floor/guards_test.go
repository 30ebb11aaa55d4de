package floor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// valid returns a copy of the named vector, which a test may change.
func valid(t *testing.T, name string) *sui.Transaction {
	t.Helper()
	for _, v := range loadVectors(t).Valid {
		if v.Name == name {
			return v.decode(t)
		}
	}
	t.Fatalf("there is no vector %q", name)
	return nil
}

func refusedFor(t *testing.T, tx *sui.Transaction, want Reason) {
	t.Helper()
	_, err := catalog(t).Read(tx)
	var refused *Refused
	if !errors.As(err, &refused) || refused.Reason != want {
		t.Errorf("%v, not refused for %s", err, want)
	}
}

// TestPlainVectors: a use without a floor has a warning, whatever the protocol promises.
func TestPlainVectors(t *testing.T) {
	for _, v := range loadVectors(t).Valid {
		if v.Form != "plain" || strings.HasPrefix(v.Name, "stake") {
			continue
		}
		r, err := catalog(t).Read(v.decode(t))
		if err != nil || !slices.Contains(r.Warnings, NoMinimum) {
			t.Errorf("%s: %v, warnings %v", v.Name, err, r.Warnings)
		} else if text := r.Headline(nil); !strings.Contains(text, "no minimum") || strings.Contains(text, "at least") {
			t.Errorf("%s: %s", v.Name, text)
		}
	}
}

func TestAmountsAreNumbers(t *testing.T) {
	tx := valid(t, "momentum SUI to USDC, no floor")
	split := tx.Commands[0].(sui.SplitCoins)
	split.Amounts = []sui.Argument{sui.NestedArg(4, 0)}
	tx.Commands[0] = split
	refusedFor(t, tx, ResultAmount)

	tx = valid(t, "spring redeem under a floor")
	floor := tx.Commands[2].(sui.SplitCoins)
	floor.Amounts = []sui.Argument{sui.NestedArg(0, 0)}
	tx.Commands[2] = floor
	refusedFor(t, tx, ResultAmount)

	tx = valid(t, "momentum SUI to USDC, no floor")
	call := tx.Commands[1].(sui.MoveCall)
	call.Arguments = slices.Clone(call.Arguments)
	call.Arguments[3] = sui.NestedArg(0, 0)
	tx.Commands[1] = call
	refusedFor(t, tx, ResultAmount)
}

// TestLegsAreMarkets: a leg must not be another function of the router itself.
func TestLegsAreMarkets(t *testing.T) {
	tx := valid(t, "aggregator under a floor")
	router, leg := tx.Commands[1].(sui.MoveCall), tx.Commands[2].(sui.MoveCall)
	leg.Package = router.Package
	tx.Commands[2] = leg
	refusedFor(t, tx, OtherCall)
}

// TestWholeCoins: only the chain's own staking takes whole coins.
func TestWholeCoins(t *testing.T) {
	tx := valid(t, "stake several coins, all of them")
	r, err := catalog(t).Read(tx)
	if err != nil || !slices.Contains(r.Warnings, WholeCoins) {
		t.Fatal(err, r)
	}
	c := catalog(t)
	f, _ := c.Function("staking.stake_coins")
	other := sui.MustAddress("0x77")
	f.protocol.Packages["main"] = Package{Published: other}
	call := tx.Commands[1].(sui.MoveCall)
	call.Package = other
	tx.Commands[1] = call
	_, err = c.Read(tx)
	var refused *Refused
	if !errors.As(err, &refused) || refused.Reason != WholeCoin {
		t.Error(err)
	}
}

// TestResultsStayCoins: a coin that a call returned must not be split by a Move call or turned into a
// balance.
func TestResultsStayCoins(t *testing.T) {
	usdc := sui.MustTypeTag("0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC")
	change := func(fn string, args ...sui.Argument) *sui.Transaction {
		tx := valid(t, "cetus router SUI to USDC, no floor")
		tx.Commands = slices.Insert(tx.Commands, 4, sui.Command(sui.MoveCall{Package: suiFramework, Module: "coin",
			Function: fn,
			TypeArgs: []sui.TypeTag{usdc}, Arguments: args}))
		return tx
	}
	refusedFor(t, change("into_balance", sui.NestedArg(2, 0)), MergedAway)
	tx := change("split", sui.NestedArg(2, 0), sui.InputArg(12))
	tx.Inputs = append(tx.Inputs, sui.PureU64(5))
	refusedFor(t, tx, ResultAmount)
}

func TestParse(t *testing.T) {
	data, err := files.ReadFile("protocols/springsui.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(data); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"say": "Redeem {in}"`, `"say": "Redeem {in} for at least a lot"`, "springsui.redeem: say"},
		{`"say": "Redeem {in}"`, `"say": "Redeem 5"`, "springsui.redeem: say"},
		{`"say": "Redeem {in}"`, `"say": "Redeem {in}", "trust": true`, "trust"},
		{`"mut:$info", "coin:$lst"`, `"mut:$nothing", "coin:$lst"`,
			"springsui.redeem: step 0: unknown shared object $nothing"},
		{`"out": ["coin:$sui"]`, `"out": ["money:$sui"]`, "does not name a result"},
		{`"mut:$info", "coin:$lst"`, `"rest"`, "only a call of an unread package has a rest"},
		{`["fee_settable", "upgradeable"]`, `["harmless"]`, `unknown risk "harmless"`},
		{`"springsui.redeem"`, `"cetus.redeem"`, "does not begin with springsui."},
		{`"springsui.redeem"`, `"springsui.mint"`, "springsui.mint is there twice"},
		{`"floor": {"step": 0, "out": 0}`, `"floor": {"step": 0, "out": 1}`, "floor names a result that cannot be a coin"},
		{`"fn": "liquid_staking::redeem"`, `"package": "other", "fn": "liquid_staking::redeem"`, "cannot name a function"},
		{`"in": ["$lst"]`, `"in": ["{other}::a::B"]`, "unknown package {other}"},
	} {
		bad := strings.Replace(string(data), c.old, c.new, 1)
		if bad == string(data) {
			t.Errorf("%q is not in the file", c.old)
		}
		if _, err := Parse([]byte(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, not %q", c.new, err, c.want)
		}
	}
}

// The minimum number of described functions, and the maximum number of lines of each.
const (
	leastFunctions = 20
	mostLines      = 40
)

func TestFunctionsAreShort(t *testing.T) {
	entries, err := files.ReadDir("protocols")
	if err != nil {
		t.Fatal(err)
	}
	functions := 0
	for _, p := range catalog(t).Protocols {
		functions += len(p.Functions)
	}
	if functions < leastFunctions {
		t.Errorf("%d functions are described", functions)
	}
	for _, e := range entries {
		data, _ := files.ReadFile("protocols/" + e.Name())
		begun := 0
		for i, line := range strings.Split(string(data), "\n") {
			switch {
			case strings.HasPrefix(line, "    {"):
				begun = i
			case strings.HasPrefix(line, "    }") && i-begun >= mostLines:
				t.Errorf("%s:%d: a function has %d lines", e.Name(), begun+1, i-begun+1)
			}
		}
	}
}
