package sui

import (
	"fmt"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// argumentsOf lists every argument that a command uses.
func argumentsOf(c Command) []Argument {
	join := func(one Argument, more []Argument) []Argument { return append([]Argument{one}, more...) }
	switch v := c.(type) {
	case MoveCall:
		return v.Arguments
	case TransferObjects:
		return join(v.Recipient, v.Objects)
	case SplitCoins:
		return join(v.Coin, v.Amounts)
	case MergeCoins:
		return join(v.Into, v.Sources)
	case MakeMoveVec:
		return v.Elements
	case Upgrade:
		return []Argument{v.Ticket}
	}
	return nil
}

// results returns the number of values that a command returns. It returns false for a call, because
// only the chain knows how many results a call has.
func results(c Command) (int, bool) {
	switch v := c.(type) {
	case MoveCall:
		return 0, false
	case SplitCoins:
		return len(v.Amounts), true
	case Publish, MakeMoveVec, Upgrade:
		return 1, true
	}
	return 0, true
}

// uses returns, for each input, the indexes of the commands that use it, in order.
func uses(k Kind) map[int][]int {
	out := map[int][]int{}
	for n, c := range k.Commands {
		for _, a := range argumentsOf(c) {
			i := int(a.Index)
			if seen := out[i]; a.Kind == ArgInput && (len(seen) == 0 || seen[len(seen)-1] != n) {
				out[i] = append(seen, n)
			}
		}
	}
	return out
}

// pureTypes returns the types of pure inputs that their use determines: split amounts, recipients,
// elements of a vector of a primitive type, and known parameters.
func pureTypes(k Kind) map[int]*TypeTag {
	out := map[int]*TypeTag{}
	note := func(tag *TypeTag, args ...Argument) {
		for _, a := range args {
			if i := int(a.Index); a.Kind == ArgInput && i < len(k.Inputs) {
				if _, pure := k.Inputs[i].(PureInput); pure {
					out[i] = tag
				}
			}
		}
	}
	for _, c := range k.Commands {
		switch v := c.(type) {
		case SplitCoins:
			note(&TypeTag{Kind: TypeU64}, v.Amounts...)
		case TransferObjects:
			note(&TypeTag{Kind: TypeAddress}, v.Recipient)
		case MoveCall:
			for i, tag := range knownParameters(v) {
				if tag != nil && i < len(v.Arguments) {
					note(tag, v.Arguments[i])
				}
			}
		case MakeMoveVec:
			if v.Type != nil && v.Type.Elem == nil && v.Type.Struct == nil {
				note(v.Type, v.Elements...)
			}
		}
	}
	return out
}

// CheckArguments returns an error for an argument that refers to a missing input, a result of the same
// or a later command, or a result that the command does not return. Such a transaction is well formed
// but fails on chain. Results of Move calls are not checked, because the bytes do not show how many
// there are.
func (k Kind) CheckArguments() error {
	if list := k.dangling(); len(list) > 0 {
		return fault.New(fault.InputInvalid, "%s", list[0])
	}
	return nil
}

func (k Kind) dangling() []string {
	var out []string
	for n, c := range k.Commands {
		for _, a := range argumentsOf(c) {
			if text := k.refersToNothing(a, n); text != "" {
				out = append(out, fmt.Sprintf("Command #%d uses %s.", n, text))
			}
		}
	}
	return out
}

func (k Kind) refersToNothing(a Argument, command int) string {
	i := int(a.Index)
	switch a.Kind {
	case ArgGasCoin:
		return ""
	case ArgInput:
		if i >= len(k.Inputs) {
			return fmt.Sprintf("input #%d, which does not exist", i)
		}
		return ""
	}
	if i >= command {
		return fmt.Sprintf("a result of command #%d, which does not run before it", i)
	}
	n, known := results(k.Commands[i])
	nested := int(a.Nested)
	if a.Kind == ArgResult && known && n != 1 {
		return fmt.Sprintf("the result of command #%d, which returns %s", i, count(n, "value"))
	}
	if a.Kind == ArgNestedResult && known && nested >= n {
		return fmt.Sprintf("result %d of command #%d, which returns %s", nested, i, count(n, "value"))
	}
	return ""
}

// warnings lists what a user should check before signing.
func (t *Transaction) warnings() []string {
	out := append([]string{}, t.Kind().dangling()...)
	if t.Gas.Owner != t.Sender {
		out = append(out, "Another account pays for gas, so its signature is needed too.")
	}
	if _, never := t.Expiration.(NoExpiration); never {
		out = append(out, "It never expires: once signed, it can be executed as long as its objects stay unchanged.")
	}
	seen := map[ObjectID]string{}
	name := func(id ObjectID, as string) {
		if before, twice := seen[id]; twice {
			out = append(out, fmt.Sprintf("Object %s is %s and %s; the chain rejects an object that is used twice.",
				id.Short(), before, as))
		}
		seen[id] = as
	}
	for i, p := range t.Gas.Payment {
		name(p.ID, fmt.Sprintf("gas coin %d", i))
	}
	for i, in := range t.Inputs {
		as := fmt.Sprintf("input #%d", i)
		switch v := in.(type) {
		case OwnedInput:
			name(v.Ref.ID, as)
		case ReceivingInput:
			name(v.Ref.ID, as)
		case SharedInput:
			name(v.ID, as)
		}
	}
	for _, c := range t.Commands {
		switch v := c.(type) {
		case Publish, Upgrade:
			out = append(out, "It publishes or upgrades code.")
		case TransferObjects:
			for _, a := range v.Objects {
				if a.Kind == ArgGasCoin {
					out = append(out, "It gives away the gas coin: all that remains of it after gas.")
				}
			}
		}
	}
	return out
}
