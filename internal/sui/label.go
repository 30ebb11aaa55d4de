package sui

// Label is how one protocol is recognised in what happened on the chain: by ids
// that are known in full, never by a name alone. It says that a protocol was
// touched, and nothing of what somebody owns there.
type Label struct {
	ID   string // stable word, as in deepbook-v3
	Name string // for people
	// Packages are all published versions, whose functions are called and whose
	// modules emit events. Types name the first version alone; it is among them.
	Packages []ObjectID
	// Shared are the shared objects that belong to it.
	Shared []ObjectID
	// Actions says what calls are about, by module::function. A function that is
	// not named is of no known kind.
	Actions map[string]ActionKind
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
