package sui

import (
	"fmt"
	"strings"
)

// argument describes an argument of a command, including an input's value.
func (s *speaker) argument(a Argument) string {
	i := int(a.Index)
	switch a.Kind {
	case ArgGasCoin:
		return "the gas coin"
	case ArgInput:
		if i >= len(s.inputs) {
			return fmt.Sprintf("input #%d, which does not exist", i)
		}
		return fmt.Sprintf("input #%d: %s", i, s.brief[i])
	case ArgNestedResult:
		return fmt.Sprintf("result %d of command #%d%s", a.Nested, i, s.origin(i))
	}
	return fmt.Sprintf("the result of command #%d%s", i, s.origin(i))
}

// origin describes the command that returned a result.
func (s *speaker) origin(i int) string {
	if i >= len(s.commands) {
		return ", which does not exist"
	}
	if name := commandName(s.commands[i]); name != "" {
		return " (" + name + ")"
	}
	return ""
}

// commandName returns the Move function of a call, and the kind of any other command.
func commandName(c Command) string {
	switch v := c.(type) {
	case MoveCall:
		return v.Module + "::" + v.Function
	case TransferObjects:
		return "TransferObjects"
	case SplitCoins:
		return "SplitCoins"
	case MergeCoins:
		return "MergeCoins"
	case Publish:
		return "Publish"
	case MakeMoveVec:
		return "MakeMoveVec"
	case Upgrade:
		return "Upgrade"
	}
	return ""
}

func (s *speaker) list(args []Argument) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = s.argument(a)
	}
	return out
}

func (s *speaker) command(c Command) CommandWords {
	switch v := c.(type) {
	case MoveCall:
		parts := make([]string, len(v.TypeArgs))
		for i, t := range v.TypeArgs {
			parts[i] = "type " + shortType(t)
		}
		text := fmt.Sprintf("Call %s::%s::%s", v.Package.Short(), v.Module, v.Function)
		if p, ok := s.permissionOf(v); ok {
			text += ". " + p.Text
		}
		return CommandWords{Text: text, Parts: append(parts, s.list(v.Arguments)...)}
	case TransferObjects:
		return CommandWords{
			Text:  fmt.Sprintf("Send %s to %s", count(len(v.Objects), "object"), s.recipient(v.Recipient)),
			Parts: s.list(v.Objects),
		}
	case SplitCoins:
		return s.split(v)
	case MergeCoins:
		return CommandWords{
			Text:  fmt.Sprintf("Merge %s into %s", count(len(v.Sources), "coin"), s.argument(v.Into)),
			Parts: s.list(v.Sources),
		}
	case MakeMoveVec:
		text := fmt.Sprintf("Make a vector of %s", count(len(v.Elements), "element"))
		if v.Type != nil {
			text += " of type " + shortType(*v.Type)
		}
		return CommandWords{Text: text, Parts: s.list(v.Elements)}
	case Publish:
		return CommandWords{Text: "Publish a package", Parts: packageParts(v.Modules, v.Dependencies)}
	case Upgrade:
		return CommandWords{
			Text:  fmt.Sprintf("Upgrade the package %s with the ticket %s", v.Package.Short(), s.argument(v.Ticket)),
			Parts: packageParts(v.Modules, v.Dependencies),
		}
	}
	return CommandWords{Text: "An unknown command", Parts: []string{}}
}

// recipient describes the recipient of a transfer. For an address input, that is only the address.
func (s *speaker) recipient(a Argument) string {
	if a.Kind == ArgInput && int(a.Index) < len(s.inputs) {
		if p, ok := s.inputs[a.Index].(PureInput); ok {
			if to, ok := p.Address(); ok {
				return to.String()
			}
		}
	}
	return s.argument(a)
}

// split describes amounts split off the gas coin in SUI, because the gas coin is always SUI.
func (s *speaker) split(v SplitCoins) CommandWords {
	parts := s.list(v.Amounts)
	for i, a := range v.Amounts {
		if v.Coin.Kind != ArgGasCoin || a.Kind != ArgInput || int(a.Index) >= len(s.inputs) {
			continue
		}
		if p, ok := s.inputs[a.Index].(PureInput); ok {
			if n, ok := p.U64(); ok {
				parts[i] = fmt.Sprintf("input #%d: %s", a.Index, suiAmount(n))
			}
		}
	}
	return CommandWords{
		Text:  fmt.Sprintf("Split %s off %s", count(len(v.Amounts), "coin"), s.argument(v.Coin)),
		Parts: parts,
	}
}

func packageParts(modules [][]byte, dependencies []ObjectID) []string {
	size := 0
	for _, m := range modules {
		size += len(m)
	}
	parts := []string{fmt.Sprintf("%s, %s", count(len(modules), "module"), count(size, "byte"))}
	for _, d := range dependencies {
		parts = append(parts, "depends on "+d.Short())
	}
	return parts
}

// Text formats the description for a terminal. It ends with a newline.
func (d Description) Text() string {
	var b strings.Builder
	for i, line := range d.Summary {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "  %s\n", line)
	}
	if len(d.Summary) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "Gas         %s\n", d.Gas)
	for _, coin := range d.GasCoins {
		fmt.Fprintf(&b, "            - %s\n", coin)
	}
	fmt.Fprintf(&b, "Valid       %s\n\nCommands\n", d.Expiration)
	for i, c := range d.Commands {
		fmt.Fprintf(&b, "  #%-3d %s\n", i, c.Text)
		for _, p := range c.Parts {
			fmt.Fprintf(&b, "         - %s\n", p)
		}
	}
	if len(d.Commands) == 0 {
		b.WriteString("  none\n")
	}
	b.WriteString("\nInputs\n")
	for i, in := range d.Inputs {
		fmt.Fprintf(&b, "  #%-3d %s\n", i, in.Text)
	}
	if len(d.Inputs) == 0 {
		b.WriteString("  none\n")
	}
	if len(d.Warnings) > 0 {
		b.WriteString("\nAttention\n")
		for _, w := range d.Warnings {
			fmt.Fprintf(&b, "  ! %s\n", w)
		}
	}
	return b.String()
}
