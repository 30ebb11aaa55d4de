package standing

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// AccountPackage is DeepBook's package of trading accounts, in which apps act for their owners.
type AccountPackage struct {
	Registry sui.ObjectID // from which the ids of accounts follow
	Package  sui.ObjectID // the first id of the package of accounts
	Sessions sui.ObjectID // the first id of the package of sessions
}

// wrapperHead is what a wrapper of an account begins with: its id, the account's and its owner.
const wrapperHead = 3 * 32

// derivedKey wraps the type of a key as derived objects do.
const derivedKey = "0x2::derived_object::DerivedObjectKey<%s>"

// wrapper returns the id of the object that holds the account of an owner.
func (p AccountPackage) wrapper(owner sui.Address) (sui.ObjectID, error) {
	key, err := sui.ParseTypeTag(fmt.Sprintf(derivedKey, p.Package.String()+"::account_registry::AccountWrapperKey"))
	if err != nil {
		return sui.ObjectID{}, err
	}
	return sui.DynamicFieldID(p.Registry, key, owner[:])
}

// list returns the id of the field of an account that lists sessions.
func (p AccountPackage) list(account sui.ObjectID) (sui.ObjectID, error) {
	key, err := sui.ParseTypeTag(fmt.Sprintf("%s::account::DataKey<%s::sessions::SessionsApp>", p.Package, p.Sessions))
	if err != nil {
		return sui.ObjectID{}, err
	}
	return sui.DynamicFieldID(account, key, []byte{0})
}

// sessions reads the trading account of an owner, and the sessions that may trade in it.
func (r Reader) sessions(ctx context.Context, owner sui.Address) (list []Permission, more bool, err error) {
	if r.Accounts == nil {
		return nil, false, nil
	}
	id, err := r.Accounts.wrapper(owner)
	if err != nil {
		return nil, false, err
	}
	o, err := r.Chain.Contents(ctx, id)
	if missing(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if o.Type != r.Accounts.Package.String()+"::account::AccountWrapper" || len(o.Contents) < wrapperHead ||
		sui.ObjectID(o.Contents[:32]) != id || sui.Address(o.Contents[64:wrapperHead]) != owner {
		return nil, false, misshapen("a trading account of DeepBook")
	}
	list = []Permission{{Kind: TradingAccount, ID: id}}
	field, err := r.Accounts.list(sui.ObjectID(o.Contents[32:64]))
	if err != nil {
		return nil, false, err
	}
	o, err = r.Chain.Contents(ctx, field)
	if missing(err) {
		return list, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return append(list, readSessions(id, field, o.Contents)...), false, nil
}

// maxSessions is how many the package admits.
const maxSessions = 20

// readSessions reads a field: its id, the empty key, and a list of keys with the end of each in
// milliseconds. Sessions in another form are there, and cannot be read.
func readSessions(account, field sui.ObjectID, b []byte) (list []Permission) {
	unread := []Permission{{Kind: Session, ID: account}}
	rest, ok := bytes.CutPrefix(b, append(field[:], 0))
	n, used := binary.Uvarint(rest)
	const each = 32 + 8
	if !ok || used <= 0 || n > maxSessions || len(rest)-used != int(n)*each {
		return unread
	}
	for rest = rest[used:]; len(rest) > 0; rest = rest[each:] {
		list = append(list, Permission{Kind: Session, ID: account, Holder: sui.Address(rest[:32]),
			Until: binary.LittleEndian.Uint64(rest[32:each])})
	}
	return list
}
