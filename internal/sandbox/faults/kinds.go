// Package faults holds injected faults until they are used up, and applies them to answers or to
// the chain.
package faults

// Kind is a way in which the sandbox can misbehave, or a chain event that a test needs now.
type Kind string

// Kinds of faults. Those up to Drop stay until used up (Times) or cleared. The others happen
// immediately.
const (
	Slow               Kind = "slow"                 // Method answers after Milliseconds
	Fail               Kind = "fail"                 // Method answers UNAVAILABLE
	Refuse             Kind = "refuse"               // Method answers INVALID_ARGUMENT
	Miss               Kind = "miss"                 // Method answers NOT_FOUND, as before a transaction is known
	OmitBalanceChanges Kind = "omit_balance_changes" // simulations report no balance changes
	AlterBalances      Kind = "alter_balances"       // simulations report every gain as ten percent higher
	OtherRecipient     Kind = "other_recipient"      // simulations report a gain for somebody else
	OtherDigest        Kind = "other_digest"         // simulations report another digest
	OtherSender        Kind = "other_sender"         // simulations report another sender
	RepeatBalances     Kind = "repeat_balances"      // ListBalances returns its first balance twice
	StuckBalances      Kind = "stuck_balances"       // ListBalances repeats the same page forever
	Drop               Kind = "drop"                 // ExecuteTransaction executes, but its answer is lost
	AdvanceEpoch       Kind = "advance_epoch"
	DisableVersion     Kind = "disable_version" // Pool, or every pool, stops accepting package Version
	EnableVersion      Kind = "enable_version"
	ShiftPrice         Kind = "shift_price"  // the book of Pool moves by BasisPoints
	ConsumeCoin        Kind = "consume_coin" // the version of Object changes, as if it were spent elsewhere
	Clear              Kind = "clear"
)

// Faults of LedgerService.ListEvents, in addition to those of every method and OtherSender, which
// reports events with another sender.
const (
	LackEvents   Kind = "lack_events"   // UNIMPLEMENTED, as on an older node
	ForeignEvent Kind = "foreign_event" // events report another package
	StuckEvents  Kind = "stuck_events"  // pages end where they began
)

// Faults of the GraphQL service, in addition to Slow, Fail, Refuse, Miss and OtherSender. Method is the
// field of the query: transactions, transaction, multiGetCheckpoints or serviceConfig.
const (
	RepeatPage   Kind = "repeat_page"   // transactions always returns the newest page
	ReversePage  Kind = "reverse_page"  // a page's transactions are in reverse order
	HugeAnswer   Kind = "huge_answer"   // an answer of 50 MB
	PartialError Kind = "partial_error" // a result together with an error that has path and code
	NullDetails  Kind = "null_details"  // effects without their lists
	Prune        Kind = "prune"         // checkpoints below Number are gone
)

// Faults of transaction proofs. Those of certificates affect GetCheckpoint and leave the summary
// unchanged. Those of effects affect GetTransaction, with a valid certificate.
const (
	NoCertificate    Kind = "no_certificate"     // unsigned
	WeakCertificate  Kind = "weak_certificate"   // signed by two of four
	OtherEpoch       Kind = "other_epoch"        // signed by the next epoch's committee, with its epoch
	OtherCommittee   Kind = "other_committee"    // signed by another chain's validators
	NewerContents    Kind = "newer_contents"     // contents of version 3 with a true certificate
	PruneEpochEnds   Kind = "prune_epoch_ends"   // the last checkpoints of epochs are gone
	OtherEffects     Kind = "other_effects"      // the effects' bytes have another computation cost
	OtherStatusBytes Kind = "other_status_bytes" // the effects' bytes state the opposite result
)

// Faults that change one pool, as its administrator or makers could.
const (
	ThinBook  Kind = "thin_book"  // Pool keeps only the best Number live orders of each side
	LeastSize Kind = "least_size" // Pool's minimum is Number raw units of base
	LotSize   Kind = "lot_size"   // Pool's lot is Number raw units of base
	TakerFee  Kind = "taker_fee"  // Pool's taker fee is Number billionths
	MakerFee  Kind = "maker_fee"  // Pool's maker fee is Number billionths
	// Pool's DEEP price becomes Number (raw DEEP per raw quote, times 10^9), or none if Number is 0
	DeepPoints Kind = "deep_points"
)

// Fault is one injected fault. Times 0 means until cleared. Method is the bare gRPC method name, or ""
// for every method.
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
