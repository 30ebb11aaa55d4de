package web

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// InUse is what the header of every page shows: the account in use, and whether signing is paused.
// Mark changes whenever another field changes, and is never "".
type InUse struct {
	Mark, Address, Wallet, Since string
	Proven                       bool
	Frozen                       bool // signing is paused
}

// used returns the account in use. Address is "" if there is none.
func (s *Server) used(ctx context.Context) (InUse, error) {
	u := InUse{Mark: "none"}
	active, ok, err := s.Accounts.Active(ctx)
	if err != nil {
		return u, err
	}
	if ok {
		u = inUseOf(active)
	}
	if u.Frozen, err = s.Frozen(ctx); u.Frozen {
		u.Mark += " stopped"
	}
	return u, err
}

func inUseOf(a account.Active) InUse {
	u := InUse{Address: a.Account.String(), Wallet: words.Whole(a.WalletName), Since: words.At(a.ConnectedAt),
		Proven: a.Proven}
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%q", []any{u.Address, u.Wallet, u.Since, u.Proven})
	u.Mark = fmt.Sprint(hash.Sum64())
	return u
}
