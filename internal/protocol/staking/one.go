package staking

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// One reads a stake of an account, and the stake's object. It returns fault.InputInvalid if there is
// no stake with the id, or if another account owns it.
func (r *Reader) One(ctx context.Context, owner sui.Address, id sui.ObjectID) (Stake, sui.Object, error) {
	objects, err := r.chain.PresentContents(ctx, []sui.ObjectID{id})
	if err != nil {
		return Stake{}, sui.Object{}, err
	}
	if len(objects) != 1 || objects[0].Type != StakedType {
		return Stake{}, sui.Object{}, fault.New(fault.InputInvalid, "%s is not a stake that exists.", id)
	}
	o := objects[0]
	//mutant:never ./internal/protocol/staking/stake TestUnstakeRefused
	if o.Owner.Kind != sui.OwnerAddress || o.Owner.Address != owner {
		return Stake{}, sui.Object{}, fault.New(fault.InputInvalid, "The stake %s does not belong to this account.", id)
	}
	s, err := readStake(o)
	if err != nil {
		return Stake{}, sui.Object{}, err
	}
	epoch, validators, err := r.chain.Validators(ctx)
	if err != nil {
		return Stake{}, sui.Object{}, err
	}
	found := Stakes{Epoch: epoch, List: []Stake{s}}
	err = r.estimate(ctx, &found, validators)
	return found.List[0], o, err
}

// Validator returns the validator with an address in the current epoch. It returns false if there is
// none.
func (r *Reader) Validator(ctx context.Context, at sui.Address) (sui.ActiveValidator, bool, error) {
	_, validators, err := r.chain.Validators(ctx)
	if err != nil {
		return sui.ActiveValidator{}, false, err
	}
	for _, v := range validators {
		if v.Address == at {
			return v, true, nil
		}
	}
	return sui.ActiveValidator{}, false, nil
}
