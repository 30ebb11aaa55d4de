package floor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Action is a kind of action that an intent can request.
type Action string

// Kinds of actions that a description can offer.
const (
	Swap           Action = "swap"            // pays one coin and receives another with a minimum
	Supply         Action = "supply"          // lends a coin
	SupplyWithdraw Action = "supply-withdraw" // takes back what was supplied, with a minimum
)

// Way is a function with all of its arguments except amounts.
type Way struct {
	Function *Function
	Label    string // label of the main object
	Types    map[string]sui.TypeTag
	Objects  map[string]sui.ObjectID // by their names in the description
	Main     string                  // name of the main object
	Values   map[string]string
	In, Out  sui.CoinType // the coin that is paid, and the one received with a minimum; "" for none
}

// Ways returns a protocol's ways for an action.
func (p *Protocol) Ways(of Action) (list []Way) {
	for _, w := range p.ways {
		if w.Function.Action == of {
			list = append(list, w)
		}
	}
	return list
}

// Actions lists the kinds of actions that a protocol offers.
func (p *Protocol) Actions() (list []string) {
	for _, a := range []Action{Swap, Supply, SupplyWithdraw} {
		if len(p.Ways(a)) > 0 {
			list = append(list, string(a))
		}
	}
	return list
}

// Shared returns the type of an object that a way uses.
func (w Way) Shared(name string) string {
	tag, _ := bindings(w.Types).fill(w.Function.protocol.shared["$"+name].tag)
	return tag.String()
}

// findWays finds the ways of all functions that have an action.
func (p *Protocol) findWays() error {
	for i := range p.Functions {
		f := &p.Functions[i]
		if f.Action == "" {
			continue
		}
		if err := f.offered(); err != nil {
			return fmt.Errorf("%s: %w", f.ID, err)
		}
		start := Way{Function: f, Types: bindings{"sui": sui.SUI.Tag()}, Objects: map[string]sui.ObjectID{},
			Values: maps.Clone(f.Set)}
		before := len(p.ways)
		if err := p.combine(start, f.objects()); err != nil {
			return fmt.Errorf("%s: %w", f.ID, err)
		}
		if len(p.ways) == before {
			return fmt.Errorf("%s: no objects fit it", f.ID)
		}
	}
	return nil
}

// offered returns an error if a function cannot be prepared for its action.
func (f *Function) offered() error {
	switch {
	case f.Action != Swap && f.Action != Supply && f.Action != SupplyWithdraw:
		return fmt.Errorf("unknown action %q", f.Action)
	case f.Explain:
		return fmt.Errorf("it is never built")
	case f.Action != Supply && f.Floor == nil || f.Action != SupplyWithdraw && len(f.in) != 1 || len(f.in) > 1:
		return fmt.Errorf("it does not pay one coin for a minimum of another, as its action does")
	}
	return nil
}

// objects lists the names of the shared objects used by the steps that this program builds.
func (f *Function) objects() (names []string) {
	for _, s := range f.Steps {
		for _, a := range s.args {
			if a.kind == argShared && a.id.IsZero() && (!s.Optional || len(s.only) > 0) && !slices.Contains(names, a.name) {
				names = append(names, a.name)
			}
		}
	}
	return names
}

// combine adds the ways that extend w with matching objects for the names.
func (p *Protocol) combine(w Way, names []string) error {
	if len(names) == 0 {
		return p.addWay(w)
	}
	for _, o := range p.Objects {
		if o.Shared != "$"+names[0] || !bindings(w.Types).agree(o.types) {
			continue
		}
		next := w
		next.Types, next.Objects, next.Values = maps.Clone(w.Types), maps.Clone(w.Objects), maps.Clone(w.Values)
		if next.Values == nil {
			next.Values = map[string]string{}
		}
		maps.Copy(next.Types, o.types)
		maps.Copy(next.Values, o.Values)
		next.Objects[names[0]] = o.ID
		if next.Main == "" || len(o.types) > 0 {
			next.Main, next.Label = names[0], o.Label
		}
		if err := p.combine(next, names[1:]); err != nil {
			return err
		}
	}
	return nil
}

// addWay adds a way with all of its objects.
func (p *Protocol) addWay(w Way) error {
	f, types := w.Function, bindings(w.Types)
	if len(f.in) > 0 {
		in, ok := types.fill(f.in[0].tag)
		if !ok {
			return fmt.Errorf("the coin that is paid does not follow from the objects")
		}
		w.In = sui.CoinType(in.String())
	}
	if f.Floor != nil {
		out, ok := types.fill(f.Steps[f.Floor.Step].out[f.Floor.Out].typ.tag)
		if !ok {
			return fmt.Errorf("the coin that comes out does not follow from the objects")
		}
		w.Out = sui.CoinType(out.String())
	}
	if slices.ContainsFunc(p.Ways(f.Action), func(o Way) bool { return o.In == w.In && o.Out == w.Out }) {
		return fmt.Errorf("there is another way of the same coins")
	}
	p.ways = append(p.ways, w)
	return nil
}

// Is reports whether a reading uses this way: its function, objects, types and values.
func (w Way) Is(r *Reading) bool {
	if r.Function != w.Function || len(r.Shared) != len(w.Objects) || len(r.Own) > 0 || len(r.Named) > 0 {
		return false
	}
	for name, tag := range w.Types {
		if is, ok := r.Types[name]; ok && is.String() != tag.String() {
			return false
		}
	}
	for name, id := range w.Objects {
		//mutant:never ./internal/protocol/floored TestReadRefuses
		if r.Shared[name].ID != id {
			return false
		}
	}
	for name, text := range w.Values {
		//mutant:never ./internal/protocol/floored TestReadRefuses
		if r.Values[name] != text {
			return false
		}
	}
	return true
}

// symbols rejects coins whose symbol already names another coin.
func (c *Catalog) symbols() error {
	seen := map[string]bool{}
	for _, s := range coins.Symbols() {
		seen[strings.ToLower(s)] = true
	}
	for _, p := range c.Protocols {
		for _, coin := range p.Coins {
			if key := strings.ToLower(coin.Symbol); key == "" || seen[key] {
				return fmt.Errorf("%s: the symbol %q names another coin", p.Slug, coin.Symbol)
			} else {
				seen[key] = true
			}
		}
	}
	return nil
}

// Coins lists the coins of all protocols.
func (c *Catalog) Coins() (list []coins.Coin) {
	for _, p := range c.Protocols {
		for _, coin := range p.Coins {
			scalar := uint64(1)
			for range coin.Decimals {
				scalar *= 10
			}
			list = append(list, coins.Coin{Symbol: coin.Symbol, Type: coin.typ, Scalar: scalar, Decimals: coin.Decimals})
		}
	}
	return list
}

// CoinByType returns a pinned coin, or one of a protocol.
func (c *Catalog) CoinByType(t sui.CoinType) (coins.Coin, bool) {
	if known, ok := coins.ByType(t); ok {
		return known, true
	}
	all := c.Coins()
	i := slices.IndexFunc(all, func(o coins.Coin) bool { return o.Type == t })
	if i < 0 {
		return coins.Coin{}, false
	}
	return all[i], true
}

// Name returns the symbol and decimals of a coin in Known, like sui.CoinNames.
func Name(t sui.CoinType) (symbol string, decimals uint8, ok bool) {
	c, ok := Known().CoinByType(t)
	return c.Symbol, c.Decimals, ok
}

// CoinType returns the coin's type.
func (c Coin) CoinType() sui.CoinType { return c.typ }
