package account

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// MultiSigName takes the place of the wallet's name in multisig accounts.
const MultiSigName = "Multisig account"

// ConnectMultiSig completes a connect session with a multisig account whose members the user
// entered. It returns fault.InputInvalid if the address derived from the members is not the
// expected one: any other key, weight, order or threshold is another account.
func (s *Service) ConnectMultiSig(ctx context.Context, id string, address sui.Address, m sui.MultiSig) (Identity,
	error) {
	if err := m.Check(); err != nil {
		return Identity{}, err
	}
	//mutant:never ./internal/account TestConnectMultiSig
	if of := m.Address(); of != address {
		return Identity{}, fault.New(fault.InputInvalid, "These members make the account %s, not %s. Compare the keys, "+
			"their order, the weights and the threshold.", of, address).With("account", of.String())
	}
	return s.change(ctx, id, func(r *Row) error {
		if err := r.Identity.open(address); err != nil {
			return err
		}
		r.connect(r.Accounts.remember(Known{Account: address, Chain: s.c.Chain, WalletName: MultiSigName,
			LastConnectedAt: r.Identity.UpdatedAt, MultiSig: &m}))
		return nil
	})
}

// MultiSig returns the members of a known multisig account, or nil for any other account.
func (s *Service) MultiSig(ctx context.Context, address sui.Address) (*sui.MultiSig, error) {
	known, err := s.Known(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range known {
		if k.Account == address {
			return k.MultiSig, nil
		}
	}
	return nil, nil
}
