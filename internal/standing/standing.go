// Package standing finds permissions to spend from an account, or to act for it, without its
// wallet's approval: allowances, caps of its balance managers, trading accounts and their sessions,
// and aliases.
package standing

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Chain reads objects from a node. It is implemented by rpc.Client.
type Chain interface {
	// Owned lists at most limit objects of one type that owner owns, with contents.
	Owned(ctx context.Context, owner sui.Address, objectType string, token []byte, limit int) ([]sui.Object, []byte, error)
	// Contents reads one object with its contents. It returns NotFound if there is none.
	Contents(ctx context.Context, id sui.ObjectID) (sui.Object, error)
}

// Managers lists balance managers that an account owns. more reports whether there are others.
type Managers func(ctx context.Context, account sui.Address) (ids []sui.ObjectID, more bool, err error)

// Kind is a kind of permission.
type Kind string

// Kinds of permissions.
const (
	Allowance      Kind = "allowance"
	ManagerCap     Kind = "manager_cap"
	Alias          Kind = "alias"
	TradingAccount Kind = "deepbook_account"
	Session        Kind = "deepbook_session"
)

// Rights that a cap of a balance manager can give.
const (
	Trade    = "trade"
	Deposit  = "deposit"
	Withdraw = "withdraw"
)

// Permission is a permission in effect.
type Permission struct {
	Kind   Kind
	ID     sui.ObjectID // ID of the allowance, cap, trading account or list of aliases
	Holder sui.Address  // address that may act; zero if unknown
	Until  uint64       // end of a session, in milliseconds since 1970
	Inside bool         // Holder is an object that contains the cap

	Allowance *sui.Allowance // set for an allowance
	Initial   uint64         // version at which an allowance was shared
	EndedBy   sui.ObjectRef  // cap that ends an allowance
	Manager   sui.ObjectID   // balance manager of a cap
	Right     string         // right of a cap; "" if the cap was not found
}

// List is the result of Reader.List.
type List struct {
	Permissions []Permission
	More        bool // there are more than were read
	At          time.Time
}

// Most limits the permissions of each kind that are read. together limits concurrent reads.
const (
	Most     = 50
	together = 8
)

// Reader reads permissions from a node.
type Reader struct {
	Chain    Chain
	Managers Managers
	Now      func() time.Time
	// ManagerType is the type of a balance manager. CapTypes contains the types of its caps, by
	// right.
	ManagerType string
	CapTypes    map[string]string
	// Accounts locates trading accounts. If it is nil, they are not read.
	Accounts *AccountPackage
}

// List returns the permissions in effect for an account.
func (r Reader) List(ctx context.Context, account sui.Address) (List, error) {
	var out List
	for _, read := range []func(context.Context, sui.Address) ([]Permission, bool, error){r.allowances, r.caps, r.sessions,
		r.aliases} {
		found, more, err := read(ctx, account)
		if err != nil {
			return List{}, err
		}
		out.Permissions, out.More = append(out.Permissions, found...), out.More || more
	}
	out.At = r.Now()
	return out, nil
}

func misshapen(what string) error {
	return fault.New(fault.ProviderMismatch, "The Sui node describes %s in a way that cannot be.", what)
}

func missing(err error) bool {
	return fault.Is(err, fault.ProviderRefused) && fault.As(err).Detail.Get("code") == "NotFound"
}

// allowances returns the allowance of each AllowanceCap that the account owns. A cap whose
// allowance no longer exists gives no permission.
func (r Reader) allowances(ctx context.Context, account sui.Address) (list []Permission, more bool, err error) {
	caps, next, err := r.Chain.Owned(ctx, account, sui.AllowanceCapType(), nil, Most)
	if err != nil {
		return nil, false, err
	}
	found := make([]*Permission, len(caps))
	err = each(ctx, len(caps), func(ctx context.Context, i int) error {
		o := caps[i]
		if !isCap(o) {
			return misshapen("the cap of an allowance")
		}
		p, err := r.follow(ctx, account, o)
		if err == nil && p.Allowance != nil {
			found[i] = &p
		}
		return err
	})
	for _, p := range found {
		if p != nil && err == nil {
			list = append(list, *p)
		}
	}
	return list, next != nil, err
}

// isCap reports whether an object has the layout of a cap: its own ID, followed by the ID of the
// object that it belongs to.
func isCap(o sui.Object) bool {
	return len(o.Contents) == 64 && sui.ObjectID(o.Contents[:32]) == o.Ref.ID
}

// follow returns the allowance that a cap of the account ends. It returns the zero Permission if
// the allowance no longer exists.
func (r Reader) follow(ctx context.Context, account sui.Address, held sui.Object) (Permission, error) {
	id := sui.ObjectID(held.Contents[32:])
	reported, err := r.Chain.Contents(ctx, id)
	if missing(err) {
		return Permission{}, nil
	}
	if err != nil {
		return Permission{}, err
	}
	a, err := sui.ReadAllowance(reported)
	if err != nil {
		return Permission{}, err
	}
	if a.Funder != account || reported.Owner.Kind != sui.OwnerShared {
		return Permission{}, misshapen("an allowance")
	}
	return Permission{Kind: Allowance, ID: id, Holder: a.Spender, Allowance: &a, Initial: reported.Owner.InitialVersion,
		EndedBy: held.Ref}, nil
}

// each calls work for 0 to n-1, a limited number of them concurrently. If calls fail, each returns
// the error of the one with the lowest number.
func each(ctx context.Context, n int, work func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed, slots := make([]error, n), make(chan struct{}, together)
	var running sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			defer fault.Recover(&failed[i])
			if failed[i] = work(ctx, i); failed[i] != nil {
				stop()
			}
		})
	}
	running.Wait()
	var first error
	for _, err := range failed {
		// Ignore calls that failed only because another call's failure canceled them.
		if err != nil && (first == nil || ctxDone(first)) {
			first = err
		}
	}
	return first
}

func ctxDone(err error) bool { return errors.Is(err, context.Canceled) }

// caps returns the caps that the account's balance managers accept, with their holders.
func (r Reader) caps(ctx context.Context, account sui.Address) (list []Permission, more bool, err error) {
	managers, more, err := r.Managers(ctx, account)
	if err != nil {
		return nil, false, err
	}
	admitted := make([][]sui.ObjectID, len(managers))
	err = each(ctx, len(managers), func(ctx context.Context, i int) error {
		owner, caps, err := r.admits(ctx, managers[i])
		if err == nil && owner == account {
			admitted[i] = caps
		}
		return err
	})
	if err != nil {
		return nil, false, err
	}
	for i, caps := range admitted {
		if len(caps) > Most {
			caps, more = caps[:Most], true
		}
		for _, c := range caps {
			list = append(list, Permission{ID: c, Manager: managers[i]})
		}
	}
	err = each(ctx, len(list), func(ctx context.Context, i int) (err error) {
		list[i], err = r.capOf(ctx, list[i].Manager, list[i].ID)
		return err
	})
	return list, more, err
}

// admits returns the owner of a balance manager and the caps that it accepts. It returns zero
// values if the manager does not exist.
func (r Reader) admits(ctx context.Context, manager sui.ObjectID) (owner sui.Address, caps []sui.ObjectID, err error) {
	o, err := r.Chain.Contents(ctx, manager)
	if missing(err) {
		return owner, nil, nil
	}
	if err != nil {
		return owner, nil, err
	}
	owner, caps, ok := readManager(o)
	if !ok || o.Type != r.ManagerType {
		return owner, nil, misshapen("a balance manager")
	}
	return owner, caps, nil
}

// capOf returns a cap with its holder. A cap that the node does not find is inside another object
// or no longer exists. The manager still accepts it, so capOf returns it without a holder.
func (r Reader) capOf(ctx context.Context, manager, id sui.ObjectID) (Permission, error) {
	p := Permission{Kind: ManagerCap, ID: id, Manager: manager}
	o, err := r.Chain.Contents(ctx, id)
	if missing(err) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	for right, t := range r.CapTypes {
		if o.Type == t {
			p.Right = right
		}
	}
	if p.Right == "" || o.Ref.ID != id || !isCap(o) || sui.ObjectID(o.Contents[32:]) != manager {
		return p, misshapen("a cap of a balance manager")
	}
	switch o.Owner.Kind {
	case sui.OwnerAddress, sui.OwnerConsensusAddress:
		p.Holder = o.Owner.Address
	case sui.OwnerObject:
		p.Holder, p.Inside = o.Owner.Address, true
	}
	return p, nil
}

// readManager decodes a balance manager and returns its owner and the caps that it accepts. The
// contents are its ID, its owner, the ID and size of a bag with its balances, and a set of IDs.
func readManager(o sui.Object) (owner sui.Address, caps []sui.ObjectID, ok bool) {
	const fixed = 32 + 32 + 32 + 8
	if len(o.Contents) < fixed+1 || sui.ObjectID(o.Contents[:32]) != o.Ref.ID {
		return owner, nil, false
	}
	caps, ok = addresses(o.Contents[fixed:])
	return sui.Address(o.Contents[32:64]), caps, ok
}

// addresses decodes a vector of addresses that must fill b.
func addresses(b []byte) (list []sui.Address, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)) || len(b)-used != int(n)*32 {
		return nil, false
	}
	for part := range slices.Chunk(b[used:], 32) {
		list = append(list, sui.Address(part))
	}
	return list, true
}

// Keys returns the additional addresses that may sign for an account.
func (r Reader) Keys(ctx context.Context, account sui.Address) (keys []sui.Address, err error) {
	found, _, err := r.aliases(ctx, account)
	for _, p := range found {
		keys = append(keys, p.Holder)
	}
	return keys, err
}

// aliases returns the additional addresses that may sign for an account.
func (r Reader) aliases(ctx context.Context, account sui.Address) (list []Permission, more bool, err error) {
	found, next, err := r.Chain.Owned(ctx, account, sui.AliasesType(), nil, Most)
	if err != nil {
		return nil, false, err
	}
	for _, o := range found {
		if len(o.Contents) < 33 || sui.ObjectID(o.Contents[:32]) != o.Ref.ID {
			return nil, false, misshapen("a list of aliases")
		}
		keys, ok := addresses(o.Contents[32:])
		if !ok {
			return nil, false, misshapen("a list of aliases")
		}
		for _, key := range keys {
			if key != account {
				list = append(list, Permission{Kind: Alias, ID: o.Ref.ID, Holder: key})
			}
		}
	}
	return list, next != nil, nil
}
