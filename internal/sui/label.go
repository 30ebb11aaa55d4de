package sui

// Label identifies a protocol in past transactions, only by complete ids and never by name. A match
// means that a protocol was called, not that anyone owns something in it.
type Label struct {
	ID   string // stable ID such as deepbook-v3
	Name string // display name
	// Packages are all published versions, including the first. Calls and events may name any of them.
	// Types name only the first version.
	Packages []ObjectID
	// CallsOnly means that the protocol's types occur in nearly every transaction, as the coin type
	// does, so only calls and events show its use.
	CallsOnly bool
	// Shared lists the protocol's shared objects.
	Shared []ObjectID
	// Actions classifies calls by module::function. An unlisted function is of unknown kind.
	Actions map[string]ActionKind
	// Read returns what the protocol's events report about a transaction from sender. Without events,
	// or if they contradict each other, it returns the zero value.
	Read func(sender Address, events []Event) Report
}

// Report holds what a protocol's events report about a transaction of its sender.
type Report struct {
	Actions []string    `json:"deeds,omitempty"` // such as "placed an order to sell 10 SUI at 3.25 USDC per SUI"
	Fees    []MarketFee `json:"marketFees,omitempty"`
}

// MarketFee is a venue's fee in one coin.
type MarketFee struct {
	Coin   CoinType `json:"coinType"`
	Amount Raw      `json:"amountRaw"`
}

// ActionKind is the category of a call.
type ActionKind string

// Kinds of actions.
const (
	ActionOrder     ActionKind = "order"
	ActionSwap      ActionKind = "swap"
	ActionLiquidity ActionKind = "liquidity"
	ActionCustody   ActionKind = "deposit_or_withdrawal"
	ActionFee       ActionKind = "fee_or_reward"
	ActionTransfer  ActionKind = "transfer"
	ActionUnknown   ActionKind = "unknown"
)

// ChainLabels returns the packages in the genesis of every Sui chain. Their ids are constants that
// upgrades preserve.
func ChainLabels() []Label {
	return []Label{
		{ID: "move-stdlib", Name: "Move standard library", Packages: []ObjectID{lowID(1)}, CallsOnly: true},
		{ID: "sui-framework", Name: "Sui framework", Packages: []ObjectID{lowID(2)}, CallsOnly: true,
			Actions: map[string]ActionKind{
				"transfer::public_transfer": ActionTransfer, "pay::split_and_transfer": ActionTransfer,
				"pay::join_vec_and_transfer": ActionTransfer,
			}},
		{ID: "sui-system", Name: "Sui system", Packages: []ObjectID{lowID(3)}},
		{ID: "deepbook-v2", Name: "DeepBook V2", Packages: []ObjectID{lowID(0xdee9)}, Actions: map[string]ActionKind{
			"clob_v2::place_limit_order": ActionOrder, "clob_v2::place_market_order": ActionOrder,
			"clob_v2::cancel_order": ActionOrder, "clob_v2::cancel_all_orders": ActionOrder,
			"clob_v2::swap_exact_base_for_quote": ActionSwap, "clob_v2::swap_exact_quote_for_base": ActionSwap,
		}},
	}
}

// lowID returns the object ID for a small number.
func lowID(n uint16) ObjectID {
	var id ObjectID
	id[len(id)-2], id[len(id)-1] = byte(n>>8), byte(n)
	return id
}
