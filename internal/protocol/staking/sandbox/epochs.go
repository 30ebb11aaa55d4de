package sandbox

import (
	"math/bits"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
)

// history is the number of epochs for which the pools existed before the sandbox's first epoch.
const history = 30

// newState creates five validators whose pools have earned rewards for a month.
func newState() *state {
	s := &state{epoch: ledger.FirstEpoch}
	for i, m := range []struct {
		name              string
		whole             uint64 // SUI staked
		commission, power uint64 // of 10,000
	}{
		{"Alder", 210_000_000, 200, 2800}, {"Birch", 160_000_000, 400, 2300}, {"Cedar", 140_000_000, 500, 2000},
		{"Elm", 110_000_000, 800, 1600}, {"Hazel", 90_000_000, 10_000, 1300},
	} {
		address := derived("validator", System, uint64(i))
		v := &validator{address: address, name: m.name, commission: m.commission, power: m.power, rewardPerYear: 28_500,
			pool: pool{id: derived("pool", address, 0), activation: ledger.FirstEpoch - history,
				tokens: m.whole * 1_000_000_000,
				rates:  map[uint64]rate{}}}
		v.pool.sui = v.pool.tokens / 50 * 51
		v.pool.rewards = v.pool.sui - v.pool.tokens
		for epoch := v.pool.activation; epoch <= ledger.FirstEpoch; epoch++ {
			v.earn()
			v.pool.rates[epoch] = rate{v.pool.sui, v.pool.tokens}
		}
		v.nextStake = v.pool.sui
		s.validators = append(s.validators, v)
	}
	return s
}

// portion returns n*part/of, rounded down, without overflow in between.
func portion(n, part, of uint64) uint64 {
	high, low := bits.Mul64(n, part)
	q, _ := bits.Div64(high, low, of)
	return q
}

// amount returns the SUI value of tokens.
func (r rate) amount(tokens uint64) uint64 {
	if r.sui == 0 || r.tokens == 0 {
		return tokens
	}
	return portion(r.sui, tokens, r.tokens)
}

// count returns the tokens for an amount of SUI.
func (r rate) count(amount uint64) uint64 {
	if r.sui == 0 || r.tokens == 0 {
		return amount
	}
	return portion(r.tokens, amount, r.sui)
}

// at returns the rate at an epoch: the newest one up to it.
func (p *pool) at(epoch uint64) rate {
	for ; epoch >= p.activation; epoch-- {
		if r, ok := p.rates[epoch]; ok {
			return r
		}
	}
	return rate{}
}

// earn adds the rewards of one epoch, without the validator's commission.
func (v *validator) earn() {
	reward := portion(v.pool.sui, v.rewardPerYear, 365*1_000_000)
	reward -= portion(reward, v.commission, 10_000)
	v.pool.sui += reward
	v.pool.rewards += reward
}

// turn ends an epoch: rewards, then withdrawals, then new stakes at the new rate.
func turn(e *ledger.Edit) {
	s := e.State(innerID).(*state)
	s.epoch, s.startMs = e.Epoch, e.NowMs
	for _, v := range s.validators {
		v.earn()
		p := &v.pool
		p.sui -= p.withdrawnSui
		p.tokens -= p.withdrawnToken
		now := rate{p.sui, p.tokens}
		p.sui += p.pending
		p.tokens = now.count(p.sui)
		p.pending, p.withdrawnSui, p.withdrawnToken = 0, 0, 0
		p.rates[e.Epoch] = rate{p.sui, p.tokens}
		v.nextStake = p.sui
		e.Place(p.rateField(e.Epoch))
	}
	e.Put(innerID, System, s)
}
