package sui

// Label identifies a protocol in what happened on the chain: by complete
// IDs, never only by a name. It means that a protocol was called, not that
// anybody owns something there.
type Label struct {
	ID   string // stable word, as in deepbook-v3
	Name string // for people
	// Packages are all published versions, whose functions are called and whose
	// modules emit events. Types name only the first version, which is among them.
	Packages []ObjectID
	// CallsOnly means that types of it occur in nearly everything, as that of every
	// coin does, so that only calls and events show that it was used.
	CallsOnly bool
	// Shared are the shared objects that belong to it.
	Shared []ObjectID
	// Actions says what calls are about, by module::function. A function that is
	// not named is of no known kind.
	Actions map[string]ActionKind
	// Read returns what the protocol's events report of a transaction from sender, or nil
	// if there are none. Inconsistent events report nothing.
	Read func(sender Address, events []Event) Told
}

// Told is what a protocol's events report of one transaction of its sender.
type Told struct {
	Deeds []string    `json:"deeds,omitempty"` // in words, as in "placed an order to sell 10 SUI at 3.25 USDC per SUI"
	Fees  []MarketFee `json:"marketFees,omitempty"`
}

// MarketFee is what a venue took of one coin.
type MarketFee struct {
	Coin   CoinType `json:"coinType"`
	Amount Raw      `json:"amountRaw"`
}

// ActionKind is what a call is about, coarsely.
type ActionKind string

// The kinds of actions.
const (
	ActionOrder     ActionKind = "order"
	ActionSwap      ActionKind = "swap"
	ActionLiquidity ActionKind = "liquidity"
	ActionCustody   ActionKind = "deposit_or_withdrawal"
	ActionFee       ActionKind = "fee_or_reward"
	ActionTransfer  ActionKind = "transfer"
	ActionUnknown   ActionKind = "unknown"
)

// ChainLabels are the packages that every Sui chain begins with. Their ids are
// constants of the chain, whole in themselves; upgrades keep them.
func ChainLabels() []Label {
	return []Label{
		{ID: "move-stdlib", Name: "Move standard library", Packages: []ObjectID{lowID(1)}, CallsOnly: true},
		{ID: "sui-framework", Name: "Sui framework", Packages: []ObjectID{lowID(2)}, CallsOnly: true, Actions: map[string]ActionKind{
			"transfer::public_transfer": ActionTransfer, "pay::split_and_transfer": ActionTransfer, "pay::join_vec_and_transfer": ActionTransfer,
		}},
		{ID: "sui-system", Name: "Sui system", Packages: []ObjectID{lowID(3)}},
		{ID: "deepbook-v2", Name: "DeepBook V2", Packages: []ObjectID{lowID(0xdee9)}, Actions: map[string]ActionKind{
			"clob_v2::place_limit_order": ActionOrder, "clob_v2::place_market_order": ActionOrder,
			"clob_v2::cancel_order": ActionOrder, "clob_v2::cancel_all_orders": ActionOrder,
			"clob_v2::swap_exact_base_for_quote": ActionSwap, "clob_v2::swap_exact_quote_for_base": ActionSwap,
		}},
	}
}

// lowID returns an id that is a small number.
func lowID(n uint16) ObjectID {
	var id ObjectID
	id[len(id)-2], id[len(id)-1] = byte(n>>8), byte(n)
	return id
}
