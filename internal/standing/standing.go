// Package standing finds what lets others take from an account, or act for it, without its
// wallet being asked: allowances, caps of its balance managers, trading accounts and their
// sessions, and aliases.
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

// Chain reads objects from a node. An rpc.Client does.
type Chain interface {
	// Owned lists at most most objects of one type that owner holds, with contents.
	Owned(ctx context.Context, owner sui.Address, objectType string, token []byte, most int) ([]sui.Object, []byte, error)
	// Contents reads one object with its contents; NotFound if there is none.
	Contents(ctx context.Context, id sui.ObjectID) (sui.Object, error)
}

// Managers finds the balance managers that an account owns; more reports that there are
// others besides.
type Managers func(ctx context.Context, account sui.Address) (ids []sui.ObjectID, more bool, err error)

// Kind is a kind of permission.
type Kind string

// The kinds of permissions.
const (
	Allowance      Kind = "allowance"
	ManagerCap     Kind = "manager_cap"
	Alias          Kind = "alias"
	TradingAccount Kind = "deepbook_account"
	Session        Kind = "deepbook_session"
)

// The rights of a cap of a balance manager.
const (
	Trade    = "trade"
	Deposit  = "deposit"
	Withdraw = "withdraw"
)

// Permission is one of them. Amounts are raw units of Coin.
type Permission struct {
	Kind   Kind
	ID     sui.ObjectID // the allowance, the cap, the trading account, or the list of aliases
	Holder sui.Address  // who may act; zero if that is not known
	Until  uint64       // when a session ends, in milliseconds since 1970
	Inside bool         // Holder is an object that the cap lies in

	Allowance *sui.Allowance // of an allowance
	Initial   uint64         // the version at which an allowance was shared
	EndedBy   sui.ObjectRef  // the object that ends an allowance
	Manager   sui.ObjectID   // whose cap it is
	Right     string         // of a cap; "" if it is not known, as the cap was not found
}

// List is what was found.
type List struct {
	Permissions []Permission
	More        bool // there are more than were looked at
	At          time.Time
}

// Most bounds how many of one kind are looked at. together is how many objects are asked
// for at the same time.
const (
	Most     = 50
	together = 8
)

// Reader reads them through one node.
type Reader struct {
	Chain    Chain
	Managers Managers
	Now      func() time.Time
	// ManagerType and CapTypes are the types of a balance manager, and of its caps by
	// their right.
	ManagerType string
	CapTypes    map[string]string
	// Accounts are where trading accounts are looked for; nil: nowhere.
	Accounts *AccountPackage
}

// List reads what stands of an account.
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

// allowances follows every AllowanceCap of the account to its allowance. A cap whose
// allowance is gone permits nothing.
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

// isCap reports whether an object has the shape of a cap: its id, and that of what it is of.
func isCap(o sui.Object) bool {
	return len(o.Contents) == 64 && sui.ObjectID(o.Contents[:32]) == o.Ref.ID
}

// follow reads the allowance that a cap of the account ends; an empty Permission where it
// is gone.
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

// each does n pieces of work, a bounded number of them at the same time. It returns the
// error of the first one, by number, that failed.
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
		// What was stopped by the failure of another is no reason.
		if err != nil && (first == nil || ctxDone(first)) {
			first = err
		}
	}
	return first
}

func ctxDone(err error) bool { return errors.Is(err, context.Canceled) }

// caps lists the caps that the account's own balance managers admit, and who holds them.
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

// admits reads who owns a manager, and which caps it admits; nobody and none if it is gone.
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

// capOf reads who holds a cap. One that the node does not find lies in another object, or
// is gone; the manager admits it all the same.
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

// readManager reads owner and admitted caps out of a balance manager: id, owner, the id
// and size of the bag of its balances, and a set of ids.
func readManager(o sui.Object) (owner sui.Address, caps []sui.ObjectID, ok bool) {
	const fixed = 32 + 32 + 32 + 8
	if len(o.Contents) < fixed+1 || sui.ObjectID(o.Contents[:32]) != o.Ref.ID {
		return owner, nil, false
	}
	caps, ok = addresses(o.Contents[fixed:])
	return sui.Address(o.Contents[32:64]), caps, ok
}

// addresses reads a vector of addresses that is all that is left.
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

// Keys lists the keys besides its own that may sign for an account.
func (r Reader) Keys(ctx context.Context, account sui.Address) (keys []sui.Address, err error) {
	found, _, err := r.aliases(ctx, account)
	for _, p := range found {
		keys = append(keys, p.Holder)
	}
	return keys, err
}

// aliases lists the keys that may sign for the account besides its own.
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
