package registry

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// EventType returns the canonical type of one of DeepBook's events. A type is named by the package that
// first defined it, which for most is the original one. Recorded mainnet transactions show which are
// newer.
func EventType(module, name string) string {
	first := uint64(1)
	switch module + "::" + name {
	case "balance_manager::BalanceManagerEvent":
		first = 2
	case "order_info::OrderFullyFilled":
		first = 4
	}
	from := OriginalPackage
	if i := slices.IndexFunc(pinned.packages, func(p Package) bool { return p.Number == first }); i >= 0 {
		from = pinned.packages[i].ID
	}
	return sui.StructTag{Address: from, Module: module, Name: name}.String()
}
