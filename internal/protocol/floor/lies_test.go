package floor

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/floorcheck"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

var (
	shortNames = map[string]string{
		"Coin<": "0x2::coin::Coin<", "Balance<": "0x2::balance::Balance<", "Option<": "0x1::option::Option<",
		"String": "0x1::string::String", "Clock": "0x2::clock::Clock",
		"SuiSystemState": "0x3::sui_system::SuiSystemState", "StakedSui": "0x3::staking_pool::StakedSui",
	}
	shortName = regexp.MustCompile(`\b(Coin<|Balance<|Option<|String$|Clock$|SuiSystemState$|StakedSui$)`)
	ownType   = regexp.MustCompile(`(^|[ &<,])([a-z_0-9]+::[A-Z])`)
)

// node returns a function as a node reports it.
func node(fn string) (sui.Function, bool) {
	known, ok := floorcheck.Functions[fn]
	long := func(list []string) (out []string) {
		for _, t := range list {
			t = shortName.ReplaceAllStringFunc(t, func(m string) string { return shortNames[m] })
			out = append(out, ownType.ReplaceAllString(t, "${1}0xf::$2"))
		}
		return out
	}
	types := floorcheck.TypeParameters[fn]
	for _, t := range slices.Concat(known.Takes, known.Returns) {
		for n := range 2 {
			if strings.Contains(t, "$"+string(rune('0'+n))) {
				types = max(types, n+1)
			}
		}
	}
	_, name, _ := strings.Cut(fn, "::")
	return sui.Function{Name: name, Public: true, TypeParams: types,
		Parameters: append(long(known.Takes), "&mut 0x2::tx_context::TxContext"), Returns: long(known.Returns)}, ok
}

// signed compares a function with its recorded signatures.
func signed(f *Function) error {
	for i, s := range f.Steps {
		if s.Package == Unread {
			continue
		}
		fn, ok := node(s.Fn)
		if !ok {
			return refuse(OtherCall, "there is no %s", s.Fn)
		}
		if err := f.Signature(i, fn); err != nil {
			return err
		}
	}
	return nil
}

// recorded reports whether the test kit has a protocol's signatures. make verify-pins compares the
// others with a node.
func recorded(p *Protocol) bool {
	return slices.ContainsFunc(p.Functions, func(f Function) bool {
		_, ok := floorcheck.Functions[f.Steps[0].Fn]
		return ok
	})
}

func TestSignatures(t *testing.T) {
	with := 0
	for _, p := range catalog(t).Protocols {
		if !recorded(p) {
			t.Logf("no signature of %s is recorded", p.Slug)
			continue
		}
		with++
		for i := range p.Functions {
			if err := signed(&p.Functions[i]); err != nil {
				t.Error(err)
			}
		}
	}
	if with < 7 {
		t.Errorf("signatures of only %d protocols are recorded", with)
	}
}

// liar changes descriptions.
type liar struct{ *rand.Rand }

func pick[T any](l liar, list []T) T { return list[l.IntN(len(list))] }

// lie changes one detail of a description.
func (l liar) lie(p map[string]any) {
	f := pick(l, p["functions"].([]any)).(map[string]any)
	steps := f["steps"].([]any)
	s := pick(l, steps).(map[string]any)
	words := func(key string) []any { w, _ := s[key].([]any); return w }
	switch l.IntN(16) {
	case 0: // arguments are exchanged
		l.Shuffle(len(words("args")), func(i, j int) { a := words("args"); a[i], a[j] = a[j], a[i] })
	case 1, 2, 3: // an argument is something else
		if a := words("args"); len(a) > 0 {
			i := l.IntN(len(a))
			a[i] = l.word(a[i].(string))
		}
	case 4, 5: // a result is something else
		if o := words("out"); len(o) > 0 {
			i := l.IntN(len(o))
			o[i] = pick(l, []string{"coin:$sui", "coin:$a", "coin:$coin", "balance:$sui", "u64", "drop", "object:$sui",
				"hot:$sui"})
		}
	case 6: // one result more or fewer
		o := words("out")
		if l.IntN(2) == 0 && len(o) > 0 {
			s["out"] = o[:len(o)-1]
		} else {
			s["out"] = append(o, "coin:$sui")
		}
	case 7:
		f["floor"] = map[string]any{"step": l.IntN(len(steps)), "out": l.IntN(3)}
	case 8:
		delete(f, "floor")
	case 9: // a minimum that the protocol does not enforce
		f["bound"] = map[string]any{"coin": pick(l, []string{"$sui", "$a", "$b", "$coin", "$lst"}), "arg": pick(l,
			[]string{"amount", "limit", "ctokens"})}
	case 10:
		f["say"] = pick(l, []string{"Receive {in}", "Swap {in} for at least 100 USDC", "A gift for you", "Guaranteed profit",
			"Stake {in}"})
	case 11:
		delete(f, "risks")
	case 12: // type arguments change
		if types := words("types"); len(types) > 0 {
			l.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
			types[0] = pick(l, []any{types[0], "$sui", "$a", "$other"})
		}
	case 13: // a call is missing, or optional
		if i := l.IntN(len(steps)); i > 0 && l.IntN(2) == 0 {
			f["steps"] = slices.Delete(steps, i, i+1)
		} else {
			s["optional"] = true
		}
	case 14: // its package is unreviewed
		s["package"] = "unread"
		s["args"], s["out"] = []any{"rest"}, []any{}
	case 15:
		s["repeat"] = true
	}
}

func (l liar) word(w string) string {
	_, rest, _ := strings.Cut(w, ":")
	return pick(l, []string{"mut:" + rest, "ref:" + rest, "coin:" + rest, "coin:$sui", "balance:" + rest, "own:" + rest,
		"own&:" + rest, "u64:limit", "u64:amount", "u64:" + rest, "bool=true", "bool=false", "address:account",
		"address:validator", "string:note", "step.0.0", "&step.0.0", "&mut step.0.0", "step.0.1", "none:$sui", "u8:asset",
		"coins:$sui"})
}

// lies is the number of changed descriptions.
const lies = 10_000

// TestLyingDescriptors changes descriptions at random. The resulting readings of the vectors are
// compared with what the vectors actually do: no false floor is claimed, and no warning is omitted.
func TestLyingDescriptors(t *testing.T) {
	long.Skip(t, "10,000 descriptions, each tried on the vectors of its protocol")
	all, honest := loadVectors(t), catalog(t)
	packages := map[string]bool{}
	var sources []map[string]any
	for _, p := range honest.Protocols {
		for _, known := range p.Packages {
			packages[known.Published.String()] = true
		}
		data, err := files.ReadFile("protocols/" + p.Slug + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		if err := json.Unmarshal(data, &tree); err != nil {
			t.Fatal(err)
		}
		sources = append(sources, tree)
	}
	cases := casesOf(t, all, packages)
	l := liar{rand.New(rand.NewPCG(17, 33))}
	var parsed, unsigned, read int
	for range lies {
		data, err := json.Marshal(pick(l, sources))
		if err != nil {
			t.Fatal(err)
		}
		var tree map[string]any
		_ = json.Unmarshal(data, &tree)
		for range 1 + l.IntN(3) {
			l.lie(tree)
		}
		if data, err = json.Marshal(tree); err != nil {
			t.Fatal(err)
		}
		p, err := Parse(data)
		if err != nil {
			continue
		}
		parsed++
		c := &Catalog{Protocols: []*Protocol{p}}
		for _, one := range cases {
			if !calls(one.tx, p) {
				continue
			}
			r, err := c.Read(one.tx)
			if err != nil {
				continue
			}
			if err := signed(r.Function); err != nil {
				unsigned++
				continue
			}
			read++
			if wrong := compare(r, one.truth); wrong != "" {
				t.Fatalf("%s: %s\n%s", one.name, wrong, data)
			}
		}
	}
	t.Logf("%d lies: %d are descriptions; of what they read, the node's signatures refuse %d, %d are true", lies, parsed,
		unsigned, read)
	if parsed < lies/10 || read < lies/10 {
		t.Error("the lies are too random to test anything")
	}
}

type truthCase struct {
	name  string
	tx    *sui.Transaction
	truth floorcheck.Truth
}

func casesOf(t *testing.T, all vectors, packages map[string]bool) (list []truthCase) {
	t.Helper()
	for _, v := range slices.Concat(all.Valid, all.Hostile) {
		raw, err := base64.StdEncoding.DecodeString(v.Data)
		if err != nil {
			t.Fatal(err)
		}
		truth, err := floorcheck.Of(raw, packages)
		if err != nil {
			t.Fatal(v.Name, err)
		}
		list = append(list, truthCase{v.Name, v.decode(t), truth})
	}
	return list
}

func calls(tx *sui.Transaction, p *Protocol) bool {
	return slices.ContainsFunc(tx.Commands, func(c sui.Command) bool {
		call, ok := c.(sui.MoveCall)
		return ok && p.pinned(call.Package)
	})
}

// compare returns how a reading understates or overstates the truth, or "".
func compare(r *Reading, truth floorcheck.Truth) string {
	for _, a := range r.Floors() {
		if least, there := truth.Floors[string(a.Coin)]; a.Into < 0 && (!there || uint64(a.Least) > least) {
			return "a floor that is not there: " + string(a.Coin)
		}
	}
	warned := func(w Warning) bool { return slices.Contains(r.Warnings, w) }
	leaves := map[string]uint64{}
	for _, l := range r.Leaves {
		leaves[string(l.Coin)] += uint64(l.Most)
		for _, o := range l.Whole {
			delete(truth.Objects, o.ID.String())
		}
	}
	for coin, n := range truth.Leaves {
		if leaves[coin] < n {
			return "less leaves than is true: " + coin
		}
	}
	for id := range truth.Objects {
		if !slices.ContainsFunc(r.Own, func(o OwnUse) bool { return o.ID.String() == id }) {
			return "an object is left out: " + id
		}
	}
	for id := range truth.Addresses {
		if !slices.ContainsFunc(r.Named, func(n Named) bool { return n.Address.String() == id }) {
			return "an address is left out: " + id
		}
	}
	switch {
	case truth.Unfloored && !warned(NoMinimum):
		return "nobody is warned that there is no minimum"
	case truth.Unread && !warned(UnreadCode):
		return "nobody is warned of code that nobody read"
	}
	return ""
}

// TestHonestDescriptors compares the product's reader with the test kit's.
func TestHonestDescriptors(t *testing.T) {
	all, c := loadVectors(t), catalog(t)
	packages := map[string]bool{}
	for _, p := range c.Protocols {
		for _, known := range p.Packages {
			packages[known.Published.String()] = true
		}
	}
	floors := 0
	for _, one := range casesOf(t, all, packages) {
		r, err := c.Read(one.tx)
		if err != nil {
			continue
		}
		if wrong := compare(r, one.truth); wrong != "" {
			t.Errorf("%s: %s", one.name, wrong)
		}
		for coin, least := range one.truth.Floors {
			floors++
			if !slices.ContainsFunc(r.Floors(), func(a Arrival) bool {
				return string(a.Coin) == coin &&
					uint64(a.Least) == least
			}) {
				t.Errorf("%s: the floor of %s is not read", one.name, coin)
			}
		}
	}
	if floors < 10 {
		t.Errorf("only %d floors", floors)
	}
}
