package web

import (
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// elsewhere describes a review whose account is not the account in use.
type elsewhere struct {
	Title, Do     string
	Own, OwnNamed string // the review's account and wallet
	Used          web.InUse
}

// apart returns nil if the review's account is the account in use. It also returns nil if there is
// no account in use and nothing left to sign.
func (l look) apart() *elsewhere {
	s := l.Session
	unsigned := s.Status.Computable() || s.Status == record.Proposed || s.Status == record.AwaitingWallet
	if s.Proposal != nil {
		return nil // a proposal belongs to no account
	}
	if l.used.Address == s.Account.String() || (l.used.Address == "" && !unsigned) {
		return nil
	}
	e := &elsewhere{
		Title: "This review is for another account than the one in use.",
		Own:   s.Account.String(), OwnNamed: words.Whole(s.WalletName), Used: l.used,
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
