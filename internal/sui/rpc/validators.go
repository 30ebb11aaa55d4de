package rpc

import (
	"context"
	"unicode/utf8"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Limits of a report about validators.
const (
	maxValidators    = 1000
	maxValidatorName = 256
	tenThousand      = 10_000
)

// Validators returns the current epoch and its validators, in the node's order. It returns
// fault.ProviderMismatch for a repeated validator or impossible numbers.
func (c *Client) Validators(ctx context.Context) (epoch uint64, list []sui.ActiveValidator, err error) {
	answer, err := call(ctx, c, c.ledger.GetEpoch, &pb.GetEpochRequest{ReadMask: mask("epoch", "system_state")})
	if err != nil {
		return 0, nil, err
	}
	e := answer.GetEpoch()
	reported := e.GetSystemState().GetValidators().GetActiveValidators()
	if e.Epoch == nil || e.GetEpoch() > sui.MostEpoch || len(reported) == 0 || len(reported) > maxValidators {
		return 0, nil, mismatch("the epoch or its validators are missing or impossible")
	}
	seen := map[sui.Address]bool{}
	for _, w := range reported {
		v, err := validatorOf(w, e.GetEpoch())
		if err != nil {
			return 0, nil, err
		}
		//mutant:never ./internal/sui/rpc TestValidators
		if seen[v.Address] || seen[v.Pool.ID] {
			return 0, nil, mismatch("it lists a validator or a staking pool twice")
		}
		seen[v.Address], seen[v.Pool.ID] = true, true
		list = append(list, v)
	}
	return e.GetEpoch(), list, nil
}

func validatorOf(w *pb.Validator, epoch uint64) (v sui.ActiveValidator, err error) {
	p := w.GetStakingPool()
	for _, id := range []struct {
		text string
		to   *sui.Address
	}{{w.GetAddress(), &v.Address}, {p.GetId(), &v.Pool.ID}, {p.GetExchangeRates().GetId(), &v.Pool.Rates}} {
		if *id.to, err = sui.ParseAddress(id.text); err != nil {
			return v, mismatch("a validator has an invalid address")
		}
	}
	if w.CommissionRate == nil || w.VotingPower == nil || w.NextEpochStake == nil || p.ActivationEpoch == nil ||
		p.SuiBalance == nil || p.RewardsPool == nil {
		return v, mismatch("a validator lacks numbers")
	}
	v.Name, v.Commission, v.Power = w.GetName(), w.GetCommissionRate(), w.GetVotingPower()
	v.NextStake, v.Pool.Activation = sui.Raw(w.GetNextEpochStake()), p.GetActivationEpoch()
	v.Pool.Staked, v.Pool.Rewards = sui.Raw(p.GetSuiBalance()), sui.Raw(p.GetRewardsPool())
	if len(v.Name) > maxValidatorName || !utf8.ValidString(v.Name) || v.Commission > tenThousand ||
		v.Power > tenThousand ||
		v.Pool.Activation > epoch {
		return v, mismatch("a validator has an impossible name or number")
	}
	return v, nil
}
