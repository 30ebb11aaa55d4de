package foreign

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// share names the value of one of a described protocol's own coins, multiplied by unit.
const share = "share"

// worth is the value that a receipt represents.
type worth struct {
	coin   string
	amount uint64
}

// Described returns programs for the described packages that no other program executes. A function
// takes and returns what its description states, at the coins' prices. A protocol whose functions store
// nothing for an account therefore needs no script.
func Described(catalog *floor.Catalog, scripted []ledger.Program) []ledger.Program {
	var list []ledger.Program
	for _, p := range catalog.Protocols {
		for _, name := range slices.Sorted(maps.Keys(p.Packages)) {
			published := p.Packages[name].Published
			if !slices.ContainsFunc(scripted, func(s ledger.Program) bool { return s.Package == published }) {
				list = append(list, describe(p, name).program())
			}
		}
	}
	return list
}

// describe creates the script of one package of a protocol.
func describe(p *floor.Protocol, name string) script {
	pkg := p.Packages[name]
	s := script{pkg: pkg.Published.String(), original: pkg.Original.String(), version: max(pkg.Version, 1)}
	if pkg.Original.IsZero() {
		s.original = s.pkg
	} else if s.original != s.pkg {
		s.version = max(s.version, 2)
	}
	seen := map[string]bool{}
	for _, f := range p.Functions {
		for i, step := range f.Steps {
			if in := step.Package; in != name && (in != "" || name != "main") || seen[step.Fn] {
				continue
			}
			if c, ok := read(p, f, i); ok {
				module, fn, _ := strings.Cut(step.Fn, "::")
				seen[step.Fn] = true
				s.functions = append(s.functions,
					ledger.NewFunction(module, fn, len(step.Types), append(c.takes, ledger.Context), c.gives, c.run))
			}
		}
	}
	if name == "main" {
		s.holds(p)
	}
	return s
}

// holds adds the objects and coins of a protocol.
func (s *script) holds(p *floor.Protocol) {
	for i, o := range p.Objects {
		typ, ok := words{p, nil}.typed(p.Shared[o.Shared], o.Types)
		if !ok || slices.ContainsFunc(s.objects, func(has object) bool { return has.id == o.ID.String() }) {
			continue
		}
		s.objects = append(s.objects, object{id: o.ID.String(), typ: typ, initial: uint64(501 + i),
			market: strings.ToUpper(p.Slug + "_" + o.Label), values: map[string]uint64{share: 1_060_000_000_000}})
	}
	for _, c := range p.Coins {
		if !c.Undescribed {
			s.coins = append(s.coins, sui.Metadata{Type: c.CoinType(), Decimals: c.Decimals, Name: c.Symbol, Symbol: c.Symbol,
				Description: "Test coin of the Say Ur Intent sandbox, worth nothing."})
		}
	}
}

// described is one function, parsed from the words of a step.
type described struct {
	own          []floor.Coin
	module, name string
	takes, gives []ledger.Param
	paid         []int        // indexes of arguments with value
	coins        []string     // for each of takes, its coin type; "" for none
	amount       int          // index of the argument that states an amount, or -1
	state        int          // index of the first object of the protocol that changes, or -1
	out          []floorValue // for each of gives
}

// floorValue is a result: coin, balance, object, hot or another word, and its type.
type floorValue struct{ word, typ string }

// read parses a step. It returns false for a step that needs a script: one with words without a type.
func read(p *floor.Protocol, f floor.Function, at int) (*described, bool) {
	step := f.Steps[at]
	c, w := &described{own: p.Coins, amount: -1, state: -1}, words{p, map[string]string{}}
	c.module, c.name, _ = strings.Cut(step.Fn, "::")
	for i, t := range step.Types {
		if name, ok := strings.CutPrefix(t, "$"); ok {
			w.types[name] = fmt.Sprintf("$%d", i)
		}
	}
	for i, word := range step.Args {
		typ, coin, ok := w.argument(f, word)
		if !ok {
			return nil, false
		}
		c.takes, c.coins = append(c.takes, ledger.Param(typ)), append(c.coins, coin)
		switch {
		case coin != "" || strings.HasPrefix(word, "step."):
			c.paid = append(c.paid, i)
		case word == "amount":
			c.amount = i
		case strings.HasPrefix(word, "mut:$") && c.state < 0:
			c.state = i
		}
	}
	for _, word := range step.Out {
		v, typ, ok := w.result(word)
		if !ok {
			return nil, false
		}
		c.out, c.gives = append(c.out, v), append(c.gives, ledger.Param(typ))
	}
	return c, true
}

// run returns what the payment buys at the coins' prices. A receipt from another function is worth
// nothing.
func (c *described) run(k *ledger.Call) *ledger.Failure {
	var in worth
	for _, i := range c.paid {
		if c.coins[i] == "" {
			in, _ = k.Receipt(i).(worth)
			continue
		}
		in = worth{ledger.Param(c.coins[i]).In(k.Types()), in.amount + k.Amount(i)}
	}
	if len(c.paid) == 0 && c.amount >= 0 {
		in.amount = k.U64(c.amount)
	}
	bought := slices.IndexFunc(c.out, func(v floorValue) bool {
		return v.typ != "" && ledger.Param(v.typ).In(k.Types()) != in.coin
	})
	for i, v := range c.out {
		typ := ledger.Param(v.typ).In(k.Types())
		n := uint64(0)
		if i == max(bought, 0) {
			if n = c.price(k, in, typ); n == 0 && v.word != "object" {
				return k.Broken(c.module, c.name)
			}
		}
		switch v.word {
		case "coin":
			k.Give(sui.CoinType(typ), n)
		case "balance", "empty":
			k.GiveBalance(sui.CoinType(typ), n)
		case "object":
			k.GiveObject(typ, bcs.Bytes(nil).U64(n))
		case "hot":
			k.GiveReceipt(typ, in, false)
		default:
			k.GivePure(typ, bcs.Bytes(nil).U64(n))
		}
	}
	return nil
}

// price returns how much of a coin a payment buys.
func (c *described) price(k *ledger.Call, in worth, out string) uint64 {
	v := map[string]uint64{share: unit, price: unit}
	if c.state >= 0 {
		v = held(k, c.state)
	}
	owns := func(coin string) bool {
		return slices.ContainsFunc(c.own, func(o floor.Coin) bool { return string(o.CoinType()) == coin })
	}
	n := in.amount
	switch usdc, sui := sui.MustTypeTag(usdcT).String(), sui.MustTypeTag(suiT).String(); {
	case owns(out):
		n = portion(n, unit, v[share])
	case owns(in.coin):
		n = portion(n, v[share], unit)
	case in.coin == sui && out == usdc:
		n = portion(n, v[price], unit)
	case in.coin == usdc && out == sui:
		n = portion(n, unit, v[price])
	}
	return less(v, n)
}

// words parses the words of a description. types maps each type variable to its parameter, such as
// $0.
type words struct {
	p     *floor.Protocol
	types map[string]string
}

var (
	variable = regexp.MustCompile(`\$[a-z]+`)
	original = regexp.MustCompile(`\{[a-z]+\}`)
)

// typed formats a type as the chain does. It returns false if the type has a variable that the call
// does not name.
func (w words) typed(text string, values map[string]string) (string, bool) {
	ok := true
	text = variable.ReplaceAllStringFunc(text, func(name string) string {
		if name == "$sui" {
			return suiT
		}
		if v, bound := values[name[1:]]; bound {
			return v
		}
		ok = false
		return name
	})
	return original.ReplaceAllStringFunc(text, func(name string) string {
		return w.p.Packages[strings.Trim(name, "{}")].Original.String()
	}), ok
}

func (w words) typ(text string) (string, bool) { return w.typed(text, w.types) }

// argument returns the type of an argument and, for a coin, its coin type.
func (w words) argument(f floor.Function, word string) (typ, coin string, ok bool) {
	if word == "amount" {
		word = "u64:amount"
	}
	var step, out int
	if ref, _, found := strings.Cut(word, "step."); found && !strings.Contains(ref, ":") {
		if _, err := fmt.Sscanf(word[len(ref):], "step.%d.%d", &step, &out); err != nil {
			return "", "", false
		}
		_, typ, ok = w.result(f.Steps[step].Out[out])
		return ref + typ, "", ok
	}
	head, rest, _ := strings.Cut(strings.Replace(word, "=", ":", 1), ":")
	rest, _, _ = strings.Cut(rest, " of ")
	inner, named := w.typ(rest)
	switch head {
	case "mut", "ref":
		typ, ok = map[string]string{"0x5": strings.TrimPrefix(system, "&mut "),
			"0x6": strings.TrimPrefix(clock, "&")}[rest]
		if !ok {
			typ, ok = w.typ(w.p.Shared[rest])
		}
		return map[string]string{"mut": "&mut ", "ref": "&"}[head] + typ, "", ok
	case "coin", "balance":
		return fmt.Sprintf(money[head], inner), inner, named
	case "own", "own&", "own&mut":
		return map[string]string{"own": "", "own&": "&", "own&mut": "&mut "}[head] + inner, "", named
	case "none":
		return "0x1::option::Option<" + inner + ">", "", named
	case "u8", "bool", "u16", "u32", "u64", "u128", "address":
		return head, "", true
	case "string":
		return "0x1::string::String", "", true
	case "option_u64":
		return "0x1::option::Option<u64>", "", true
	}
	return "", "", false
}

// money maps the words for coins and balances to their types.
var money = map[string]string{"coin": "0x2::coin::Coin<%s>", "balance": "0x2::balance::Balance<%s>",
	"empty": "0x2::balance::Balance<%s>"}

// result returns a result and its type.
func (w words) result(word string) (v floorValue, typ string, ok bool) {
	head, rest, _ := strings.Cut(word, ":")
	if rest == "" {
		rest = "u64"
	}
	inner, ok := w.typ(rest)
	if typ = inner; money[head] != "" {
		typ = fmt.Sprintf(money[head], inner)
	}
	return floorValue{head, inner}, typ, ok
}
