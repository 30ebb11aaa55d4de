package standing_test

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var (
	me, agent     = sui.MustAddress("0x1"), sui.MustAddress("0x2a")
	manager, held = sui.MustAddress("0x3a"), sui.MustAddress("0x4a")
)

// chain is a node that reports the given objects.
type chain struct {
	owned   map[string][]sui.Object
	objects map[sui.ObjectID]sui.Object
}

func (c chain) Owned(_ context.Context, _ sui.Address, t string, _ []byte, _ int) ([]sui.Object, []byte, error) {
	return c.owned[t], nil, nil
}

func (c chain) Contents(_ context.Context, id sui.ObjectID) (sui.Object, error) {
	o, ok := c.objects[id]
	if !ok {
		return o, fault.New(fault.ProviderRefused, "gone").With("code", "NotFound")
	}
	return o, nil
}

func object(id sui.ObjectID, t string, parts ...[]byte) sui.Object {
	return sui.Object{Ref: sui.ObjectRef{ID: id}, Type: t, Contents: append(bytes.Clone(id[:]), bytes.Join(parts, nil)...)}
}

// world returns a manager of mine with one cap, which an agent holds.
func world() chain {
	boss := object(manager, "Manager", me[:], make([]byte, 40), []byte{1}, held[:])
	right := object(held, "TradeCap", manager[:])
	right.Owner = sui.Owner{Kind: sui.OwnerAddress, Address: agent}
	return chain{map[string][]sui.Object{}, map[sui.ObjectID]sui.Object{manager: boss, held: right}}
}

func list(c chain) (standing.List, error) {
	r := standing.Reader{Chain: c, Now: time.Now, ManagerType: "Manager",
		CapTypes: map[string]string{standing.Trade: "TradeCap", standing.Deposit: "DepositCap",
			standing.Withdraw: "WithdrawCap"},
		Managers: func(context.Context, sui.Address) ([]sui.ObjectID, bool, error) {
			return []sui.ObjectID{manager}, false, nil
		}}
	return r.List(context.Background(), me)
}

// A cap is described by what the manager accepts, even if its holder is unknown.
func TestCaps(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(chain)
		says string // "": nothing is listed
	}{
		"held by an address": {func(chain) {}, agent.String() + " may trade everything in this account's balance manager " +
			manager.String() +
			", now and later, at any price and without an end: all of it can be lost."},
		"held by an object that nobody knows": {func(c chain) {
			o := c.objects[held]
			o.Owner.Kind = sui.OwnerObject
			c.objects[held] = o
		}, "Whoever controls the object " + agent.String() + " may trade everything in this account's balance manager " +
			manager.String() +
			", now and later, at any price and without an end: all of it can be lost."},
		"shared with everybody": {func(c chain) {
			o := c.objects[held]
			o.Owner = sui.Owner{Kind: sui.OwnerShared, InitialVersion: 3}
			c.objects[held] = o
		}, "Anybody may trade everything in this account's balance manager " + manager.String() +
			", now and later, at any price and without an end: all of it can be lost."},
		"not found": {func(c chain) { delete(c.objects, held) }, "A cap of this account's balance manager " +
			manager.String() +
			" is admitted, and the node does not tell who holds it. It may let everything in there be traded or taken."},
		"of a manager that is another's": {func(c chain) {
			c.objects[manager] = object(manager, "Manager", agent[:], make([]byte, 40), []byte{1}, held[:])
		}, ""},
		"of a manager that is gone": {func(c chain) { delete(c.objects, manager) }, ""},
	} {
		w := world()
		c.edit(w)
		found, err := list(w)
		said := ""
		if len(found.Permissions) == 1 {
			said = found.Permissions[0].Says(time.Now())
		}
		if err != nil || said != c.says {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, said, c.says)
		}
	}
}

// The sessions of a trading account are listed, also those that are over or cannot be read.
func TestSessions(t *testing.T) {
	pkg := standing.AccountPackage{Registry: sui.MustAddress("0xa0"), Package: sui.MustAddress("0xa1"),
		Sessions: sui.MustAddress("0xa2")}
	inner := sui.MustAddress("0xa3")
	id := func(parent sui.ObjectID, key string, b []byte) sui.ObjectID {
		t.Helper()
		out, err := sui.DynamicFieldID(parent, sui.MustTypeTag(key), b)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	wrapper := id(pkg.Registry, "0x2::derived_object::DerivedObjectKey<0xa1::account_registry::AccountWrapperKey>", me[:])
	field := id(inner, "0xa1::account::DataKey<0xa2::sessions::SessionsApp>", []byte{0})
	kind := pkg.Package.String() + "::account::AccountWrapper"
	now := time.UnixMilli(1_000)
	session := func(holder sui.Address, until byte) []byte {
		return append(bytes.Clone(holder[:]), until, until, 0, 0, 0, 0, 0, 0)
	}
	read := func(edit func(chain)) ([]string, error) {
		c := chain{map[string][]sui.Object{}, map[sui.ObjectID]sui.Object{
			wrapper: object(wrapper, kind, inner[:], me[:], make([]byte, 100)),
			field:   object(field, "Field", []byte{0, 2}, session(agent, 9), session(held, 1)),
		}}
		edit(c)
		r := standing.Reader{Chain: c, Now: func() time.Time { return now }, Accounts: &pkg,
			Managers: func(context.Context, sui.Address) ([]sui.ObjectID, bool, error) { return nil, false, nil }}
		found, err := r.List(t.Context(), me)
		var says []string
		for _, p := range found.Permissions {
			says = append(says, fmt.Sprint(p.Kind, " ", p.Live(now), ": ", p.Says(now)))
		}
		return says, err
	}
	account := "deepbook_account true: This account owns the DeepBook trading account " + wrapper.String() +
		". Apps that DeepBook's administrators admit can act in it without this account's wallet."
	where := " in this account's DeepBook trading account " + wrapper.String()
	for name, c := range map[string]struct {
		edit func(chain)
		want []string
	}{
		"no account":  {func(c chain) { delete(c.objects, wrapper) }, nil},
		"no sessions": {func(c chain) { delete(c.objects, field) }, []string{account}},
		"two": {func(chain) {}, []string{account,
			"deepbook_session true: " + agent.String() + " may trade everything" + where +
				" at any price until 00:00 UTC on 1 January 1970: all of it can be lost.",
			"deepbook_session false: The session of " + held.String() + where + " is over."}},
		"in another form": {func(c chain) { c.objects[field] = object(field, "Field", []byte{0, 3}, session(agent, 9)) },
			[]string{account,
				"deepbook_session true: There are sessions of this account's DeepBook trading account " + wrapper.String() +
					" in a form that this version does not read. They may let everything in there be traded."}},
	} {
		if got, err := read(c.edit); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, edit := range map[string]func(chain){
		"of somebody else": func(c chain) { c.objects[wrapper] = object(wrapper, kind, inner[:], agent[:]) },
		"of another type":  func(c chain) { c.objects[wrapper] = object(wrapper, "Other", inner[:], me[:]) },
		"cut short":        func(c chain) { c.objects[wrapper] = object(wrapper, kind, inner[:]) },
	} {
		if got, err := read(edit); !fault.Is(err, fault.ProviderMismatch) {
			t.Errorf("an account %s: %q, %v", name, got, err)
		}
	}
}

// Impossible data is rejected: an incomplete list would imply that nobody may act.
func TestShapes(t *testing.T) {
	caps, aliases := sui.AllowanceCapType(), sui.AliasesType()
	allowance := sui.MustAddress("0x5a")
	for name, edit := range map[string]func(chain){
		"a manager cut short": func(c chain) { c.objects[manager] = object(manager, "Manager", me[:]) },
		"a manager of another type": func(c chain) {
			c.objects[manager] = object(manager, "Other", me[:], make([]byte, 40),
				[]byte{0})
		},
		"more caps than bytes": func(c chain) {
			c.objects[manager] = object(manager, "Manager", me[:], make([]byte, 40), []byte{2}, held[:])
		},
		"a cap of another manager":     func(c chain) { c.objects[held] = object(held, "TradeCap", agent[:]) },
		"a cap of no known kind":       func(c chain) { c.objects[held] = object(held, "OtherCap", manager[:]) },
		"a cap of an allowance, short": func(c chain) { c.owned[caps] = []sui.Object{object(held, caps)} },
		"an allowance that is none": func(c chain) {
			c.owned[caps] = []sui.Object{object(held, caps, allowance[:])}
			c.objects[allowance] = object(allowance, "0x5::allowance::Allowance<0x2::balance::Balance<0x2::sui::SUI>>")
		},
		"aliases cut short": func(c chain) { c.owned[aliases] = []sui.Object{object(held, aliases, []byte{2}, me[:])} },
	} {
		w := world()
		edit(w)
		if found, err := list(w); !fault.Is(err, fault.ProviderMismatch) {
			t.Errorf("%s: %+v %v", name, found, err)
		}
	}
	t.Run("an allowance that was ended is none", func(t *testing.T) {
		w := world()
		w.owned[caps] = []sui.Object{object(held, caps, allowance[:])}
		if found, err := list(w); err != nil || len(found.Permissions) != 1 ||
			found.Permissions[0].Kind != standing.ManagerCap {
			t.Errorf("%+v %v", found, err)
		}
	})
}

// counting is a chain that counts how many reads are under way at the same time.
type counting struct {
	chain
	mu        *sync.Mutex
	now, most *int
}

func (c counting) Contents(ctx context.Context, id sui.ObjectID) (sui.Object, error) {
	c.mu.Lock()
	*c.now++
	*c.most = max(*c.most, *c.now)
	c.mu.Unlock()
	time.Sleep(2 * time.Millisecond) // by the bubble's clock: until all that may read do
	defer func() { c.mu.Lock(); *c.now--; c.mu.Unlock() }()
	return c.chain.Contents(ctx, id)
}

// TestManyManagers reads the caps of many managers at the same time, a bounded number at
// once, in the order of the managers, and reports the failure of one.
func TestManyManagers(t *testing.T) { synctest.Test(t, manyManagers) }

func manyManagers(t *testing.T) {
	c := counting{chain: chain{map[string][]sui.Object{}, map[sui.ObjectID]sui.Object{}}, mu: &sync.Mutex{}, now: new(int),
		most: new(int)}
	var managers, caps []sui.ObjectID
	for i := range 40 {
		id, held := sui.ObjectID{30: 1, 31: byte(i)}, sui.ObjectID{30: 2, 31: byte(i)}
		managers, caps = append(managers, id), append(caps, held)
		c.objects[id] = object(id, "Manager", me[:], make([]byte, 40), []byte{1}, held[:])
		c.objects[held] = object(held, "TradeCap", id[:])
	}
	r := standing.Reader{Chain: c, Now: time.Now, ManagerType: "Manager",
		CapTypes: map[string]string{standing.Trade: "TradeCap"},
		Managers: func(context.Context, sui.Address) ([]sui.ObjectID, bool, error) { return managers, false, nil }}
	found, err := r.List(t.Context(), me)
	if err != nil || len(found.Permissions) != len(caps) {
		t.Fatalf("%d found, %v", len(found.Permissions), err)
	}
	for i, p := range found.Permissions {
		if p.ID != caps[i] || p.Manager != managers[i] {
			t.Errorf("number %d is %s of %s", i, p.ID, p.Manager)
		}
	}
	if *c.most < 2 || *c.most > 8 {
		t.Errorf("%d reads at the same time", *c.most)
	}
	c.objects[managers[20]] = object(managers[20], "Other", me[:])
	if _, err := r.List(t.Context(), me); !fault.Is(err, fault.ProviderMismatch) {
		t.Errorf("one that cannot be: %v", err)
	}
}

// TestHeadline describes what ends, even if the holder is unknown or there is no limit.
func TestHeadline(t *testing.T) {
	now, ends := time.UnixMilli(1_000), uint64(5_000)
	coin := sui.MustTypeTag("0x2::sui::SUI")
	allowance := func(g sui.Grant) *sui.Allowance { return &sui.Allowance{Grant: g, Taken: new(big.Int)} }
	for want, p := range map[string]standing.Permission{
		"End the right of " + agent.String() +
			" to put coins into your balance manager": {Kind: standing.ManagerCap, Right: standing.Deposit, Holder: agent},
		"End the right of " + agent.String() +
			" to take everything out of your balance manager": {Kind: standing.ManagerCap, Right: standing.Withdraw,
			Holder: agent},
		"End the right of whoever controls " + agent.String() +
			" to trade everything in your balance manager": {Kind: standing.ManagerCap, Right: standing.Trade, Holder: agent,
			Inside: true},
		"End the right of anybody to trade everything in your balance manager": {Kind: standing.ManagerCap,
			Right: standing.Trade},
		"End a right to your balance manager whose holder is not known": {Kind: standing.ManagerCap},
		"End the permission of " + agent.String() +
			" to take up to 2 SUI": {Kind: standing.Allowance, Holder: agent, Allowance: allowance(sui.Grant{Coin: coin,
			Cap: big.NewInt(2_000_000_000), End: &ends})},
		"End the permission of an app to take any amount of " +
			coin.String(): {Kind: standing.Allowance, Allowance: allowance(sui.Grant{Coin: coin})},
		"Clear away the permission of " + agent.String() +
			", by which nothing can be taken any more": {Kind: standing.Allowance, Holder: agent,
			Allowance: allowance(sui.Grant{Coin: coin, Cap: new(big.Int)})},
	} {
		if got := p.Headline(now); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
