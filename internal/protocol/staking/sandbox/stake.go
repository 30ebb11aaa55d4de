package sandbox

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// leastStake is the minimum stake, also for both parts of a split.
const leastStake = 1_000_000_000

// Abort codes of the system's modules.
const (
	abortNoPool            = 3  // validator_set
	abortNoValidator       = 4  // validator_set
	abortBelowThreshold    = 10 // validator_set
	abortMoreThanPrincipal = 3  // staking_pool
	abortIncompatible      = 12 // staking_pool
	abortSplitBelow        = 18 // staking_pool
	abortNotEnough         = 2  // balance
)

// stake is a StakedSui without its id.
type stake struct {
	pool                  sui.ObjectID
	activation, principal uint64
}

func (s stake) encode() bcs.Bytes {
	return bcs.Bytes(nil).Raw(s.pool[:]).U64(s.activation).U64(s.principal)
}

// readStake decodes the StakedSui in the nth argument.
func readStake(k *ledger.Call, n int) (s stake) {
	r := bcs.NewReader(k.Contents(n)[32:])
	s.pool, s.activation, s.principal = r.Address(), r.U64(), r.U64()
	return s
}

// write stores s in the nth argument.
func (s stake) write(k *ledger.Call, n int) {
	k.SetContents(n, append(slices.Clone(k.Contents(n)[:32]), s.encode()...))
}

// request adds a stake that starts with the next epoch.
func (v *validator) request(amount uint64) {
	v.pool.pending += amount
	v.nextStake += amount
}

// addStake stakes an amount with the validator of the address.
func addStake(k *ledger.Call, amount uint64, with sui.Address) (stake, *ledger.Failure) {
	if amount < leastStake {
		return stake{}, k.Abort("validator_set", "request_add_stake", abortBelowThreshold)
	}
	s := k.State(innerID).(*state)
	i := slices.IndexFunc(s.validators, func(v *validator) bool { return v.address == with })
	if i < 0 {
		return stake{}, k.Abort("validator_set", "get_candidate_or_active_validator_mut", abortNoValidator)
	}
	v := s.validators[i]
	v.request(amount)
	sender := k.Sender()
	k.Emit("validator", Package.String()+"::validator::StakingRequestEvent", bcs.Bytes(nil).Raw(v.pool.id[:]).
		Raw(v.address[:]).Raw(sender[:]).U64(k.Epoch()).U64(amount))
	return stake{v.pool.id, k.Epoch() + 1, amount}, nil
}

// add stakes a whole coin.
func add(k *ledger.Call) (stake, *ledger.Failure) { return addStake(k, k.Amount(1), k.Address(2)) }

// give returns a function that adds the stake that make makes to the results, or sends it to the
// sender if keep is set.
func give(make func(*ledger.Call) (stake, *ledger.Failure), keep bool) func(*ledger.Call) *ledger.Failure {
	return func(k *ledger.Call) *ledger.Failure {
		s, f := make(k)
		switch {
		case f != nil:
		case keep:
			k.SendObject(stakeType, s.encode(), k.Sender())
		default:
			k.GiveObject(stakeType, s.encode())
		}
		return f
	}
}

// addCoins stakes an amount from several coins, or all of them, and returns the rest.
func addCoins(k *ledger.Call) (stake, *ledger.Failure) {
	total := uint64(0)
	for _, n := range k.Amounts(1) {
		total += n
	}
	amount := total
	if option := k.Pure(2); option[0] == 1 {
		amount = bcs.NewReader(option[1:]).U64()
	}
	if amount > total {
		return stake{}, ledger.MoveAbort(sui.MustAddress("0x2"), "balance", "split", abortNotEnough)
	}
	s, f := addStake(k, amount, k.Address(3))
	if f == nil && total > amount {
		k.Send(sui.SUI, total-amount, k.Sender())
	}
	return s, f
}

// withdrawStake ends a stake and returns principal and reward, or only the principal if the stake
// is not active yet.
func withdrawStake(k *ledger.Call) (uint64, *ledger.Failure) {
	held := readStake(k, 1)
	s := k.State(innerID).(*state)
	i := slices.IndexFunc(s.validators, func(v *validator) bool { return v.pool.id == held.pool })
	if i < 0 {
		return 0, k.Abort("validator_set", "request_withdraw_stake", abortNoPool)
	}
	v, reward := s.validators[i], uint64(0)
	if p := &v.pool; held.activation > k.Epoch() {
		p.pending -= held.principal
	} else {
		tokens := p.at(held.activation).count(held.principal)
		reward = min(max(p.at(k.Epoch()).amount(tokens), held.principal)-held.principal, p.rewards)
		p.rewards -= reward
		p.withdrawnSui += held.principal + reward
		p.withdrawnToken += tokens
	}
	v.nextStake -= held.principal + reward
	sender := k.Sender()
	k.Emit("validator", Package.String()+"::validator::UnstakingRequestEvent", bcs.Bytes(nil).Raw(v.pool.id[:]).
		Raw(v.address[:]).Raw(sender[:]).U64(held.activation).U64(k.Epoch()).U64(held.principal).U64(reward))
	return held.principal + reward, nil
}

func withdraw(k *ledger.Call) *ledger.Failure {
	total, f := withdrawStake(k)
	if f == nil {
		k.GiveBalance(sui.SUI, total)
	}
	return f
}

func withdrawAndKeep(k *ledger.Call) *ledger.Failure {
	total, f := withdrawStake(k)
	if f == nil {
		k.Send(sui.SUI, total, k.Sender())
	}
	return f
}

// split splits a stake and returns the new part.
func split(k *ledger.Call) (stake, *ledger.Failure) {
	held, part := readStake(k, 0), k.U64(1)
	switch {
	case part > held.principal:
		return held, k.Abort("staking_pool", "split", abortMoreThanPrincipal)
	case part < leastStake, held.principal-part < leastStake:
		return held, k.Abort("staking_pool", "split", abortSplitBelow)
	}
	held.principal -= part
	held.write(k, 0)
	held.principal = part
	return held, nil
}

// join merges a stake into another one of the same pool and epoch.
func join(k *ledger.Call) *ledger.Failure {
	into, from := readStake(k, 0), readStake(k, 1)
	if into.pool != from.pool || into.activation != from.activation {
		return k.Abort("staking_pool", "join_staked_sui", abortIncompatible)
	}
	into.principal += from.principal
	into.write(k, 0)
	return nil
}
