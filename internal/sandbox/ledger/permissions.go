package ledger

import (
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Allowance is what Permit puts on the chain: Spender may take Coin out of Funder's
// address balance. A bound of zero is none. Times are milliseconds since 1970.
type Allowance struct {
	Funder, Spender sui.Address
	App             string // the type name of the app whose code must agree
	Coin            sui.CoinType
	Cap, Taken      uint64 // raw units
	Start, End      uint64
	Name            string

	Limit, Spent  uint64 // of the rate, where there is one
	Anchor, Index uint64 // of its windows, as of the last spend
	PeriodMs      uint64 // or Months
	Months        uint8
}

// Permit puts an allowance on the chain, with the cap by which its funder ends it.
func (l *Ledger) Permit(a Allowance) (allowance, funders sui.ObjectID) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	source := l.elsewhere("permitted")
	id, held := derivedID(source, 0), derivedID(source, 1)
	param := "<" + balanceType(a.Coin).String() + ">"
	version := managerVersion + l.made
	l.put((&Object{ID: id, Version: version, Owner: sharedOwner(version), Type: sui.MustTypeTag("0x2::allowance::Allowance" + param),
		Contents: a.encode(bcs.Bytes(nil).Raw(id[:])), Previous: source}).seal())
	l.put((&Object{ID: held, Version: 1, Owner: addressOwner(a.Funder), Type: sui.MustTypeTag("0x2::allowance::AllowanceCap" + param),
		Contents: bcs.Bytes(nil).Raw(held[:]).Raw(id[:]), Previous: source}).seal())
	l.appendCheckpoint(now, nil)
	return id, held
}

// encode writes the fields in the order of the Move struct.
func (a Allowance) encode(b bcs.Bytes) bcs.Bytes {
	some := func(set bool, value bcs.Bytes) {
		if b = b.Bool(set); set {
			b = b.Raw(value)
		}
	}
	wide := func(n uint64) bcs.Bytes { return bcs.Bytes(nil).U64(n).U64(0).U64(0).U64(0) }
	b = b.Raw(a.Funder[:])
	some(!a.Spender.IsZero(), a.Spender[:])
	some(a.App != "", bcs.Bytes(nil).Text(a.App))
	some(a.Cap > 0, wide(a.Cap))
	some(a.Start > 0, bcs.Bytes(nil).U64(a.Start))
	some(a.End > 0, bcs.Bytes(nil).U64(a.End))
	if b = b.Bool(a.Limit > 0); a.Limit > 0 {
		b = append(b, 0).Raw(wide(a.Limit)).Raw(wide(a.Spent))
		some(a.Anchor > 0, bcs.Bytes(nil).U64(a.Anchor))
		b = b.U64(a.Index)
		if a.PeriodMs > 0 {
			b = append(b, 0).U64(a.PeriodMs)
		} else {
			b = append(b, 1, a.Months)
		}
	}
	return b.Text(a.Name).Raw(wide(a.Taken))
}

// Alias lets keys sign for an account, besides its own.
func (l *Ledger) Alias(owner sui.Address, keys ...sui.Address) sui.ObjectID {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	source := l.elsewhere("aliased")
	id := derivedID(source, 0)
	b := bcs.Bytes(nil).Raw(id[:]).Uleb(len(keys) + 1).Raw(owner[:])
	for _, key := range keys {
		b = b.Raw(key[:])
	}
	l.put((&Object{ID: id, Version: 1, Owner: addressOwner(owner), Type: sui.MustTypeTag("0x2::address_alias::AddressAliases"),
		Contents: b, Previous: source}).seal())
	l.appendCheckpoint(now, nil)
	return id
}
