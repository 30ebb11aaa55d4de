package assets

import (
	"context"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Conclusion is the conclusion from the balances.
type Conclusion string

// Conclusions from the balances.
const (
	Covered   Conclusion = "covered_by_settlement_asset_balance"
	Short     Conclusion = "shortfall_in_settlement_asset_balance"
	TotalOnly Conclusion = "balance_total_only"
)

// Held is the account's balance of one member of the group. Amount is its exact display form.
type Held struct {
	Coin    coins.Coin
	Balance sui.Balance
	Amount  sui.Decimal
}

// Target is the coin that the user chose to pay with. Short is the missing amount, or zero if the
// balance is sufficient.
type Target struct {
	Coin   coins.Coin
	Source SelectionSource
	Amount sui.Decimal
	Short  sui.Decimal
}

// Covered reports whether the target's balance is sufficient.
func (t Target) Covered() bool { return t.Short == "0" }

// ConversionStatus is the status of a possible conversion of a member into the target.
type ConversionStatus string

// Statuses of a conversion.
const (
	Quoted            ConversionStatus = "quoted"
	NoDirectPool      ConversionStatus = "no_direct_deepbook_pool"
	QuoteUnavailable  ConversionStatus = "quote_unavailable"
	FilteredOut       ConversionStatus = "filtered_by_accepted_source_assets"
	TargetNotSelected ConversionStatus = "target_asset_not_selected"
	TargetCovered     ConversionStatus = "target_asset_covers_the_amount"
)

// Conversion is a possible conversion of another held member into the target. If the status is
// Quoted, Quote is a direct pool's quote for the whole balance. A quote never counts toward
// coverage or a shortfall. Cause is the error of a pool that returned no quote.
type Conversion struct {
	From   Held
	Status ConversionStatus
	Pool   string
	Quote  *deepbook.Quote
	Cause  fault.Code
}

// Choice is a decision that only the user can make.
type Choice struct {
	ID      string
	Options []string
}

// The IDs of choices.
const (
	ChooseSettlementAsset = "settlement_asset"
	ChooseSourceAssets    = "source_assets_for_conversion"
)

// Preview answers a Question. Total adds up the members' balances one to one. Required and Short
// are "" if the question is about a total. Pages is the number of pages of balances that were read.
type Preview struct {
	Kind        IntentKind
	Group       Group
	Held        []Held
	Conclusion  Conclusion
	Total       sui.Decimal
	Required    sui.Decimal
	Short       sui.Decimal
	Target      *Target
	Conversions []Conversion
	Choices     []Choice
	Pages       int
	At          time.Time
}

// Quoted reports whether the preview contains a quote.
func (p Preview) Quoted() bool {
	for _, c := range p.Conversions {
		if c.Status == Quoted {
			return true
		}
	}
	return false
}

// Preview answers a question about owner's coin balances. It returns fault.Blocked if it cannot
// read all of them. If a chosen target is short, Preview adds quotes from direct pools, requested
// concurrently. A failed quote does not affect the rest.
func (s *Service) Preview(ctx context.Context, owner sui.Address, q Question) (Preview, error) {
	in, err := understand(q)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Kind: in.kind, Group: in.group, Conclusion: TotalOnly}
	if err := s.readHeld(ctx, owner, &p); err != nil {
		return Preview{}, err
	}
	places := in.group.places()
	total := new(big.Rat)
	for _, h := range p.Held {
		total.Add(total, number(h.Amount))
	}
	p.Total = decimal(total, places)
	if in.required == nil {
		return p, nil
	}
	short := lacking(total, in.required)
	p.Required, p.Short = decimal(in.required, places), decimal(short, places)
	p.Conclusion = Covered
	if short.Sign() > 0 {
		p.Conclusion = Short
	}
	s.convert(ctx, in, &p)
	if ctx.Err() != nil {
		return Preview{}, fault.Wrap(ctx.Err(), fault.RequestAborted, "The call was cancelled.")
	}
	p.Choices = choices(in, p)
	return p, nil
}

// readHeld reads the account's balance of every member, including zero.
func (s *Service) readHeld(ctx context.Context, owner sui.Address, p *Preview) error {
	for _, m := range p.Group.Members {
		p.Held = append(p.Held, Held{Coin: m.Coin, Balance: sui.Balance{Type: m.Type}, Amount: "0"})
	}
	var err error
	p.Pages, err = s.scan(ctx, owner, func(b sui.Balance) {
		for i := range p.Held {
			if h := &p.Held[i]; h.Coin.Type == b.Type {
				h.Balance, h.Amount = b, b.Total.Decimal(h.Coin.Decimals)
			}
		}
	})
	p.At = s.c.Now()
	return err
}

// convert sets the target, and quotes the conversion of the other members into it.
func (s *Service) convert(ctx context.Context, in intent, p *Preview) {
	for _, h := range p.Held {
		switch {
		case in.target != nil && h.Coin.Type == in.target.Type:
			short := lacking(number(h.Amount), in.required)
			p.Target = &Target{Coin: h.Coin, Source: in.source, Amount: h.Amount, Short: decimal(short, in.group.places())}
		case h.Balance.Total > 0:
			p.Conversions = append(p.Conversions, Conversion{From: h})
		}
	}
	each(len(p.Conversions), func(i int) { s.quote(ctx, in, p.Target, &p.Conversions[i]) })
}

// quote requests a conversion from the direct pool if the quote is useful. It assumes that the fee
// is paid in the input coin, which is the default in reviews.
func (s *Service) quote(ctx context.Context, in intent, target *Target, c *Conversion) {
	switch {
	case target == nil:
		c.Status = TargetNotSelected
		return
	case in.accepted != nil && !in.accepted[c.From.Coin.Type]:
		c.Status = FilteredOut
		return
	case target.Covered():
		c.Status = TargetCovered
		return
	}
	pool, direction, err := registry.Direct(c.From.Coin, target.Coin)
	if err != nil {
		c.Status = NoDirectPool
		return
	}
	c.Pool = pool.Key
	quote, err := s.c.Pools.Quote(ctx, deepbook.Request{
		PoolKey: pool.Key, Direction: direction, Amount: c.From.Balance.Total, FeeMode: deepbook.FeeInput,
	})
	if err != nil {
		c.Status, c.Cause = QuoteUnavailable, fault.As(err).Code
		return
	}
	c.Status, c.Quote = Quoted, &quote
}

// choices lists the decisions that only the user can make: the coin to pay with, and which other
// coins to convert.
func choices(in intent, p Preview) []Choice {
	if p.Target == nil {
		return []Choice{{ChooseSettlementAsset, in.group.Symbols()}}
	}
	if in.accepted != nil {
		return nil
	}
	var sources []string
	for _, c := range p.Conversions {
		if c.Status == Quoted {
			sources = append(sources, c.From.Coin.Symbol)
		}
	}
	if len(sources) == 0 {
		return nil
	}
	return []Choice{{ChooseSourceAssets, sources}}
}
