package registry

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// EventType returns the canonical type of a DeepBook event. The type names the package that first
// defined it, which is the original one for most events. Recorded mainnet transactions show which
// events are newer.
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
