package floored

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/protocol/versions"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Adapters returns the actions of all described protocols. second is another node, which confirms
// newer versions of protocols. It may be nil.
func Adapters(chain Chain, second versions.Node, debts Debts) (list []plan.Adapter) {
	for _, p := range floor.Known().Protocols {
		one := over(p, chain)
		one.second, one.debts = second, debts
		for _, action := range p.Actions() {
			list = append(list, map[floor.Action]plan.Adapter{floor.Swap: &swap{one}, floor.Supply: &supply{one},
				floor.SupplyWithdraw: &withdraw{one}}[floor.Action(action)])
		}
	}
	return list
}

// protocol is a described protocol on a node.
type protocol struct {
	*floor.Protocol
	chain  Chain
	second versions.Node
	debts  Debts

	one   sync.Mutex
	found map[sui.ObjectID]sui.SharedInput // objects read so far; a shared object stays shared
	newer *floor.Newer                     // newer version that reviews call, or nil
}

func over(p *floor.Protocol, chain Chain) *protocol {
	return &protocol{Protocol: p, chain: chain, found: map[sui.ObjectID]sui.SharedInput{}}
}

// coin finds a coin by its symbol, among the coins that side returns for an action's ways.
func (p *protocol) coin(symbol string, of floor.Action, side func(floor.Way) sui.CoinType) (plan.Asset, error) {
	var list []coins.Coin
	var symbols []string
	for _, w := range p.Ways(of) {
		c, ok := floor.Known().CoinByType(side(w))
		if ok && !slices.Contains(symbols, c.Symbol) {
			list, symbols = append(list, c), append(symbols, c.Symbol)
		}
	}
	if c, ok := coins.Match(list, symbol, func(c coins.Coin) string { return c.Symbol }); ok {
		return venue.Asset(c), nil
	}
	return plan.Asset{}, coins.Miss(p.Name+" coin", symbol, symbols)
}

func paid(w floor.Way) sui.CoinType    { return w.In }
func arrives(w floor.Way) sui.CoinType { return w.Out }

// way returns the first way of an action with these coins. "" matches any coin.
func (p *protocol) way(of floor.Action, in, out sui.CoinType) (floor.Way, bool) {
	ways := p.Ways(of)
	i := slices.IndexFunc(ways, func(w floor.Way) bool {
		return (in == "" || w.In == in) && (out == "" || w.Out == out)
	})
	if i < 0 {
		return floor.Way{}, false
	}
	return ways[i], true
}

// check returns the id of a check: the protocol's slug followed by what.
func (p *protocol) check(what string) string { return p.Slug + what }

// functions lists the functions that an action calls, as module::name.
func (p *protocol) functions(of floor.Action) (list []string) {
	for _, w := range p.Ways(of) {
		for _, s := range w.Function.Steps {
			if !slices.Contains(list, s.Fn) {
				list = append(list, s.Fn)
			}
		}
	}
	return list
}

// meta returns the metadata of an action that does not depend on the kind of action.
func (p *protocol) meta(of floor.Action) plan.Meta {
	return plan.Meta{
		Action: string(of), Slug: p.Slug, Protocol: p.Name, Label: p.Name, AdapterID: p.Slug + "-" + string(of),
		StageCatalog: p.Slug + "_" + string(of) + "_review_v1", CheckPrefix: p.Slug,
		Packages: []sui.ObjectID{p.Packages["main"].Published}, Functions: p.functions(of),
	}
}

// use prepares a way for an amount. Its objects are read once and compared with the description.
// values contains the arguments that depend on the amount.
func (p *protocol) use(ctx context.Context, w floor.Way, pays plan.Amount, values map[string]string) (Use, error) {
	shared, err := p.objects(ctx, w)
	if err != nil {
		return Use{}, err
	}
	all := maps.Clone(w.Values)
	maps.Copy(all, values)
	main := shared[w.Main]
	return Use{Function: w.Function, Pays: pays, Route: plan.SharedObject{ID: main.ID, Initial: main.InitialVersion},
		Inputs: floor.Inputs{Types: w.Types, Shared: shared, Values: all}}, nil
}

// objects returns the objects of a way by their names.
func (p *protocol) objects(ctx context.Context, w floor.Way) (map[string]sui.SharedInput, error) {
	p.one.Lock()
	defer p.one.Unlock()
	var unread []sui.ObjectID
	for _, id := range w.Objects {
		if _, ok := p.found[id]; !ok {
			unread = append(unread, id)
		}
	}
	if len(unread) > 0 {
		list, err := p.chain.Present(ctx, unread)
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			for name, id := range w.Objects {
				//mutant:always `o.Type == w.Shared(name)` ./internal/protocol/floored TestObjectsAreRead
				if id == o.Ref.ID && o.Owner.Kind == sui.OwnerShared && o.Type == w.Shared(name) {
					p.found[id] = sui.SharedInput{ID: id, InitialVersion: o.Owner.InitialVersion}
				}
			}
		}
	}
	out := map[string]sui.SharedInput{}
	for name, id := range w.Objects {
		var ok bool
		if out[name], ok = p.found[id]; !ok {
			return nil, &plan.Stop{Reason: plan.ObjectResolutionFailed,
				Check: plan.Fail(plan.SourceNetwork, p.check("_objects"), p.Name,
					"The node has no object of "+p.Name+" as this program knows it: "+id.String()+".",
					"Use another node. If that does not help, "+p.Name+" has changed: update Say Ur Intent.")}
		}
	}
	return out, nil
}

// read reads the next commands as a use of a way of the action. Objects and values must match the way.
func (p *protocol) read(r *readback.Reader, of floor.Action) (*floor.Reading, floor.Way, error) {
	got, err := p.With(p.called()).ReadStep(r, func(f *floor.Function) bool { return f.Action == of })
	if err != nil {
		return nil, floor.Way{}, err
	}
	for _, w := range p.Ways(of) {
		if w.Is(got) {
			return got, w, nil
		}
	}
	return nil, floor.Way{}, readback.Unlike("It uses %s in a different way than this program does.", p.Name)
}

// bare lists the coins of a way that have no metadata on chain.
func (p *protocol) bare(w floor.Way) (list []sui.CoinType) {
	for _, c := range p.Coins {
		if c.Undescribed && (c.CoinType() == w.In || c.CoinType() == w.Out) {
			list = append(list, c.CoinType())
		}
	}
	return list
}

// facts returns the facts of a step, without its promise.
func (p *protocol) facts(got *floor.Reading, w floor.Way) plan.StepFacts {
	f := Facts(got)
	f.Route, f.RouteID = w.Label, w.Objects[w.Main]
	return f
}

// leaves returns the only amount that a reading pays. If the reading has a value "amount", it must be
// equal.
func leaves(got *floor.Reading) (plan.Amount, error) {
	if len(got.Leaves) != 1 || len(got.Leaves[0].Whole) > 0 {
		return plan.Amount{}, readback.Unlike("It does not pay one amount.")
	}
	a := Asset(got.Leaves[0].Coin).Of(got.Leaves[0].Most)
	//mutant:never ./internal/protocol/floored TestReadRefuses
	if n, ok := got.Values["amount"]; ok && n != a.Raw.String() {
		return plan.Amount{}, readback.Unlike("It pays a different amount than it names.")
	}
	return a, nil
}

// least returns the only minimum of a reading.
func least(got *floor.Reading) (plan.Amount, error) {
	floors := got.Floors()
	//mutant:never ./internal/protocol/floored TestReadRefuses
	if len(floors) != 1 {
		return plan.Amount{}, readback.Unlike("It sets no minimum.")
	}
	return Asset(floors[0].Coin).Of(floors[0].Least), nil
}

// failed returns the stop for a quote whose simulation failed.
func (p *protocol) failed(u Use, q Quoted) *plan.Stop {
	why := "The simulation failed."
	if a := q.Failed.Abort; a != nil {
		if text, ok := u.Function.Abort(*a); ok {
			why = text
		}
	} else if q.Failed.Kind == sui.InsufficientCoin {
		why = "You would receive nothing."
	}
	return &plan.Stop{Reason: plan.QuoteUnavailable,
		Check: plan.Fail(plan.SourceQuote, p.check("_quote_source_failed"), "Quote",
			p.Name+" cannot do this now. "+why, "Choose another amount in a new review, or check again later.")}
}

// risks returns the check that states the known risks of a function.
func (p *protocol) risks(f *floor.Function) plan.Check {
	text := p.Name + " is called with a minimum in the transaction."
	if f.Floor == nil {
		text = p.Name + " is called."
	}
	for _, r := range f.Risks {
		text += " " + floor.RiskText(r)
	}
	return plan.Pass(plan.SourceRegistry, p.check("_risks"), "Protocol", text)
}

// asked returns the stage that records the request.
func (p *protocol) asked(what string) plan.Stage {
	return plan.Stage{ID: plan.StageIntent, Run: func(_ context.Context, s *plan.Step) error {
		s.Check(plan.Pass(plan.SourceAdapter, p.check("_display_intent"), "Request", "You asked to "+what+"."))
		return nil
	}}
}

// unspecific returns the error for an intent that lacks a coin.
func unspecific(field string) error {
	return fault.New(fault.InputInvalid, "The coin's symbol is missing.").With("field", field)
}

// amounts returns the results of first and, if both is set, of second.
func amounts(got *floor.Reading, first, second func(*floor.Reading) (plan.Amount, error), both bool) (a,
	b plan.Amount, err error) {
	if a, err = first(got); err == nil && both {
		b, err = second(got)
	}
	return a, b, err
}
