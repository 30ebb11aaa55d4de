package readback

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// madeObject is an object that a step created and that is not yet owned or shared.
type madeObject struct {
	value sui.Argument
	share sui.MoveCall
	words string
}

// Make records that a step created an object. Later steps may use it by reference. share is the call
// that must share it after the last step, and words describes that call in a sentence.
func (r *Reader) Make(value sui.Argument, share sui.MoveCall, words string) {
	r.made = append(r.made, madeObject{value, share, words})
}

// Made returns the number, from 1, of the created object that an argument refers to, or 0 for none.
func (r *Reader) Made(a sui.Argument) int {
	return 1 + slices.IndexFunc(r.made, func(m madeObject) bool { return m.value == a })
}

// Shares takes the calls that share all created objects, in the order of creation. It returns a
// sentence for each.
func (r *Reader) Shares() (words []string, err error) {
	for ; r.shared < len(r.made); r.shared++ {
		m := r.made[r.shared]
		//mutant:never ./internal/sui/readback TestMade
		if call, ok := r.Next().(sui.MoveCall); !ok || !sameCall(call, m.share) {
			return nil, Unlike("It does not share what it creates exactly once, after its last use.")
		}
		words = append(words, m.words)
	}
	return words, nil
}

func sameCall(a, b sui.MoveCall) bool {
	return a.Package == b.Package && a.Module == b.Module && a.Function == b.Function && slices.Equal(a.Arguments,
		b.Arguments) &&
		slices.EqualFunc(a.TypeArgs, b.TypeArgs, func(x, y sui.TypeTag) bool { return x.String() == y.String() })
}
