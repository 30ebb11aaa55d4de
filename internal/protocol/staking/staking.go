// Package staking reads native stakes and the validators that hold them. It estimates rewards from the
// exchange rates of staking pools, which change once an epoch.
package staking

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Types of the objects that this package reads.
const (
	StakedType   = "0x0000000000000000000000000000000000000000000000000000000000000003::staking_pool::StakedSui"
	FungibleType = "0x0000000000000000000000000000000000000000000000000000000000000003::staking_pool::FungibleStakedSui"
)

// Stake is a StakedSui, or a FungibleStakedSui, which has no activation epoch and no principal.
type Stake struct {
	ID         sui.ObjectID
	Pool       sui.ObjectID
	Activation uint64  // the first epoch in which it earns
	Principal  sui.Raw // MIST
	Tokens     sui.Raw // of the pool; set only for a FungibleStakedSui

	// Validator holds the stake. It is nil if no validator of this epoch has the pool.
	Validator *sui.ActiveValidator
	// Pays is approximately what a withdrawal would pay in this epoch, in MIST. It is nil if unknown.
	Pays *sui.Raw
}

// Reward returns the part of Pays that is not principal, or nil if it is unknown.
func (s Stake) Reward() *sui.Raw {
	if s.Pays == nil || s.Tokens > 0 {
		return nil
	}
	return new(*s.Pays - s.Principal)
}

// Starts reports whether the stake only starts to earn in a later epoch.
func (s Stake) Starts(epoch uint64) bool { return s.Activation > epoch }

// readStake decodes a stake.
func readStake(o sui.Object) (Stake, error) {
	b := o.Contents
	size := 80
	if o.Type == FungibleType {
		size = 72
	}
	//mutant:never ./internal/protocol/staking TestStakesOfAnOddNode
	if len(b) != size || sui.ObjectID(b[:32]) != o.Ref.ID {
		return Stake{}, fault.New(fault.ProviderMismatch, "The node reports a malformed stake.")
	}
	s := Stake{ID: o.Ref.ID, Pool: sui.ObjectID(b[32:64])}
	if o.Type == FungibleType {
		s.Tokens = sui.Raw(binary.LittleEndian.Uint64(b[64:]))
		return s, nil
	}
	s.Activation = binary.LittleEndian.Uint64(b[64:])
	s.Principal = sui.Raw(binary.LittleEndian.Uint64(b[72:]))
	return s, nil
}

// Rate is the amount of SUI that the tokens of a pool represented when an epoch began. If either is
// zero, one token is one MIST.
type Rate struct{ SUI, Tokens uint64 }

// tokens converts an amount of MIST to tokens, and amount does the reverse. Both round down as the
// chain does, and return false if the result does not fit in 64 bits.
func (r Rate) tokens(amount uint64) (uint64, bool) { return portion(amount, r.Tokens, r.SUI) }
func (r Rate) amount(tokens uint64) (uint64, bool) { return portion(tokens, r.SUI, r.Tokens) }

// portion returns n*part/of, or n if part or of is zero. It returns false if the result does not fit.
func portion(n, part, of uint64) (uint64, bool) {
	if part == 0 || of == 0 {
		return n, true
	}
	high, low := bits.Mul64(n, part)
	if high >= of {
		return 0, false
	}
	q, _ := bits.Div64(high, low, of)
	return q, true
}

// pays returns what a withdrawal of a stake pays, given the pool's rates at its activation and now. It
// is never less than the principal.
func pays(s Stake, then, now Rate, rewards sui.Raw) *sui.Raw {
	tokens, ok := uint64(s.Tokens), true
	if s.Tokens == 0 {
		tokens, ok = then.tokens(uint64(s.Principal))
	}
	total, fits := now.amount(tokens)
	if !ok || !fits {
		return nil
	}
	if s.Tokens > 0 {
		return new(sui.Raw(total))
	}
	reward := min(max(total, uint64(s.Principal))-uint64(s.Principal), uint64(rewards))
	if reward > math.MaxUint64-uint64(s.Principal) {
		return nil
	}
	return new(s.Principal + sui.Raw(reward))
}

// Yield is the growth of a pool's rate over some epochs, after the validator's commission.
type Yield struct {
	From, To uint64  // epochs
	APY      float64 // annualized over 365 epochs; 0.03 means 3 %
}

// yield computes the growth between two rates. It returns false if a real pool cannot grow that way.
func yield(from, to uint64, then, now Rate) (Yield, bool) {
	if from >= to || then.SUI == 0 || then.Tokens == 0 || now.SUI == 0 || now.Tokens == 0 {
		return Yield{}, false
	}
	growth := float64(now.SUI) / float64(now.Tokens) / (float64(then.SUI) / float64(then.Tokens))
	apy := math.Pow(growth, 365/float64(to-from)) - 1
	return Yield{from, to, apy}, apy >= -1e-9 && apy < 1
}
