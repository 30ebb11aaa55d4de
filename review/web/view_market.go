package web

import (
	"html/template"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/amounts"
	"github.com/sayurintent/sayurintent/internal/web/draw"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// marketView compares a step with the market as reported by nodes. Only the price that is fixed in
// the bytes is guaranteed.
type marketView struct {
	Title   string
	Fate    string     // for an order: whether it fills now or waits
	Against []compared // amounts compared with those at the mid price
	Coin    string     // coin in which the differences are counted
	Lines   []words.Line
	Source  string // source and time of the data
}

// compared is an amount and its difference from the amount at the mid price.
type compared struct{ Name, Percent, Amount string }

// holderView is the free balance of an object before and after the transaction.
type holderView struct {
	Title    string
	Balances []balanceLine
	Frees    string // what else the transaction frees there
}

// markets compares every step with its market.
func (l look) markets(f *plan.Facts) (list []marketView) {
	for i, o := range l.Session.State.Outlook {
		if i == len(f.Steps) || o.Market == nil {
			continue
		}
		m := marketView{Title: "Price on " + words.Whole(o.Market.Venue)}
		if o.Order != nil {
			m.Title = words.Whole(o.Market.Venue) + " now"
		}
		if len(f.Steps) > 1 {
			m.Title += ": " + words.Whole(o.Market.Pool)
		}
		unit := words.Whole(o.Market.Quote.Symbol) + " per " + words.Whole(o.Market.Base.Symbol)
		if o.Order != nil {
			m.Fate, m.Lines = fate(o.Order), orderLines(o, unit)
		}
		if t := o.Trade; t != nil {
			m.Against = []compared{againstMiddle("Guaranteed", t.Guaranteed), againstMiddle("Expected", t.Expected)}
			m.Coin = words.Whole(t.Guaranteed.Amount.Symbol)
			m.Lines = append(m.Lines, words.Line{Name: "Price impact", Value: percent(max(t.ImpactBps, 0))})
		}
		m.Lines = append(m.Lines, middles(o, unit)...)
		m.Source = "Reported at " + o.Market.ReadAt.UTC().Format(time.TimeOnly) + " UTC, not guaranteed."
		list = append(list, m)
	}
	return list
}

// middles lists the mid prices of the market and of another venue.
func middles(o plan.Outlook, unit string) []words.Line {
	middle := words.Line{Name: "Mid price", Value: price(o.Market.Middle, unit)}
	if o.Market.Middle == "" {
		middle.Value = "none: nobody buys, or nobody sells"
	}
	lines := []words.Line{middle}
	if other := o.Other; other != nil {
		lines = append(lines, words.Line{Name: "On " + words.Whole(other.Venue), Value: price(other.Middle, unit),
			Note: percent(other.ApartBps) + " apart"})
	}
	return lines
}

func price(p sui.Decimal, unit string) string {
	return words.Spaced(words.Whole(string(p))) + " " + unit
}

// againstMiddle formats a shortfall with a sign, which is negative if less arrives.
func againstMiddle(name string, s plan.Shortfall) compared {
	sign := "−"
	if s.Bps < 0 {
		sign = "+"
	}
	if s.Bps == 0 && s.Amount.Raw == 0 {
		sign = ""
	}
	return compared{name, sign + percent(max(s.Bps, -s.Bps)), sign + amounts.Of(s.Amount).Number}
}

// percent formats hundredths of a percent. Negative values are shown as zero.
func percent(bps int64) string { return words.Spaced(string(sui.Raw(max(bps, 0)).Decimal(2))) + "%" }

// orderLines lists the market's bid and ask, and how far the order's price is from the market.
func orderLines(o plan.Outlook, unit string) []words.Line {
	side := func(p sui.Decimal, none string) string {
		if p == "" {
			return none
		}
		return price(p, unit)
	}
	lines := []words.Line{
		{Name: "Buyers pay at most", Value: side(o.Market.Bid, "nobody buys")},
		{Name: "Sellers ask at least", Value: side(o.Market.Ask, "nobody sells")},
	}
	if o.Market.Middle != "" {
		lines = append(lines, words.Line{Name: "Your price", Value: distance(o.Order)})
	}
	return lines
}

// distance describes how far the limit is from the mid price. A limit above it is better for
// sellers, one below it for buyers.
func distance(o *plan.OrderOutlook) string {
	far := o.DistanceBps
	switch {
	case far == 0:
		return "the mid price"
	case far > 0 != o.Buys:
		return percent(max(far, -far)) + " above the mid price"
	}
	return percent(max(far, -far)) + " below the mid price"
}

// orders describes for the headline whether an order fills now. It returns "" for other actions.
func (l look) orders() string {
	order := orderNow(l)
	switch {
	case order == nil:
		return ""
	case order.Fills.Raw > 0 && order.Average != "":
		return "Fills now at about " + words.Spaced(words.Whole(string(order.Average))) + ", " +
			strings.Replace(distance(order), "mid price", "market", 1) + "."
	case order.Fills.Raw > 0:
		return "Fills now, " + strings.Replace(distance(order), "mid price", "market", 1) + "."
	}
	return "Waits, " + strings.Replace(distance(order), "mid price", "market", 1) + "."
}

// fate describes how much of an order trades now and how much waits.
func fate(o *plan.OrderOutlook) string {
	if o.Fills.Raw == 0 {
		if o.Buys {
			return "It waits: nobody sells at this price now."
		}
		return "It waits: nobody pays this price now."
	}
	about := "about "
	if o.Incomplete {
		about = "at least "
	}
	text := "It fills now: " + about + amounts.Of(o.Fills).String()
	if o.Average != "" {
		text += " at about " + price(o.Average, words.Whole(o.FillsFor.Symbol)+" per "+words.Whole(o.Fills.Symbol))
	}
	text += ", " + about + amounts.Of(o.FillsFor).String() + " in all."
	if o.Rests.Raw > 0 {
		text += " The rest, " + amounts.Of(o.Rests).String() + ", waits."
	}
	return text
}

// holders lists the free balances of the objects in the transaction, before and after.
func (l look) holders(f *plan.Facts) (list []holderView) {
	for i, o := range l.Session.State.Outlook {
		if i == len(f.Steps) || f.Steps[i].Holder == nil || len(o.Holder)+len(o.Frees) == 0 {
			continue
		}
		h := holderView{Title: "Free in " + words.Whole(f.Steps[i].Holder.Called())}
		for _, b := range o.Holder {
			h.Balances = append(h.Balances, balanceLine{
				Symbol: words.Whole(b.Symbol), Before: words.Spaced(string(b.Before.Decimal(b.Decimals))),
				After: words.Spaced(string(b.After.Decimal(b.Decimals))), Change: amounts.Delta(sui.DeltaOf(b.Before, b.After),
					b.Asset),
			})
		}
		var frees []string
		for _, a := range o.Frees {
			frees = append(frees, amounts.Of(a).String())
		}
		h.Frees = strings.Join(frees, " and ")
		list = append(list, h)
	}
	return list
}

// strip is a drawing of the prices of a swap, to scale.
type strip struct {
	Unit, Venue string
	Drawing     template.HTML
	Marks       []markedPrice
}

// markedPrice is a price on the strip, with its mark.
type markedPrice struct{ Class, Name, Price, Fact string }

// strip returns nil unless the review is a single swap in a market with a known mid price.
func (l look) strip(f *plan.Facts) *strip {
	q, outlook := l.Session.State.Quote, l.Session.State.Outlook
	if q == nil || q.EffectivePrice == "" || len(outlook) != 1 || len(f.Steps) != 1 || outlook[0].Market == nil {
		return nil
	}
	m := outlook[0].Market
	least := guaranteedOf(f, q)
	guaranteed := draw.Price(least, q.Input)
	if q.Direction == "quote_to_base" {
		guaranteed = draw.Price(q.Input, least)
	}
	drawing, ok := draw.Strip(guaranteed, sui.Decimal(q.EffectivePrice), m.Middle)
	if !ok {
		return nil
	}
	return &strip{Unit: words.Whole(m.Quote.Symbol) + " per " + words.Whole(m.Base.Symbol), Venue: words.Whole(m.Venue),
		Drawing: drawing,
		Marks: []markedPrice{
			{"guaranteed", "Guaranteed", words.Spaced(string(guaranteed)), ""},
			{"likely", "Likely", words.Spaced(words.Whole(string(q.EffectivePrice))), "Effective price"},
			{"middle", "Market", words.Spaced(words.Whole(string(m.Middle))), ""},
		}}
}
