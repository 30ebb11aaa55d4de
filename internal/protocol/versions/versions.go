// Package versions finds versions of pinned packages that this program does not know, and confirms
// those that a review may call.
package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	deepbook "github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Node reads packages. rpc.Client implements it.
type Node interface {
	floor.Packages
	// Versions lists all versions of a package in ascending order. id is any of them.
	Versions(ctx context.Context, id sui.ObjectID) ([]sui.PackageVersion, error)
}

// Pin is a package that transactions of this program call.
type Pin struct {
	Name      string // name of the protocol
	Published sui.ObjectID
	changed   func(sui.Interface) error // compares the called functions with those of a newer version
	follows   bool                      // whether a newer version of some function may be called
}

// Pins lists the pinned packages. The chain's own packages are omitted, because their ids never change.
func Pins() []Pin {
	same := func(sui.Interface) error { return nil }
	list := []Pin{{"DeepBook", deepbook.Packages()[0].ID, same, false}, {"FlowX", flowx.Package, same, false}}
	for _, p := range floor.Known().Protocols {
		follows := slices.ContainsFunc(p.Functions, func(f floor.Function) bool { return f.Follows() == nil })
		for name, known := range p.Packages {
			if len(known.Published.Short()) > shortest {
				list = append(list, Pin{p.Name, known.Published, func(i sui.Interface) error { return p.Compare(name, i) },
					follows && name == floor.Main})
			}
		}
	}
	return list
}

// shortest is the length of a short package id as text, such as 0x3, which only the chain's own
// packages have.
const shortest = 3

// Newer is a version that is newer than a pinned one.
type Newer struct {
	Name            string
	Pinned, Version uint64
	Published       sui.ObjectID
	Changed         bool // a function that this program calls has another signature
	Follows         bool // reviews may call it if Confirm allows it
}

// Notice returns a sentence that describes the newer version.
func (n Newer) Notice() string {
	text := fmt.Sprintf("%s has a newer version on the chain: %d. This program knows %d. ", n.Name, n.Version, n.Pinned)
	switch {
	case n.Changed:
		text += "A function that this program calls has changed, so reviews keep using the known version."
	case n.Follows:
		text += "Reviews use the known version while it works. After that they use the newer one, if the transaction " +
			"itself " +
			"sets the minimum that you receive and a second node confirms the version; the review then says so."
	default:
		text += "Reviews keep using the known version."
	}
	return text + " If they fail, install a newer version of this program."
}

// Find lists the newer versions, in the order of the pins. If some pins could not be compared, it
// returns both an error that names them and the versions found for the others.
func Find(ctx context.Context, node Node, pins []Pin) (list []Newer, err error) {
	var failed []error
	for _, p := range pins {
		n, newer, err := p.newer(ctx, node)
		switch {
		case err != nil:
			failed = append(failed, fmt.Errorf("%s: %w", p.Name, err))
		case newer:
			list = append(list, n)
		}
	}
	return list, errors.Join(failed...)
}

// newest returns the newest version of a package, and whether it is newer than the pinned one.
func (p Pin) newest(ctx context.Context, node Node) (n Newer, newer bool, err error) {
	all, err := node.Versions(ctx, p.Published)
	if err != nil {
		return n, false, err
	}
	n.Name, n.Follows = p.Name, p.follows
	for _, v := range all {
		if v.Published == p.Published {
			n.Pinned = v.Version
		}
		n.Published, n.Version = v.Published, max(n.Version, v.Version)
	}
	//mutant:never ./internal/protocol/versions TestFind
	if n.Pinned == 0 {
		return n, false, fault.New(fault.ProviderMismatch, "the pinned package %s is not among its own versions", p.Published)
	}
	//mutant:never ./internal/protocol/versions TestFind
	if n.Version == n.Pinned {
		return n, false, nil
	}
	return n, true, nil
}

func (p Pin) newer(ctx context.Context, node Node) (n Newer, newer bool, err error) {
	if n, newer, err = p.newest(ctx, node); err != nil || !newer {
		return n, false, err
	}
	has, err := node.Functions(ctx, n.Published)
	if err != nil {
		return n, false, err
	}
	n.Changed = p.changed(has) != nil
	return n, true, nil
}
