package deepbook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// MostManagers is the maximum number of balance managers in a discovery, and of caps of each kind that
// are read.
const MostManagers = 100

// Method is how an account's balance manager was found.
type Method string

// The registry, the creation event and the owner field prove who owns a manager. A cap only shows that
// the account could act for the manager when the cap was created.
const (
	ByRegistry    Method = "registry"
	ByTradeCap    Method = "trade_cap"
	ByDepositCap  Method = "deposit_cap"
	ByWithdrawCap Method = "withdraw_cap"
	ByOwner       Method = "owner_field"
)

// caps are the objects that let their holder act for a manager.
var caps = [...]struct {
	name   string
	method Method
}{{"TradeCap", ByTradeCap}, {"DepositCap", ByDepositCap}, {"WithdrawCap", ByWithdrawCap}}

// Lists reads lists from a node: an account's objects of one type with their contents, and its events,
// newest first. A returned token continues a list. Present reads objects, and omits those that do not
// exist.
type Lists interface {
	Owned(ctx context.Context, owner sui.Address, objectType string, token []byte, most int) ([]sui.Object, []byte, error)
	Events(ctx context.Context, f sui.EventFilter, cursor []byte, most int) ([]sui.Event, []byte, error)
	Present(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error)
}

// Inventory reads accounts' DeepBook holdings. It is safe for concurrent use.
type Inventory struct {
	reader *Reader
	lists  Lists
}

// NewInventory returns an Inventory that uses a Reader and a node's lists.
func NewInventory(r *Reader, lists Lists) *Inventory { return &Inventory{r, lists} }

// Manager is a balance manager that was found for an account.
type Manager struct {
	ID      sui.ObjectID
	Methods []Method
}

// Own reports whether the manager was found as the account's own, not only by a cap.
func (m Manager) Own() bool {
	return slices.ContainsFunc(m.Methods, func(by Method) bool {
		return by != ByTradeCap && by != ByDepositCap && by != ByWithdrawCap
	})
}

// Discovery lists the balance managers found for an account. It may be incomplete, because DeepBook's
// registry lists only registered managers, and events only those that the account created. Truncated
// means that there are more managers than the limit. Package and Epoch belong to the read of the
// registry.
type Discovery struct {
	Package   sui.ObjectID
	Epoch     uint64
	At        time.Time
	Managers  []Manager
	Events    EventReading
	Truncated bool
}

// Has reports whether the discovery contains a manager.
func (d Discovery) Has(id sui.ObjectID) bool {
	return slices.ContainsFunc(d.Managers, func(m Manager) bool { return m.ID == id })
}

func (d *Discovery) add(id sui.ObjectID, how Method) {
	i := slices.IndexFunc(d.Managers, func(m Manager) bool { return m.ID == id })
	switch {
	case i >= 0 && !slices.Contains(d.Managers[i].Methods, how):
		d.Managers[i].Methods = append(d.Managers[i].Methods, how)
	case i < 0 && len(d.Managers) == MostManagers:
		d.Truncated = true
	case i < 0:
		d.Managers = append(d.Managers, Manager{id, []Method{how}})
	}
}

// Discover finds an account's balance managers: in DeepBook's registry, by creation events, and by caps
// that it holds. If named is not zero and is not found in these ways, its owner field is read.
func (i *Inventory) Discover(ctx context.Context, account sui.Address, named sui.ObjectID) (Discovery, error) {
	var held [len(caps)]holding
	var failed [len(caps)]error
	var events made
	var noEvents error
	var wait sync.WaitGroup
	wait.Go(func() {
		defer fault.Recover(&noEvents)
		events, noEvents = i.managersMade(ctx, account)
	})
	for n, c := range caps {
		wait.Go(func() {
			defer fault.Recover(&failed[n])
			held[n], failed[n] = i.held(ctx, account, c.name)
		})
	}
	d, err := i.registered(ctx, account)
	wait.Wait()
	if err = cmp.Or(err, noEvents, cmp.Or(failed[:]...)); err != nil {
		return Discovery{}, err
	}
	d.Events, d.Truncated = events.reading, d.Truncated || events.more
	for _, id := range events.managers {
		d.add(id, ByEvent)
	}
	for n, c := range caps {
		d.Truncated = d.Truncated || held[n].more
		for _, id := range held[n].managers {
			d.add(id, c.method)
		}
	}
	if !named.IsZero() && !d.Has(named) {
		owner, err := i.owner(ctx, named)
		if err != nil {
			return Discovery{}, err
		}
		if owner != nil && *owner == account {
			// The named manager replaces the last one if the list is full.
			d.Truncated = d.Truncated || len(d.Managers) == MostManagers
			d.Managers = slices.Insert(d.Managers[:min(len(d.Managers), MostManagers-1)], 0, Manager{named, []Method{ByOwner}})
		}
	}
	return d, nil
}

// registered queries DeepBook's registry.
func (i *Inventory) registered(ctx context.Context, account sui.Address) (Discovery, error) {
	build := func(pkg sui.ObjectID) sui.Kind {
		return sui.Kind{
			Inputs: []sui.Input{
				sui.SharedInput{ID: registry.Object, InitialVersion: registry.ObjectVersion}, sui.PureAddress(account)},
			Commands: []sui.Command{sui.MoveCall{Package: pkg, Module: "registry", Function: "get_balance_manager_ids",
				Arguments: []sui.Argument{sui.InputArg(0), sui.InputArg(1)}}},
		}
	}
	s, pkg, err := i.simulate(ctx, registryDisabled, build)
	if err != nil {
		return Discovery{}, err
	}
	d := Discovery{Package: pkg, Epoch: s.Epoch, At: s.At}
	v := newValues(s.Returns, 0, 0)
	for range v.length(32) {
		d.add(v.id(), ByRegistry)
	}
	return d, v.end()
}

// holding lists the managers for which an account holds caps of one kind.
type holding struct {
	managers []sui.ObjectID
	more     bool
}

// held lists the managers of the account's caps of one type. A cap contains its own id and the
// manager's.
func (i *Inventory) held(ctx context.Context, account sui.Address, name string) (holding, error) {
	typ := sui.StructTag{Address: registry.OriginalPackage, Module: "balance_manager", Name: name}.String()
	objects, next, err := i.lists.Owned(ctx, account, typ, nil, MostManagers)
	if err != nil {
		return holding{}, err
	}
	h := holding{more: next != nil}
	for _, o := range objects {
		if len(o.Contents) != 64 || !bytes.Equal(o.Contents[:32], o.Ref.ID[:]) {
			return holding{}, misshapenValue()
		}
		h.managers = append(h.managers, sui.ObjectID(o.Contents[32:]))
	}
	return h, nil
}

// managerType returns the type of a balance manager.
func managerType() string {
	return sui.StructTag{Address: registry.OriginalPackage, Module: "balance_manager", Name: "BalanceManager"}.String()
}

// manager returns the initial shared version of a balance manager. It returns 0 if the object
// does not exist or is something else.
func (i *Inventory) manager(ctx context.Context, id sui.ObjectID) (uint64, error) {
	objects, err := i.reader.chain.Objects(ctx, []sui.ObjectID{id})
	if err != nil {
		if fault.As(err).Detail.Get("code") == "NotFound" {
			return 0, nil
		}
		return 0, err
	}
	if len(objects) != 1 || objects[0].Ref.ID != id {
		return 0, misshapenValue()
	}
	if objects[0].Type != managerType() || objects[0].Owner.Kind != sui.OwnerShared {
		return 0, nil
	}
	return objects[0].Owner.InitialVersion, nil
}

// owner reads the owner field of a balance manager. It returns nil if there is none.
func (i *Inventory) owner(ctx context.Context, id sui.ObjectID) (*sui.Address, error) {
	version, err := i.manager(ctx, id)
	if err != nil || version == 0 {
		return nil, err
	}
	k := func(pkg sui.ObjectID) sui.Kind {
		return managed(registry.Pool{}, 0, sui.SharedInput{ID: id, InitialVersion: version}, pkg, ownerRead)
	}
	s, _, err := i.simulate(ctx, place{}, k)
	if err != nil {
		return nil, err
	}
	v := newValues(s.Returns, 0, 0)
	owner := v.id()
	return &owner, v.end()
}

// simulate runs a read with the newest package. If it aborts with off, which reports a disabled
// version, simulate tries older packages. Any other abort is an error.
func (i *Inventory) simulate(ctx context.Context, off place, build func(sui.ObjectID) sui.Kind) (sui.Simulation,
	sui.ObjectID, error) {
	return i.simulateAfter(ctx, nil, off, build)
}

// simulateAfter is like simulate but with the sender and gas of a transaction, which may be nil. build
// must add the commands of that transaction before its own.
func (i *Inventory) simulateAfter(ctx context.Context, after *sui.Transaction, off place,
	build func(sui.ObjectID) sui.Kind) (sui.Simulation, sui.ObjectID, error) {
	tried := map[uint64]bool{}
	for _, pkg := range registry.Packages() {
		if tried[pkg.Version] || pkg.Number < managersSince {
			continue
		}
		k := build(pkg.ID)
		tx := &sui.Transaction{Inputs: k.Inputs, Commands: k.Commands, Expiration: sui.NoExpiration{}}
		if after != nil {
			tx.Sender, tx.Gas = after.Sender, after.Gas
		}
		s, err := i.reader.chain.Simulate(ctx, tx, false)
		if err != nil {
			return sui.Simulation{}, sui.ObjectID{}, err
		}
		if s.At.IsZero() {
			s.At = i.reader.now()
		}
		if s.Status.OK {
			return s, pkg.ID, nil
		}
		if !isAt(s.Status.Abort, pkg.ID, off) {
			return s, pkg.ID, &refusedRead{abort: s.Status.Abort, err: fault.New(fault.QuoteUnavailable,
				"DeepBook refused the read of a balance manager (%s). Try again later.", s.Status.Kind)}
		}
		tried[pkg.Version] = true
	}
	return sui.Simulation{}, sui.ObjectID{}, fault.New(fault.QuoteUnavailable,
		"DeepBook admits none of the versions that this program knows. A newer release of Say Ur Intent is needed for it.").
		With("reason", NoVersion)
}

// values decodes consecutive BCS values. After a missing or malformed value, all later ones are zero.
type values struct {
	at     int // index of the event
	rest   []byte
	broken bool
}

// newValues returns a decoder for the return value with index number of the command with index
// command.
func newValues(returns [][]sui.ReturnValue, command, number int) *values {
	if command >= len(returns) || number >= len(returns[command]) {
		return &values{broken: true}
	}
	return &values{rest: returns[command][number].BCS}
}

func (v *values) take(n int) []byte {
	if v.broken || len(v.rest) < n {
		v.broken = true
		return make([]byte, n)
	}
	b := v.rest[:n]
	v.rest = v.rest[n:]
	return b
}

func (v *values) id() sui.ObjectID { return sui.ObjectID(v.take(32)) }
func (v *values) raw() sui.Raw     { return sui.Raw(binary.LittleEndian.Uint64(v.take(8))) }
func (v *values) u64() uint64      { return binary.LittleEndian.Uint64(v.take(8)) }

// flag reads a bool.
func (v *values) flag() bool {
	b := v.take(1)[0]
	v.broken = v.broken || b > 1
	return b == 1
}

// length reads the length of a list whose elements have at least size bytes each.
func (v *values) length(size int) int {
	n, used := binary.Uvarint(v.rest)
	if v.broken || used <= 0 || n > uint64((len(v.rest)-used)/size) {
		v.broken = true
		return 0
	}
	v.rest = v.rest[used:]
	return int(n)
}

// end returns an error unless everything was read.
func (v *values) end() error {
	if v.broken || len(v.rest) > 0 {
		return misshapenValue()
	}
	return nil
}

func misshapenValue() error {
	return fault.New(fault.ProviderMismatch,
		"The Sui node reported a DeepBook balance manager of an unexpected shape.")
}
