package orders

import (
	"context"
	"math"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// feeInput is the fee mode in which the order's fee is taken from the coin that it pays.
const feeInput = "input"

// deep is the coin for fees in the mode deep.
var deep = plan.Asset{Symbol: "DEEP", CoinType: coins.DEEP, Decimals: 6}

// included returns a phrase for the end of an amount that includes the fee. It returns "" for a fee in
// DEEP.
func (p *Placing) included() string {
	if p.Order.InDeep {
		return ""
	}
	return ", fee included at the rate that the node reports"
}

// besides returns a phrase for the middle of a sentence: the amount includes the fee, or the order
// also ties up DEEP.
func (p *Placing) besides() string {
	if !p.Order.InDeep {
		return p.included() + ","
	}
	return ", and for its fee up to " + p.Fee.String() + " at the price that the node reports,"
}

// inDeep checks whether the manager can pay the fee in DEEP. It rejects a pool without a DEEP price,
// because the pool would take the fee in another coin, or fail.
func (p *Placing) inDeep(ctx context.Context, d *plan.Step) error {
	message, do := deepbook.NoDeepPrice()
	price, err := p.market.DeepPrice(ctx, p.Order.Pool.Key)
	rate := max(p.Market.MakerFee, p.Market.TakerFee)
	if fault.Is(err, fault.QuoteUnavailable) || err == nil && price.PerAsset == 0 && rate > 0 && !p.Market.Whitelisted {
		return refuse(plan.QuoteUnavailable, message, do)
	}
	if err != nil {
		return err
	}
	o := p.Order
	at := o
	at.IsBid = true // compute the value in quote coins
	if !o.IsBid {
		at.Price = max(o.Price, uint64(p.Book.Mid)) // a sale can trade above its limit
	}
	worth, ok := at.Most(0)
	if !ok || worth == math.MaxUint64 {
		return refuse(plan.AmountMismatch, "The order is worth more than DeepBook can count.",
			"Prepare a new review of a smaller order.")
	}
	most, fits := price.Fee(sui.Raw(o.Quantity), sui.Raw(worth)+1, rate)
	if p.Fee = deep.Of(most); !fits {
		return refuse(plan.AmountMismatch, "The fee is larger than DeepBook can count.",
			"Prepare a new review of a smaller order.")
	}
	if p.unheld != nil {
		return nil // a preflight reports this together with the other missing deposits
	}
	free, err := p.source.FreeAfter(ctx, p.after, p.Holder, coins.DEEP)
	if err != nil {
		return err
	}
	p.deep = free
	d.Read(managed.Free(deep.Of(free)), plan.Reading{Name: "price of DEEP", Value: price.PerAsset.String(), Moves: true})
	if free < most {
		return refuse(plan.InsufficientBalance, "The fee takes up to "+p.Fee.String()+"; the balance manager has "+
			deep.Of(free).String()+
			" that no other order ties up.", "Put DEEP into it first. Or: "+do)
	}
	d.Check(plan.Pass(plan.SourceWallet, managed.Prefix+"_order_fee", "Fee",
		"The fee is taken in DEEP: up to "+p.Fee.String()+" at current prices, of "+deep.Of(free).String()+
			" that the balance manager has free."))
	return nil
}
