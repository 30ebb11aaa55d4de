// Package foreign contains scripts of other protocols. A script declares what each function takes and
// returns, at a simple price. It has the signatures of the real calls but not their arithmetic, so that
// transactions built for them execute. Protocols that store something for an account, or lend within a
// transaction, have a script here. Described derives the others from their descriptions.
package foreign

import (
	"maps"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Programs returns the scripts, one per package.
func Programs() []ledger.Program {
	var list []ledger.Program
	for _, s := range []script{cetus(), aggregator(), leg(), momentum(), slippage(), suilend(), navi()} {
		list = append(list, s.program())
	}
	return list
}

// script is one package: its functions and the shared objects that they take.
type script struct {
	pkg, original string
	version       uint64
	functions     []ledger.Function
	objects       []object
	coins         []sui.Metadata // metadata of the protocol's coins
}

// object is a shared object. If values is set, functions can change them.
type object struct {
	id, typ string
	initial uint64
	market  string            // the key for moving its price, or ""
	values  map[string]uint64 // nil for an immutable object
}

// values is the state of a script's object: numbers by name.
type values struct {
	id sui.ObjectID
	of map[string]uint64
}

// Clone implements ledger.State.
func (v *values) Clone() ledger.State { return &values{v.id, maps.Clone(v.of)} }

// Contents implements ledger.State: the id, then each name and number.
func (v *values) Contents() bcs.Bytes {
	b := bcs.Bytes(nil).Raw(v.id[:]).Uleb(len(v.of))
	for _, name := range slices.Sorted(maps.Keys(v.of)) {
		b = b.Text(name).U64(v.of[name])
	}
	return b
}

// Names of values that all scripts use.
const (
	price = "price" // amount paid for one, times unit
	short = "short" // a lie: how many units too few are paid
	keep  = "keep"  // a lie: how many units of the change are kept
)

// unit is the scale of prices: 10^12.
const unit = 1_000_000_000_000

// Lie makes a script pay less than it should, or keep part of the change.
func Lie(l *ledger.Ledger, id sui.ObjectID, less, kept uint64) bool {
	return edit(l, id, func(of map[string]uint64) { of[short], of[keep] = less, kept })
}

// Set changes the price of a script's object: the amount paid for 10^12 units.
func Set(l *ledger.Ledger, id sui.ObjectID, to uint64) bool {
	return edit(l, id, func(of map[string]uint64) { of[price] = to })
}

// edit changes the values of a script's object, as another account's transaction would.
func edit(l *ledger.Ledger, id sui.ObjectID, change func(of map[string]uint64)) bool {
	return l.Move(id, id, func(s ledger.State) ledger.State {
		change(s.(*values).of)
		return s
	})
}

func (s script) program() ledger.Program {
	pkg := sui.MustAddress(s.pkg)
	return ledger.Program{Package: pkg, Original: sui.MustAddress(s.original), Version: s.version,
		Functions: s.functions,
		Genesis: func(l *ledger.Ledger, middle *big.Rat) error {
			for _, o := range s.objects {
				o.place(l, middle)
			}
			for _, m := range s.coins {
				l.Describe(m)
			}
			return nil
		},
		Shift: func(l *ledger.Ledger, key string, basisPoints int) bool {
			i := slices.IndexFunc(s.objects, func(o object) bool { return o.market != "" && o.market == key })
			if i < 0 {
				return false
			}
			id := sui.MustAddress(s.objects[i].id)
			return edit(l, id, func(of map[string]uint64) {
				of[price] = portion(of[price], uint64(10_000+basisPoints), 10_000)
			})
		},
	}
}

// place creates the object on a new chain. A market without a price gets the common one.
func (o object) place(l *ledger.Ledger, middle *big.Rat) {
	id := sui.MustAddress(o.id)
	placed := ledger.Object{ID: id, Version: o.initial, Owner: ledger.Shared(o.initial), Type: sui.MustTypeTag(o.typ)}
	if o.values == nil {
		placed.Contents = bcs.Bytes(nil).Raw(id[:])
		l.Place(placed, nil)
		return
	}
	v := &values{id, maps.Clone(o.values)}
	if _, priced := v.of[price]; o.market != "" && !priced {
		scaled := new(big.Rat).Mul(middle, big.NewRat(unit, 1))
		v.of[price] = new(big.Int).Quo(scaled.Num(), scaled.Denom()).Uint64()
	}
	l.Place(placed, v)
}

// held returns the values of the object in the nth argument.
func held(k *ledger.Call, n int) map[string]uint64 {
	v, ok := k.State(k.Shared(n)).(*values)
	if !ok {
		return map[string]uint64{}
	}
	return v.of
}

// params returns a function's parameters. $P stands for a package's first id.
func params(original string, list ...string) (out []ledger.Param) {
	for _, p := range list {
		out = append(out, ledger.Param(strings.ReplaceAll(p, "$P", original)))
	}
	return out
}

// fn returns a function of a script.
func fn(original, name string, types int, takes, gives []string, run func(*ledger.Call) *ledger.Failure,
) ledger.Function {
	module, function, _ := strings.Cut(name, "::")
	return ledger.NewFunction(module, function, types, params(original, takes...), params(original, gives...), run)
}

// portion returns n*part/of, rounded down.
func portion(n, part, of uint64) uint64 {
	high, low := bits.Mul64(n, part)
	if high >= of {
		return ^uint64(0)
	}
	q, _ := bits.Div64(high, low, of)
	return q
}

// less returns an amount minus what the object withholds as a lie.
func less(v map[string]uint64, amount uint64) uint64 { return amount - min(amount, v[short]) }

// overdrawn returns the failure of Move code that takes more from a coin than it holds.
func overdrawn() *ledger.Failure {
	return ledger.MoveAbort(sui.MustAddress("0x2"), "balance", "split", 2)
}

const (
	ctx    = "&mut 0x2::tx_context::TxContext"
	clock  = "&0x2::clock::Clock"
	system = "&mut 0x3::sui_system::SuiSystemState"
	coin0  = "0x2::coin::Coin<$0>"
	coin1  = "0x2::coin::Coin<$1>"
	suiT   = "0x2::sui::SUI"
	usdcT  = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"
)
