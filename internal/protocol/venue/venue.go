// Package venue is the shared part of all swaps: reading an intent, the stages, the evidence of a
// quote, the guaranteed minimum, and the transfer of the result. A protocol adds reading, quoting,
// building and decoding.
package venue

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ModeInput is the fee mode in which the fee is part of the coin that is paid.
const ModeInput = "input"

// Venue describes a protocol that offers swaps.
type Venue struct {
	Slug      string       // the protocol's name in an intent
	Protocol  string       // the protocol's name in reviews, such as "DeepBookV3"
	Label     string       // the display name
	Prefix    string       // the beginning of check ids
	Pools     plan.StageID // the stage that finds the pools
	Finding   string       // the text for that stage; "" means a text derived from its id
	Packages  []sui.ObjectID
	Functions []string // as module::name
	// Unreported names terms that no event of the protocol reports.
	Unreported []string

	// Coin finds a pinned coin by its symbol. Route returns the pool of a pair, or "" if the quotes of
	// several pools decide.
	Coin  func(symbol string) (plan.Asset, error)
	Route func(from, to plan.Asset) (string, error)
	// Mode reads a fee mode. If nil, only ModeInput is allowed.
	Mode  func(mode string) (string, error)
	Where func(p plan.Plan) string // as in "the DeepBook pool SUI_USDC"

	QuoteTool string       // the tool that returns a price before a review
	Besides   string       // a further sentence for the prompt; may be empty
	Coins     []coins.Coin // coins that the venue swaps; nil means all pinned coins
}

// Swap is one computation of a swap.
type Swap interface {
	// Resolve finds the pools, and adds the check that reports them.
	Resolve(d *plan.Step) error
	// Quote queries the pools. It records an Answer in the step, and any coins that are needed in
	// addition to the input.
	Quote(ctx context.Context, d *plan.Step) error
	// Call returns what to build. The minimum is set at this point.
	Call(d *plan.Step) (Call, error)
}

// Call describes a swap's part of a transaction.
type Call struct {
	Target  plan.Target
	Terms   []plan.Term
	Append  func(*plan.Builder) error
	Explain func(sui.MoveAbort) *plan.Stop
}

// Adapter implements the part of plan.Adapter that all venues share.
type Adapter struct {
	Venue
	Begin func(p plan.Plan) Swap
}

// Meta implements plan.Adapter.
func (a Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"swap", "tokenswap", "coinswap", "exchange", "trade"},
		Takes:   []string{"from", "to", "maxSlippageBps"},
		Action:  "swap", Slug: a.Slug, Protocol: a.Protocol, Label: a.Label, AdapterID: a.Prefix + "-swap",
		StageCatalog: a.Prefix + "_swap_review_v1", CheckPrefix: a.Prefix, Stages: a.stages(), Unreported: a.Unreported,
		Packages: a.Packages, Functions: a.Functions, Words: a.words(),
	}
}

func (a Adapter) words() plan.StageWords {
	w := plan.StageWords{stageQuote: "Asking for a quote", stagePolicy: "Calculating the minimum you receive"}
	if a.Finding != "" {
		w[a.Pools] = a.Finding
	}
	return w
}

// The stages that all venues share.
const (
	stageQuote  plan.StageID = "quote_evidence_fetched"
	stagePolicy plan.StageID = "quote_policy_derived"
)

func (a Adapter) stages() []plan.StageID {
	return []plan.StageID{plan.StageIntent, a.Pools, stageQuote, stagePolicy}
}

// Plan implements plan.Adapter. It looks up both symbols in the pinned registry and reads the amount
// exactly. Its errors name the field.
func (a Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("from", "to", "maxSlippageBps", "feeMode"); err != nil {
		return plan.Plan{}, err
	}
	mode, err := a.mode(in.FeeMode)
	if err != nil {
		return plan.Plan{}, plan.AtField("intent.feeMode", err)
	}
	from, err := a.coin("intent.from.symbol", in.From.Symbol)
	if err != nil {
		return plan.Plan{}, err
	}
	to, err := a.coin("intent.to.symbol", in.To.Symbol)
	if err != nil {
		return plan.Plan{}, err
	}
	route, err := a.Route(from, to)
	if err != nil {
		return plan.Plan{}, plan.AtField("intent.to.symbol", err)
	}
	input, err := plan.ReadAmount("intent.from.amount", in.From.Amount, from)
	if err != nil {
		return plan.Plan{}, err
	}
	if err := plan.CheckSlippage(in.MaxSlippageBps); err != nil {
		return plan.Plan{}, err
	}
	p := plan.Plan{Route: route, MaxSlippageBps: in.MaxSlippageBps, FeeMode: mode, Promise: plan.SwapAsked(input, to)}
	swap, most := input.String()+" to "+to.Symbol, plan.Percent(in.MaxSlippageBps)
	p.Title, p.Asked = "Swap "+swap, "swap "+swap+", at most "+most+" below the quote"
	p.Summary = "Swap " + swap + " in " + a.Where(p) + ", accepting at most " + most + " less than the quote."
	return p, nil
}

func (v Venue) mode(mode string) (string, error) {
	switch {
	case v.Mode != nil:
		return v.Mode(mode)
	case mode != "" && mode != ModeInput:
		return "", fault.New(fault.InputInvalid,
			"%s takes its fee from the coin that is paid: leave feeMode out, or say input.", v.Label)
	}
	return ModeInput, nil
}

func (a Adapter) coin(field, symbol string) (plan.Asset, error) {
	if symbol == "" {
		return plan.Asset{}, fault.New(fault.InputInvalid, "The coin's symbol is missing.").With("field", field)
	}
	c, err := a.Coin(symbol)
	return c, plan.AtField(field, err)
}

// Stages implements plan.Adapter.
func (a Adapter) Stages(p plan.Plan) []plan.Stage {
	w, ids := a.Begin(p), a.stages()
	return []plan.Stage{
		{ID: ids[0], Run: func(_ context.Context, d *plan.Step) error { d.Check(a.asked(p)); return nil }},
		{ID: ids[1], Run: func(_ context.Context, d *plan.Step) error { return w.Resolve(d) }},
		{ID: ids[2], Run: func(ctx context.Context, d *plan.Step) error {
			d.Needs = []plan.CoinRequest{{Role: plan.RoleInput, Amount: p.Input()}}
			return w.Quote(ctx, d)
		}},
		{ID: ids[3], Run: func(_ context.Context, d *plan.Step) error {
			if err := d.DeriveMinimum(a.Prefix); err != nil {
				return err
			}
			c, err := w.Call(d)
			d.Target, d.Terms, d.Append, d.Explain = c.Target, c.Terms, c.Append, c.Explain
			return err
		}},
	}
}

// asked returns the check that states the request.
func (a Adapter) asked(p plan.Plan) plan.Check {
	return plan.Pass(plan.SourceAdapter, a.Prefix+"_display_intent", "Request",
		"You asked to swap "+p.Input().String()+" to "+p.Output().Symbol+
			", accepting at most "+plan.Percent(p.MaxSlippageBps)+" less than the quote.")
}

// Asset returns a pinned coin in the form that reviews show.
func Asset(c coins.Coin) plan.Asset {
	return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
}

// Pinned returns the pinned coin for an asset.
func Pinned(a plan.Asset) coins.Coin {
	c, _ := coins.ByType(a.CoinType)
	return c
}
