package floor

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Protocol is the description of a protocol, which is one file in the folder protocols.
type Protocol struct {
	Name string `json:"protocol"` // display name
	Slug string `json:"slug"`     // name in intents
	// Packages are the pinned packages by a short name. A step without a package name uses "main".
	Packages map[string]Package `json:"packages"`
	// Shared are the types of the shared objects that functions take, by name.
	Shared map[string]string `json:"shared,omitempty"`
	// Objects are shared objects with known ids.
	Objects []Object `json:"objects,omitempty"`
	// Coins are the protocol's own coins that the table of pinned coins does not contain.
	Coins     []Coin     `json:"coins,omitempty"`
	Functions []Function `json:"functions"`

	shared map[string]pattern
	ways   []Way
}

// Package is one published version of a package. Types name Original. Version 0 means unknown.
type Package struct {
	Original  sui.ObjectID `json:"original,omitzero"`
	Published sui.ObjectID `json:"published"`
	Version   uint64       `json:"version,omitempty"`
}

// Object is a shared object and one use of it: the values of type variables, and the argument values
// that belong to this use. An object is listed once for each use.
type Object struct {
	Shared string            `json:"shared"` // its name in Protocol.Shared
	Label  string            `json:"label"`
	ID     sui.ObjectID      `json:"id"`
	Types  map[string]string `json:"types,omitempty"`
	Values map[string]string `json:"values,omitempty"`
	// Unconfirmed means that no node has confirmed the id or the values.
	Unconfirmed bool `json:"unconfirmed,omitempty"`

	types bindings
}

// Coin is a coin of a protocol, such as a receipt.
type Coin struct {
	Symbol   string `json:"symbol"`
	Type     string `json:"type"`
	Decimals uint8  `json:"decimals"`
	// Undescribed means that the chain has no metadata for the coin, so Decimals cannot be compared.
	Undescribed bool `json:"undescribed,omitempty"`

	typ sui.CoinType
}

// Function is one way of using a protocol: a sequence of calls that make up one action.
type Function struct {
	ID string `json:"id"` // begins with the protocol's slug
	// Action is the kind of action for which this program builds the function. It is empty if the
	// function is only explained.
	Action Action `json:"action,omitempty"`
	Steps  []Step `json:"steps"`
	// Set holds values that this program always passes.
	Set map[string]string `json:"set,omitempty"`
	In  []string          `json:"in,omitempty"` // types of the coins that are paid
	// Floor names the result for which this program sets a minimum. It is nil if no result can have
	// one.
	Floor *Place `json:"floor,omitempty"`
	// Bound is a minimum that the protocol itself enforces, set by an argument.
	Bound *Bound `json:"bound,omitempty"`
	// Gives are the types of objects that a call sends to the account itself.
	Gives []string `json:"gives,omitempty"`
	// Fee names the values that determine the fee taken from the result, and its recipient.
	Fee     *Fee     `json:"fee,omitempty"`
	Explain bool     `json:"explain_only,omitempty"` // never built by this program
	Say     string   `json:"say"`                    // text for the action, without its minimum
	Risks   []string `json:"risks,omitempty"`
	// Refuse lists calls that detect accounts that must be refused before anything is built.
	Refuse []Guard           `json:"refuse,omitempty"`
	Aborts map[string]string `json:"aborts,omitempty"` // texts for aborts, by module:code or *:code

	protocol *Protocol
	in       []pattern
	bound    pattern
}

// Step is one call of a package.
type Step struct {
	// Package is a name in Protocol.Packages, "" for "main", or Unread.
	Package  string   `json:"package,omitempty"`
	Fn       string   `json:"fn"` // module::name, or * for an unreviewed package
	Types    []string `json:"types,omitempty"`
	Args     []string `json:"args,omitempty"`
	Out      []string `json:"out,omitempty"`
	Optional bool     `json:"optional,omitempty"`
	Repeat   bool     `json:"repeat,omitempty"` // the step may be called several times
	// For restricts an optional call to these types: this program makes the call only for them.
	For map[string]string `json:"for,omitempty"`

	types []pattern
	args  []argument
	out   []output
	only  bindings // parsed form of For
}

// Guard is a read-only call. If its result is not an empty vector, the account is refused with the
// texts Say and Do. Otherwise, a check shows Pass.
type Guard struct {
	Step
	Result int    `json:"result"`
	Say    string `json:"say"`
	Do     string `json:"do"`
	Pass   string `json:"pass"`
}

// Main is the package name of steps without one.
const Main = "main"

// Unread is the package name of steps that may call an unreviewed package.
const Unread = "unread"

// Place identifies a result of a step.
type Place struct {
	Step int `json:"step"`
	Out  int `json:"out"`
}

// Bound is a minimum that the protocol's own code enforces. It is the value Arg or, if Of is set, Of *
// Times / Over, reduced by LessPPM millionths.
type Bound struct {
	Coin    string `json:"coin"`
	Arg     string `json:"arg,omitempty"`
	Of      string `json:"of,omitempty"`
	Times   string `json:"times,omitempty"`
	Over    string `json:"over,omitempty"`
	LessPPM string `json:"less_ppm,omitempty"`
}

// Fee is the part of the result, in millionths, that goes to an address.
type Fee struct {
	PPM string `json:"ppm"`
	To  string `json:"to"`
}

// Protocol returns the protocol that the function belongs to.
func (f *Function) Protocol() *Protocol { return f.protocol }

//go:embed protocols/*.json
var files embed.FS

// Catalog is a set of protocols.
type Catalog struct {
	Protocols []*Protocol

	newer *Newer
}

// Known returns the protocols that this program knows. Tests load every file, so it cannot fail at run
// time.
var Known = sync.OnceValue(func() *Catalog {
	c, err := load()
	if err != nil {
		panic(err)
	}
	return c
})

// load reads the files.
func load() (*Catalog, error) {
	entries, err := files.ReadDir("protocols")
	if err != nil {
		return nil, err
	}
	c := &Catalog{}
	for _, e := range entries {
		data, err := files.ReadFile("protocols/" + e.Name())
		if err != nil {
			return nil, err
		}
		p, err := Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		if e.Name() != p.Slug+".json" {
			return nil, fmt.Errorf("%s: the file of %q is named %s.json", e.Name(), p.Slug, p.Slug)
		}
		c.Protocols = append(c.Protocols, p)
	}
	return c, c.symbols()
}

// Function returns the function with an id.
func (c *Catalog) Function(id string) (*Function, bool) {
	for _, p := range c.Protocols {
		for i := range p.Functions {
			if p.Functions[i].ID == id {
				return &p.Functions[i], true
			}
		}
	}
	return nil, false
}

// Calls reports whether id is a pinned package of one of the protocols.
func (c *Catalog) Calls(id sui.ObjectID) bool {
	return slices.ContainsFunc(c.Protocols, func(p *Protocol) bool { return p.pinned(id) })
}

func (p *Protocol) pinned(id sui.ObjectID) bool {
	for _, known := range p.Packages {
		if known.Published == id {
			return true
		}
	}
	return false
}

// risks maps the risks that a file may name to their texts for users.
var risks = map[string]string{
	"upgradeable":     "Its developers can upgrade the protocol.",
	"fee_settable":    "The protocol can change its fees.",
	"price":           "The price can move until the transaction executes.",
	"freezable_token": "The issuer of the token can freeze it.",
	"router_fee":      "The router can take a fee.",
	"lent_out":        "While everything is lent out, nothing can be withdrawn.",
	"bad_debt":        "Losses of the protocol fall on those who supply.",
	"oracle":          "A wrong price from its oracle can cost you.",
	"liquidation":     "With loans, what you supply can be sold.",
	"validator":       "The reward depends on the validator and its commission.",
}

// RiskText returns the text for a risk.
func RiskText(word string) string { return risks[word] }

// promising matches numbers and promises. Descriptions must not contain them, because only this
// package may make them.
var promising = regexp.MustCompile(`(?i)[0-9]|least|minimum|guarante|safe|sure|certain|exactly`)

var slug = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// Parse strictly parses a description. Errors name the function and the problem.
func Parse(data []byte) (*Protocol, error) {
	p, err := strictjson.Decode[Protocol](data)
	if err != nil {
		return nil, err
	}
	if !slug.MatchString(p.Slug) || p.Name == "" {
		return nil, fmt.Errorf("a protocol needs a name, and a slug of small letters")
	}
	if len(p.Packages) == 0 || p.Packages["main"].Published.IsZero() {
		return nil, fmt.Errorf("the package main is missing")
	}
	p.shared = map[string]pattern{}
	for name, text := range p.Shared {
		if p.shared[name], err = p.pattern(text); err != nil {
			return nil, fmt.Errorf("the shared object %s: %w", name, err)
		}
	}
	if err := p.parseObjects(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range p.Functions {
		f := &p.Functions[i]
		if err := f.parse(&p); err != nil {
			return nil, fmt.Errorf("%s: %w", f.ID, err)
		}
		if seen[f.ID] {
			return nil, fmt.Errorf("%s is there twice", f.ID)
		}
		seen[f.ID] = true
	}
	return &p, p.findWays()
}

// parseObjects parses objects and coins.
func (p *Protocol) parseObjects() (err error) {
	for i := range p.Objects {
		o := &p.Objects[i]
		if _, known := p.shared[o.Shared]; !known || o.ID.IsZero() || o.Label == "" {
			return fmt.Errorf("the object %q needs a label, an id, and a name of shared", o.Label)
		}
		if o.types, err = p.bind(o.Types); err != nil {
			return fmt.Errorf("the object %q: %w", o.Label, err)
		}
	}
	for i := range p.Coins {
		c := &p.Coins[i]
		typ, err := p.pattern(c.Type)
		if err != nil {
			return fmt.Errorf("the coin %q: %w", c.Symbol, err)
		}
		c.typ = sui.CoinType(typ.tag.String())
	}
	return nil
}

// parse parses a function.
func (f *Function) parse(p *Protocol) error {
	f.protocol = p
	if !strings.HasPrefix(f.ID, p.Slug+".") {
		return fmt.Errorf("its id does not begin with %s", p.Slug+".")
	}
	if len(f.Steps) == 0 || f.Steps[0].Optional || f.Steps[0].Package == Unread {
		return fmt.Errorf("it does not begin with a call that it names")
	}
	if f.Say == "" || promising.MatchString(f.Say) {
		return fmt.Errorf("say is empty, or contains a number or a promise")
	}
	for _, r := range f.Risks {
		if risks[r] == "" {
			return fmt.Errorf("unknown risk %q", r)
		}
	}
	for i := range f.Steps {
		if err := f.Steps[i].parse(p, i); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	for i := range f.Refuse {
		g := &f.Refuse[i]
		if err := g.parse(p, 0); err != nil || g.Result < 0 || g.Result >= len(g.out) || g.Say == "" || g.Do == "" ||
			g.Pass == "" {
			return fmt.Errorf("refuse %d: it names no result, or lacks words: %w", i, err)
		}
	}
	var err error
	if f.in, err = p.patterns(f.In); err != nil {
		return fmt.Errorf("in: %w", err)
	}
	if f.Bound != nil {
		if f.bound, err = p.pattern(f.Bound.Coin); err != nil {
			return fmt.Errorf("bound: %w", err)
		}
	}
	if f.Floor != nil && !f.returns(*f.Floor) {
		return fmt.Errorf("floor names a result that cannot be a coin")
	}
	return nil
}

// returns reports whether a place is a coin or a balance.
func (f *Function) returns(at Place) bool {
	if at.Step < 0 || at.Step >= len(f.Steps) || at.Out < 0 || at.Out >= len(f.Steps[at.Step].out) {
		return false
	}
	k := f.Steps[at.Step].out[at.Out].kind
	return k == formCoin || k == formBalance
}
