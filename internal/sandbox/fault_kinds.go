package sandbox

// FaultKind is one way in which the sandbox can misbehave, or one event of the
// chain that a test wants now.
type FaultKind string

// The kinds of faults. Those up to Drop stay until used up (Times) or cleared;
// the others happen at once.
const (
	Slow               FaultKind = "slow"                 // Method answers after Milliseconds
	Fail               FaultKind = "fail"                 // Method answers UNAVAILABLE
	Refuse             FaultKind = "refuse"               // Method answers INVALID_ARGUMENT
	Miss               FaultKind = "miss"                 // Method answers NOT_FOUND, as before a transaction is known
	OmitBalanceChanges FaultKind = "omit_balance_changes" // simulations tell none
	AlterBalances      FaultKind = "alter_balances"       // simulations tell ten per cent more of every gain
	OtherRecipient     FaultKind = "other_recipient"      // simulations tell that somebody else gains
	OtherDigest        FaultKind = "other_digest"         // simulations tell another digest
	OtherSender        FaultKind = "other_sender"         // simulations tell another sender
	RepeatBalances     FaultKind = "repeat_balances"      // ListBalances tells its first balance twice
	StuckBalances      FaultKind = "stuck_balances"       // ListBalances goes on with the same page for ever
	Drop               FaultKind = "drop"                 // ExecuteTransaction executes, its answer is lost
	AdvanceEpoch       FaultKind = "advance_epoch"
	DisableVersion     FaultKind = "disable_version" // Pool, or every pool, stops admitting package Version
	EnableVersion      FaultKind = "enable_version"
	ShiftPrice         FaultKind = "shift_price"  // the book of Pool moves by BasisPoints
	ConsumeCoin        FaultKind = "consume_coin" // the version of Object moves on, as if spent elsewhere
	ClearFaults        FaultKind = "clear"
)

// Faults of LedgerService.ListEvents, beside those of every method and
// OtherSender, which tells its events as somebody else's.
const (
	LackEvents   FaultKind = "lack_events"   // it answers UNIMPLEMENTED, as an older node
	ForeignEvent FaultKind = "foreign_event" // it tells its events as another package's
	StuckEvents  FaultKind = "stuck_events"  // its pages end where they began
)

// Faults of the GraphQL service, beside Slow, Fail, Refuse, Miss and OtherSender.
// Method is the field of the query: transactions, transaction,
// multiGetCheckpoints or serviceConfig.
const (
	RepeatPage   FaultKind = "repeat_page"   // transactions are the newest ones, whatever cursor is sent
	ReversePage  FaultKind = "reverse_page"  // a page's transactions are in the opposite order
	HugeAnswer   FaultKind = "huge_answer"   // an answer of 50 MB
	PartialError FaultKind = "partial_error" // a result beside an error with path and code
	NullDetails  FaultKind = "null_details"  // effects without their lists
	Prune        FaultKind = "prune"         // checkpoints below Number are no longer there
)

// Faults that change one pool, as its administrator or its makers could.
const (
	ThinBook   FaultKind = "thin_book"   // Pool keeps the best Number live orders of each side
	LeastSize  FaultKind = "least_size"  // Pool trades no less than Number raw units of base
	LotSize    FaultKind = "lot_size"    // Pool trades in steps of Number raw units of base
	TakerFee   FaultKind = "taker_fee"   // Pool takes Number billionths
	MakerFee   FaultKind = "maker_fee"   // Pool takes Number billionths of what rests
	DeepPoints FaultKind = "deep_points" // Pool's DEEP price becomes Number (raw DEEP per raw quote, times 10^9); 0: it has none
)

// Fault is one order to misbehave. Times 0 means until cleared; Method is the
// bare gRPC method name, empty for every method.
type Fault struct {
	Kind         FaultKind `json:"kind"`
	Method       string    `json:"method,omitempty"`
	Milliseconds int       `json:"milliseconds,omitempty"`
	Times        int       `json:"times,omitempty"`
	Version      uint64    `json:"version,omitempty"`
	Pool         string    `json:"pool,omitempty"`
	BasisPoints  int       `json:"basisPoints,omitempty"`
	Object       string    `json:"object,omitempty"`
	Number       uint64    `json:"number,omitempty"`
}
