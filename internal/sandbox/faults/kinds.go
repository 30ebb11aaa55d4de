// Package faults holds the injected faults: what was asked for and not used up
// yet, and how each changes an answer on the wire or the chain itself.
package faults

// Kind is one way in which the sandbox can misbehave, or one event of the
// chain that a test needs now.
type Kind string

// The kinds of faults. Those up to Drop stay until used up (Times) or cleared;
// the others happen at once.
const (
	Slow               Kind = "slow"                 // Method answers after Milliseconds
	Fail               Kind = "fail"                 // Method answers UNAVAILABLE
	Refuse             Kind = "refuse"               // Method answers INVALID_ARGUMENT
	Miss               Kind = "miss"                 // Method answers NOT_FOUND, as before a transaction is known
	OmitBalanceChanges Kind = "omit_balance_changes" // simulations report none
	AlterBalances      Kind = "alter_balances"       // simulations report ten per cent more of every gain
	OtherRecipient     Kind = "other_recipient"      // simulations report that somebody else gains
	OtherDigest        Kind = "other_digest"         // simulations report another digest
	OtherSender        Kind = "other_sender"         // simulations report another sender
	RepeatBalances     Kind = "repeat_balances"      // ListBalances returns its first balance twice
	StuckBalances      Kind = "stuck_balances"       // ListBalances goes on with the same page for ever
	Drop               Kind = "drop"                 // ExecuteTransaction executes, its answer is lost
	AdvanceEpoch       Kind = "advance_epoch"
	DisableVersion     Kind = "disable_version" // Pool, or every pool, stops admitting package Version
	EnableVersion      Kind = "enable_version"
	ShiftPrice         Kind = "shift_price"  // the book of Pool moves by BasisPoints
	ConsumeCoin        Kind = "consume_coin" // the version of Object moves on, as if spent elsewhere
	Clear              Kind = "clear"
)

// Faults of LedgerService.ListEvents, beside those of every method and
// OtherSender, which reports its events as somebody else's.
const (
	LackEvents   Kind = "lack_events"   // it answers UNIMPLEMENTED, as an older node
	ForeignEvent Kind = "foreign_event" // it reports its events as another package's
	StuckEvents  Kind = "stuck_events"  // its pages end where they began
)

// Faults of the GraphQL service, beside Slow, Fail, Refuse, Miss and OtherSender.
// Method is the field of the query: transactions, transaction,
// multiGetCheckpoints or serviceConfig.
const (
	RepeatPage   Kind = "repeat_page"   // transactions are the newest ones, whatever cursor is sent
	ReversePage  Kind = "reverse_page"  // a page's transactions are in the opposite order
	HugeAnswer   Kind = "huge_answer"   // an answer of 50 MB
	PartialError Kind = "partial_error" // a result beside an error with path and code
	NullDetails  Kind = "null_details"  // effects without their lists
	Prune        Kind = "prune"         // checkpoints below Number are no longer there
)

// Faults of what proves a transaction. Those of certificates are of GetCheckpoint
// and leave the summary true; those of effects are of GetTransaction, under a true
// certificate.
const (
	NoCertificate    Kind = "no_certificate"     // nobody's signature
	WeakCertificate  Kind = "weak_certificate"   // two of four signed
	OtherEpoch       Kind = "other_epoch"        // the next epoch's committee signed, as of its epoch
	OtherCommittee   Kind = "other_committee"    // validators of another chain signed
	NewerContents    Kind = "newer_contents"     // contents of version 3 under a true certificate
	PruneEpochEnds   Kind = "prune_epoch_ends"   // the last checkpoints of epochs are no longer there
	OtherEffects     Kind = "other_effects"      // the bytes of the effects have another price of computation
	OtherStatusBytes Kind = "other_status_bytes" // the bytes of the effects say the opposite of what happened
)

// Faults that change one pool, as its administrator or its makers could.
const (
	ThinBook  Kind = "thin_book"  // Pool keeps the best Number live orders of each side
	LeastSize Kind = "least_size" // Pool trades no less than Number raw units of base
	LotSize   Kind = "lot_size"   // Pool trades in steps of Number raw units of base
	TakerFee  Kind = "taker_fee"  // Pool takes Number billionths
	MakerFee  Kind = "maker_fee"  // Pool takes Number billionths of what rests
	// Pool's DEEP price becomes Number (raw DEEP per raw quote, times 10^9); 0: it has none
	DeepPoints Kind = "deep_points"
)

// Fault is one injected fault. Times 0 means until cleared; Method is the
// bare gRPC method name, empty for every method.
type Fault struct {
	Kind         Kind   `json:"kind"`
	Method       string `json:"method,omitempty"`
	Milliseconds int    `json:"milliseconds,omitempty"`
	Times        int    `json:"times,omitempty"`
	Version      uint64 `json:"version,omitempty"`
	Pool         string `json:"pool,omitempty"`
	BasisPoints  int    `json:"basisPoints,omitempty"`
	Object       string `json:"object,omitempty"`
	Number       uint64 `json:"number,omitempty"`
}
