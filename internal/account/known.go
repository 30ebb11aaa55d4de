package account

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Known is an account that a wallet connected on this computer, until the user removes it. The
// wallet is the one that connected it last. ProvenAt is zero if the account is only claimed.
type Known struct {
	Account          sui.Address `json:"account"`
	Chain            string      `json:"chain"`
	WalletName       string      `json:"walletName,omitempty"`
	WalletID         string      `json:"walletId,omitempty"`
	FirstConnectedAt time.Time   `json:"firstConnectedAt"`
	LastConnectedAt  time.Time   `json:"lastConnectedAt"`
	Proven           bool        `json:"proven"`
	ProvenAt         time.Time   `json:"provenAt,omitzero"`
	// Chosen reports that the user chose the account in a browser session on this computer.
	Chosen bool `json:"-"`
	// MultiSig contains the members of a multisig account. It is nil for an account that a wallet
	// connected.
	MultiSig *sui.MultiSig `json:"-"`
}

// active returns k as the active account since at.
func (k Known) active(at time.Time) Active {
	return Active{Account: k.Account, Chain: k.Chain, WalletName: k.WalletName, WalletID: k.WalletID,
		Proven: k.Proven, ProvenAt: k.ProvenAt, ConnectedAt: at}
}

// Accounts contains the active account, or nil if there is none, and the known accounts, most
// recently connected first. Known contains no address twice.
type Accounts struct {
	Active *Active
	Known  []Known
}

// find returns the known account with an address, or nil.
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

// remember stores an account that a wallet has just connected. An existing proof remains valid only
// for the wallet that gave it; another wallet only claims the address.
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

// Known returns the known accounts, most recently connected first.
func (s *Service) Known(ctx context.Context) ([]Known, error) {
	return s.c.Store.KnownAccounts(ctx)
}

// Use makes a known account active at the user's request on a page. It returns fault.InputInvalid
// if the address is not known, and fault.NetworkMismatch if it is on another chain.
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

// UseIn completes a connect session with a known account that the user chose on its page. The
// session becomes Connected. UseIn returns the errors of Use, and fault.InvalidSessionTransition if
// the session has ended.
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

// open returns an error if the session cannot be completed with an account, or errUnchanged if it
// already was.
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

// connect completes the session with a known account.
func (r *Row) connect(k Known) {
	i := &r.Identity
	i.Status, i.Account, i.Chain = Connected, &k.Account, k.Chain
	i.WalletName, i.WalletID, i.ProvenAt = k.WalletName, k.WalletID, k.ProvenAt
	i.Replaced = r.Accounts.take(k, i.UpdatedAt)
}

// usable returns the known account with an address, if it is on this server's chain.
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

// Forget removes a known account. If it is active, no account is active afterwards. Removing an
// unknown account is not an error.
func (s *Service) Forget(ctx context.Context, address sui.Address) error {
	return s.c.Store.ChangeAccounts(ctx, func(a *Accounts) error {
		a.drop(address)
		if a.Active != nil && a.Active.Account == address {
			a.Active = nil
		}
		return nil
	})
}

// Clear makes no account active and returns the account that was, or false if there was none. The
// account remains known.
func (s *Service) Clear(ctx context.Context) (was Active, ok bool, err error) {
	return s.ClearFor(ctx, func(context.Context) error { return nil })
}

// ClearFor is Clear for a page. It calls right inside the transaction to check the page's
// permission; right may read committed data but must not write.
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
