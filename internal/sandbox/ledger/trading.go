package ledger

import (
	"encoding/binary"
	"slices"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// OpenTrading gives an account a DeepBook trading account with one session, which ends at a time in
// milliseconds since 1970.
func (l *Ledger) OpenTrading(owner, holder sui.Address, until uint64) error {
	pkg, inner := registry.AccountPackage.String(), sui.MustAddress("0xacc0")
	wrapper, err := sui.DynamicFieldID(registry.AccountRegistry,
		sui.MustTypeTag("0x2::derived_object::DerivedObjectKey<"+pkg+"::account_registry::AccountWrapperKey>"), owner[:])
	if err != nil {
		return err
	}
	key := pkg + "::account::DataKey<" + registry.SessionsPackage.String() + "::sessions::SessionsApp>"
	field, err := sui.DynamicFieldID(inner, sui.MustTypeTag(key), []byte{0})
	if err != nil {
		return err
	}
	l.Edit("trading", func(e *Edit) {
		e.Place(Object{ID: wrapper, Version: 1, Owner: sui.Owner{Kind: sui.OwnerShared, InitialVersion: 1},
			Type: sui.MustTypeTag(pkg + "::account::AccountWrapper"), Contents: slices.Concat(wrapper[:], inner[:], owner[:],
				make([]byte, 114))})
		e.Place(Object{ID: field, Version: 1, Owner: sui.Owner{Kind: sui.OwnerObject, Address: inner},
			Type: sui.MustTypeTag("0x2::dynamic_field::Field<" + key + "," + registry.SessionsPackage.String() +
				"::sessions::SessionsData>"),
			Contents: binary.LittleEndian.AppendUint64(slices.Concat(field[:], []byte{0, 1}, holder[:]), until)})
	})
	return nil
}
