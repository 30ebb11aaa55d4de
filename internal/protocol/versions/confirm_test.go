package versions_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// lineage is a node that has a package in two versions.
type lineage struct {
	list  []sui.PackageVersion
	code  map[sui.ObjectID]sui.Interface
	fails error
}

func (l *lineage) Versions(context.Context, sui.ObjectID) ([]sui.PackageVersion, error) {
	return l.list, l.fails
}

func (l *lineage) Functions(_ context.Context, id sui.ObjectID) (sui.Interface, error) {
	return l.code[id], l.fails
}

var next = sui.MustAddress("0xbeef")

// upgraded returns a node on which SpringSui has one newer version, in which nothing changed.
func upgraded(f *floor.Function) *lineage {
	p := f.Protocol().Packages[floor.Main]
	mint := func() []sui.ModuleInterface {
		info := "&mut " + p.Original.String() + "::liquid_staking::LiquidStakingInfo<$0>"
		return []sui.ModuleInterface{{Name: "liquid_staking", Functions: []sui.Function{{Name: "mint", Public: true,
			TypeParams: 1, Parameters: []string{info, "&mut 0x3::sui_system::SuiSystemState", "0x2::coin::Coin<0x2::sui::SUI>",
				"&mut 0x2::tx_context::TxContext"}, Returns: []string{"0x2::coin::Coin<$0>"}}}}}
	}
	return &lineage{list: []sui.PackageVersion{{Published: p.Published, Version: 2}, {Published: next, Version: 3}},
		code: map[sui.ObjectID]sui.Interface{
			p.Published: {Package: p.Published, Original: p.Original, Version: 2, Modules: mint()},
			next:        {Package: next, Original: p.Original, Version: 3, Modules: mint()}}}
}

func edited(l *lineage, edit func(*sui.Interface)) {
	has := l.code[next]
	edit(&has)
	l.code[next] = has
}

// TestConfirm: a newer version may be called if two nodes report it identically, with the same lineage
// and unchanged functions. Everything else is refused with its reason.
func TestConfirm(t *testing.T) {
	mint, _ := floor.Known().Function("springsui.mint")
	mints := func(i *sui.Interface) *sui.Function { return &i.Modules[0].Functions[0] }
	for name, c := range map[string]struct {
		edit func(first, second *lineage)
		why  string
		no   bool // no version is newer
	}{
		"equal": {edit: func(_, _ *lineage) {}},
		"none":  {edit: func(a, _ *lineage) { a.list = a.list[:1] }, no: true},
		"another signature": {edit: func(a, b *lineage) {
			for _, l := range []*lineage{a, b} {
				edited(l, func(i *sui.Interface) { mints(i).Parameters = mints(i).Parameters[1:] })
			}
		}, why: "has changed"},
		"another type of the same name": {edit: func(a, b *lineage) {
			for _, l := range []*lineage{a, b} {
				edited(l, func(i *sui.Interface) {
					p := slices.Clone(mints(i).Parameters)
					p[0] = "&mut " + next.String() + "::liquid_staking::LiquidStakingInfo<$0>"
					mints(i).Parameters = p
				})
			}
		}, why: "has changed"},
		"a function that is gone": {edit: func(a, b *lineage) {
			edited(a, func(i *sui.Interface) { i.Modules = nil })
		}, why: "has changed"},
		"another lineage": {edit: func(a, _ *lineage) {
			edited(a, func(i *sui.Interface) { i.Original = sui.ObjectID{7} })
		}, why: "not a version of the pinned package"},
		"another number": {edit: func(a, _ *lineage) {
			edited(a, func(i *sui.Interface) { i.Version = 9 })
		}, why: "not a version of the pinned package"},
		"a second node that knows none": {edit: func(_, b *lineage) { b.list = b.list[:1] },
			why: "second node reports something else"},
		"a second node that knows another": {edit: func(_, b *lineage) {
			b.list[1].Published, b.code[sui.ObjectID{7}] = sui.ObjectID{7}, b.code[next]
		}, why: "second node reports something else"},
		"a second node that has other code": {edit: func(_, b *lineage) {
			edited(b, func(i *sui.Interface) { mints(i).Returns = []string{"u64"} })
		}, why: "second node reports something else"},
		"a second node that is silent": {edit: func(_, b *lineage) { b.fails = errors.New("silent") },
			why: "second node does not confirm it"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := upgraded(mint), upgraded(mint)
			c.edit(a, b)
			n, why, err := versions.Confirm(t.Context(), a, b, mint)
			if err != nil || (n == nil) != (c.why != "" || c.no) || (why == "") != (c.why == "") ||
				!strings.Contains(why, c.why) {
				t.Errorf("%+v, %q, %v", n, why, err)
			}
			if n != nil && *n != (floor.Newer{Published: next, Pinned: 2, Version: 3}) {
				t.Errorf("%+v", n)
			}
		})
	}
	if n, why, err := versions.Confirm(t.Context(), upgraded(mint), nil, mint); n != nil ||
		!strings.Contains(why, "no second node") || err != nil {
		t.Errorf("without a second node: %+v, %q, %v", n, why, err)
	}
	silent := upgraded(mint)
	silent.fails = errors.New("silent")
	if n, _, err := versions.Confirm(t.Context(), silent, upgraded(mint), mint); n != nil || err == nil {
		t.Errorf("a silent node: %+v, %v", n, err)
	}
	// A function that takes more than coins is refused, whatever the nodes report.
	for _, id := range []string{"suilend.withdraw", "navi.withdraw", "navi.supply", "staking.unstake"} {
		f, _ := floor.Known().Function(id)
		l := upgraded(f)
		if n, why, err := versions.Confirm(t.Context(), l, l, f); n != nil || why == "" || err != nil {
			t.Errorf("%s: %+v, %q, %v", id, n, why, err)
		}
	}
}
