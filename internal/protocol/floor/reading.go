package floor

import (
	"fmt"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Reason identifies for programs why a transaction is refused.
type Reason string

// Reasons for refusing a transaction.
const (
	Shape        Reason = "shape"               // it has an unsupported shape
	OtherCall    Reason = "function"            // another function is called than expected
	OtherPackage Reason = "package"             // a function of the expected name in a package that is not pinned
	ExtraCall    Reason = "extra_call"          // a call too many
	OtherTypes   Reason = "types"               // type arguments do not match
	OtherShared  Reason = "object"              // another shared object, or one with the wrong mutability
	OtherValue   Reason = "value"               // another value
	NotHome      Reason = "recipient"           // something goes to another address
	OwnAfter     Reason = "own_coin_after_call" // a coin of the account is used after a call
	WholeCoin    Reason = "whole_coin"          // a call takes a whole coin of the account
	MergedAway   Reason = "merged"              // a result is merged into another coin
	FloorParts   Reason = "floor_parts"         // a floor splits more than one part
	FloorNotBack Reason = "floor_not_back"      // the split part of a floor is not merged back
	FloorAgain   Reason = "floor_again"         // a result is split again
	FloorZero    Reason = "floor_zero"          // a floor of zero
	ResultAmount Reason = "amount_is_result"    // an amount is not a number in the bytes
	Unused       Reason = "unused"              // a result of a call is not used
	// an unreviewed package takes an object that may hold the account's money
	Authority  Reason = "authority"
	GasOwner   Reason = "gas_owner"   // another account pays for gas
	OwnObject  Reason = "own_object"  // a call takes an object of the account that it should not
	NewVersion Reason = "new_version" // an unknown newer version takes more than a minimum bounds
)

// Refused is the error for a transaction that is not a supported use of a described protocol.
type Refused struct {
	Reason Reason
	Text   string
}

// Error returns the text.
func (r *Refused) Error() string { return r.Text }

// Unwrap returns the error as fault.InputInvalid, like those of other decoders.
func (r *Refused) Unwrap() error { return fault.New(fault.InputInvalid, "%s", r.Text) }

func refuse(reason Reason, format string, args ...any) error {
	return &Refused{reason, fmt.Sprintf(format, args...)}
}

// Reading describes one use of a protocol according to the bytes.
type Reading struct {
	Function *Function
	Account  sui.Address
	Types    map[string]sui.TypeTag // values of type variables
	Leaves   []Leaving
	Arrives  []Arrival
	Bound    *Claim // minimum set by an argument of the protocol's own call
	Own      []OwnUse
	Gives    []string // types of objects that the transaction sends to the account
	Named    []Named
	Shared   map[string]sui.SharedInput
	Values   map[string]string // arguments without a fixed value, by name
	Calls    []Call
	Funded   []readback.Funding
	Notes    []Note // purposes of the commands, in order
	Newer    *Newer // version that is called; nil means the pinned one
	Warnings []Warning
}

// Note is the purpose of one command or, for NoteFunds and NoteFloor, of several.
type Note struct {
	Kind NoteKind
	Coin sui.CoinType // for NoteEmpty and NoteCoin
	At   int          // index in Funded or Calls, or of a floor's first command
}

// NoteKind is the purpose of a command.
type NoteKind int

// Kinds of notes.
const (
	NoteFunds NoteKind = iota
	NoteCall
	NoteEmpty // makes an empty coin
	NoteCoin  // makes a coin from a balance
	NoteFloor // two commands
	NoteSend
	NoteOther
)

// Leaving is money of the account that goes into calls: at most Most, or the coins in Whole, whose
// amounts are not in the bytes. Exact means that nothing of it is returned.
type Leaving struct {
	Coin  sui.CoinType
	Most  sui.Raw
	Exact bool
	Whole []sui.ObjectRef
	// Source is the coin from which the amount was split. Its type is known only if it is the gas
	// coin.
	Source sui.Argument

	back bool // the remainder goes to the account
}

// Arrival is a coin that a call returned. Least is its minimum, or 0 for none.
type Arrival struct {
	Place
	Coin    sui.CoinType
	Least   sui.Raw
	Command int  // index of the command that returned the coin
	Split   int  // index of the command that splits for the floor, or -1
	Into    int  // index of the step that takes the coin; -1 if the account receives it
	Kept    bool // a later step of the transaction takes it
}

// Claim is a minimum that only the protocol's code enforces.
type Claim struct {
	Coin  sui.CoinType
	Least sui.Raw
	By    string
}

// OwnUse is an object of the account, other than a coin, that goes into a call.
type OwnUse struct {
	ID   sui.ObjectID
	Type string // type that the call expects
	Name string // name of that type's struct
	Ref  bool   // passed by reference, so the account keeps it
}

// Named is an address in a call, other than the account's.
type Named struct {
	Name    string
	Address sui.Address
	System  bool // argument of the chain's own package
}

// Call is one call of the function's steps.
type Call struct {
	Command int
	Package sui.ObjectID
	Fn      string
	Types   []sui.TypeTag
	Unread  bool
}

// Floors returns the arrivals that have a floor.
func (r *Reading) Floors() (list []Arrival) {
	for _, a := range r.Arrives {
		if a.Least > 0 {
			list = append(list, a)
		}
	}
	return list
}

// Main returns the call whose result has a minimum or, if there is none, the first call.
func (r *Reading) Main() Call {
	for _, a := range r.Arrives {
		for _, c := range r.Calls {
			if at := r.Function.Floor; at != nil && a.Place == *at && c.Command == a.Command {
				return c
			}
		}
	}
	return r.Calls[0]
}

// AtFloor returns the arrival whose floor has its split at a command. It returns false if there is
// none.
func (r *Reading) AtFloor(command int) (Arrival, bool) {
	for _, a := range r.Floors() {
		if a.Split == command {
			return a, true
		}
	}
	return Arrival{}, false
}
