package floor

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// unknown is a newer, unreviewed version.
var unknown = &Newer{Published: sui.MustAddress("0xbeef"), Pinned: 2, Version: 3}

// moved changes calls of a protocol's pinned package to calls of the newer one.
func moved(tx *sui.Transaction, p *Protocol, only ...string) *sui.Transaction {
	for i, c := range tx.Commands {
		call, ok := c.(sui.MoveCall)
		if ok && call.Package == p.Packages["main"].Published && (len(only) == 0 || slices.Contains(only, call.Function)) {
			call.Package = unknown.Published
			tx.Commands[i] = call
		}
	}
	return tx
}

// TestFollows lists the functions that may be called in a newer version: those that take only coins,
// with a minimum.
func TestFollows(t *testing.T) {
	refused := map[string]string{}
	var follow []string
	for _, p := range catalog(t).Protocols {
		for i := range p.Functions {
			f := &p.Functions[i]
			if err := f.Follows(); err != nil {
				refused[f.ID] = err.Error()
			} else {
				follow = append(follow, f.ID)
			}
		}
	}
	want := []string{"cetus.swap_b_to_a", "cetus.swap_a_to_b", "momentum.swap_x_to_y", "momentum.swap_y_to_x",
		"springsui.mint", "springsui.redeem", "suilend.supply", "suilend.redeem"}
	if !slices.Equal(follow, want) {
		t.Errorf("%q", follow)
	}
	for id, why := range map[string]string{
		"navi.supply":             "no minimum",
		"navi.withdraw":           "no minimum", // and no coin is paid
		"suilend.supply_first":    "an object",
		"suilend.supply_more":     "an object",
		"suilend.withdraw":        "no minimum",
		"staking.stake":           "no minimum",
		"staking.unstake":         "no minimum",
		"cetusaggregator.swap":    "no minimum", // never built
		"cetus.script_a_to_b":     "no minimum", // bounded by its own argument
		"staking.unstake_entry":   "no minimum",
		"cetus.script_b_to_a":     "no minimum",
		"navi.withdraw_entry":     "no minimum",
		"staking.stake_entry":     "no minimum",
		"staking.stake_coins":     "no minimum",
		"cetus.script_b_to_a_out": "no minimum",
	} {
		if !strings.Contains(refused[id], why) {
			t.Errorf("%s: %q, not %q", id, refused[id], why)
		}
	}
	// A protocol that holds claims under an address stays pinned, even with a minimum.
	c := catalog(t)
	navi, _ := c.Function("navi.supply")
	navi.Floor, navi.Steps[0].out = &Place{}, []output{{kind: formCoin}}
	if err := navi.Follows(); err == nil || !strings.Contains(err.Error(), "keeps what the account supplied") {
		t.Errorf("a claim: %v", err)
	}
}

// TestNewerIsRead: a use of a newer version is read only if the catalog contains that version. It has
// a warning.
func TestNewerIsRead(t *testing.T) {
	for _, name := range []string{"spring redeem under a floor", "momentum SUI to USDC under a floor",
		"cetus router SUI to USDC under a floor"} {
		tx := valid(t, name)
		pinned, err := catalog(t).Read(tx)
		if err != nil {
			t.Fatal(name, err)
		}
		p := pinned.Function.protocol
		moved(tx, p)
		if _, err := p.With(nil).Read(tx); reasonOf(err) != OtherPackage {
			t.Errorf("%s, of no known version: %v", name, err)
		}
		if _, err := p.With(&Newer{Published: sui.ObjectID{7}}).Read(tx); reasonOf(err) != OtherPackage {
			t.Errorf("%s, of another version: %v", name, err)
		}
		r, err := p.With(unknown).Read(tx)
		if err != nil || r.Newer == nil || !slices.Contains(r.Warnings, NewerCode) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if terms(t, r) == terms(t, pinned) {
			t.Errorf("%s: the reading does not differ from that of the pinned version", name)
		}
		if pinned, err = p.With(unknown).Read(valid(t, name)); err != nil || pinned.Newer != nil {
			t.Errorf("%s, of the pinned version: %v", name, err)
		}
	}
}

func reasonOf(err error) Reason {
	if r, ok := err.(*Refused); ok {
		return r.Reason
	}
	return ""
}

// TestNewerIsBounded rejects calls of a newer version that a minimum does not bound, whatever the
// description says.
func TestNewerIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		vector string
	}{
		"no minimum":                          {"spring redeem, no floor"},
		"an obligation's key":                 {"suilend withdraw USDC under a floor"},
		"a claim under the account's address": {"navi withdraw SUI under a floor"},
	} {
		t.Run(name, func(t *testing.T) {
			tx := valid(t, c.vector)
			pinned, err := catalog(t).Read(tx)
			if err != nil {
				t.Fatal(err)
			}
			p := pinned.Function.protocol
			if _, err := p.With(unknown).Read(moved(tx, p)); reasonOf(err) != NewVersion {
				t.Errorf("%v", err)
			}
		})
	}
	// An optional call of the description takes an object.
	tx := valid(t, "spring mint and rebalance under a floor")
	at := slices.IndexFunc(tx.Commands, func(c sui.Command) bool {
		call, ok := c.(sui.MoveCall)
		return ok && call.Function == "rebalance"
	})
	call := tx.Commands[at].(sui.MoveCall)
	tx.Inputs[call.Arguments[0].Index] = sui.OwnedInput{Ref: sui.ObjectRef{ID: sui.ObjectID{9}, Version: 1}}
	mint, _ := catalog(t).Function("springsui.mint")
	mint.Steps[1].args[0] = argument{kind: argOwn, typ: pattern{sui.SUI.Tag()}}
	if _, err := mint.protocol.With(unknown).Read(tx); err != nil {
		t.Errorf("an object in a call of the pinned version: %v", err)
	}
	if _, err := mint.protocol.With(unknown).Read(moved(tx, mint.protocol, "mint")); reasonOf(err) != NewVersion {
		t.Errorf("an object: %v", err)
	}
	// One use calls both versions.
	tx = valid(t, "momentum SUI to USDC under a floor")
	pinned, err := catalog(t).Read(tx)
	if err != nil {
		t.Fatal(err)
	}
	p := pinned.Function.protocol
	if _, err := p.With(unknown).Read(moved(tx, p, "repay_flash_swap")); reasonOf(err) != OtherPackage {
		t.Errorf("two versions: %v", err)
	}
}

// TestUnchanged compares all functions of both versions, not only the described ones.
func TestUnchanged(t *testing.T) {
	mint, _ := catalog(t).Function("springsui.mint")
	fn, _ := node("liquid_staking::mint")
	of := func(edit func(*sui.Function)) sui.Interface {
		f := fn
		edit(&f)
		return sui.Interface{Modules: []sui.ModuleInterface{{Name: "liquid_staking", Functions: []sui.Function{f}}}}
	}
	same := of(func(*sui.Function) {})
	if err := mint.Unchanged(same, same); err != nil {
		t.Error(err)
	}
	// The type of the first argument has the described name, but a different address.
	other := of(func(f *sui.Function) {
		f.Parameters = slices.Clone(f.Parameters)
		f.Parameters[0] = strings.Replace(f.Parameters[0], "0xf::", "0xe::", 1)
	})
	if err := mint.Signature(0, other.Modules[0].Functions[0]); err != nil {
		t.Fatal(err)
	}
	for name, has := range map[string]sui.Interface{"another type": other, "no function": {}} {
		if err := mint.Unchanged(same, has); err == nil {
			t.Error(name)
		}
	}
}
