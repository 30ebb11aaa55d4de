package testkit

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Trading gives an account a trading account of DeepBook with one session, which ends at a
// time in milliseconds since 1970.
func Trading(t *testing.T, chain *sandbox.Sandbox, owner, holder sui.Address, until uint64) {
	t.Helper()
	pkg, inner := registry.AccountPackage.String(), sui.MustAddress("0xacc0")
	id := func(parent sui.ObjectID, key string, b []byte) sui.ObjectID {
		out, err := sui.DynamicFieldID(parent, sui.MustTypeTag(key), b)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	wrapper := id(registry.AccountRegistry, "0x2::derived_object::DerivedObjectKey<"+pkg+"::account_registry::AccountWrapperKey>", owner[:])
	key := pkg + "::account::DataKey<" + registry.SessionsPackage.String() + "::sessions::SessionsApp>"
	field := id(inner, key, []byte{0})
	chain.Edit("trading", func(e *ledger.Edit) {
		e.Place(ledger.Object{ID: wrapper, Version: 1, Owner: sui.Owner{Kind: sui.OwnerShared, InitialVersion: 1},
			Type: sui.MustTypeTag(pkg + "::account::AccountWrapper"), Contents: slices.Concat(wrapper[:], inner[:], owner[:], make([]byte, 114))})
		e.Place(ledger.Object{ID: field, Version: 1, Owner: sui.Owner{Kind: sui.OwnerObject, Address: inner},
			Type:     sui.MustTypeTag("0x2::dynamic_field::Field<" + key + "," + registry.SessionsPackage.String() + "::sessions::SessionsData>"),
			Contents: binary.LittleEndian.AppendUint64(slices.Concat(field[:], []byte{0, 1}, holder[:]), until)})
	})
}
