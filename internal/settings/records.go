package settings

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// Visit gets everything that a copy holds, in the order of its members.
type Visit struct {
	Settings func(Stored, *Active) error
	Account  func(Account) error
	Identity func(Identity) error
	Review   func(review.Session) error
	Coin     func(CoinWord) error
	Entry    func(Entry) error
}

// Present is what a law about all data judges by.
type Present struct {
	Settings  Stored
	Active    *Active
	Known     []sui.Address // that wallets gave
	Unsettled []review.ID   // reviews with a release whose result is not known
}

// own gives the addresses of this machine.
func (p Present) own() []sui.Address {
	own := slices.Clone(p.Known)
	if p.Active != nil {
		own = append(own, p.Active.Account)
	}
	return own
}

// Replacement is what all data is replaced by. Without WithAccounts the account
// in use, the remembered ones, the connect sessions and their journal stay.
type Replacement struct {
	Settings     Stored
	Active       *Active
	WithAccounts bool
	// Rows gives the rows of the copy to a visitor, one by one; its error ends
	// them and is returned as it is. Settings of the visitor is not called.
	Rows func(ctx context.Context, v Visit) error
}

// Records are all local data as a whole. The page named by an id is the
// settings page that asks: its right outlives the change, every other link and
// pass ends with it.
type Records interface {
	// Walk gives one state of all data to the visitor, row by row. An error of
	// the visitor ends the walk and is returned as it is.
	Walk(ctx context.Context, v Visit) error
	// Present gives what laws judge by.
	Present(ctx context.Context) (Present, error)
	// Replace lets law judge what is present and puts its result in the place of
	// everything, in one write transaction. What was handed to a wallet here within
	// a day of limits goes on counting towards them. An error changes nothing.
	Replace(ctx context.Context, page string, law func(Present) (Replacement, error)) error
	// Erase forgets everything once law has agreed, in one write transaction: the
	// limits, and with them what counts towards them.
	Erase(ctx context.Context, page string, law func(Present) error) error
}
