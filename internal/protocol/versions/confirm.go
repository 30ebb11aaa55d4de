package versions

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Confirm returns the newest version of a function's package, if it is newer than the pinned one and
// may be called: a minimum limits what it can take, the functions are unchanged, and both nodes report
// the same version. Otherwise n is nil, and why explains why the newer version may not be called. why
// is "" if there is no newer version. second may be nil.
func Confirm(ctx context.Context, first, second Node, f *floor.Function) (n *floor.Newer, why string, err error) {
	pinned := f.Protocol().Packages[floor.Main]
	n, why, err = newest(ctx, first, pinned, f)
	if err != nil || n == nil || why != "" {
		return nil, why, err
	}
	//mutant:never ./internal/protocol/versions TestConfirm
	if second == nil {
		return nil, "no second node is set that could confirm it", nil
	}
	other, why, err := newest(ctx, second, pinned, f)
	switch {
	case err != nil:
		return nil, "the second node does not confirm it", nil
	//mutant:never ./internal/protocol/versions TestConfirm
	case why != "" || other == nil || *other != *n:
		return nil, "the second node reports something else", nil
	}
	return n, "", nil
}

// newest returns the newest version according to one node, or nil if the pinned one is the newest. why
// explains why the newer version may not be called.
func newest(ctx context.Context, node Node, pinned floor.Package, f *floor.Function) (*floor.Newer, string, error) {
	p := Pin{Name: f.Protocol().Name, Published: pinned.Published}
	found, newer, err := p.newest(ctx, node)
	if err != nil || !newer {
		return nil, "", err
	}
	n := &floor.Newer{Published: found.Published, Pinned: found.Pinned, Version: found.Version}
	if err := f.Follows(); err != nil {
		return n, err.Error(), nil
	}
	known, err := node.Functions(ctx, pinned.Published)
	if err != nil {
		return nil, "", err
	}
	has, err := node.Functions(ctx, n.Published)
	if err != nil {
		return nil, "", err
	}
	//mutant:never ./internal/protocol/versions TestConfirm
	if !lineage(pinned, known, has) || has.Version != n.Version {
		return n, "it is not a version of the pinned package", nil
	}
	//mutant:never ./internal/protocol/versions TestConfirm
	if err := f.Unchanged(known, has); err != nil {
		return n, "a function that is called has changed in it", nil
	}
	return n, "", nil
}

// lineage reports whether two packages are versions of the pinned package.
func lineage(pinned floor.Package, known, has sui.Interface) bool {
	return !pinned.Original.IsZero() && known.Original == pinned.Original && has.Original == pinned.Original
}
