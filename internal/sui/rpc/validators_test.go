package rpc

import (
	"context"
	"strings"
	"testing"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestValidators(t *testing.T) {
	one := func(n string) *pb.Validator {
		return &pb.Validator{Name: ptr("Elm"), Address: ptr("0x7" + n), CommissionRate: ptr(uint64(800)),
			VotingPower: ptr(uint64(1600)), NextEpochStake: ptr(uint64(5)), StakingPool: &pb.StakingPool{Id: ptr("0x8" + n),
				ActivationEpoch: ptr(uint64(3)),
				SuiBalance:      ptr(uint64(4)), RewardsPool: ptr(uint64(1)), ExchangeRates: &pb.MoveTable{Id: ptr("0x9" + n)}}}
	}
	for name, edit := range map[string]func(e *pb.Epoch, v []*pb.Validator){
		"":                        func(*pb.Epoch, []*pb.Validator) {},
		"none":                    func(e *pb.Epoch, _ []*pb.Validator) { e.SystemState = nil },
		"one twice":               func(_ *pb.Epoch, v []*pb.Validator) { v[1].Address = v[0].Address },
		"a pool twice":            func(_ *pb.Epoch, v []*pb.Validator) { v[1].StakingPool.Id = v[0].StakingPool.Id },
		"no pool":                 func(_ *pb.Epoch, v []*pb.Validator) { v[0].StakingPool = nil },
		"more than all rewards":   func(_ *pb.Epoch, v []*pb.Validator) { v[0].CommissionRate = ptr(uint64(10_001)) },
		"a name that is too long": func(_ *pb.Epoch, v []*pb.Validator) { v[0].Name = ptr(strings.Repeat("x", 257)) },
		"a pool of the future": func(_ *pb.Epoch,
			v []*pb.Validator) {
			v[0].StakingPool.ActivationEpoch = ptr(uint64(101))
		},
		"no commission": func(_ *pb.Epoch, v []*pb.Validator) { v[0].CommissionRate = nil },
		"no epoch":      func(e *pb.Epoch, _ []*pb.Validator) { e.Epoch = nil },
	} {
		t.Run(name, func(t *testing.T) {
			c := clientOf(t, func(context.Context, any) (any, error) {
				list := []*pb.Validator{one("1"), one("2")}
				e := &pb.Epoch{Epoch: ptr(uint64(100)),
					SystemState: &pb.SystemState{Validators: &pb.ValidatorSet{ActiveValidators: list}}}
				edit(e, list)
				return &pb.GetEpochResponse{Epoch: e}, nil
			})
			epoch, list, err := c.Validators(t.Context())
			switch {
			case name != "" && !fault.Is(err, fault.ProviderMismatch):
				t.Errorf("it was taken: %+v, %v", list, err)
			case name == "" && (err != nil || epoch != 100 || len(list) != 2 || list[1].Commission != 800 ||
				list[1].Pool.Staked != 4):
				t.Errorf("epoch %d, %+v, %v", epoch, list, err)
			}
		})
	}
}
