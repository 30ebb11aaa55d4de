package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/fault"
	deepbook "github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// chain is the part of a node client that pools and DeepBook's packages need.
type chain interface {
	Contents(ctx context.Context, id sui.ObjectID) (sui.Object, error)
	Package(ctx context.Context, id sui.ObjectID) (original sui.ObjectID, version uint64, err error)
	Metadata(ctx context.Context, coin sui.CoinType) (sui.Metadata, error)
}

// differs returns the error for a pin that differs from the chain.
func differs(format string, args ...any) error {
	return fault.New(fault.ProviderMismatch, format, args...)
}

// verify confirms every pin, and returns the pools on chain.
func verify(ctx context.Context, c chain, tell teller) ([]registry.Pool, error) {
	if err := registry.Check(); err != nil {
		return nil, err
	}
	if err := deepbookPackages(ctx, c, tell); err != nil {
		return nil, err
	}
	if err := packages(ctx, c, tell); err != nil {
		return nil, err
	}
	if err := sharedObjects(ctx, c, tell); err != nil {
		return nil, err
	}
	for _, coin := range registry.Coins() {
		reported, err := c.Metadata(ctx, coin.Type)
		if err != nil {
			return nil, err
		}
		if reported.Decimals != coin.Decimals {
			return nil, differs("The coin %s has %d decimals on this chain, %d are pinned.", coin.Symbol, reported.Decimals,
				coin.Decimals)
		}
	}
	return pools(ctx, c, tell)
}

// protocolNode is the part of a node client that described protocols need.
type protocolNode interface {
	floor.Packages
	floor.Objects
}

// protocols confirms the packages and signatures of every described protocol.
func protocols(ctx context.Context, node protocolNode, tell teller) error {
	var wrong []error
	for _, p := range floor.Known().Protocols {
		if err := p.Confirm(ctx, node); err != nil {
			wrong = append(wrong, err)
			continue
		}
		fmt.Fprintf(tell, "protocol %s, %d functions\n", p.Slug, len(p.Functions))
		confirmed, unconfirmed, err := p.ConfirmObjects(ctx, node)
		wrong = append(wrong, err)
		fmt.Fprintf(tell, "protocol %s, %d objects\n", p.Slug, confirmed)
		for _, label := range unconfirmed {
			fmt.Fprintf(tell, "not confirmed: the values of %s\n", label)
		}
	}
	return errors.Join(wrong...)
}

// newer lists the pinned packages that have a newer version.
func newer(ctx context.Context, node versions.Node, tell teller) error {
	found, err := versions.Find(ctx, node, versions.Pins())
	for _, n := range found {
		fmt.Fprintf(tell, "%s has version %d, %s; pinned is %d, changed: %t\n", n.Name, n.Version, n.Published, n.Pinned,
			n.Changed)
	}
	return err
}

// deepbookPackages confirms all of DeepBook's packages.
func deepbookPackages(ctx context.Context, c chain, tell teller) error {
	for _, p := range deepbook.Packages() {
		original, version, err := c.Package(ctx, p.ID)
		if err != nil {
			return err
		}
		if original != deepbook.OriginalPackage || version != p.Number {
			return differs("The package %s is version %d of %s, pinned is version %d of %s.",
				p.ID, version, original, p.Number, deepbook.OriginalPackage)
		}
	}
	fmt.Fprintf(tell, "DeepBook, %d packages\n", len(deepbook.Packages()))
	return nil
}

func packages(ctx context.Context, c chain, tell teller) error {
	original, version, err := c.Package(ctx, registry.Package)
	if err != nil {
		return err
	}
	if original != registry.OriginalPackage || version != registry.PackageVersion {
		return differs("The package %s is version %d of %s, pinned is version %d of %s.",
			registry.Package, version, original, registry.PackageVersion, registry.OriginalPackage)
	}
	if _, _, err := c.Package(ctx, registry.WrappedRouter); err != nil {
		return err
	}
	fmt.Fprintf(tell, "package %s, version %d\n", registry.Package, version)
	return nil
}

func sharedObjects(ctx context.Context, c chain, tell teller) error {
	for _, want := range []struct {
		id      sui.ObjectID
		version uint64
		kind    string
	}{
		{registry.Object, registry.ObjectVersion, "::pool_manager::PoolRegistry"},
		{registry.Versioned, registry.VersionedVersion, "::versioned::Versioned"},
	} {
		o, err := c.Contents(ctx, want.id)
		if err != nil {
			return err
		}
		if o.Type != registry.OriginalPackage.String()+want.kind || o.Owner.Kind != sui.OwnerShared ||
			o.Owner.InitialVersion != want.version {
			return differs("The object %s is not the %s that was shared at version %d.", want.id, want.kind[2:], want.version)
		}
		fmt.Fprintf(tell, "object %s, %s\n", want.id, want.kind[2:])
	}
	return nil
}

// pools looks for a pool for every pair and fee. A pinned pool that is missing or different is an
// error.
func pools(ctx context.Context, c chain, tell teller) ([]registry.Pool, error) {
	var found []registry.Pool
	for _, pair := range pairs() {
		for _, fee := range slices.Sorted(maps.Keys(registry.Fees())) {
			p := registry.Pool{X: pair.X, Y: pair.Y, Fee: fee, TickSpacing: registry.Fees()[fee]}
			pinned, known := registry.PoolAt(p.X.Type, p.Y.Type, fee)
			there, err := lookUp(ctx, c, &p)
			switch {
			case err != nil:
				return nil, err
			case known && (!there || p != pinned):
				return nil, differs("The pool %s is pinned as %s, the chain has %s.", p.Key(), pinned.ID, p.ID)
			case !there:
				continue
			case !known:
				fmt.Fprintf(tell, "pool %s is new: %s\n", p.Key(), p.ID)
			default:
				fmt.Fprintf(tell, "pool %s, %s\n", p.Key(), p.ID)
			}
			found = append(found, p)
		}
	}
	return found, nil
}

// pairs lists each pinned pair once, as one of its pools.
func pairs() []registry.Pool {
	var list []registry.Pool
	for _, p := range registry.Pools() {
		if !slices.ContainsFunc(list, func(q registry.Pool) bool { return q.X == p.X && q.Y == p.Y }) {
			list = append(list, p)
		}
	}
	return list
}

// lookUp finds the registry's dynamic field for a pair and fee, and the pool that the field names. It
// sets ID and Field, and returns false if there is no such field.
func lookUp(ctx context.Context, c chain, p *registry.Pool) (bool, error) {
	var err error
	if p.Field, err = sui.DynamicFieldID(registry.Object, registry.KeyType(), p.KeyBytes()); err != nil {
		return false, err
	}
	field, err := c.Contents(ctx, p.Field)
	if fault.As(err).Detail.Get("code") == "NotFound" && err != nil {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	key := p.KeyBytes()
	if field.Owner != (sui.Owner{Kind: sui.OwnerObject, Address: registry.Object}) || len(field.Contents) != 32+len(key)+
		32 ||
		!bytes.Equal(field.Contents[32:32+len(key)], key) {
		return false, differs("The field %s of the registry does not lead to a pool of %s.", p.Field, p.Key())
	}
	p.ID = sui.ObjectID(field.Contents[32+len(key):])
	pool, err := c.Contents(ctx, p.ID)
	if err != nil {
		return false, err
	}
	if pool.Type != p.Type() || pool.Owner != (sui.Owner{Kind: sui.OwnerObject, Address: p.Field}) {
		return false, differs("The object %s is not the pool %s, or belongs to something else.", p.ID, p.Key())
	}
	return true, inside(pool.Contents, *p)
}

// inside compares the beginning of a pool's contents with the pin: id, coin types, price, tick, three
// counters of its oracle, tick spacing, maximum liquidity of a tick, protocol fee and fee.
func inside(contents []byte, p registry.Pool) error {
	head := slices.Clone(p.ID[:])
	for _, t := range []sui.CoinType{p.X.Type, p.Y.Type} {
		name := registry.TypeName(t)
		head = append(binary.AppendUvarint(head, uint64(len(name))), name...)
	}
	const price, tick, counters, spacing, liquidity, fee = 16, 4, 3 * 8, 4, 16, 8
	at := len(head) + price + tick + counters
	rate := at + spacing + liquidity + fee
	if len(contents) < rate+fee || !bytes.HasPrefix(contents, head) {
		return differs("The value of the pool %s begins otherwise than a pool of these coins.", p.Key())
	}
	if n := binary.LittleEndian.Uint32(contents[at:]); n != p.TickSpacing {
		return differs("The pool %s has tick spacing %d, %d is pinned.", p.Key(), n, p.TickSpacing)
	}
	if n := binary.LittleEndian.Uint64(contents[rate:]); n != p.Fee {
		return differs("The pool %s takes a fee of %d, its key says %d.", p.Key(), n, p.Fee)
	}
	return nil
}

// render returns the source code of the pool rows.
func render(pools []registry.Pool) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`// Code generated by internal/pins from a node's answers. DO NOT EDIT.

package registry

// poolRows has one row per pool: X, Y, fee, tick spacing, object, and the dynamic
// field of Object that owns it. A pair is listed with all of its fee tiers or not
// at all, so pairs for which only some pools are known are omitted.
var poolRows = []poolRow{
`)
	for _, p := range pools {
		fmt.Fprintf(&b, "{%s, %s, %d, %d, %s,\n%s},\n", strconv.Quote(p.X.Symbol), strconv.Quote(p.Y.Symbol), p.Fee,
			p.TickSpacing,
			strconv.Quote(p.ID.String()), strconv.Quote(p.Field.String()))
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}
