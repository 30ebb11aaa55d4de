package settings

import (
	"bytes"
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Hardware lists the accounts that the user signs for on a hardware wallet, in ascending order.
type Hardware []sui.Address

// maxHardware is the maximum number of accounts.
const maxHardware = 100

// Has reports whether an account is marked.
func (h Hardware) Has(account sui.Address) bool { return slices.Contains(h, account) }

// Check returns an error for a list that pages cannot store.
func (h Hardware) Check() error {
	if len(h) > maxHardware || !slices.IsSortedFunc(h, compareAddresses) ||
		len(slices.Compact(slices.Clone(h))) != len(h) {
		return fault.New(fault.InputInvalid, "At most %d accounts can be marked, each once.", maxHardware)
	}
	return nil
}

func compareAddresses(a, b sui.Address) int { return bytes.Compare(a[:], b[:]) }

// with returns the list with an account marked or not.
func (h Hardware) with(account sui.Address, on bool) Hardware {
	at, has := slices.BinarySearchFunc(h, account, compareAddresses)
	switch {
	case on && !has:
		return slices.Insert(slices.Clone(h), at, account)
	case !on && has:
		return slices.Delete(slices.Clone(h), at, at+1)
	}
	return h
}

// SignsOnDevice reports whether the user marked an account as being on a hardware wallet.
func (s *Service) SignsOnDevice(ctx context.Context, account sui.Address) (bool, error) {
	stored, err := s.c.Store.Settings(ctx)
	return stored.Hardware.Has(account), err
}

// SetHardware marks an account, or removes the mark. It needs no confirmation, because it changes
// the form of transactions but not what may be signed. right, if not nil, is checked in the
// transaction.
func (s *Service) SetHardware(ctx context.Context, account sui.Address, on bool,
	right func(context.Context) error) error {
	return s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if right != nil {
			if err := right(ctx); err != nil {
				return err
			}
		}
		to := stored.Hardware.with(account, on)
		if err := to.Check(); err != nil {
			return err
		}
		if stored.Hardware = to; len(to) == 0 {
			stored.Hardware = nil
		}
		return nil
	})
}
