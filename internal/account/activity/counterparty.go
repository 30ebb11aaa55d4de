package activity

import "github.com/sayurintent/sayurintent/internal/sui"

// Counterparty returns the only other address of a payment: the recipient if the account sent it,
// otherwise the sender. It is nil if there is none or more than one, or if not all changes are
// known.
func (t Transaction) Counterparty(account sui.Address) *sui.Address {
	if t.Sender == nil || t.Detail == nil || t.Detail.Lists.Balances != Complete {
		return nil
	}
	if *t.Sender != account {
		return t.Sender
	}
	var one *sui.Address
	for _, b := range t.Detail.Balances {
		switch {
		case b.Owner == nil:
			return nil
		case *b.Owner == account || b.Amount.Negative || one != nil && *b.Owner == *one:
			continue
		//mutant:never ./internal/account/activity TestCounterparty
		case one != nil:
			return nil
		}
		one = b.Owner
	}
	return one
}
