package deepbook

import (
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of plausible pool values. Prices and sizes have the maximums that DeepBook enforces.
// DeepBook's fee rates are between a hundredth of a percent and a few tenths of a percent, so a rate
// above a tenth is rejected.
const (
	mostPrice sui.Raw = 1<<63 - 1
	mostRate  sui.Raw = 100_000_000            // billionths
	mostDeep  sui.Raw = 10_000_000_000_000_000 // raw; the total supply of DEEP
)

// sound rejects impossible parameters: zero or excessive steps and minimum sizes, and fee rates above a
// tenth.
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

// impossible returns the error for an impossible value of a pool.
func (s Source) impossible(format string, args ...any) error {
	what := fault.New(fault.ProviderMismatch, format, args...).Text
	return fault.New(fault.ProviderMismatch,
		"The Sui node gave an impossible answer about the pool %s: %s. Nothing was concluded from it.", s.Pool.Key, what)
}

// price reads a raw price. The caller must handle 0, which means no price.
func (a *answer) price(command, number int) sui.Raw {
	price := a.number(command, number)
	//mutant:never ./internal/protocol/deepbook TestImpossibleNumbers
	if a.err == nil && price > mostPrice {
		a.err = a.source.impossible("a price is above the maximum")
	}
	return price
}

// Rule is the name of a pool parameter with its raw value.
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
