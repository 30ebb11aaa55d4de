package deepbook

import (
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of plausible pool values. Prices and sizes have DeepBook's own maximums. DeepBook's fee
// rates are a hundredth of a percent to a few tenths of one; nothing here accepts one above a
// tenth.
const (
	mostPrice sui.Raw = 1<<63 - 1
	mostRate  sui.Raw = 100_000_000            // billionths
	mostDeep  sui.Raw = 10_000_000_000_000_000 // raw: all the DEEP that there is
)

// sound refuses impossible parameters: zero or excessive steps and minimum sizes, and fee rates
// above a tenth.
func (p Parameters) sound() error {
	for _, step := range []struct {
		name  string
		value sui.Raw
	}{{"price step", p.Tick}, {"quantity step", p.Lot}, {"least size", p.Min}} {
		//mutant:never `step.value == 0` ./internal/protocol/deepbook TestImpossibleNumbers
		if step.value == 0 || step.value > mostPrice {
			return p.impossible("its %s is %s", step.name, step.value)
		}
	}
	for _, rate := range []sui.Raw{p.TakerFee, p.MakerFee} {
		//mutant:never ./internal/protocol/deepbook TestImpossibleNumbers
		if rate > mostRate {
			return p.impossible("a fee of it is %s billionths of what is traded, more than a tenth", rate)
		}
	}
	return nil
}

// impossible is an answer about a pool that cannot be right.
func (s Source) impossible(format string, args ...any) error {
	what := fault.New(fault.ProviderMismatch, format, args...).Text
	return fault.New(fault.ProviderMismatch,
		"The Sui node's answer about the pool %s cannot be right: %s. Nothing was concluded from it.", s.Pool.Key, what)
}

// price reads a raw price; 0 is none and for the caller to judge.
func (a *answer) price(command, number int) sui.Raw {
	price := a.number(command, number)
	//mutant:never ./internal/protocol/deepbook TestImpossibleNumbers
	if a.err == nil && price > mostPrice {
		a.err = a.source.impossible("a price is beyond all prices")
	}
	return price
}

// Rule is one of a pool's parameters by name, with its raw value.
type Rule struct{ Name, Value string }

// Rules lists the parameters that a trade relies on.
func (p Parameters) Rules() []Rule {
	whitelisted := "no"
	if p.Whitelisted {
		whitelisted = "yes"
	}
	return []Rule{
		{"price step", p.Tick.String()}, {"quantity step", p.Lot.String()}, {"least size", p.Min.String()},
		{"taker fee", p.TakerFee.String()}, {"maker fee", p.MakerFee.String()}, {"freedom from fees", whitelisted},
	}
}
