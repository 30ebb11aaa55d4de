package review

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Second is another node that is asked about the same facts. Adapters are over
// that node; they tell the middle price from it. With a second node, one that
// lies alone is found out.
type Second struct {
	Chain     Chain
	Simulator Simulator
	Adapters  []Adapter
}

// compare asks the second node and blocks where it disagrees. Without one, what
// was not checked is said.
func (r *run) compare(ctx context.Context) error {
	second := r.c.Second
	if r.draft.Quote == nil && r.draft.Limit == nil {
		r.draft.Check(Pass(SourceAdapter, checkPrice, "Price", "Nothing is traded, so there is no price to compare."))
	}
	if second == nil {
		r.notChecked = []RuleID{"C20"}
		what := "balances, epoch, gas price and simulated effects are"
		if r.draft.Quote != nil {
			r.notChecked, what = []RuleID{"C04", "C20"}, "price, fee, balances, epoch, gas price and simulated effects are"
		}
		r.draft.Check(Warn(SourceNetwork, "second_provider_not_set", "Second node",
			"Not checked: no second node is set, so "+what+" the word of one node. "+
				"The amounts and the recipient are in the bytes and need no node.",
			"To have all of it asked twice, set SUI_GRPC_URL_2 and start again."))
		return r.judgePrice(nil)
	}
	var told heard
	if err := r.hear(ctx, second, &told); err != nil {
		return r.unheard(err)
	}
	if stop := r.disagrees(told); stop != nil {
		return stop
	}
	if err := r.holdsOther(ctx, second); err != nil {
		return r.unheard(err)
	}
	r.draft.Check(Pass(SourceNetwork, checkSecond, "Second node",
		"A second node tells the same chain, objects, coins and effects."))
	return r.judgePrice(told.draft)
}

// heard is what the second node told.
type heard struct {
	chain   sui.Digest
	epoch   sui.Epoch
	objects []sui.Object
	coins   []sui.Metadata
	effects sui.Simulation
	draft   *Draft // what the adapter's stages leave over the second node; nil where it has no such adapter
}

// hear asks everything at once.
func (r *run) hear(ctx context.Context, second *Second, to *heard) error {
	ids := make([]sui.ObjectID, 0, len(r.objects))
	for _, o := range r.objects {
		ids = append(ids, o.Ref.ID)
	}
	return r.c.together(
		func() (err error) { to.chain, err = second.Chain.ChainIdentifier(ctx); return err },
		func() (err error) { to.epoch, err = second.Chain.Epoch(ctx); return err },
		func() (err error) { to.objects, err = second.Chain.Objects(ctx, ids); return err },
		func() (err error) { to.coins, err = r.describeCoins(ctx, second.Chain); return err },
		func() (err error) { to.effects, err = second.Simulator.SimulateBytes(ctx, r.bytes, true); return err },
		func() (err error) { to.draft, err = r.draftFrom(ctx, second); return err },
	)
}

// draftFrom runs the adapter's own stages over the second node, for its price,
// or for the objects that it would name where no price is involved.
func (r *run) draftFrom(ctx context.Context, second *Second) (*Draft, error) {
	for _, a := range second.Adapters {
		if a.Meta().AdapterID != r.meta.AdapterID {
			continue
		}
		d := &Draft{Plan: r.draft.Plan, Intent: r.session.Intent, Account: r.session.Account, Now: r.now, QuoteAge: r.c.Limits.QuoteAge}
		for _, stage := range a.Stages(d.Plan) {
			if err := stage.Run(ctx, d); err != nil {
				return nil, err
			}
		}
		return d, nil
	}
	return nil, nil
}

func (d *Draft) quote() *QuoteEvidence {
	if d == nil {
		return nil
	}
	return d.Quote
}

// sameAction reports whether two drafts that trade nothing at once are about the
// same objects and terms: nothing of them moves with a market.
func (d *Draft) sameAction(o *Draft) bool {
	a, b := d.Target, o.Target
	return a.Package == b.Package && a.Function == b.Function && sameTypes(a.TypeArgs, b.TypeArgs) &&
		slices.Equal(a.shares(), b.shares()) && slices.Equal(d.Terms, o.Terms) && d.Gets == o.Gets
}

// unheard says how a review ends whose second node gave no answer: an outage is
// a refresh, a refusal of what the first node told is a disagreement.
func (r *run) unheard(err error) *Stop {
	var stop *Stop
	if errors.As(err, &stop) {
		if stop.Reason == QuoteStale || stop.Check.Rule == "C20" {
			return stop // it took too long, which is no disagreement, or it was compared
		}
		return r.mismatch(EffectsMismatch, "quotes nothing: "+stop.Check.Message)
	}
	f := fault.As(err)
	if panicked(err) {
		return r.stopped("", err)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || reasonOf(f.Code) == ProviderUnavailable {
		return &Stop{ProviderUnavailable, Fail(SourceNetwork, "second_provider_unavailable", "Second node",
			"The second node did not answer, so nothing could be compared.",
			"Refresh in a moment, or start without SUI_GRPC_URL_2.").under("C20")}
	}
	if f.Code == fault.NetworkMismatch {
		return r.mismatch(NetworkMismatch, "is another chain")
	}
	return r.mismatch(ObjectResolutionFailed, "does not know what the first told: "+f.Text)
}

func (r *run) mismatch(reason Reason, what string) *Stop {
	return &Stop{reason, Fail(SourceNetwork, checkMismatch, "Second node", "The second node "+what+". One of the two is wrong.",
		"Do not sign. Refresh, as one may only lag behind; if it stays, find out which node is wrong and replace it.").under("C20")}
}

// disagrees compares what both nodes told.
func (r *run) disagrees(told heard) *Stop {
	if told.chain.String() != r.chainID {
		return r.mismatch(NetworkMismatch, "is another chain")
	}
	if stop := r.otherEpoch(told.epoch); stop != nil {
		return stop
	}
	moved, stop := r.otherObjects(told.objects)
	if stop != nil {
		return stop
	}
	if r.draft.Quote == nil && told.draft != nil && !r.draft.sameAction(told.draft) {
		return r.mismatch(ObjectResolutionFailed, "names other objects for the same request")
	}
	if stop := r.otherReadings(told.draft, moved); stop != nil {
		return stop
	}
	for i, coin := range r.coins() {
		if told.coins[i].Type != coin.CoinType || !coin.counted() && told.coins[i].Decimals != coin.Decimals {
			return r.mismatch(AssetMismatch, "tells other decimals of "+coin.Symbol)
		}
		if coin.Foreign && !coin.counted() && toldSymbol(told.coins[i].Symbol) != coin.Symbol {
			return r.mismatch(AssetMismatch, "tells another symbol of "+string(coin.CoinType))
		}
	}
	return r.otherEffects(told.effects, moved)
}

// fairBudget is how many times the budget by the second node's word may be that
// by the first's: the estimate came before the coins that pay were known.
const fairBudget = 2

// otherEffects compares the two simulations. Amounts may differ a little where the
// market moved between them; who loses and gains what may not.
func (r *run) otherEffects(sim sui.Simulation, moved bool) *Stop {
	if !sim.Status.OK {
		return r.mismatch(EffectsMismatch, "says that the transaction fails")
	}
	if sim.Digest != r.digest || sim.Sender != r.session.Account {
		return r.mismatch(EffectsMismatch, "answered for another transaction")
	}
	if fair := GasBudget(sim.Gas, r.c.Limits); r.tx.Gas.Budget > fairBudget*fair {
		return r.mismatch(EffectsMismatch, "says that far less gas is needed")
	}
	type holding struct {
		owner sui.Address
		coin  sui.CoinType
	}
	sums := func(changes []sui.BalanceChange) map[holding]*big.Int {
		out := map[holding]*big.Int{}
		for _, c := range changes {
			if k := (holding{c.Owner, c.Coin}); out[k] == nil {
				out[k] = c.Amount.Big()
			} else {
				out[k].Add(out[k], c.Amount.Big())
			}
		}
		return out
	}
	if wrong := r.unlike(sim.Events); wrong != "" {
		return r.mismatch(EffectsMismatch, "tells other events. "+strings.TrimSuffix(wrong, "."))
	}
	ours, theirs := sums(r.simulated.Balances), sums(sim.Balances)
	for k := range theirs {
		if ours[k] == nil {
			return r.mismatch(EffectsMismatch, "tells of a change that the first does not tell")
		}
	}
	for k, ours := range ours {
		if theirs[k] == nil || far(ours, theirs[k]) {
			return r.mismatch(EffectsMismatch, "tells other balance changes")
		}
		if !moved && ours.Cmp(theirs[k]) != 0 {
			return r.lags("tells slightly other balance changes")
		}
	}
	if !moved && sim.Gas != r.simulated.Gas {
		return r.lags("tells another cost of gas")
	}
	return nil
}

// far reports whether two changes differ by more than a hundredth of the first;
// those of other directions do.
func far(a, b *big.Int) bool {
	apart := new(big.Int).Sub(a, b)
	return apart.Abs(apart).Mul(apart, big.NewInt(100)).CmpAbs(a) > 0
}

// The bounds of a price that is worse than the middle price, in basis points.
const (
	warnedFrom  = 1000
	blockedFrom = 2000
)

// judgePrice compares the guaranteed minimum with the middle price that the
// second node told, and an order's limit with that of both nodes. second is nil
// where no second node was asked, or where it has no such adapter.
func (r *run) judgePrice(second *Draft) error {
	switch {
	case r.draft.Limit != nil:
		return r.judgeLimit(second)
	case r.draft.Quote == nil, r.c.Second == nil:
		return nil
	}
	q := second.quote()
	if q == nil || q.MidPrice == "" {
		r.notChecked = append(r.notChecked, "C04")
		r.draft.Check(Warn(SourceQuote, "price_not_compared", "Price",
			"Not checked: the second node tells no middle price to compare the minimum with.", "Compare the price elsewhere before you sign.").
			under("C04"))
		return nil
	}
	bps, ok := r.under(q)
	if !ok {
		return r.mismatch(EffectsMismatch, "tells a price that cannot be read")
	}
	if bps <= blockedFrom {
		if stop := r.otherMiddle(q.MidPrice); stop != nil {
			return stop
		}
	}
	text := "The guaranteed minimum is " + string(sui.Raw(max(bps, 0)).Decimal(2)) + " % under the middle price that a second node tells."
	const do = "A smaller amount usually gets a better price; so does less slippage. Prepare a new review."
	switch {
	case bps > blockedFrom:
		return &Stop{AmountMismatch, Fail(SourceQuote, checkPrice, "Price", text, do).under("C04")}
	case bps >= warnedFrom:
		r.draft.Check(Warn(SourceQuote, checkPrice, "Price", text, do).under("C04"))
	default:
		r.draft.Check(Pass(SourceQuote, checkPrice, "Price", text))
	}
	return nil
}

// under gives by how many basis points, rounded up, the minimum lies under the
// worth of what is traded at a quote's middle price; negative is above.
func (r *run) under(q *QuoteEvidence) (bps int64, ok bool) {
	price, ok := new(big.Rat).SetString(q.MidPrice)
	if !ok || price.Sign() <= 0 || q.Unspent.Raw >= q.Input.Raw {
		return 0, false
	}
	worth := rational(q.Input.Raw-q.Unspent.Raw, r.draft.Plan.From)
	if q.Direction == "quote_to_base" {
		worth.Quo(worth, price)
	} else {
		worth.Mul(worth, price)
	}
	lost := new(big.Rat).Sub(worth, rational(r.facts.Minimum.Raw, r.draft.Plan.To))
	lost.Quo(lost, worth).Mul(lost, big.NewRat(10000, 1))
	up := new(big.Int).Add(lost.Num(), new(big.Int).Sub(lost.Denom(), big.NewInt(1)))
	up.Div(up, lost.Denom())
	return up.Int64(), up.IsInt64()
}

func rational(raw sui.Raw, a Asset) *big.Rat {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(a.Decimals)), nil)
	return new(big.Rat).SetFrac(number(raw), scale)
}
