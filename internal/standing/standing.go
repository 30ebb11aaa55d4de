// Package standing finds permissions to take from an account, or act for it, without its wallet's
// approval: allowances, caps of its balance managers, trading accounts with their sessions, and
// aliases.
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
	// Owned lists at most limit objects of one type that owner holds, with contents.
	Owned(ctx context.Context, owner sui.Address, objectType string, token []byte, limit int) ([]sui.Object, []byte, error)
	// Contents reads one object with its contents. It returns NotFound if there is none.
	Contents(ctx context.Context, id sui.ObjectID) (sui.Object, error)
}

// Managers finds the balance managers that an account owns. more reports whether there are further
// ones.
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

// Rights of a balance manager's cap.
const (
	Trade    = "trade"
	Deposit  = "deposit"
	Withdraw = "withdraw"
)

// Permission is a permission that is in effect. Amounts are raw units of Coin.
type Permission struct {
	Kind   Kind
	ID     sui.ObjectID // of the allowance, the cap, the trading account, or the list of aliases
	Holder sui.Address  // who may act; zero if unknown
	Until  uint64       // end of a session, in milliseconds since 1970
	Inside bool         // whether Holder is an object that contains the cap

	Allowance *sui.Allowance // of an allowance
	Initial   uint64         // version at which an allowance was shared
	EndedBy   sui.ObjectRef  // the object that ends an allowance
	Manager   sui.ObjectID   // the cap's manager
	Right     string         // of a cap; "" if unknown because the cap was not found
}

// List is the result of Reader.List.
type List struct {
	Permissions []Permission
	More        bool // there are more than were read
	At          time.Time
}

// Most limits how many permissions of each kind are read. together limits concurrent reads.
const (
	Most     = 50
	together = 8
)

// Reader reads permissions through one node.
type Reader struct {
	Chain    Chain
	Managers Managers
	Now      func() time.Time
	// ManagerType and CapTypes are the types of a balance manager, and of its caps by right.
	ManagerType string
	CapTypes    map[string]string
	// Accounts locates trading accounts. If it is nil, they are not read.
	Accounts *AccountPackage
}

// List reads the permissions in effect for an account.
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

// allowances finds the allowance of each AllowanceCap of the account. A cap whose allowance no
// longer exists permits nothing.
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

// isCap reports whether an object has the form of a cap: its ID, and the ID of what it belongs to.
func isCap(o sui.Object) bool {
	return len(o.Contents) == 64 && sui.ObjectID(o.Contents[:32]) == o.Ref.ID
}

// follow reads the allowance that one of the account's caps ends, or an empty Permission if it no
// longer exists.
func (r Reader) follow(ctx context.Context, account sui.Address, held sui.Object) (Permission, error) {
	id := sui.ObjectID(held.Contents[32:])
	told, err := r.Chain.Contents(ctx, id)
	if missing(err) {
		return Permission{}, nil
	}
	if err != nil {
		return Permission{}, err
	}
	a, err := sui.ReadAllowance(told)
	if err != nil {
		return Permission{}, err
	}
	if a.Funder != account || told.Owner.Kind != sui.OwnerShared {
		return Permission{}, misshapen("an allowance")
	}
	return Permission{Kind: Allowance, ID: id, Holder: a.Spender, Allowance: &a, Initial: told.Owner.InitialVersion,
		EndedBy: held.Ref}, nil
}

// each calls do n times, a limited number of them concurrently. It returns the error of the first
// call, by number, that failed.
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
		// A call that was stopped because another failed is not the cause.
		if err != nil && (first == nil || ctxDone(first)) {
			first = err
		}
	}
	return first
}

func ctxDone(err error) bool { return errors.Is(err, context.Canceled) }

// caps lists the caps that the account's own balance managers accept, and their holders.
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

// admits reads a manager's owner and the caps that it accepts, or nothing if the manager no longer
// exists.
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

// capOf reads the holder of a cap. If the node does not find the cap, it is inside another object
// or no longer exists; the manager accepts it in either case.
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

// readManager reads owner and accepted caps from a balance manager: ID, owner, the ID and size of
// the bag of its balances, and a set of IDs.
func readManager(o sui.Object) (owner sui.Address, caps []sui.ObjectID, ok bool) {
	const fixed = 32 + 32 + 32 + 8
	if len(o.Contents) < fixed+1 || sui.ObjectID(o.Contents[:32]) != o.Ref.ID {
		return owner, nil, false
	}
	caps, ok = addresses(o.Contents[fixed:])
	return sui.Address(o.Contents[32:64]), caps, ok
}

// addresses reads a vector of addresses that must be at the end of the data.
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

// Keys lists additional keys that may sign for an account.
func (r Reader) Keys(ctx context.Context, account sui.Address) (keys []sui.Address, err error) {
	found, _, err := r.aliases(ctx, account)
	for _, p := range found {
		keys = append(keys, p.Holder)
	}
	return keys, err
}

// aliases lists additional keys that may sign for the account.
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
