package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// A step may use an object created by an earlier step of the same transaction. Its id depends on
// the transaction's digest, so bytes and plans cannot contain it; Made represents it until the
// transaction is executed.

// madeName begins every id that Made returns. No object has such an id: the ids of objects
// are hashes.
const madeName = "made by the transaction"

// Made returns the id that represents the nth object that a transaction creates, counted from 1.
func Made(n int) (id sui.ObjectID) {
	copy(id[:], madeName)
	id[len(id)-1] = byte(n)
	return id
}

// MadeAs returns n if id is Made(n), or 0 if it is the id of an existing object.
func MadeAs(id sui.ObjectID) int {
	if n := int(id[len(id)-1]); n > 0 && id == Made(n) {
		return n
	}
	return 0
}

// MadeText returns the value of a term that names an object: its id, or "The new one" if the
// transaction creates it.
func MadeText(id sui.ObjectID) string {
	switch n := MadeAs(id); n {
	case 0:
		return id.String()
	case 1:
		return "The new one"
	default:
		return "The new one, number " + strconv.Itoa(n)
	}
}

// Called returns the object's name in a sentence, as in "your balance manager" or "your new balance
// manager".
func (h *Holder) Called() string {
	if h == nil || h.Term == "" {
		return "the object that holds it"
	}
	name := strings.ToLower(h.Term)
	switch n := MadeAs(h.ID); n {
	case 0:
		return "your " + name
	case 1:
		return "your new " + name
	default:
		return "your new " + name + " number " + strconv.Itoa(n)
	}
}

// New reports whether an earlier step of the transaction makes the object.
func (h *Holder) New() bool { return h != nil && MadeAs(h.ID) > 0 }

// ObjectMaker is an adapter whose step creates an object for later steps. Made lists the ids of
// such objects in a transaction of account, from the protocol's events, in order of creation.
type ObjectMaker interface {
	Made(account sui.Address, events []sui.Event) []sui.ObjectID
}

// made checks that managerOf names an earlier step and is not combined with manager.
func (i Intent) made() error {
	for n, s := range i.Each() {
		switch {
		case s.ManagerOf == 0:
		case s.ManagerOf < 0 || s.ManagerOf > n:
			return fault.New(fault.InputInvalid, "A step uses what a step before it makes.").With("field", "intent.managerOf")
		case s.Manager != "":
			return fault.New(fault.InputInvalid, "Pass either manager or managerOf, not both.").With("field",
				"intent.managerOf")
		}
	}
	return nil
}

// makes checks that steps use only objects that earlier steps create.
func makes(in Intent, plans []Plan) error {
	for n, s := range in.Each() {
		//mutant:never `plans[s.ManagerOf-1].Makes == ""` ./internal/plan TestMade
		if s.ManagerOf > 0 && (s.ManagerOf > n || plans[s.ManagerOf-1].Makes == "") {
			return fault.New(fault.InputInvalid, "Step %d makes no balance manager that step %d can use.", s.ManagerOf, n+1).
				With("field", "intent.managerOf")
		}
	}
	return nil
}

// Settle replaces placeholders with the ids of the created objects.
func (r *Result) Settle(made []sui.ObjectID) {
	for n, id := range made {
		before := Made(n + 1)
		text := MadeText(before)
		var holds []Term
		for _, t := range r.Holds {
			if t.Value == text {
				t.Value = id.String()
			}
			if !slices.Contains(holds, t) {
				holds = append(holds, t)
			}
		}
		r.Holds = holds
		moved(r.Moved, before, id)
		for i := range r.Each {
			moved(r.Each[i].Moved, before, id)
		}
	}
}

func moved(list []Moved, before, id sui.ObjectID) {
	for i := range list {
		if list[i].Holder == ObjectParty(before) {
			list[i].Holder = ObjectParty(id)
		}
	}
}
