package web

import (
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// elsewhere says that a review has another account than the one in use.
type elsewhere struct {
	Title, Do     string
	Own, OwnNamed string // the review's account and wallet
	Used          web.InUse
}

// apart compares the account of a review with the one in use. It is nil if they are the same, and
// if no account is in use and nothing is left to sign.
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
