package standing

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// AccountPackage identifies DeepBook's package of trading accounts, in which apps can act for the
// owners.
type AccountPackage struct {
	Registry sui.ObjectID // parent of the derived IDs of accounts
	Package  sui.ObjectID // original ID of the accounts package
	Sessions sui.ObjectID // original ID of the sessions package
}

// wrapperHead is the size of the fields at the start of an account's wrapper: its ID, and the
// account's ID and owner.
const wrapperHead = 3 * 32

// derivedKey is the type of the key from which the ID of a derived object is computed.
const derivedKey = "0x2::derived_object::DerivedObjectKey<%s>"

// wrapper returns the ID of the object that contains an owner's account.
func (p AccountPackage) wrapper(owner sui.Address) (sui.ObjectID, error) {
	key, err := sui.ParseTypeTag(fmt.Sprintf(derivedKey, p.Package.String()+"::account_registry::AccountWrapperKey"))
	if err != nil {
		return sui.ObjectID{}, err
	}
	return sui.DynamicFieldID(p.Registry, key, owner[:])
}

// list returns the ID of the account's dynamic field that contains its sessions.
func (p AccountPackage) list(account sui.ObjectID) (sui.ObjectID, error) {
	key, err := sui.ParseTypeTag(fmt.Sprintf("%s::account::DataKey<%s::sessions::SessionsApp>", p.Package, p.Sessions))
	if err != nil {
		return sui.ObjectID{}, err
	}
	return sui.DynamicFieldID(account, key, []byte{0})
}

// sessions reads an owner's trading account, and the sessions that may trade in it.
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

// maxSessions is the maximum number of sessions that the package allows.
const maxSessions = 20

// readSessions decodes a dynamic field: its ID, an empty key, and a list of addresses, each with
// the end of its session in milliseconds. For data in an unknown form, it returns one Session
// without a Holder.
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
