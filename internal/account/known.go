package account

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Known is an account that a wallet gave here, remembered until it is forgotten. The wallet is the
// latest one. ProvenAt is zero while the account is only claimed.
type Known struct {
	Account          sui.Address `json:"account"`
	Chain            string      `json:"chain"`
	WalletName       string      `json:"walletName,omitempty"`
	WalletID         string      `json:"walletId,omitempty"`
	FirstConnectedAt time.Time   `json:"firstConnectedAt"`
	LastConnectedAt  time.Time   `json:"lastConnectedAt"`
	Proven           bool        `json:"proven"`
	ProvenAt         time.Time   `json:"provenAt,omitzero"`
	// Chosen says that the user chose the account in a browser session on this computer.
	Chosen bool `json:"-"`
	// MultiSig are the members of a multisig account; nil: it is none, and a wallet gave it.
	MultiSig *sui.MultiSig `json:"-"`
}

// active returns k as the account in use from at on.
func (k Known) active(at time.Time) Active {
	return Active{Account: k.Account, Chain: k.Chain, WalletName: k.WalletName, WalletID: k.WalletID,
		Proven: k.Proven, ProvenAt: k.ProvenAt, ConnectedAt: at}
}

// Accounts are the account in use, nil when there is none, and the remembered
// ones, last connected first. No address is in Known twice.
type Accounts struct {
	Active *Active
	Known  []Known
}

// find returns the remembered account of an address, or nil.
func (a *Accounts) find(address sui.Address) *Known {
	for i := range a.Known {
		if a.Known[i].Account == address {
			return &a.Known[i]
		}
	}
	return nil
}

// take makes k the active account, and returns the previous one, or nil.
func (a *Accounts) take(k Known, at time.Time) (replaced *sui.Address) {
	if a.Active != nil && a.Active.Account != k.Account {
		before := a.Active.Account
		replaced = &before
	}
	active := k.active(at)
	a.Active = &active
	return replaced
}

// remember stores an account that a wallet gave now. A proof remains valid for the wallet that
// proved it; another wallet only claims the address.
func (a *Accounts) remember(k Known) Known {
	k.FirstConnectedAt, k.Proven, k.ProvenAt = k.LastConnectedAt, false, time.Time{}
	if before := a.find(k.Account); before != nil {
		k.FirstConnectedAt, k.Chosen = before.FirstConnectedAt, before.Chosen
		if before.Chain == k.Chain && before.WalletID == k.WalletID && before.WalletName == k.WalletName {
			k.Proven, k.ProvenAt = before.Proven, before.ProvenAt
		}
		a.drop(k.Account)
	}
	a.Known = slices.Insert(a.Known, 0, k)
	if len(a.Known) > MostKnown {
		a.Known = a.Known[:MostKnown]
	}
	return k
}

func (a *Accounts) drop(address sui.Address) {
	a.Known = slices.DeleteFunc(a.Known, func(k Known) bool { return k.Account == address })
}

// Known returns the remembered accounts, last connected first.
func (s *Service) Known(ctx context.Context) ([]Known, error) {
	return s.c.Store.KnownAccounts(ctx)
}

// Use makes a remembered account the active one again, as a user asked on a page. An address that
// no wallet gave here is fault.InputInvalid, one of another chain fault.NetworkMismatch.
func (s *Service) Use(ctx context.Context, address sui.Address) (Active, error) {
	var used Active
	err := s.c.Store.ChangeAccounts(ctx, func(a *Accounts) error {
		k, err := s.usable(a, address)
		if err != nil {
			return err
		}
		if a.Active == nil || a.Active.Account != address {
			a.take(k, s.c.Now().Truncate(time.Millisecond))
		}
		used = *a.Active
		return nil
	})
	return used, err
}

// UseIn ends a connect session with a remembered account that the user chose on its page: the
// session becomes Connected. It returns the errors of Use, and fault.InvalidSessionTransition if
// the session is over.
func (s *Service) UseIn(ctx context.Context, id string, address sui.Address) (Identity, error) {
	return s.change(ctx, id, func(r *Row) error {
		if err := r.Identity.open(address); err != nil {
			return err
		}
		k, err := s.usable(&r.Accounts, address)
		if err != nil {
			return err
		}
		r.connect(k)
		return nil
	})
}

// open reports why a session cannot end with an account; errUnchanged if it did already.
func (i *Identity) open(address sui.Address) error {
	switch i.Status {
	case Opened, Connecting:
		return nil
	case Connected:
		if *i.Account == address {
			return errUnchanged
		}
	case Expired:
		return expired()
	}
	return ended(i.Status, Connected)
}

// connect ends the session with a remembered account.
func (r *Row) connect(k Known) {
	i := &r.Identity
	i.Status, i.Account, i.Chain = Connected, &k.Account, k.Chain
	i.WalletName, i.WalletID, i.ProvenAt = k.WalletName, k.WalletID, k.ProvenAt
	i.Replaced = r.Accounts.take(k, i.UpdatedAt)
}

// usable returns the remembered account of an address on this server's chain.
func (s *Service) usable(a *Accounts, address sui.Address) (Known, error) {
	k := a.find(address)
	if k == nil {
		return Known{}, fault.New(fault.InputInvalid,
			"No wallet gave the account %s here, or it was forgotten. Connect the wallet that has it.", address)
	}
	if k.Chain != s.c.Chain {
		return Known{}, fault.New(fault.NetworkMismatch,
			"The account %s was connected on %s; this server works on %s. Connect its wallet again.", address, k.Chain,
			s.c.Chain)
	}
	return *k, nil
}

// Forget removes a remembered account, which is then no longer in use. An unknown account is not an
// error.
func (s *Service) Forget(ctx context.Context, address sui.Address) error {
	return s.c.Store.ChangeAccounts(ctx, func(a *Accounts) error {
		a.drop(address)
		if a.Active != nil && a.Active.Account == address {
			a.Active = nil
		}
		return nil
	})
}

// Clear ends the use of the active account, and gives it; false when there was
// none. The account stays remembered.
func (s *Service) Clear(ctx context.Context) (was Active, ok bool, err error) {
	return s.ClearFor(ctx, func(context.Context) error { return nil })
}

// ClearFor does the same for a page whose permission is checked inside the transaction. right may
// read committed data and must not write.
func (s *Service) ClearFor(ctx context.Context, right func(context.Context) error) (was Active, ok bool, err error) {
	err = s.c.Store.ChangeAccounts(ctx, func(a *Accounts) error {
		if err := right(ctx); err != nil {
			return err
		}
		was, ok = Active{}, a.Active != nil
		if ok {
			was, a.Active = *a.Active, nil
		}
		return nil
	})
	return was, ok, err
}
