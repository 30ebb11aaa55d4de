package floor

import (
	"fmt"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// Reason is why a transaction is refused, as a word for programs.
type Reason string

// The reasons that follow from the bytes.
const (
	Shape        Reason = "shape"               // it is built in a way that is not read here
	OtherCall    Reason = "function"            // another function is called than expected
	OtherPackage Reason = "package"             // a function of the right name of a package that is not pinned
	ExtraCall    Reason = "extra_call"          // a call too many
	OtherTypes   Reason = "types"               // type arguments do not fit
	OtherShared  Reason = "object"              // another shared object, or one that may be changed
	OtherValue   Reason = "value"               // another value
	NotHome      Reason = "recipient"           // something goes to another address
	OwnAfter     Reason = "own_coin_after_call" // a coin of the account is touched after a call
	WholeCoin    Reason = "whole_coin"          // a call gets a whole coin of the account
	MergedAway   Reason = "merged"              // a result is merged into another coin
	FloorParts   Reason = "floor_parts"         // a floor splits more than one part
	FloorNotBack Reason = "floor_not_back"      // the part of a floor is not merged back
	FloorAgain   Reason = "floor_again"         // a result is split once more
	FloorZero    Reason = "floor_zero"          // a floor of nothing
	ResultAmount Reason = "amount_is_result"    // an amount is not a number in the bytes
	Unused       Reason = "unused"              // something that a call returned is left
	Authority    Reason = "authority"           // an unread package gets an object that may hold the account's money
	GasOwner     Reason = "gas_owner"           // somebody else pays for gas
	OwnObject    Reason = "own_object"          // a call gets an object of the account that it should not
	NewVersion   Reason = "new_version"         // an unknown newer version gets more than a minimum bounds
)

// Refused is why a transaction is not read, or does not keep a promise.
type Refused struct {
	Reason Reason
	Text   string
}

// Error returns the text.
func (r *Refused) Error() string { return r.Text }

// Unwrap returns the failure as other decoders report it.
func (r *Refused) Unwrap() error { return fault.New(fault.InputInvalid, "%s", r.Text) }

func refuse(reason Reason, format string, args ...any) error {
	return &Refused{reason, fmt.Sprintf(format, args...)}
}

// Reading is what the bytes say of one use of a protocol.
type Reading struct {
	Function *Function
	Account  sui.Address
	Types    map[string]sui.TypeTag // of type variables
	Leaves   []Leaving
	Arrives  []Arrival
	Bound    *Claim // a minimum by the protocol's own argument
	Own      []OwnUse
	Gives    []string // types of objects that go to the account in the bytes
	Named    []Named
	Shared   map[string]sui.SharedInput
	Values   map[string]string // free arguments by name
	Calls    []Call
	Funded   []readback.Funding
	Notes    []Note // what the commands are, in order
	Newer    *Newer // the version that is called instead of the pinned one; nil: the pinned one
	Warnings []Warning
}

// Note is one command, or, of NoteFunds, those that take an amount out of coins.
type Note struct {
	Kind NoteKind
	Coin sui.CoinType // of NoteEmpty and NoteCoin
	At   int          // the place in Funded, Calls, or of the first command of a floor
}

// NoteKind is what a command is for.
type NoteKind int

// The kinds of notes.
const (
	NoteFunds NoteKind = iota
	NoteCall
	NoteEmpty // an empty coin
	NoteCoin  // a coin of a balance
	NoteFloor // two commands
	NoteSend
	NoteOther
)

// Leaving is money that goes into calls: at most Most of it stays there. Whole coins are named
// instead of counted: their amount is not in the bytes.
type Leaving struct {
	Coin  sui.CoinType
	Most  sui.Raw
	Exact bool
	Whole []sui.ObjectRef
	// Source is the coin that it was split from, which names no type unless it is the gas coin.
	Source sui.Argument

	back bool // what the calls leave of it goes home
}

// Arrival is a coin that a call returned. Least is its floor; 0 means that there is none.
type Arrival struct {
	Place
	Coin    sui.CoinType
	Least   sui.Raw
	Command int  // whose result the coin is
	Split   int  // the command of the floor, or -1
	Into    int  // the step that takes it; -1 if it goes home
	Kept    bool // a later step of the transaction takes it
}

// Claim is a minimum that only the protocol's code enforces.
type Claim struct {
	Coin  sui.CoinType
	Least sui.Raw
	By    string
}

// OwnUse is an object of the account, no coin, that goes into a call.
type OwnUse struct {
	ID   sui.ObjectID
	Type string // as the call takes it
	Name string // its role
	Ref  bool   // it stays the account's: the call only uses it
}

// Named is an address in a call that is not the account's.
type Named struct {
	Name    string
	Address sui.Address
	System  bool // in a call of the chain's own package
}

// Call is a call of the function, in order.
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

// Main returns the call whose result a minimum is set for, or, if there is none, the first.
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

// AtFloor reports whether a command is the split of a floor.
func (r *Reading) AtFloor(command int) (Arrival, bool) {
	for _, a := range r.Floors() {
		if a.Split == command {
			return a, true
		}
	}
	return Arrival{}, false
}
