package gate

import (
	"math/big"

	"github.com/sayurintent/sayurintent/review/plan"
)

// judgeLimit compares the limit of an order with the middle price of the market. If a
// second node was asked, the worse of the two prices counts; if only one node reports
// a price, that one.
func (r *run) judgeLimit(s, second *plan.Step) error {
	l := *s.Limit
	if second != nil && second.Limit != nil && second.Limit.Middle > 0 &&
		(l.Middle == 0 || second.Limit.Worse().Cmp(l.Worse()) > 0) {
		l.Middle, l.Text = second.Limit.Middle, second.Limit.Text
	}
	if l.Middle == 0 {
		r.check(plan.Warn(plan.SourceQuote, checkPrice, "Price",
			"Not compared: the market tells no middle price at present; a side of it may be empty.",
			"Compare the price elsewhere before you sign.").Under("C04"))
		return nil
	}
	worse := l.Worse()
	if own := s.Limit; worse.Cmp(big.NewInt(blockedFrom)) <= 0 && own.Middle > 0 && second != nil &&
		second.Limit != nil && second.Limit.Middle > 0 &&
		!withinHundredth(new(big.Rat).SetInt(plan.BigInt(own.Middle)),
			new(big.Rat).SetInt(plan.BigInt(second.Limit.Middle))) {
		return r.disagreement(plan.EffectsMismatch, "tells another middle price, "+second.Limit.Text+" instead of "+own.Text)
	}
	if worse.Sign() <= 0 {
		r.check(plan.Pass(plan.SourceQuote, checkPrice, "Price",
			"The price is no worse than the market's middle price, "+l.Text+"."))
		return nil
	}
	text := "The price is " + percent(worse) + " worse than the market's middle price, " + l.Text + "."
	const do = "The order may trade that far away from the market. Compare the price, and prepare a new review " +
		"with another one."
	switch {
	//mutant:never ./review/gate TestLimitOfTwoNodes
	case worse.Cmp(big.NewInt(blockedFrom)) > 0:
		return &plan.Stop{Reason: plan.AmountMismatch,
			Check: plan.Fail(plan.SourceQuote, checkPrice, "Price", text, do).Under("C04")}
	case worse.Cmp(big.NewInt(warnedFrom)) >= 0:
		r.check(plan.Warn(plan.SourceQuote, checkPrice, "Price", text, do).Under("C04"))
	default:
		r.check(plan.Pass(plan.SourceQuote, checkPrice, "Price", text))
	}
	return nil
}

// percent shows basis points of any size.
func percent(bps *big.Int) string {
	return new(big.Rat).SetFrac(bps, big.NewInt(100)).FloatString(2) + "%"
}
