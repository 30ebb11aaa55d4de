package review

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// PriceLimit is the worst price that an order may trade at, and the market's
// middle price as a node told it, both raw in the same units of quote coins per
// base coin. Middle is 0 where the node tells none; Text writes it for people.
type PriceLimit struct {
	Buys          bool // the base coin
	Price, Middle sui.Raw
	Text          string
}

// worse gives by how many basis points, rounded up, the limit is worse than the
// middle price for who places the order; negative is better.
func (l PriceLimit) worse() *big.Int {
	lost := new(big.Int).Sub(number(l.Middle), number(l.Price))
	if l.Buys {
		lost.Neg(lost)
	}
	middle := number(l.Middle)
	lost.Mul(lost, big.NewInt(10_000)).Add(lost, middle).Sub(lost, big.NewInt(1))
	return lost.Div(lost, middle)
}

// judgeLimit compares the limit of an order with the middle price of the market,
// and of what the second node tells, where one was asked, the worse; where one
// of the two tells none, the other's.
func (r *run) judgeLimit(s, second *Step) error {
	l := *s.Limit
	if second != nil && second.Limit != nil && second.Limit.Middle > 0 && (l.Middle == 0 || second.Limit.worse().Cmp(l.worse()) > 0) {
		l.Middle, l.Text = second.Limit.Middle, second.Limit.Text
	}
	if l.Middle == 0 {
		r.check(Warn(SourceQuote, checkPrice, "Price", "Not compared: the market tells no middle price at present; a side of it may be empty.",
			"Compare the price elsewhere before you sign.").under("C04"))
		return nil
	}
	worse := l.worse()
	if own := s.Limit; worse.Cmp(big.NewInt(blockedFrom)) <= 0 && own.Middle > 0 && second != nil && second.Limit != nil && second.Limit.Middle > 0 &&
		!withinHundredth(new(big.Rat).SetInt(number(own.Middle)), new(big.Rat).SetInt(number(second.Limit.Middle))) {
		return r.disagreement(EffectsMismatch, "tells another middle price, "+second.Limit.Text+" instead of "+own.Text)
	}
	if worse.Sign() <= 0 {
		r.check(Pass(SourceQuote, checkPrice, "Price", "The price is no worse than the market's middle price, "+l.Text+"."))
		return nil
	}
	text := "The price is " + percent(worse) + " worse than the market's middle price, " + l.Text + "."
	const do = "The order may trade that far away from the market. Compare the price, and prepare a new review with another one."
	switch {
	//mutant:never ./review TestLimitOfTwoNodes
	case worse.Cmp(big.NewInt(blockedFrom)) > 0:
		return &Stop{AmountMismatch, Fail(SourceQuote, checkPrice, "Price", text, do).under("C04")}
	case worse.Cmp(big.NewInt(warnedFrom)) >= 0:
		r.check(Warn(SourceQuote, checkPrice, "Price", text, do).under("C04"))
	default:
		r.check(Pass(SourceQuote, checkPrice, "Price", text))
	}
	return nil
}

// percent shows basis points of any size.
func percent(bps *big.Int) string {
	return new(big.Rat).SetFrac(bps, big.NewInt(100)).FloatString(2) + "%"
}
