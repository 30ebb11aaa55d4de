package versions_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// chain is a node on which some packages have newer versions.
type chain struct {
	list  map[sui.ObjectID][]sui.PackageVersion
	fails map[sui.ObjectID]error
}

func (c chain) Versions(_ context.Context, id sui.ObjectID) ([]sui.PackageVersion, error) {
	if list, ok := c.list[id]; ok {
		return list, nil
	}
	return []sui.PackageVersion{{Published: id, Version: 3}}, c.fails[id]
}

// Functions returns a package without functions, so that every called function has changed.
func (c chain) Functions(_ context.Context, id sui.ObjectID) (sui.Interface, error) {
	return sui.Interface{Package: id}, c.fails[id]
}

func TestFind(t *testing.T) {
	newest := sui.MustAddress("0xbeef")
	pin := func(name string) versions.Pin {
		for _, p := range versions.Pins() {
			if p.Name == name {
				return p
			}
		}
		t.Fatalf("%s has no pin", name)
		return versions.Pin{}
	}
	after := func(p versions.Pin) []sui.PackageVersion {
		return []sui.PackageVersion{{Published: sui.MustAddress("0xa"), Version: 1}, {Published: p.Published, Version: 2},
			{Published: newest, Version: 4}}
	}
	deepbook, suilend := pin("DeepBook"), pin("Suilend")
	c := chain{list: map[sui.ObjectID][]sui.PackageVersion{deepbook.Published: after(deepbook),
		suilend.Published: after(suilend)}}
	found, err := versions.Find(t.Context(), c, versions.Pins())
	want := []versions.Newer{{Name: "DeepBook", Pinned: 2, Version: 4, Published: newest},
		{Name: "Suilend", Pinned: 2, Version: 4, Published: newest, Changed: true, Follows: true}}
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("%+v, %v", found, err)
	}
	if text := found[1].Notice(); !strings.Contains(text,
		"Suilend has a newer version on the chain: 4. This program knows 2. A function that this program calls has "+
			"changed") ||
		strings.Contains(found[0].Notice(), "has changed") {
		t.Errorf("%q, %q", text, found[0].Notice())
	}
	found[1].Changed = false
	if text := found[1].Notice(); !strings.Contains(text, "a second node confirms the version") {
		t.Errorf("%q", text)
	}
	for name, edit := range map[string]func(chain){
		"not among its versions": func(c chain) { c.list[deepbook.Published] = after(suilend) },
		"a silent node":          func(c chain) { c.fails[newest] = errors.New("silent") },
	} {
		c := chain{list: map[sui.ObjectID][]sui.PackageVersion{deepbook.Published: after(deepbook)},
			fails: map[sui.ObjectID]error{}}
		edit(c)
		if found, err := versions.Find(t.Context(), c, versions.Pins()); err == nil || len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
	c.list[suilend.Published] = nil
	if _, err := versions.Find(t.Context(), c, []versions.Pin{suilend}); !fault.Is(err, fault.ProviderMismatch) {
		t.Errorf("none at all: %v", err)
	}
	names := map[string]bool{}
	for _, p := range versions.Pins() {
		names[p.Name] = true
	}
	for _, name := range []string{"DeepBook", "FlowX", "Cetus", "Cetus aggregator", "Momentum", "NAVI", "SpringSui",
		"Suilend"} {
		if !names[name] {
			t.Errorf("%s is not compared", name)
		}
	}
	if names["Sui staking"] {
		t.Error("the chain's own package has no version of its own")
	}
}
