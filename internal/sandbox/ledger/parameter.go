package ledger

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
)

// Parameter is the kind of one parameter or result of a known Move function.
type Parameter uint8

const (
	poolRef Parameter = iota
	PoolMut
	clockRef
	u64Value
	boolValue
	u64List
	coinBase  // Coin of the first type argument
	coinQuote // Coin of the second type argument
	coinDeep
	coinObject // an object of the first type argument, which is Coin<T>
	idValue
	deepPriceValue
	managerRef
	registryRef
	addressValue
	idSet
	orderIDSet
	orderList
	accountValue
	managerMut
	managerValue // a balance manager that nobody owns or shares yet
	proofValue
	orderInfoValue
	u8Value
	u128Value
	FlowxRegistryMut
	flowxVersionedRef
)

// Move is the parameter's Move type, with $0 and $1 for the function's type
// parameters, after & or &mut where it is a reference.
func (p Parameter) Move() string {
	text := [...]string{
		poolRef: "&DEEPBOOK::pool::Pool<$0,$1>", PoolMut: "&mut DEEPBOOK::pool::Pool<$0,$1>",
		clockRef: "&FRAMEWORK::clock::Clock", u64Value: "u64", boolValue: "bool", u64List: "vector<u64>",
		coinBase: "FRAMEWORK::coin::Coin<$0>", coinQuote: "FRAMEWORK::coin::Coin<$1>",
		coinDeep: "FRAMEWORK::coin::Coin<" + string(registry.DEEP) + ">", coinObject: "$0",
		idValue: "FRAMEWORK::object::ID", deepPriceValue: "DEEPBOOK::deep_price::OrderDeepPrice",
		managerRef: "&DEEPBOOK::balance_manager::BalanceManager", registryRef: "&DEEPBOOK::registry::Registry",
		addressValue: "address", idSet: "FRAMEWORK::vec_set::VecSet<FRAMEWORK::object::ID>",
		orderIDSet: "FRAMEWORK::vec_set::VecSet<u128>", orderList: "vector<DEEPBOOK::order::Order>",
		accountValue: "DEEPBOOK::account::Account", managerMut: "&mut DEEPBOOK::balance_manager::BalanceManager",
		managerValue: "$0", proofValue: "&DEEPBOOK::balance_manager::TradeProof",
		orderInfoValue: "DEEPBOOK::order_info::OrderInfo", u8Value: "u8", u128Value: "u128",
		FlowxRegistryMut:  "&mut FLOWX::pool_manager::PoolRegistry",
		flowxVersionedRef: "&FLOWX::versioned::Versioned",
	}[p]
	if !strings.Contains(text, "::") {
		return text
	}
	return strings.NewReplacer("DEEPBOOK", registry.OriginalPackage.String(), "FLOWX", flowx.OriginalPackage.String(),
		"FRAMEWORK", frameworkID.String()).Replace(text)
}

// IsCoin reports whether a value is a coin that a function makes.
func (p Parameter) IsCoin() bool { return p == coinBase || p == coinQuote || p == coinDeep }
