package sandbox

import (
	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// describe adds the validators to the answer of GetEpoch.
func describe(l *ledger.Ledger, w *pb.SystemState) {
	s, ok := l.State(innerID).(*state)
	if !ok {
		return
	}
	none := func(id sui.ObjectID, size int) *pb.MoveTable {
		return &pb.MoveTable{Id: new(id.String()), Size: new(uint64(size))}
	}
	w.Validators = &pb.ValidatorSet{TotalStake: new(s.total()),
		PendingActiveValidators: none(derived("pending", System, 0), 0),
		StakingPoolMappings:     none(derived("mappings", System, 0), len(s.validators)),
		InactiveValidators:      none(derived("inactive", System, 0), 0),
		ValidatorCandidates:     none(derived("candidates", System, 0), 0)}
	for _, v := range s.validators {
		w.Validators.ActiveValidators = append(w.Validators.ActiveValidators, v.wire())
	}
}

func (v *validator) wire() *pb.Validator {
	p := &v.pool
	return &pb.Validator{
		Name: &v.name, Address: new(v.address.String()), Description: new(description),
		ImageUrl: new(""), ProjectUrl: new(""),
		ProtocolPublicKey: v.key(0, 96), NetworkPublicKey: v.key(1, 32), WorkerPublicKey: v.key(2, 32),
		ProofOfPossession: v.key(3, 48), NetworkAddress: new(netAddress), P2PAddress: new(netAddress),
		PrimaryAddress: new(netAddress), WorkerAddress: new(netAddress), VotingPower: &v.power,
		OperationCapId: new(v.operation().String()), GasPrice: new(uint64(ledger.ReferenceGasPrice)),
		CommissionRate: &v.commission, NextEpochStake: &v.nextStake,
		NextEpochGasPrice: new(uint64(ledger.ReferenceGasPrice)), NextEpochCommissionRate: &v.commission,
		StakingPool: &pb.StakingPool{
			Id: new(p.id.String()), ActivationEpoch: &p.activation, SuiBalance: &p.sui, RewardsPool: &p.rewards,
			PoolTokenBalance: &p.tokens, PendingStake: &p.pending, PendingTotalSuiWithdraw: &p.withdrawnSui,
			PendingPoolTokenWithdraw: &p.withdrawnToken,
			ExchangeRates:            &pb.MoveTable{Id: new(p.table().String()), Size: new(uint64(len(p.rates)))},
		},
	}
}
