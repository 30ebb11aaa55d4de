package web

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

// inUse is the account in use in words, and whether everything is stopped, as the
// header of every page tells it.
// Mark changes whenever the words do, and is "" never.
type inUse struct {
	Mark, Address, Wallet, Since string
	Proven                       bool
	Frozen                       bool // the person stopped all releases
}

// accountInUse reads which account is in use. Address is "" when there is none.
func (s *Server) accountInUse(ctx context.Context) (inUse, error) {
	u := inUse{Mark: "none"}
	active, ok, err := s.Accounts.Active(ctx)
	if err != nil {
		return u, err
	}
	if ok {
		u = inUseOf(active)
	}
	if u.Frozen, err = s.frozen(ctx); u.Frozen {
		u.Mark += " stopped"
	}
	return u, err
}

func inUseOf(a account.Active) inUse {
	u := inUse{Address: a.Account.String(), Wallet: whole(a.WalletName), Since: at(a.ConnectedAt), Proven: a.Proven}
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%q", []any{u.Address, u.Wallet, u.Since, u.Proven})
	u.Mark = fmt.Sprint(hash.Sum64())
	return u
}

// elsewhere says that a review has another account than the one in use.
type elsewhere struct {
	Title, Do     string
	Own, OwnNamed string // the review's account and wallet
	Used          inUse
}

// apart compares the account of a review with the one in use. It is nil where
// they are the same, and where no account is in use and nothing is left to sign.
func (l look) apart() *elsewhere {
	s := l.Session
	unsigned := s.Status.Computable() || s.Status == record.Proposed || s.Status == record.AwaitingWallet
	if s.Proposal != nil {
		return nil // nothing of it is for an account
	}
	if l.used.Address == s.Account.String() || (l.used.Address == "" && !unsigned) {
		return nil
	}
	e := &elsewhere{
		Title: "This review is for another account than the one in use.",
		Own:   s.Account.String(), OwnNamed: whole(s.WalletName), Used: l.used,
	}
	if e.Used.Address == "" {
		e.Title = "No account is connected now."
	}
	if unsigned {
		e.Do = "Nothing can be handed to a wallet from here until the review’s own account is in use again. " +
			"Connect it again, or ask your AI client for a review for the other one."
	}
	return e
}

// brief cuts an address down for the header: enough to tell accounts of one
// person apart, and never all that is shown where somebody signs.
func brief(address string) []string {
	const head, tail = len("0x") + 8, 8
	if _, err := sui.ParseAddress(address); err != nil || len(address) <= head+tail {
		return []string{address}
	}
	return append(append(groups(address[:head], len("0x1234")), "…"), groups(address[len(address)-tail:], 0)...)
}
